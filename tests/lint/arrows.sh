#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/arrows.sh - fail when an #include crosses a 'never' arrow of arrows.rules.
# Reads each file's own includes: headers are files too, so no chain can slip through.
set -eu
rules=$(dirname "$0")/arrows.rules
files=$("$(dirname "$0")"/files.sh '*.c' '*.h')
echo "$files" | xargs awk -v rules="$rules" '
BEGIN {
    while ((getline line < rules) > 0) {
        if (line ~ /^#/ || line == "") continue
        n = split(line, field, " ")
        for (i = 2; i <= n; i++) { from[++count] = field[1]; to[count] = field[i] }
    }
}
/^[ \t]*#[ \t]*include/ {
    match($0, /[<"][^>"]+[>"]/)
    target = substr($0, RSTART, RLENGTH)
    if (RSTART == 0) { printf "%s:%d: an include must name its file\n", FILENAME, FNR; bad = 1; next }
    if (target ~ /^"/) {
        target = substr(target, 2, length(target) - 2)
        if (target !~ /^(core|api|daemon|clients|tests)\//) {
            printf "%s:%d: \"%s\" is not a path from the top\n", FILENAME, FNR, target; bad = 1
        }
    }
    for (i = 1; i <= count; i++) {
        pattern = to[i]
        gsub(/[.]/, "[.]", pattern); gsub(/[*]/, "[^>]*", pattern)
        if (index(FILENAME, from[i]) == 1 && match(target, "^" pattern) == 1) {
            printf "%s:%d: %s never -> %s\n", FILENAME, FNR, from[i], to[i]; bad = 1
        }
    }
}
END { exit bad }'
