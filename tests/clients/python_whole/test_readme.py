# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_readme.py - the blocks of clients/python/README.md run, one after the other, as they are printed.
import re

import pytest
from conftest import ROOT, contract


def test_the_readme_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORQUED", contract.TORQUED)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "clients/python/README.md").read_text(), re.S | re.M)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, "clients/python/README.md", "exec"), names)
    said = capsys.readouterr().out
    assert names["tau"].shape == (1001, 6) and names["frame"].shape[0] == 101 and names["place"] == "q[3, 1]"
    assert "q[3, 1] = nan" in said and "completed" in said and "(20, 7)" in said
    assert names["result"].verdict == "usable"
    assert {p.name for p in tmp_path.iterdir()} == {"run.png", "report.html", "calibrated.urdf", "moon.xml"} and names["state"].step == 10
