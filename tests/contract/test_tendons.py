# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_tendons.py - tendons of a robot document: motion against a solution in closed form, surgery, export, refusals.
import copy
import json
import math

import pytest

JSON = {"Content-Type": "application/json"}

# two slides of 1 kg beside each other, without gravity: x1, x2 along x
PAIR = {"gravity": [0, 0, 0], "links": [{"name": "base"}, {"name": "one", "mass": 1, "com": [0, 0, 0]}, {"name": "two", "mass": 1, "com": [0, 0, 0]}],
        "joints": [{"name": name, "kind": "prismatic", "parent": "base", "child": child, "axis": [1, 0, 0]} for name, child in (("x1", "one"), ("x2", "two"))],
        "tendons": [{"name": "tie", "coefficients": {"x1": 1, "x2": -1}, "stiffness": 8}]}


def put(daemon, document, name="pair", status=(200, 201)):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), JSON)
    assert got in ((status,) if isinstance(status, int) else status), text
    return json.loads(text)


def ask(daemon, operation, body, name="pair", status=200):
    got, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert got == status, text
    return json.loads(text)


def patched(daemon, *operations, name="pair", status=200):
    got, _, text = daemon.request("PATCH", f"/v1/robots/{name}", json.dumps({"operations": operations}), JSON)
    assert got == status or (status == 200 and got == 201), text
    return json.loads(text)


def tied(**fields):
    document = copy.deepcopy(PAIR)
    document["tendons"][0].update(fields)
    return document


def test_two_masses_on_a_tendon_swing_against_each_other(daemon):
    """x1 - x2 = d: d'' = -2 k d - 2 c d', from d = 1 at rest."""
    for damping in (0.0, 0.5):
        put(daemon, tied(damping=damping))
        run = ask(daemon, "simulate", {"initial": {"q": [1, 0]}, "duration_s": 3, "output": {"interval_s": 0.5}, "solver": {"method": "dopri87", "rtol": 1e-11, "atol": 1e-12}})
        w = math.sqrt(16 - damping**2)
        for t, (a, b) in zip(run["t"], run["q"], strict=True):
            want = math.exp(-damping * t) * (math.cos(w * t) + damping / w * math.sin(w * t))
            assert a - b == pytest.approx(want, abs=1e-8) and a + b == pytest.approx(1, abs=1e-9)
        assert abs(run["audit"]["energy"]["drift"] if "drift" in run["audit"]["energy"] else 0) < 1e-6


def test_a_dead_band_is_slack(daemon):
    put(daemon, tied(rest=[-0.5, 0.25], friction=2, damping=1))
    torque = [ask(daemon, "terms", {"q": [x, 0], "qd": [v, 0], "include": ["ledger", "energy", "friction"]}) for x, v in ((0.1, 0), (1, 0), (-1, 0), (0, 3))]
    assert [one["ledger"]["spring"] for one in torque] == [[0, 0], [6, -6], [-4, 4], [0, 0]]
    assert [one["energy"]["potential"] for one in torque] == [0, 2.25, 1, 0]
    assert torque[3]["friction"] == [5, -5] and torque[3]["ledger"]["friction"] == [5, -5] and torque[0]["friction"] == [0, 0]
    slopes = ask(daemon, "terms", {"q": [1, 0], "qd": [1, 0], "include": ["derivatives"]})["derivatives"]
    assert slopes["dtau_dq"] == [[8, -8], [-8, 8]] and slopes["dtau_dqd"] == [[1, -1], [-1, 1]]


def test_documents_and_exports_keep_tendons(daemon):
    robot = put(daemon, tied(rest=[-0.5, 0.25], friction={"coulomb": 2}, damping=1))
    assert robot["tendons"] == [{"name": "tie", "coefficients": {"x1": 1, "x2": -1}, "stiffness": 8, "rest": [-0.5, 0.25], "damping": 1,
                                 "friction": {"coulomb": 2, "smoothing": 0}}]
    assert put(daemon, robot)["tendons"] == robot["tendons"]
    status, _, text = daemon.request("GET", "/v1/robots/pair?format=mjcf")
    assert status == 200
    got, _, again = daemon.request("PUT", "/v1/robots/from-mjcf", text, {"Content-Type": "application/xml"})
    assert got in (200, 201) and json.loads(again)["tendons"] == robot["tendons"], again
    for form in ("urdf", "sdf"):
        status, _, text = daemon.request("GET", f"/v1/robots/pair?format={form}")
        assert status == 406 and "tendon" in (text if isinstance(text, str) else text.decode()), text


def test_surgery_takes_tendons_along(daemon):
    put(daemon, tied(rest=[-0.5, 0.25]))
    assert patched(daemon, {"op": "tendon", "tendon": "tie", "stiffness": 3})["tendons"][0]["stiffness"] == 3
    more = patched(daemon, {"op": "tendon", "tendon": "other", "coefficients": {"x1": 2}, "damping": 1})
    assert [one["name"] for one in more["tendons"]] == ["tie", "other"]
    # x2 held at 0.1: the length is x1 - 0.1
    locked = patched(daemon, {"op": "lock", "joints": {"x2": 0.1}})
    assert locked["tendons"][0]["coefficients"] == {"x1": 1} and locked["tendons"][0]["rest"] == pytest.approx([-0.4, 0.35], abs=1e-15)
    put(daemon, PAIR, "other-pair")
    put(daemon, PAIR)
    joined = patched(daemon, {"op": "join", "robot": "other-pair", "link": "two", "prefix": "b_"})
    assert [one["coefficients"] for one in joined["tendons"]] == [{"x1": 1, "x2": -1}, {"b_x1": 1, "b_x2": -1}]
    assert "cut off" in json.dumps(patched(daemon, {"op": "subchain", "link": "base", "tips": ["one"]}, status=422))
    alone = patched(daemon, {"op": "subchain", "link": "two"})
    assert [one["name"] for one in alone["tendons"]] == ["b_tie"]
    refused = patched(daemon, {"op": "tendon", "tendon": "new", "stiffness": 1}, status=422)
    assert "coefficients" in json.dumps(refused)


@pytest.mark.parametrize("fields, words", ((dict(rest=[1, 0]), "above"), (dict(stiffness=-1), "negative"), (dict(coefficients={}), "0 joints"),
                                           (dict(coefficients={"x3": 1}), "x3"), (dict(tension=1), "tension")))
def test_faults_have_their_place(daemon, fields, words):
    assert words in json.dumps(put(daemon, tied(**fields), "wrong", (400, 422)))


def test_names_are_unique_and_operations_without_tendons_refuse(daemon):
    document = tied()
    document["tendons"] *= 2
    assert "two tendons" in json.dumps(put(daemon, document, "wrong", 422))
    put(daemon, PAIR)
    path = {"waypoints": [[0, 0], [1, 1]], "limits": {"kind": "time-optimal", "velocity": [1, 1], "acceleration": [9, 9], "torque": [5, 5]}, "interval_s": 0.1}
    assert "tendon" in ask(daemon, "trajectory", path, status=422)["detail"]
    del path["limits"]["torque"]
    ask(daemon, "trajectory", path)


@pytest.mark.parametrize("written, rest", (("", [0.97, 0.97]), ('springlength="-1"', [0.97, 0.97]), ('springlength="-1 -1"', [0.97, 0.97]), ('springlength="0.3"', [0.3, 0.3]),
                                           ('springlength="-1 0.3"', [-1, 0.3]), ('springlength="-2 -1"', [-2, -1])))
def test_where_a_tendon_of_mjcf_rests(daemon, written, rest):
    """MuJoCo's -1, and nothing, is the length where the springs of its joints rest: 2 * 0.5 - 3 * 0.01. There it pulls at nothing."""
    body = '<body name="{0}"><joint name="{0}" type="slide" axis="1 0 0" springref="{1}"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    text = (f'<mujoco><option gravity="0 0 0"/><worldbody>{body.format("a", 0.5)}{body.format("b", 0.01)}</worldbody><tendon><fixed name="tie" stiffness="8" {written}>'
            '<joint joint="a" coef="2"/><joint joint="b" coef="-3"/></fixed></tendon></mujoco>')
    got, _, answer = daemon.request("PUT", "/v1/robots/rests", text, {"Content-Type": "application/xml"})
    assert got in (200, 201), answer
    assert json.loads(answer)["tendons"][0]["rest"] == pytest.approx(rest, abs=1e-15)
    for length in (-4, -1.5, -0.5, 0.1, 0.5, 0.97, 2):
        pull = 8 * (max(length - rest[1], 0) + min(length - rest[0], 0))
        tau = ask(daemon, "inverse-dynamics", {"q": [length / 2, 0], "qd": [0, 0], "qdd": [0, 0]}, "rests")["tau"]
        assert tau == pytest.approx([2 * pull, -3 * pull], abs=1e-12), (written, length)
