# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_sessions.py - lock step: a client's own controller drives a simulated robot, step by step.
import contextlib
import ctypes
import hashlib
import json
import math
import socket
import struct
import threading

import jsonschema
import numpy
import pytest
from conftest import PATIENCE, SLOW, eventually, metric, problem
from test_wrong_input import CONTRACT, Sweep, wrong_documents

JSON = {"Content-Type": "application/json"}
HOME = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]
PANDA = {"robot": "panda", "initial": {"q": HOME}}
PENDULUM = {"robot": "pendulum", "initial": {"q": [0.4], "qd": [0.1]}}


class Session:
    """One session over one kept connection."""

    def __init__(self, daemon, request, headers=None, path="/v1/sessions"):
        self.headers = {**JSON, **(headers or {})}
        self.daemon = daemon
        self.connection = daemon.connect()
        status, headers, self.document = self.ask("POST", path, request)
        assert status == 201, self.document
        self.id = self.document["id"]
        self.path = f"/v1/sessions/{self.id}"
        assert headers["Location"] == self.path
        self.state = self.document["state"]

    def ask(self, method, path, document=None):
        self.connection.request(method, path, None if document is None else json.dumps(document), self.headers)
        response = self.connection.getresponse()
        body = response.read()
        return response.status, response.headers, json.loads(body) if body else None

    def good(self, what, **document):
        status, _, answer = self.ask("POST", f"{self.path}/{what}", document)
        assert status == 200, answer
        self.state = answer
        return answer

    def step(self, tau, **more):
        return self.good("step", tau=list(map(float, tau)), **more)

    def fork(self, **document):
        return Session(self.daemon, document, self.headers, f"{self.path}/fork")

    def refused(self, what, document, status, slug, pointer=None):
        returned, headers, answer = self.ask("POST", f"{self.path}/{what}", document)
        assert returned == status and answer["type"] == f"/problems/{slug}", answer
        assert pointer is None or (answer["errors"][0]["pointer"] == pointer and answer["errors"][0]["hint"]), answer
        return answer


def refused(daemon, document, status, slug, pointer, **headers):
    answer = problem(daemon.request("POST", "/v1/sessions", json.dumps(document), {**JSON, **headers}), status)
    assert answer["type"] == f"/problems/{slug}" and answer["errors"][0]["pointer"] == pointer and answer["errors"][0]["hint"], answer
    return answer


def torques(n, nv, size, seed=1):
    return numpy.random.default_rng(seed).normal(0, size, (n, nv)).tolist()


# ------------------------------------------------------------------------------------------------------------- numbers

STICKY = {  # dry friction: under torque steps it sticks and slips
    "gravity": [0, -9.81, 0], "links": [{"name": "base"}, {"name": "bob", "mass": 1.5, "com": [0, -0.1, 0]}],
    "joints": [{"name": "joint1", "kind": "continuous", "parent": "base", "child": "bob", "axis": [0, 0, 1], "friction": {"coulomb": 2.0}}]}


@pytest.mark.parametrize("solver", [{"method": "rk4", "step_s": 0.001}, {"method": "semi-implicit-euler", "step_s": 0.0004},
                                    {"method": "implicit-midpoint", "step_s": 0.001}], ids=lambda solver: solver["method"])
@pytest.mark.parametrize("robot, nv, size", [("panda", 7, 10.0), ("puma560", 6, 20.0), ("sticky", 1, 3.0), ("quadruped", 18, 5.0)])
def test_n_steps_are_one_simulation_to_the_bit(daemon, robot, nv, size, solver):
    if robot == "quadruped" and solver["method"] == "implicit-midpoint":
        pytest.skip("coordinates and momenta need joints without quaternions")
    if robot == "sticky":
        reply = daemon.request("PUT", "/v1/robots/sticky", json.dumps(STICKY), JSON)
        assert reply[0] in (200, 201), reply
    n = 60
    q = [0.0] * (nv + 1) if robot == "quadruped" else [0.1 * k for k in range(nv)]
    if robot == "quadruped":
        q[3] = 1.0  # unit quaternion
    tau, initial = torques(n, nv, size), {"q": q, "qd": [0.0] * nv}
    request = {"robot": robot, "initial": initial, "step_s": 0.002, "solver": solver, "include": ["qdd"]}
    session = Session(daemon, request)
    mine = [session.state] + [session.step(row) for row in tau]
    status, _, body = daemon.request("POST", f"/v1/robots/{robot}/simulate", json.dumps({
        "initial": initial, "duration_s": n * 0.002, "output": {"interval_s": 0.002}, "solver": solver,
        "input": {"kind": "torque", "interpolation": "hold", "t": [k * 0.002 for k in range(n + 1)], "tau": [*tau, tau[-1]]}}), JSON)
    whole = json.loads(body)
    assert status == 200, whole
    for name in ("t", "q", "qd"):
        assert [state[name] for state in mine] == whole[name], name
    if robot == "sticky":
        assert {event["on"] for event in whole["events"]} == {"stick", "slip"}


def test_a_pendulum_by_another_integrator(daemon):
    """1.5 kg on a rod of 0.8 m, RK4 by numpy: m l^2 q'' = tau - m g l sin q."""
    inertia, weight = 1.5 * 0.8**2, 1.5 * 9.81 * 0.8

    def rate(y, tau):
        return numpy.array([y[1], (tau - weight * math.sin(y[0])) / inertia])

    session, y, h = Session(daemon, {**PENDULUM, "step_s": 0.01, "solver": {"method": "rk4", "step_s": 0.005}}), numpy.array([0.4, 0.1]), 0.005
    for (tau,) in torques(200, 1, 2.0):
        for _ in range(2):
            a = rate(y, tau)
            b = rate(y + h / 2 * a, tau)
            c = rate(y + h / 2 * b, tau)
            y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c, tau))
        state = session.step([tau])
        assert abs(state["q"][0] - y[0]) < 1e-12 and abs(state["qd"][0] - y[1]) < 1e-12


def test_many_steps_at_a_time_and_another_order_of_joints(daemon):
    one, many = Session(daemon, PANDA), Session(daemon, PANDA)
    names = one.document["joints"]
    turned = Session(daemon, {**PANDA, "joints": names[::-1], "initial": {"q": HOME[::-1]}})
    named = Session(daemon, PANDA)
    tau = [0.1, -20, 0.2, 15, 1, 2, 0]
    for _ in range(20):
        one.step(tau)
    assert many.step(tau, steps=20) == one.state
    assert named.good("step", tau=dict(zip(names, tau)), steps=20) == one.state
    assert turned.step(tau[::-1], steps=20) == {**one.state, **{name: one.state[name][::-1] for name in ("q", "qd", "tau")}}


# ---------------------------------------------------------------------------------------------------------
# rewind

class Digest(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def digest_of(state):
    """XXH3-128 of the bytes that the contract specifies, by the library itself."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype, library.XXH3_128bits.argtypes = Digest, [ctypes.c_char_p, ctypes.c_size_t]
    bits = struct.pack(f"<Q{1 + len(state['q']) + len(state['qd'])}d", state["step"], state["t"], *state["q"], *state["qd"])
    returned = library.XXH3_128bits(bits, len(bits))
    return f"{returned.high:016x}{returned.low:016x}"


def test_the_hash_names_the_bits_of_the_state(daemon):
    session = Session(daemon, PANDA)
    for row in torques(20, 7, 10):
        session.step(row)
        assert session.state["hash"] == digest_of(session.state)


def test_rewind_and_fork_replay_the_same_bits(daemon):
    request = {**PANDA, "sensors": {"seed": 5, "q": {"noise_std": 0.001, "delay_s": 0.003}, "tau": {}}, "actuators": {"delay_s": 0.002},
               "history": 40}
    session, rows = Session(daemon, request), torques(60, 7, 10)
    first = [session.state] + [session.step(row) for row in rows]
    assert session.good("rewind", step=30) == first[30]
    branch = session.fork(step=25)
    assert branch.state == first[25] and branch.id != session.id
    same = [session.step(row) for row in rows[30:]]
    assert same == first[31:]
    assert [branch.step(row) for row in rows[25:]] == first[26:]
    assert session.good("rewind", t=0.045) == first[45]
    assert session.good("rewind", step=0) == first[0]
    assert [session.step(row) for row in rows] == first[1:]
    other = session.fork(step=0, seed=6)
    assert other.state["q"] == first[0]["q"] and other.state["sensors"] != first[0]["sensors"]
    assert session.refused("rewind", {"step": 19}, 422, "range", "/step")["errors"][0]["detail"].endswith("20 to 60 are, and 0")
    assert session.refused("rewind", {"step": 61}, 422, "range", "/step")
    assert session.refused("rewind", {"t": 0.0455}, 422, "range", "/t")
    assert session.refused("rewind", {"t": 0.045, "step": 3}, 422, "invalid-value", "/t")
    assert session.refused("rewind", {}, 422, "missing-field", "/step")
    assert session.refused("fork", {"step": 19}, 422, "range", "/step")


def test_a_fork_keeps_the_robot_that_it_was(daemon):
    robot = json.loads(daemon.request("GET", "/v1/robots/pendulum")[2])
    body = {key: robot[key] for key in ("links", "joints", "gravity") if key in robot}
    assert daemon.request("PUT", "/v1/robots/swung", json.dumps(body), JSON)[0] == 201
    session = Session(daemon, {"robot": "swung", "initial": {"q": [0.4]}})
    session.step([0.5], steps=3)
    body["links"][-1]["mass"] *= 2
    assert daemon.request("PUT", "/v1/robots/swung", json.dumps(body), JSON)[0] in (200, 201)
    fork = session.fork()
    assert fork.document["robot_digest"] == session.document["robot_digest"] and fork.step([1.0]) == session.step([1.0])
    assert Session(daemon, {"robot": "swung", "initial": {"q": [0.4]}}).document["robot_digest"] != fork.document["robot_digest"]


def test_an_answer_that_was_lost_is_given_again(daemon):
    session, other = Session(daemon, PANDA), Session(daemon, PANDA)
    tau = [1, 2, 3, 4, 5, 6, 7]
    body = json.dumps({"tau": tau, "at_step": 0}).encode()
    with daemon.socket() as s:  # the request is sent, and the connection is lost before the answer is read
        s.sendall(f"POST {session.path}/step HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        s.recv(1)
    expected = other.step(tau, at_step=0)
    for _ in range(3):
        assert session.step(tau, at_step=0) == expected
    assert session.step(tau, at_step=1)["step"] == 2
    assert session.refused("step", {"tau": tau, "at_step": 0}, 409, "conflict", "/at_step")
    assert session.refused("step", {"tau": tau, "at_step": 3}, 409, "conflict", "/at_step")
    session.good("rewind", step=1)
    assert session.refused("step", {"tau": tau, "at_step": 0}, 409, "conflict", "/at_step")
    assert session.step(tau, at_step=1)["step"] == 2


# ------------------------------------------------------------------------------------------------- sensors and actuators

def test_delays_are_exact(daemon):
    request = {**PANDA, "sensors": {"q": {"delay_s": 0.005}, "qd": {}, "tau": {"delay_s": 0.001}}, "actuators": {"delay_s": 0.003}, "history": 0}
    session, rows = Session(daemon, request), torques(30, 7, 10)
    states = [session.state] + [session.step(row) for row in rows]
    for k, state in enumerate(states):
        assert state["sensors"]["q"] == states[max(k - 5, 0)]["q"]
        assert state["sensors"]["qd"] == state["qd"]
        assert state["sensors"]["tau"] == states[max(k - 1, 0)]["tau"]
        assert state["tau"] == (rows[k - 4] if k >= 4 else [0.0] * 7)
    prompt = Session(daemon, PANDA)
    late = [[0.0] * 7] * 3 + rows[:-3]
    assert [prompt.step(row)["q"] for row in late] == [state["q"] for state in states[1:]]


def test_torques_keep_their_limits(daemon):
    limited = Session(daemon, {**PANDA, "actuators": {"effort_limits": [5, 5, 5, 5, 4, 4, 4]}})
    assert limited.step([9, -9, 1, 0, 9, -9, 4])["tau"] == [5, -5, 1, 0, 4, -4, 4]
    own = Session(daemon, {**PANDA, "actuators": {"effort_limits": "robot"}})
    assert own.step([1000] * 7)["tau"] == [87, 87, 87, 87, 12, 12, 12]


def test_noise_has_its_size_and_its_seed(daemon):
    n = 600
    request = {**PENDULUM, "sensors": {"seed": 3, "q": {"noise_std": 0.01}, "qd": {"noise_std": [0.5], "resolution": 0.25}, "tau": {}}, "history": 0}
    one, same, other = Session(daemon, request), Session(daemon, request), Session(daemon, {**request, "sensors": {**request["sensors"], "seed": 4}})
    errors, speeds = [], []
    for _ in range(n):
        state = one.step([0.1])
        errors.append(state["sensors"]["q"][0] - state["q"][0])
        speeds.append(state["sensors"]["qd"][0])
        assert state["sensors"]["tau"] == [0.1]
        if len(errors) < 50:
            assert same.step([0.1]) == state
            assert other.step([0.1])["q"] == state["q"] and other.state["sensors"]["q"] != state["sensors"]["q"]
    # noise statistics within 4 standard errors; the seed is fixed
    assert abs(numpy.mean(errors)) < 4 * 0.01 / math.sqrt(n) and abs(numpy.std(errors) / 0.01 - 1) < 4 / math.sqrt(2 * n)
    assert abs(numpy.corrcoef(errors[1:], errors[:-1])[0, 1]) < 4 / math.sqrt(n)
    assert all(speed == 0.25 * round(speed / 0.25) for speed in speeds) and len(set(speeds)) > 5


def test_noise_of_a_floating_base_keeps_its_quaternion(daemon):
    session = Session(daemon, {"robot": "quadruped", "initial": {"q": [0, 0, 0.5, 1, 0, 0, 0] + [0] * 12}, "sensors": {"q": {"noise_std": 0.01}}})
    state = session.step([0.0] * 18)
    assert "warnings" not in state
    reading = state["sensors"]["q"]
    assert abs(numpy.linalg.norm(reading[3:7]) - 1) < 1e-12 and reading[3:7] != session.state["q"][3:7]
    assert set(session.state["sensors"]) == {"q"} and "sensors" not in Session(daemon, PENDULUM).step([0.1])
    refused(daemon, {"robot": "quadruped", "initial": {"q": [0, 0, 0.5, 1, 0, 0, 0] + [0] * 12}, "sensors": {"q": {"resolution": 0.01}}},
            422, "invalid-value", "/sensors/q/resolution")


def test_torque_on_a_floating_base_is_said(daemon):
    session = Session(daemon, {"robot": "quadruped", "initial": {"q": [0, 0, 0.5, 1, 0, 0, 0] + [0] * 12}})
    assert "warnings" not in session.step([0.0] * 6 + [1.0] * 12)
    (said,) = session.step([0.0, 0.0, -2.5] + [0.0] * 15)["warnings"]
    assert said["joint"] == "base" and "up to 2.5 N" in said["text"]
    assert "warnings" not in session.step([0.0] * 18)


# --------------------------------------------------------------------------------------------------------- events, ends

def test_an_event_ends_a_session_until_it_is_rewound(daemon):
    session = Session(daemon, {**PENDULUM, "initial": {"q": [0.1]}, "events": [{"on": "q", "joint": "joint1", "level": 0.2, "action": "stop"}]})
    before = session.state
    while "ended" not in session.step([30.0], steps=10):
        before = session.state
    assert session.state["ended"] == "an event ended it" and abs(session.state["q"][0] - 0.2) < 1e-9
    assert session.state["events"][0]["on"] == "q" and session.state["t"] <= session.state["step"] * 0.001
    session.refused("step", {"tau": [0]}, 409, "conflict", "")
    session.refused("fork", {}, 409, "conflict", "")
    session.refused("rewind", {"step": session.state["step"]}, 409, "conflict", "/step")
    assert session.good("rewind", step=before["step"])["q"] == before["q"]
    assert "ended" not in session.step([0.0])


def test_a_motion_that_runs_away_says_so(daemon):
    session = Session(daemon, PANDA)
    state = session.step([1e9] * 7, steps=1000)
    assert state["ended"] == "a velocity ran away" and state["ended_joint"].startswith("joint")
    session.good("rewind", step=0)
    assert "ended" not in session.step([0.0] * 7)


# ------------------------------------------------------------------------------------------------------ bounds, expiry

def test_sessions_end_without_requests(start):
    one = start({"session_idle": "300ms"})
    session = Session(one, PANDA)
    eventually(lambda: metric(one, "torqued_sessions_open") == 0)
    assert metric(one, "torqued_sessions_expired_total") == 1
    answer = problem(one.request("GET", session.path), 404)
    assert answer["type"] == "/problems/not-found" and "session_idle" in answer["detail"]
    assert problem(one.request("POST", session.path + "/step", b'{"tau":[0,0,0,0,0,0,0]}', JSON), 404)


def test_bounds_of_all_sessions(start):
    one = start({"sessions": 2, "sessions_size": "4MiB"})
    first, second = Session(one, PANDA), Session(one, PANDA)
    reply = one.request("POST", "/v1/sessions", json.dumps(PANDA), JSON)
    assert "sessions" in problem(reply, 503)["detail"] and reply[1]["Retry-After"]
    assert first.ask("DELETE", first.path)[0] == 204 and first.ask("DELETE", first.path)[0] == 404
    refused(one, {**PANDA, "history": 1000000}, 413, "too-large", "/history")
    assert len(json.loads(one.request("GET", "/v1/sessions")[2])["sessions"]) == 1
    held = metric(one, "torqued_sessions_bytes")
    assert held == second.document["bytes"]
    problem(one.request("POST", f"{second.path}/fork", b"{}", {"Content-Type": "application/xml"}), 415)
    assert second.ask("POST", f"{second.path}/fork", {})[0] == 201
    assert metric(one, "torqued_sessions_bytes") == 2 * held


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_sessions_belong_to_their_client(start, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("".join(f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} {roles}\n" for name, roles in
                            [("cell", "roles=compute"), ("other", "roles=compute"), ("viewer", "roles=read"), ("admin", "")]))
    one = start({"credentials": path, "sessions": 4, "client_share": 50})
    mine = Session(one, PANDA, bearer("cell"))
    for method, where, body in [("GET", "", None), ("POST", "/step", b'{"tau":[0,0,0,0,0,0,0]}'), ("POST", "/fork", b"{}"),
                                ("POST", "/rewind", b'{"step":0}'), ("DELETE", "", None)]:
        assert one.request(method, mine.path + where, body, {**JSON, **bearer("other")})[0] == 404
    assert json.loads(one.request("GET", "/v1/sessions", headers=bearer("other"))[2]) == {"sessions": []}
    assert "compute" in problem(one.request("POST", "/v1/sessions", json.dumps(PANDA), {**JSON, **bearer("viewer")}), 403)["detail"]
    assert one.request("GET", mine.path, headers=bearer("admin"))[0] == 200
    again = Session(one, PANDA, bearer("cell"))
    limited = problem(one.request("POST", "/v1/sessions", json.dumps(PANDA), {**JSON, **bearer("cell")}), 429)
    assert "client_share" in limited["detail"]
    Session(one, PANDA, bearer("other"))
    assert again.ask("DELETE", again.path)[0] == 204 and one.request("DELETE", mine.path, headers=bearer("admin"))[0] == 204


# ---------------------------------------------------------------------------------------------------------- concurrency

def test_two_at_once_make_one_step_at_a_time(daemon):
    session, made, strange = Session(daemon, {**PANDA, "history": 10}), [], []

    def drive():
        with contextlib.closing(daemon.connect()) as connection:
            for _ in range(40):
                connection.request("POST", f"{session.path}/step", b'{"tau":[0,0,0,0,0,0,0],"steps":20}', JSON)
                response = connection.getresponse()
                answer = json.loads(response.read())
                if response.status == 200:
                    made.append(answer["step"])
                elif response.status != 409 or answer["type"] != "/problems/conflict":
                    strange.append(answer)

    threads = [threading.Thread(target=drive) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not strange, strange[0]
    assert sorted(made) == [20 * (k + 1) for k in range(len(made))] and made
    assert session.ask("GET", session.path)[2]["state"]["step"] == 20 * len(made)


def test_a_client_that_leaves_within_its_steps(daemon):
    n = 10000 // SLOW
    session, other = Session(daemon, PENDULUM), Session(daemon, PENDULUM)
    body = json.dumps({"tau": [0.2], "steps": n, "at_step": 0}).encode()
    with daemon.socket() as s:
        s.sendall(f"POST {session.path}/step HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        s.shutdown(socket.SHUT_RDWR)
    with daemon.socket() as s:  # a step request with half a body never begins a step
        s.sendall(f"POST {session.path}/step HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:20])
    eventually(lambda: (answer := session.ask("GET", session.path))[0] == 200 and answer[2]["state"]["step"] in (0, n))
    other.step([0.2], steps=n)

    def repeated():
        status, _, answer = session.ask("POST", f"{session.path}/step", {"tau": [0.2], "steps": n, "at_step": 0})
        return status == 200 and answer == other.state

    eventually(repeated)


def test_a_session_that_is_deleted_while_it_steps(daemon):
    session = Session(daemon, PENDULUM)
    done = []

    def drive():
        done.append(daemon.request("POST", f"{session.path}/step", json.dumps({"tau": [0.0], "steps": 10000 // SLOW}), JSON)[0])

    thread = threading.Thread(target=drive)
    thread.start()
    assert session.ask("DELETE", session.path)[0] == 204
    thread.join()
    assert done[0] in (200, 404) and session.ask("GET", session.path)[0] == 404


def test_over_a_unix_socket(start, tmp_path):
    path = tmp_path / "s"
    start(listen=f"unix:{path}")
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(PATIENCE)
        s.connect(str(path))

        def ask(where, document):
            body = json.dumps(document).encode()
            s.sendall(f"POST {where} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            got = b""
            while b"\r\n\r\n" not in got or len(got.partition(b"\r\n\r\n")[2]) < int(got.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]):
                got += s.recv(65536)
            return json.loads(got.partition(b"\r\n\r\n")[2])

        where = "/v1/sessions/" + ask("/v1/sessions", PANDA)["id"] + "/step"
        for k in range(10):
            assert ask(where, {"tau": [0] * 7, "at_step": k})["step"] == k + 1


# -------------------------------------------------------------------------------------------------------
# refusals

@pytest.mark.parametrize("change, status, slug, pointer", [
    ({"robot": "pandaa"}, 404, "unknown-robot", "/robot"),
    ({"robot": 7}, 400, "wrong-type", "/robot"),
    ({"robot": None}, 400, "wrong-type", "/robot"),
    ({"initial": {"q": HOME[:6]}}, 422, "wrong-length", "/initial/q"),
    ({"initial": {}}, 422, "missing-field", "/initial/q"),
    ({"step_s": 0}, 422, "range", "/step_s"),
    ({"step_s": 11}, 422, "range", "/step_s"),
    ({"step_s": 0.1, "solver": {"method": "dopri87"}}, 422, "invalid-value", "/solver/method"),
    ({"solver": {"rtol": 1e-6}}, 422, "invalid-value", "/solver"),
    ({"step_s": 1, "solver": {"step_s": 1e-5}}, 422, "range", "/solver"),
    ({"history": -1}, 422, "range", "/history"),
    ({"history": 2000000}, 422, "range", "/history"),
    ({"sensors": {"q": {"delay_s": 0.0015}}}, 422, "range", "/sensors/q/delay_s"),
    ({"sensors": {"q": {"delay_s": -1}}}, 422, "range", "/sensors/q/delay_s"),
    ({"sensors": {"q": {"noise_std": -1}}}, 422, "range", "/sensors/q/noise_std"),
    ({"sensors": {"seed": 1.5}}, 400, "wrong-type", "/sensors/seed"),
    ({"sensors": {"imu": {}}}, 400, "unknown-field", "/sensors/imu"),
    ({"actuators": {"delay_s": 20}}, 422, "range", "/actuators/delay_s"),
    ({"actuators": {"effort_limits": [0] * 7}}, 422, "range", "/actuators/effort_limits/0"),
    ({"include": ["energy"]}, 422, "unknown-name", "/include/0"),
    ({"duration_s": 3}, 400, "unknown-field", "/duration_s"),
    ({"joints": ["joint1"]}, 422, "wrong-length", "/joints"),
])
def test_a_session_that_cannot_be_says_where(daemon, change, status, slug, pointer):
    refused(daemon, {**PANDA, **change}, status, slug, pointer)


def test_a_step_that_cannot_be_changes_nothing(daemon):
    session = Session(daemon, PANDA)
    session.refused("step", {}, 422, "missing-field", "/tau")
    session.refused("step", {"tau": [0] * 6}, 422, "wrong-length", "/tau")
    session.refused("step", {"tau": {"joint8": 1}}, 422, "unknown-name", "/tau/joint8")
    session.refused("step", {"tau": "up"}, 400, "wrong-type", "/tau")
    session.refused("step", {"tau": [0] * 7, "steps": 0}, 422, "range", "/steps")
    session.refused("step", {"tau": [0] * 7, "steps": 10001}, 422, "range", "/steps")
    session.refused("step", {"tau": [0] * 7, "at_step": -1}, 422, "range", "/at_step")
    session.refused("step", {"tau": [0] * 7, "at_step": 0.5}, 400, "wrong-type", "/at_step")
    session.refused("step", {"tau": [0] * 7, "dt": 1}, 400, "unknown-field", "/dt")
    for word, name in (("ctrl", "tau"), ("action", "tau"), ("frame_skip", "steps")):
        assert name in session.refused("step", {word: 1}, 400, "unknown-field", f"/{word}")["errors"][0]["hint"]
    for body, status in [(b"", 400), (b"[", 400), (b"nan", 400), (b'{"tau":[1e999,0,0,0,0,0,0]}', 422), (b'{"tau":[0],"tau":[0]}', 400),
                         (b"\xa1\x63tau\x87" + b"\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00" * 7, 422), (b"[" * 5000, 400), (b"\xff" * 100, 400)]:
        assert problem(daemon.request("POST", f"{session.path}/step", body), status), body
    assert problem(daemon.request("POST", f"{session.path}/step", b"0" * (1 << 21)), 413)
    assert problem(daemon.request("POST", f"{session.path}/step", b'{"tau":[0,0,0,0,0,0,0]}', {"Accept": "text/csv"}), 406)
    for name in ("0000", "zzzz" + "0" * 28, session.id[:-1] + "x", "ffff" + session.id[4:], "x" * 200, "%00"):
        assert daemon.request("POST", f"/v1/sessions/{name}/step", b'{"tau":[0,0,0,0,0,0,0]}')[0] in (400, 404)
    assert problem(daemon.request("PUT", session.path, b"{}"), 405)
    assert session.ask("GET", session.path)[2]["state"] == session.document["state"]


@pytest.mark.parametrize("what, example, every", [
    ("", {**PANDA, "step_s": 0.001, "history": 3, "solver": {"step_s": 0.001}, "include": ["qdd"], "without": ["friction"], "events": [{"on": "limits"}],
          "sensors": {"seed": 1, "q": {"noise_std": 0.1, "delay_s": 0.002}}, "actuators": {"effort_limits": "robot", "delay_s": 0.001}}, 40),
    ("/{id}/step", {"tau": [0.0] * 7, "steps": 2, "at_step": 0}, 3), ("/{id}/rewind", {"step": 0}, 3), ("/{id}/fork", {"step": 0, "seed": 3}, 3)])
def test_every_wrong_request_says_where_and_what_instead(daemon, what, example, every):
    content = CONTRACT["paths"][f"/v1/sessions{what}"]["post"]["requestBody"]["content"]["application/json"]
    sweep = Sweep(daemon, "POST", f"/v1/sessions{what}".replace("{id}", Session(daemon, {**PANDA, "history": 3}).id if what else ""), content["schema"])
    for k, (why, place, document) in enumerate(wrong_documents(content["schema"], [example])):
        if k % (every * SLOW) == 0:
            sweep.send(why, place, document)
    assert sweep.refused > sweep.sent / 2
    sweep.close()


def test_cbor_holds_the_same_numbers(daemon):
    session = Session(daemon, PANDA)
    body = b"\xa2\x63tau\x87" + b"\xf9\x3c\x00" * 7 + b"\x67at_step\x00"
    status, headers, answer = daemon.request("POST", f"{session.path}/step", body, {"Content-Type": "application/cbor", "Accept": "application/cbor"})
    assert status == 200 and headers["Content-Type"] == "application/cbor"
    state = session.step([1.0] * 7, at_step=0)  # the same request again, with an answer in JSON
    assert state["step"] == 1 and state["hash"].encode() in answer
    assert struct.pack("<7d", *state["q"]) in answer or struct.pack(">7d", *state["q"]) in answer


def test_answers_keep_the_contract(daemon):
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])

    def check(name, document):
        jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": contract["components"]}).validate(document)

    request = {**PANDA, "sensors": {"seed": 1, "q": {"noise_std": 0.1, "delay_s": 0.002}, "tau": {"resolution": 0.1}}, "include": ["qdd"],
               "actuators": {"effort_limits": "robot", "delay_s": 0.001}, "events": [{"on": "limits"}], "solver": {"step_s": 0.0005}}
    check("SessionRequest", request)
    session = Session(daemon, request)
    check("Session", session.document)
    assert session.document["solver"] == {"method": "rk4", "step_s": 0.0005}
    check("SessionState", session.step([100] * 7, steps=200))
    assert session.state["events"]
    check("Session", session.fork(step=session.state["step"]).document)
    check("SessionList", json.loads(daemon.request("GET", "/v1/sessions")[2]))
    for path, item in contract["paths"].items():
        content = item.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        if path.startswith("/v1/sessions") and content:
            check(content["schema"]["$ref"].rsplit("/", 1)[1], content["example"])
