# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_http.py - httpx without its command line, with this package's bodies and errors.
"""httpx imports its command line when it is imported, and with it click, rich and pygments where they are installed, as they are beside a
notebook: as long again as all else. It goes without them (its extra `cli`) when that module cannot be imported, so it cannot, once."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Iterator

from ._lost import KINDS, Lost
from ._wire import Body

_COMMAND_LINE = "httpx._main"
_hidden = "httpx" not in sys.modules and _COMMAND_LINE not in sys.modules
if _hidden:
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # what ImportError is documented for
try:
    import httpx as httpx
finally:
    if _hidden:
        del sys.modules[_COMMAND_LINE]


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """httpx's errors as this package's own."""
    try:
        yield
    except httpx.TransportError as error:
        raise KINDS.get(type(error).__name__, Lost)(str(error)) from error


class Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body as httpx sends it."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def __iter__(self) -> Iterator[bytes]:
        return self.body.pieces()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.body.pieces():
            yield piece
