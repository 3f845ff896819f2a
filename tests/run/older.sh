#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/older.sh - builds the last daemon of PostgreSQL's schema before the present one (or of COMMIT) below build/older, and prints its path; 77: no git history.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${1:-}" ]; then
    commit=$(git rev-parse --short=12 "$1")
else
    step=$(printf '%s\n' daemon/store/postgresql/step*.sql | sort | tail -1)
    added=$(git log --diff-filter=A --format=%h -1 -- "$step" 2>/dev/null) || exit 77
    commit=$(git rev-parse --short=12 "${added:-none}^" 2>/dev/null) || exit 77
fi
folder=build/older/$commit
if [ ! -x "$folder/build/release/torqued" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/build"
    git archive "$commit" | tar -xf - -C "$folder"
    cp build/deps.* "$folder/build/"
    make -s -C "$folder" -j"$(nproc)" build >&2
fi
printf '%s\n' "$PWD/$folder/build/release/torqued"
