# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_awaited.py - a connected socket, awaited; apart from _sockets.py, since asyncio takes long to import.
"""What `_sockets.py` has, for asyncio."""
from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio  # httpx's own

from . import _lost
from ._codec import Buffer
from ._sockets import HEAD, not_connected, not_read

PIECE = 1 << 20  # bytes that one time limit is of
R = TypeVar("R")


class AsyncSocket:
    """`_sockets.Socket` by the event loop that runs."""

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

    async def send(self, buffers: Sequence[Buffer], timeout_s: float | None) -> bool:
        loop = asyncio.get_running_loop()
        try:
            for one in buffers:
                view = memoryview(one)
                for at in range(0, view.nbytes, PIECE):
                    await within(lambda: loop.sock_sendall(self.socket, view[at:at + PIECE]), timeout_s)
        except TimeoutError as error:
            raise _lost.WriteTimeout("the service takes no more bytes") from error
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
    with anyio.fail_after(timeout_s):
        return await act()
