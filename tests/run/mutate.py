#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/run/mutate.py - breaks one line at a time and checks whether a test fails: the mutation score.
"""mutate.py [PATH:LINE:NEW_TEXT ...]; SEED=1 N=150 ROOM=core,api/codec,api,daemon BUDGET=60[,60] JOBS=2 BUILDS=release,asan
MAP=new|keep|none SLOW=1200 MINUTES=1000 MORE=system,cluster TESTS=regular_expression RESULTS=build/mutate/results.jsonl AGAIN=survived

Works in a copy of the tree, build/mutate/tree (mutate_tree.py). A mutant lives until a test fails, dies or hangs: first C
tests, then contract tests, both in release, then again under AddressSanitizer with leaks counted. A line's tests come in the order
of how near they reach, or with a map (MAP) of how much of its surroundings they run for a second; BUDGET seconds of processor are
spent in each of the four rounds, in those of contract tests what follows a comma. The same seed draws the same mutants of a room in
the same order: after MINUTES no more are begun, and the score is of those. What is decided is appended to RESULTS, and not tried
again while its line is the same: a run that ended goes on. AGAIN names the outcome that is tried again, for a larger BUDGET or
with more tests; MORE folders of Python tests come after the contract tests.
"""
import difflib
import json
import os
import pathlib
import random
import re
import resource
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from mutate_tree import HOME, JOBS, ROOT, TREE, Build, copy_tree, coverage, names_of, reach, relevance

SEED, N = os.environ.get("SEED", "1"), int(os.environ.get("N", "150"))
ROOMS = os.environ.get("ROOM", "core,api/codec,api,daemon").split(",")
# of C tests, and of contract tests
BUDGETS = [float(b) for b in os.environ.get("BUDGET", "60").split(",")]
BUDGET = max(BUDGETS)
MINUTES, AGAIN = float(os.environ.get("MINUTES", "1000")), os.environ.get("AGAIN", "")
RESULTS = pathlib.Path(os.environ.get("RESULTS", HOME / "results.jsonl"))


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
    # a < b ? a : b is the same with <=
    least = [k.start(2) for k in re.finditer(r"(\S+)( [<>]=? )(\S+) \? (?:\([\w ]+\))?(?:\1 : (?:\([\w ]+\))?\3|\3 : (?:\([\w ]+\))?\1)(?![\w.(\[-])", m)]
    found = [f for f in found if f[0] not in least]
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


def room_of(name):
    """The most particular of ROOMS that a source is in."""
    return max((room for room in ROOMS if name.startswith(room + "/")), key=len, default="")


def draw(room):
    """All (path, line, column, old, new) of a room, the same ones for the same seed and sources."""
    chance = random.Random(f"{SEED}:{room}")
    places = []
    for path in sorted(TREE.joinpath(room.split("/")[0]).rglob("*.c")):
        name, text = str(path.relative_to(TREE)), path.read_text()
        if path.name == "openapi_json.c" or room_of(name) != room:
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
    """Test names, those first that are named like the source, then by how much they run around the line for a second; or, of
    tests that the map does not have, by how near they reach. An empty list if nothing runs it."""
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
    stem, rank, told = pathlib.Path(name).stem, {}, relevance(name, TEXTS)
    for t in ALL_TESTS:
        far, shared = reached.get(t, {}).get(name), os.path.commonprefix([f"{name}/", t.split("/", 2)[-1]]).count("/")
        if known["tests"].get(t, {}).get("lines"):
            if at in ran[t]:
                rank[t] = (0, known["tests"][t]["seconds"] / (1 + len(ran[t].intersection(range(at - 30, at + 31)))))
        elif far is not None:
            rank[t] = (1, far - 2 * shared, len(reached[t]))
        elif t.endswith(".py"):
            rank[t] = (2 if t.startswith("tests/contract/") else 3, -told.get(t, 0.0))
    own = {t: f"test_{stem}." in t + "." or pathlib.Path(t).stem.removeprefix("test_") in stem for t in rank}
    return sorted(rank, key=lambda t: (not own[t], rank[t]))


# -- mutants -----------------------------------------------------------------------------------------------------

ALL_TESTS, TEXTS, reached, usual, lock = [], {}, {}, {}, threading.Lock()


def run_by(name, test):
    """The command that runs a test of a source: the PostgreSQL engine and a cluster are tested beside a server."""
    beside = name.startswith("daemon/store/postgresql/") and test.startswith("tests/unit/daemon/store/")
    return ("env", "POSTGRES_DURABLE=1", "tests/run/postgres.sh") if test.startswith("tests/cluster/") else ("tests/run/postgres.sh",) if beside else ()


def cost(build, test, by, seconds=None):
    """Seconds of processor of a test that passes, as last measured or kept here; None: not known, infinite: more than BUDGET, or
    it fails on the unbroken tree."""
    key, kept = " ".join([build.variant, *by, test]), HOME / "seconds.json"
    with lock:
        if not usual and kept.exists():
            # what fails unbroken may have been too long for the budget of that run
            usual.update({k: v for k, v in json.loads(kept.read_text()).items() if v is not False and (v != float("inf") or BUDGET <= 60)})
        if seconds is not None:
            usual[key] = seconds
            kept.write_text(json.dumps(usual))
        return usual.get(key)


def is_killed(build, test, made, folder, by):
    """(True where a test notices, how): it passes on the unbroken tree with the same limits. (None, "") where it cannot say."""
    takes, before = cost(build, test, by), spent()
    # the clock's limit is for what sleeps: a loop without end takes processor
    limits = (120 + 30 * (takes or 20), int(10 + 5 * takes if takes else BUDGET + 5))
    passed = build.test(test, made, folder, *limits, by=by)
    if passed:
        cost(build, test, by, spent() - before)
        return False, ""
    sure = f"sure {build.variant} {test}"
    if sure not in usual:
        before = spent()
        usual[sure] = build.test(test, {}, build.plain, *limits, by=by) is True
        cost(build, test, by, spent() - before if usual[sure] else float("inf"))
    return (True, " (hangs)" if passed is None else "") if usual[sure] else (None, "")


def mutate(text, one):
    _, line, column, old, new = one
    lines = text.split("\n")
    was = lines[line - 1]
    assert was[column:column + len(old)] == old, (one, was)
    lines[line - 1] = was[:column] + new + was[column + len(old):]
    return "\n".join(lines)


def spent():
    """Seconds of processor that tests have taken: those of the clock go by who else is at work."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / JOBS


def trial(builds, made, known, one, folder):
    """(outcome, by what) of one mutant; made: its objects in the first build."""
    text, tests, tried = mutate((TREE / one[0]).read_text(), one), tests_of(known, one[0], one[1]), 0
    if not tests:
        return "never run", ""
    tests = [t for t in tests if re.search(os.environ.get("TESTS", ""), t)]
    for k, build in enumerate(builds):
        made = build.compile(one[0], text, folder) if k else made
        for contract in (False, True):
            left = BUDGETS[-1 if contract else 0]
            for test in [t for t in tests if t.endswith(".py") == contract]:
                by = run_by(one[0], test)
                if left <= 0:
                    break
                if (cost(build, test, by) or 0) > left:
                    continue
                before, tried = spent(), tried + 1
                noticed, how = is_killed(build, test, made, folder, by)
                if noticed:
                    return "killed", f"{build.variant} {test}{how}"
                left -= spent() - before
    return "survived", f"{tried} runs of {len(tests)} tests"


def equivalents():
    """Named mutants that change nothing that can be seen: path | line's text | new text | why. A text that a file has twice
    has the line before it in front."""
    rows = (ROOT / "tests/run/mutate_equivalent.txt").read_text().splitlines()
    return {tuple(x.strip() for x in r.split(" | ")[:3]): r.split(" | ")[3] for r in rows if r and not r.startswith("#")}


class Builds:
    """The variants, each built when a mutant first needs it: most are killed in the first."""

    def __init__(self, variants):
        self.variants, self.built, self.lock = variants, {}, threading.Lock()

    def __getitem__(self, k):
        if k >= len(self.variants):
            raise IndexError
        with self.lock:
            if k not in self.built:
                self.built[k] = Build(self.variants[k])
            return self.built[k]


class Draw:
    """Mutants of all rooms in turn, so that half a run covers all."""

    def __init__(self):
        self.lock, self.end, self.turn = threading.Lock(), time.monotonic() + 60 * MINUTES, 0
        self.left = {room: (N + len(ROOMS) - 1 - k) // len(ROOMS) for k, room in enumerate(ROOMS)}
        self.drawn = {room: draw(room) for room in ROOMS}

    def take(self):
        with self.lock:
            for _ in ROOMS:
                room = ROOMS[self.turn % len(ROOMS)]
                self.turn += 1
                one = next(self.drawn[room], None) if self.left[room] > 0 and time.monotonic() < self.end else None
                if one is not None:
                    self.left[room] -= 1
                    return room, one
        return None, None

    def give_back(self, room):
        with self.lock:
            self.left[room] += 1


def named(argument):
    name, line, new = argument.split(":", 2)
    text = (TREE / name).read_text().split("\n")[int(line) - 1]
    return name, int(line), len(text) - len(text.lstrip()), text.lstrip(), new


def main():
    HOME.mkdir(parents=True, exist_ok=True)
    copy_tree()
    builds = Builds(os.environ.get("BUILDS", "release,asan").split(","))
    known = coverage(builds[0])
    ALL_TESTS.extend(names_of(builds[0]))
    TEXTS.update({t: (TREE / t).read_text() for t in ALL_TESTS if t.endswith(".py")})
    reached.update(reach(builds[0]))
    equal, score, same, start = equivalents(), {}, [], time.monotonic()

    decided = {tuple(r["mutant"]): r for r in map(json.loads, RESULTS.read_text().splitlines())} if RESULTS.exists() else {}

    def one_trial(room, one, made, folder, was, now):
        before = (TREE / one[0]).read_text().split("\n")[one[1] - 2]
        why = equal.get((one[0], was, now)) or equal.get((one[0], f"{before.strip()} {was}", now))
        began = time.monotonic()
        outcome, by = ("equivalent", why) if why else trial(builds, made, known, one, folder)
        print(f"{time.monotonic() - began:6.1f} s  {outcome:10}  {one[0]}:{one[1]}:{one[2]}  `{was}` -> `{now}`  {by}", flush=True)
        return outcome, by

    drawn, arguments = Draw(), iter([named(a) for a in sys.argv[1:]])

    def work(k):
        folder = HOME / f"worker{k}"
        folder.mkdir(exist_ok=True)
        while True:
            room, one = drawn.take() if not sys.argv[1:] else ("named", next(arguments, None))
            if one is None:
                return
            text = (TREE / one[0]).read_text()
            was, now = (t.split("\n")[one[1] - 1].strip() for t in (text, mutate(text, one)))
            known_as = decided.get((one[0], was, now), {"outcome": AGAIN})
            if known_as["outcome"] != AGAIN and not sys.argv[1:]:
                outcome, by = known_as["outcome"], known_as["by"]
            else:
                made = builds[0].compile(one[0], mutate(text, one), folder)
                outcome, by = ("does not compile", "") if made is None else ("same object", "") if not builds[0].differs(made, folder) else \
                    one_trial(room, one, made, folder, was, now)
                with lock, RESULTS.open("a") as file:
                    file.write(json.dumps({"mutant": (one[0], was, now), "outcome": outcome, "by": by, "room": room}) + "\n")
            if outcome in ("does not compile", "same object"):
                same.extend([one] if outcome == "same object" else [])
                drawn.give_back(room) if not sys.argv[1:] else print(f"no other object: {one}", flush=True)
            else:
                with lock:
                    score.setdefault(room, {}).setdefault(outcome, []).append((one[0], one[1], was, now, by))
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(work, range(JOBS)))
    report(score, len(same), time.monotonic() - start)


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
