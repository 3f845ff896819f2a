# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_residual.py - contacts and drift added to logs are found with joint, time and size;
# false alarms are as frequent as stated.
"""Random arms with known parameters; the log's torque is the arm's torque minus that of an external force, plus
noise. RESIDUAL_CASES=n runs n contacts."""
import io
import json
import os

import pytest
from test_diagnosis import JSON, NPY, Bench

np = pytest.importorskip("numpy")
CASES = int(os.environ.get("RESIDUAL_CASES", "0"))
DAY = 86400


class Watched(Bench):
    def __init__(self, daemon, rng, n):
        super().__init__(daemon, rng, n, 0)
        self.put("watched", self.truth)

    def move(self, seconds, rate, slow=1.0):
        """Random harmonics; q and qd are logged without noise."""
        t = np.arange(int(seconds * rate)) / rate
        w = 2 * np.pi * np.array([0.1, 0.2, 0.35, 0.6]) / slow
        a, p = self.rng.uniform(-0.5, 0.5, (self.n, 4)), self.rng.uniform(0, 6, (self.n, 4))
        x = w * t[:, None, None] + p
        self.motions = [(t, (a * np.sin(x)).sum(2), (a * w * np.cos(x)).sum(2), (-a * w * w * np.sin(x)).sum(2))]
        return self.motions[0]

    def log(self, name, tau):
        _, q, qd, _ = self.motions[0]
        out = io.BytesIO()
        np.save(out, np.hstack([q, qd, tau]))
        assert self.daemon.request("PUT", f"/v1/datasets/{name}", out.getvalue(), NPY)[0] in (200, 201)
        return name

    def residual(self, rate, want=200, **body):
        n = self.n
        body = {"rate_hz": rate, "columns": {"q": list(range(n)), "qd": list(range(n, 2 * n)), "tau": list(range(2 * n, 3 * n))}, **body}
        status, _, text = self.daemon.request("POST", "/v1/robots/watched/residual", json.dumps(body).encode(), {**JSON, "Prefer": "wait=3600"})
        assert status == want, text[:2000]
        return json.loads(text)


def test_contacts_of_a_tenth_of_the_torque_show_within_20_ms(daemon):
    """Steps of 10 % of a joint's rms torque for 0.3 s are found within 20 ms; the threshold gives at most one
    false alarm a day."""
    rng = np.random.default_rng(30)
    late = []
    for k in range(CASES or 4):
        bench = Watched(daemon, rng, 3 + k % 4)
        rate, joint = 1000, int(rng.integers(bench.n))
        bench.move(6, rate)
        clean = bench.torque(bench.truth, 0)
        noise = 0.01 * np.sqrt((clean**2).mean(0))
        quiet = bench.log("quiet", clean + noise * rng.normal(size=clean.shape))
        at, size = float(rng.uniform(1, 5)), float(rng.choice([-1, 1]) * 0.1 * np.sqrt((clean[:, joint] ** 2).mean()))
        t = bench.motions[0][0]
        push = np.zeros_like(clean)
        push[(t >= at) & (t < at + 0.3), joint] = size
        log = bench.log("touched", clean - push + noise * rng.normal(size=clean.shape))
        found = bench.residual(rate, datasets=[log], quiet=[quiet])
        contacts = [f for f in found["findings"] if f["kind"] == "contact"]
        assert found["verdict"] == "contact" and found["contacts"] == 1 and found["noise_from"] == "quiet", found["findings"]
        assert contacts[0]["joint"] == found["joints"][joint] and contacts[0]["dataset"] == log
        assert contacts[0]["torque"] == pytest.approx(size, rel=0.15)
        assert contacts[0]["duration_s"] == pytest.approx(0.3, abs=0.05)
        assert sum(j["false_alarms_per_day"] for j in found["by_joint"]) <= 1.0001
        late.append(contacts[0]["from_s"] - at)
        # the same without quiet logs: by medians of the log itself, or with the deviation in the request
        assert bench.residual(rate, datasets=[log])["contacts"] == 1
        sigma = [j["sigma"] for j in found["by_joint"]]
        assert bench.residual(rate, datasets=[log], sigma=sigma)["contacts"] == 1
        assert bench.residual(rate, datasets=[quiet], sigma=sigma)["verdict"] == "quiet"
    print(f"\n{len(late)} contacts: {1000 * max(late):.1f} ms late at most, {1000 * np.median(late):.1f} in the middle")
    assert max(late) <= 0.02 and min(late) >= -0.001


def test_false_alarms_are_as_many_as_stated(daemon):
    """The formula gives the expected number of upcrossings; alarms by noise alone are Poisson with that mean,
    less those that belong to one excursion. One a day cannot be tested: the same formula is tested at
    thousands a day, over some minutes."""
    rng = np.random.default_rng(31)
    bench = Watched(daemon, rng, 2)
    rate, seconds = 250, 120
    bench.move(seconds, rate)
    clean = bench.torque(bench.truth, 0)
    log = bench.log("noise", clean + 0.3 * rng.normal(size=clean.shape))
    for gain in (5, 40):
        found = bench.residual(rate, datasets=[log], quiet=[log], gain_hz=gain, threshold=[1e6] * 2)
        sigma, correlation = ([j[key] for j in found["by_joint"]] for key in ("sigma", "correlation"))
        # closed form for noise of deviation s, averaged over two samples, through r' = a r + (1 - a) x
        a = np.exp(-2 * np.pi * gain / rate)
        # x_k = (v_k + v_k-1) / 2: autocovariances s^2 (1/2, 1/4); sums over the filter's impulse response (1
        # - a) a^k
        deviation = 0.3 * (1 - a) * np.sqrt((0.5 + 0.5 * a) / (1 - a * a))
        assert sigma == pytest.approx([deviation] * 2, rel=0.05)
        for level in (3.0, 3.5):
            threshold = [level * s for s in sigma]
            found = bench.residual(rate, datasets=[log], sigma=sigma, threshold=threshold, gain_hz=gain)
            assert found["false_alarms_expected"] == pytest.approx(
                sum(j["false_alarms_per_day"] for j in found["by_joint"]) * seconds / DAY, rel=0.01)
            # a much longer sequence by numpy: upcrossings of correlated noise
            v = rng.normal(size=4_000_000)
            x = 0.5 * (v[1:] + v[:-1])
            r = lowpass(x, a)
            r /= r.std()
            want = 2 * 2 * ((r[:-1] <= level) & (r[1:] > level)).mean() * rate * seconds
            assert found["false_alarms_expected"] == pytest.approx(want, rel=0.1), (gain, level)
            # upcrossings of one excursion are one alarm: fewer alarms than upcrossings, but not many fewer
            assert 0.4 * want - 3 * np.sqrt(want) <= found["contacts"] <= want + 3 * np.sqrt(want), (gain, level, want, found["contacts"])


def lowpass(x, a):
    """r_k = a r_k-1 + (1 - a) x_k, in blocks."""
    n = int(np.ceil(40 / (1 - a)))
    return np.convolve(x, (1 - a) * a ** np.arange(min(n, 2000)))[: x.size]


def test_viscous_friction_that_grows_by_a_tenth_in_a_night(daemon):
    """Eight hours at 5 Hz in which one joint's viscous friction grows by 10 %; the same night without growth has
    no trend."""
    rng = np.random.default_rng(303)
    bench = Watched(daemon, rng, 3)
    rate, seconds, joint = 5, 8 * 3600, 1
    t, _, qd, _ = bench.move(seconds, rate, slow=4.0)
    clean = bench.torque(bench.truth, 0)
    noise = 0.02 * clean.std(0) * rng.normal(size=clean.shape)
    viscous = bench.truth["joints"][joint]["damping"]
    grown = np.zeros_like(clean)
    grown[:, joint] = 0.1 * viscous * t / seconds * qd[:, joint]
    found = bench.residual(rate, datasets=[bench.log("night", clean + grown + noise)], gain_hz=0.5, false_alarms_per_day=0.01)
    drift = [f for f in found["findings"] if f["kind"] == "drift"]
    assert found["verdict"] == "drift" and found["contacts"] == 0, found["findings"][:3]
    assert [(f["joint"], f["term"]) for f in drift] == [("j2", "viscous")], drift
    assert drift[0]["interval"][0] <= 0.1 * viscous <= drift[0]["interval"][1]
    assert drift[0]["relative"] == pytest.approx(1.1, abs=0.02) and "viscous friction of \"j2\" rose" in drift[0]["text"]
    still = bench.residual(rate, datasets=[bench.log("still", clean + noise)], gain_hz=0.5, false_alarms_per_day=0.01)
    assert still["verdict"] == "quiet" and still["findings"] == []


def test_a_lasting_load_is_no_contact(daemon):
    """Half a kilogram more on the last link from the middle of the log on: above the threshold, but longer than
    a contact."""
    rng = np.random.default_rng(33)
    bench = Watched(daemon, rng, 3)
    rate = 200
    t = bench.move(60, rate)[0]
    heavy = json.loads(json.dumps(bench.truth))
    heavy["links"][-1]["mass"] *= 1.3
    tau = np.where((t > 30)[:, None], bench.torque(heavy, 0), bench.torque(bench.truth, 0))
    noise = 0.005 * tau.std(0) * rng.normal(size=tau.shape)
    found = bench.residual(rate, datasets=[bench.log("heavy", tau + noise)], quiet=[bench.log("before", bench.torque(bench.truth, 0) - noise)],
                           persistent_s=2, gain_hz=5)
    kinds = {f["kind"] for f in found["findings"]}
    longest = max((f for f in found["findings"] if "duration_s" in f), key=lambda f: f["duration_s"])
    assert "persistent" in kinds and longest["kind"] == "persistent" and longest["from_s"] > 29.9 and "payload" in longest["text"]


def test_a_push_on_a_linear_axis_is_in_newtons(daemon):
    rng = np.random.default_rng(35)
    bench = Watched(daemon, rng, 2)
    bench.truth["joints"][0]["kind"] = "prismatic"
    bench.put("watched", bench.truth)
    t = bench.move(6, 200)[0]
    clean = bench.torque(bench.truth, 0)
    noise = 0.01 * clean.std(0)
    quiet = bench.log("quiet", clean + noise * rng.normal(size=clean.shape))
    for joint, unit in ((0, " N,"), (1, " N m,")):
        push = np.zeros_like(clean)
        push[(t >= 3) & (t < 3.4), joint] = 0.5 * clean[:, joint].std()
        log = bench.log("touched", clean - push + noise * rng.normal(size=clean.shape))
        texts = [f["text"] for f in bench.residual(200, datasets=[log], quiet=[quiet])["findings"] if f["kind"] == "contact"]
        assert texts and all(f'"j{joint + 1}"' in text and unit in text for text in texts), texts


def test_refusals(daemon):
    rng = np.random.default_rng(34)
    bench = Watched(daemon, rng, 2)
    bench.move(4, 100)
    log = bench.log("short", bench.torque(bench.truth, 0))
    for body, pointer in (({"sigma": [1]}, "/sigma"), ({"sigma": [1, 0]}, "/sigma/1"), ({"quiet": [log], "sigma": [1, 1]}, "/quiet"),
                          ({"gain_hz": 0.01}, "/datasets")):
        problem = bench.residual(100, 422, datasets=[log], **body)
        assert problem["errors"][0]["pointer"] == pointer, problem
