# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/typed.py - a program whose types mypy checks: what a user's editor believes of the package.
"""Not run: `test_operations.py` gives it to mypy --strict."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torqued

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torqued._generated.operations import InverseDynamicsResult, SimulateResult
    from typing_extensions import assert_type


def sync(q: NDArray[np.float64]) -> None:
    with torqued.Client(token="x") as client:
        robot = client.robot("panda")
        assert_type(robot.inverse_dynamics(q, q, q), NDArray[np.float64])
        result = robot.inverse_dynamics(q, q, q, include=["energy"])
        assert_type(result, InverseDynamicsResult)
        assert_type(result.tau, NDArray[np.float64])
        job = robot.jobs.simulate({"q": q}, 1.0, {"interval_s": 0.1}, solver={"method": "bdf"})
        assert_type(job, torqued.Job[SimulateResult])
        assert_type(job.result().events[0]["t"], float)
        for event in job:
            print(event.state, event.progress)
        robot.terms(q, include=["no_such_term"])  # type: ignore[list-item]
        robot.simulate({"q": q}, 1.0, {"interval": 0.1})  # type: ignore[arg-type]


async def asynchronous(q: NDArray[np.float64]) -> None:
    async with torqued.AsyncClient() as client:
        robot = await client.robot("panda")
        assert_type(await robot.inverse_dynamics(q, q, q), NDArray[np.float64])
        async for event in await robot.jobs.simulate({"q": q}, 1.0, {"interval_s": 0.1}):
            print(event.job)
