# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_samples.py - the sample logs of a new daemon: listed, read, used in computations,
# read-only.
import hashlib
import json

import numpy as np
from conftest import problem

NAMES = ["sample-panda-1", "sample-panda-2"]


def ask(daemon, path, body, **headers):
    reply = daemon.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", "Prefer": "wait=3600", **headers})
    assert reply[0] == 200, reply[2][:500]
    return json.loads(reply[2])


def test_a_fresh_daemon_has_them(start):
    one, other = start(), start()
    listed = json.loads(one.request("GET", "/v1/datasets")[2])["datasets"]
    assert [d["name"] for d in listed] == NAMES and all(d["built_in"] is True and d["rows"] == 2000 and d["columns"] == 15 for d in listed)
    for d in listed:
        status, headers, data = one.request("GET", f"/v1/datasets/{d['name']}/content")
        assert status == 200 and hashlib.sha256(data).hexdigest() == d["sha256"] and headers["ETag"] == f'"{d["sha256"]}"' and len(data) == d["bytes"]
        assert other.request("GET", f"/v1/datasets/{d['name']}/content")[2] == data
        answer = json.loads(one.request("GET", f"/v1/datasets/{d['name']}")[2])
        assert answer["built_in"] is True and answer["statistics"][0]["name"] == "t" and answer["statistics"][0]["max"] == 9.995
        part = one.request("GET", f"/v1/datasets/{d['name']}/content", headers={"Range": "bytes=10-19"})
        assert part[0] == 206 and part[2] == data[10:20]
        assert one.request("GET", f"/v1/datasets/{d['name']}", headers={"If-None-Match": headers["ETag"]})[0] == 304
        points = json.loads(one.request("GET", f"/v1/datasets/{d['name']}?points=10")[2])
        assert len(points["series"]) == 15 and points["points"] == 10 and points["series"][0]["max"][-1] == 9.995


def test_they_cannot_be_changed(daemon):
    for name in NAMES:
        assert "built in" in problem(daemon.request("PUT", f"/v1/datasets/{name}", b"t,q\n0,1\n"), 409)["detail"]
        problem(daemon.request("DELETE", f"/v1/datasets/{name}"), 409)
        assert daemon.request("GET", f"/v1/datasets/{name}")[0] == 200
    assert daemon.request("PUT", "/v1/datasets/sample-of-mine", b"t,q\n0,1\n")[0] == 201
    listed = {d["name"]: d.get("built_in") for d in json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"]}
    assert listed == {NAMES[0]: True, NAMES[1]: True, "sample-of-mine": None}


def test_calibrate_compare_and_from_read_them(daemon):
    """On every joint they have Coulomb friction of 4 N m, viscous friction of 6 N m s/rad and uniform noise of
    0.1 N m peak to peak."""
    along = ask(daemon, "/v1/robots/panda/inverse-dynamics", {"from": {"dataset": NAMES[0]}})
    assert along["log"]["source"]["layout"] == "the usual names" and len(along["residual"]["by_joint"]) == 7
    found = ask(daemon, "/v1/robots/panda/calibrate", {"datasets": NAMES, "filter": {"cutoff_hz": 8}})
    for word, value in (("fc", 4), ("fv", 6)):
        values = [p["value"] for p in found["parameters"] if p["name"].startswith(word + "_")]
        # the filter at 8 Hz smooths the friction step at each reversal: a part of it appears as viscous
        # friction
        assert len(values) == 7 and np.abs(np.array(values) / value - 1).max() < 0.12, (word, values)
    compared = ask(daemon, "/v1/compare", {"a": {"dataset": NAMES[0]}, "b": {"dataset": NAMES[1]}})
    assert compared
    # as a job, which reads its inputs by version
    reply = daemon.request("POST", "/v1/robots/panda/calibrate", json.dumps({"datasets": NAMES}).encode(),
                           {"Content-Type": "application/json", "Prefer": "wait=60", "Idempotency-Key": "samples"})
    assert reply[0] == 200, reply[2][:500]
