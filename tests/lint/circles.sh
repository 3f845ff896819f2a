#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/circles.sh - no include circle between units of core, api and daemon.
# A unit is the files of one folder with one stem: x.h, x_private.h, x.c. Unit A points at unit B when a file of A includes one of B.
# x_private.h is included within its room alone (core/identify/, daemon/store/).
set -eu
files=$("$(dirname "$0")"/files.sh 'core/*.[ch]' 'api/*.[ch]' 'daemon/*.[ch]')
echo "$files" | python3 -c '
import re, sys
unit = lambda f: re.sub(r"(_private)?\.[ch]$", "", f)
room = lambda f: "/".join(f.split("/")[:2])
graph, bad = {}, False
for f in sys.stdin.read().split():
    for t in re.findall(r"^[ \t]*#[ \t]*include[ \t]+\"([^\"]+)\"", open(f, encoding="utf-8").read(), re.M):
        if unit(t) != unit(f):
            graph.setdefault(unit(f), set()).add(unit(t))
        if t.endswith("_private.h") and room(t) != room(f):
            print(f"{f}: {t} is private to {room(t)}/"); bad = True
def reach(start):
    seen, todo = set(), [start]
    while todo:
        for n in graph.get(todo.pop(), ()):
            if n not in seen: seen.add(n); todo.append(n)
    return seen
within = {u: reach(u) for u in graph}
circles = {frozenset(v for v in within[u] | {u} if u in within.get(v, ())) for u in within if u in within[u]}
for c in circles:
    print("include circle: " + " ".join(sorted(c))); bad = True
sys.exit(bad)
'
