#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/includes.sh - includes.sh FILE...: fail when a C or POSIX name comes only with another library's header.
# A header may be included by the file or by one of ours that it includes; what expat.h, say, includes today is no promise.
set -eu
here=$(dirname "$0")
TOOL="${INCLUDE_CLEANER:-clang-include-cleaner-19}"
command -v "$TOOL" >/dev/null || { echo "includes: no $TOOL (make deps-check)"; exit 1; }
[ $# != 0 ] || { echo "includes: no file is named"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# what a file includes, directly or by way of our own headers, in angle brackets
printf '%s\n' "$@" | awk -v rules="$here/includes.rules" '
function read_file(name,    line, target) {
    if (name in known) return
    known[name] = 1
    while ((getline line < name) > 0) {
        if (line !~ /^[ \t]*#[ \t]*include/ || !match(line, /[<"][^>"]+[>"]/)) continue
        target = substr(line, RSTART + 1, RLENGTH - 2)
        if (substr(line, RSTART, 1) == "<") system_of[name] = system_of[name] " " target
        else own_of[name] = own_of[name] " " target
    }
    close(name)
}
BEGIN {
    while ((getline line < rules) > 0) if (line !~ /^#/) { split(line, side, " : "); standard[side[1]] = 1 }
}
{
    split("", seen); queue[n = 1] = $1; seen[$1] = 1; all = ""; strange = 0
    for (k = 1; k <= n; k++) {
        read_file(queue[k])
        all = all system_of[queue[k]]
        m = split(own_of[queue[k]], next_own, " ")
        for (i = 1; i <= m; i++) if (!(next_own[i] in seen)) { seen[next_own[i]] = 1; queue[++n] = next_own[i] }
    }
    m = split(all, header, " ")
    for (i = 1; i <= m; i++) if (!(header[i] in standard)) strange = 1
    if (strange) print $1 all
}' >"$work/reach"

# only where another library is near; a kernel is the same source at every width
common="-w -std=c17 -D_GNU_SOURCE -I."
cut -d' ' -f1 "$work/reach" | FLAGS="$common" KERNEL_FLAGS="$common -DTQ_LANES=1 -DTQ_BUILD=portable" \
    "$here/seen_all.py" "$work/out" "$TOOL" --print=changes {} -- {flags}
cut -d' ' -f1 "$work/reach" | while read -r file; do
    sed -n "s#^+ <\(.*\)>.*#$file \1#p" "$work/out/$(printf %s "$file" | tr / _)"
done >"$work/all.wanted"

cat "$work/all.wanted" | awk -v rules="$here/includes.rules" -v reach="$work/reach" '
BEGIN {
    while ((getline line < rules) > 0) {
        if (line ~ /^#/ || line == "") continue
        split(line, side, " : ")
        any[side[1]] = side[2] == "" ? side[1] : side[2]
    }
    while ((getline line < reach) > 0) {
        n = split(line, field, " ")
        for (i = 2; i <= n; i++) have[field[1], field[i]] = 1
    }
}
$2 in any {
    n = split(any[$2], header, " ")
    for (i = 1; i <= n; i++) if (($1, header[i]) in have) next
    printf "%s: names of <%s> come only with the header of another library: include it\n", $1, header[1]; bad = 1
}
END { exit bad }'
