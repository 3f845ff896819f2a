# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_problems.py - exceptions: each carries the problem document and the place in the user's own arrays.
"""What can go wrong, as exceptions below `TorquedError`."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class TorquedError(Exception):
    """Whatever this package raises by itself."""


class ConnectionLost(TorquedError):
    """The service was not there, or went away, as often as it was tried."""


class LocalError(TorquedError):
    """A daemon of one's own did not start or cannot be found."""


class LogError(TorquedError, ValueError):
    """A log cannot be read as motion without saying more about it."""


class Fault:
    """One entry of `errors`: where, what, and what to change.

    `pointer` is the JSON pointer into the request, `place` the same as Python writes it (``qd[3, 1]``), `value` what was there.
    """

    def __init__(self, entry: Mapping[str, Any], request: Any) -> None:
        self.pointer: str = entry.get("pointer", "")
        self.detail: str = entry.get("detail", "")
        self.hint: str | None = entry.get("hint")
        self.place, self.value, self.found = place_of(self.pointer, request)

    def __str__(self) -> str:
        shown = f" = {short(self.value)}" if self.found else ""
        lines = [f"{self.place}{shown}: {self.detail}" if self.place else self.detail]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Fault({self.place or self.pointer!r}: {self.detail})"


def short(value: Any) -> str:
    text = f"array of shape {value.shape}" if getattr(value, "ndim", 0) else repr(getattr(value, "item", lambda: value)())
    return text if len(text) <= 60 else text[:57] + "..."


def place_of(pointer: str, request: Any) -> tuple[str, Any, bool]:
    """JSON pointer -> (Python's own writing of the place, the value there, whether there is one)."""
    tokens = [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]
    text, at, found, indices = "", request, True, []
    for token in tokens:
        is_index = token.isdigit() and bool(text)
        if is_index:
            indices.append(token)
        else:
            text, indices = close(text, indices) + (f".{token}" if text else token), []
        try:
            at = at[int(token)] if is_index else at[token]
        except (KeyError, IndexError, TypeError):
            found = False
    return close(text, indices), at if found and tokens else None, found and bool(tokens)


def close(text: str, indices: Sequence[str]) -> str:
    return text + (f"[{', '.join(indices)}]" if indices else "")


class ProblemError(TorquedError):
    """The service answered with a problem document (RFC 9457): `problem`, and its parts as attributes."""

    def __init__(self, status: int, problem: Mapping[str, Any], request: Any = None) -> None:
        self.status = status
        self.problem: dict[str, Any] = dict(problem)
        self.type: str = self.problem.get("type", "about:blank")
        self.title: str = self.problem.get("title", f"HTTP status {status}")
        self.detail: str = self.problem.get("detail", "")
        self.request_id: str | None = self.problem.get("request_id")
        self.errors = [Fault(entry, request) for entry in self.problem.get("errors", [])]
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [f"{self.status} {self.title}"]
        if self.errors:
            lines += ["  " + line for fault in self.errors for line in str(fault).split("\n")]
        elif self.detail:
            lines.append(f"  {self.detail}")
        if self.request_id:
            lines.append(f"  request {self.request_id}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.problem)


class WrongInput(ProblemError, ValueError):
    """400, 413, 415 and 422: the request is at fault; `errors` says where."""


class NotAllowed(ProblemError, PermissionError):
    """401 and 403: a token is missing or does not open this."""


class NotFound(ProblemError, LookupError):
    """404: no such robot, dataset or job."""


class Conflict(ProblemError):
    """409 and 412: the present state of the resource conflicts with the request."""


class Busy(ProblemError):
    """429 and 503, and waiting and trying again did not help."""


class ServerFault(ProblemError):
    """5xx: the service's own fault."""


class JobFailed(ProblemError):
    """A job ended without a result; `job_id` is its id."""

    job_id: str | None = None


class JobCancelled(JobFailed):
    """A job was cancelled before it had a result."""


KINDS: dict[int, type[ProblemError]] = {
    400: WrongInput, 413: WrongInput, 415: WrongInput, 422: WrongInput, 401: NotAllowed, 403: NotAllowed, 404: NotFound,
    409: Conflict, 412: Conflict, 429: Busy, 503: Busy,
}


def problem_of(status: int, problem: Mapping[str, Any], request: Any = None) -> ProblemError:
    kind = KINDS.get(status, ServerFault if status >= 500 else ProblemError)
    return kind(status, problem, request)
