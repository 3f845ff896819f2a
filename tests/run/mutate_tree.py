# SPDX-License-Identifier: Apache-2.0
# tests/run/mutate_tree.py - the copy of the tree that mutants live in: its builds, and which test runs which line.
"""All of core, api and daemon is one shared library here, so that a mutant costs one object and one link, whatever tests it
then meets. Variants: release, asan, and debug with gcov for the map."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "mutate"
TREE = HOME / "tree"
PYTHON = ROOT / "build" / "venv" / "bin" / "python"
JOBS = int(os.environ.get("JOBS", "2"))
FLAGS = {"release": "-fPIC -g0 -O1", "asan": "-fPIC -g0", "debug": "-fPIC -g0 -O1 --coverage"}
RULES = """
mutate-objects: $(core_obj) $(api_obj) $(daemon_obj) $(out)/daemon/main.o $(support_lib) $(test_bin:=.o) $(out)/torquectl build/torquectl
mutate-names:
	@echo 'objects $(core_obj) $(api_obj) $(daemon_obj)'
	@echo 'tests $(test_bin)'
	@echo 'link $(CC) $(cflags_$(VARIANT)) $(ldflags)'
	@echo 'libraries $(link_libs)'
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
        (HOME / "rules.mk").write_text(RULES)
        make = ["make", "-s", f"-j{JOBS}", "-f", "Makefile", "-f", str(HOME / "rules.mk"), f"VARIANT={variant}", f"EXTRA_CFLAGS={FLAGS[variant]}"]
        env = {"LDFLAGS": "--coverage"} if variant == "debug" else {}
        names = must(make + ["mutate-names"], **env)
        self.names = {k: v.split() for k, _, v in (line.partition(" ") for line in names.splitlines())}
        must(make + ["mutate-objects"], **env)
        self.names["libraries"] = [x for x in self.names["libraries"] if "libtorqued" not in x]
        self.plain = self.out / "mutate"
        self.plain.mkdir(exist_ok=True)
        self.link_library({}, self.plain)
        support = f"build/{variant}/libtest_support.a"
        jobs = [(t, [t + ".o", support], ["-lcriterion"]) for t in self.names["tests"]]
        jobs.append((f"build/{variant}/torqued", [f"build/{variant}/daemon/main.o"], []))
        late = [j for j in jobs if not (TREE / j[0]).exists() or
                any((TREE / o).stat().st_mtime > (TREE / j[0]).stat().st_mtime for o in j[1])]
        # leaks are counted without another compilation
        leaks = ["-fsanitize=leak"] if variant == "release" else []
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

    def test(self, test, library, limit):
        """True if it passes against the library in this folder, False, or None where it hangs."""
        env = {"LD_LIBRARY_PATH": str(library), "TMPDIR": str(library)}
        if test.endswith(".py"):
            status = run([str(PYTHON), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test], limit, TORQUED=str(self.out / "torqued"), **env)[0]
        else:
            status, out = run([f"build/{self.variant}/{test}", "--jobs", "1", "--fail-fast", "--timeout", str(int(limit))], limit, **env)
            # Criterion has counted a test before its process ends: a leak that is found then is in the output alone
            status = 1 if status == 0 and "SUMMARY: " in out and "Sanitizer" in out else status
        return None if status is None else status == 0


# -- which test runs which line ----------------------------------------------------------------------------------

def cover(build, test, counts):
    """{"seconds", "lines": {source: numbers}} of one test program or file of contract tests."""
    start = time.monotonic()
    env = {"GCOV_PREFIX": str(counts), "LD_LIBRARY_PATH": str(build.plain), "TMPDIR": str(counts.parent)}
    run(["rm", "-rf", str(counts)])
    if test.endswith(".py"):
        passed = run([str(PYTHON), "-m", "pytest", "-q", "-p", "no:cacheprovider", test], 1200, TORQUED=str(build.out / "torqued"), **env)[0] == 0
    else:
        passed = run([f"build/debug/{test}", "--jobs", "1", "--timeout", "900"], 1200, **env)[0] == 0
    seconds, lines = time.monotonic() - start, {}
    inside = counts / str(TREE).lstrip("/") / "build/debug"
    data = [p for room in ("core", "api", "daemon") for p in (inside / room).rglob("*.gcda")]
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


def coverage():
    kept = HOME / "coverage.json"
    if kept.exists() and os.environ.get("MAP", "keep") == "keep":
        return json.loads(kept.read_text())
    sources = {str(p.relative_to(TREE)): p.read_text().split("\n") for r in ("core", "api", "daemon") for p in (TREE / r).rglob("*.c")}
    build, local = Build("debug"), threading.local()
    names = [t.removeprefix("build/debug/") for t in build.names["tests"]] + sorted(f"tests/contract/{p.name}" for p in (TREE / "tests/contract").glob("test_*.py"))
    folders = iter(range(JOBS))

    def one(test):
        if not hasattr(local, "folder"):
            local.folder = HOME / f"counts{next(folders)}"
            local.folder.mkdir(exist_ok=True)
        return cover(build, test, local.folder / "gcda")
    with ThreadPoolExecutor(JOBS) as pool:
        tests = dict(zip(names, pool.map(one, names)))
    kept.write_text(json.dumps({"tests": tests, "sources": sources}))
    return {"tests": tests, "sources": sources}
