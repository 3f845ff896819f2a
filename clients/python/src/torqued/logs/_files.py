# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/logs/_files.py - HDF5, MAT, Arrow, CSV and pandas: tables whose columns the user maps.
"""Each reader makes a `Table`; `mapped` makes a `Log` of it by what the user said."""
from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._problems import LogError
from ._log import QUANTITIES, Log

UNITS = {"time": ("s", "ms", "us", "ns"), "q": ("rad", "deg", "mrad", "rev", "m", "mm"), "qd": ("rad/s", "deg/s", "rpm", "m/s", "mm/s"),
         "qdd": ("rad/s^2", "deg/s^2", "m/s^2", "mm/s^2"), "tau": ("Nm", "mNm", "N", "A", "mA")}
UNITS.update({"q_cmd": UNITS["q"], "qd_cmd": UNITS["qd"], "tau_ff": UNITS["tau"]})


class Table:
    """Arrays by name, of one row a sample; and units that the file states."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], units: Mapping[str, str] | None = None) -> None:
        self.arrays = dict(arrays)
        self.units = {key: spelled(unit) for key, unit in (units or {}).items()}

    def outline(self) -> str:
        shown = [name if one.ndim < 2 else f"{name} ({one.shape[1]} columns)" for name, one in self.arrays.items()]
        return ", ".join(shown[:60]) + (", ..." if len(shown) > 60 else "")


def spelled(unit: str) -> str:
    """A unit as the service spells it."""
    same = {"N m": "Nm", "N*m": "Nm", "N.m": "Nm", "newton meter": "Nm", "radian": "rad", "radians": "rad", "degree": "deg", "degrees": "deg",
            "seconds": "s", "sec": "s", "rad s-1": "rad/s", "1/s": "rad/s", "rad/s2": "rad/s^2", "rad/s²": "rad/s^2"}
    return same.get(str(unit).strip(), str(unit).strip())


def pick(table: Table, key: str, spec: Any, where: Any) -> tuple[NDArray[Any], list[str]]:
    """The columns of one quantity: (an array of two axes, the names they came from)."""
    names = [spec] if isinstance(spec, (str, int)) else list(spec)
    if len(names) == 1 and isinstance(names[0], str) and names[0] not in table.arrays:
        stem = re.compile(re.escape(names[0]) + r"[_.\[]?(\d+)\]?")
        found = sorted((int(m[1]), name) for name in table.arrays if (m := stem.fullmatch(name)))
        names = [name for _, name in found] or names
    parts = []
    for name in names:
        if isinstance(name, int) and 0 <= name < len(table.arrays):
            name = list(table.arrays)[name]
        if name not in table.arrays:
            raise LogError(f"{where}: no column {name!r} for {key}; there are {table.outline()}")
        one = np.asarray(table.arrays[name])
        if one.dtype.kind == "M":
            one = (one - one[0]).astype("timedelta64[ns]").astype("i8")
        if one.dtype.kind not in "fiub":
            raise LogError(f"{where}: {name} holds no numbers ({one.dtype})")
        parts.append(one.reshape(len(one), -1).astype("<f8"))
    if len({len(part) for part in parts}) > 1:
        raise LogError(f"{where}: columns of {key} differ in length: {', '.join(f'{n} {len(p)}' for n, p in zip(names, parts))}")
    return np.hstack(parts), [str(name) for name in names]


def mapped(table: Table, where: Any, said: Mapping[str, Any]) -> Log:
    """What was mapped, side by side. What is not said and not stated by the file is asked for."""
    columns, units, scale = said.get("columns"), said.get("units") or {}, said.get("scale") or {}
    if not columns:
        raise LogError(f"{where}: which columns hold what? columns={{\"time\": ..., \"q\": ..., \"tau\": ...}}; there are {table.outline()}")
    for name in (*columns, *units, *scale):
        if name not in QUANTITIES:
            raise LogError(f"{where}: {name!r} is none of {', '.join(QUANTITIES)}")
    parts: list[NDArray[Any]] = []
    places: dict[str, Any] = {}
    known: dict[str, Any] = {}
    asked: list[str] = []
    at, length = 0, None
    for key in [one for one in QUANTITIES if one in columns]:
        part, names = pick(table, key, columns[key], where)
        if length not in (None, len(part)):
            raise LogError(f"{where}: {key} has {len(part)} rows, others have {length}")
        length = len(part)
        places[key] = at if key == "time" else list(range(at, at + part.shape[1]))
        at += part.shape[1]
        parts.append(part)
        stated = {table.units.get(name) for name in names} - {None}
        if key in units:
            known[key] = units[key]
        elif len(stated) == 1 and next(iter(stated)) in UNITS[key]:
            known[key] = stated.pop()
        else:
            asked.append(key)
    if asked:
        offer = "; ".join(f"{key}: {', '.join(UNITS[key])}" for key in asked)
        raise LogError(f"{where}: in which units are {' and '.join(asked)}? units={{{', '.join(f'{k!r}: ...' for k in asked)}}} of {offer}")
    return Log(np.hstack(parts), places, known, scale)


# -- readers --------------------------------------------------------------------------------------------------------

def missing(package: str, extra: str) -> LogError:
    return LogError(f"this needs {package}: pip install 'torqued[{extra}]'")


def hdf5(path: Path) -> Table:
    """Every dataset of numbers by its path in the file; attributes `units` or `unit` are stated units."""
    try:
        import h5py
    except ImportError:
        raise missing("h5py", "hdf5") from None
    arrays: dict[str, NDArray[Any]] = {}
    units: dict[str, str] = {}

    def visit(name: str, one: Any) -> None:
        if isinstance(one, h5py.Dataset) and one.ndim in (1, 2):
            fields = one.dtype.names or [None]
            for field in fields:
                key = name if field is None else f"{name}.{field}"
                arrays[key] = one[()] if field is None else one[field]
                unit = one.attrs.get("units", one.attrs.get("unit"))
                if unit is not None:
                    units[key] = unit.decode() if isinstance(unit, bytes) else str(unit)
    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return Table(arrays, units)


def mat(path: Path) -> Table:
    """Variables of a MAT file, fields of structs with dots; those of version 7.3 are HDF5."""
    with open(path, "rb") as file:
        is_hdf5 = b"MATLAB 7.3" in file.read(116)
    if is_hdf5:
        # MATLAB writes columns first: its n x 7 is 7 x n there
        table = hdf5(path)
        return Table({key.replace("/", "."): one.T.squeeze() if one.ndim == 2 else one for key, one in table.arrays.items()})
    try:
        import scipy.io
    except ImportError:
        raise missing("scipy", "mat") from None
    arrays: dict[str, NDArray[Any]] = {}

    def visit(name: str, value: Any) -> None:
        if hasattr(value, "_fieldnames"):
            for field in value._fieldnames:
                visit(f"{name}.{field}", getattr(value, field))
        elif isinstance(value, np.ndarray) and value.ndim in (1, 2) and value.dtype.kind in "fiub":
            arrays[name] = value
    for name, value in scipy.io.loadmat(path, squeeze_me=True, struct_as_record=False).items():
        if not name.startswith("__"):
            visit(name, value)
    return Table(arrays)


def arrow(path: Path) -> Table:
    """Parquet or Feather; a list column of even length is several columns. Metadata `unit` or `units` of a field is a stated unit."""
    try:
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise missing("pyarrow", "parquet") from None
    table = pyarrow.parquet.read_table(path) if path.suffix.lower() == ".parquet" else pyarrow.feather.read_table(path)
    arrays: dict[str, NDArray[Any]] = {}
    units: dict[str, str] = {}
    for field, column in zip(table.schema, table.columns):
        kind = field.type
        if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) or pa.types.is_large_list(kind):
            rows = column.to_pylist()
            if len({len(row) if row is not None else -1 for row in rows}) != 1:
                raise LogError(f"{path}: lists of {field.name} differ in length")
            arrays[field.name] = np.asarray(rows)
        else:
            arrays[field.name] = column.to_numpy()
        metadata = field.metadata or {}
        unit = metadata.get(b"unit", metadata.get(b"units"))
        if unit is not None:
            units[field.name] = unit.decode()
    return Table(arrays, units)


def pandas(frame: Any) -> Table:
    arrays = {str(name): frame[name].to_numpy() for name in frame.columns}
    arrays.setdefault("index", frame.index.to_numpy())
    return Table(arrays, frame.attrs.get("units"))


def csv(path: Path, said: Mapping[str, Any]) -> Log:
    """A CSV goes as it is: the service reads it. Its columns and units are as unsaid as those of other files."""
    columns, units = said.get("columns"), said.get("units") or {}
    if columns and "preset" in columns:
        return Log(None, dict(columns), dict(units), said.get("scale"), path)
    with open(path, encoding="utf-8", errors="replace") as file:
        first = file.readline().strip()
    if not columns:
        raise LogError(f"{path}: which columns hold what? columns={{\"time\": ..., \"q\": ...}}, or kind=\"ur-rtde\" or \"libfranka\"; "
                       f"its first line is {first[:200]}")
    asked = [key for key in QUANTITIES if key in columns and key not in units]
    if asked:
        offer = "; ".join(f"{key}: {', '.join(UNITS[key])}" for key in asked)
        raise LogError(f"{path}: in which units are {' and '.join(asked)}? units={{{', '.join(f'{k!r}: ...' for k in asked)}}} of {offer}")
    return Log(None, dict(columns), dict(units), said.get("scale"), path)


def preset(path: Path, name: str, said: Mapping[str, Any]) -> Log:
    """Logs whose programs define names and units: seconds and radians; UR's currents need each drive's gain."""
    scale = said.get("scale") or {}
    if name == "ur-rtde" and "tau" not in scale:
        raise LogError(f"{path}: RTDE logs currents, not torques: scale={{\"tau\": [...]}}, the drive gain of each joint in N m/A")
    if name == "libfranka":
        return Log(None, {"preset": name, **(said.get("columns") or {})}, dict(said.get("units") or {}), scale, path)
    units: dict[str, Any] = {**({"tau": "A"} if "tau" in scale else {}), **(said.get("units") or {})}
    return Log(None, {"preset": name, **(said.get("columns") or {})}, units, scale, path)
