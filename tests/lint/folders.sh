#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/folders.sh - every folder with source in it has a README.md of at most a page, 40 files and 8,000 lines.
set -eu
bad=0
files=$("$(dirname "$0")"/files.sh '*.c' '*.h')
for folder in $(echo "$files" | grep -v '^tests/' | xargs -n1 dirname | sort -u) tests; do
    if [ ! -f "$folder/README.md" ]; then
        echo "$folder: no README.md"
        bad=1
        continue
    fi
    lines=$(wc -l <"$folder/README.md")
    [ "$lines" -le 70 ] || { echo "$folder/README.md: $lines lines, a page is 70"; bad=1; }
done
# of the files in the folder itself, in the rooms
most_files=40 most_lines=8000
echo "$files" | grep -E '^(core|api|daemon|clients)/' | tr '\n' '\0' | xargs -0 wc -l | awk -v most_files=$most_files -v most_lines=$most_lines '
$2 ~ "/" { folder = $2; sub("/[^/]*$", "", folder); n[folder]++; lines[folder] += $1 }
END {
    for (f in n) {
        if (n[f] > most_files) { printf "%s: %d files, %d at most: make a sub-folder\n", f, n[f], most_files; bad = 1 }
        if (lines[f] > most_lines) { printf "%s: %d lines, %d at most: make a sub-folder\n", f, lines[f], most_lines; bad = 1 }
    }
    exit bad
}' || bad=1
exit $bad
