# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_controllers_page.py - docs/controllers.md: the block of code prints the text below it; the table names every kind.
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import PATIENCE, ROOT

sys.path.insert(0, str(ROOT / "docs/site"))
import blocks  # noqa: E402

TEXT = (ROOT / "docs/controllers.md").read_text()
BLOCKS = blocks.blocks(TEXT)


def test_the_block_prints_what_the_page_says(daemon):
    if shutil.which("jq") is None:
        pytest.skip("no jq (make deps-check)")
    code = next(code for _, title, code in BLOCKS if title == "curl").replace("http://127.0.0.1:8420", daemon.url)
    done = subprocess.run(["bash", "-e", "-c", code], env=os.environ, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", next(code for language, _, code in BLOCKS if language == "text"))


def test_every_kind_has_a_row():
    schemas = yaml.safe_load((ROOT / "api/openapi/openapi.yaml").read_text())["components"]["schemas"]
    kinds = [kind for name in ("Controller", "ConstrainedController", "OperationalController") for kind in schemas[name]["properties"]["kind"]["enum"]]
    rows = [line.split("|")[1] for line in TEXT.split("\n") if line.startswith("| `")]
    assert len(kinds) == 9 and all(any(f"`{kind}`" in row for row in rows) for kind in kinds)
