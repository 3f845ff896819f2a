# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_assemble.py - closed loops at a given crank angle: the four-bar against Freudenstein's equation.
import json
import math

import pytest

JSON = {"Content-Type": "application/json"}
GROUND, CRANK, COUPLER, ROCKER = 0.5, 0.2, 0.5, 0.4


def ask(daemon, operation, body, name="four-bar", status=200):
    got, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert got == status, text
    return json.loads(text)


def rocker_angles(crank):
    """Freudenstein: K1 cos(rocker) - K2 cos(crank) + K3 = cos(crank - rocker); its two roots, open and crossed."""
    k1, k2 = GROUND / CRANK, GROUND / ROCKER
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2 * CRANK * ROCKER)
    # a crank of length CRANK and a rocker of length ROCKER from grounds GROUND apart
    a = math.cos(crank) - k1 - k2 * math.cos(crank) + k3
    b = -2 * math.sin(crank)
    c = k1 - (k2 + 1) * math.cos(crank) + k3
    root = math.sqrt(b * b - 4 * a * c)
    return [2 * math.atan2(-b + sign * root, 2 * a) for sign in (-1, 1)]


def wrapped(x):
    return (x + math.pi) % (2 * math.pi) - math.pi


def closed(q):
    crank, knee, rocker = q
    x = CRANK * math.cos(crank) + COUPLER * math.cos(crank + knee) - GROUND - ROCKER * math.cos(rocker)
    y = CRANK * math.sin(crank) + COUPLER * math.sin(crank + knee) - ROCKER * math.sin(rocker)
    return math.hypot(x, y)


def test_a_turn_of_the_crank_stays_on_its_branch(daemon):
    cranks = [0.05 * k for k in range(126)]
    start = json.loads(daemon.request("GET", "/v1/robots/four-bar")[2])["assembled"]
    branch = min((0, 1), key=lambda k: abs(wrapped(rocker_angles(start[0])[k] - start[2])))
    for near, k in ((None, branch), ([start[0], -start[1], 0.0], 1 - branch)):
        if near is not None:  # the other branch: the coupler's pin mirrored at the line from crank to ground
            theta = rocker_angles(start[0])[1 - branch]
            knee = math.atan2(ROCKER * math.sin(theta) - CRANK * math.sin(start[0]), GROUND + ROCKER * math.cos(theta) - CRANK * math.cos(start[0])) - start[0]
            near = [start[0], knee + 0.02, theta - 0.03]  # about there
        answer = ask(daemon, "assemble", {"q": {"crank": cranks}} | ({"near": near} if near else {}))
        assert answer["given"] == ["crank"] and answer["undecided"] == 0 and len(answer["q"]) == len(cranks)
        for crank, q in zip(cranks, answer["q"], strict=True):
            assert q[0] == crank and closed(q) < 1e-8
            assert wrapped(q[2] - rocker_angles(crank)[k]) == pytest.approx(0, abs=1e-8), crank


def test_rates_and_accelerations_follow(daemon):
    h = 1e-4
    rate, acceleration = 2.0, -3.0
    for crank in (0.4, 2.0, 5.5):
        answer = ask(daemon, "assemble", {"q": {"crank": crank}, "qd": {"crank": rate}, "qdd": {"crank": acceleration}})
        times = [-h, 0, h]
        path = ask(daemon, "assemble", {"q": {"crank": [crank + rate * t + acceleration * t * t / 2 for t in times]}})["q"]
        for r in range(3):
            a, b, c = (one[r] for one in path)
            assert answer["qd"][r] == pytest.approx((c - a) / (2 * h), abs=1e-6)
            assert answer["qdd"][r] == pytest.approx((a - 2 * b + c) / (h * h), abs=1e-4)
        assert answer["qd"][0] == rate and answer["qdd"][0] == acceleration
        # what comes back is a motion of the linkage: inverse dynamics has nothing to remark
        torque = ask(daemon, "inverse-dynamics", {key: answer[key] for key in ("q", "qd", "qdd")})
        assert "off_constraints" not in torque and torque["tau"][1:] == [0, 0]
        back = ask(daemon, "forward-dynamics", {"q": answer["q"], "qd": answer["qd"], "tau": torque["tau"]})
        assert back["qdd"] == pytest.approx(answer["qdd"], abs=1e-7)


def test_degrees_one_rate_for_a_batch_and_another_order(daemon):
    deg = ask(daemon, "assemble", {"q": {"crank": [30, 60]}, "qd": {"crank": 90}, "angles": "deg"})
    rad = ask(daemon, "assemble", {"q": {"crank": [math.radians(30), math.radians(60)]}, "qd": {"crank": math.radians(90)}, "joints": ["rocker", "crank", "knee"]})
    for a, b in zip(deg["q"], rad["q"], strict=True):
        assert [math.radians(x) for x in a] == pytest.approx([b[1], b[2], b[0]], abs=1e-12)
    assert [row[1] for row in rad["qd"]] == pytest.approx([math.radians(90)] * 2)


def test_what_cannot_be_closed_is_said(daemon):
    """A rocker of 0.4 m turns by less than a whole turn: its limits are where crank and coupler are in line."""
    fault = ask(daemon, "assemble", {"q": {"rocker": 0.2}}, status=422)
    assert fault["type"] == "/problems/no-convergence" and "pin" in fault["detail"] and "cannot be closed" in fault["detail"]
    assert ask(daemon, "assemble", {"q": {"rock": 0.2}}, status=422)["type"] == "/problems/unknown-name"
    assert "qd" in ask(daemon, "assemble", {"q": {"crank": 0.2}, "qd": {"knee": 1}}, status=422)["errors"][0]["pointer"]
    assert "no constraints" in ask(daemon, "assemble", {"q": {"joint1": 0.2}}, "panda", 422)["detail"]
    # two joints of one freedom contradict, unless they fit
    whole = ask(daemon, "assemble", {"q": {"crank": 0.7}})["q"]
    assert ask(daemon, "assemble", {"q": {"crank": 0.7, "rocker": whole[2]}})["q"] == pytest.approx(whole, abs=1e-8)
    ask(daemon, "assemble", {"q": {"crank": 0.7, "rocker": whole[2] + 0.2}}, status=422)


@pytest.mark.parametrize("field, value, slug, pointer", [
    ("joints", ["crank", "knee", "crank"], "invalid-value", "/joints/2"), ("joints", ["crank", "knee"], "wrong-length", "/joints"),
    ("joints", ["crank", "knee", "rock"], "unknown-name", "/joints/2"), ("joints", ["crank", "knee", 3], "wrong-type", "/joints/2"),
    ("angles", "grad", "unknown-name", "/angles"), ("angles", 3, "wrong-type", "/angles"), ("q", [0.3, 0, 0], "wrong-type", "/q"),
    ("q", {"crank": "a"}, "wrong-type", "/q/crank"), ("q", {"crank": None}, "wrong-type", "/q/crank"), ("qd", 3, "wrong-type", "/qd"),
    ("near", [0, 0], "wrong-length", "/near")])
def test_faults_of_fields_are_those_of_other_operations(daemon, field, value, slug, pointer):
    found = ask_any(daemon, {"q": {"crank": 0.3}, field: value})
    one = found["errors"][0]
    assert (found["type"], one["pointer"]) == (f"/problems/{slug}", pointer) and one["hint"], found


def ask_any(daemon, body):
    status, _, text = daemon.request("POST", "/v1/robots/four-bar/assemble", json.dumps(body), JSON)
    assert 400 <= status < 500, text
    return json.loads(text)
