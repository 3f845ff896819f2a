# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_gains.py - gains of a controller that are found with the parameters: simulated closed loops of
# two and six joints, wrong starts, unseen torque, the scale that no log shows, refusals.
import numpy as np
import pytest
from conftest import numbers
from test_calibrate import calibrate, last_job, truth  # noqa: F401, truth is a fixture
from test_calibrate_commanded import (BARS, GAINS, KD, KP, PLANAR, planar_columns, planar_torque, planar_truth, put_log, refused, run)

MODEL = {"friction": ["viscous"], "rotor": False}
GUESS = 0.6  # masses of the robot that is calibrated, over the true ones


def noisy(log, seed, noise):
    return {"t": log["t"], "q": log["q"] + np.random.default_rng(seed).normal(0, noise, log["q"].shape), "q_cmd": log["q_cmd"]}


@pytest.fixture(scope="module")
def loops(daemon):
    for name, scale in (("planar-true", 1.0), ("planar-guess", GUESS)):
        bars = {k: x * (scale if k[0] in "mid" else 1) for k, x in BARS.items()}
        reply = daemon.request("PUT", f"/v1/robots/{name}", PLANAR.format(**bars).encode(), {"Content-Type": "application/xml"})
        assert reply[0] in (200, 201), reply[2]
    for k in range(2):
        log = run(daemon, "planar-true", 100 + k, "pd", GAINS["kp"], GAINS["kd"])
        put_log(daemon, f"loop{k}", noisy(log, [100 + k, 1], 5e-4))
        put_log(daemon, f"torque{k}", {**noisy(log, [100 + k, 1], 5e-4), "tau": log["tau"]})
        log = run(daemon, "planar-true", 200 + k, "pd", GAINS["kp"], GAINS["kd"], ki=[60, 24])
        put_log(daemon, f"integral{k}", noisy(log, [200 + k, 1], 5e-4))


BODY = {"datasets": ["loop0", "loop1"], "delay_s": 0, "model": MODEL}


def off_of(daemon, found, scale=1.0):
    """Error of the bodies and friction in torque at random states, relative to it, all times `scale`."""
    own = [p for p in found["parameters"] if not p["kind"].startswith("gain")]
    torque, states = planar_torque(daemon, [p["name"] for p in own], [p["value"] for p in own])
    want = scale * planar_columns(*states) @ planar_truth()
    return float(np.sqrt(((torque - want) ** 2).mean() / (want**2).mean()))


def check_gains(found, names, true, wide=1.0):
    """True gains within their intervals (`wide` times as wide), which parameters have as well; those by name and joint."""
    gains = {f"{g['gain']}_{names.index(g['joint']) + 1}": g for g in found["controller"]["gains"]}
    for key, gain in gains.items():
        want = true[key[:2]][int(key[3:]) - 1]
        middle, half = gain["value"], wide * (gain["interval"][1] - gain["value"])
        assert middle - half <= want <= middle + half and half < 0.5 * want, (key, want, gain)
    rows = {p["joint"] + p["kind"][-2:]: p for p in found["parameters"] if p["kind"].startswith("gain")}
    for gain in gains.values():
        row = rows[gain["joint"] + gain["gain"]]
        assert row["value"] == gain["value"] and row["interval"] == gain["interval"] and row["unit"] == gain["unit"]
    return gains


@pytest.mark.seconds(120)
def test_gains_of_two_joints_from_any_start(daemon, loops):
    """One gain is stated. Starts three times too large, three times too small, and by the torque of a robot 40 % too light."""
    found = []
    starts = ({"kp": [150, {"start": 180}], "kd": {"start": [45, 18]}}, {"kp": [150, {"start": 20}], "kd": {"start": [5, 2]}}, {"kp": {"a": 150, "b": "fit"}, "kd": "fit"})
    for start in starts:
        one = calibrate(daemon, {**BODY, "controller": {"kind": "pd", **start}}, robot="planar-guess")
        gains = check_gains(one, ["a", "b"], GAINS)
        assert set(gains) == {"kp_2", "kd_1", "kd_2"} and one["method"] == "feasible-didim"
        assert gains["kp_2"]["unit"] == "N m/rad" and gains["kd_2"]["unit"] == "N m s/rad"
        assert one["controller"]["scale"].startswith("set by gains that are stated")
        assert np.allclose(one["controller"]["kp"], GAINS["kp"], rtol=0.01) and one["controller"]["effort_limits"] == [None, None]
        # unseen torque; with all gains known it is 0.16 % off
        assert off_of(daemon, one) < 0.004
        assert "gain" in one["findings_limit"] and one["validation"]["kind"] == "leave-one-out"
        found.append(one)
    values = [[p["value"] for p in one["parameters"]] for one in found]
    assert np.allclose(values[0], values[1], rtol=1e-4, atol=1e-6) and np.allclose(values[0], values[2], rtol=1e-4, atol=1e-6)
    # residuals are of the torque of the gains found, not of those of the start
    rmse = [one["fit"]["rmse"] for one in found]
    assert np.allclose(rmse[0], rmse[1], rtol=1e-3) and np.allclose(rmse[0], rmse[2], rtol=1e-3)
    assert found[2]["controller"]["gains"][0]["start_by"] == "robot" and found[0]["controller"]["gains"][0]["start"] == 180
    # the robot and the files have the bodies, no gains
    assert found[0]["robot"]["links"]


def test_the_gain_of_an_integral(daemon, loops):
    body = {**BODY, "datasets": ["integral0", "integral1"], "controller": {**GAINS, "kd": {"start": [8, 12]}, "ki": "fit"}}
    found = calibrate(daemon, body, robot="planar-guess")
    gains = check_gains(found, ["a", "b"], {**GAINS, "ki": [60, 24]})
    assert set(gains) == {"kd_1", "kd_2", "ki_1", "ki_2"} and gains["ki_1"]["unit"] == "N m/(rad s)"
    assert "ki integral" in found["controller"]["law"] and off_of(daemon, found) < 0.01


def test_nothing_sets_the_scale(daemon, loops):
    """All gains unknown: refused by name; by the robot's masses all comes out at their scale, from any start."""
    controller = {"kind": "pd", "kp": "fit", "kd": "fit"}
    words = ("nothing sets the scale", "One gain, one torque constant, or one known mass or payload", "reference")
    refused(daemon, {**BODY, "controller": controller}, "/controller", *words)
    for start in ("fit", {"start": [400, 50]}):
        found = calibrate(daemon, {**BODY, "controller": {**controller, "kp": start, "reference": "robot"}}, robot="planar-guess")
        held, *rest = found["controller"]["gains"]
        assert held["interval"] is None and "held" in held["interval_reason"]
        # the robot is the true one times 0.6
        assert abs(held["value"] / (GUESS * 150) - 1) < 0.01 and off_of(daemon, found, GUESS) < 0.01
        for gain, want in zip(rest, (60, 15, 6)):
            assert abs(gain["value"] / (GUESS * want) - 1) < 0.02, gain
        assert found["controller"]["scale"].startswith("undetermined by the logs") and "one known mass" in found["controller"]["scale"]


def test_a_log_with_torque_sets_the_scale(daemon, loops):
    body = {**BODY, "datasets": ["loop0", "torque1"], "controller": {"kind": "pd", "kp": "fit", "kd": "fit"}}
    found = calibrate(daemon, body, robot="planar-guess")
    assert found["controller"]["scale"] == "set by torque of a log that has it, held for exact" and len(found["controller"]["torque_of"]) == 1
    check_gains(found, ["a", "b"], GAINS)
    assert off_of(daemon, found) < 0.01


@pytest.fixture(scope="module")
def arm(daemon, truth):  # noqa: F811
    for k in (1, 2):
        log = run(daemon, "truth", k)
        put_log(daemon, f"six{k}", noisy(log, k, 5e-5))
        put_log(daemon, f"clean{k}", noisy(log, k, 0))
    return [f"joint{k}" for k in range(1, 7)]


@pytest.mark.seconds(240)
@numbers
def test_gains_of_six_joints(daemon, arm):
    """Eight of twelve: kp of the wrist, and of one joint before it, are stated."""
    controller = {"kind": "pd", "kp": [{"start": 1500}, KP[1], {"start": 9000}, *KP[3:]], "kd": {"start": [3 * x for x in KD]}}
    body = {"datasets": ["six1", "six2"], "delay_s": 0, "controller": controller}
    found = calibrate(daemon, body, robot="guess")
    gains = check_gains(found, arm, {"kp": KP, "kd": KD}, wide=1.2)
    assert set(gains) == {"kp_1", "kp_3", *(f"kd_{k}" for k in range(1, 7))}
    assert np.allclose(found["controller"]["kp"], KP, rtol=0.02) and np.allclose(found["controller"]["kd"], KD, rtol=0.02)
    # a part of each change of a wrist's kd comes back by the motion: deviations are wider than of one simulation
    widened = found["output_error"]["widened"]
    assert 1.2 < widened["most"] <= 2.5 and widened["parameter"] in {p["name"] for p in found["parameters"]}
    # unseen motion of the same loop: as good as with all gains known, to a tenth
    known = calibrate(daemon, {**body, "controller": {"kind": "pd", "kp": KP, "kd": KD}, "method": "feasible-didim"}, robot="guess")
    assert np.all(np.array(found["validation"]["rmse"]) < 1.1 * np.array(known["validation"]["rmse"]) + 0.01)


@pytest.mark.seconds(240)
@numbers
@pytest.mark.parametrize("cutoff", [7.8, 20])
def test_the_filter_makes_no_bias(daemon, arm, cutoff):
    """Without noise, at any cut-off, the gains of six joints are the true ones. Friction turns back within a tenth of the filter's
    time: columns along the simulation that had not passed it were 1 to 4 % off. What is left: steps of 1 ms 0.1 %, edges."""
    controller = {"kind": "pd", "kp": [{"start": 1500}, KP[1], {"start": 9000}, *KP[3:]], "kd": {"start": [3 * x for x in KD]}}
    body = {"datasets": ["clean1", "clean2"], "delay_s": 0, "controller": controller, "filter": {"cutoff_hz": cutoff}}
    found = calibrate(daemon, body, robot="guess")
    assert np.allclose(found["controller"]["kp"], KP, rtol=0.003), found["controller"]["kp"]
    assert np.allclose(found["controller"]["kd"], KD, rtol=0.004), found["controller"]["kd"]


@pytest.mark.seconds(240)
def test_a_wrist_that_others_do_not_feel(daemon, arm):
    """Its own inertia, friction and gains times one factor make the same motion: named; or held at the start."""
    controller = {"kind": "pd", "kp": [*KP[:3], *({"start": 2 * x} for x in KP[3:])], "kd": [*KD[:3], "fit", "fit", "fit"]}
    body = {"datasets": ["six1", "six2"], "delay_s": 0, "controller": controller}
    refused(daemon, body, "/controller", "joint4", "joint6", "do not show the scale", "state kp", robot="guess")
    found = calibrate(daemon, {**body, "controller": {**controller, "reference": "robot"}}, robot="guess")
    held = {g["joint"]: g for g in found["controller"]["gains"] if g["interval"] is None}
    assert {"joint4", "joint6"} <= set(held) and held["joint4"]["value"] == 600 and "do not show" in held["joint4"]["interval_reason"]
    # without friction in the robot's model its torque is no start for such a joint
    refused(daemon, {**body, "controller": {**controller, "kp": [*KP[:3], "fit", *KP[4:]]}}, "/controller", "joint4", "no start", robot="guess")


def test_wrong_unknown_gains(daemon, loops):
    fit = {"kind": "pd", "kp": [150, "fit"], "kd": 6}

    def wrong(pointer, *words, want=422, **more):
        refused(daemon, {**BODY, "controller": {**fit, **more}}, pointer, *words, want=want)

    wrong("/controller/kind", "computed-torque", kind="computed-torque")
    wrong("/controller/effort_limits", "limit", effort_limits="robot")
    wrong("/controller/kp/1", "fit", kp=["fit", "find"])
    wrong("/controller/kp", kp="find", want=400)
    wrong("/controller/kp", "2", kp=[150, "fit", "fit"])
    wrong("/controller/kp/c", "c", kp={"a": 150, "c": "fit"})
    wrong("/controller/kp", "joint \\\"b\\\"", kp={"a": "fit"})
    wrong("/controller/kp/1/start", "0", kp=[150, {"start": 0}])
    wrong("/controller/kp/1/start", "1e", kp=[150, {"start": 1e13}])
    wrong("/controller/kp/1/begin", "begin", kp=[150, {"start": 3, "begin": 1}], want=400)
    wrong("/controller/kd/start", "2", kd={"start": [1, 2, 3]})
    wrong("/controller/kd/start/1", "-1", kd={"start": [1, -1]})
    wrong("/controller/kp/0", "-5", kp=[-5, "fit"])
    wrong("/controller/kp/0", kp=[True, "fit"], want=400)
    wrong("/controller/reference", "robot", reference="mass")
    refused(daemon, {**BODY, "controller": {**GAINS, "reference": "robot"}}, "/controller/reference", "known")
    for field, value in (("method", "wls"), ("compare", ["wls"]), ("filter", {"kind": "none"})):
        refused(daemon, {**BODY, "controller": fit, field: value}, f"/{field}", "unknown gains")
    refused(daemon, {**BODY, "model": {"kind": "per-joint"}, "controller": fit}, "/model", "unknown gains")


def test_the_files_of_a_job_have_the_gains(daemon, loops):
    found = calibrate(daemon, {**BODY, "controller": {**GAINS, "kd": "fit"}}, robot="planar-guess")
    job = last_job(daemon)
    page, table, header = (daemon.request("GET", f"/v1/jobs/{job}/{name}")[2].decode() for name in ("report", "result/parameters.csv", "result/parameters.h"))
    assert "gain-kd, a" in page and "N m s/rad" in page
    row = next(line.split(",") for line in table.splitlines() if line.startswith("kd_1,"))
    assert row[1] == "gain-kd" and "a" in row and any(x == repr(found["controller"]["gains"][0]["value"]) for x in row), row
    assert "kd_1" in header
