# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_sizes_walk.py - robots of 1 to 1,000 joints with every operation, include and method: an
# answer, or a 4xx with a pointer.
"""No size of a robot ends the daemon or gives a 5xx for a fault of the service. Without TORQUED_SIZES sizes are
used that take a minute; `make sizes` uses 128, 500 and 1,000 joints. There a call that becomes a job is
cancelled after three seconds and must end; a refusal for its time (504, `run_timeout`) counts as an answer.
The values of answers are tested elsewhere."""
import collections
import json
import math
import os

import pytest
import yaml
from conftest import ROOT, SLOW, eventually
from test_calibrate_long import put_npy

CONSTRAINED_MOST = 256  # degrees of freedom
KINDS = ("chain", "tree", "floating", "mimic", "constraints", "drives")
CHOSEN = [int(n) for n in os.environ.get("TORQUED_SIZES", "").split(",") if n]
LAYOUTS = os.environ.get("TORQUED_LAYOUTS", ",".join(KINDS)).split(",")
PARTS = ("terms", "geometry", "motion", "search", "fits")
# operations of cubic cost or more are tested with larger robots only if TORQUED_SIZES is set
FEW = 20
JSON = {"Content-Type": "application/json", "Prefer": "wait=3" if CHOSEN else "wait=60"}
DRIVE = {"motor": {"constant_nm_a": 0.05, "resistance": 0.6, "inductance": 6e-4, "inertia": 2e-5, "viscous": 1e-5}, "gear": {"ratio": 100.0},
         "amplifier": {"kind": "pwm", "supply_v": 48.0}, "current_limit": {"continuous_a": 5.0, "peak_a": 15.0, "foldback_time_s": 2.0}}
CONTRACT = yaml.safe_load((ROOT / "api" / "openapi" / "openapi.yaml").read_text())
TERMS = CONTRACT["components"]["schemas"]["TermsRequest"]["properties"]["include"]["items"]["enum"]
SOLVERS = "dopri87 dopri45 sdirk bdf rk4 semi-implicit-euler implicit-midpoint".split()
CONTROLLERS = "feedforward pd pd-gravity computed-torque passivity-based".split()
METHODS = "feasible ols wls irls tls ridge bounded iv feasible-iv".split()
PARAMETERS = ["rotor", "viscous", "coulomb", "offset", "stiffness"]


def document(n, kind):
    def link(name, mass):
        return {"name": name, "mass": mass, "com": [0.05, 0.01, 0.02], "inertia_about": "com", "inertia": [[1e-3, 0, 0], [0, 2e-3, 0], [0, 0, 2e-3]]}

    links, joints, root = [{"name": "l0"}], [], "l0"
    if kind == "floating":
        root = "body"
        links.append(link(root, 2.0))
        joints.append({"name": "root", "kind": "floating", "parent": "l0", "child": root})
    for k in range(1, n + 1):
        parent = k // 2 if kind == "tree" else k - 1
        links.append(link(f"l{k}", 0.5))
        joints.append({"name": f"j{k}", "kind": "revolute" if k % 7 else "prismatic", "parent": f"l{parent}" if parent else root, "child": f"l{k}",
                       "origin": {"position": [0.1, 0, 0]}, "axis": [[1, 0, 0], [0, 1, 0], [0, 0, 1]][k % 3],
                       "limits": {"lower": -2, "upper": 2, "velocity": 3, "effort": 1000}})
        if kind == "drives":
            joints[-1]["drive"] = DRIVE
    if kind == "mimic" and n > 1:
        joints[-1]["mimic"] = {"joint": "j1", "multiplier": 0.5, "offset": 0.1}
    summary = {"name": f"{kind}-{n}", "gravity": [0, 0, -9.81], "links": links, "joints": joints}
    if kind == "constraints" and n > 1:
        summary["constraints"] = [{"name": "e1", "kind": "equation", "expression": f"j1 - j{n}"}]
    return summary


def terms(n, q, v):
    for name in TERMS:
        more = {"operational_space_inertia": {"frame": f"l{n}", "axes": ["x", "y", "z"]},
                "passivity": {"qd_ref": v, "qdd_ref": v}}.get(name, {})
        yield "terms", {"q": q, "qd": v, "include": [name], **more, **({} if name == "passivity" else {"qdd": v})}
        yield "inverse-dynamics", {"q": q, "qd": v, "qdd": v, "include": [name], **more}
        yield "forward-dynamics", {"q": q, "qd": v, "tau": v, "include": [name], **more}
    for form in ("christoffel", "c1", "c2", "stacked"):
        yield "terms", {"q": q, "qd": v, "include": ["coriolis_matrix"], "coriolis_form": form}
    yield "terms", {"q": q, "include": ["mass_matrix_bounds"], "box": {"lower": [x - 0.1 for x in q], "upper": [x + 0.1 for x in q]}}
    yield "terms", {"q": [q] * 300, "qd": [v] * 300, "include": ["mass_matrix"]}
    yield "inverse-dynamics", {"q": [q] * 300, "qd": [v] * 300, "qdd": [v] * 300}
    yield "forward-dynamics", {"q": [q] * 300, "qd": [v] * 300, "tau": [v] * 300}


def geometry(n, q, v):
    frame, pose = f"l{n}", {"position": [0.1, 0.1, 0.1], "quaternion_wxyz": [1, 0, 0, 0]}
    yield "inverse-kinematics", {"frame": frame, "pose": pose, "seeds": 2}
    yield "inverse-kinematics", {"frame": frame, "pose": {"position": [0.1, 0.1, 0.1]}, "initial": q, "solutions": 3, "seeds": 2}
    way = [q, [x + 0.1 for x in q], q]
    for timing in ("linear", "cubic", "quintic", "septic", "trapezoid", "spline"):
        yield "trajectory", {"waypoints": way, "times_s": [0, 0.5, 1], "interval_s": 0.05, "timing": timing}
    yield "trajectory", {"poses": [pose, {**pose, "position": [0.1, 0.1, 0.12]}], "frame": frame, "initial": q, "times_s": [0, 1], "interval_s": 0.1,
                         "timing": "quintic"}
    yield "trajectory", {"fourier": {"frequency_hz": 0.1, "offset": q, "a": [v] * 3, "b": [v] * 3}, "interval_s": 0.5}
    for place in ("world", "link", "spatial"):
        yield "kinematics", {"q": q, "qd": v, "qdd": v, "frames": [frame], "expressed_in": place}
    yield "kinematics", {"q": q, "qd": v, "expressed_in": "world"}
    yield "statics", {"q": q, "joint_stiffness": [5e3] * len(v), "geometric": True, "endpoint_wrench": {
        "link": frame, "at": "origin", "force": [1, 2, 3], "moment": [0, 0, 1], "expressed_in": "world", "applied_to": "robot"}}


def motion(n, q, v):
    common = {"initial": {"q": q}, "duration_s": 0.002, "output": {"interval_s": 0.001}}
    vary = {"vary": [{"of": "mass_factor", "link": f"l{n}", "uniform": [0.9, 1.1]}], "members": 3}
    for method in SOLVERS:
        yield "simulate", {**common, "solver": {"method": method}, "include": ["qdd", "energy", "momentum", "base_reaction"]}
        yield "ensemble", {**common, "solver": {"method": method}, **vary, "end_states": True, "quantiles": [0.5], "return_members": [0]}
    for kind in CONTROLLERS:
        law = {"kind": kind, "reference": {"setpoint": q}}
        law.update({"feedforward": {}, "passivity-based": {"kd": 1, "lambda": 1}}.get(kind, {"kp": 10, "kd": 1}))
        yield "simulate", {**common, "input": law, "include": ["tracking_error"]}
        yield "ensemble", {**common, "input": law, **vary}
    yield "simulate", {**common, "include": ["multipliers"]}
    yield "simulate", {**common, "verdict": {"model_uncertainty": 0.01}}
    yield "simulate", {**common, "events": [{"on": "limits", "action": "bounce", "restitution": 0.5},
                                            {"on": "q", "joint": "j1", "level": 0.1, "action": "stop"}]}


def search(n, q, v):
    for parameters in ([], PARAMETERS):
        yield "regressor", {"q": q, "qd": v, "qdd": v, "parameters": parameters}
    base = 7 if len(q) != len(v) else 0
    poses = [q[:base] + [math.sin(1 + 7.3 * k + 2.1 * c) for c in range(len(q) - base)] for k in range(60)]
    target = {"q": poses, "position": [[math.sin(3.1 * k + c) for c in range(3)] for k in range(60)], "frame": f"l{n}"}
    yield "calibrate-kinematics", target
    yield "calibrate-kinematics", {**target, "identify": "frames", "quaternion_wxyz": [[1, 0, 0, 0]] * 60, "robust": True}
    yield "calibrate-kinematics", {"q": poses, "plane": [0] * 60, "frame": f"l{n}"}
    if n <= FEW or CHOSEN:
        for harmonics in (2, 64):
            yield "excitation", {"tries": 3, "harmonics": harmonics, "interval_s": 0.5, "parameters": PARAMETERS}
        yield "static-poses", {"poses": 4, "candidates": 20}
        for parameters in ([], PARAMETERS):
            yield "regressor?form=base", {"q": q, "qd": v, "qdd": v, "parameters": parameters}


def fits(daemon, n, nq, nv):
    """Positions with their exact derivatives, and torques unrelated to the motion, so that time and derivatives
    in the log are consistent."""
    rows = []
    for k in range(200):
        q, qd, qdd, tau = ([] for _ in range(4))
        for c in range(nv):
            w, phase = 2 + c % 3 + 0.1 * (c % 7), 0.05 * k * (1 + c % 5) + c
            s, x = w * k / 100 + c, math.sin(phase)
            q.append(0.3 * math.sin(s))
            qd.append(0.3 * w * math.cos(s))
            qdd.append(-0.3 * w * w * math.sin(s))
            tau.append(x + 5 * qdd[-1])
        if nq != nv:  # the floating base stays at the origin
            q, qd, qdd = [0, 0, 0, 1, 0, 0, 0, *q[6:]], [0] * 6 + qd[6:], [0] * 6 + qdd[6:]
        rows.append(q + qd + qdd + tau)
    put_npy(daemon, f"walk-{n}-{nq}", rows, 1)
    at = [0, nq, nq + nv, nq + 2 * nv, nq + 3 * nv]
    columns = {name: list(range(at[k], at[k + 1])) for k, name in enumerate(("q", "qd", "qdd", "tau"))}
    body = {"datasets": [f"walk-{n}-{nq}"], "rate_hz": 100, "columns": columns, "filter": {"cutoff_hz": 20}}
    simple = {"friction": ["viscous"], "rotor": False}
    for method in METHODS:
        yield "calibrate", {**body, "method": method, "model": simple}
    yield "calibrate", {**body, "method": "wls", "model": {"kind": "per-joint", "friction": ["viscous"]}, "bootstrap": 20, "covariance": True}
    yield "calibrate", {**body, "model": {"kind": "full", "springs": True}}
    yield "calibrate", body


def sizes():
    if CHOSEN:
        return [(n, kind, part) for n in CHOSEN for kind in LAYOUTS for part in PARTS]
    if SLOW > 1:  # under a sanitizer, a part of them
        return [(n, kind, "all") for n in (1, 2, 3) for kind in KINDS] + [(7, "floating", "all"), (65, "chain", "all")]
    return [(n, kind, "all") for n in (1, 2, 3, 7) for kind in KINDS] + [(65, "chain", "all"), (129, "chain", "all")]


def requests(daemon, part, n, nq, nv, kind):
    q, v = [0.1] * nq, [0.1] * nv
    if kind == "floating":
        q[:7] = [0, 0, 0, 1, 0, 0, 0]
    for name, made in (("terms", terms), ("geometry", geometry), ("motion", motion), ("search", search)):
        if part in (name, "all"):
            yield from made(n, q, v)
    if part == "fits" or part == "all" and n <= FEW:
        yield from fits(daemon, n, nq, nv)


def job_ends(daemon, job):
    """A job that takes long must end after it is cancelled."""
    daemon.request("POST", job + "/cancel")
    if CHOSEN:
        eventually(lambda: json.loads(daemon.request("GET", job)[2])["state"] in ("cancelled", "succeeded", "failed"))


@pytest.mark.seconds(600 if CHOSEN else 60)
@pytest.mark.parametrize("n,kind,part", sizes())
def test_an_answer_or_a_refusal_with_its_place(daemon, n, kind, part):
    status, _, text = daemon.request("PUT", "/v1/robots/walked", json.dumps(document(n, kind)).encode(), JSON)
    if kind == "constraints" and n > CONSTRAINED_MOST:  # a refusal with its place too
        assert status == 413 and json.loads(text)["errors"][0]["pointer"] == "/constraints", text[:500]
        return
    assert status in (200, 201), text[:500]
    summary = json.loads(daemon.request("GET", "/v1/robots/walked")[2])
    counts = collections.Counter()
    for call, body in requests(daemon, part, n, summary["nq"], summary["nv"], kind):
        status, headers, text = daemon.request("POST", f"/v1/robots/walked/{call}", json.dumps(body).encode(), JSON)
        counts[status] += 1
        if status == 202:
            job_ends(daemon, headers["location"])
        elif CHOSEN and status == 504:
            assert json.loads(text)["type"] == "/problems/took-too-long", (call, text[:500])
        elif status != 200:
            assert 400 <= status < 500, (call, body.get("include"), body.get("method"), text[:500])
            assert json.loads(text)["errors"][0]["pointer"] is not None, (call, text[:500])
    print(f"{n} joints, {kind}, {part}: {dict(counts)}")
    assert daemon.request("GET", "/healthz")[0] == 200
