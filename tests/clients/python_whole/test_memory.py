# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_memory.py - arrays go out of the caller's memory and come into one buffer: peak against the arrays.
import os
import pathlib
import subprocess
import sys

import pytest
import torqued

PROGRAM = """
import resource, sys
import numpy as np, torqued
client = torqued.Client(sys.argv[1], timeout_s=600)
robot = client.robot("panda")
robot.inverse_dynamics(*np.zeros((3, 10, 7)))
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
arrays = [np.random.default_rng(k).uniform(-1, 1, (400_000, 7)) for k in range(3)]
tau = robot.inverse_dynamics(*arrays)
print((peak() - before) / (sum(one.nbytes for one in arrays) + tau.nbytes), tau.flags.aligned, tau.flags.writeable)
"""


def test_at_most_2_2_times_the_arrays(daemon):
    done = subprocess.run([sys.executable, "-c", PROGRAM, daemon.url], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(torqued.__file__).parents[1])})
    assert done.returncode == 0, done.stderr
    ratio, aligned, writeable = done.stdout.split()
    assert float(ratio) <= 2.2 and aligned == writeable == "True"
