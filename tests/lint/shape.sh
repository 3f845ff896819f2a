#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/shape.sh - each source file: SPDX line, "path - sentence" comment, length, TODO with a number, no machine paths.
set -eu
files=$("$(dirname "$0")"/files.sh '*.c' '*.h' '*.cpp' '*.sh' '*.py' '*.mk' '*.ts' '*.js' Makefile '*/Makefile' .ci/run)
echo "$files" | xargs awk '
function fail(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
function close_file() {
    if (name == "") return
    if (!spdx) { print name ":1: no SPDX-License-Identifier: Apache-2.0 line at the top"; bad = 1 }
    if (!titled) { print name ":1: no \"" name " - one sentence\" comment at the top"; bad = 1 }
    if (lines > 600 && name !~ /generated|openapi_json[.]c$|^clients\/torquectl\/fields[.]h$|^clients\/dashboard\/dist\//) { print name ":" lines ": longer than 600 lines"; bad = 1 }
}
FNR == 1 { close_file(); name = FILENAME; spdx = 0; titled = 0 }
{ lines = FNR }
FNR <= 2 && /SPDX-License-Identifier: Apache-2[.]0/ { spdx = 1 }
FNR <= 4 && index($0, name " - ") { titled = 1 }
/(^|[^A-Za-z_])(TODO|FIXME|XXX)([^A-Za-z_]|$)/ && !/TODO [(]?#[0-9]+/ && name !~ /^tests\/lint\// { fail("a TODO needs an issue number: TODO #12") }
/(^|[^A-Za-z0-9_.\/-])\/(home|root|work|Users)\// && name !~ /^tests\/lint\// { fail("an absolute path of one machine") }
FILENAME ~ /[.][ch]$/ && length($0) > 100 && /^[ \t]*(\/?\*)/ { fail("a comment line longer than 100 columns") }
END { close_file(); exit bad }'
