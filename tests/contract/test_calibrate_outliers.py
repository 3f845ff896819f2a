# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_outliers.py - a tenth of a log's values are outliers: replaced before
# filtering, counted, and named.
"""The error is that of the identified robot against the arm that made the logs, in a motion that was not fitted."""
import pytest

np = pytest.importorskip("numpy")
arms = pytest.importorskip("test_diagnosis")


def calibrated(daemon, share, torque, position):
    """(largest torque error over the joints, reply) for outliers of this many standard deviations in torque and
    this many rad in position."""
    rng = np.random.default_rng(3)
    b = arms.Bench(daemon, rng, 4, 1)
    logs = b.logs()
    q, tau = logs[0]
    for x, size in ((q, position), (tau, torque * tau.std(0))):
        wrong = rng.random(x.shape) < share
        x += np.where(wrong, size * rng.normal(size=x.shape), 0.0)
    found, status = b.ask(logs)
    assert status == 200, found
    b.motions.append(arms.motion(np.random.default_rng(77), b.n))
    want = b.torque(b.truth, -1)
    return max((b.torque(found["robot"], -1) - want).std(0) / want.std(0)), found


@pytest.mark.parametrize("torque, position", [(30, 0), (0, 0.6), (3, 0)])
def test_a_tenth_of_outliers_costs_little(daemon, monkeypatch, torque, position):
    monkeypatch.setattr(arms, "RATE", 200)
    clean, none = calibrated(daemon, 0, 0, 0)
    error, found = calibrated(daemon, 0.1, torque, position)
    assert none["findings"] == [] and none["verdict"] == found["verdict"] == "usable", found["reasons"]
    assert error < clean + 0.003, (error, clean)
    assert [f["kind"] for f in found["findings"]] == ["outliers"] and not found["findings"][0]["gross"]
    assert found["findings"][0]["datasets"] == ["run0"]
    # rows with an outlier in at least one of the four or eight channels
    hit = 1 - 0.9 ** (4 * ((torque > 0) + (position > 0)))
    assert found["findings"][0]["size"] == pytest.approx(hit, rel=0.15)
    repair = {r["kind"]: r for r in found["datasets"][0]["repairs"]}["outlier"]
    assert repair["count"] == pytest.approx(hit * 3200, rel=0.15) and len(repair["first_rows"]) == 8
