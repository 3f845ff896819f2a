#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/files.sh - files.sh PATTERN...: the sources that a lint reads, in a checkout or an unpacked tarball.
# Patterns are git's: * matches folders too. To find none is a failure: such a lint would pass without looking.
set -eu
if [ -e .git ]; then
    git ls-files -co --exclude-standard -- "$@"
else
    find . -path ./build -prune -o -type f -print | sed 's#^[.]/##' | while read -r f; do
        for pattern in "$@"; do
            # shellcheck disable=SC2254
            case $f in $pattern) echo "$f"; break ;; esac
        done
    done
fi | sort -u | while read -r f; do [ ! -f "$f" ] || echo "$f"; done | {
    found=1
    while read -r f; do echo "$f"; found=0; done
    [ $found = 0 ] || echo "no file here is like $*" >&2
    exit $found
}
