# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/client.py - made by generate.py out of _async.py: the client, without async.
"""Connections, robots, datasets, jobs."""
from __future__ import annotations

import time
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _codec, _lost, _wire
from .._events import Event, Parser
from .operations import (MAY_OUTLIVE, RESULTS, RobotJobs, RobotOperations, ServiceJobs,
                          ServiceOperations)
from .job import Job
from .._problems import NotFound, WrongInput
from .._results import Joints, Report, Result, as_array, tidy
from .session import Session
from .._sources import dataset_body, robot_body
from .._wire import CBOR, JSON, NPY, Address, Body, Gather, Message, Reply, Request, Retry

if TYPE_CHECKING:
    from typing import BinaryIO

    from .._codec import Array
    from .far import Far, FarAnswer
    from .near import Answer, Near
    from .._sources import DatasetSource, RobotSource

R = TypeVar("R", bound=Result)


class Client(ServiceOperations):
    """A torqued service.

    Arguments:
        url: ``http://host:port`` or ``unix:/path``; else the environment's TORQUED_URL, else http://127.0.0.1:8420.
        token: of ``Authorization: Bearer``; else TORQUED_TOKEN, else the first line of the file TORQUED_TOKEN_FILE.
        retries: how often a request is sent again after a lost connection, 429 or 503.
        retry_wait_max_s: no waiting if the service's Retry-After is longer than this.
        timeout_s: of a connection that is silent.
    """

    def __init__(self, url: str | None = None, *, token: str | None = None, retries: int = 4, retry_wait_max_s: float = 60.0,
                 timeout_s: float = 300.0) -> None:
        self.address = _wire.address(url)
        self.retries = retries
        self.retry_wait_max_s = retry_wait_max_s
        self.timeout_s = timeout_s
        self._token = _wire.token_of(token)
        self._transport = transport_to(self.address)

    @property
    def jobs(self) -> ServiceJobs:
        """`inertia`, `rigid_body`, `drive`, `compare` as jobs: each returns its job at once."""
        return SubmitService(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address.text}>"

    # -- requests -----------------------------------------------------------------------------------------------------

    def _send(self, request: Request) -> Reply:
        """One answer, after as many tries as it takes and is allowed; a problem raises."""
        retry = Retry(request, self.retries, self.address.text, self.retry_wait_max_s)
        while True:
            try:
                reply = self._once(request)
                pause = retry.after(reply)
                if pause is None:
                    return retry.settle(reply)
            except _lost.Lost as error:
                pause = retry.after_loss(error)
            time.sleep(pause)

    def _message(self, request: Request) -> Message:
        silence_s = self.timeout_s if request.silence_s is None else request.silence_s
        return Message(request.method, request.url(), request.all_headers(self.address.host, self._token), request.body or Body(), silence_s)

    def _once(self, request: Request) -> Reply:
        answer = self._transport.exchange(self._message(request))
        try:
            return gathered(answer, request.into)
        finally:
            answer.close()

    def _get(self, path: str, accept: str = JSON, query: Mapping[str, Any] | None = None) -> Any:
        return (self._send(Request("GET", path, query or {}, accept=accept))).value()

    def _stream(self, path: str, last: str | None) -> Iterator[Event]:
        """Events, over as many connections as it takes: each resumes after the last event."""
        request = Request("GET", path, accept="text/event-stream", silence_s=min(_wire.EVENTS_SILENT_S, self.timeout_s))
        retry = Retry(request, self.retries, self.address.text, self.retry_wait_max_s)
        while True:
            if last is not None:
                request.headers["Last-Event-ID"] = last
            try:
                answer = self._transport.exchange(self._message(request))
                try:
                    if answer.status != 200:
                        reply = gathered(answer, None)
                        pause = retry.after(reply)
                        if pause is None:
                            retry.settle(reply)
                            return  # 204: there are no more
                    else:
                        parser = Parser()
                        for piece in answer.pieces():
                            for event in parser.feed(piece):
                                retry.left = self.retries
                                last = event.id or last
                                yield event
                            last = parser.last or last
                        pause = retry.after_loss(_lost.RemoteProtocolError("the stream ended"))
                finally:
                    answer.close()
            except _lost.Lost as error:
                pause = retry.after_loss(error)
            time.sleep(pause)

    def _call(self, path: str, operation: str, kind: type[R], request: dict[str, Any], joints: Joints | None, key: str | None,
                    progress: bool | None = None) -> R:
        """An operation, waited for: as an immediate call, or as a job where it may take long."""
        if operation in MAY_OUTLIVE:
            job = self._submit(path, operation, kind, request, joints, key)
            return job.result(progress=progress)
        headers = {"Content-Type": CBOR, **({"Idempotency-Key": key} if key else {})}
        reply = self._send(Request("POST", path, {}, headers, _wire.document(request), CBOR, request))
        return kind(tidy(reply.value(), kind._lists), joints)

    def _submit(self, path: str, operation: str, kind: type[R], request: dict[str, Any], joints: Joints | None,
                      key: str | None) -> Job[R]:
        headers = {"Content-Type": CBOR, "Prefer": "respond-async", "Idempotency-Key": key or _wire.new_key()}
        reply = self._send(Request("POST", path, {}, headers, _wire.document(request), said=request))
        return Job(self, reply.value(), kind, joints, request)

    def _compute(self, operation: str, kind: type[R], request: dict[str, Any], idempotency_key: str | None,
                       progress: bool | None = None) -> R:
        return self._call(f"/v1/{operation}", operation, kind, given(request), None, idempotency_key, progress)

    # -- robots -------------------------------------------------------------------------------------------------------

    def robots(self) -> list[dict[str, Any]]:
        """Name, nv, source, digest of each; built-in ones too."""
        found: dict[str, Any] = self._get("/v1/robots")
        return list(found["robots"])

    def robot(self, name: str) -> Robot:
        """A robot by its name, or ``name@digest`` for one version of it."""
        return Robot(self, self._get(f"/v1/robots/{_wire.segment(name)}"), name)

    def put_robot(self, name: str, source: RobotSource, *, format: str | None = None, base: str | None = None,
                        main: str | None = None, if_match: str | None = None) -> Robot:
        """Creates or replaces a robot; `robot.report` says what was understood, ignored and found.

        Arguments:
            source: a path, or the text of a URDF or an MJCF, or a robot document as a dict.
            format: urdf, mjcf, sdf, zip or document, where the first bytes shall not decide.
            base: what holds the root link of a URDF or SDF: fixed, floating or planar.
            main: the description inside of a zip archive.
            if_match: the digest of the version that is replaced; another one there is a `Conflict`.
        """
        body, media, said = robot_body(source)
        headers = {"Content-Type": media, **({"If-Match": f'"{if_match}"'} if if_match else {})}
        path = f"/v1/robots/{_wire.segment(name)}"
        query = {"format": format, "base": base, "main": main}
        reply = self._send(Request("PUT", path, query, headers, body, said=said, may_repeat=if_match is None))
        return self._stored(name, reply)

    def _stored(self, name: str, reply: Reply) -> Robot:
        robot = self.robot(name)
        robot.report = Result(reply.value(), title=f"What was understood of {name}")
        return robot

    def export_robot(self, name: str, format: str) -> str:
        """A robot as text: urdf, mjcf or sdf. What the format cannot say is in elements torqued:..., or listed in a comment."""
        return str(self._get(f"/v1/robots/{_wire.segment(name)}", accept="*/*", query={"format": format}))

    def delete_robot(self, name: str) -> None:
        self._send(Request("DELETE", f"/v1/robots/{_wire.segment(name)}"))

    def sessions(self) -> list[dict[str, Any]]:
        """One's open sessions: id, robot, bytes, when each expires."""
        found: dict[str, Any] = self._get("/v1/sessions")
        return list(found["sessions"])

    def find_session(self, id: str) -> Session:
        """A session by its id, as it is now."""
        return Session(self, self._get(f"/v1/sessions/{_wire.segment(id)}", CBOR))

    def session(self, robot: str, **request: Any) -> Session:
        """Opens a simulated robot that this program drives step by step.

        Arguments:
            robot: its name, or ``name@digest``.
            request: the other fields of `POST /v1/sessions`: initial, step_s, solver, sensors, actuators, history ...
        """
        body = given({"robot": robot, **request})
        sent = Request("POST", "/v1/sessions", {}, {"Content-Type": CBOR}, _wire.document(body), CBOR, body, may_repeat=False)
        return Session(self, (self._send(sent)).value())

    def _end(self, path: str) -> None:
        """Removes a resource that may be gone already."""
        try:
            self._send(Request("DELETE", path))
        except NotFound:
            pass

    # -- datasets -----------------------------------------------------------------------------------------------------

    def datasets(self) -> list[dict[str, Any]]:
        found: dict[str, Any] = self._get("/v1/datasets")
        return list(found["datasets"])

    def dataset(self, name: str) -> Result:
        """Size, columns and statistics of a dataset."""
        return Result(self._get(f"/v1/datasets/{_wire.segment(name)}"), title=f"Dataset {name}")

    def put_dataset(self, name: str, source: DatasetSource, *, format: str | None = None, delimiter: str | None = None,
                          if_match: str | None = None) -> Result:
        """Uploads recorded motion.

        Arguments:
            source: the path of a CSV or NPY file, an array of two axes, a `torqued.logs.Log`, or bytes. A table of pandas, and
                files of other kinds, go through `torqued.logs`, which needs the meaning of columns and units.
        """
        body, media = dataset_body(source)
        headers = {"Content-Type": media, **({"If-Match": f'"{if_match}"'} if if_match else {})}
        query = {"format": format, "delimiter": delimiter}
        request = Request("PUT", f"/v1/datasets/{_wire.segment(name)}", query, headers, body, may_repeat=if_match is None)
        return Result((self._send(request)).value(), title=f"Dataset {name}")

    def dataset_points(self, name: str, points: int) -> Result:
        """The least and the greatest of each column in at most so many stretches, for plots."""
        return Result(tidy(self._get(f"/v1/datasets/{_wire.segment(name)}", query={"points": points})), title=f"Dataset {name}")

    def dataset_content(self, name: str, into: str | os.PathLike[str] | None = None) -> bytes:
        """The bytes as they were uploaded; with `into` written to that file instead (and b"" returned)."""
        return self._download(f"/v1/datasets/{_wire.segment(name)}/content", into)

    def delete_dataset(self, name: str) -> None:
        self._send(Request("DELETE", f"/v1/datasets/{_wire.segment(name)}"))

    def _download(self, path: str, into: str | os.PathLike[str] | None, method: str = "GET", accept: str = "*/*") -> bytes:
        if into is None:
            return bytes((self._send(Request(method, path, accept=accept))).body)
        # beside, then renamed: a file under the name asked for is whole
        part = Path(f"{os.fspath(into)}.part")
        try:
            with open(part, "w+b") as file:
                self._send(Request(method, path, accept=accept, into=file))
            part.replace(into)
        finally:
            part.unlink(missing_ok=True)
        return b""

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def job(self, id: str) -> Job[Result]:
        """A job by its id."""
        return self._found(self._get(f"/v1/jobs/{_wire.segment(id)}"))

    def _found(self, document: dict[str, Any]) -> Job[Result]:
        return Job(self, document, RESULTS.get(document["kind"], Result), None)

    def list_jobs(self, *, state: str | None = None, kind: str | None = None, robot: str | None = None,
                        older_than: str | None = None, newer_than: str | None = None, limit: int = 50) -> list[Job[Result]]:
        """The newest jobs, `limit` at most, page by page."""
        query: dict[str, Any] = {"state": state, "kind": kind, "robot": robot, "older_than": older_than, "newer_than": newer_than}
        found: list[Job[Result]] = []
        cursor = None
        while len(found) < limit:
            page = self._get("/v1/jobs", query={**query, "limit": min(200, limit - len(found)), "cursor": cursor})
            found += [self._found(one) for one in page["jobs"]]
            cursor = page["cursor"]
            if cursor is None:
                break
        return found

    def delete_jobs(self, *, state: str | None = None, kind: str | None = None, robot: str | None = None,
                          older_than: str | None = None, newer_than: str | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Removes the finished jobs that match, with their results: ``{"matched", "deleted"}``."""
        query = {"state": state, "kind": kind, "robot": robot, "older_than": older_than, "newer_than": newer_than,
                 "dry_run": dry_run or None}
        out: dict[str, Any] = (self._send(Request("DELETE", "/v1/jobs", query))).value()
        return out

    def events(self, last: str | None = None) -> Iterator[Event]:
        """Changes of state and progress of all jobs, from now on or after the event `last`; without end."""
        for event in self._stream("/v1/events", last):
            yield event

    # -- the service --------------------------------------------------------------------------------------------------

    def version(self) -> dict[str, Any]:
        out: dict[str, Any] = self._get("/v1/version")
        return out

    def is_ready(self) -> bool:
        try:
            return (self._once(Request("GET", "/readyz"))).status == 200
        except _lost.Lost:
            return False

    def health(self) -> dict[str, Any]:
        out: dict[str, Any] = self._get("/healthz")
        return out

    def live(self) -> dict[str, Any]:
        """The process answers, whatever it can do."""
        out: dict[str, Any] = self._get("/livez")
        return out

    def nodes(self) -> list[dict[str, Any]]:
        """The daemons that have one store: name, state, what each runs."""
        found: dict[str, Any] = self._get("/v1/nodes")
        return list(found["nodes"])

    def drain_node(self, name: str) -> dict[str, Any]:
        """A node takes no more jobs, and hands over those that it runs. Repeated, it changes nothing."""
        out: dict[str, Any] = (self._send(Request("POST", f"/v1/nodes/{_wire.segment(name)}/drain"))).value()
        return out

    def resume_node(self, name: str) -> dict[str, Any]:
        """A drained node takes jobs again."""
        out: dict[str, Any] = (self._send(Request("POST", f"/v1/nodes/{_wire.segment(name)}/resume"))).value()
        return out

    def metrics(self) -> str:
        """Counters and gauges in Prometheus' text."""
        return str(self._get("/metrics", accept="text/plain"))

    def index(self) -> dict[str, Any]:
        out: dict[str, Any] = self._get("/")
        return out

    def contract(self) -> dict[str, Any]:
        """The OpenAPI document."""
        out: dict[str, Any] = self._get("/openapi.json")
        return out

    def docs(self) -> Report:
        return Report(str(self._get("/docs", accept="text/html")))

    def problem_types(self) -> list[dict[str, Any]]:
        found: dict[str, Any] = self._get("/problems")
        return list(found["problems"])

    def problem_type(self, slug: str) -> dict[str, Any]:
        """What a type of problem means and how to mend it."""
        out: dict[str, Any] = self._get(f"/problems/{_wire.segment(slug.removeprefix('/problems/'))}")
        return out

    def backup(self, into: str | os.PathLike[str]) -> None:
        """The whole store at one moment, as a tar archive in a file."""
        self._download("/v1/backup", into, "POST")

    def begin_session(self) -> None:
        """Asks for a session cookie for the token, as a browser does; this client goes on with its token."""
        self._send(Request("POST", "/v1/session", may_repeat=False))

    def ticket(self) -> dict[str, Any]:
        """A ticket for one event stream of a browser, in its query: {"ticket", "expires_in_s"}. Streams of this client need none."""
        out: dict[str, Any] = (self._send(Request("POST", "/v1/tickets"))).value()
        return out

    def end_session(self) -> None:
        self._send(Request("DELETE", "/v1/session"))


class Robot(RobotOperations):
    """A robot of the service: its operations as methods, `jobs` has them as jobs."""

    def __init__(self, client: Client, document: dict[str, Any], name: str) -> None:
        self.client = client
        self.name = name
        self.document = document
        self.report: Result | None = None
        self._joints = Joints(document)

    @property
    def digest(self) -> str:
        return str(self.document["digest"])

    @property
    def nq(self) -> int:
        return int(self.document["nq"])

    @property
    def nv(self) -> int:
        return int(self.document["nv"])

    @property
    def joints(self) -> list[str]:
        """Names of the moving joints, in the order of q, qd, qdd and tau."""
        return [joint["name"] for joint in self.document["joints"] if joint.get("v", {}).get("count", 0) > 0]

    @property
    def jobs(self) -> RobotJobs:
        """The same operations as jobs: each returns its job at once."""
        return SubmitRobot(self)

    def session(self, **request: Any) -> Session:
        """`Client.session` with this very version of the robot."""
        return self.client.session(f"{self.name.partition('@')[0]}@{self.digest}", **request)

    def urdf(self) -> str:
        path = f"/v1/robots/{_wire.segment(self.name)}"
        return str(self.client._get(path, accept="application/xml"))

    def export(self, format: str) -> str:
        """As text in the format urdf, mjcf or sdf."""
        return self.client.export_robot(self.name, format)

    def change(self, *operations: Mapping[str, Any], name: str | None = None, if_match: str | None = None) -> Robot:
        """Another version by operations, each on what those before it have left: the robot that it makes.

        A lost connection raises: sent again it would change what was changed already.

        Arguments:
            operations: such as ``{"op": "lock", "joints": {"joint7": 0.8}}``: joint, link, gravity, payload, lock, root,
                subchain or join.
            name: that it is stored under; without it this robot's, which it replaces. Built-in robots need one.
            if_match: the digest of the version that is changed; another one there is a `Conflict`.
        """
        body, media, said = robot_body({"operations": [dict(one) for one in operations]})
        headers = {"Content-Type": media, **({"If-Match": f'"{if_match}"'} if if_match else {})}
        path = f"/v1/robots/{_wire.segment(self.name)}"
        reply = self.client._send(Request("PATCH", path, {"name": name}, headers, body, said=said, may_repeat=False))
        return self.client._stored(name or self.name, reply)

    def refresh(self) -> None:
        """Reads the document again, after somebody replaced the robot."""
        again = self.client.robot(self.name)
        self.document, self._joints = again.document, again._joints

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.nq} coordinates, joints {', '.join(self.joints)}>"

    def _repr_html_(self) -> str:
        return Result({key: self.document[key] for key in ("source", "digest", "nq", "nv", "gravity") if key in self.document}
                      | {"joints": ", ".join(self.joints)}, title=self.name)._repr_html_()

    def _path(self, operation: str) -> str:
        return f"/v1/robots/{_wire.segment(self.name)}/{operation}"

    def _order(self, request: Mapping[str, Any]) -> Joints:
        order = request.get("joints")
        return self._joints if order is None else Joints(self.document, order)

    def _compute(self, operation: str, kind: type[R], request: dict[str, Any], idempotency_key: str | None,
                       progress: bool | None = None) -> R:
        said = given(request)
        return self.client._call(self._path(operation), operation, kind, said, self._order(said), idempotency_key, progress)

    def _arrays(self, operation: str, request: dict[str, Any]) -> Array:
        """Arrays to one array: the answer is a view of NPY. A large table goes in parts, which the service computes as they come."""
        said = {key: _codec.as_floats(value) for key, value in given(request).items()}
        arrays = [said[key] for key in ("q", "qd", "qdd" if "qdd" in said else "tau")]
        if _codec.is_large_table(arrays, [self.nq, self.nv, self.nv]):
            try:
                return as_array((self._sent(operation, NPY, Body(_codec.encode_table(arrays)), said)).value())
            except WrongInput as error:
                if error.status not in (400, 422):
                    raise
                # the same as CBOR, whose faults name the array and the place in it
        return as_array((self._sent(operation, CBOR, _wire.document(said), said)).value())

    def _sent(self, operation: str, media: str, body: Body, said: Any) -> Reply:
        return self.client._send(Request("POST", self._path(operation), {}, {"Content-Type": media}, body, NPY, said))


class SubmitRobot(RobotJobs):
    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def _compute(self, operation: str, kind: type[R], request: dict[str, Any], idempotency_key: str | None) -> Job[R]:
        said = given(request)
        robot = self._robot
        return robot.client._submit(robot._path(operation), operation, kind, said, robot._order(said), idempotency_key)


class SubmitService(ServiceJobs):
    def __init__(self, client: Client) -> None:
        self._client = client

    def _compute(self, operation: str, kind: type[R], request: dict[str, Any], idempotency_key: str | None) -> Job[R]:
        return self._client._submit(f"/v1/{operation}", operation, kind, given(request), None, idempotency_key)


def transport_to(address: Address) -> Near | Far:
    """Each is imported when there is an address for it: httpx takes longer than all else here."""
    if _wire.has_near(address):
        from .near import Near
        return Near(address)
    from .far import Far
    return Far(address)


def gathered(answer: Answer | FarAnswer, into: BinaryIO | None) -> Reply:
    gather = Gather(answer.status, answer.headers, into)
    if answer.filler is not None and gather.room is not None:
        answer.filler(gather.room)  # all at once, where the transport can write into this memory
    else:
        for piece in answer.pieces():
            gather.add(piece)
    return gather.reply()


def given(request: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, without what was left out."""
    return {key: value for key, value in request.items() if value is not None}
