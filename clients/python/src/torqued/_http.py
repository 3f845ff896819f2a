# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_http.py - httpx without its command line.
"""httpx imports its command line when it is imported, and with it click, rich and pygments where they are installed, as they are beside a
notebook: as long again as all else. It goes without them (its extra `cli`) when that module cannot be imported, so it cannot, once."""
from __future__ import annotations

import sys

_COMMAND_LINE = "httpx._main"
_hidden = "httpx" not in sys.modules and _COMMAND_LINE not in sys.modules
if _hidden:
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # what ImportError is documented for
try:
    import httpx as httpx
finally:
    if _hidden:
        del sys.modules[_COMMAND_LINE]
