#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/banned.sh - fail when a C file calls a function that banned.txt forbids in its folder.
# Comments and string literals are blanked first; a member (x.free, x->free) is no call of the function.
set -eu
rules=$(dirname "$0")/banned.txt
files=$("$(dirname "$0")"/files.sh '*.c' '*.h' '*.cpp')
echo "$files" | xargs awk -v rules="$rules" '
BEGIN {
    while ((getline line < rules) > 0) {
        if (line ~ /^#/ || line == "") continue
        colon = index(line, " : ")
        if (colon == 0) { print rules ": no \" : \" in: " line; bad = 1; continue }
        count++
        where[count] = substr(line, 1, colon)
        n = split(substr(line, colon + 3), word, " ")
        for (i = 1; i <= n; i++) names[count, word[i]] = 1
    }
}
FNR == 1 {
    comment = 0
    for (r = 1; r <= count; r++) {
        n = split(where[r], scope, " ")
        applies[r] = 0
        for (i = 1; i <= n; i++) if (index(FILENAME, scope[i]) == 1) applies[r] = 1
        for (i = 1; i <= n; i++) if (scope[i] ~ /^!/ && index(FILENAME, substr(scope[i], 2)) == 1) applies[r] = 0
    }
}
{
    code = ""
    rest = $0
    while (rest != "") {
        if (comment) {
            at = index(rest, "*/")
            if (at == 0) break
            rest = substr(rest, at + 2); comment = 0
        } else if (match(rest, /\/\*|\/\/|"|\047/)) {
            code = code substr(rest, 1, RSTART - 1)
            token = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (token == "/*") comment = 1
            else if (token == "//") break
            else {
                code = code " _ "
                quoted = (token == "\"") ? "^([^\"\\\\]|\\\\.)*\"" : "^([^\047\\\\]|\\\\.)*\047"
                if (!match(rest, quoted)) break
                rest = substr(rest, RLENGTH + 1)
            }
        } else { code = code rest; break }
    }
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*[ \t]*[(]/)) {
        before = substr(code, 1, RSTART - 1)
        name = substr(code, RSTART, RLENGTH); sub(/[ \t]*[(]$/, "", name)
        code = substr(code, RSTART + RLENGTH)
        if (before ~ /([.]|->)[ \t]*$/ || before ~ /[0-9]$/) continue
        for (r = 1; r <= count; r++) if (applies[r] && (r, name) in names) {
            printf "%s:%d: %s is banned here (%s)\n", FILENAME, FNR, name, rules; bad = 1
        }
    }
}
END { exit bad }'
