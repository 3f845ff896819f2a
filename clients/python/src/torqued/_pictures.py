# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_pictures.py - a figure of matplotlib that a notebook shows without pyplot.
"""Imported when something is drawn."""
from __future__ import annotations

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """IPython shows plain figures only after pyplot or %matplotlib; this one always."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png")
        return out.getvalue()
