# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_circumstances.py - resource limits too low for the service: one error line and an exit
# status, no hang and no crash.
"""systemd decides by the exit status whether to restart; an administrator needs the line."""

import os
import resource
import shutil
import subprocess

import pytest
from conftest import PATIENCE, TORQUED

SANITIZED = any(v in TORQUED for v in ("/asan", "/tsan", "/coverage"))
STRANGER = 54321  # a uid that runs no other process


def run(tmp_path, limits, user=None, args=(), environment=None):
    """Runs the daemon under these limits until it ends; returns its status and output. OPENBLAS_NUM_THREADS is
    unset except by `environment`, as under `make run`."""
    program = TORQUED
    if user is not None:
        os.chmod(tmp_path, 0o755)
        for folder in tmp_path.parents:  # folders that pytest made accessible to root only
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
    """OpenBLAS starts before main and retries failed allocations for ever. Below 62 MB the dynamic loader itself
    fails, since the libraries do not fit."""
    status, said = run(tmp_path, {resource.RLIMIT_AS: kilobytes * 1024}, environment={"OPENBLAS_NUM_THREADS": threads} if threads else None)
    assert status == 1, said
    assert said.count("\n") == 1 and "address space" in said and "ulimit -v" in said


@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs a stack of its own")
def test_a_small_stack_is_refused(tmp_path):
    status, said = run(tmp_path, {resource.RLIMIT_STACK: 64 * 1024})
    assert status == 1, said
    assert said.count("\n") == 1 and "stack" in said and "ulimit -s" in said


def test_too_few_files_are_refused(tmp_path):
    """The store and the I/O loops alone need more than 16 descriptors: without the check the daemon would log
    "listening" and then fail every write."""
    status, said = run(tmp_path, {resource.RLIMIT_NOFILE: 16})
    assert status == 1, said
    assert "16 open files are allowed" in said and "ulimit -n" in said and "listening" not in said


@pytest.mark.skipif(SANITIZED, reason="a sanitizer reserves terabytes of addresses")
def test_without_memory_for_its_threads_it_fails(tmp_path):
    """64 stacks of 8 MiB do not fit into 400 MB: the daemon must end with a failure status, for Restart=on-failure."""
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
    """The daemon's own workers provide parallelism: if OPENBLAS_NUM_THREADS is not set, as under `make run`, the
    daemon sets it to 1 before OpenBLAS starts."""
    before = os.environ.pop("OPENBLAS_NUM_THREADS", None)
    try:
        daemon = start()
    finally:
        if before is not None:
            os.environ["OPENBLAS_NUM_THREADS"] = before
    with open(f"/proc/{daemon.process.pid}/environ", "rb") as f:
        assert b"OPENBLAS_NUM_THREADS=1" in f.read().split(b"\0")
