# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/logs/__init__.py - recorded motion as labs have it, as datasets: columns mapped, units said, nothing guessed.
"""Reads a log and says which columns hold what in which unit::

    log = torqued.logs.read("run1.mcap", joints=robot.joints)
    client.put_dataset("run1", log)
    result = robot.calibrate(["run1"], **log.options)

ROS 2 bags and logs of UR's RTDE and libfranka have units by their definition. Other files do not say theirs: `units` is asked for
then, and never guessed. Numbers go to the service as they are; it converts, checks the clock and refuses what cannot be meant.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._log import Log
from .._problems import LogError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

__all__ = ["KINDS", "Log", "from_arrays", "from_pandas", "read"]


def _ros(path: Path, **said: Any) -> Log:
    from . import _ros2
    return _ros2.read(path, said["joints"], said["topic"])


def _hdf5(path: Path, **said: Any) -> Log:
    from . import _files
    return _files.mapped(_files.hdf5(path), path, said)


def _mat(path: Path, **said: Any) -> Log:
    from . import _files
    return _files.mapped(_files.mat(path), path, said)


def _arrow(path: Path, **said: Any) -> Log:
    from . import _files
    return _files.mapped(_files.arrow(path), path, said)


def _csv(path: Path, **said: Any) -> Log:
    from . import _files
    return _files.csv(path, said)


def _preset(name: str) -> Callable[..., Log]:
    def read_preset(path: Path, **said: Any) -> Log:
        from . import _files
        return _files.preset(path, name, said)
    return read_preset


# what `kind` may be
KINDS: dict[str, Callable[..., Log]] = {
    "ros2": _ros, "hdf5": _hdf5, "mat": _mat, "arrow": _arrow, "csv": _csv, "ur-rtde": _preset("ur-rtde"), "libfranka": _preset("libfranka"),
}
ENDINGS = {".mcap": "ros2", ".db3": "ros2", ".h5": "hdf5", ".hdf5": "hdf5", ".mat": "mat", ".parquet": "arrow", ".feather": "arrow",
           ".arrow": "arrow", ".csv": "csv", ".txt": "csv", ".tsv": "csv", ".dat": "csv"}


def read(path: str | os.PathLike[str], *, columns: Mapping[str, Any] | None = None, units: Mapping[str, Any] | None = None,
         scale: Mapping[str, Any] | None = None, joints: Sequence[str] | None = None, topic: str | None = None,
         kind: str | None = None) -> Log:
    """Reads a log.

    Arguments:
        path: .mcap or a rosbag2 folder, .h5, .mat, .parquet, .feather, .csv.
        columns: which hold what: ``{"time": "t", "q": "pos", "tau": ["i1", "i2"]}``; a name alone may be a table of several
            columns, or columns pos0 pos1 ..., pos_0 pos_1 ....
        units: of each quantity that is mapped: ``{"time": "s", "q": "deg", "tau": "A"}``, one for all joints or one for each.
        scale: factors, one for all joints or one for each; a current needs the drive's gain here (N m/A).
        joints: the robot's joints, in its order, where the log has names of its own (ROS).
        topic: of a bag with several topics of joint states.
        kind: one of `KINDS`, where the file's name does not say it: "ur-rtde" and "libfranka" are CSV files.
    """
    path = Path(path)
    if not path.exists():
        raise LogError(f"there is no {path}")
    found = kind or ("ros2" if path.is_dir() else ENDINGS.get(path.suffix.lower()))
    if found not in KINDS:
        raise LogError(f"{path}: which kind of log? kind= is one of {', '.join(KINDS)}")
    return KINDS[found](path, columns=columns, units=units, scale=scale, joints=joints, topic=topic)


def from_pandas(frame: pd.DataFrame, *, columns: Mapping[str, Any], units: Mapping[str, Any] | None = None,
                scale: Mapping[str, Any] | None = None) -> Log:
    """A table of pandas. `frame.attrs["units"]` counts as said: ``{column: unit}``. Time may be the index: ``{"time": "index"}``."""
    from . import _files
    return _files.mapped(_files.pandas(frame), "the table", {"columns": columns, "units": units, "scale": scale})


def from_arrays(*, time: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, tau: ArrayLike | None = None,
                q_cmd: ArrayLike | None = None, qd_cmd: ArrayLike | None = None, tau_ff: ArrayLike | None = None,
                units: Mapping[str, Any] | None = None, scale: Mapping[str, Any] | None = None) -> Log:
    """Arrays of a sample a row. Without `units` they are in SI units and radians, as everywhere in this package. Commanded motion (`q_cmd`) is
    for `calibrate` with `controller`, of logs without torque; `tau_ff` is what the controller adds to its law."""
    import numpy as np

    from . import _files
    table = {key: np.asarray(value, dtype=float) for key, value in
             {"time": time, "q": q, "qd": qd, "qdd": qdd, "tau": tau, "q_cmd": q_cmd, "qd_cmd": qd_cmd, "tau_ff": tau_ff}.items() if value is not None}
    said = {"time": "s", "q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "Nm", "q_cmd": "rad", "qd_cmd": "rad/s",
            "tau_ff": "Nm"}
    given = units if units is not None else {key: said[key] for key in table}
    return _files.mapped(_files.Table(table), "the arrays", {"columns": {k: k for k in table}, "units": given, "scale": scale})
