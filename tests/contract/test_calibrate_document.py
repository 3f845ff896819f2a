# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_document.py - the loss of accuracy in a robot document if the fit has friction
# that the document cannot represent.
import io
import json

import pytest
from test_diagnosis import JSON, NPY, Bench

np = pytest.importorskip("numpy")


def along_the_log(daemon, bench, found, n):
    """Inverse dynamics of the robot document along a log has the fit's error; every format keeps the friction
    along a log, and a change of friction removes it."""
    bench.put("found", found["robot"])
    columns = {w: list(range(k * n, k * n + n)) for k, w in enumerate(("q", "qd", "qdd", "tau"))}

    def rmse(robot, **more):
        body = {"from": {"dataset": "run", "rate_hz": 100, "filter": {"kind": "none"}, "columns": columns}, **more}
        status, _, text = daemon.request("POST", f"/v1/robots/{robot}/inverse-dynamics", json.dumps(body).encode(), JSON)
        assert status == 200, text
        answer = json.loads(text)
        return [j["rmse"] for j in answer["residual"]["by_joint"]], answer["log"].get("friction")
    fit = pytest.approx(found["fit"]["rmse"], rel=1e-9)
    assert rmse("found") == (fit, "along_log")
    for form in ("urdf", "sdf"):
        text = daemon.request("GET", f"/v1/robots/found?format={form}")[2]
        assert daemon.request("PUT", f"/v1/robots/found-{form}", text, {"Content-Type": "application/xml"})[0] in (200, 201)
        assert rmse(f"found-{form}") == (fit, "along_log")
    assert rmse("found", without=["friction"])[1] is None
    first = found["joints"][0]
    change = {"operations": [{"op": "joint", "joint": joint, "damping": 1} for joint in found["joints"]]}
    status, _, text = daemon.request("PATCH", "/v1/robots/found?name=found-changed", json.dumps(change).encode(), JSON)
    assert status in (200, 201), text
    assert rmse("found-changed")[1] is None
    wrong = {**found["robot"], "joints": [{**j, **({"along_log": {"presliding": "much"}} if j["name"] == first else {})} for j in found["robot"]["joints"]]}
    status, _, text = daemon.request("PUT", "/v1/robots/wrong", json.dumps(wrong).encode(), JSON)
    assert status == 400 and "along_log/presliding" in text.decode()


def test_the_documents_friction_is_the_best_fit_and_its_loss_is_stated(daemon):
    """The fit has presliding; the document has viscous, Coulomb and offset friction, which must equal numpy's
    least squares on the torque that the bodies do not explain."""
    rng = np.random.default_rng(40)
    bench = Bench(daemon, rng, 3, 1)
    n, (_, q, qd, qdd) = bench.n, bench.motions[0]
    tau = bench.torque(bench.truth, 0)
    tau += 0.01 * tau.std(0) * rng.normal(size=tau.shape)
    out = io.BytesIO()
    np.save(out, np.hstack([q, qd, qdd, tau]))
    assert daemon.request("PUT", "/v1/datasets/run", out.getvalue(), NPY)[0] in (200, 201)

    def calibrate(**model):
        body = {"datasets": ["run"], "rate_hz": 100, "filter": {"kind": "none"}, "model": {"friction": ["viscous", "coulomb", "offset"], **model},
                "columns": {w: list(range(k * n, k * n + n)) for k, w in enumerate(("q", "qd", "qdd", "tau"))}}
        status, _, text = daemon.request("POST", "/v1/robots/user/calibrate", json.dumps(body).encode(), {**JSON, "Prefer": "wait=3600"})
        assert status == 200, text
        return json.loads(text)

    def torque(document):
        bench.put("found", document)
        out = io.BytesIO()
        np.save(out, np.hstack([q, qd, qdd]))
        return np.load(io.BytesIO(daemon.request("POST", "/v1/robots/found/inverse-dynamics", out.getvalue(), NPY)[2]))
    assert "document" not in calibrate()  # a document can represent this friction
    found = calibrate(presliding=0.05)
    along_the_log(daemon, bench, found, n)
    assert "fitted anew" in found["robot_note"]
    by_joint = found["document"]["by_joint"]
    assert [j["joint"] for j in by_joint] == found["joints"]
    left = tau - torque(found["robot"])
    assert [j["rmse_document"] for j in by_joint] == pytest.approx(np.sqrt((left**2).mean(0)).tolist(), rel=1e-6)
    assert [j["rmse_fit"] for j in by_joint] == pytest.approx(found["fit"]["rmse"], rel=1e-6)
    bare = json.loads(json.dumps(found["robot"]))
    for joint in bare["joints"]:
        joint.update(damping=0, friction={"coulomb": 0})
    bodies = torque(bare)
    for r, joint in enumerate(by_joint):
        smoothing = found["robot"]["joints"][r]["friction"]["smoothing"]
        a = np.column_stack([qd[:, r], np.tanh(qd[:, r] / smoothing), np.ones(len(qd))])
        x, square, _, _ = np.linalg.lstsq(a, tau[:, r] - bodies[:, r], rcond=None)
        assert x[0] > 0 and x[1] > 0
        assert joint["rmse_document"] == pytest.approx(np.sqrt(square[0] / len(qd)), rel=1e-6)
        assert found["robot"]["joints"][r]["damping"] == pytest.approx(x[0], rel=1e-6)
        assert found["robot"]["joints"][r]["friction"]["coulomb"] == pytest.approx(x[1], rel=1e-6)
        assert joint["price_percent"] == pytest.approx(100 * (joint["rmse_document"] / joint["rmse_fit"] - 1))
