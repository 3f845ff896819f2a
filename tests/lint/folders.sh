#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/folders.sh - every folder with source in it has a README.md, at most a page long.
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
exit $bad
