#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/unused.sh - a function that a header declares is called in the program, or unused.txt names it with a reason.
set -eu
here=$(dirname "$0")
files=$("$here"/files.sh 'core/*.[ch]' 'api/*.[ch]' 'daemon/*.[ch]' 'clients/*.[ch]')
echo "$files" | python3 -c '
import collections, re, sys
allowed = {line.split()[0] for line in open(sys.argv[1], encoding="utf-8") if line.strip() and line[0] != "#"}
declared, seen, bad = {}, collections.Counter(), False
for f in sys.stdin.read().split():
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", open(f, encoding="utf-8").read(), flags=re.S)
    names = re.findall(r"\b(?:tq|tqa|tqd)_\w+", text)
    seen.update(names)
    if f.endswith(".h"):
        for name in re.findall(r"^[A-Za-z][\w \t\n*]*?\b((?:tq|tqa|tqd)_\w+)\([^;{}]*\)[^;{}]*;", text, re.M):
            declared.setdefault(name, f)
# its declaration, its definition: what is more is a use
unused = {name for name in declared if seen[name] <= 2}
for name in sorted(unused - allowed):
    print(f"{declared[name]}: {name} has no caller in core, api, daemon or clients: remove it, or move it to tests"); bad = True
for name in sorted(allowed - unused):
    print(f"{sys.argv[1]}: {name} is used, or does not exist: strike it"); bad = True
sys.exit(bad)
' "$here/unused.txt"
