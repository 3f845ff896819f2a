# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/runner.py - runs a block of a page, of whichever language, in a folder of its own.
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import PATIENCE, ROOT, TORQUED

sys.path.insert(0, str(ROOT / "docs/site"))
BUILD = pathlib.Path(TORQUED).resolve().parent
ADDRESS = "127.0.0.1:8420"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")


def numbers(text):
    return [float(one) for one in NUMBER.findall(text)]


def same_numbers(found, printed):
    """Those that were printed, to their last digit."""
    want = NUMBER.findall(printed)
    got = numbers(found)
    digits = [len(one.split(".")[1]) if "." in one and "e" not in one.lower() else None for one in want]
    bounds = [0.5001 * 10 ** -count if count else 1e-6 * max(1, abs(float(one))) for one, count in zip(want, digits)]
    return len(got) == len(want) and all(abs(a - float(b)) <= bound for a, b, bound in zip(got, want, bounds))


class Runner:
    """One service and one folder for all blocks of a page."""

    def __init__(self, url, folder, preludes=None):
        self.url, self.folder, self.preludes = url, folder, preludes or {}
        (folder / "node_modules").mkdir(exist_ok=True)
        module = folder / "node_modules/torqued"
        if not module.exists():
            module.symlink_to(ROOT / "clients/javascript")
        (folder / "build").mkdir(exist_ok=True)
        for name in ("torqued", "torquectl"):
            link = folder / "build" / name
            if not link.exists():
                link.symlink_to(BUILD / name)
        self.environment = {**os.environ, "TORQUED_URL": url, "TORQUED": TORQUED, "PYTHONPATH": str(ROOT / "clients/python/src"),
                            "PATH": f"{BUILD}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "MPLBACKEND": "Agg",
                            "NODE_NO_WARNINGS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, language, code, after=""):
        """What a block prints; `after` is the test's own, in the same language."""
        code = (self.preludes.get(language, "") + code).replace(ADDRESS, self.url.removeprefix("http://")) + after
        return getattr(self, f"_{language}")(code)

    def _command(self, command, text=None):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, input=text, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def _sh(self, code):
        for tool in ("curl", "jq"):
            if shutil.which(tool) is None:
                pytest.skip(f"no {tool}")
        return self._command(["bash", "-e", "-o", "pipefail", "-c", code])

    def _python(self, code):
        pytest.importorskip("httpx")
        return self._command([sys.executable, "-c", code])

    def _js(self, code):
        if shutil.which("node") is None:
            pytest.skip("no node: make deps-clients")
        # a block that declares a name once more than another block is a module of its own
        (self.folder / "block.mjs").write_text(code)
        return self._command(["node", "block.mjs"])

    def _c(self, code):
        (self.folder / "block.c").write_text(code)
        self._command(["cc", "-std=c17", "-D_GNU_SOURCE", "-I", str(ROOT / "clients/c"), "block.c", str(BUILD / "libtqc.a"), "-lcurl", "-o", "block"])
        return self._command(["./block"])
