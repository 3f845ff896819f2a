#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/run/coverage.py - coverage.py OUT [ROOM...]: lines and branches of each room that a run of a build with --coverage took, by gcov.
"""Rooms are folders; a line of several copies (inline functions, lane builds) counts once, with the sum of its copies. Branches are those
that the compiler made: an `if` has two, each `&&` two more. Status 1 where a room misses LINES_LEAST or BRANCHES_LEAST (per cent)."""

import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOMS = ["api/codec", "api/request", "api/robots", "daemon/http"]


def counts_of(data):
    """Of one object: [file, line, count, [count of each branch]]."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "-b", "-j", str(data.resolve())], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
            for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
                for line in file["lines"]:
                    found.append((file["file"].removeprefix("./"), line["line_number"], line["count"], [b["count"] for b in line["branches"]]))
    return found


def main():
    out, rooms = pathlib.Path(sys.argv[1]), sys.argv[2:] or ROOMS
    objects = [data for room in rooms for data in sorted((out / room).rglob("*.gcda"))]
    lines, branches = collections.Counter(), {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts_of, objects):
            for file, line, count, taken in found:
                lines[file, line] += count
                before = branches.get((file, line), [])
                if len(before) in (0, len(taken)):
                    branches[file, line] = [a + b for a, b in zip(before or [0] * len(taken), taken)]
    missed = False
    by_file = collections.defaultdict(lambda: [0, 0, 0, 0])
    for room in rooms:
        sums = [0, 0, 0, 0]
        for (file, line), count in lines.items():
            if file.startswith(room + "/"):
                taken = branches.get((file, line), [])
                for s in (sums, by_file[file]):
                    for k, x in enumerate((1, count > 0, len(taken), sum(b > 0 for b in taken))):
                        s[k] += x
        share = [100 * sums[1] / max(sums[0], 1), 100 * sums[3] / max(sums[2], 1)]
        missed |= share[0] < float(os.environ.get("LINES_LEAST", 90)) or share[1] < float(os.environ.get("BRANCHES_LEAST", 80))
        print(f"{room:24} lines {share[0]:5.1f} % of {sums[0]:6}, branches {share[1]:5.1f} % of {sums[2]:6}")
    with open(out / "coverage.txt", "w", encoding="utf-8") as report:
        for file, (n, hit, n_branch, taken) in sorted(by_file.items(), key=lambda item: item[1][2] - item[1][3], reverse=True):
            places = [str(line) for (f, line), count in sorted(lines.items()) if f == file and count == 0]
            report.write(f"{file}: lines {hit} of {n}, branches {taken} of {n_branch}; not run: {' '.join(places)}\n")
    print(f"by file: {out}/coverage.txt")
    sys.exit(1 if missed else 0)


main()
