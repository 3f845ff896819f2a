# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/far.py - made by generate.py out of _far.py: the transport by httpx, without async.
"""A client of a service on this machine does without, and without importing httpx."""
from __future__ import annotations

from collections.abc import Iterator

from .._http import Stream, httpx, translated
from .._wire import Address, Message


class FarAnswer:
    """What `_near.Answer` is, of httpx's."""

    filler = None

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.headers = dict(response.headers.items())  # names in small letters

    def pieces(self) -> Iterator[bytes]:
        with translated():
            for piece in self.response.iter_raw():
                yield piece

    def close(self) -> None:
        self.response.close()


class Far:
    """Connections by httpx."""

    def __init__(self, address: Address) -> None:
        near = address.is_near
        # a service on this machine has no proxy, and no certificates are loaded for it
        transport = httpx.HTTPTransport(uds=address.socket, verify=False) if near else None
        self.http = httpx.Client(transport=transport, trust_env=not near, verify=not near)
        self.base = address.base

    def exchange(self, message: Message) -> FarAnswer:
        """An answer, its body not yet read."""
        timeout = httpx.Timeout(message.silence_s, connect=message.connect_s)
        with translated():
            request = httpx.Request(message.method, self.base + message.target, headers=message.headers, stream=Stream(message.body),
                                    extensions={"timeout": timeout.as_dict()})
            return FarAnswer(self.http.send(request, stream=True))

    def close(self) -> None:
        self.http.close()
