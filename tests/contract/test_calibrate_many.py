# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_calibrate_many.py - as many logs as a request may name: they share memory, and a request
# beyond it is refused with the reason.
import math

import pytest
from conftest import SLOW
from test_calibrate import EXACT, calibrate, truth, write_run  # noqa: F401, truth is a fixture
from test_calibrate_long import put_npy

MOST, ROWS = 200, 60


def windows(name, rows):
    return [{"dataset": name, "rows": [rows * k, rows * (k + 1)]} for k in range(MOST)]


# under a sanitizer fewer logs and methods: both were run there with fewer logs, and memory is shared in the
# same way
@pytest.mark.parametrize("method", ["wls", "iv"] if SLOW == 1 else ["wls"])
def test_as_many_logs_as_may_be_named(daemon, truth, method):
    """Each log alone has insufficient excitation; all together give the estimate of one log with all rows."""
    seconds = MOST * ROWS // 100
    write_run(daemon, "all", truth, 9, seconds=seconds)
    body = {"filter": EXACT, "validate": "none", "method": method, **({"lag_s": 0.05} if method == "iv" else {})}
    many = calibrate(daemon, {**body, "datasets": windows("all", ROWS)}, robot="guess")
    assert len(many["datasets"]) == MOST and many["rank"]["data"] == many["rank"]["columns"]
    one = calibrate(daemon, {**body, "datasets": ["all"]}, robot="guess")
    assert many["samples"] > 0.8 * one["samples"]
    for a, b in zip(many["parameters"], one["parameters"]):
        # both equal the truth: derivatives are in the logs, without noise
        assert a["value"] == pytest.approx(b["value"], abs=1e-8), a["name"]


def test_more_than_a_request_may_take(daemon):
    """Thirty joints on a floating base with two hundred logs exceed a request's memory: the answer names the
    field and the remedy."""
    nq, nv, rows = 37, 36, 24
    wave = [[0.1 * math.sin(0.05 * k + c) for c in range(nq + 2 * nv)] for k in range(MOST * rows)]
    put_npy(daemon, "wide", [[*row[:3], 1, 0, 0, 0, *row[7:]] for row in wave], 1)
    body = {"datasets": windows("wide", rows), "rate_hz": 100, "validate": "none", "filter": {"cutoff_hz": 10},
            "columns": {"q": list(range(nq)), **{w: list(range(nq, nq + nv)) for w in ("qd", "qdd")}, "tau": list(range(nq + nv, nq + 2 * nv))}}
    fault = calibrate(daemon, body, want=413, robot="humanoid")
    assert fault["type"].endswith("/too-large")
    assert fault["errors"][0]["pointer"] == "/datasets" and fault["errors"][0]["hint"].startswith("name fewer")
