# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_far.py - the transport by httpx: TLS, proxies, other systems; generate.py takes `async` and `await` out.
"""A client of a service on this machine does without, and without importing httpx."""
from __future__ import annotations

from collections.abc import AsyncIterator

from ._http import Stream, httpx, translated
from ._wire import Address, Message


class AsyncFarAnswer:
    """What `_near.AsyncAnswer` is, of httpx's."""

    filler = None

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.headers = dict(response.headers.items())  # names in small letters

    async def pieces(self) -> AsyncIterator[bytes]:
        with translated():
            async for piece in self.response.aiter_raw():
                yield piece

    async def aclose(self) -> None:
        await self.response.aclose()


class AsyncFar:
    """Connections by httpx."""

    def __init__(self, address: Address) -> None:
        near = address.is_near
        # a service on this machine has no proxy, and no certificates are loaded for it
        transport = httpx.AsyncHTTPTransport(uds=address.socket, verify=False) if near else None
        self.http = httpx.AsyncClient(transport=transport, trust_env=not near, verify=not near)
        self.base = address.base

    async def exchange(self, message: Message) -> AsyncFarAnswer:
        """An answer, its body not yet read."""
        timeout = httpx.Timeout(message.silence_s, connect=message.connect_s)
        with translated():
            request = httpx.Request(message.method, self.base + message.target, headers=message.headers, stream=Stream(message.body),
                                    extensions={"timeout": timeout.as_dict()})
            return AsyncFarAnswer(await self.http.send(request, stream=True))

    async def aclose(self) -> None:
        await self.http.aclose()
