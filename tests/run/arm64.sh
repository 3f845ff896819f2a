#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/arm64.sh - builds for arm64 and runs it by qemu-user, on libraries unpacked below build/arm64.
# usage: tests/run/arm64.sh ready            has this machine what it takes?
#        tests/run/arm64.sh libraries p...   unpack Debian's packages of these names, and what they need
#        tests/run/arm64.sh make target...   make, into build/arm64/release
#        tests/run/arm64.sh run program...   by qemu-user
#        tests/run/arm64.sh test [folder...] the C tests, each with a time limit; what cannot work there is skipped by name
set -eu
triple=aarch64-linux-gnu
top=$(pwd)/build/arm64
root=$top/sysroot
blas=usr/lib/$triple/openblas-pthread

ready() {
    command -v $triple-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null && [ -e "$root/unpacked" ]
}
# Nothing of the packages runs, so no alternatives are set: the BLAS is named by its folder.
make_for_arm() {
    unset MAKEFLAGS MAKELEVEL MFLAGS VARIANT CC CI
    mkdir -p "$top/bin"
    ln -sf "$(command -v $triple-ar)" "$top/bin/ar"
    PATH=$top/bin:$PATH make -s -j"$(nproc)" out=build/arm64/release FORKED=1 arch=aarch64 AR=$triple-ar \
        CC="$triple-gcc --sysroot=$root -isystem $root/usr/include/$triple/openblas-pthread -L$root/$blas -Wl,-rpath-link=$root/$blas" "$@"
}
run() {
    exec timeout "${ARM_SECONDS:-3600}" qemu-aarch64-static -L "$root" -E LD_LIBRARY_PATH="/$blas:/usr/lib/$triple" -E OPENBLAS_NUM_THREADS=1 "$@"
}

case ${1:-} in
ready)
    ready
    ;;
libraries)
    shift
    mkdir -p "$top"
    list=$(echo "$@" | tr ' ' ',')
    mmdebstrap --quiet --arch=arm64 --variant=extract --include="$list" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
    : >"$root/unpacked"
    ;;
make)
    shift
    make_for_arm "$@"
    ;;
run)
    shift
    run "$@"
    ;;
test)
    shift
    [ $# -gt 0 ] || set -- tests/unit tests/property tests/golden
    tests=$(find "$@" -name 'test_*.c' | sort)
    set --
    for t in $tests; do set -- "$@" "build/arm64/release/${t%.c}"; done
    ready || { echo "SKIP arm64: no cross compiler, qemu-user-static or libraries of arm64: make deps-bits"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
    # a program that does not build fails for want of a file
    make_for_arm -k "$@" || true
    FORKED_SKIPS=$(pwd)/tests/run/forked_skips.txt UNITS_SECONDS=7200 UNITS_BY="$0 run" tests/run/units.sh build/arm64/log "$@"
    ;;
*)
    sed -n 's/^# usage: //p; s/^#        //p' "$0" >&2
    exit 2
    ;;
esac
