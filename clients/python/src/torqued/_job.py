# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_job.py - jobs; generate.py makes _generated/job.py of it by taking `async` and `await` out.
"""Long computations that go on by themselves."""
from __future__ import annotations

import asyncio  # only async
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _wire
from ._events import Event
from ._problems import JobCancelled, JobFailed
from ._progress import Bar
from ._results import Joints, Report, Result, tidy
from ._wire import CBOR, CSV, JSON, NPY, NPZ, Request

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._async import AsyncClient

R = TypeVar("R", bound=Result)
ENDED = ("succeeded", "failed", "cancelled")


class AsyncJob(Generic[R]):
    """A long computation. It goes on whatever happens to this program: its `id` finds it again (`client.job(id)`)."""

    def __init__(self, client: AsyncClient, document: dict[str, Any], kind: type[R], joints: Joints | None, said: Any = None) -> None:
        self.client = client
        self.document = document
        self._said = said  # what was asked for, for the places of faults
        self._kind = kind
        self._joints = joints

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def kind(self) -> str:
        """The operation's name."""
        return str(self.document["kind"])

    @property
    def state(self) -> str:
        """queued, running, succeeded, failed or cancelled, when it was last heard of; `refresh` asks."""
        return str(self.document["state"])

    @property
    def progress(self) -> dict[str, Any]:
        """`fraction`, `step` and `eta_s`, when it was last heard of."""
        return dict(self.document["progress"])

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    @property
    def attachments(self) -> list[dict[str, Any]]:
        """Files beside the result: name, media_type, bytes."""
        return list(self.document.get("attachments", []))

    def __repr__(self) -> str:
        part = "" if self.is_ended else f", {100 * float(self.progress.get('fraction') or 0):.0f} %"
        return f"<{type(self).__name__} {self.id}: {self.kind}, {self.state}{part}>"

    def _repr_html_(self) -> str:
        keys = ("kind", "robot", "state", "progress", "created", "started", "finished")
        return Result({key: self.document.get(key) for key in keys}, title=f"Job {self.id}")._repr_html_()

    async def refresh(self) -> AsyncJob[R]:
        self.document = await self.client._get(f"/v1/jobs/{self.id}")
        return self

    async def __aiter__(self) -> AsyncIterator[Event]:
        async for event in self.events():
            yield event

    async def events(self, last: str | None = None) -> AsyncIterator[Event]:
        """Its changes of state from the first on, or behind the event `last`, and its progress; ends with the job."""
        async for event in self.client._stream(f"/v1/jobs/{self.id}/events", last):
            self._heard(event)
            if event.state in ENDED:
                await self.refresh()
                yield event
                break
            yield event

    def _heard(self, event: Event) -> None:
        if event.state is not None:
            self.document["state"] = event.state
        if event.progress is not None:
            self.document["progress"] = event.progress

    async def wait(self, *, progress: bool | None = None) -> AsyncJob[R]:
        """Waits for its end, with a bar where somebody looks (`progress=False`: never). An interrupt leaves it running."""
        bar = Bar(f"{self.kind} {self.id}", progress)
        try:
            async for event in self.events():
                if event.progress is not None:
                    bar.update(event.progress)
        except (KeyboardInterrupt, asyncio.CancelledError):  # only async
        # only sync: except KeyboardInterrupt:
            bar.close()
            print(f'job {self.id} goes on: client.job("{self.id}") finds it, .cancel() ends it', file=sys.stderr)
            raise
        finally:
            bar.close()
        return self if self.is_ended else await self.refresh()

    async def result(self, *fields: str, progress: bool | None = None) -> R:
        """Its result, when it is done; with names, these fields alone. `JobFailed` or `JobCancelled` where there is none."""
        if not self.is_ended:
            await self.wait(progress=progress)
        if self.state != "succeeded":
            raise self._failure()
        query = {"fields": ",".join(fields)} if fields else {}
        value = await self.client._get(f"/v1/jobs/{self.id}/result", CBOR, query)
        out = self._kind(tidy(value, self._kind._lists), self._joints)
        out.job_id = self.id
        return out

    def _failure(self) -> JobFailed:
        problem = self.document.get("problem") or {"title": f"The job was {self.state}", "status": 409}
        kind = JobCancelled if self.state == "cancelled" else JobFailed
        error = kind(int(problem.get("status", 500)), problem, self._said)
        error.job_id = self.id
        return error

    async def field(self, name: str) -> NDArray[Any]:
        """One array of the result, inside of objects with dots (`reactions.base`)."""
        out: NDArray[Any] = await self.client._get(f"/v1/jobs/{self.id}/result/{_wire.segment(name)}", NPY)
        return out

    async def points(self, points: int) -> Result:
        """The least and the greatest of each column in at most so many stretches, for plots."""
        return Result(tidy(await self.client._get(f"/v1/jobs/{self.id}/result", query={"points": points})), title=f"Job {self.id}")

    async def save(self, path: str | os.PathLike[str]) -> None:
        """The whole result as a file: .npz, .csv, .cbor or .json by its name."""
        forms = {".npz": NPZ, ".csv": CSV, ".cbor": CBOR, ".json": JSON}
        ending = Path(path).suffix
        if ending not in forms:
            raise ValueError(f"{path}: a result is written as {', '.join(forms)}")
        await self.client._download(f"/v1/jobs/{self.id}/result", path, accept=forms[ending])

    async def attachment(self, name: str, into: str | os.PathLike[str] | None = None) -> bytes:
        """A file beside the result, as `robot.urdf` and `parameters.h` of a calibration."""
        return await self.client._download(f"/v1/jobs/{self.id}/result/{_wire.segment(name)}", into)

    async def report(self) -> Report:
        """The report for people, where the kind writes one; a notebook shows it."""
        if not self.is_ended:
            await self.wait()
        return Report(str(await self.client._get(f"/v1/jobs/{self.id}/report", "text/html")))

    async def request(self) -> Any:
        """What was asked for, decoded: it can be sent again."""
        return await self.client._get(f"/v1/jobs/{self.id}/request", accept="*/*")

    async def cancel(self) -> AsyncJob[R]:
        """Ends it at its next step."""
        self.document = (await self.client._send(Request("POST", f"/v1/jobs/{self.id}/cancel"))).value()
        return self

    async def delete(self) -> None:
        """Removes the finished job and its result."""
        await self.client._send(Request("DELETE", f"/v1/jobs/{self.id}"))
