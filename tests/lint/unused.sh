#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/unused.sh - a function that a header declares is called in the program, from another file than its own or by
# tests, or unused.txt names it with a reason; macros and inline functions of headers are used somewhere.
set -eu
here=$(dirname "$0")
files=$("$here"/files.sh 'core/*.[ch]' 'api/*.[ch]' 'daemon/*.[ch]' 'clients/*.[ch]' 'tests/*.[ch]')
echo "$files" | python3 -c '
import collections, re, sys
allowed = {line.split()[0] for line in open(sys.argv[1], encoding="utf-8") if line.strip() and line[0] != "#"}
declared, inline, seen, bad = {}, set(), collections.Counter(), False
named, inlined, everywhere = collections.defaultdict(set), {}, collections.Counter()
for f in sys.stdin.read().split():
    text = re.sub(r"\"(?:\\.|[^\"\\\n])*\"|/\*.*?\*/|//[^\n]*", " ", open(f, encoding="utf-8").read(), flags=re.S)
    text = re.sub(r"\bTQ_KERNEL\(\w+\)", " ", text)  # a kernel may have the name of the function that calls it
    words = re.findall(r"\b[A-Za-z_]\w+\b", text)
    everywhere.update(words)
    for name in set(words):
        named[name].add(f)
    if f.startswith("tests/"):
        continue
    seen.update(words)
    if f.endswith(".h"):
        for name in re.findall(r"^[A-Za-z][\w \t\n*]*?\b((?:tq|tqa|tqd|tqci|ctl)_\w+)\([^;{}]*\)[^;{}]*;", text, re.M):
            declared.setdefault(name, f)
        inline.update(name for name, n in collections.Counter(words).items() if n > 1)
        guard = re.search(r"^#ifndef (\w+)\n#define \1$", text, re.M)
        for name in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)|^(?:TQ_INLINE|static inline)\b[^;{}=]*?\b(\w+)\(", text, re.M):
            name = name[0] or name[1]
            if "/generated/" not in f and not (guard and name == guard[1]):
                inlined.setdefault(name, f)
# its declaration, its definition: what is more is a use
unused = {name for name in declared if seen[name] <= 2}
for name in sorted(unused - allowed):
    print(f"{declared[name]}: {name} has no caller in core, api, daemon or clients: remove it, or move it to tests"); bad = True
for name in sorted(allowed - unused):
    print(f"{sys.argv[1]}: {name} is used, or does not exist: strike it"); bad = True
for name in sorted(declared.keys() - unused - inline):  # inline functions of headers call some
    if len(named[name] - {declared[name]}) == 1:
        print(f"{declared[name]}: {name} is called in its own file alone: make it static there"); bad = True
for name in sorted(inlined):
    if everywhere[name] == 1:
        print(f"{inlined[name]}: {name} is used nowhere: remove it"); bad = True
sys.exit(bad)
' "$here/unused.txt"
