# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_torquectl_resources.py - torquectl: robots in other formats and changed, sessions step by step.
import csv
import io
import json
import os

import numpy as np
import pytest
from test_torquectl import CTL, arm, ctl, good

pytestmark = pytest.mark.skipif(not os.path.exists(CTL), reason="torquectl is not built")
HOME = "initial.q=0,-0.785,0,-2.356,0,1.571,0.785"
LOCK = {"op": "lock", "joints": {"joint7": 0.8}}


def by_http(daemon, method, path, document=None):
    status, _, text = daemon.request(method, path, None if document is None else json.dumps(document), {"Content-Type": "application/json"})
    assert status < 300, text
    return json.loads(text)


@pytest.mark.parametrize("name", ["urdf", "mjcf", "sdf"])
def test_robots_in_other_formats(daemon, tmp_path, name):
    text = daemon.request("GET", f"/v1/robots/panda?format={name}")[2]
    assert good(daemon, "robots", "get", "panda", "--format", name) == text
    good(daemon, "robots", "get", "panda", str(tmp_path / "panda.xml"), "--format", name)
    assert (tmp_path / "panda.xml").read_bytes() == text and os.listdir(tmp_path) == ["panda.xml"]
    assert ctl(daemon, "robots", "put", f"from-{name}", str(tmp_path / "panda.xml"), "--format", name).returncode == 0
    assert by_http(daemon, "GET", f"/v1/robots/from-{name}")["nv"] == 7


def test_documents_and_how_a_file_is_read(daemon, tmp_path):
    good(daemon, "robots", "get", "panda", str(tmp_path / "panda.json"))
    assert json.loads((tmp_path / "panda.json").read_text()) == json.loads(good(daemon, "robots", "get", "panda", "-o", "json", "--format", "document"))
    path = tmp_path / "free.urdf"
    path.write_bytes(arm(2))
    assert ctl(daemon, "robots", "put", "free", str(path), "--base", "floating").returncode == 0
    assert ctl(daemon, "robots", "put", "held", str(path)).returncode == 0
    assert by_http(daemon, "GET", "/v1/robots/free")["nv"] == by_http(daemon, "GET", "/v1/robots/held")["nv"] + 6
    assert f"nv {by_http(daemon, 'GET', '/v1/robots/free')['nv']}," in ctl(daemon, "robots", "check", str(path), "--base", "floating").stdout.decode()
    assert ctl(daemon, "robots", "put", "held", str(path), "--base", "hanging").returncode == 1
    assert "main=arms%2Fa%20b%26c.urdf".replace("%2F", "/") in good(daemon, "--curl", "robots", "put", "zip", str(path), "--main", "arms/a b&c.urdf").decode()
    assert ctl(daemon, "robots", "get", "panda", "--format", "dae").returncode == 1 and ctl(daemon, "id", "panda", "--as", "x").returncode == 2


def test_a_robot_is_changed(daemon, tmp_path):
    done = ctl(daemon, "robots", "change", "panda", "op=lock", "joints.joint7=0.8", "--as", "six", "-o", "json")
    assert done.returncode == 0, done.stderr
    status, _, text = daemon.request("PATCH", "/v1/robots/panda?name=six", json.dumps({"operations": [LOCK]}), {"Content-Type": "application/json"})
    assert status == 200 and json.loads(done.stdout)["digest"] == json.loads(text)["digest"] and json.loads(done.stdout)["nv"] == 6
    payload = {"op": "payload", "link": "flange", "mass": 2, "com": [0, 0, 0.1]}
    for document, words in (([LOCK, payload], ()), ({"operations": [LOCK, payload]}, ()), (LOCK, ("op=payload", "link=flange", "mass=2", "com=0,0,0.1"))):
        (tmp_path / "operations.json").write_text(json.dumps(document))
        said = ctl(daemon, "robots", "change", "panda", str(tmp_path / "operations.json"), *words, "--as", "loaded", "-o", "json")
        assert said.returncode == 0 and json.loads(said.stdout)["nv"] == 6, said.stderr
        robot = by_http(daemon, "GET", "/v1/robots/loaded")
        assert next(link["mass"] for link in robot["links"] if link["name"] == "payload") == 2
    before = by_http(daemon, "GET", "/v1/robots")
    assert ctl(daemon, "robots", "change", "six", "op=gravity", "gravity=0,0,-1.6", "--dry-run").returncode == 0
    assert by_http(daemon, "GET", "/v1/robots") == before, "nothing is stored"
    for words, status, why in ((("six",), 2, b"which change?"), (("six", "op=lock", "joints.joint99=1"), 1, b"/operations/0/joints"), (("panda", "op=gravity", "gravity=0,0,0"), 1, b"40"),
                               (("six", str(tmp_path / "none.json")), 2, b"none.json")):
        done = ctl(daemon, "robots", "change", *words)
        assert done.returncode == status and why in done.stderr.splitlines()[0], done


def test_a_session_step_by_step(daemon, tmp_path):
    id = good(daemon, "sessions", "open", "panda", HOME, "step_s=0.002", "-q").decode().strip()
    other = by_http(daemon, "POST", "/v1/sessions", {"robot": "panda", "initial": {"q": [0, -0.785, 0, -2.356, 0, 1.571, 0.785]}, "step_s": 0.002})["id"]
    assert id in good(daemon, "sessions").decode() and f"/v1/sessions/{id}" in good(daemon, "sessions", "get", id, "--curl").decode()
    tau = [0, -20.5, 0, 15, 1, 2, 0.125]
    mine = json.loads(good(daemon, "sessions", "step", id, "tau=" + ",".join(map(str, tau)), "steps=3", "-o", "json"))
    assert mine == by_http(daemon, "POST", f"/v1/sessions/{other}/step", {"tau": tau, "steps": 3})
    rows = np.random.default_rng(1).normal(0, 5, (20, 7)).tolist()
    (tmp_path / "tau.csv").write_text(",".join(f"tau_{k}" for k in range(7)) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    np.save(tmp_path / "tau.npy", np.array(rows))
    states = [by_http(daemon, "POST", f"/v1/sessions/{other}/step", {"tau": row, "steps": 2}) for row in rows]
    for file in ("tau.csv", "tau.npy"):
        assert json.loads(good(daemon, "sessions", "rewind", id, "step=3", "-o", "json"))["hash"] == mine["hash"]
        table = list(csv.DictReader(io.StringIO(good(daemon, "sessions", "step", id, str(tmp_path / file), "steps=2", "-o", "csv").decode())))
        assert [float(row["t"]) for row in table] == [state["t"] for state in states]
        assert [[float(row[f"q_{k}"]) for k in range(7)] for row in table] == [state["q"] for state in states]
    assert json.loads(good(daemon, "sessions", "get", id, "-o", "json"))["state"]["hash"] == states[-1]["hash"]
    fork = good(daemon, "sessions", "fork", id, "step=3", "--quiet").decode().strip()
    assert json.loads(good(daemon, "sessions", "get", fork, "-o", "json"))["state"]["hash"] == mine["hash"]
    for one in (id, fork):
        good(daemon, "sessions", "close", one)
    done = ctl(daemon, "sessions", "step", id, "tau=1,2,3,4,5,6,7")
    assert done.returncode == 1 and b"404" in done.stderr
    done = ctl(daemon, "sessions", "open", "panda", "initial.q=0,0")
    assert done.returncode == 1 and b"/initial/q" in done.stderr
    assert ctl(daemon, "sessions", "step", "a/b", "tau=1").returncode == 2
