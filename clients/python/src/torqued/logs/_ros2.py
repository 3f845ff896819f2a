# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/logs/_ros2.py - sensor_msgs/JointState out of MCAP files and rosbag2 folders, without ROS.
"""Units by REP 103 and the message's definition: rad or m, rad/s or m/s, N m or N; time is the header's stamp."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._problems import LogError
from ._log import Log

KIND = "sensor_msgs/msg/JointState"


def messages(path: Path) -> Iterator[tuple[str, bytes]]:
    """(topic, CDR) of every joint state, in the order of the log."""
    if path.is_dir() or path.suffix == ".db3":
        from rosbags.rosbag2 import Reader
        folder = path if path.is_dir() else path.parent
        with Reader(folder) as bag:
            wanted = [c for c in bag.connections if c.msgtype == KIND]
            for connection, _, data in bag.messages(connections=wanted):
                yield connection.topic, bytes(data)
        return
    from mcap.reader import make_reader
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            if schema is not None and schema.name == KIND:
                yield channel.topic, message.data


def chosen(path: Path, topic: str | None) -> tuple[str, list[Any]]:
    """The topic, and its messages."""
    from rosbags.typesys import Stores, get_typestore
    store = get_typestore(Stores.ROS2_HUMBLE)
    by_topic: dict[str, list[Any]] = {}
    for name, data in messages(path):
        if topic is None or name == topic:
            by_topic.setdefault(name, []).append(store.deserialize_cdr(data, KIND))
    if not by_topic:
        raise LogError(f"{path}: no {KIND}" + (f" on {topic}" if topic else ""))
    if len(by_topic) > 1:
        counts = ", ".join(f"{name} ({len(of)})" for name, of in by_topic.items())
        raise LogError(f"{path}: several topics of joint states: topic= is one of {counts}")
    return next(iter(by_topic.items()))


def read(path: Path, joints: Sequence[str] | None, topic: str | None) -> Log:
    try:
        name, states = chosen(path, topic)
    except ImportError:
        raise LogError("this needs mcap and rosbags: pip install 'torqued[ros]'") from None
    order = list(joints) if joints is not None else list(states[0].name)
    whole = [state for state in states if set(order) <= set(state.name)]
    if not whole:
        raise LogError(f"{path}: no message of {name} has the joints {', '.join(order)}: they have {', '.join(states[0].name)}")
    notes = [f"{len(states) - len(whole)} of {len(states)} messages do not have all joints"] if len(whole) < len(states) else []
    # nanoseconds from the first stamp: seconds since 1970 leave a double 0.2 us
    stamps = np.array([state.header.stamp.sec * 10**9 + state.header.stamp.nanosec for state in whole], dtype=np.int64)
    if stamps[-1] == stamps[0]:
        raise LogError(f"{path}: the headers of {name} have no stamps")
    parts = [((stamps - stamps[0]) * 1e-9)[:, None]]
    columns: dict[str, Any] = {"time": 0}
    at = 1
    for key, field in (("q", "position"), ("qd", "velocity"), ("tau", "effort")):
        if any(len(getattr(state, field)) != len(state.name) for state in whole):
            notes.append(f"{field} is not in every message")
            continue
        rows = np.array([np.asarray(getattr(state, field))[[list(state.name).index(j) for j in order]] for state in whole])
        if not np.isfinite(rows).any():
            notes.append(f"{field} is never a number")
            continue
        columns[key] = list(range(at, at + len(order)))
        at += len(order)
        parts.append(rows)
    return Log(np.hstack(parts), columns, {"time": "s"}, None, None, order, notes)
