# SPDX-License-Identifier: Apache-2.0
# tests/clients/examples/test_others.py - clients/examples of other languages and tools, against a daemon.
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import eventually

TOP = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = TOP / "clients/examples"
yaml = pytest.importorskip("yaml", reason="no PyYAML: make deps-check")


def program(name, where="make deps-clients"):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name}: {where}")
    return found


def post(daemon, path, body):
    status, _, text = daemon.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    assert status == 200, text
    return json.loads(text)


def run(command, daemon, **more):
    environment = {**os.environ, "TORQUED_URL": daemon.url, "TORQUED_TOKEN": "", **more}
    return subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, timeout=240, check=False)


def said(text, word):
    return re.search(rf"^{word} (.*)$", text, re.M).group(1).strip()


def check_motion(daemon, output):
    """What motion.m and motion.R print: both compute q by their own sines, so it agrees to rounding; the simulation's bits are the same."""
    t = np.linspace(0, 1, 5)[:, None]
    w = 2 * math.pi * np.arange(1, 8) / 10
    body = {"q": 0.3 * np.sin(t * w), "qd": 0.3 * w * np.cos(t * w), "qdd": -0.3 * w**2 * np.sin(t * w)}
    expected = post(daemon, "/v1/robots/panda/inverse-dynamics", {key: value.tolist() for key, value in body.items()})["tau"]
    tau = np.array(said(output, "tau").split(), dtype=float).reshape(5, 7)
    # inertias below 10 kg m^2 and accelerations below 6 rad/s^2, both rounded at 1e-16
    assert np.abs(tau - expected).max() < 1e-12
    run = {"initial": {"q": [0.1, 0.2], "qd": [0, 0]}, "duration_s": 0.5, "output": {"interval_s": 0.1}}
    end = post(daemon, "/v1/robots/planar-2r/simulate", run)["q"][-1]
    assert said(output, "verdict") == "completed"
    got = [struct.pack("<d", float(word)) for word in said(output, "end").split()]
    assert got == [struct.pack("<d", x) for x in end]
    assert "/q/0: expected 7 numbers, got 6" in said(output, "refused") and "one sample of this array is 7 numbers" in said(output, "refused")


def test_octave(daemon):
    got = run([program("octave-cli"), "--quiet", EXAMPLES / "octave/motion.m"], daemon)
    assert got.returncode == 0, got.stderr
    check_motion(daemon, got.stdout)


def test_octave_writes_json_that_keeps_bits():
    code = f"addpath('{EXAMPLES / 'octave'}'); disp(torqued_json(struct('a', [0.1 1/3; 5e-324 -0.0], 'b', {{{{'x\"\\y', true}}}}, 'c', 7, 'd', [], 'e', [1;2])))"
    got = subprocess.run([program("octave-cli"), "--quiet", "--eval", code], capture_output=True, text=True, timeout=60, check=True)
    value = json.loads(got.stdout, parse_int=float)
    assert [[struct.pack("<d", x) for x in row] for row in value["a"]] == [[struct.pack("<d", x) for x in row] for row in ([0.1, 1 / 3], [5e-324, -0.0])]
    assert value["b"] == ['x"\\y', True] and value["c"] == 7 and value["d"] == [] and value["e"] == [1, 2]


def test_r(daemon):
    rscript = program("Rscript")
    if subprocess.run([rscript, "-e", "library(curl); library(jsonlite)"], capture_output=True, timeout=60, check=False).returncode != 0:
        pytest.skip("no curl or jsonlite for R: make deps-clients")
    got = run([rscript, EXAMPLES / "r/motion.R"], daemon)
    assert got.returncode == 0, got.stderr
    check_motion(daemon, got.stdout)


def test_shell_pipeline(daemon, tmp_path):
    program("jq")
    joints = [f"joint{i}" for i in range(1, 8)]
    kinds = ("qdd", "q", "qd")  # in an order of their own: columns are found by name
    t = 0.05 * np.arange(20)[:, None]
    w = np.arange(1, 8)
    motion = {"q": 0.3 * np.sin(t * w), "qd": 0.3 * w * np.cos(t * w), "qdd": -0.3 * w**2 * np.sin(t * w)}
    head = ["t", *(f"{kind}_{name}" for kind in kinds for name in joints)]
    rows = np.hstack([t, *(motion[kind] for kind in kinds)])
    (tmp_path / "log.csv").write_text("\n".join([",".join(head), *(",".join(repr(float(x)) for x in row) for row in rows)]) + "\n")
    got = run(["sh", EXAMPLES / "shell/payloads.sh", "panda", "flange", tmp_path / "log.csv", 0, 1, 3], daemon)
    assert got.returncode == 0, got.stderr
    head, *lines = [line.split("\t") for line in got.stdout.splitlines()]
    assert head == ["payload_kg", *joints] and [line[0] for line in lines] == ["0", "1", "3"]
    for line in lines:
        payload = {"link": "flange", "mass": float(line[0]), "com": [0, 0, 0]}
        tau = post(daemon, "/v1/robots/panda/inverse-dynamics", {**{key: value.tolist() for key, value in motion.items()}, "payload": payload})["tau"]
        # jq 1.6 prints 17 digits
        assert [float(word) for word in line[1:]] == np.abs(tau).max(axis=0).tolist()
    refused = run(["sh", EXAMPLES / "shell/payloads.sh", "nobody", "flange", tmp_path / "log.csv", 1], daemon)
    assert refused.returncode != 0


# -- ROS 2 ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def recorder():
    spec = importlib.util.spec_from_file_location("record", EXAMPLES / "ros2/record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def message(seconds, names, position, velocity=(), effort=()):
    """As sensor_msgs/JointState."""
    ms = round(seconds * 1000)
    stamp = SimpleNamespace(sec=ms // 1000, nanosec=ms % 1000 * 1000000)
    return SimpleNamespace(header=SimpleNamespace(stamp=stamp), name=list(names), position=position, velocity=velocity, effort=effort)


def test_ros_messages_become_a_log(recorder):
    log = recorder.JointStateLog(["a", "b"])
    log.add(message(1700000000.5, "ba", [2.0, 1.0], [0.2, 0.1], [20.0, 10.0]))
    log.add(message(1700000000.51, "acb", [1.5, 9.0, 2.5], [0.3, 9.0, 0.4], [11.0, 9.0, 21.0]))  # another order, a joint more
    log.add(message(1700000000.51, "ab", [0, 0], [0, 0], [0, 0]))  # the same stamp
    log.add(message(1700000000.4, "ab", [0, 0], [0, 0], [0, 0]))  # back in time
    log.add(message(1700000000.6, "a", [0], [0], [0]))  # a gripper's message, say
    log.add(message(1700000000.52, "ab", [1.75, 2.75], [0.5, 0.6], []))  # no effort
    assert log.left_out == {"time": 2, "joints": 1}
    assert log.header() == ["t", "q_a", "q_b", "qd_a", "qd_b", "tau_a", "tau_b"]
    assert log.columns() == {"time": "t", "q": ["q_a", "q_b"], "qd": ["qd_a", "qd_b"], "tau": ["tau_a", "tau_b"]}
    lines = log.csv().splitlines()
    assert lines[1] == "0.0,1.0,2.0,0.1,0.2,10.0,20.0" and lines[2] == "0.01,1.5,2.5,0.3,0.4,11.0,21.0"
    assert lines[3].endswith(",nan,nan")


def test_ros_positions_alone(recorder):
    log = recorder.JointStateLog()
    log.add(message(0.25, ["x"], [1.0]))
    assert log.csv() == "t,q_x\n0.0,1.0\n" and log.columns() == {"time": "t", "q": ["q_x"]}


def test_ros_log_is_a_dataset(recorder, daemon):
    """200 Hz of planar-2r with its own torque, names in another order: what torqued computes along the log is that torque."""
    t = 0.005 * np.arange(800)[:, None]
    w = np.array([1.3, 2.1])
    q, qd, qdd = 0.5 * np.sin(w * t), 0.5 * w * np.cos(w * t), -0.5 * w**2 * np.sin(w * t)
    tau = np.array(post(daemon, "/v1/robots/planar-2r/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})["tau"])
    joints = [joint["name"] for joint in json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])["joints"] if joint.get("v", {}).get("count")]
    log = recorder.JointStateLog(joints)
    for k in range(800):
        log.add(message(1700000000 + 0.005 * k, joints[::-1], q[k, ::-1], qd[k, ::-1], tau[k, ::-1]))
    assert recorder.upload(daemon.url, "ros-log", log.csv())["rows"] == 800
    source = {"dataset": "ros-log", "columns": log.columns(), "filter": {"kind": "butterworth", "cutoff_hz": 20}}
    residual = post(daemon, "/v1/robots/planar-2r/inverse-dynamics", {"from": source})["residual"]["by_joint"]
    # the filter at 20 Hz passes motion of 2.1 rad/s but for some 1e-4 of it
    assert all(one["relative_error"] < 1e-3 for one in residual), residual


# -- Prometheus and Grafana -------------------------------------------------------------------------------------------


def metrics_of(daemon):
    text = daemon.request("GET", "/metrics")[2].decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    names = set(re.findall(r"^([a-z_]+)(?:\{| )", text, re.M))
    labels = {name: set(re.findall(r'(\w+)="', rest)) for name, rest in re.findall(r"^([a-z_]+)\{([^}]*)\}", text, re.M)}
    return kinds, names, labels


def check_expression(expression, daemon):
    kinds, names, labels = metrics_of(daemon)
    used = set(re.findall(r"\b((?:torqued|process)_[a-z_]+)\b", expression))
    assert used or "up{" in expression, expression
    assert used <= names, f"{expression}: /metrics has no {used - names}"
    for name in used:
        if "rate(" + name in expression:
            kind = kinds.get(name, kinds.get(re.sub(r"_(bucket|count|sum)$", "", name)))
            assert kind in ("counter", "histogram"), f"{expression}: {name} is a {kind}"
        wanted = {one for group in re.findall(r"by \(([^)]*)\)", expression) for one in group.replace(" ", "").split(",")} - {"instance", "job"}
        wanted |= {label for label in re.findall(rf"{name}\{{(\w+)", expression) if label != "job"}
        assert wanted <= labels.get(name, set()), f"{expression}: {name} has no {wanted - labels.get(name, set())}"


@pytest.fixture(scope="module")
def busy(daemon):
    """A daemon that has answered something, so that /metrics has every name."""
    assert daemon.request("GET", "/v1/robots")[0] == 200
    return daemon


def test_grafana_queries_existing_metrics(busy):
    dashboard = json.loads((EXAMPLES / "grafana/dashboard.json").read_text())
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) >= 8
    for panel in panels:
        assert panel["title"] and panel["fieldConfig"]["defaults"]["unit"]
        for target in panel["targets"]:
            check_expression(target["expr"], busy)


def test_prometheus_alerts_and_scrapes(busy):
    config = yaml.safe_load((EXAMPLES / "grafana/prometheus.yml").read_text())
    rules = yaml.safe_load((EXAMPLES / "grafana/alerts.yml").read_text())
    assert config["rule_files"] == ["alerts.yml"] and config["scrape_configs"][0]["metrics_path"] == "/metrics"
    for rule in rules["groups"][0]["rules"]:
        check_expression(rule["expr"], busy)
        assert rule["annotations"]["summary"]


def of_prometheus(name):
    """promtool and prometheus: of the PATH, else of Debian's package, unpacked and not installed."""
    return shutil.which(name) or program(str(TOP / "build/prometheus/usr/bin" / name))


def panels():
    """(title, expression) of each target of the dashboard, with its interval stated."""
    found = json.loads((EXAMPLES / "grafana/dashboard.json").read_text())["panels"]
    return [(panel["title"], target["expr"].replace("$__rate_interval", "1m")) for panel in found for target in panel["targets"]]


def test_promtool_finds_no_fault(busy, tmp_path):
    """The scrape configuration, the alerts, every expression of the dashboard, and the text of /metrics itself."""
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{k}", "expr": expression} for k, (_, expression) in enumerate(panels())]}]}))
    for words in (["config", EXAMPLES / "grafana/prometheus.yml"], ["rules", EXAMPLES / "grafana/alerts.yml"], ["rules", tmp_path / "panels.yml"], ["metrics"]):
        got = subprocess.run([of_prometheus("promtool"), "check", *words], input=busy.request("GET", "/metrics")[2], capture_output=True, timeout=60, check=False)
        assert got.returncode == 0 and (words != ["metrics"] or not got.stderr), (words, got.stdout, got.stderr)


def test_prometheus_has_a_value_for_every_panel(busy, tmp_path):
    """Prometheus itself reads this service by the example's configuration: each expression of the dashboard, and of the alerts."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    text = (EXAMPLES / "grafana/prometheus.yml").read_text().replace("15s", "200ms").replace("127.0.0.1:8420", "%s:%d" % busy.address)
    (tmp_path / "prometheus.yml").write_text(text)
    shutil.copy(EXAMPLES / "grafana/alerts.yml", tmp_path)
    log = open(tmp_path / "log", "wb")
    server = subprocess.Popen([of_prometheus("prometheus"), f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
                               f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)

    def ask(expression):
        query = urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{query}", timeout=20) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as fault:
            if fault.code == 503:  # starts
                return []
            raise AssertionError(f"{expression}: {fault.read().decode()}") from fault
        except OSError:  # not up yet
            assert server.poll() is None, (tmp_path / "log").read_text()
            return []

    try:
        eventually(lambda: [one["value"][1] for one in ask('up{job="torqued"}')] == ["1"])
        for title, expression in panels():
            try:
                eventually(lambda: ask(expression))
            except AssertionError as error:
                raise AssertionError(f"{title}: {expression}") from error
        for rule in yaml.safe_load((EXAMPLES / "grafana/alerts.yml").read_text())["groups"][0]["rules"]:
            assert ask(rule["expr"]) == [], rule  # all is well
    finally:
        server.terminate()
        server.wait()
        log.close()


def test_grafana_is_provisioned():
    """Grafana is no package of Debian's: the files by their documented fields; the dashboard asks for the kind of source that is provided."""
    source = yaml.safe_load((EXAMPLES / "grafana/datasource.yml").read_text())
    provider = yaml.safe_load((EXAMPLES / "grafana/dashboards.yml").read_text())
    dashboard = json.loads((EXAMPLES / "grafana/dashboard.json").read_text())
    assert source["apiVersion"] == provider["apiVersion"] == 1 and provider["providers"][0]["type"] == "file"
    assert [one["type"] for one in source["datasources"]] == [one["query"] for one in dashboard["templating"]["list"] if one["type"] == "datasource"]
    assert dashboard["uid"] and all(panel["datasource"]["uid"] == "${datasource}" for panel in dashboard["panels"])
