# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_notebooks.py - the notebooks of clients/python/notebooks run from the first cell to the last.
import pathlib

import pytest
import torqued
from conftest import ROOT, contract

FOLDER = ROOT / "clients" / "python" / "notebooks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.ipynb")))
def test_it_runs(name, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="no nbformat (make deps-clients)")
    nbclient = pytest.importorskip("nbclient", reason="no nbclient (make deps-clients)")
    for module in ("ipykernel", "matplotlib", "pandas"):
        pytest.importorskip(module)
    monkeypatch.setenv("TORQUED", contract.TORQUED)
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(torqued.__file__).parents[1]))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    nbclient.NotebookClient(notebook, timeout=contract.PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", []) if output["output_type"] in ("execute_result", "display_data")]
    pages = "".join(str(output["data"].get("text/html", "")) for output in shown)
    pictures = sum("image/png" in output["data"] for output in shown)
    assert "<table" in pages
    if name == "calibration":
        assert "srcdoc=" in pages and "usable" in str(shown)
    if name == "simulation":
        assert "animation" in pages.lower() and len(pages) > 50_000
    assert pictures >= 1, "a figure shows itself"
