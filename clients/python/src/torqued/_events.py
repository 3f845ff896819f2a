# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_events.py - Server-Sent Events, from bytes in any pieces.
"""The parsing rules of the HTML standard, 9.2.6, as far as the service's streams use them."""
from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """`kind` is state or progress; `id` resumes after it (of progress: None)."""

    kind: str
    data: dict[str, Any]
    id: str | None = None

    @property
    def job(self) -> str:
        return str(self.data.get("job", ""))

    @property
    def state(self) -> str | None:
        return self.data.get("state")

    @property
    def progress(self) -> dict[str, Any] | None:
        return self.data.get("progress")


class Parser:
    """Whole events of the pieces fed so far; one that is cut short is never given."""

    def __init__(self) -> None:
        self.rest = b""
        self.kind, self.text, self.id = "", "", ""
        self.last: str | None = None  # also of a block without an event: a stream's start

    def feed(self, piece: bytes) -> Iterator[Event]:
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for raw in lines:
            line = raw.decode("utf-8").rstrip("\r")
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                if self.text:
                    yield Event(self.kind or "message", json.loads(self.text), self.id or None)
                self.last = self.id or self.last
                self.kind, self.text, self.id = "", "", ""
            elif name == "event":
                self.kind = value
            elif name == "data":
                self.text += value
            elif name == "id":
                self.id = value
