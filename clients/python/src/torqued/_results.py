# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_results.py - a result: its fields as attributes, with units, as a table, as a picture.
"""`Result` is a mapping of the answer's fields, and each field is an attribute too."""
from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from ._codec import Array

SHOWN_MAX = 40  # rows of a table in a notebook


def only(request: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether a request gives exactly these."""
    return {key for key, value in request.items() if value is not None} == set(names)


def missing(package: str, extra: str) -> ImportError:
    return ImportError(f"this needs {package}: pip install 'torqued[{extra}]'", name=package)


class Joints:
    """Names of the columns of q, and of qd, qdd and tau; and their units."""

    def __init__(self, document: Mapping[str, Any] | None, order: Any = None) -> None:
        self.q: list[str] = []
        self.v: list[str] = []
        self.linear: list[bool] = []  # of each column of v
        joints = [] if document is None else document.get("joints", [])
        if order is not None:
            by_name = {joint["name"]: joint for joint in joints}
            joints = [by_name[name] for name in order if name in by_name]
        for joint in joints:
            for slices, into in (("q", self.q), ("v", self.v)):
                n = joint.get(slices, {}).get("count", 0)
                into += [joint["name"]] if n == 1 else [f"{joint['name']}[{i}]" for i in range(n)]
            n = joint.get("v", {}).get("count", 0)
            self.linear += [joint.get("kind") == "prismatic"] * n


class Result(Mapping[str, Any]):
    """An answer. ``result["tau"]`` is ``result.tau``; arrays are numpy's, objects are dicts."""

    _units: ClassVar[Mapping[str, str]] = {}
    _lists: ClassVar[frozenset[str]] = frozenset()  # dotted names of the fields that are lists of other things than numbers
    _rows_in: ClassVar[str | None] = None  # the list of objects that is the result's own table, as `parameters`
    job_id: str | None = None  # of the job that it is the result of, where it was one

    def __init__(self, data: Mapping[str, Any], joints: Joints | None = None, title: str = "") -> None:
        self._data = dict(data)
        self._joints = joints or Joints(None)
        self._title = title or type(self).__name__

    # -- a mapping whose keys are attributes ------------------------------------------------------------------------

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_data":
            raise AttributeError(name)
        key = name[:-1] if name.endswith("_") else name
        try:
            return self._data[key]
        except KeyError:
            known = ", ".join(self._data)
            raise AttributeError(f"{type(self).__name__} has no {name!r}: it has {known}. More comes by `include`") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._data})

    def __repr__(self) -> str:
        return f"<{self._title}: " + ", ".join(f"{key} {outline(value)}" for key, value in self._data.items()) + ">"

    def to_dict(self) -> dict[str, Any]:
        return dict(self._data)

    # -- units ------------------------------------------------------------------------------------------------------

    @property
    def units(self) -> dict[str, str]:
        """The unit of each field that has one, as the contract states it; "N m or N" is by the kind of each joint."""
        return {key: self._units[key] for key in self._data if key in self._units}

    def labels(self, key: str) -> list[tuple[str, str | None]]:
        """Name and unit of each column of an array of samples."""
        value = np.asarray(self._data[key])
        n = value.shape[-1] if value.ndim and not self._is_series(key) else 1
        unit = self._units.get(key)
        names = self._joints.v if n == len(self._joints.v) and key != "q" else self._joints.q if n == len(self._joints.q) else []
        if value.ndim == 0 or self._is_series(key):
            return [(key, unit)]
        labels = names or [str(i) for i in range(n)]
        kinds = self._joints.linear if n == len(self._joints.linear) else None
        return [(f"{key}.{label}", one_of(unit, kinds[i] if kinds else None)) for i, label in enumerate(labels)]

    def _is_series(self, key: str) -> bool:
        """One number for each sample, as `t`."""
        value = self._data[key]
        rows = self._rows()
        return isinstance(value, np.ndarray) and value.ndim == 1 and rows is not None and len(value) == rows

    def _rows(self) -> int | None:
        """Samples of the arrays: entries of `t`, else rows of the first array of two axes."""
        t = self._data.get("t")
        if isinstance(t, np.ndarray) and t.ndim == 1:
            return len(t)
        return next((len(v) for v in self._data.values() if isinstance(v, np.ndarray) and v.ndim == 2), None)

    def tables(self) -> list[str]:
        """The fields that are arrays over the samples."""
        n = self._rows()
        one_sample = (len(self._joints.q), len(self._joints.v))
        found = [k for k, v in self._data.items() if isinstance(v, np.ndarray) and v.dtype.kind in "fiu"
                 and (v.ndim in (1, 2) and len(v) == n if n is not None else v.ndim == 1 and len(v) in one_sample)]
        return sorted(found, key=lambda k: k != "t")

    # -- other forms ------------------------------------------------------------------------------------------------

    def to_pandas(self, *fields: str) -> pd.DataFrame:
        """A row for each sample, a column for each number of it (``tau.joint1``); `attrs["units"]` has the columns' units.

        Fields: those named, else every array over the samples. Of a list of objects, as the `parameters` of a calibration, each is a row.
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing("pandas", "pandas") from None
        lists = fields or ((self._rows_in,) if self._rows_in in self._data else ())
        if len(lists) == 1 and isinstance(self._data[lists[0] or ""], list):
            return pd.json_normalize(self._data[lists[0] or ""])
        columns: dict[str, Any] = {}
        units: dict[str, str] = {}
        for key in fields or self.tables():
            value = np.asarray(self._data[key])
            flat = value.reshape(1, -1) if value.ndim < 2 and not self._is_series(key) else value.reshape(len(value), -1)
            for i, (name, unit) in enumerate(self.labels(key)):
                columns[name] = flat[:, i]
                if unit:
                    units[name] = unit
        frame = pd.DataFrame(columns)
        frame.attrs["units"] = units
        return frame

    def plot(self, *fields: str, figure: Figure | None = None) -> Figure:
        """Arrays over `t` (or the number of the sample), one picture a field; needs matplotlib."""
        try:
            from ._pictures import Picture
        except ImportError:
            raise missing("matplotlib", "plot") from None
        keys = [k for k in fields or self.tables() if k != "t"]
        if not keys:
            raise ValueError(f"{self._title} has no arrays over samples to draw: it has {', '.join(self._data)}")
        figure = figure or Picture(figsize=(8, 2.2 * len(keys) + 0.6), layout="constrained")
        t = self._data.get("t")
        axes = figure.subplots(len(keys), 1, sharex=True, squeeze=False)[:, 0]
        for ax, key in zip(axes, keys):
            value = np.atleast_2d(self._data[key]) if not self._is_series(key) else self._data[key][:, None]
            x = t if isinstance(t, np.ndarray) and len(t) == len(value) else np.arange(len(value))
            columns = self.labels(key)
            for i, (name, _) in enumerate(columns):
                ax.plot(x, value[:, i], label=name.removeprefix(key + "."), linewidth=1)
            units = dict.fromkeys(unit for _, unit in columns if unit)
            ax.set_ylabel(f"{key} / {', '.join(units)}" if units else key)
            if len(columns) > 1:
                ax.legend(loc="upper right", fontsize="small", ncols=min(len(columns), 4))
            ax.grid(alpha=0.3)
        axes[-1].set_xlabel("t / s" if isinstance(t, np.ndarray) else "sample")
        return figure

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th><td style='text-align:left'>{html.escape(outline(value))}"
                       f"</td><td style='text-align:left'>{html.escape(self._units.get(key, ''))}</td></tr>"
                       for key, value in list(self._data.items())[:SHOWN_MAX])
        return f"<table><caption>{html.escape(self._title)}</caption>{rows}</table>{self._rows_html()}"

    def _rows_html(self) -> str:
        """The list of objects that is the result's own table: their texts and numbers."""
        objects = self._data.get(self._rows_in or "") or []
        keys = [key for key, value in objects[0].items() if isinstance(value, (str, int, float))] if objects else []
        if not keys:
            return ""
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(outline(one.get(key, '')).strip(chr(39)))}</td>" for key in keys) + "</tr>"
                       for one in objects)
        return f"<table><caption>{self._rows_in}</caption><tr>{head}</tr>{body}</table>"


def one_of(unit: str | None, is_linear: bool | None) -> str | None:
    """"N m or N" -> "N" of a prismatic joint."""
    if unit is None or " or " not in unit or is_linear is None:
        return unit
    angular, linear = unit.split(" or ", 1)
    return linear if is_linear else angular


def outline(value: Any) -> str:
    """A value in few words."""
    if isinstance(value, np.ndarray):
        if value.size <= 8:
            return np.array2string(value, precision=6, separator=", ", max_line_width=200)
        return f"array {' x '.join(map(str, value.shape))}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(list(map(str, value))[:12]) + "}"
    if isinstance(value, list):
        return f"list of {len(value)}" if len(value) > 3 or any(isinstance(v, (dict, list)) for v in value) else repr(value)
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


class Report:
    """A job's report: one HTML page that loads nothing. In a notebook it shows itself."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<Report: {len(self.html)} characters of HTML; .save(path) writes it>"

    def _repr_html_(self) -> str:
        # a frame of its own: neither page's style touches the other
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:80vh;border:0" sandbox="allow-scripts">'
                "</iframe>")


def tidy(value: Any, lists: frozenset[str] = frozenset(), path: str = "") -> Any:
    """Lists of numbers become arrays, all the way down; lists with null in them stay lists, and so do those that the contract has as
    lists of texts or objects, by their dotted names: an empty one does not say by itself of what it is."""
    if isinstance(value, dict):
        return {key: tidy(one, lists, f"{path}.{key}" if path else key) for key, one in value.items()}
    if path in lists and isinstance(value, (list, np.ndarray)):
        return value.tolist() if isinstance(value, np.ndarray) else [tidy(one, lists, path) for one in value]
    if isinstance(value, list):
        inner = [tidy(one, lists, path) for one in value]
        if inner and all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in inner):
            return np.asarray(inner, dtype=np.float64) if any(isinstance(one, float) for one in inner) else inner
        if inner and all(isinstance(one, np.ndarray) and one.shape == inner[0].shape for one in inner):
            return np.stack(inner)
        return inner
    return value


def as_array(value: Any) -> Array:
    return np.asarray(value, dtype=np.float64)
