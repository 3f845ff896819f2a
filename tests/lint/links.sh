#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/links.sh - build/torqued is the release: no variant and no other compiler's build moves the link, and `make` puts it back.
# A sanitizer build behind the link is two to five times slower to start and to measure.
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL VARIANT CC
plan() { make -n "$@" build 2>/dev/null | grep 'ln -s' || true; }
[ -n "$(plan CC=gcc | grep 'release/')" ] || { echo "links.sh: make does not link build/torqued to the release"; exit 1; }
for other in VARIANT=asan CC=clang; do
    [ -z "$(plan "$other")" ] || { echo "links.sh: make $other moves build/torqued"; exit 1; }
done
