#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/bits.sh - the answers of all operations hash alike: compilers, lanes, no FMA, cores of OpenBLAS, arm64.
# usage: tests/run/bits.sh [answers] [answers on arm64, which qemu runs]
set -eu
unset VARIANT MAKEFLAGS MAKELEVEL MFLAGS
n=${1:-10000}
n_arm=${2:-1000}
out=build/check
passed=0 failed=0 skipped=0
mkdir -p $out

skip() {
    echo "SKIP bits: $1"
    skipped=$((skipped + 1))
}
# name, reference, command...: a difference names the operations
compare() {
    name=$1 reference=$2
    shift 2
    if ! "$@" >"$out/bits-$name.txt"; then
        echo "bits: $name: failed"
        failed=$((failed + 1))
    elif diff "$reference" "$out/bits-$name.txt" >"$out/bits-$name.diff"; then
        passed=$((passed + 1))
    else
        echo "bits: $name differs:"
        grep '^[<>]' "$out/bits-$name.diff"
        failed=$((failed + 1))
    fi
}

for cc in gcc clang; do
    command -v $cc >/dev/null || { skip "no $cc"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
done
make -s -j"$(nproc)" CC=gcc build/release/tests/bits/answers build/release/tests/peers/dump
make -s -j"$(nproc)" CC=clang build/release-clang/tests/bits/answers build/release-clang/tests/peers/dump
answers=build/release/tests/bits/answers

$answers "$n" >$out/bits-gcc.txt
tail -1 $out/bits-gcc.txt
compare clang $out/bits-gcc.txt build/release-clang/tests/bits/answers "$n"
build/release/tests/peers/dump 200 >$out/bits-dump.json
compare dump $out/bits-dump.json build/release-clang/tests/peers/dump 200
for lanes in portable w1 w1v w2 w4 w8; do
    if $answers lanes=$lanes 1 >/dev/null 2>&1; then
        compare $lanes $out/bits-gcc.txt $answers lanes=$lanes "$n"
    else
        skip "this processor has no kernels $lanes"
    fi
done
if [ "$(uname -m)" = x86_64 ]; then
    # the C library's and the BLAS's choices by the processor
    compare no-fma $out/bits-gcc.txt env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable $answers lanes=portable "$n"
    for core in Nehalem Sandybridge Haswell; do
        compare $core $out/bits-gcc.txt env OPENBLAS_CORETYPE=$core $answers "$n"
    done
fi

if tests/run/arm64.sh ready; then
    tests/run/arm64.sh make build/arm64/release/tests/bits/answers
    $answers "$n_arm" >$out/bits-native.txt
    compare arm64 $out/bits-native.txt tests/run/arm64.sh run build/arm64/release/tests/bits/answers "$n_arm"
else
    skip "no cross compiler, qemu-user-static or libraries of arm64: make deps-bits"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
