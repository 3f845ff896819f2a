# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_wire.py - requests and answers as values, and the rules of trying again: all that moves no bytes.
"""The core that the synchronous and the asynchronous client share."""
from __future__ import annotations

import itertools
import json
import os
import random
import sys
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from . import _codec, _lost
from ._problems import ConnectionLost, ProblemError, TorquedError, problem_of

CBOR, NPY, NPZ, JSON, CSV = "application/cbor", "application/x-npy", "application/x-npz", "application/json", "text/csv"
PIECE = 65536  # bytes of a body handed to the socket at once: such blocks malloc takes from its heap, larger ones from new pages
PAUSE_FIRST_S, PAUSE_MAX_S = 0.1, 30.0
TOGETHER_MAX = 128  # buffers of one system call, far below IOV_MAX
CONNECT_S = 10.0
EVENTS_SILENT_S = 50.0  # the service sends a comment every 15 s
DEFAULT_URL = "http://127.0.0.1:8420"


class Body:
    """Bytes that can be sent again: pieces of memory, or a file that is read from its beginning each time."""

    def __init__(self, pieces: Iterable[_codec.Buffer] = (), path: str | os.PathLike[str] | None = None) -> None:
        self.parts = list(pieces)
        self.path = path
        self.length = os.path.getsize(path) if path is not None else sum(memoryview(one).nbytes for one in self.parts)

    def groups(self) -> Iterator[list[_codec.Buffer]]:
        """Pieces that one system call may take together."""
        if self.path is not None:
            with open(self.path, "rb") as file:
                while piece := file.read(PIECE):
                    yield [piece]
        for at in range(0, len(self.parts), TOGETHER_MAX):
            yield self.parts[at:at + TOGETHER_MAX]

    def pieces(self) -> Iterator[bytes]:
        """Copies, of at most PIECE bytes."""
        for one in itertools.chain.from_iterable(self.groups()):
            view = memoryview(one)
            for at in range(0, view.nbytes, PIECE):
                yield bytes(view[at:at + PIECE])


@dataclass
class Message:
    """A request as a transport sends it."""

    method: str
    target: str  # path and query
    headers: Mapping[str, str]
    body: Body
    silence_s: float  # the longest pause of the service
    connect_s: float = CONNECT_S


@dataclass
class Request:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: Body | None = None
    accept: str = JSON
    said: Any = None  # what the user gave, for the places of faults
    may_repeat: bool = True  # sending it twice does no harm
    into: BinaryIO | None = None  # where the answer goes, else memory
    silence_s: float | None = None  # of a stream: the connection is dead after so long without a byte, and another is made

    def url(self) -> str:
        query = {k: flag(v) for k, v in self.query.items() if v is not None}
        return self.path + ("?" + urllib.parse.urlencode(query, safe=",") if query else "")

    def all_headers(self, host: str, token: str | None) -> dict[str, str]:
        out = {"Host": host, "Accept": self.accept, "Accept-Encoding": "identity", **self.headers}
        if self.body is not None:
            out["Content-Length"] = str(self.body.length)
        if token:
            out["Authorization"] = f"Bearer {token}"
        return out


def flag(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: memoryview

    def media(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip()

    def value(self) -> Any:
        """The document or array of the body, by its media type."""
        media = self.media()
        if media == CBOR:
            return _codec.decode_cbor(self.body)
        if media == NPY:
            return _codec.decode_npy(self.body)
        if media == JSON or media.endswith("+json"):
            return json.loads(bytes(self.body)) if self.body else None
        if media.startswith("text/") or media.endswith("xml"):
            return str(self.body, "utf-8")
        return self.body


def segment(text: str) -> str:
    return urllib.parse.quote(text, safe="@")


def document(value: Any) -> Body:
    return Body(_codec.encode_cbor(value))


def new_key() -> str:
    return os.urandom(16).hex()


def prefer(wait_s: float) -> str:
    return "respond-async" if wait_s <= 0 else f"wait={max(1, round(wait_s))}"


class Gather:
    """The bytes of an answer, read into memory of the right size at once."""

    def __init__(self, status: int, headers: Mapping[str, str], into: BinaryIO | None) -> None:
        self.status, self.headers = status, headers
        length = headers.get("content-length", "")
        self.into = into if status < 300 else None
        # of a known length: memory that nothing is written to before the answer is
        self.room = np.empty(int(length), np.uint8).data if length.isdigit() and self.into is None else None
        self.parts = bytearray()
        self.n = 0
        if self.into is not None:
            self.into.seek(0)
            self.into.truncate()

    def add(self, piece: bytes) -> None:
        if self.into is not None:
            self.into.write(piece)
        elif self.room is not None:
            self.room[self.n:self.n + len(piece)] = piece
        else:
            self.parts += piece
        self.n += len(piece)

    def reply(self) -> Reply:
        return Reply(self.status, self.headers, memoryview(self.parts) if self.room is None else self.room)


# -- trying again -------------------------------------------------------------------------------------------------

class Retry:
    """How often, and how long between. `again` says after which pause a request is sent once more; it raises when not."""

    def __init__(self, request: Request, retries: int, url: str, retry_wait_max_s: float = PAUSE_MAX_S) -> None:
        self.request, self.left, self.url, self.pause_s = request, retries, url, PAUSE_FIRST_S
        self.wait_max_s = retry_wait_max_s
        self.lost = 0  # connections whose request may have been carried out

    def backoff(self) -> float:
        self.left -= 1
        pause, self.pause_s = self.pause_s * (0.5 + random.random() / 2), min(2 * self.pause_s, PAUSE_MAX_S)
        return pause

    def after_loss(self, error: _lost.Lost) -> float:
        never_sent = error.never_sent
        if isinstance(error, (_lost.UnsupportedProtocol, _lost.LocalProtocolError)):
            raise TorquedError(f"{self.url}: {error}") from error
        may = never_sent or self.request.may_repeat
        too_slow = isinstance(error, _lost.ReadTimeout) and self.request.silence_s is None
        if self.left > 0 and may and not too_slow:
            self.lost += not never_sent
            return self.backoff()
        what = f"{self.request.method} {self.request.path}: {type(error).__name__}: {error or 'the connection ended'}"
        if never_sent:
            raise ConnectionLost(f"no torqued answers at {self.url} ({what}). Start one with `torqued`, use `torqued.local()`, or say "
                                 "where it is: Client(url) or TORQUED_URL") from error
        more = "" if may else ". It was not sent again, since it may have been carried out: give an idempotency_key"
        raise ConnectionLost(f"{what}{more}") from error

    def after(self, reply: Reply) -> float | None:
        """The pause before the next try; None: this is the answer."""
        if reply.status not in (429, 503) or self.left <= 0:
            return None
        asked = reply.headers.get("retry-after", "")
        pause = self.backoff()
        if asked.isdigit():
            # all clients of a full service got the same number: they come back spread over a tenth of it
            pause = float(asked) * (1 + random.random() / 10)
        return pause if pause <= self.wait_max_s else None

    def settle(self, reply: Reply) -> Reply:
        """The answer, or its problem as an exception."""
        if reply.status < 400:
            return reply
        if self.lost and self.request.method == "DELETE" and reply.status == 404:
            return Reply(204, reply.headers, memoryview(b""))  # the try whose answer was lost has removed it
        raise failure(reply, self.request.said)


def failure(reply: Reply, said: Any = None) -> ProblemError:
    try:
        problem = reply.value()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        text = bytes(reply.body[:300]).decode("utf-8", "replace").strip()
        problem = {"title": f"HTTP status {reply.status}", "detail": text}
    return problem_of(reply.status, problem, said)


# -- where the service is ------------------------------------------------------------------------------------------

@dataclass
class Address:
    """A URL, taken apart: `http://host:port`, or `unix:/path` (also `http+unix://`)."""

    text: str
    base: str
    socket: str | None

    @property
    def host(self) -> str:
        return urllib.parse.urlsplit(self.base).netloc.rpartition("@")[2]

    @property
    def place(self) -> tuple[str, int]:
        """Of TCP."""
        parts = urllib.parse.urlsplit(self.base)
        return parts.hostname or "", parts.port or 80

    @property
    def is_near(self) -> bool:
        host = urllib.parse.urlsplit(self.base).hostname or ""
        return self.socket is not None or host in ("localhost", "::1") or host.startswith("127.")


def address(url: str | None) -> Address:
    text = url or os.environ.get("TORQUED_URL") or DEFAULT_URL
    if text.startswith("http+unix://"):
        return Address(text, "http://localhost", urllib.parse.unquote(text[len("http+unix://"):]))
    if text.startswith("unix:"):
        path = text[len("unix:"):]
        return Address(text, "http://localhost", path[2:] if path.startswith("///") else path)
    if "://" not in text:
        text = "http://" + text
    return Address(text, text.rstrip("/"), None)


def has_near(address: Address) -> bool:
    """Whether the transport of `_near.py` is for this address: other systems have no sendmsg, or another struct timeval."""
    return address.is_near and address.base.startswith("http://") and sys.platform == "linux"


def token_of(token: str | None) -> str | None:
    """The token given, else TORQUED_TOKEN, else what the file TORQUED_TOKEN_FILE has."""
    found = token or os.environ.get("TORQUED_TOKEN")
    file = os.environ.get("TORQUED_TOKEN_FILE")
    if not found and file:
        with open(file, encoding="utf-8") as f:
            found = f.read().strip()
    return found or None
