#!/bin/sh
# Installs the library for C, which `cargo build --release -p sysyc-capi` has made (for packages with `--profile tuned`):
# install.sh PREFIX. What is in PREFIX/include, PREFIX/lib and PREFIX/lib/pkgconfig then is found by `pkg-config --cflags
# --libs sysyc`. LIBRARIES is where the libraries are, if not in target/release; DESTDIR stands in front of PREFIX, as packages
# want it.
set -eu
prefix=${1:?"install.sh PREFIX"}
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
from=${LIBRARIES:-$here/../target/release}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -1)
to=${DESTDIR:-}$prefix
mkdir -p "$to/include" "$to/lib/pkgconfig"
cp "$here/include/sysyc.h" "$to/include/"
cp "$from/libsysyc_capi.a" "$to/lib/"
cp "$from/libsysyc_capi.so" "$to/lib/libsysyc_capi.so.$version"
ln -sf "libsysyc_capi.so.$version" "$to/lib/libsysyc_capi.so.0"
ln -sf libsysyc_capi.so.0 "$to/lib/libsysyc_capi.so"
cat >"$to/lib/pkgconfig/sysyc.pc" <<END
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: sysyc
Description: the backend of sysyc: functions that are built by calls, or LLVM text, to code for RISC-V, AArch64 and ARMv7
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lsysyc_capi
Libs.private: -lpthread -ldl -lm
END
