# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_lost.py - how an exchange ends without a whole answer, whichever transport it went by.
"""Named as httpx names them; `_wire.Retry` makes of each another try or a `ConnectionLost`."""
from __future__ import annotations


class Lost(Exception):
    """No whole answer. Unless a subclass says otherwise the request may have been carried out."""

    never_sent = False


class ConnectError(Lost):
    never_sent = True


class ConnectTimeout(Lost):
    never_sent = True


class PoolTimeout(Lost):
    never_sent = True


class ReadError(Lost):
    pass


class ReadTimeout(Lost):
    pass


class WriteError(Lost):
    pass


class WriteTimeout(Lost):
    pass


class CloseError(Lost):
    pass


class ProxyError(Lost):
    pass


class RemoteProtocolError(Lost):
    pass


class LocalProtocolError(Lost):
    """A request that HTTP has no form for: no other try."""


class UnsupportedProtocol(Lost):
    """A URL of another kind: no other try."""


KINDS = {kind.__name__: kind for kind in Lost.__subclasses__()}
