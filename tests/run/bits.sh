#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/bits.sh - gcc's and clang's build must give the same bits for torques and mass matrices of 200 random robots.
set -eu
unset VARIANT CC MAKEFLAGS MAKELEVEL MFLAGS
for cc in gcc clang; do
    if ! command -v $cc >/dev/null; then
        echo "SKIP bits: no $cc"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
done
make -s -j"$(nproc)" CC=gcc build/release/tests/peers/dump
make -s -j"$(nproc)" CC=clang build/release-clang/tests/peers/dump
mkdir -p build/check
build/release/tests/peers/dump 200 >build/check/bits-gcc.json
build/release-clang/tests/peers/dump 200 >build/check/bits-clang.json
if cmp build/check/bits-gcc.json build/check/bits-clang.json; then
    echo "1 passed, 0 failed, 0 skipped"
else
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
