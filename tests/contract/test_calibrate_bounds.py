# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_bounds.py - bounds of masses and centres of mass in the feasible fit: against a
# barrier method in numpy, bounds that hold, given values, and refusals.
import json

import numpy as np
import pytest
from test_calibrate import EXACT, ask, calibrate, last_job, truth, write_run  # noqa: F401, truth is a fixture
from test_calibrate_compare import PARAMETERS, columns, read_log, weighted

NAMES = ["bounded1", "bounded2"]
# a prior of no weight: the objective is the residual alone
BODY = {"datasets": NAMES, "filter": EXACT, "method": "feasible", "delay_s": 0, "prior_weight": 1e-10}


@pytest.fixture(scope="module")
def free(daemon, truth):
    """The fit without bounds."""
    for run, name in enumerate(NAMES, 1):
        write_run(daemon, name, truth, run, noise=0.05)
    return calibrate(daemon, BODY, robot="guess")


def link(found, name):
    return next(one for one in found["robot"]["links"] if one["name"] == name)


def pseudo(ten):
    """The pseudo-inertia [S h; h^T m] of m, h, and the tensor about the origin: S = trace(I) / 2 - I."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = ten
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    p = np.zeros((4, 4))
    p[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
    p[3, :3] = p[:3, 3] = x, y, z
    p[3, 3] = m
    return p


UNIT = np.array([pseudo(row) for row in np.eye(10)])


def barrier(a, b, n_body, positive, rows, offsets, x):
    """min |a x - b|^2 over bodies x[:10], ... with P > 0, x[positive] > 0 and rows x + offsets > 0: Newton's method
    on the objective with mu (tr P - log det P) and mu (x - log x) for each constraint, mu towards 0."""
    gram, right = a.T @ a, a.T @ b
    inner = [slice(10 * k, 10 * k + 10) for k in range(n_body)]

    def bodies(y):
        return [np.tensordot(y[s], UNIT, 1) for s in inner]

    def value(y, mu):
        try:
            sum_log = sum(2 * np.log(np.diag(np.linalg.cholesky(p))).sum() for p in bodies(y))
        except np.linalg.LinAlgError:
            return np.inf
        slack = rows @ y + offsets
        if min(slack) <= 0 or min(y[positive]) <= 0:
            return np.inf
        pull = sum(np.trace(p) for p in bodies(y)) + y[positive].sum()
        return y @ gram @ y - 2 * right @ y + mu * (pull - sum_log - np.log(slack).sum() - np.log(y[positive]).sum())

    mu = 1e6
    while mu > 1e-6:
        for _ in range(200):
            slack = rows @ x + offsets
            gradient = 2 * (gram @ x - right) - mu * rows.T @ (1 / slack)
            hessian = 2 * gram + mu * (rows / slack[:, None] ** 2).T @ rows
            for s, p in zip(inner, bodies(x)):
                inverse = np.linalg.inv(p)
                each = inverse @ UNIT
                gradient[s] += mu * (np.trace(UNIT, axis1=1, axis2=2) - np.trace(each, axis1=1, axis2=2))
                hessian[s, s] += mu * np.einsum("iab,jba->ij", each, each)
            gradient[positive] += mu * (1 - 1 / x[positive])
            hessian[positive, positive] += mu / x[positive] ** 2
            size = 1 / np.sqrt(np.diag(hessian))
            step = -size * np.linalg.solve(hessian * np.outer(size, size), size * gradient)
            decrement, now, t = -gradient @ step, value(x, mu), 1.0
            if decrement < 1e-4 * mu:
                break
            while t > 1e-9 and value(x + t * step, mu) > now - 1e-4 * t * decrement:
                t /= 2
            x = x + t * step
        mu /= 4
    return x


def test_the_optimum_is_that_of_a_barrier_method(daemon, truth, free):
    bounds = {"link6": {"mass_kg": [0.1, 0.2], "com_m": [[0.002, None], None, [None, 0.04]]}, "joint2_axis": {"mass_kg": [2, 3.5], "com_m": [[None, 0.06], [0, None], None]}}
    found = calibrate(daemon, {**BODY, "bounds": {"links": bounds}}, robot="guess")
    # all parameters of the robot, of which those of links on fixed joints keep the file's values
    document = json.loads(daemon.request("GET", "/v1/robots/guess")[2])
    moved = [joint["child"] for joint in document["joints"] if joint["kind"] != "fixed"]
    logs = [read_log(daemon, name, truth) for name in NAMES]
    base = [columns(daemon, "guess", log) for log in logs]
    stack, tau = np.concatenate([y for y, _ in base]), np.concatenate([t for _, t in base])
    weight = 1 / np.sqrt(((tau - stack @ weighted(stack, tau, 3)) ** 2).mean(axis=0))
    parts = [ask(daemon, "guess", "regressor", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist(), "parameters": PARAMETERS}) for q, qd, qdd, _ in logs]
    named, known = parts[0]["columns"], np.array(parts[0]["parameter_values"])
    whole = np.concatenate([np.array(part["regressor"]) for part in parts])
    kept = [k for name in moved for k, c in enumerate(named) if c.get("link") == name] + [k for k, c in enumerate(named) if "joint" in c]
    fixed = [k for k in range(len(named)) if k not in kept]
    a = (whole[:, :, kept] * weight[:, None]).reshape(-1, len(kept))
    b = ((tau - whole[:, :, fixed] @ known[fixed]) * weight).reshape(-1)
    unit = np.linalg.qr(np.column_stack([a, b]), mode="r")
    rest = unit[len(kept), len(kept)] ** 2
    a, b = unit[: len(kept), : len(kept)], unit[: len(kept), len(kept)]
    positive = np.array([k for k in range(10 * len(moved), len(kept)) if not named[kept[k]]["name"].startswith("fo")])
    rows, offsets = [], []
    x = np.ones(len(kept))
    for k, name in enumerate(moved):
        com = [0.015, 0.01, 0]
        mass = {"link6": 0.15, "joint2_axis": 2.5}.get(name, 5)
        x[10 * k : 10 * k + 4] = [mass, *(mass * np.array(com))]
        second = mass * (0.05 * np.eye(3) + np.outer(com, com))
        tensor = np.trace(second) * np.eye(3) - second
        x[10 * k + 4 : 10 * k + 10] = tensor[np.triu_indices(3)]
        for at, value, sign in {"link6": [(0, 0.1, 1), (0, 0.2, -1), (1, 0.002, 1), (3, 0.04, -1)], "joint2_axis": [(0, 2, 1), (0, 3.5, -1), (1, 0.06, -1), (2, 0, 1)]}.get(name, []):
            row = np.zeros(len(kept))
            row[10 * k + at] = sign
            row[10 * k] -= sign * value if at > 0 else 0
            rows.append(row)
            offsets.append(-sign * value if at == 0 else 0)
    best = barrier(a, b, len(moved), positive, np.array(rows), np.array(offsets), x)
    objective = ((a @ best - b) ** 2).sum() + rest
    told = found["feasibility"]
    # the fit keeps pseudo-inertias above 1e-6 of the file's, which costs 6e-7 here
    assert told["objective"] == pytest.approx(objective, rel=1e-6)
    assert free["feasibility"]["objective"] < 0.98 * objective
    # the price is that over the fit without bounds, and its parts add up
    price = told["bounds"]["price_percent"]
    assert price == pytest.approx(100 * (objective / free["feasibility"]["objective"] - 1), rel=1e-3)
    active = told["bounds"]["active"]
    assert sum(one["price_percent"] for one in active) == pytest.approx(price) and price > 2
    # they are those on which the barrier method ends, or beyond which the free fit is
    ends = {(one["link"], one["quantity"], one["end"]): one for one in active}
    assert ends[("joint2_axis", "com_x", "most")]["value"] == pytest.approx(0.06, rel=1e-5)
    assert ends[("joint2_axis", "com_x", "most")]["unit"] == "m"
    mass = ends[("joint2_axis", "mass", "most")]
    assert mass["bound"] == 3.5 and mass["value"] == pytest.approx(3.5, rel=1e-5) and mass["unit"] == "kg"
    assert mass["without_bounds"] == pytest.approx(link(free, "joint2_axis")["mass"]) and mass["without_bounds"] > 4
    assert ("link6", "com_x", "most") not in ends
    # the robot has them
    for name, own in bounds.items():
        body = link(found, name)
        for value, ends in zip([body["mass"], *body["com"]], [own["mass_kg"], *own["com_m"]]):
            low, high = [(-1) ** (1 - k) * np.inf if end is None else end for k, end in enumerate(ends or [None, None])]
            assert low - 1e-9 <= value <= high + 1e-9, (name, value, ends)
    # and the reason names the costliest
    assert any("the logs contradict the bounds" in reason and "joint2_axis" in reason for reason in found["reasons"]), found["reasons"]
    job = last_job(daemon)
    page = daemon.request("GET", f"/v1/jobs/{job}/report")[2].decode()
    assert "Bounds that change the fit" in page and "joint2_axis" in page and "That is more than 2 %" not in page
    table = daemon.request("GET", f"/v1/jobs/{job}/result/bounds.csv")[2].decode().split("\n")
    assert table[0].strip() == "link,quantity,end,unit,bound,value,without_bounds,price_percent"
    rows = [line.strip().split(",") for line in table[1:] if line.strip()]
    assert [row[:4] for row in rows] == [[one[key] for key in ("link", "quantity", "end", "unit")] for one in active]
    assert [[float(x) for x in row[4:]] for row in rows] == [[one[key] for key in ("bound", "value", "without_bounds", "price_percent")] for one in active]


def test_bounds_that_hold_change_nothing(daemon, free):
    document = json.loads(daemon.request("GET", "/v1/robots/guess")[2])
    moved = [joint["child"] for joint in document["joints"] if joint["kind"] != "fixed"]
    wide = {name: {"mass_kg": [0, 1000], "com_m": [[-10, 10], [None, 10], None]} for name in moved}
    found = calibrate(daemon, {**BODY, "bounds": {"links": wide}}, robot="guess")
    assert found["feasibility"].pop("bounds") == {"price_percent": 0, "active": []}
    for key in ("parameters", "feasibility", "validation", "verdict", "reasons", "robot", "findings"):
        assert found[key] == free[key], key
    job = last_job(daemon)
    assert "change nothing" in daemon.request("GET", f"/v1/jobs/{job}/report")[2].decode()
    assert daemon.request("GET", f"/v1/jobs/{job}/result/bounds.csv")[2].decode().count("\n") == 1
    assert "bounds" not in free["feasibility"]


def test_logs_without_noise(daemon, truth):
    """Their sum of squares without bounds is rounding error: no price is stated in parts of it."""
    found = calibrate(daemon, {**BODY, "datasets": ["run1", "run2"], "bounds": {"links": {"link6": {"mass_kg": [0.1, 0.2], "com_m": [[0.05, None], None, None]}}}}, robot="guess")
    told = found["feasibility"]["bounds"]
    assert told["price_percent"] is None and "exactly" in told["price_percent_reason"]
    assert all(one["price_percent"] is None for one in told["active"]) and told["active"]
    assert link(found, "link6")["com"][0] == pytest.approx(0.05, rel=1e-5)
    assert any("exactly without" in reason and "link6" in reason for reason in found["reasons"]), found["reasons"]
    assert "Bounds that change the fit" in daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/report")[2].decode()


def test_values_that_are_known(daemon, free):
    """A range of one value; here of a mass that no torque shows by itself: it costs nothing."""
    for method in ("feasible", "feasible-iv"):
        found = calibrate(daemon, {**BODY, "method": method, "bounds": {"links": {"link6": {"mass_kg": [0.117, 0.117], "com_m": [None, None, [0.032, 0.032]]}}}}, robot="guess")
        body = link(found, "link6")
        assert body["mass"] == pytest.approx(0.117, rel=1e-6) and body["com"][2] == pytest.approx(0.032, abs=1e-6), method
        assert found["feasibility"]["bounds"]["price_percent"] < 0.1 and found["verdict"] == free["verdict"]
        assert {(one["quantity"], one["bound"]) for one in found["feasibility"]["bounds"]["active"]} == {("mass", 0.117), ("com_z", 0.032)}
        # base parameters, which the logs do show, move by less than a deviation
        for p, q in zip(found["parameters"], free["parameters"]):
            assert abs(p["value"] - q["value"]) < q["standard_deviation"] or method == "feasible-iv", p["name"]
    # other feasible estimators stay within as well, and others are as they were
    table = calibrate(daemon, {**BODY, "bounds": {"links": {"joint2_axis": {"mass_kg": [2, 3], "com_m": [[None, 0.02], None, None]}}}, "compare": ["feasible", "entropic", "wls"]},
                      robot="guess")
    one = {row["estimator"]: row for row in table["comparison"]["estimators"]}
    assert one["feasible"]["values"] == table["parameter_values"]
    at = next(k for k, p in enumerate(table["parameters"]) if p["name"] == "mx_2")
    assert one["wls"]["values"][at] > one["feasible"]["values"][at] + 0.05
    assert one["entropic"]["price_percent"] >= one["feasible"]["price_percent"] > 10 > one["wls"]["price_percent"]


def test_around_the_file(daemon, free):
    """All links with what is fixed to them; the true masses are 1.3 times those of the file."""
    document = json.loads(daemon.request("GET", "/v1/robots/guess")[2])
    masses = {one["name"]: one["mass"] for one in document["links"]}
    body = {joint["child"]: masses[joint["child"]] for joint in document["joints"]}
    for joint in document["joints"]:  # link2 is fixed to joint2_axis
        if joint["kind"] == "fixed":
            body[joint["parent"]] += masses[joint["child"]]
            del body[joint["child"]]
    for percent, names in ((20, set(body)), (60, {"link6"})):
        found = calibrate(daemon, {**BODY, "bounds": {"mass_within_percent": percent, "com_within_m": 0.2, "links": {"link6": {"com_m": [None, None, [0, 0.1]]}}}}, robot="guess")
        new = {one["name"]: one["mass"] for one in found["robot"]["links"]}
        for name, mass in body.items():
            own = mass - masses[name]
            if name != "link6" and mass > 0:  # named: it has its own bounds, and none of the mass
                assert abs(new[name] + own - mass) <= percent / 100 * mass * (1 + 1e-6), name
        assert names and new["link2"] == masses["link2"]
        for one in found["feasibility"]["bounds"]["active"]:
            if one["quantity"] == "mass":
                assert one["bound"] in (pytest.approx((1 - percent / 100) * body[one["link"]]), pytest.approx((1 + percent / 100) * body[one["link"]]))
    # link1 has no mass in the file: nothing bounds it
    assert body["link1"] == 0 and not any(one["link"] == "link1" for one in found["feasibility"]["bounds"]["active"])


@pytest.mark.parametrize(
    "bounds, more, place, word",
    [
        ({"links": {"link6": {"mass_kg": [2.4, 1.8]}}}, {}, "/bounds/links/link6/mass_kg", "at least 2.4 and at most 1.8"),
        ({"links": {"link6": {"com_m": [None, [0.1, -0.1], None]}}}, {}, "/bounds/links/link6/com_m/1", "at least 0.1 and at most -0.1"),
        ({"links": {"link6": {"mass_kg": [None, 0]}}}, {}, "/bounds/links/link6/mass_kg/1", "from 1e-09"),
        ({"links": {"link6": {"mass_kg": [-1, None]}}}, {}, "/bounds/links/link6/mass_kg/0", "from 0"),
        ({"links": {"link6": {"mass_kg": [1]}}}, {}, "/bounds/links/link6/mass_kg", "2"),
        ({"links": {"link6": {"com_m": [None, None]}}}, {}, "/bounds/links/link6/com_m", "3"),
        ({"links": {"link6": {"mass": [1, 2]}}}, {}, "/bounds/links/link6/mass", "mass_kg"),
        ({"links": {"link7": {"mass_kg": [1, 2]}}}, {}, "/bounds/links/link7", "did you mean"),
        ({"links": {"world": {"mass_kg": [1, 2]}}}, {}, "/bounds/links/world", "no joint moves"),
        ({"links": {"link2": {"mass_kg": [1, 2]}}}, {}, "/bounds/links/link2", "17.4 kg"),
        ({"links": {"link6": {"mass_kg": [1, 2]}}}, {"at_rest": {"joint6": 0}, "columns": {"time": "t"}}, "/bounds/links/link6", "is fixed to"),
        ({"links": ["link6"]}, {}, "/bounds/links", "by their names"),
        ({"links": {"link6": [1, 2]}}, {}, "/bounds/links/link6", "mass_kg"),
        ({"mass_within_percent": 0}, {}, "/bounds/mass_within_percent", "from 0.0001"),
        ({"com_within_m": 1e9}, {}, "/bounds/com_within_m", "to 100"),
        ({"links": {"link6": {"mass_kg": [1, 2]}}}, {"method": "ols"}, "/bounds", "feasible"),
        ({"mass_within_percent": 10}, {"method": "bounded"}, "/bounds", "feasible"),
        ({"mass_within_percent": 10}, {"model": {"kind": "per-joint"}}, "/bounds", "per-joint"),
    ],
)
def test_bounds_that_contradict(daemon, free, bounds, more, place, word):
    told = calibrate(daemon, {**BODY, **more, "bounds": bounds}, want=400 if word in ("mass_kg", "by their names") else 422, robot="guess")
    assert len(told["errors"]) == 1
    fault = told["errors"][0]
    assert fault["pointer"] == place and word in fault["detail"] + fault["hint"], fault
