# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_realtime.py - io_realtime: I/O threads in a real-time class, while they leave time to others.
"""The scheduling class of a thread is field 41 of its stat (proc_pid_stat(5)). When it is left: tests/unit/daemon/serve/test_realtime.c."""

import os

import pytest
from conftest import eventually


def classes(one):
    """Scheduling class by name of thread."""
    found = {}
    for task in os.listdir(f"/proc/{one.process.pid}/task"):
        with open(f"/proc/{one.process.pid}/task/{task}/stat") as file:
            head, _, tail = file.read().rpartition(")")
        found.setdefault(head.partition("(")[2], set()).add(int(tail.split()[38]))
    return found


@pytest.fixture
def may_be_realtime():
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        pytest.skip("no real-time class for this user")
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def test_only_io_threads_are_in_a_realtime_class(start, may_be_realtime):
    one = start({"io_realtime": 1, "io_threads": 2})
    eventually(lambda: classes(one).get("io") == {os.SCHED_RR})
    assert all(found <= {os.SCHED_OTHER, os.SCHED_BATCH} for name, found in classes(one).items() if name != "io")


def test_without_the_setting_none_is(start):
    one = start({"io_threads": 1})
    assert all(found <= {os.SCHED_OTHER, os.SCHED_BATCH} for found in classes(one).values())
    eventually(lambda: classes(one).get("audit") == classes(one).get("scrub") == {os.SCHED_BATCH})  # a thread names itself when it starts
