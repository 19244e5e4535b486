#!/usr/bin/env bash
# Installs, on Debian or Ubuntu, what the tests need and the machine lacks: C and C++ compilers, the cross compilers and C
# libraries of the three targets, qemu's user-mode emulators, valgrind, GNU time, a gdb for all targets, a browser, graphviz,
# shells, neovim, emacs, node, patch, cmake, ninja, ccache, and an LLVM that reads opaque pointers, with clang, its linker and its
# dwarfdump. Does nothing, and needs neither network nor rights, where all of it is there. Never asks a question.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

# What must be callable, and the package it comes in.
tools=(
    gcc:gcc
    g++:g++
    riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu
    aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu
    arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf
    riscv64-linux-gnu-g++:g++-riscv64-linux-gnu
    aarch64-linux-gnu-g++:g++-aarch64-linux-gnu
    arm-linux-gnueabihf-g++:g++-arm-linux-gnueabihf
    qemu-riscv64:qemu-user
    qemu-aarch64:qemu-user
    qemu-arm:qemu-user
    valgrind:valgrind
    gdb-multiarch:gdb-multiarch
    chromium:chromium
    groff:groff-base
    zsh:zsh
    fish:fish
    dot:graphviz
    patch:patch
    nvim:neovim
    emacs:emacs-nox
    node:nodejs
    cmake:cmake
    ninja:ninja-build
    ccache:ccache
)
# The cross C libraries have no command, and that of `time` hides behind bash's own; a file of each tells.
libraries=(
    /usr/bin/time:time
    /usr/lib/python3/dist-packages/yaml:python3-yaml
    /usr/riscv64-linux-gnu/lib/libc.a:libc6-dev-riscv64-cross
    /usr/aarch64-linux-gnu/lib/libc.a:libc6-dev-arm64-cross
    /usr/arm-linux-gnueabihf/lib/libc.a:libc6-dev-armhf-cross
)
llvm_versions=(19 16 15)

# Rust's libraries for what tests/frontends.rs compiles; where they cannot be had, it says what it leaves out.
for target in aarch64-unknown-linux-gnu wasm32-unknown-unknown; do
    [ -d "$(rustc --print target-libdir --target $target 2>/dev/null)" ] || rustup target add $target ||
        echo "install: no Rust for $target"
done

packages=()
for row in "${tools[@]}"; do
    command -v "${row%%:*}" >/dev/null || packages+=("${row##*:}")
done
for row in "${libraries[@]}"; do
    [ -e "${row%%:*}" ] || packages+=("${row##*:}")
done
have_llvm=no
for version in "${llvm_versions[@]}"; do
    command -v "llvm-as-$version" >/dev/null && command -v "ld.lld-$version" >/dev/null &&
        command -v "clang-$version" >/dev/null && have_llvm=yes
done
if [ ${#packages[@]} -eq 0 ] && [ $have_llvm = yes ]; then
    echo "install: nothing is missing"
    exit 0
fi

root=()
[ "$(id -u)" -eq 0 ] || root=(sudo -n)
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -y -qq "$@" </dev/null; }

apt update
if [ $have_llvm = no ]; then
    for version in "${llvm_versions[@]}"; do
        if apt-cache show "llvm-$version" >/dev/null 2>&1 && apt-cache show "lld-$version" >/dev/null 2>&1; then
            packages+=("llvm-$version" "lld-$version" "clang-$version")
            break
        fi
    done
fi
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
echo "install: ${packages[*]}"
apt install --no-install-recommends "${packages[@]}"
