#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/contracts.sh - a /** */ comment on a tq_ function in a core header says what it Returns.
# It must stand directly above a declaration.
set -eu
files=$("$(dirname "$0")"/files.sh 'core/*.h')
echo "$files" | xargs awk '
function need(word) {
    if (text !~ "(^|[^a-z])" word) { printf "%s:%d: the doc comment of %s has no %s\n", FILENAME, start, what, word; bad = 1 }
}
FNR == 1 { inside = 0; pending = 0 }
/^\/\*\*/ { inside = 1; text = ""; start = FNR }
inside { text = text " " $0; if (/\*\//) { inside = 0; pending = 1 } next }
pending && /^[ \t]*$/ { printf "%s:%d: a doc comment is separated from its declaration\n", FILENAME, start; bad = 1; pending = 0; next }
pending && match($0, /tq_[a-z0-9_]+[(]/) {
    what = substr($0, RSTART, RLENGTH - 1)
    if ($0 !~ /^void / ) need("Returns?")
    pending = 0
}
pending { pending = 0 }
END { exit bad }'
