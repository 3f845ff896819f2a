# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_excitation.py - excitation trajectories: checked by numpy, usable unchanged in requests
# to other operations.
import json
import time

import pytest
from conftest import numbers

JSON = {"Content-Type": "application/json"}
FRICTION = ["viscous", "coulomb", "offset"]


def post(daemon, path, document, **headers):
    status, _, body = daemon.request("POST", path, json.dumps(document), {**JSON, **headers})
    return status, json.loads(body)


@pytest.mark.parametrize("robot", ["panda", "ur10e"])
def test_condition_and_information_are_those_of_the_regressor(daemon, robot):
    np = pytest.importorskip("numpy")
    status, found = post(daemon, f"/v1/robots/{robot}/excitation", {"parameters": FRICTION, "tries": 60, "interval_s": 0.05,
                                                                          "criterion": "condition"})
    assert status == 200, found
    assert found["samples_judged"] == 200 and len(found["t"]) == 201
    states = {k: found[k][:-1] for k in ("q", "qd", "qdd")}
    status, answer = post(daemon, f"/v1/robots/{robot}/regressor?form=base", {"parameters": FRICTION, **states})
    assert status == 200
    assert [c["name"] for c in answer["columns"]] == found["base_parameters"]
    y = np.array(answer["regressor"]).reshape(-1, answer["n_base"])
    # computed by the normal matrix: its rounding times the square of a condition near 10
    assert found["score"]["condition"] == pytest.approx(np.linalg.cond(y / np.linalg.norm(y, axis=0)), rel=1e-11)
    assert found["score"]["log_determinant"] == pytest.approx(2 * np.sum(np.log(np.linalg.svd(y)[1])), rel=1e-11)
    assert found["score"]["condition"] < found["first_random"]["condition"]
    tau = abs(y @ np.array(answer["parameter_values"])).reshape(200, -1).max(axis=0)
    efforts = [j["limits"].get("effort") for j in json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"] if j["kind"] != "fixed"]
    assert found["score"]["effort_used"] == pytest.approx(max(t / e for t, e in zip(tau, efforts, strict=True)), rel=1e-9)


def rows(daemon, np, robot, states, noise):
    """Base regressor over the noise of each joint, (samples nv, n)."""
    status, answer = post(daemon, f"/v1/robots/{robot}/regressor?form=base", {"parameters": FRICTION, **states})
    assert status == 200, answer
    return np.array(answer["regressor"]).reshape(-1, answer["n_base"]) / np.tile(noise, len(states["q"]))[:, None]


def limits_of(daemon, robot):
    joints = [j for j in json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"] if j["kind"] != "fixed"]
    return [[j["limits"][k] for j in joints] for k in ("lower", "upper", "velocity", "effort")]


def demand(daemon, np, robot, noise, n=1500):
    """States within the limits, drawn here: the rows of the torque that is asked for."""
    lower, upper, velocity, _ = (np.array(row) for row in limits_of(daemon, robot))
    chance = np.random.default_rng(1)
    most = 2 * np.pi * 0.1 * 10 * velocity  # at the highest harmonic: no limit of acceleration
    states = {"q": chance.uniform(lower, upper, (n, len(lower))).tolist(), "qd": (chance.uniform(-1, 1, (n, len(lower))) * velocity).tolist(),
              "qdd": (chance.uniform(-1, 1, (n, len(lower))) * most).tolist()}
    return rows(daemon, np, robot, states, noise)


@pytest.mark.parametrize("robot", ["panda", "ur10e"])
@pytest.mark.parametrize("by_joint", [False, True])
def test_expected_torque_error_is_that_of_the_covariance(daemon, robot, by_joint):
    """sqrt(tr(D N^-1)) by numpy, over other random states; alone and beside two motions that are recorded."""
    np = pytest.importorskip("numpy")
    effort = np.array(limits_of(daemon, robot)[3])
    noise = np.linspace(0.1, 3.0, len(effort)) if by_joint else 0.01 * effort
    request = {"parameters": FRICTION, "tries": 30, "interval_s": 0.05, **({"torque_noise": noise.tolist()} if by_joint else {})}
    asked = demand(daemon, np, robot, noise)
    asked = asked.T @ asked / len(asked)
    normal, recorded = 0.0, []
    for seed in range(3):
        status, found = post(daemon, f"/v1/robots/{robot}/excitation", {**request, "seed": seed, "recorded": recorded})
        assert status == 200, found
        y = rows(daemon, np, robot, {k: found[k][:-1] for k in ("q", "qd", "qdd")}, noise)
        normal = normal + y.T @ y
        want = np.sqrt(np.trace(np.linalg.solve(normal, asked)))
        assert found["score"]["torque_error"] == pytest.approx(want, rel=0.1)  # 400 states of its own
        assert found["score"]["torque_error"] <= found["first_random"]["torque_error"]
        recorded.append(found if seed else {"fourier": found["fourier"]})


@numbers
def test_a_fit_to_the_motion_is_more_exact_than_to_random_ones(daemon):
    """Least squares on simulated noisy torque; errors at states that no motion has. The least condition gains little, a motion designed for
    the torque half and more."""
    np = pytest.importorskip("numpy")
    noise = 0.01 * np.array(limits_of(daemon, "panda")[3])
    unseen = demand(daemon, np, "panda", noise)
    chance = np.random.default_rng(2)

    def error(request, fits=40):
        status, found = post(daemon, "/v1/robots/panda/excitation", {"parameters": FRICTION, "interval_s": 0.05, **request})
        assert status == 200, found
        y = rows(daemon, np, "panda", {k: found[k][:-1] for k in ("q", "qd", "qdd")}, noise)
        off = np.linalg.lstsq(y, chance.standard_normal((len(y), fits)), rcond=None)[0]  # of the parameters: the model is exact
        return np.sqrt(np.mean((unseen @ off) ** 2))

    random = np.median([error({"tries": 1, "seed": seed}) for seed in range(15)])
    assert error({"tries": 100}) < 0.5 * random
    assert error({"tries": 100, "criterion": "determinant"}) < 0.8 * random


@pytest.mark.seconds(120)
def test_a_calibration_leaves_what_the_design_expects(daemon):
    """Logs of two periods with friction and noise, calibrated by default: errors of torque at random states, rms over logs, in parts of the noise."""
    np = pytest.importorskip("numpy")
    lower, upper, velocity, effort = (np.array(row) for row in limits_of(daemon, "panda"))
    noise, n_log, n_state, rate = 0.01 * effort, 8, 400, 50
    chance = np.random.default_rng(3)
    status, found = post(daemon, "/v1/robots/panda/excitation", {"parameters": FRICTION, "tries": 60, "interval_s": 1 / rate})
    assert status == 200, found
    most = 2 * np.pi * 0.1 * 10 * velocity
    states = {"q": chance.uniform(lower, upper, (n_state, 7)), "qd": chance.uniform(-1, 1, (n_state, 7)) * velocity,
              "qdd": chance.uniform(-1, 1, (n_state, 7)) * most}

    def torque(motion, robot="panda", friction=0.0):
        asked = {k: np.asarray(motion[k]).tolist() for k in ("q", "qd", "qdd")}
        status, answer = post(daemon, f"/v1/robots/{robot}/inverse-dynamics", asked)
        assert status == 200, answer
        v = np.array(motion["qd"])
        return np.array(answer["tau"]) + friction * noise * (8 * v + 5 * np.sign(v))

    q, tau, want = (np.array(found["q"])[:-1], torque(found, friction=1.0)[:-1], torque(states, friction=1.0))
    q, tau = np.tile(q, (2, 1)), np.tile(tau, (2, 1))
    head = ",".join(["t", *(f"q{k}" for k in range(7)), *(f"tau{k}" for k in range(7))])
    square = 0.0
    for _ in range(n_log):
        table = np.column_stack([np.arange(len(q)) / rate, q + chance.normal(0, 1e-5, q.shape), tau + chance.normal(0, 1, tau.shape) * noise])
        text = "\n".join([head, *(",".join(map(repr, row)) for row in table.tolist())])
        assert daemon.request("PUT", "/v1/datasets/designed", text.encode())[0] in (200, 201)
        status, fit = post(daemon, "/v1/robots/panda/calibrate", {"datasets": ["designed"], "delay_s": 0, "validate": "none",
                                                                  "model": {"friction": FRICTION, "smoothing": 0, "rotor": False}})
        assert status == 200, fit
        assert daemon.request("PUT", "/v1/robots/panda-designed", json.dumps(fit["robot"]).encode(), JSON)[0] in (200, 201)
        square += np.mean(((torque(states, "panda-designed") - want) / noise) ** 2) / n_log
    expected = found["score"]["torque_error"] * np.sqrt(found["samples_judged"] / len(q))
    # one log's error has a deviation of 10 to 18 %, and 400 states are not the design's own 400
    assert np.sqrt(square) == pytest.approx(expected, rel=0.2), (np.sqrt(square), expected)


@pytest.mark.parametrize(
    ("request_", "pointer"),
    [
        ({"torque_noise": [1, 1, 1, 0, 1, 1, 1]}, "/torque_noise"),
        ({"torque_noise": {"joint1": 1}}, "/torque_noise"),
        ({"torque_noise": [1, 1]}, "/torque_noise"),
        ({"recorded": [{"setpoint": [0] * 7}]}, "/recorded/0"),
        ({"recorded": [{"fourier": {"frequency_hz": 0.1, "offset": [0] * 7, "a": [[0] * 7], "b": [[0] * 6]}}]}, "/recorded/0/fourier/b/0"),
        ({"criterion": "luck"}, "/criterion"),
    ],
)
def test_noise_and_recorded_motions_are_checked(daemon, request_, pointer):
    status, body = post(daemon, "/v1/robots/panda/excitation", {"tries": 2, **request_})
    assert status == 422, body
    assert body["errors"][0]["pointer"] == pointer and body["errors"][0]["hint"], body
    status, body = post(daemon, "/v1/robots/panda/excitation", {"recorded": [{}] * 65})
    assert status == 413 and body["errors"][0]["pointer"] == "/recorded", body


def test_the_motion_may_be_sent_on_unchanged(daemon):
    """With joints in another order: `trajectory` reports no limit violation, `simulate` follows the reference."""
    joints = [f"joint{k}" for k in (7, 6, 5, 4, 3, 2, 1)]
    request = {"joints": joints, "tries": 20, "harmonics": 3, "frequency_hz": 0.5}
    status, found = post(daemon, "/v1/robots/panda/excitation", request)
    assert status == 200, found
    assert found["joints"] == joints
    status, path = post(daemon, "/v1/robots/panda/trajectory", {"joints": joints, "fourier": found["fourier"], "interval_s": 0.01})
    assert status == 200 and path["violations"] == []
    # at rest; rounding of rates of a few rad/s
    assert max(map(abs, path["qd"][0] + path["qdd"][0] + path["qd"][-1])) < 1e-12
    run = {
        "joints": joints, "initial": {"q": path["q"][0]}, "duration_s": 0.1, "output": {"interval_s": 0.05},
        "input": {"kind": "computed-torque", "reference": {"fourier": found["fourier"]}, "kp": 100, "kd": 20},
    }
    status, answer = post(daemon, "/v1/robots/panda/simulate", run)
    assert status == 200, answer
    assert answer["q"][-1] == pytest.approx(path["q"][10], abs=1e-4)
    status, again = post(daemon, "/v1/robots/panda/excitation", request)
    assert again["fourier"] == found["fourier"]
    status, other = post(daemon, "/v1/robots/panda/excitation", {**request, "seed": 1})
    assert other["fourier"] != found["fourier"]


@pytest.mark.parametrize("angles", ["rad", "deg"])
def test_the_whole_answer_is_a_request_and_a_reference(daemon, angles):
    """In degrees the motion is the same; it is used in the unit that the answer states."""
    np = pytest.importorskip("numpy")
    unit = np.pi / 180 if angles == "deg" else 1.0
    limit = [40.0 / 180 * np.pi / unit] * 7
    request = {"tries": 20, "harmonics": 3, "frequency_hz": 0.5, "interval_s": 0.01, "angles": angles,
               "limits": {"velocity": limit, "acceleration": [10 * x for x in limit]}}
    status, found = post(daemon, "/v1/robots/panda/excitation", request)
    assert status == 200 and found.get("angles", "rad") == angles, found
    q, qd, qdd = (np.array(found[k]) * unit for k in ("q", "qd", "qdd"))
    assert np.max(abs(qd)) <= np.radians(40) * (1 + 1e-9) and np.max(abs(qd)) > np.radians(10)
    assert np.gradient(q, 0.01, axis=0)[1:-1] == pytest.approx(qd[1:-1], abs=2e-3)
    status, sent = post(daemon, "/v1/robots/panda/inverse-dynamics", found)
    assert status == 200 and {"fourier", "score", "base_parameters", "t"} <= set(sent["not_used"]), sent
    status, plain = post(daemon, "/v1/robots/panda/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})
    assert np.array(sent["tau"]) == pytest.approx(np.array(plain["tau"]), abs=1e-9)
    status, gravity = post(daemon, "/v1/robots/panda/terms", {**found, "include": ["gravity_torque"]})
    assert status == 200 and np.shape(gravity["gravity_torque"]) == q.shape
    for reference in (found, {"table": found}):
        run = {"initial": {"q": found["q"][0]}, "angles": angles, "duration_s": 0.1, "output": {"interval_s": 0.05},
               "input": {"kind": "computed-torque", "reference": reference, "kp": 100, "kd": 20}}
        status, answer = post(daemon, "/v1/robots/panda/simulate", run)
        assert status == 200, answer
        assert answer["q"][-1] == pytest.approx(q[10], abs=1e-4)


def test_a_series_of_other_joints_and_units_is_read_in_its_own(daemon):
    joints = [f"joint{k}" for k in (7, 6, 5, 4, 3, 2, 1)]
    status, found = post(daemon, "/v1/robots/panda/excitation", {"joints": joints, "angles": "deg", "tries": 5, "harmonics": 2, "interval_s": 0.5})
    start = [x * 3.14159265358979323846 / 180 for x in reversed(found["q"][0])]
    run = {"initial": {"q": start}, "duration_s": 0.5, "output": {"interval_s": 0.5},
           "input": {"kind": "computed-torque", "reference": found, "kp": 100, "kd": 20}}
    status, answer = post(daemon, "/v1/robots/panda/simulate", run)
    assert status == 200, answer
    assert answer["q"][-1] == pytest.approx([x * 3.14159265358979323846 / 180 for x in reversed(found["q"][1])], abs=1e-4)


@pytest.mark.parametrize(
    ("robot", "request_", "pointer"),
    [
        ("scara", {}, "/limits"),
        ("scara", {"limits": {"lower": [-1, -1, 0], "upper": [1, 1, 0]}}, "/limits"),
        ("four-bar", {}, ""),
        ("quadruped", {}, ""),
        ("panda", {"limits": {"velocity": [1, 1, 0, 1, 1, 1, 1]}}, "/limits/velocity/2"),
        ("panda", {"limits": {"velocity": [1]}}, "/limits/velocity"),
        ("panda", {"interval_s": 1e-9}, "/interval_s"),
        ("panda", {"harmonics": 1}, "/harmonics"),
        ("panda", {"tries": 1e6}, "/tries"),
    ],
)
def test_what_cannot_be_excited_is_refused(daemon, robot, request_, pointer):
    status, body = post(daemon, f"/v1/robots/{robot}/excitation", request_)
    assert status == 422, body
    assert body["errors"][0]["pointer"] == pointer
    assert body["errors"][0]["hint"]


def test_limits_make_a_sliding_joint_possible(daemon):
    request = {"tries": 10, "limits": {"lower": [-1, -1, 0], "upper": [1, 1, 0.2]}, "interval_s": 0.5}
    status, body = post(daemon, "/v1/robots/scara/excitation", request)
    assert status == 200, body
    assert all(0 <= q[2] <= 0.2 for q in body["q"])


def test_a_long_search_is_a_job_that_can_be_cancelled(daemon):
    status, body = post(daemon, "/v1/robots/panda/excitation", {"tries": 100000}, Prefer="respond-async")
    assert status == 202
    status, _, _ = daemon.request("POST", f"/v1/jobs/{body['id']}/cancel")
    assert status in (200, 202)
    state = "queued"
    while state in ("queued", "running"):  # the timeout of the test ends the loop
        time.sleep(0.05)
        state = json.loads(daemon.request("GET", f"/v1/jobs/{body['id']}")[2])["state"]
    assert state == "cancelled"
