#!/usr/bin/env bash
# Where the compiler's memory is at its peak: a tuned build with symbols and the system's allocator, under massif; printed
# by function, then as a tree of calls.
#
#     profiling/heap.sh big.sy                    # of sysyc -c -O0 -j1
#     profiling/heap.sh big.sy -c -O1 -j2         # other options of sysyc
#
# HEAP_OUT      where massif's own file is to stay, for ms_print or massif-visualizer
# SYSYC_BIN     a binary to use as it is (built without the feature `mimalloc`, which massif does not see)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
[ $# -ge 1 ] && [ -f "$1" ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
source=$1
shift
[ $# -gt 0 ] || set -- -c -O0 -j1

binary=${SYSYC_BIN:-}
if [ -z "$binary" ]; then
    RUSTFLAGS="${RUSTFLAGS:-} -Cforce-frame-pointers=yes" \
        cargo build --quiet --profile profiling --no-default-features --manifest-path "$root/Cargo.toml" \
        --target-dir "$root/target/heap" --bin sysyc
    binary=$root/target/heap/profiling/sysyc
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
massif=${HEAP_OUT:-$work/massif}
valgrind -q --tool=massif --massif-out-file="$massif" --depth=60 --threshold=0.5 "$binary" -w "$@" -o "$work/out" "$source"
awk -f "$here/heap.awk" "$massif"
