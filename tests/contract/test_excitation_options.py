# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_excitation_options.py - excitation for a payload, for a task, among solids, and as poses at rest: checked by numpy
# over `regressor` and `distance`.
import json

import pytest
from conftest import eventually, numbers

JSON = {"Content-Type": "application/json"}
FRICTION = ["viscous", "coulomb", "offset"]
SOLIDS = [
    {"link": "link4", "name": "elbow", "shape": "capsule", "size": [0.07, 0.15]},
    {"link": "link7", "name": "hand", "shape": "capsule", "size": [0.06, 0.2]},
    {"name": "floor", "shape": "half-space"},
    {"name": "table", "shape": "box", "size": [0.4, 0.8, 0.6], "pose": {"position": [0.6, 0, 0.3]}},
]


def post(daemon, path, document):
    status, headers, body = daemon.request("POST", f"/v1/robots/{path}", json.dumps(document), {**JSON, "Prefer": "wait=60"})
    if status == 202:  # under a sanitizer
        eventually(lambda: daemon.request("GET", headers["Location"] + "/result")[0] != 409)
        status, _, body = daemon.request("GET", headers["Location"] + "/result")
    return status, json.loads(body)


def limits_of(daemon, np, robot):
    joints = [j for j in json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"] if j["kind"] != "fixed"]
    return [np.array([j["limits"][k] for j in joints]) for k in ("lower", "upper", "velocity", "effort")]


def rows(daemon, np, robot, parameters, names, states, noise):
    """Columns `names` of the full regressor over the noise of each joint: (samples, joints, names)."""
    status, answer = post(daemon, f"{robot}/regressor", {"parameters": parameters, **states})
    assert status == 200, answer
    columns = [c["name"] for c in answer["columns"]]
    y = np.array(answer["regressor"]).reshape(len(states["q"]), len(noise), -1)
    return y[:, :, [columns.index(n) for n in names]] / noise[:, None]


def normal(np, y):
    return np.einsum("ivc,ivd->cd", y, y)


def test_poses_are_those_of_least_error_among_random_ones(daemon):
    """Torque error by numpy, over poses drawn here; below that of nearly all random choices, and of each exchange of one pose."""
    np = pytest.importorskip("numpy")
    lower, upper, velocity, effort = limits_of(daemon, np, "panda")
    noise = 0.01 * effort
    status, found = post(daemon, "panda/static-poses", {"parameters": ["offset"], "poses": 12, "dwell_s": 1.5})
    assert status == 200, found
    names, poses = found["base_parameters"], found
    assert len(poses["q"]) == 12
    still = np.zeros((600, 7)).tolist()
    chance = np.random.default_rng(1).uniform(lower, upper, (600, 7))
    asked = rows(daemon, np, "panda", ["offset"], names, {"q": chance.tolist(), "qd": still, "qdd": still}, noise)
    demand = normal(np, asked) / 600 / 7
    own = rows(daemon, np, "panda", ["offset"], names, {"q": poses["q"], "qd": still[:12], "qdd": still[:12]}, noise)

    def error(y):
        return np.sqrt(np.trace(np.linalg.solve(normal(np, y), demand)))

    assert found["score"]["torque_error"] == pytest.approx(error(own), rel=0.05)  # 400 candidates of its own
    random = sorted(error(asked[12 * k : 12 * k + 12]) for k in range(50))
    assert error(own) < random[0] and error(own) < 0.9 * random[25], (error(own), random[::10])
    better = [error(np.concatenate([own[:k], own[k + 1 :], asked[i : i + 1]])) for k in range(12) for i in range(600)]
    assert min(better) > 0.97 * error(own)  # other candidates than the search's own
    # a tour: times at the limits of velocity, each pose within the limits
    q = np.array(poses["q"])
    assert ((q >= lower) & (q <= upper)).all()
    legs = [np.max(abs(q[k] - q[k - 1]) / velocity) for k in range(12)]
    assert [leg["duration_s"] for leg in poses["legs"]] == pytest.approx(legs, rel=1e-12)
    assert poses["duration_s"] == pytest.approx(sum(legs) + 12 * 1.5)
    shuffled = np.random.default_rng(2)
    others = [q[shuffled.permutation(12)] for _ in range(200)]
    assert sum(legs) < min(sum(np.max(abs(o[k] - o[k - 1]) / velocity) for k in range(12)) for o in others)
    status, at = post(daemon, "panda/inverse-dynamics", {"q": poses["q"], "qd": still[:12], "qdd": still[:12]})
    assert np.array(poses["tau"]) == pytest.approx(np.array(at["tau"]), abs=1e-9)


@pytest.mark.parametrize("criterion", ["determinant", "torque-error"])
def test_poses_among_solids_and_with_a_payload(daemon, criterion):
    np = pytest.importorskip("numpy")
    request = {"poses": 8, "identify": "payload", "shapes": SOLIDS, "clearance_m": 0.03, "criterion": criterion, "angles": "deg"}
    status, found = post(daemon, "panda/static-poses", request)
    assert status == 200, found
    assert found["link"] == "link7" and found["base_parameters"] == ["mx_7", "my_7", "mz_7", "m_7"]
    status, apart = post(daemon, "panda/distance", {"q": found["q"], "angles": "deg", "shapes": SOLIDS})
    assert apart["least"]["distance"] >= 0.03
    assert found["candidates"] < 400  # some collide
    for k, leg in enumerate(found["legs"]):
        a, b = np.array(found["q"][k - 1]), np.array(found["q"][k])
        line = [(a + s * (b - a)).tolist() for s in np.linspace(0, 1, 41)]
        status, way = post(daemon, "panda/distance", {"q": line, "angles": "deg", "shapes": SOLIDS})
        assert leg["distance"] == pytest.approx(way["least"]["distance"], abs=1e-9)
        assert leg["is_clear"] == (leg["distance"] >= 0.03)
    assert found["legs_not_clear"] == sum(not leg["is_clear"] for leg in found["legs"])


def test_poses_for_drive_gains_by_a_known_load(daemon):
    """Expected deviations of gains by numpy: of rows without and with the load, of the poses that are given; poses that gains are not asked of show them less."""
    np = pytest.importorskip("numpy")
    noise = np.array([2, 3, 2, 1.5, 1, 0.8, 0.5])
    load = {"mass": 3.0, "com": [0.02, 0.0, 0.1]}
    request = {"poses": 10, "parameters": ["offset"], "torque_noise": noise.tolist()}
    status, plain = post(daemon, "panda/static-poses", request)
    status, found = post(daemon, "panda/static-poses", {**request, "load": load})
    assert status == 200, found

    def errors(q):
        still = np.zeros((len(q), 7)).tolist()
        states = {"q": q, "qd": still, "qdd": still}
        y = rows(daemon, np, "panda", ["offset"], found["base_parameters"], states, noise)
        status, bare = post(daemon, "panda/inverse-dynamics", states)
        status, more = post(daemon, "panda/regressor", states)
        names = [p["name"] if isinstance(p, dict) else p for p in more["columns"]]
        whole = np.array(more["regressor"]).reshape(len(q), 7, -1)
        carried = sum(whole[:, :, names.index(f"{k}_7")] * x for k, x in zip(("m", "mx", "my", "mz"), (3.0, *(3.0 * c for c in load["com"]))))
        tau = np.array(bare["tau"])
        stack = [np.concatenate([y, -np.eye(7) * (torque / noise)[:, :, None]], axis=2) for torque in (tau, tau + carried)]
        every = np.concatenate(stack).reshape(-1, y.shape[2] + 7)
        every = np.vstack([every, 1e-4 * np.eye(every.shape[1])])  # what the search takes as known beforehand, in the worst case
        return np.sqrt(np.diag(np.linalg.inv(every.T @ every)))[-7:]

    own, other = errors(found["q"]), errors(plain["q"])
    said = found["gain_errors"]
    assert said[0] is None and own[0] > 1 and all(x is not None for x in said[1:])  # gravity does not turn the first joint
    assert np.array(said[1:], float) == pytest.approx(own[1:], rel=0.02)
    assert np.mean(own[1:] ** 2) < np.mean(other[1:] ** 2)
    # twice the load shows gains better
    status, heavy = post(daemon, "panda/static-poses", {**request, "load": {**load, "mass": 6.0}})
    assert all(h < s for h, s in zip(heavy["gain_errors"][1:], said[1:]))
    assert "gain_errors" not in plain


@pytest.mark.parametrize(
    ("load", "pointer"),
    [
        ({"com": [0, 0, 0]}, "/load/mass"),
        ({"mass": 0}, "/load/mass"),
        ({"mass": -2}, "/load/mass"),
        ({"mass": 1e7}, "/load/mass"),
        ({"mass": 1, "com": [0, 0]}, "/load/com"),
        ({"mass": 1, "link": "nowhere"}, "/load/link"),
        ({"mass": 1, "link": "link0"}, "/load/link"),
        ({"mass": 1, "weight": 2}, "/load/weight"),
        (3, "/load"),
    ],
)
def test_wrong_loads(daemon, load, pointer):
    status, body = post(daemon, "panda/static-poses", {"poses": 4, "load": load})
    assert status in (400, 422) and body["errors"][0]["pointer"] == pointer, body
    status, body = post(daemon, "panda/static-poses", {"poses": 4, "load": {"mass": 1}, "identify": "payload"})
    assert status == 422 and body["errors"][0]["pointer"] == "/load", body


def test_ways_around_where_a_line_is_not_clear(daemon):
    """By `distance` along every part of them, and by time; no way is shorter than its line."""
    np = pytest.importorskip("numpy")
    velocity = limits_of(daemon, np, "panda")[2]
    ways = lost = 0
    for seed, clearance in ((0, 0.03), (0, 0.08), (1, 0.08), (2, 0.08), (3, 0.03)):
        request = {"poses": 12, "parameters": ["offset"], "shapes": SOLIDS, "clearance_m": clearance, "seed": seed}
        status, found = post(daemon, "panda/static-poses", request)
        assert status == 200, found
        for k, leg in enumerate(found["legs"]):
            assert ("via" in leg) == ("via_distance_m" in leg) and not (leg["is_clear"] and "via" in leg)
            lost += not leg["is_clear"] and "via" not in leg
            points = np.array([found["q"][k - 1], *leg.get("via", []), found["q"][k]])
            seconds = (abs(np.diff(points, axis=0)) / velocity).max(axis=1)
            assert leg["duration_s"] == pytest.approx(seconds.sum(), rel=1e-12)
            if "via" not in leg:
                continue
            ways += 1
            assert 1 <= len(leg["via"]) <= 6 and seconds.sum() >= (abs(points[-1] - points[0]) / velocity).max()
            line = [(a + s * (b - a)).tolist() for a, b in zip(points, points[1:]) for s in np.linspace(0, 1, 41)]
            status, apart = post(daemon, "panda/distance", {"q": line, "shapes": SOLIDS})
            assert apart["least"]["distance"] == pytest.approx(leg["via_distance_m"], abs=1e-9) and leg["via_distance_m"] >= clearance
        assert found["legs_without_way"] == sum(not leg["is_clear"] and "via" not in leg for leg in found["legs"])
        assert found["duration_s"] == pytest.approx(sum(leg["duration_s"] for leg in found["legs"]) + 12 * found["dwell_s"])
    assert ways >= 4 and lost > 0, (ways, lost)  # both kinds


def test_a_motion_among_solids_is_clear(daemon):
    request = {"parameters": FRICTION, "tries": 60, "shapes": SOLIDS, "clearance_m": 0.05, "interval_s": 0.01}
    status, found = post(daemon, "panda/excitation", request)
    assert status == 200, found
    assert found["score"]["distance"] >= 0.05 > found["first_random"]["distance"]
    status, apart = post(daemon, "panda/distance", {"q": found["q"], "shapes": SOLIDS})
    assert apart["least"]["distance"] == pytest.approx(found["score"]["distance"], abs=2e-3)
    request["exclude"] = [["hand", "table"], ["elbow", "table"], ["hand", "floor"], ["elbow", "floor"], ["hand", "elbow"]]
    status, free = post(daemon, "panda/excitation", request)
    assert status == 200 and "distance" not in free["score"]


def test_a_motion_for_a_payload_knows_the_robot(daemon):
    """The ten of the last link and friction are unknown: condition and information by numpy; the carrying link may be named."""
    np = pytest.importorskip("numpy")
    status, found = post(daemon, "panda/excitation", {"parameters": FRICTION, "identify": "payload", "tries": 40, "interval_s": 0.05})
    assert status == 200, found
    names = found["base_parameters"]
    assert len(names) == 31 and sum(n.endswith("_7") for n in names) == 13
    y = rows(daemon, np, "panda", FRICTION, names, {k: found[k][:-1] for k in ("q", "qd", "qdd")}, np.ones(7)).reshape(-1, 31)
    assert found["score"]["condition"] == pytest.approx(np.linalg.cond(y / np.linalg.norm(y, axis=0)), rel=1e-10)
    assert found["score"]["log_determinant"] == pytest.approx(2 * np.sum(np.log(np.linalg.svd(y)[1])), rel=1e-10)
    assert found["score"]["torque_error"] < 0.85 * found["first_random"]["torque_error"]
    status, elbow = post(daemon, "panda/excitation", {"identify": "payload", "link": "link4", "tries": 5})
    assert status == 200 and elbow["link"] == "link4" and all(n.endswith("_4") for n in elbow["base_parameters"])


def test_the_task_is_what_the_error_is_expected_of(daemon):
    """sqrt(tr(D N^-1)) by numpy, D of the task's own samples; below that of a motion for any states."""
    np = pytest.importorskip("numpy")
    noise = 0.01 * limits_of(daemon, np, "panda")[3]
    lift = {"waypoints": [[0, -0.5, 0, -2, 0, 1.5, 0], [0.5, 0.3, 0, -1.5, 0, 2.0, 0.5]], "duration_s": 2}
    request = {"parameters": FRICTION, "tries": 80, "interval_s": 0.05}
    status, found = post(daemon, "panda/excitation", {**request, "task": [lift]})
    assert status == 200, found
    status, way = post(daemon, "panda/trajectory", {**lift, "interval_s": 0.01})
    assert status == 200, way
    names = found["base_parameters"]
    middle = {k: way[k][1:-1] for k in ("q", "qd", "qdd")}
    asked = rows(daemon, np, "panda", FRICTION, names, middle, noise)
    demand = normal(np, asked) / asked.shape[0] / 7

    def error(motion):
        y = rows(daemon, np, "panda", FRICTION, names, {k: motion[k][:-1] for k in ("q", "qd", "qdd")}, noise)
        return np.sqrt(np.trace(np.linalg.solve(normal(np, y), demand)))

    assert found["score"]["torque_error"] == pytest.approx(error(found), rel=0.02)  # other samples of the same motion
    status, general = post(daemon, "panda/excitation", request)
    assert error(found) < 0.9 * error(general)


@numbers
@pytest.mark.parametrize("robot", ["panda", "ur10e"])
def test_a_designed_motion_has_at_most_half_the_expected_error_of_the_median_random_one(daemon, robot):
    request = {"parameters": FRICTION}
    random = sorted(post(daemon, f"{robot}/excitation", {**request, "tries": 1, "seed": 100 + k})[1]["score"]["torque_error"] for k in range(21))
    status, found = post(daemon, f"{robot}/excitation", request)
    assert status == 200 and found["tries"] == 200
    assert found["score"]["torque_error"] <= 0.5 * random[10]


@pytest.mark.parametrize(
    ("request_", "pointer"),
    [
        ({"identify": "table"}, "/identify"),
        ({"link": "link7"}, "/link"),
        ({"identify": "payload", "link": "link0"}, "/link"),
        ({"identify": "payload", "link": "hand"}, "/link"),
        ({"clearance_m": 0.1}, "/clearance_m"),
        ({"shapes": SOLIDS, "clearance_m": -1}, "/clearance_m"),
        ({"shapes": []}, "/shapes"),
        ({"shapes": SOLIDS, "exclude": [["hand", "wall"]]}, "/exclude/0/1"),
        ({"task": []}, "/task"),
        ({"task": [{"setpoint": [0] * 7}]}, "/task/0/waypoints"),
        ({"task": [{"waypoints": [[0] * 7]}]}, "/task/0/waypoints"),
    ],
)
def test_options_are_checked(daemon, request_, pointer):
    status, body = post(daemon, "panda/excitation", {"tries": 2, **request_})
    assert status in (400, 413, 422), body
    assert body["errors"][0]["pointer"] == pointer and body["errors"][0]["hint"], body


@pytest.mark.parametrize(
    ("robot", "request_", "pointer"),
    [
        ("panda", {"poses": 1}, "/poses"),
        ("panda", {"poses": 101}, "/poses"),
        ("panda", {"candidates": 5001}, "/candidates"),
        ("panda", {"poses": 20, "candidates": 15}, "/poses"),
        ("panda", {"tries": 10}, "/tries"),
        ("panda", {"limits": {"acceleration": [1] * 7}}, "/limits/acceleration"),
        ("panda", {"gravity": [0, 0, 0]}, ""),
        ("scara", {"limits": {"lower": [-1, -1, 0], "upper": [1, 1, 0]}}, "/limits"),
        ("panda", {"limits": {"effort": [1e-3] * 7}}, "/poses"),
        ("panda", {"dwell_s": 0}, "/dwell_s"),
        ("panda", {"parameters": ["viscous"]}, "/parameters/0"),
        ("panda", {"criterion": "condition"}, "/criterion"),
        ("four-bar", {}, ""),
        ("quadruped", {}, ""),
    ],
)
def test_poses_that_cannot_be_found_are_refused(daemon, robot, request_, pointer):
    status, body = post(daemon, f"{robot}/static-poses", request_)
    assert status in (400, 422), body
    assert body["errors"][0]["pointer"] == pointer and body["errors"][0]["hint"], body
