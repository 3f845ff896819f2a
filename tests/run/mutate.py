#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/run/mutate.py - breaks one line at a time and sees whether a test notices: the mutation score.
"""mutate.py [PATH:LINE:NEW_TEXT ...]; SEED=1 N=150 ROOM=core,api,daemon BUDGET=60 JOBS=2 BUILDS=release,asan MAP=new|keep
TESTS=part_of_a_name

Works in a copy of the tree, build/mutate/tree (mutate_tree.py). A mutant lives until a test fails, dies or hangs: first C
tests, then contract tests, both in release, then again under AddressSanitizer with leaks counted. A line's tests come
in the order of how much of its surroundings they run for a second; BUDGET seconds of each of the four rounds are spent.
"""
import difflib
import os
import pathlib
import random
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from mutate_tree import HOME, JOBS, ROOT, TREE, Build, copy_tree, coverage

SEED, N = os.environ.get("SEED", "1"), int(os.environ.get("N", "150"))
ROOMS, BUDGET = os.environ.get("ROOM", "core,api,daemon").split(","), float(os.environ.get("BUDGET", "60"))


# -- what may be broken ------------------------------------------------------------------------------------------

SWAPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
         " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += "}


def masked(line):
    """The line with strings, characters and comments blanked."""
    return re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|/\*.*?(?:\*/|$)|//.*$', lambda m: "\x00" * len(m.group()), line)


def mutations(line):
    """All (column, old, new) of one line of a function's body."""
    m, found = masked(line), []
    for old, new in SWAPS.items():
        found += [(k.start(), old, new) for k in re.finditer(re.escape(old), m)]
    for k in re.finditer(r"(?<![\w.\]])(\d+\.\d*(?:e-?\d+)?|\d+)(?![\w.])", m):
        before, old = m[:k.start()], k.group()
        if re.search(r"(?:^|[;(,])\s*(?!return)(?:\w+ )+\*?\w+(?:\[\w+\])*\[$", before) or before.endswith("case "):
            continue  # the size of a declared array: more of it is no fault
        new = str(int(old) + 1) if old.isdigit() else "1.0" if float(old) == 0.0 else f"({old} * 2.0)"
        found.append((k.start(), old, new))
    for k in re.finditer(r"\b(true|false)\b", m):
        found.append((k.start(), k.group(), "false" if k.group() == "true" else "true"))
    k = re.match(r"^(\s*(?:\} else )?if \()(.*)(\) \{)$", m)
    if k and "\x00" not in m:
        found.append((k.end(1), k.group(2), f"!({k.group(2)})"))
    if re.search(r"= \{0(\.0)?\};$", m):
        found = []  # what is cleared before it is set
    k = re.match(r"^(\s+)((?!return\b|if\b|for\b|while\b|switch\b)[\w>.\-\[\]]+\(.*\);|break;|continue;|return;)$", m) or \
        re.match(r"^(\s+)([^\s=(]+(?:\[[^=]*\])? (?:[-+*/|&]?=) .*;)$", m)
    if k:
        found.append((k.end(1), line[k.end(1):], ";"))
    return found


def bodies(text):
    """Line numbers (from 1) inside of functions: clang-format puts their braces alone in the first column."""
    inside, comment, lines = False, False, []
    for n, line in enumerate(text.split("\n"), 1):
        inside = True if line == "{" else False if line == "}" else inside
        if inside and line not in ("{", "}") and not comment and not line.lstrip().startswith(("#", "/*", "assert(")):
            lines.append(n)
        comment = ("/*" in line or comment) and "*/" not in line
    return lines


def draw(room):
    """Endless (path, line, column, old, new) of a room, the same ones for the same seed and sources."""
    chance = random.Random(f"{SEED}:{room}")
    places = []
    for path in sorted(TREE.joinpath(room).rglob("*.c")):
        name, text = str(path.relative_to(TREE)), path.read_text()
        if path.name == "openapi_json.c" or name.startswith("api/robots/builtin"):
            continue
        lines = text.split("\n")
        places += [(name, n, choices) for n in bodies(text) if (choices := mutations(lines[n - 1]))]
    seen = set()
    while len(seen) < len(places):
        name, n, choices = chance.choice(places)
        one = (name, n, *chance.choice(choices))
        if one not in seen:
            seen.add(one)
            yield one


# -- which tests run a line ---------------------------------------------------------------------------------------

def tests_of(known, name, line):
    """Test names by how much they run around a line for a second; an empty list if nothing runs it."""
    text, old = (TREE / name).read_text().split("\n"), known["sources"].get(name)
    lines = set(bodies("\n".join(text)))
    back = {n: n for n in lines} if text == old else {} if old is None else \
        {b + k + 1: a + k + 1 for a, b, n in difflib.SequenceMatcher(None, old, text, False).get_matching_blocks() for k in range(n)}
    body = [n for n in range(line, 0, -1) if n in lines or text[n - 1] != "{"]
    body = body[:next((k for k, n in enumerate(body) if text[n - 1] in ("{", "}")), len(body))]
    ran = {t: set(v["lines"].get(name, ())) for t, v in known["tests"].items()}
    every = set().union(*ran.values()) if ran else set()
    # a line within a longer statement has no count of its own: the nearest before it that has one
    at = next((back[n] for n in body if back.get(n) in every), None)
    new = [t for t in ALL_TESTS if t not in known["tests"]]
    if at is None:
        return new + [t for t in ran if ran[t]] if old is None else new
    stem, near = pathlib.Path(name).stem, range(at - 30, at + 31)
    cost = {t: known["tests"][t]["seconds"] / (1 + len(ran[t].intersection(near))) for t in ran if at in ran[t]}
    own = {t: f"test_{stem}." in t + "." or pathlib.Path(t).stem.removeprefix("test_") in stem for t in cost}
    return new + sorted(cost, key=lambda t: (not own[t], cost[t]))


# -- mutants -----------------------------------------------------------------------------------------------------

ALL_TESTS, passing, passing_lock = [], {}, threading.Lock()


def passes_unbroken(build, test):
    key = (build.variant, test)
    with passing_lock:
        if key not in passing:
            passing[key] = build.test(test, build.plain, 900) is True
        return passing[key]


def mutate(text, one):
    _, line, column, old, new = one
    lines = text.split("\n")
    was = lines[line - 1]
    assert was[column:column + len(old)] == old, (one, was)
    lines[line - 1] = was[:column] + new + was[column + len(old):]
    return "\n".join(lines)


def changed(build, one, folder):
    """Whether it compiles (None: not) and makes another object."""
    text = (TREE / one[0]).read_text()
    made = build.compile(one[0], mutate(text, one), folder)
    if made is None:
        return None
    new = [pathlib.Path(p).read_bytes() for p in made.values()]
    return new != [pathlib.Path(p).read_bytes() for p in build.compile(one[0], text, folder).values()]


def trial(builds, known, one, folder):
    """(outcome, by what) of one mutant."""
    text, tests, tried = mutate((TREE / one[0]).read_text(), one), tests_of(known, one[0], one[1]), 0
    if not tests:
        return "never run", ""
    usual = {t: known["tests"].get(t, {"seconds": 10})["seconds"] for t in tests}
    for build in builds:
        made = build.compile(one[0], text, folder)
        build.link_library(made, folder)
        tests = [t for t in tests if os.environ.get("TESTS", "") in t]
        for contract in (False, True):
            left = BUDGET
            for test in [t for t in tests if t.endswith(".py") == contract]:
                if left <= 0:
                    break
                start, tried = time.monotonic(), tried + 1
                passed = build.test(test, folder, 30 + 10 * usual[test])
                left -= time.monotonic() - start
                if not passed and passes_unbroken(build, test):
                    return "killed", f"{build.variant} {test}{' (hangs)' if passed is None else ''}"
    return "survived", f"{tried} runs of {len(tests)} tests"


def equivalents():
    """Named mutants that change nothing that can be seen: path | line's text | new text | why."""
    rows = (ROOT / "tests/run/mutate_equivalent.txt").read_text().splitlines()
    return {tuple(x.strip() for x in r.split(" | ")[:3]): r.split(" | ")[3] for r in rows if r and not r.startswith("#")}


def main():
    HOME.mkdir(parents=True, exist_ok=True)
    copy_tree()
    known, builds = coverage(), [Build(v) for v in os.environ.get("BUILDS", "release,asan").split(",")]
    ALL_TESTS.extend(t.split("/", 2)[2] for t in builds[0].names["tests"])
    ALL_TESTS.extend(f"tests/contract/{p.name}" for p in (TREE / "tests/contract").glob("test_*.py"))
    local, folders, equal = threading.local(), iter(range(JOBS)), equivalents()

    def folder():
        if not hasattr(local, "folder"):
            local.folder = HOME / f"worker{next(folders)}"
            local.folder.mkdir(exist_ok=True)
        return local.folder
    chosen, same = [], 0
    with ThreadPoolExecutor(JOBS) as pool:
        if sys.argv[1:]:
            for a in sys.argv[1:]:
                name, line, new = a.split(":", 2)
                text = (TREE / name).read_text().split("\n")[int(line) - 1]
                chosen.append((name, int(line), len(text) - len(text.lstrip()), text.lstrip(), new))
        for k, room in enumerate([] if sys.argv[1:] else ROOMS):
            want, drawn = (N + len(ROOMS) - 1 - k) // len(ROOMS), draw(room)
            while want > 0:
                batch = [one for one, _ in zip(drawn, range(want))]
                for one, differs in zip(batch, pool.map(lambda one: changed(builds[0], one, folder()), batch)):
                    same += differs is False
                    chosen += [one] if differs else []
                    want -= 1 if differs else 0
                if not batch:
                    break
        # rooms in turn, so that half a run tells of all
        each = [[one for one in chosen if one[0].startswith(room + "/")] for room in ROOMS]
        chosen = chosen if sys.argv[1:] else [row[k] for k in range(N) for row in each if k < len(row)]
        score, start = {}, time.monotonic()

        def one_trial(one):
            was = (TREE / one[0]).read_text().split("\n")[one[1] - 1]
            now = mutate((TREE / one[0]).read_text(), one).split("\n")[one[1] - 1]
            why = equal.get((one[0], was.strip(), now.strip()))
            began = time.monotonic()
            outcome, by = ("equivalent", why) if why else trial(builds, known, one, folder())
            print(f"{time.monotonic() - began:6.1f} s  {outcome:10}  {one[0]}:{one[1]}:{one[2]}  `{was.strip()}` -> `{now.strip()}`  {by}", flush=True)
            room = next((r for r in ("api/codec", "core", "api", "daemon") if one[0].startswith(r + "/")), "")
            with passing_lock:
                score.setdefault(room, {}).setdefault(outcome, []).append((one[0], one[1], was.strip(), now.strip(), by))
        list(pool.map(one_trial, chosen))
    report(score, same, time.monotonic() - start)


def report(score, same, seconds):
    total = {}
    print()
    for room in sorted(score):
        row = {k: len(v) for k, v in score[room].items()}
        for k, v in row.items():
            total[k] = total.get(k, 0) + v
        alive = row.get("survived", 0) + row.get("never run", 0)
        print(f"{room:15} {100 * row.get('killed', 0) / max(1, row.get('killed', 0) + alive):5.1f} %  {row}")
    print()
    for room in sorted(score):
        for outcome in ("never run", "survived"):
            for path, line, was, now, by in sorted(score[room].get(outcome, [])):
                print(f"{path}:{line} ({outcome}) `{was}` -> `{now}` {by}")
    print(f"{total.get('killed', 0)} killed, {total.get('survived', 0)} survived, {total.get('never run', 0)} never run, "
          f"{total.get('equivalent', 0)} equivalent, {same} without a change of the object, {seconds:.0f} s")


if __name__ == "__main__":
    main()
