# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_circumstances.py - limits that are too low to serve under: one line and a status, no hang and no crash.
"""What systemd does next depends on the status, what a person does next on the line."""

import os
import resource
import shutil
import subprocess

import pytest
from conftest import PATIENCE, TORQUED

SANITIZED = any(v in TORQUED for v in ("/asan", "/tsan"))
STRANGER = 54321  # a user that nothing else runs as


def run(tmp_path, limits, user=None, args=(), environment=None):
    """Under these limits until it ends: its status and what it wrote. No limit of OpenBLAS' threads but what is in
    `environment`: that is how `make run` starts it."""
    program = TORQUED
    if user is not None:
        os.chmod(tmp_path, 0o755)
        for folder in tmp_path.parents:  # those that pytest made for root alone
            if folder.stat().st_mode & 0o077 == 0:
                os.chmod(folder, 0o755)
        program = str(shutil.copy(TORQUED, tmp_path / "torqued"))
    state = tmp_path / "state"
    state.mkdir()
    if user is not None:
        os.chown(state, user, user)

    def lower():
        for what, value in limits.items():
            resource.setrlimit(what, (value, value))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([program, "--listen", "127.0.0.1:0", "--state-dir", str(state), *args], preexec_fn=lower, timeout=PATIENCE,
                          capture_output=True, text=True, errors="replace", env={**env, **(environment or {})})
    return done.returncode, done.stderr


@pytest.mark.skipif(SANITIZED, reason="a sanitizer reserves terabytes of addresses")
@pytest.mark.parametrize("kilobytes", [75000, 100000, 150000])
@pytest.mark.parametrize("threads", [None, "8"])
def test_a_small_address_space_is_refused(tmp_path, kilobytes, threads):
    """OpenBLAS starts before main, and retries allocations for ever where memory is short. Below 62 MB the loader itself ends:
    the libraries do not fit."""
    status, said = run(tmp_path, {resource.RLIMIT_AS: kilobytes * 1024}, environment={"OPENBLAS_NUM_THREADS": threads} if threads else None)
    assert status == 1, said
    assert said.count("\n") == 1 and "address space" in said and "ulimit -v" in said


@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs a stack of its own")
def test_a_small_stack_is_refused(tmp_path):
    status, said = run(tmp_path, {resource.RLIMIT_STACK: 64 * 1024})
    assert status == 1, said
    assert said.count("\n") == 1 and "stack" in said and "ulimit -s" in said


def test_too_few_files_are_refused(tmp_path):
    """16 are less than the store and the loops hold open: the log says listening, and nothing can be written."""
    status, said = run(tmp_path, {resource.RLIMIT_NOFILE: 16})
    assert status == 1, said
    assert "16 open files are allowed" in said and "ulimit -n" in said and "listening" not in said


@pytest.mark.skipif(SANITIZED, reason="a sanitizer reserves terabytes of addresses")
def test_without_memory_for_its_threads_it_fails(tmp_path):
    """64 stacks of 8 MiB do not fit into 400 MB: Restart=on-failure must see a failure."""
    status, said = run(tmp_path, {resource.RLIMIT_AS: 400_000_000, resource.RLIMIT_STACK: 8 << 20}, args=["--workers", "64"])
    assert status == 1, said
    assert '"level":"error"' in said and "no thread" in said and "listening" not in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can switch to another user, and the limit does not bind root")
@pytest.mark.skipif(SANITIZED, reason="a sanitizer has threads of its own")
def test_without_tasks_for_its_threads_it_fails(tmp_path):
    status, said = run(tmp_path, {resource.RLIMIT_NPROC: 2}, user=STRANGER)
    assert status == 1, said
    assert '"level":"error"' in said and "no thread" in said and "listening" not in said


@pytest.mark.skipif(SANITIZED, reason="a sanitizer starts before it")
def test_openblas_starts_no_thread_by_itself(start):
    """The daemon's workers are the threads: where the variable is not set, as under `make run`, it is set before OpenBLAS starts."""
    before = os.environ.pop("OPENBLAS_NUM_THREADS", None)
    try:
        daemon = start()
    finally:
        if before is not None:
            os.environ["OPENBLAS_NUM_THREADS"] = before
    with open(f"/proc/{daemon.process.pid}/environ", "rb") as f:
        assert b"OPENBLAS_NUM_THREADS=1" in f.read().split(b"\0")
