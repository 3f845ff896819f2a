# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_sources.py - what users have as robots and datasets, as bodies of requests.
"""Paths, texts, dicts, arrays, logs."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _codec
from ._problems import LogError
from ._wire import CSV, JSON, NPY, Body

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .logs import Log

RobotSource = Union[str, "os.PathLike[str]", bytes, Mapping[str, Any]]
DatasetSource = Union[str, "os.PathLike[str]", bytes, "NDArray[Any]", "Log"]


def robot_body(source: RobotSource) -> tuple[Body, str, Any]:
    """Body, media type, and what faults point into."""
    if isinstance(source, Mapping):
        return Body([json.dumps(source, default=plain).encode()]), JSON, source
    if isinstance(source, str) and source.lstrip()[:1] in ("<", "{"):
        data = source.encode()
    elif isinstance(source, bytes):
        data = source
    else:
        data = Path(source).read_bytes()
    is_zip = data[:4] == b"PK\x03\x04"
    return Body([data]), JSON if data.lstrip()[:1] == b"{" else "application/zip" if is_zip else "application/xml", None


def plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be in a robot document")


def dataset_body(source: DatasetSource) -> tuple[Body, str]:
    if isinstance(source, bytes):
        return Body([source]), NPY if source[:6] == b"\x93NUMPY" else CSV
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            is_npy = file.read(6) == b"\x93NUMPY"
        if not is_npy and Path(source).suffix.lower() not in (".csv", ".txt", ".tsv", ".dat", ".log", ""):
            raise LogError(f"{source}: CSV and NPY are sent as they are; torqued.logs.read() reads other kinds and needs units")
        return Body(path=source), NPY if is_npy else CSV
    if isinstance(source, np.ndarray):
        return Body(_codec.encode_npy(source)), NPY
    if hasattr(source, "body"):
        return source.body()
    raise LogError(f"a {type(source).__name__} is no dataset: a path, bytes, an array, or a torqued.logs.Log is. "
                   "A table of pandas goes through torqued.logs.from_pandas(), which needs columns and units")
