# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/__init__.py - the names of the package, each imported when it is first used.
"""Robot dynamics by a torqued service, numpy in and out.

    >>> import torqued
    >>> robot = torqued.Client().robot("panda")
    >>> tau = robot.inverse_dynamics(q, qd, qdd)
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# module of each name; numpy and httpx take longer to import than everything here
_PLACES = {
    "Client": "_generated.client", "Robot": "_generated.client", "Job": "_generated.job", "AsyncClient": "_async", "AsyncRobot": "_async", "AsyncJob": "_job",
    "Session": "_generated.session", "AsyncSession": "_session",
    "Result": "_results", "Report": "_results", "Event": "_events", "local": "_local", "Local": "_local",
    "TorquedError": "_problems", "ProblemError": "_problems", "WrongInput": "_problems", "NotAllowed": "_problems",
    "NotFound": "_problems", "Conflict": "_problems", "Busy": "_problems", "ServerFault": "_problems", "JobFailed": "_problems",
    "JobCancelled": "_problems", "ConnectionLost": "_problems", "LocalError": "_problems", "LogError": "_problems",
}
__all__ = [
    "logs", "Client", "Robot", "Job", "AsyncClient", "AsyncRobot", "AsyncJob", "Session", "AsyncSession", "Result", "Report", "Event", "local",
    "Local", "TorquedError", "ProblemError", "WrongInput", "NotAllowed", "NotFound", "Conflict", "Busy",
    "ServerFault", "JobFailed", "JobCancelled", "ConnectionLost", "LocalError", "LogError",
]

if TYPE_CHECKING:
    from . import logs as logs
    from ._async import AsyncClient as AsyncClient
    from ._async import AsyncRobot as AsyncRobot
    from ._events import Event as Event
    from ._job import AsyncJob as AsyncJob
    from ._local import Local as Local
    from ._local import local as local
    from ._problems import Busy as Busy
    from ._problems import Conflict as Conflict
    from ._problems import ConnectionLost as ConnectionLost
    from ._problems import JobCancelled as JobCancelled
    from ._problems import JobFailed as JobFailed
    from ._problems import LocalError as LocalError
    from ._problems import LogError as LogError
    from ._problems import NotAllowed as NotAllowed
    from ._problems import NotFound as NotFound
    from ._problems import ProblemError as ProblemError
    from ._problems import ServerFault as ServerFault
    from ._problems import TorquedError as TorquedError
    from ._problems import WrongInput as WrongInput
    from ._results import Report as Report
    from ._results import Result as Result
    from ._session import AsyncSession as AsyncSession
    from ._generated.client import Client as Client
    from ._generated.job import Job as Job
    from ._generated.client import Robot as Robot
    from ._generated.session import Session as Session


def __getattr__(name: str) -> Any:
    if name == "logs":
        return importlib.import_module(".logs", __name__)
    if name not in _PLACES:
        raise AttributeError(f"module 'torqued' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
