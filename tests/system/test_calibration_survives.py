# SPDX-License-Identifier: Apache-2.0
# tests/system/test_calibration_survives.py - a calibration killed 20 times continues from its checkpoints, to the same bits.
import array
import json
import math
import random
import struct

import conftest
import pytest
from test_jobs_survive import ASYNC, House, runs

KILLS = 20
PATH = "/v1/robots/panda/calibrate"
N, PERIOD, RATE = 7, 4000, 1000
TIMES = 10 if conftest.SLOW == 1 else 4


@pytest.fixture
def home():
    house = House({"jobs": 1, "workers": 1})
    yield house
    house.close()


def motion(t, seed):
    """q, qd and qdd of seven joints: harmonics of 0.25 Hz, of which the highest is above the cut-off."""
    chance = random.Random(seed)
    q, qd, qdd = [], [], []
    for joint in range(N):
        waves = [(0.5 * chance.uniform(0.5, 1) / k, 2 * math.pi * 0.25 * k, chance.uniform(0, 6)) for k in (1, 2, 5)]
        w = 2 * math.pi * (40 + 2 * joint)
        waves.append((4 / w / w, w, chance.uniform(0, 6)))
        q.append(sum(a * math.sin(w * t + p) for a, w, p in waves))
        qd.append(sum(a * w * math.cos(w * t + p) for a, w, p in waves))
        qdd.append(sum(-a * w * w * math.sin(w * t + p) for a, w, p in waves))
    return q, qd, qdd


def put_recording(home, name, seed):
    """TIMES periods of 4 s; positions with noise, torque with Coulomb friction that the robot's file does not state."""
    rows = [motion(k / RATE, seed) for k in range(PERIOD)]
    q, qd, qdd = ([row[i] for row in rows] for i in range(3))
    status, _, text = home.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps({"q": q, "qd": qd, "qdd": qdd}).encode(),
                                   {"Content-Type": "application/json"})
    assert status == 200, text
    tau, chance, values = json.loads(text)["tau"], random.Random(seed), array.array("d")
    for _ in range(TIMES):
        for k in range(PERIOD):
            values.extend(x + chance.gauss(0, 2e-4) for x in q[k])
            values.extend(x + chance.gauss(0, 0.05) + 0.8 * math.tanh(50 * v) for x, v in zip(tau[k], qd[k]))
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({TIMES * PERIOD}, {2 * N}), }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes()
    status, _, text = home.request("PUT", f"/v1/datasets/{name}", data, {"Content-Type": "application/x-npy"})
    assert status == 201, text


def submit(home, request, key):
    status, _, text = home.request("POST", PATH, request, {**ASYNC, "Idempotency-Key": key})
    assert status == 202, text
    return json.loads(text)["id"]


def resumes(home):
    """Checkpoints that the daemon at hand has loaded, by its log."""
    return [json.loads(line) for line in home.daemon.log if "continues from its checkpoint" in line]


@pytest.mark.seconds(600)
def test_killed_calibration_goes_on_to_the_same_bits(home):
    """Killed at KILLS random fractions of its progress: passes of a search, of the fit and of the validation."""
    seed = random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    print(f"seed {seed}")
    home.start()
    for i in range(4):
        put_recording(home, f"run{i}", i)
    request = json.dumps({"datasets": [f"run{i}" for i in range(4)], "rate_hz": RATE, "bootstrap": 50,
                          "columns": {"q": list(range(N)), "tau": list(range(N, 2 * N))}}).encode()
    whole = submit(home, request, "whole")
    assert home.ended(whole)["state"] == "succeeded", home.json(f"/v1/jobs/{whole}")
    job, loaded = submit(home, request, "killed"), 0
    fractions = sorted(chance.uniform(0.02, 0.97) for _ in range(KILLS))
    for k, fraction in enumerate(fractions):
        assert runs(home, job, k + 1, fraction), f"seed {seed}: it ended before kill {k + 1}, at {fraction}"
        loaded += len(resumes(home))
        home.kill()
        home.start()
    document = home.ended(job)
    loaded += len(resumes(home))
    assert document["state"] == "succeeded" and document["attempts"] == KILLS + 1, (seed, document)
    results = [home.request("GET", f"/v1/jobs/{i}/result")[2] for i in (whole, job)]
    assert results[0] == results[1], f"seed {seed}: other bits"
    # without checkpoints, no attempt but the last would get beyond the fraction of its kill
    assert loaded > 0, f"seed {seed}: each attempt began from the start"
    print(f"seed {seed}: {KILLS} kills, {loaded} of {KILLS} attempts continued from a checkpoint")
