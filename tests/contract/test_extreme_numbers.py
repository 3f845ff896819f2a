# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_extreme_numbers.py - robots and requests with numbers at the ends of the range of doubles: answered or refused, never a fault.
"""Numbers of the built-in robots' documents and URDFs, and of the contract's examples, are replaced by extreme ones, up to four at
once. What is accepted is computed with. An answer is JSON of finite numbers, or a problem of the request; the daemon lives."""

import json
import random
import re

import pytest
import yaml
from conftest import ROOT, SLOW

CONTRACT = yaml.safe_load((ROOT / "api" / "openapi" / "openapi.yaml").read_text())
EXTREMES = ("5e-324", "-5e-324", "2.2250738585072014e-308", "-1e-310", "1e-160", "1e-17", "1e-8", "0", "-0.0", "-1", "0.5", "1", "2", "1e3", "4294967296",
            "9007199254740993", "1e8", "1e17", "1.4e154", "1e308", "1.7976931348623157e308", "-1.7976931348623157e308")
NUMBER = re.compile(r'(?<=[,:\[ "])-?[0-9][0-9.eE+-]*(?=[ ,\]}"\n])')
ROUNDS = 200 if SLOW == 1 else 40
JSON = {"Content-Type": "application/json", "Prefer": "wait=2"}


def bend(text, chance):
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
        found = list(NUMBER.finditer(text))
        if not found:
            break
        at = chance.choice(found)
        text = text[: at.start()] + chance.choice(EXTREMES) + text[at.end():]
    return text


def not_a_number(word):
    raise AssertionError(word)


def ask(daemon, path, text):
    """The status; a job that goes on is cancelled."""
    status, headers, answer = daemon.request("POST", path, text, JSON)
    where = f"{path}: {status} {answer[:300]}\n{text[:600]}"
    assert status < 500, where
    if status == 202:
        daemon.request("POST", headers["location"] + "/cancel")
    elif status == 200:
        json.loads(answer, parse_constant=not_a_number)
    return status


def calls(nq, nv):
    """Every kind of result of a robot, and the operations that go on from it."""
    q, qd, many = [0.1] * nq, [0.2] * nv, [0.3] * nv
    return {
        "inverse-dynamics": {"q": q, "qd": qd, "qdd": many, "include": ["ledger"]},
        "forward-dynamics": {"q": q, "qd": qd, "tau": many},
        "terms": {"q": q, "qd": qd, "include": ["mass_matrix", "coriolis_matrix", "gravity_torque"]},
        "kinematics": {"q": q, "qd": qd, "include": ["jacobian"]},
        "regressor": {"q": q, "qd": qd, "qdd": many},
        "simulate": {"initial": {"q": q}, "duration_s": 0.02, "output": {"interval_s": 0.01}},
        "trajectory": {"waypoints": [q, [0.2] * nq], "interval_s": 0.05},
        "excitation": {"tries": 1, "harmonics": 2},
        "statics": {"q": q, "endpoint_wrench": {"force": [1, 0, 0]}},
    }


@pytest.fixture(scope="module")
def texts(daemon):
    names = [robot["name"] for robot in json.loads(daemon.request("GET", "/v1/robots")[2])["robots"]]
    found = []
    for name in names:
        for form, media in (("json", "application/json"), ("urdf", "application/xml")):
            status, _, text = daemon.request("GET", f"/v1/robots/{name}?format={form}")
            if status == 200:
                found.append((media, text.decode()))
    assert len(found) > 15
    return found


@pytest.mark.parametrize("seed", range(4))
def test_robots(daemon, texts, seed):
    chance = random.Random(seed)
    counts = {}
    for _ in range(ROUNDS):
        media, text = chance.choice(texts)
        text = bend(text, chance)
        status, _, answer = daemon.request("PUT", "/v1/robots/extreme", text, {"Content-Type": media})
        assert status in (200, 201) or 400 <= status < 500, (status, answer[:300], text[:600])
        if status not in (200, 201):
            continue
        robot = json.loads(answer)
        of = calls(robot["nq"], robot["nv"])
        for operation in chance.sample(sorted(of), 4):
            status = ask(daemon, f"/v1/robots/extreme/{operation}", json.dumps(of[operation]))
            counts[status] = counts.get(status, 0) + 1
    assert counts.get(200, 0) > ROUNDS / 2 and counts.get(422, 0) > ROUNDS / 20
    assert daemon.request("GET", "/healthz")[0] == 200


def test_a_torque_that_its_actuators_cannot_share(daemon):
    """A sum over legs that overflowed was printed, which ended the process."""
    robot = json.loads(daemon.request("GET", "/v1/robots/parallel-2dof")[2])
    robot["joints"][0]["friction"]["offset"] = -1.7976931348623157e308
    assert daemon.request("PUT", "/v1/robots/extreme", json.dumps(robot), JSON)[0] in (200, 201)
    body = json.dumps(calls(robot["nq"], robot["nv"])["inverse-dynamics"])
    status, _, answer = daemon.request("POST", "/v1/robots/extreme/inverse-dynamics", body, JSON)
    assert status == 422 and json.loads(answer)["type"] == "/problems/overflow", answer


def examples():
    for path, item in CONTRACT["paths"].items():
        content = item.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            if "value" in example:
                yield path, json.dumps(example["value"])


@pytest.mark.parametrize("seed", range(4))
def test_requests(daemon, seed):
    chance = random.Random(seed)
    found = list(examples())
    counts = {}
    for _ in range(5 * ROUNDS):
        path, text = chance.choice(found)
        path = path.replace("{name}", chance.choice(("panda", "planar-2r", "quadruped", "parallel-2dof")))
        if "{" in path or path.endswith("/backup"):
            continue
        status = ask(daemon, path, bend(text, chance))
        counts[status] = counts.get(status, 0) + 1
    assert counts.get(200, 0) > ROUNDS / 10 and counts.get(422, 0) > ROUNDS / 2
    assert daemon.request("GET", "/healthz")[0] == 200
