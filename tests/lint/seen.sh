#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/seen.sh - seen.sh FILE "FLAGS" COMMAND...: what the command prints about a file; where it has passed on the same text, from a cache.
# The key: the command, its version (in the file $SEEN_VERSION, where a caller determines it once for all) and .clang-tidy, the file, and all
# that its #includes bring (clang -E -C -dD). Only what passed is kept.
set -u
file=$1 flags=$2
shift 2
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/torqued-lint
mkdir -p "$cache" 2>/dev/null || exec "$@"
work=$(mktemp)
trap 'rm -f "$work"' EXIT
# shellcheck disable=SC2086
clang -E -C -dD -w $flags "$file" >"$work" 2>/dev/null || { "$@"; exit; }
key=$({ echo "$*"; if [ -n "${SEEN_VERSION:-}" ]; then cat "$SEEN_VERSION"; else "$1" --version 2>&1; fi; cat "$file" "$work"; [ ! -f .clang-tidy ] || cat .clang-tidy; } | sha256sum | cut -d' ' -f1)
if [ -f "$cache/$key" ]; then
    touch -c "$cache/$key"
    cat "$cache/$key"
    exit 0
fi
"$@" >"$work"
status=$?
cat "$work"
[ $status != 0 ] || { cp "$work" "$cache/$key.$$" && mv "$cache/$key.$$" "$cache/$key"; } 2>/dev/null
exit $status
