# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/logs/_log.py - a log that is ready to be a dataset.
"""`Log`: numbers or a file, and what their columns are."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _codec
from .._wire import CSV, NPY, Body

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUANTITIES = ("time", "q", "qd", "qdd", "tau", "q_cmd", "qd_cmd", "tau_ff")


class Log:
    """Rows of recorded motion. `options` says to `calibrate`, and to `from_` of `inverse_dynamics`, what the columns hold.

    `data` is the table that goes as NPY, or `path` the CSV that goes as it is; `notes` says what was left out, and why.
    """

    def __init__(self, data: NDArray[Any] | None, columns: dict[str, Any], units: dict[str, Any], scale: dict[str, Any] | None = None,
                 path: Path | None = None, names: list[str] | None = None, notes: list[str] | None = None) -> None:
        self.data = data
        self.path = path
        self.columns = columns
        self.units = units
        self.scale = dict(scale or {})
        self.names = list(names or [])
        self.notes = list(notes or [])

    @property
    def options(self) -> dict[str, Any]:
        """`columns`, and `units` and `scale` where they say something: ``robot.calibrate([name], **log.options)``."""
        out: dict[str, Any] = {"columns": self.columns}
        if self.units:
            out["units"] = self.units
        if self.scale:
            out["scale"] = self.scale
        return out

    def body(self) -> tuple[Body, str]:
        if self.data is None:
            return Body(path=self.path), CSV
        return Body(_codec.encode_npy(self.data)), NPY

    def __repr__(self) -> str:
        size = str(self.path) if self.data is None else f"{self.data.shape[0]} rows of {self.data.shape[1]} columns"
        parts = [size, ", ".join(f"{key}: {self.units[key]}" if key in self.units else key for key in self.columns), *self.notes]
        return f"<Log: {'; '.join(parts)}>"
