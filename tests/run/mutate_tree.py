# SPDX-License-Identifier: Apache-2.0
# tests/run/mutate_tree.py - the copy of the tree that mutants live in: its builds, and which test runs which line.
"""All of core, api and daemon is one shared library here, so that a mutant costs one object and one link, whatever tests it
then meets. Variants: release, asan, and of the library alone debug with gcov, for the map: release's programs run it."""
import json
import os
import pathlib
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
JOBS, SLOW = int(os.environ.get("JOBS", "2")), float(os.environ.get("SLOW", "1200"))
FLAGS = {"release": "-fPIC -g0 -O1", "asan": "-fPIC -g0", "debug": "-fPIC -g0 -O1 --coverage"}
RULES = """
mutate-objects: $(core_obj) $(api_obj) $(daemon_obj) $(out)/daemon/main.o $(support_lib) $(test_bin:=.o) $(out)/torquectl
	@ln -sf $(config)/torquectl build/torquectl
mutate-library: $(core_obj) $(api_obj) $(daemon_obj)
mutate-names:
	@echo 'objects $(core_obj) $(api_obj) $(daemon_obj)'
	@echo 'tests $(test_bin)'
	@echo 'link $(CC) $(cflags_$(VARIANT)) $(ldflags)'
	@echo 'libraries $(link_libs) $(link_pq)'
	@echo 'compile $(CC) $(flags)'
	@echo 'kernels $(kernel_builds)'
	@$(foreach b,$(kernel_builds),echo 'lanes_$(b) $(lanes_$(b)) -falign-functions=64';)
"""
LIMITS = ("LSAN_OPTIONS", "suppressions=tests/support/lsan.supp:print_suppressions=0"), ("OPENBLAS_NUM_THREADS", "1"), \
    ("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:hard_rss_limit_mb=6000"), ("LC_ALL", "C.UTF-8"), \
    ("PYTHONDONTWRITEBYTECODE", "1"), ("PATH", "/usr/lib/ccache:" + os.environ["PATH"])


# -- building ----------------------------------------------------------------------------------------------------

def run(argv, timeout=600, **env):
    """Status and output of a command in the copy; its whole process group ends with it. None: it hung."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
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
    status, out = run(argv, timeout=3600, **env)
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
    """One variant: its objects, the library of all of them, test programs and daemon linked against that."""

    def __init__(self, variant):
        self.variant, self.out = variant, TREE / "build" / variant
        rules = HOME / f"{variant}.mk"
        rules.write_text(RULES)
        make = ["make", "-s", f"-j{JOBS}", "-f", "Makefile", "-f", str(rules), f"VARIANT={variant}", f"EXTRA_CFLAGS={FLAGS[variant]}"]
        env = {"LDFLAGS": "--coverage"} if variant == "debug" else {}
        names = must(make + ["mutate-names"], **env)
        self.names = {k: v.split() for k, _, v in (line.partition(" ") for line in names.splitlines())}
        must(make + ["mutate-library" if variant == "debug" else "mutate-objects"], **env)
        self.names["libraries"] = [x for x in self.names["libraries"] if "libtorqued" not in x]
        self.plain = self.out / "mutate"
        self.plain.mkdir(exist_ok=True)
        self.link_library({}, self.plain)
        if variant != "debug":
            self.link_programs()

    def link_programs(self):
        support = f"build/{self.variant}/libtest_support.a"
        jobs = [(t, [t + ".o", support], ["-lcriterion"]) for t in self.names["tests"]]
        jobs.append((f"build/{self.variant}/torqued", [f"build/{self.variant}/daemon/main.o"], []))
        late = [j for j in jobs if not (TREE / j[0]).exists() or
                any((TREE / o).stat().st_mtime > (TREE / j[0]).stat().st_mtime for o in j[1])]
        # leaks are counted without another compilation
        leaks = ["-fsanitize=leak"] if self.variant == "release" else []
        with ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(lambda j: must(self.names["link"] + leaks + ["-fuse-ld=gold", "-o", j[0], *j[1], f"-L{self.plain}", "-ltorqued", *j[2],
                                                               *self.names["libraries"]]), late))

    def link_library(self, instead, folder):
        # -pie comes with the flags of programs
        flags = [f for f in self.names["link"] if f != "-pie"]
        objects = [instead.get(o, o) for o in self.names["objects"]]
        return must(flags + ["-shared", "-fuse-ld=gold", "-o", str(folder / "libtorqued.so"), *objects, *self.names["libraries"]])

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
            if run(quiet + flags + ["-w", f"-ffile-prefix-map={folder}/=", "-c", str(source), "-o", str(out)])[0] != 0:
                return None
            made[stem + suffix + ".o"] = str(out)
        return made

    def test(self, test, library, limit, **env):
        """True if it passes against the library in this folder, False, or None where it hangs."""
        env = {"LD_LIBRARY_PATH": str(library), "TMPDIR": str(library), **env}
        if test.endswith(".py"):
            status = run([str(PYTHON), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test], limit, TORQUED=str(self.out / "torqued"), **env)[0]
        else:
            status, out = run([f"build/{self.variant}/{test}", "--jobs", "1", "--fail-fast", "--timeout", str(int(limit))], limit, **env)
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


def cover(programs, library, test, counts):
    """{"seconds", "lines": {source: numbers}} of one test program or file of contract tests; no lines of one that takes
    longer than SLOW seconds."""
    start = time.monotonic()
    run(["rm", "-rf", str(counts)])
    passed = programs.test(test, library.plain, SLOW, TMPDIR=str(counts.parent), GCOV_PREFIX=str(counts))
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
    return sorted(f"tests/contract/{p.name}" for p in (TREE / "tests/contract").glob("test_*.py")) + \
        [t.removeprefix("build/release/") for t in programs.names["tests"]]


def coverage(programs):
    """The map, kept after each test: {"sources", "tests": {name: what cover returned}}. MAP=none: what there is of it."""
    kept, way, local = HOME / "coverage.json", os.environ.get("MAP", "keep"), threading.local()
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
        row = cover(programs, library, test, local.folder / "gcda")
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
