# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_sockets.py - a connected socket: buffers out, bytes in, time limits.
"""Unix sockets, and TCP without TLS. The kernel reads the caller's buffers where they are, and writes into the caller's."""
from __future__ import annotations

import select
import socket
import struct
from collections.abc import Sequence

from . import _lost
from ._codec import Buffer

HEAD = 65536  # bytes of a recv that may hold a head


def not_read(error: OSError) -> _lost.Lost:
    is_silence = isinstance(error, (BlockingIOError, TimeoutError))
    return _lost.ReadTimeout("the service was silent") if is_silence else _lost.ReadError(str(error))


def not_connected(error: OSError) -> _lost.Lost:
    return _lost.ConnectTimeout("no connection in time") if isinstance(error, TimeoutError) else _lost.ConnectError(str(error))


def is_readable(sock: socket.socket) -> bool:
    """An idle socket that can be read has ended, or has bytes that nobody asked for."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


class Socket:
    """Blocking, with the kernel's own limits of silence: one call moves megabytes, where a timeout of Python's polls around each buffer."""

    def __init__(self) -> None:
        self.socket: socket.socket
        self.limits: dict[int, float | None] = {}  # as the kernel has them

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
        if option in self.limits and self.limits[option] == seconds:
            return
        self.limits[option] = seconds
        whole, part = divmod(seconds or 0.0, 1)  # zero: without end
        at_least = 1 if seconds is not None and not whole else 0
        self.socket.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", int(whole), max(int(part * 1e6), at_least)))

    def send(self, buffers: Sequence[Buffer], timeout_s: float | None) -> bool:
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
            raise _lost.WriteTimeout("the service takes no more bytes") from error
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
