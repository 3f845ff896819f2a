#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/cppcheck.sh - cppcheck.sh FOLDER...: cppcheck of all C below the folders; what it found in an unchanged text comes from its build folder.
# A clean checkout begins with the build folder of the last run that passed. cppcheck keys each file there by its tokens, its own version and its
# settings. Comments are no tokens: all inline suppressions are part of the key of the whole, and with one more or less nothing is kept.
set -eu
here=$(dirname "$0")
build=build/lint/cppcheck
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/torqued-lint
options="--std=c11 --language=c --enable=warning,performance,portability --inline-suppr --suppressions-list=$here/cppcheck.txt -I."
key=$({ cppcheck --version; echo "$options $*"; cat "$here/cppcheck.txt"; grep -rFh --include='*.[ch]' cppcheck-suppress "$@" | sort || true; } | sha256sum | cut -c1-16)
kept=$cache/cppcheck-$key.tar.gz
if [ "$(cat $build/key 2>/dev/null)" != "$key" ]; then
    rm -rf $build
    mkdir -p $build
    { [ ! -f "$kept" ] || tar -C $build -xzf "$kept"; } 2>/dev/null || { rm -rf $build && mkdir $build; }
    echo "$key" >$build/key
fi
# shellcheck disable=SC2086
cppcheck --quiet $options -j "$(nproc)" --error-exitcode=1 --cppcheck-build-dir=$build "$@"
# the whole or nothing; where it cannot be kept, the next checkout takes longer
new=$kept.$$
{ mkdir -p "$cache" && tar -C $build -czf "$new" . && mv "$new" "$kept" && find "$cache" -name 'cppcheck-*' -mtime +30 -delete; } 2>/dev/null || rm -f "$new"
