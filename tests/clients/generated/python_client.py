# SPDX-License-Identifier: Apache-2.0
# tests/clients/generated/python_client.py - a user's program on the client that openapi-python-client writes; mypy reads it too.
"""usage: python_client.py URL LOG.csv LOG.csv    prints torques, a simulation and a calibration as one JSON document"""
import io
import json
import sys

from torqued_client import Client
from torqued_client.api.datasets import put_dataset
from torqued_client.api.dynamics import calibrate, inverse_dynamics, simulate
from torqued_client.models import (
    CalibrateRequest,
    CalibrateResult,
    Dataset,
    InverseDynamicsRequest,
    InverseDynamicsResult,
    PulseDisturbance,
    SimulateInitial,
    SimulateOutput,
    SimulateRequest,
    SimulateResult,
)
from torqued_client.types import File

client = Client(base_url=sys.argv[1], timeout=None)

torques = inverse_dynamics.sync("panda", client=client, body=InverseDynamicsRequest(
    q=[0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7], qd=[0.1] * 7, qdd=[0.5] * 7))
assert isinstance(torques, InverseDynamicsResult)

motion = simulate.sync("panda", client=client, prefer="wait=60", body=SimulateRequest(
    initial=SimulateInitial(q=[0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]), duration_s=0.2, output=SimulateOutput(interval_s=0.1),
    disturbance=[PulseDisturbance(kind="pulse", torque=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], duration_s=0.05)]))
assert isinstance(motion, SimulateResult)
last: list[float] = motion.q[-1]

for name, path in zip(("run1", "run2"), sys.argv[2:]):
    with open(path, "rb") as log:
        described = put_dataset.sync(name, client=client, body=File(payload=io.BytesIO(log.read())))
    assert isinstance(described, Dataset) and described.rows > 0
fit = calibrate.sync("panda", client=client, prefer="wait=60", body=CalibrateRequest(datasets=["run1", "run2"]))
assert isinstance(fit, CalibrateResult)

json.dump({"tau": torques.tau, "q": last, "outcome": motion.verdict.outcome.value,
           "parameters": {one.name: one.value for one in fit.parameters}}, sys.stdout)
