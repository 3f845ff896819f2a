#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/seen.sh - seen.sh FILE "FLAGS" COMMAND...: what the command prints about a file; where it has passed on the same text, from a cache.
# The key: the command, its version (in the file $SEEN_VERSION, where a caller determines it once for all) and .clang-tidy, the file, and all
# that its #includes bring (clang -E -C -dD). Where that has changed, a second key: of our headers only what a linter reads for this file
# (seen_text.py). Only what passed is kept.
set -u
file=$1 flags=$2
shift 2
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/torqued-lint
mkdir -p "$cache" 2>/dev/null || exec "$@"
work=$(mktemp)
trap 'rm -f "$work" "$work.reduced"' EXIT
# shellcheck disable=SC2086
clang -E -C -dD -w $flags "$file" >"$work" 2>/dev/null || { "$@"; exit; }
key_of() { # TEXT: a file
    { echo "$*" | cut -d' ' -f2-; if [ -n "${SEEN_VERSION:-}" ]; then cat "$SEEN_VERSION"; else "$2" --version 2>&1; fi; cat "$file" "$1"; [ ! -f .clang-tidy ] || cat .clang-tidy; } | sha256sum | cut -d' ' -f1
}
keep() { # KEY: what is in $work
    { cp "$work" "$cache/$1.$$" && mv "$cache/$1.$$" "$cache/$1"; } 2>/dev/null
}
key=$(key_of "$work" "$@")
if [ -f "$cache/$key" ]; then
    touch -c "$cache/$key"
    cat "$cache/$key"
    exit 0
fi
reduced=
if python3 "$(dirname "$0")/seen_text.py" "$file" <"$work" >"$work.reduced"; then
    reduced=$(key_of "$work.reduced" "$@")
fi
if [ -n "$reduced" ] && [ -f "$cache/$reduced" ]; then
    touch -c "$cache/$reduced"
    cat "$cache/$reduced" | tee "$work"
    keep "$key"
    exit 0
fi
"$@" >"$work"
status=$?
cat "$work"
[ $status != 0 ] || keep "$key"
[ $status != 0 ] || [ -z "$reduced" ] || keep "$reduced"
exit $status
