# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_near.py - the transport to a service on this machine; generate.py takes `async` and `await` out.
"""A Unix socket, or TCP without TLS on the loopback interface: HTTP/1.1 by h11, on sockets of this package's own.

httpx copies a body four times (a piece, h11's buffer, its event, the array). Here the kernel reads a request's arrays
where they are, and writes an answer of a known length into the array that it becomes.
"""
from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import h11

from . import _codec, _lost
from ._awaited import AsyncSocket
from ._sockets import HEAD, is_readable
from ._wire import Address, Message

IDLE_MAX = 20  # connections kept, and for how long: httpx's own limits
IDLE_S = 5.0
CUT = "the service ended the connection"


class Counted:
    """Buffers as h11 sees them: it counts their bytes, and needs no more where a length frames the body."""

    def __init__(self, buffers: list[_codec.Buffer]) -> None:
        self.n = sum(memoryview(one).nbytes for one in buffers)

    def __len__(self) -> int:
        return self.n


class AsyncConnection:
    """A socket. An exchange has a state of its own in h11: a body that h11 did not see leaves nothing to clean up."""

    def __init__(self) -> None:
        self.socket = AsyncSocket()
        self.state = h11.Connection(h11.CLIENT)
        self.process = os.getpid()
        self.idle_since = 0.0
        self.has_ended = False
        self.read_s: float | None = None  # the time limit of a read

    def is_usable(self) -> bool:
        """Not closed by the service, and not a parent process's as well."""
        is_young = time.monotonic() - self.idle_since < IDLE_S
        return self.process == os.getpid() and is_young and not is_readable(self.socket.socket)

    async def send(self, message: Message) -> None:
        """A service that refuses a body may answer and close before it has read all: what it takes no more is not sent."""
        head = h11.Request(method=message.method, target=message.target, headers=list(message.headers.items()))
        together: list[_codec.Buffer] = list(self.state.send_with_data_passthrough(head) or [])
        for group in message.body.groups():
            self.state.send_with_data_passthrough(h11.Data(data=Counted(group)))  # type: ignore[arg-type]
            if not await self.socket.send(together + group, message.silence_s):
                return
            together = []
        end = self.state.send_with_data_passthrough(h11.EndOfMessage()) or []
        if not await self.socket.send(together + list(end), message.silence_s):
            self.has_ended = True

    async def event(self) -> Any:
        """The next of h11's events of an answer."""
        try:
            while (event := self.state.next_event()) is h11.NEED_DATA:
                data = await self.socket.receive(self.read_s)
                if not data:  # what frames a body without a length
                    self.has_ended = True
                if not data and self.state.their_state is h11.SEND_RESPONSE:
                    raise _lost.RemoteProtocolError(f"{CUT} without an answer")
                self.state.receive_data(data)
            return event
        except h11.RemoteProtocolError as error:
            raise _lost.RemoteProtocolError(str(error)) from error


class AsyncAnswer:
    """Status, headers, and a body: pieces, or at once by `read_into`. Whole, its connection is used again; else it is closed."""

    def __init__(self, near: AsyncNear, connection: AsyncConnection, method: str, event: h11.Response) -> None:
        self.near, self.connection = near, connection
        self.status = event.status_code
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}  # h11's: in small letters
        self.length = known_length(method, self.status, self.headers)  # of a body that does not go through h11
        self.may_stay = connection.state.our_state is h11.DONE  # not MUST_CLOSE, as after `Connection: close`
        self.is_whole = self.length == 0
        self.is_closed = False
        self.ready = connection.state.trailing_data[0] if self.length is not None else b""  # bytes that came with the head

    async def pieces(self) -> AsyncIterator[bytes]:
        if self.length is None:
            while isinstance(event := await self.connection.event(), h11.Data):
                yield bytes(event.data)
            self.is_whole = self.connection.state.their_state is h11.DONE
            return
        room = memoryview(bytearray(min(self.length, HEAD)))
        at = 0
        while at < self.length:
            n = await self.fill(room[:self.length - at], at)
            at += n
            yield bytes(room[:n])
        self.is_whole = not self.ready

    @property
    def filler(self) -> Callable[[memoryview], Awaitable[None]] | None:
        """What reads the body into memory of its length, where this is known."""
        return None if self.length is None else self.read_into

    async def read_into(self, room: memoryview) -> None:
        """Reads a body of known length; `room` has this length."""
        at = 0
        while at < room.nbytes:
            at += await self.fill(room[at:], at)
        self.is_whole = not self.ready

    async def fill(self, room: memoryview, at: int) -> int:
        if self.ready:
            n = min(len(self.ready), room.nbytes)
            room[:n], self.ready = self.ready[:n], self.ready[n:]
            return n
        n = await self.connection.socket.receive_into(room, self.connection.read_s)
        if n == 0:
            raise _lost.RemoteProtocolError(f"{CUT} after {at} of {self.length} bytes of its answer")
        return n

    async def aclose(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.near.give(self.connection, self.is_whole and self.may_stay)


class AsyncNear:
    """Connections to one address, as many as there are requests at once. Linux: sendmsg, and time limits as struct timeval."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.idle: deque[AsyncConnection] = deque()  # its append and pop are safe among threads
        self.is_closed = False

    def take(self) -> AsyncConnection | None:
        while self.idle:
            try:
                one = self.idle.pop()
            except IndexError:  # another thread's
                break
            if one.is_usable():
                one.state = h11.Connection(h11.CLIENT)
                return one
            one.socket.close()
        return None

    def give(self, one: AsyncConnection, may_stay: bool) -> None:
        if may_stay and not one.has_ended and not self.is_closed and len(self.idle) < IDLE_MAX:
            one.idle_since = time.monotonic()
            self.idle.append(one)
        else:
            one.socket.close()

    async def connect(self, timeout_s: float) -> AsyncConnection:
        one = AsyncConnection()
        await one.socket.connect(self.address.socket, *self.address.place, timeout_s)
        return one

    async def exchange(self, message: Message) -> AsyncAnswer:
        """An answer, its body not yet read."""
        connection = self.take() or await self.connect(message.connect_s)
        connection.read_s = message.silence_s
        try:
            try:
                await connection.send(message)
            except h11.LocalProtocolError as error:
                raise _lost.LocalProtocolError(str(error)) from error
            while not isinstance(event := await connection.event(), h11.Response):
                pass  # 100 Continue
            return AsyncAnswer(self, connection, message.method, event)
        except BaseException:
            connection.socket.close()
            raise

    async def aclose(self) -> None:
        self.is_closed = True
        while self.idle:
            self.idle.pop().socket.close()


def known_length(method: str, status: int, headers: Mapping[str, str]) -> int | None:
    """Content-Length, which h11 has read, where it is what frames the body (RFC 9112, 6.3)."""
    if method in ("HEAD", "CONNECT") or status in (204, 304) or "transfer-encoding" in headers:
        return None
    length = headers.get("content-length")
    return None if length is None else int(length)
