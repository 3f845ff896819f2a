# SPDX-License-Identifier: Apache-2.0
# tests/run/mutate_tree.py - the copy of the tree that mutants live in: its builds, and which test runs which line.
"""A variant is built here as everywhere. A mutant is one object more: it comes before the archives that hold the object which
it replaces, so that a linker never takes that one, and one test program, or the daemon, is linked at a time, without debug
information. Variants: release, with leaks counted by the linker's choice of library alone; asan; and debug with gcov, for the map."""
import json
import math
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "mutate"
TREE = HOME / "tree"
PYTHON = ROOT / "build" / "venv" / "bin" / "python"
MORE = [f for f in os.environ.get("MORE", "").split(",") if f]
JOBS, SLOW = int(os.environ.get("JOBS", "2")), float(os.environ.get("SLOW", "1200"))
EXTRA = {"debug": ["EXTRA_CFLAGS=-g0 -O1 --coverage"]}
RULES = """
mutate-archives: $(libs)
mutate-objects: $(libs) $(support_lib) $(test_bin:=.o) $(out)/daemon/main.o $(out)/torquectl $(out)/torqued $(tqc_so) $(out)/tqc_drive links
mutate-names:
	@echo 'archives $(daemon_lib) $(api_lib) $(core_lib)'
	@echo 'objects $(core_obj) $(api_obj) $(daemon_obj)'
	@echo 'tests $(test_bin)'
	@echo 'link $(CC) $(cflags_$(VARIANT)) $(ldflags)'
	@echo 'libraries $(link_libs) $(link_pq)'
	@echo 'compile $(CC) $(flags)'
	@echo 'kernels $(kernel_builds)'
	@$(foreach b,$(kernel_builds),echo 'lanes_$(b) $(lanes_$(b)) -falign-functions=64';)
"""
LIMITS = ("LSAN_OPTIONS", "suppressions=tests/support/lsan.supp:print_suppressions=0"), ("OPENBLAS_NUM_THREADS", "1"), \
    ("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:hard_rss_limit_mb=6000"), \
    ("PYTHONDONTWRITEBYTECODE", "1"), ("PATH", "/usr/lib/ccache:" + os.environ["PATH"])


# -- building ----------------------------------------------------------------------------------------------------

def run(argv, timeout=600, cpu=None, **env):
    """Status and output of a command in the copy; its whole process group ends with it. None: it hung, or one of its processes
    took more than cpu seconds of processor."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    p = subprocess.Popen(argv, cwd=TREE, env={**os.environ, **dict(LIMITS), **env}, stdin=subprocess.DEVNULL, preexec_fn=limits,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out, status = p.communicate(timeout=timeout)[0], p.returncode
    except subprocess.TimeoutExpired:
        out, status = b"", None
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    p.wait()
    return status, out.decode(errors="replace")


def must(argv, **env):
    status, out = run(argv, timeout=7200, **env)
    if status != 0:
        sys.exit(f"{' '.join(argv)[:200]}\n{out[-3000:]}")
    return out


def copy_tree():
    wanted = {f for f in subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                                 text=True).split("\0") if f and (ROOT / f).is_file()}
    for name in wanted:
        old, new = TREE / name, (ROOT / name).read_bytes()
        if not old.exists() or old.read_bytes() != new:
            old.parent.mkdir(parents=True, exist_ok=True)
            old.write_bytes(new)
            old.chmod((ROOT / name).stat().st_mode)
    for old in [p for top in ("core", "api", "daemon", "tests") for p in (TREE / top).rglob("*.[ch]")]:
        if str(old.relative_to(TREE)) not in wanted:
            old.unlink()


class Build:
    """One variant: its archives and the objects of its test programs."""

    def __init__(self, variant):
        self.variant, self.out = variant, TREE / "build" / variant
        rules = HOME / f"{variant}.mk"
        rules.write_text(RULES)
        make = ["make", "-s", f"-j{JOBS}", "-f", "Makefile", "-f", str(rules), f"VARIANT={variant}", "WERROR=1", *EXTRA.get(variant, [])]
        env = {"LDFLAGS": "--coverage"} if variant == "debug" else {}
        names = must(make + ["mutate-names"], **env)
        self.names = {k: v.split() for k, _, v in (line.partition(" ") for line in names.splitlines())}
        must(make + ["mutate-archives" if variant == "debug" else "mutate-objects"], **env)
        self.plain = self.out / "mutate"
        self.plain.mkdir(exist_ok=True)

    def program(self, test, made, folder):
        """Links a test program, or for a file of Python tests the daemon, with mutated objects in place of the archives' own."""
        release, folder = f"build/{'release' if self.variant == 'debug' else self.variant}", folder / self.variant
        folder.mkdir(exist_ok=True)
        if test.endswith(".py"):
            main = f"{release}/daemon/main.o"
            out, own, libraries = folder / "torqued", [] if main in made else [main], []
            for beside in [b for b in self.out.iterdir() if b.name in ("torquectl", "tqc_drive") or b.name.startswith("libtqc.so")]:
                (folder / beside.name).exists() or (folder / beside.name).symlink_to(beside)  # where tests look for them
        else:
            out, own, libraries = folder / pathlib.Path(test).name, [f"{release}/{test}.o"], ["-rdynamic", "-lcriterion"]
            made = {**made, "": f"{release}/libtest_support.a"}
        # the daemon confines itself, which only a build for sanitizers leaves them room for
        leaks = ["-fsanitize=leak"] if self.variant == "release" and not test.endswith(".py") else []
        must(self.names["link"] + leaks + ["-fuse-ld=gold", "-Wl,--strip-debug", "-o", str(out), *own, *made.values(),
                                           *self.names["archives"], *libraries, *self.names["libraries"]])
        return out

    def compile(self, name, text, folder):
        """{object: mutated object} of a source, or None if it does not compile."""
        source = folder / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        stem, made = f"build/{self.variant}/{name[:-2]}", {}
        kinds = [(f".{b}", self.names[f"lanes_{b}"]) for b in self.names["kernels"]] if name.startswith("core/kernels/") else [("", [])]
        for suffix, flags in kinds:
            out = folder / f"{name[:-2]}{suffix}.{self.variant}.o".replace("/", "_")
            quiet = [f for f in self.names["compile"] if not f.startswith("-W")]
            if run(quiet + flags + ["-w", "-g0", f"-ffile-prefix-map={folder}/=", "-c", str(source), "-o", str(out)],
                   CCACHE_DISABLE="1")[0] != 0:
                return None
            made[stem + suffix + ".o"] = str(out)
        return made

    def differs(self, made, folder):
        """Whether one of the objects has other code or data than the one of the build."""
        def code(path):
            out = folder / "stripped.o"
            must(["objcopy", "--strip-debug", "-R", ".comment", path, str(out)])
            return out.read_bytes()
        return any(code(old) != code(new) for old, new in made.items())

    def test(self, test, made, folder, limit, cpu=None, program=None, by=(), **env):
        """True if it passes with these objects, False, or None where it hangs. by: a command that runs the program."""
        program = program or self.program(test, made, folder)
        # of tests alone: a compiler cache takes another locale for another compiler
        env = {"TMPDIR": str(folder), "LC_ALL": "C.UTF-8", **env}
        if test.endswith(".py"):
            status = run([*by, str(PYTHON), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test], limit, TORQUED=str(program), **env)[0]
        else:
            status, out = run([*by, str(program), "--jobs", "1", "--fail-fast", "--timeout", str(int(limit))], limit, cpu, **env)
            # Criterion has counted a test before its process ends: a leak that is found then is in the output alone
            status = 1 if status == 0 and "SUMMARY: " in out and "Sanitizer" in out else status
        return None if status is None else status == 0


# -- which test runs which line ----------------------------------------------------------------------------------

def has_counts(path):
    """Whether a .gcda says that anything ran: gcov takes 10 ms an object, and most of them nothing of has run."""
    data, at = path.read_bytes(), 16
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        if tag == 0x01a10000 and length > 0:  # counters of arcs; a negative length: all of them 0
            return True
        at += 8 + max(length, 0) if tag == 0x01a10000 else 8 + length
    return False


def cover(library, test, folder):
    """{"seconds", "lines": {source: numbers}} of one test program or file of contract tests; no lines of one that takes
    longer than SLOW seconds."""
    start, counts = time.monotonic(), folder / "gcda"
    run(["rm", "-rf", str(counts)])
    passed = library.test(test, {}, folder, SLOW, GCOV_PREFIX=str(counts))
    seconds, lines = time.monotonic() - start, {}
    inside = counts / str(library.out).lstrip("/")
    data = [p for room in ("core", "api", "daemon") for p in (inside / room).rglob("*.gcda") if has_counts(p)]
    for p in data:
        note = pathlib.Path("/" + str(p.relative_to(counts))).with_suffix(".gcno")
        os.symlink(note, p.with_suffix(".gcno"))
    for k in range(0, len(data), 50):
        for one in run(["gcov", "--json-format", "--stdout", *map(str, data[k:k + 50])], 600)[1].splitlines():
            for f in json.loads(one)["files"] if one.startswith("{") else []:
                if f["file"].startswith(("core/", "api/", "daemon/")) and f["file"].endswith(".c"):
                    lines.setdefault(f["file"], set()).update(x["line_number"] for x in f["lines"] if x["count"])
    print(f"{seconds:7.1f} s  {'' if passed else 'FAILS '}{test}", flush=True)
    return {"seconds": seconds, "lines": {f: sorted(n) for f, n in lines.items()}}


def names_of(programs):
    return sorted(f"tests/{f}/{p.name}" for f in ("contract", *MORE) for p in (TREE / "tests" / f).glob("test_*.py")) + \
        [t.removeprefix("build/release/") for t in programs.names["tests"]]


def coverage(programs):
    """The map, kept after each test: {"sources", "tests": {name: what cover returned}}. MAP=none, as usual: what there is of it."""
    kept, way, local = HOME / "coverage.json", os.environ.get("MAP", "none"), threading.local()
    known = json.loads(kept.read_text()) if kept.exists() and way != "new" else {}
    known.setdefault("tests", {})
    known.setdefault("sources", {str(p.relative_to(TREE)): p.read_text().split("\n") for r in ("core", "api", "daemon") for p in (TREE / r).rglob("*.c")})
    names = [t for t in names_of(programs) if t not in known["tests"] and os.environ.get("TESTS", "") in t]
    if way == "none" or not names:
        return known
    library, folders, lock = Build("debug"), iter(range(JOBS)), threading.Lock()

    def one(test):
        if not hasattr(local, "folder"):
            local.folder = HOME / f"counts{next(folders)}"
            local.folder.mkdir(exist_ok=True)
        row = cover(library, test, local.folder)
        with lock:
            known["tests"][test] = row
            (HOME / "coverage.new").write_text(json.dumps(known))
            (HOME / "coverage.new").rename(kept)
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(one, names))
    return known


# -- which test reaches which source, where the map does not say -------------------------------------------------

def reach(programs):
    """{test program: {source: links from object to object on the shortest way to it}}, by the symbols of objects."""
    out, support = f"build/{programs.variant}/", f"build/{programs.variant}/libtest_support.a"
    tests = [t + ".o" for t in programs.names["tests"]]
    text = must(["nm", "-A", "-P", "-g", *programs.names["objects"], *tests]) + must(["nm", "-A", "-P", "-g", support])
    needs, home = {}, {}
    for line in text.splitlines():
        place, symbol, kind = line.split()[:3]
        place = place.rstrip(":")
        if kind == "U":
            needs.setdefault(place, set()).add(symbol)
        elif kind not in "wv" and place not in tests:
            home[symbol] = place
    reached = {}
    for test in tests:
        far, ring = {test: 0}, [test]
        while ring:
            ring = [o for o in {home[s] for r in ring for s in needs.get(r, ()) if s in home} if o not in far and not far.update({o: far[ring[0]] + 1})]
        rows = {}
        for o, n in far.items():
            source = o.removeprefix(out).split(".")[0] + ".c"
            rows[source] = min(n, rows.get(source, n))
        reached[test.removeprefix(out).removesuffix(".o")] = rows
    return reached


def relevance(name, texts, kept={}):
    """{file of Python tests: how much it speaks of a source, by the words of its path}: rare words count more."""
    if not kept:
        kept.update({t: re.findall(r"[a-z0-9]{3,}", text.lower()) for t, text in texts.items()})
    words = set(re.findall(r"[a-z0-9]{3,}", name.removesuffix(".c"))) - {"core", "api", "daemon", "operations"}
    score = dict.fromkeys(kept, 0.0)
    for word in words | {w.removesuffix("s") for w in words if len(w) > 4}:
        has = {t: n for t, all_words in kept.items() if (n := all_words.count(word))}
        for t, n in has.items():
            score[t] += math.log(1 + len(kept) / len(has)) * (1 + math.log(n)) * (3 if word in t else 1)
    return score
