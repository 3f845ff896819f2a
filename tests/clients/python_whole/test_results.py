# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_results.py - results as tables and pictures, reports, resources of the service, the bar in a notebook.
import json
import sys
import types

import numpy as np
import pytest
import torqued
from torqued import _progress, _results


@pytest.fixture(scope="module")
def swing(client):
    return client.robot("planar-2r").simulate({"q": [0.3, 0.1]}, 1.0, {"interval_s": 0.02}, include=["energy"])


def test_pandas(swing, panda):
    pytest.importorskip("pandas")
    frame = swing.to_pandas()
    assert len(frame) == 51 and frame.columns[0] == "t" and np.array_equal(frame["q.joint2"], swing.q[:, 1])
    assert frame.attrs["units"]["q.joint2"] == "rad" and frame.attrs["units"]["t"] == "s" and frame.attrs["units"]["kinetic_energy"] == "J"
    assert list(swing.to_pandas("tau").columns) == ["tau.joint1", "tau.joint2"]
    one = panda.inverse_dynamics(np.zeros(7), np.zeros(7), np.zeros(7), include=["gravity_torque"]).to_pandas()
    assert one.shape == (1, 14) and one.attrs["units"]["tau.joint1"] == "N m"


def test_plots(swing, panda, tmp_path):
    pytest.importorskip("matplotlib")
    figure = swing.plot()
    figure.savefig(tmp_path / "all.png")
    assert figure._repr_png_().startswith(b"\x89PNG")
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert "q / rad" in labels and "kinetic_energy / J" in labels and figure.axes[-1].get_xlabel() == "t / s"
    lines = swing.plot("q").axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["joint1", "joint2"] and np.array_equal(lines[1].get_ydata(), swing.q[:, 1])
    batch = panda.inverse_dynamics(*np.zeros((3, 4, 7)), include=["energy"]).plot("tau")
    assert batch.axes[-1].get_xlabel() == "sample" and len(batch.axes[0].get_lines()) == 7
    with pytest.raises(ValueError, match="no arrays over samples"):
        panda.kinematics(np.zeros(7)).plot()


def test_outlines():
    outline = _results.outline
    assert outline(np.arange(3.0)) == "[0., 1., 2.]" and outline(np.zeros((4, 5))) == "array 4 x 5" and outline({"a": 1}) == "{a}"
    assert outline([1, 2]) == "[1, 2]" and outline([{}]) == "list of 1" and outline(None) == "None" and len(outline("x" * 200)) == 80
    assert np.array_equal(_results.tidy({"a": [[1.5, 2], [3, 4]]})["a"], [[1.5, 2], [3, 4]])
    assert _results.tidy([1.0, None]) == [1.0, None] and _results.tidy([True, False]) == [True, False] and _results.tidy([1, 2]) == [1, 2]
    assert _results.one_of("N m or N", None) == "N m or N" and _results.one_of("N m or N", True) == "N" and _results.one_of(None, True) is None


def test_a_calibration_and_its_report(client, tmp_path):
    pytest.importorskip("pandas")
    robot = client.robot("planar-2r")
    t = np.arange(2000) / 200
    w = 2 * np.pi * np.array([[0.3, 0.5, 0.9], [0.4, 0.7, 1.1]])
    a = np.array([[0.5, 0.3, 0.1], [0.4, 0.2, 0.15]])
    phase = w[None] * t[:, None, None]
    q, qd, qdd = (a * np.sin(phase)).sum(2), (a * w * np.cos(phase)).sum(2), (-a * w**2 * np.sin(phase)).sum(2)
    client.put_dataset("motion", torqued.logs.from_arrays(time=t, q=q, tau=robot.inverse_dynamics(q, qd, qdd) + 0.5 * qd))
    result = robot.calibrate(["motion"], columns={"time": 0, "q": [1, 2], "tau": [3, 4]})
    frame = result.to_pandas()
    assert len(frame) == len(result.parameters) and {"name", "value", "unit", "verdict"} <= set(frame.columns)
    # joint 1's viscous friction is what was added to what the robot has
    assert result.parameters[0]["name"] in result._repr_html_() and "<th>verdict</th>" in result._repr_html_()
    job = client.job(result.job_id)
    assert {one["name"] for one in job.attachments} >= {"robot.urdf", "report"}
    report = client.job(result.job_id).report()
    assert report.html.lstrip().lower().startswith("<!doctype html") and "srcdoc=" in report._repr_html_() and "characters" in repr(report)
    report.save(tmp_path / "report.html")
    job.attachment("robot.urdf", tmp_path / "found.urdf")
    found = client.put_robot("found", tmp_path / "found.urdf")
    assert found.nv == 2 and found.report["name"] == "found" and found.urdf().count("<joint ") >= 2
    assert job.attachment("robot.urdf") == (tmp_path / "found.urdf").read_bytes()
    client.delete_robot("found")


def test_robots_of_every_source(client, tmp_path):
    text = client.robot("pendulum").urdf()
    (tmp_path / "arm.urdf").write_text(text)
    for source in (text, text.encode(), tmp_path / "arm.urdf", str(tmp_path / "arm.urdf")):
        assert client.put_robot("mine", source).nv == 1
    link = {"mass": 1.0, "com": [-0.5, 0, 0], "inertia": np.diag([0.01, 0.1, 0.1]), "inertia_about": "com"}
    document = {"gravity": np.array([0, 0, -9.81]), "dh": {"convention": "standard", "joints": [{"name": "a", "a": 1.0, "link": link}]}}
    robot = client.put_robot("mine", document)
    link["mass"] = -1.0
    with pytest.raises(torqued.WrongInput) as caught:  # the place is in the document that was given
        client.put_robot("mine", document)
    assert caught.value.errors[0].place.startswith("dh.joints[0]")
    assert robot.joints == ["a"]
    with pytest.raises(torqued.Conflict):
        client.put_robot("mine", text, if_match="0" * 64)
    client.put_robot("mine", text, if_match=robot.digest, format="urdf")
    digest = robot.digest
    robot.refresh()
    assert robot.digest != digest and any(one["name"] == "mine" for one in client.robots())
    client.delete_robot("mine")
    with pytest.raises(TypeError, match="robot document"):
        client.put_robot("mine", {"gravity": object()})


def test_datasets(client, tmp_path):
    (tmp_path / "run.csv").write_text("t;q0\n0;0.1\n0.1;0.2\n")
    report = client.put_dataset("by-path", tmp_path / "run.csv", delimiter="semicolon", format="csv")
    assert report["rows"] == 2 and client.dataset("by-path")["delimiter"] == "semicolon"
    client.put_dataset("by-path", b"t,q0\n0,1\n", if_match=report["sha256"])
    assert client.dataset_content("by-path") == b"t,q0\n0,1\n" and client.dataset_points("by-path", 5)["points"] >= 1
    assert "by-path" in [one["name"] for one in client.datasets()]
    client.put_dataset("ints", np.arange(6, dtype=np.int32).reshape(3, 2))
    client.put_dataset("big-endian", np.arange(6, dtype=">f4").reshape(3, 2))
    assert client.dataset("ints")["statistics"][1]["max"] == 5 and client.dataset("big-endian")["statistics"][1]["max"] == 5
    (tmp_path / "run.xlsx").write_bytes(b"PK")
    with pytest.raises(torqued.LogError, match="torqued.logs.read"):
        client.put_dataset("x", tmp_path / "run.xlsx")
    for name in ("by-path", "ints", "big-endian"):
        client.delete_dataset(name)


def test_the_service(client, tmp_path):
    assert client.health()["status"] == "alive" and client.is_ready() and "torqued_" in client.metrics()
    assert client.contract()["openapi"].startswith("3.1") and "<html" in client.docs().html and client.index()["name"] == "torqued"
    slug = client.problem_types()[0]["type"]
    assert client.problem_type(slug)["meaning"] and client.version()["version"]
    client.backup(tmp_path / "backup.tar")
    assert (tmp_path / "backup.tar").read_bytes()[257:262] == b"ustar"


def test_the_bar_in_a_notebook(monkeypatch):
    """IPython's kernel, as far as the bar uses it."""
    shown = []

    class Handle:
        def update(self, page):
            shown.append(page)

    module = types.ModuleType("IPython")
    module.get_ipython = lambda: type("ZMQInteractiveShell", (), {})()
    module.display = types.ModuleType("IPython.display")
    module.display.HTML = str
    module.display.display = lambda page, display_id: shown.append(page) or Handle()
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", module.display)
    assert _progress.in_notebook()
    at = [0.0]
    bar = _progress.Bar("simulate", None, now=lambda: at[0])
    at[0] = 2.0
    bar.update({"fraction": 0.25, "step": "<run>", "eta_s": 6})
    bar.update({"fraction": 0.5, "step": "<run>", "eta_s": 4})
    bar.close()
    assert "value=0.2500" in shown[0] and "&lt;run&gt;" in shown[0] and "value=0.5000" in shown[1] and shown[2] == ""


def test_json_of_problems_survives(panda):
    with pytest.raises(torqued.WrongInput) as caught:
        panda.inverse_dynamics(np.zeros(6), np.zeros(7), np.zeros(7))
    assert json.dumps(caught.value.problem) and "Fault('q'" in repr(caught.value.errors[0])


@pytest.mark.parametrize("method, package, extra", [("to_pandas", "pandas", "pandas"), ("plot", "matplotlib", "plot")])
def test_a_package_that_is_not_installed_is_said_with_its_extra(panda, monkeypatch, method, package, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == package or name == "torqued._pictures"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.figure", None)
    answer = panda.inverse_dynamics(q=np.zeros((2, 7)))
    with pytest.raises(ImportError, match=f"needs {package}: pip install 'torqued.{extra}.'"):
        getattr(answer, method)()
