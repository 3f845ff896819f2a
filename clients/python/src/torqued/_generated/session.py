# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/session.py - made by generate.py out of _session.py: lock step, without async.
"""A simulated robot that a program of one's own drives, step by step."""
from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._results import Joints, Result, tidy
from .._wire import CBOR, Request

if TYPE_CHECKING:
    from .client import Client


class Session:
    """An open session: time passes only by `step`. `with` ends it.

        with client.session("panda", initial={"q": q0}, step_s=0.001) as session:
            state = session.state
            while state.t < 1:
                state = session.step(kp * (goal - state.q) - kd * state.qd)

    Attributes:
        state: after the last step: step, t, q, qd, tau, hash, and sensors where the session has some.
        document: the session as it was opened: id, robot, joints, step_s, solver.
    """

    def __init__(self, client: Client, document: dict[str, Any]) -> None:
        self.client = client
        self.document = document
        self.id = str(document["id"])
        self.joints: list[str] = document["joints"]
        self.step_s = float(document["step_s"])
        self.state = self._result(document["state"])

    def _result(self, state: dict[str, Any]) -> Result:
        return Result(tidy(state), Joints(None), title=f"Step {state['step']}")

    def _ask(self, what: str, request: dict[str, Any], may_repeat: bool) -> Any:
        headers = {"Content-Type": CBOR}
        path = f"/v1/sessions/{self.id}/{what}"
        return (self.client._send(Request("POST", path, {}, headers, _wire.document(request), CBOR, request, may_repeat))).value()

    def step(self, tau: Any, steps: int = 1) -> Result:
        """Holds torques, in the order of `joints` or by name, for one control period, or several; the state after it. A request
        whose answer was lost is sent again and makes no second step."""
        request = {"tau": tau, "steps": steps, "at_step": int(self.state["step"])}
        self.state = self._result(self._ask("step", request, True))
        return self.state

    def rewind(self, step: int = 0, *, t: float | None = None) -> Result:
        """Back to a step, 0 is the start, or to that of the time t. The same torques lead to the same bits again."""
        self.state = self._result(self._ask("rewind", {"step": step} if t is None else {"t": t}, True))
        return self.state

    def fork(self, step: int | None = None, seed: int | None = None) -> Session:
        """A second session that goes on from the present, or from a step before."""
        request = {key: value for key, value in {"step": step, "seed": seed}.items() if value is not None}
        return Session(self.client, self._ask("fork", request, False))

    def close(self) -> None:
        """Ends the session; one that has ended already is no fault."""
        self.client._end(f"/v1/sessions/{self.id}")

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.document['robot']} at step {self.state['step']}, {self.state['t']:g} s>"
