#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/doors.sh - api includes of core what core/torqued.h names, all of it and no more; no include of the daemon reaches core.
set -eu
files=$("$(dirname "$0")"/files.sh 'core/*.h' 'api/*.[ch]' 'daemon/*.[ch]')
echo "$files" | python3 -c '
import re, sys
files, door, bad = sys.stdin.read().split(), "core/torqued.h", False
own = {f: re.findall(r"^[ \t]*#[ \t]*include[ \t]+\"([^\"]+)\"", open(f, encoding="utf-8").read(), re.M) for f in files}
named, used = set(own.get(door, ())), set()
for f in files:
    for t in own[f] if f.startswith("api/") else ():
        if t.startswith("core/"):
            used.add(t)
            if t not in named:
                print(f"{f}: {t} is not public: {door} does not name it"); bad = True
for t in sorted(named - used):
    print(f"{door}: no file of api includes {t}"); bad = True
crossed = {}
for f in files:
    chain, queue = {f: None}, [f] if f.startswith("daemon/") else []
    while queue:
        here = queue.pop(0)
        for t in own.get(here, ()):
            if t.startswith("core/"):
                path = [here, t]
                while chain[path[0]] is not None: path.insert(0, chain[path[0]])
                crossed.setdefault((here, t), path)
            elif t not in chain:
                chain[t] = here
                queue.append(t)
for path in crossed.values():
    print(" -> ".join(path) + ": the daemon reaches core"); bad = True
sys.exit(bad)
'
