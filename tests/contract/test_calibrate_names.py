# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_names.py - names with commas, quotes and ends of lines in the CSV of a calibration.
import csv
import io
import json
import math

from test_calibrate import ask, calibrate, last_job

NAMES = {"joint1": 'hip, "left"', "joint2": "knee,\u00e4"}


def test_csv_of_a_calibration_keeps_every_name(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    moving = [joint for joint in document["joints"] if joint["v"]["count"] == 1]
    for joint, name in zip(moving, NAMES.values()):
        joint["name"] = name
    reply = daemon.request("PUT", "/v1/robots/named", json.dumps(document).encode(), {"Content-Type": "application/json"})
    assert reply[0] in (200, 201), reply[2]
    for run in (1, 2):
        times = [0.01 * k for k in range(1000)]
        q = [[math.sin((1.3 + 0.2 * run) * t), 0.8 * math.sin(2.1 * t + run)] for t in times]
        qd = [[(1.3 + 0.2 * run) * math.cos((1.3 + 0.2 * run) * t), 1.68 * math.cos(2.1 * t + run)] for t in times]
        qdd = [[-((1.3 + 0.2 * run) ** 2) * a, -4.41 * b] for a, b in q]
        tau = ask(daemon, "named", "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]
        rows = [",".join(["t", *(f"{w}{j}" for w in ("q", "qd", "qdd", "tau") for j in (0, 1))])]
        rows += [",".join(map(repr, [t, *a, *b, *c, *d])) for t, a, b, c, d in zip(times, q, qd, qdd, tau)]
        assert daemon.request("PUT", f"/v1/datasets/named{run}", "\n".join(rows).encode())[0] in (200, 201)
    found = calibrate(daemon, {"datasets": ["named1", "named2"], "filter": {"kind": "none"}, "model": {"friction": ["viscous", "coulomb"]}}, robot="named")
    for file in ("parameters.csv", "prediction.csv"):
        status, _, text = daemon.request("GET", f"/v1/jobs/{last_job(daemon)}/result/{file}")
        assert status == 200, text
        table = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
        assert len({len(row) for row in table}) == 1, f"{file}: rows of several lengths"
        text = "\n".join("\t".join(row) for row in table)
        for name in NAMES.values():
            assert name in text, f"{file}: {name}"
        if file == "parameters.csv":
            assert [row[0] for row in table[1:]][:len(found["parameters"])] == [p["name"] for p in found["parameters"]]
