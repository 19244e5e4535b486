#!/usr/bin/env bash
# A flame graph of the compiler at work on a program: a tuned build with symbols and frame pointers, perf where it works
# and callgrind where it does not, one SVG.
#
#     profiling/flame.sh big.sy                            # target/flame.svg, of sysyc -c -O0 -j1
#     profiling/flame.sh big.sy -c -O1 -j2 --target armv7  # other options of sysyc
#     FLAME_WITH=callgrind FLAME_OUT=/tmp/x.svg profiling/flame.sh big.sy
#
# FLAME_WITH    perf or callgrind: do not try the other
# FLAME_OUT     the SVG's place
# FLAME_RUNS    how often perf sees the compile (default: 20); more for a short one
# SYSYC_BIN     a binary to use as it is, instead of building one
#
# perf counts time, by samples; callgrind counts instructions and knows callers but not whole stacks: a function's cost is
# divided among its callers as the calls into it are.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
[ $# -ge 1 ] && [ -f "$1" ] || { sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
source=$1
shift
[ $# -gt 0 ] || set -- -c -O0 -j1
out=${FLAME_OUT:-$root/target/flame.svg}

binary=${SYSYC_BIN:-}
if [ -z "$binary" ]; then
    # A folder of its own: other flags would make cargo build everything again, here and then there.
    RUSTFLAGS="${RUSTFLAGS:-} -Cforce-frame-pointers=yes" \
        cargo build --quiet --profile profiling --manifest-path "$root/Cargo.toml" --target-dir "$root/target/profiling" --bin sysyc
    binary=$root/target/profiling/profiling/sysyc
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile=("$binary" -w "$@" -o "$work/out" "$source")
"${compile[@]}"

# Samples on hardware's cycles, or on a clock where the machine hides them.
by_perf() {
    command -v perf >/dev/null || return 1
    local event
    for event in cycles cpu-clock; do
        perf record -q -F 4999 -e "$event" --call-graph fp -o "$work/perf.data" -- \
            bash -c 'n=$1; shift; for ((k = 0; k < n; k++)); do "$@"; done' flame "${FLAME_RUNS:-20}" "${compile[@]}" \
            >/dev/null 2>"$work/perf.log" || continue
        perf script --no-inline -F comm,ip,sym -i "$work/perf.data" 2>/dev/null |
            awk -f "$here/fold-perf.awk" >"$work/folded"
        # A record without samples of ours is none.
        [ "$(grep -c sysyc:: "$work/folded")" -gt 20 ] && {
            what="perf, $(perf evlist -i "$work/perf.data" | head -n 1), samples"
            return 0
        }
    done
    return 1
}

by_callgrind() {
    valgrind -q --tool=callgrind --callgrind-out-file="$work/cg" "${compile[@]}"
    awk -f "$here/fold-callgrind.awk" "$work/cg" >"$work/folded"
    what="callgrind, instructions"
}

case ${FLAME_WITH:-any} in
    perf) by_perf || { echo "flame: perf does not work here:" >&2; cat "$work/perf.log" >&2; exit 1; } ;;
    callgrind) by_callgrind ;;
    *) by_perf || { echo "flame: perf does not work here, callgrind it is" >&2; by_callgrind; } ;;
esac
mkdir -p "$(dirname "$out")"
awk -v title="sysyc $* $(basename "$source") ($what)" -v script="$here/flame.js" -f "$here/flame.awk" "$work/folded" >"$out"
echo "$out: $what"
