# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_progress.py - a bar of a job's progress: on a terminal, in a notebook, else nothing.
"""The bar appears when a job takes longer than a second."""
from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

APPEARS_AFTER_S = 1.0
WIDTH = 24


def in_notebook() -> bool:
    """Whether IPython's kernel runs this: only then is IPython imported already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def notebook_display() -> tuple[Any, Any]:
    """IPython's HTML and display: without annotations of their own."""
    from IPython import display
    return display.HTML, display.display


def clock(seconds: float | None) -> str:
    if seconds is None:
        return "--:--"
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


class Bar:
    """Shows `fraction`, `step` and `eta_s` of a job. `wanted`: True at once, False never, None where somebody looks."""

    def __init__(self, label: str, wanted: bool | None = None, stream: TextIO | None = None,
                 now: Callable[[], float] = time.monotonic) -> None:
        self.label, self.now, self.begun = label, now, now()
        self.stream = stream if stream is not None else sys.stderr
        self.notebook = in_notebook()
        self.after_s = 0.0 if wanted else APPEARS_AFTER_S
        self.on = self.notebook or self.stream.isatty() if wanted is None else wanted
        self.handle: Any = None
        self.shown = False

    def update(self, progress: dict[str, Any]) -> None:
        if not self.on or self.now() - self.begun < self.after_s:
            return
        part = min(1.0, max(0.0, float(progress.get("fraction") or 0)))
        full = round(part * WIDTH)
        tail = f"{part * 100:3.0f} %  {clock(self.now() - self.begun)} + {clock(progress.get('eta_s'))}  {progress.get('step', '')}"
        self.shown = True
        if not self.notebook:
            self.stream.write(f"\r{self.label} [{'#' * full}{'.' * (WIDTH - full)}] {tail}\x1b[K")
            self.stream.flush()
            return
        HTML, display = notebook_display()
        page = HTML(f"<code>{html.escape(self.label)}</code> <progress max=1 value={part:.4f}></progress> "
                    f"<code>{html.escape(tail)}</code>")
        if self.handle is None:
            self.handle = display(page, display_id=True)
        else:
            self.handle.update(page)

    def close(self) -> None:
        if self.shown and not self.notebook:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
        elif self.shown:
            HTML, _ = notebook_display()
            self.handle.update(HTML(""))
