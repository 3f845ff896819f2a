# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_sockets.py - a connected socket, waited for or awaited: buffers out, bytes in, time limits as httpx's errors.
"""Unix sockets, and TCP without TLS. The kernel reads the caller's buffers where they are, and writes into the caller's."""
from __future__ import annotations

import asyncio
import select
import socket
import struct
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ._http import httpx

HEAD = 65536  # bytes of a recv that may hold a head
PIECE = 1 << 20  # bytes that one time limit is of, where the event loop sends
R = TypeVar("R")


def not_read(error: OSError) -> httpx.TransportError:
    is_silence = isinstance(error, (BlockingIOError, TimeoutError))
    return httpx.ReadTimeout("the service was silent") if is_silence else httpx.ReadError(str(error))


def not_connected(error: OSError) -> httpx.TransportError:
    return httpx.ConnectTimeout("no connection in time") if isinstance(error, TimeoutError) else httpx.ConnectError(str(error))


def is_readable(sock: socket.socket) -> bool:
    """An idle socket that can be read has ended, or has bytes that nobody asked for."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


class Socket:
    """Blocking, with the kernel's own limits of silence: one call moves megabytes, where a timeout of Python's polls around each buffer."""

    def __init__(self) -> None:
        self.socket: socket.socket

    def connect(self, path: str | None, host: str, port: int, timeout_s: float | None) -> None:
        try:
            if path is None:
                self.socket = socket.create_connection((host, port), timeout_s)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            else:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.settimeout(timeout_s)
                self.socket.connect(path)
            self.socket.settimeout(None)
        except OSError as error:
            self.close()
            raise not_connected(error) from error

    def limit(self, option: int, seconds: float | None) -> None:
        whole, part = divmod(seconds or 0.0, 1)  # zero: without end
        at_least = 1 if seconds is not None and not whole else 0
        self.socket.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", int(whole), max(int(part * 1e6), at_least)))

    def send(self, buffers: Sequence[bytes], timeout_s: float | None) -> bool:
        """False: the service takes no more, and may have answered already."""
        self.limit(socket.SO_SNDTIMEO, timeout_s)
        left = [view for one in buffers if (view := memoryview(one)).nbytes]
        try:
            while left:
                n = self.socket.sendmsg(left)
                while left and n >= left[0].nbytes:
                    n -= left.pop(0).nbytes
                if n:
                    left[0] = left[0][n:]
        except BlockingIOError as error:
            raise httpx.WriteTimeout("the service takes no more bytes") from error
        except OSError:
            return False
        return True

    def receive(self, timeout_s: float | None) -> bytes:
        try:
            self.limit(socket.SO_RCVTIMEO, timeout_s)
            return self.socket.recv(HEAD)
        except OSError as error:
            raise not_read(error) from error

    def receive_into(self, room: memoryview, timeout_s: float | None) -> int:
        try:
            self.limit(socket.SO_RCVTIMEO, timeout_s)
            return self.socket.recv_into(room, 0, socket.MSG_WAITALL)
        except OSError as error:
            raise not_read(error) from error

    def close(self) -> None:
        if hasattr(self, "socket"):
            self.socket.close()


class AsyncSocket:
    """The same by the event loop that runs."""

    def __init__(self) -> None:
        self.socket: socket.socket

    async def connect(self, path: str | None, host: str, port: int, timeout_s: float | None) -> None:
        loop = asyncio.get_running_loop()
        try:
            if path is None:
                places = await within(lambda: loop.getaddrinfo(host, port, type=socket.SOCK_STREAM), timeout_s)
            else:
                places = [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", path)]  # type: ignore[list-item]
            for k, (family, kind, protocol, _, place) in enumerate(places):
                self.socket = socket.socket(family, kind, protocol)
                self.socket.setblocking(False)
                try:
                    await within(lambda: loop.sock_connect(self.socket, place), timeout_s)
                    break
                except OSError:
                    self.close()
                    if k + 1 == len(places):
                        raise
            if path is None:
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise not_connected(error) from error
        except BaseException:
            self.close()
            raise

    async def send(self, buffers: Sequence[bytes], timeout_s: float | None) -> bool:
        loop = asyncio.get_running_loop()
        try:
            for one in buffers:
                view = memoryview(one)
                for at in range(0, view.nbytes, PIECE):
                    await within(lambda: loop.sock_sendall(self.socket, view[at:at + PIECE]), timeout_s)
        except TimeoutError as error:
            raise httpx.WriteTimeout("the service takes no more bytes") from error
        except OSError:
            return False
        return True

    async def receive(self, timeout_s: float | None) -> bytes:
        try:
            return await within(lambda: asyncio.get_running_loop().sock_recv(self.socket, HEAD), timeout_s)
        except OSError as error:
            raise not_read(error) from error

    async def receive_into(self, room: memoryview, timeout_s: float | None) -> int:
        try:
            return await within(lambda: asyncio.get_running_loop().sock_recv_into(self.socket, room), timeout_s)
        except OSError as error:
            raise not_read(error) from error

    def close(self) -> None:
        if hasattr(self, "socket"):
            self.socket.close()


async def within(act: Callable[[], Awaitable[R]], timeout_s: float | None) -> R:
    # asyncio.wait_for of Python 3.10 and 3.11 loses a cancellation that comes with the end of what it waits for
    import anyio  # httpx's own; the synchronous client needs none of it
    with anyio.fail_after(timeout_s):
        return await act()
