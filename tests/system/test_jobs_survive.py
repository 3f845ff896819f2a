# SPDX-License-Identifier: Apache-2.0
# tests/system/test_jobs_survive.py - real processes, killed, crashed and starved of disk: no acknowledged job is lost.
"""KILLS (environment; 20): how often the daemon is killed under load. `make check-long` sets 1000."""

import ctypes
import http.client
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contract"))
import conftest  # noqa: E402
import test_robots  # noqa: E402

KILLS = int(os.environ.get("KILLS", "20"))
SLOW, PATIENCE = conftest.SLOW, conftest.PATIENCE
PATH = "/v1/robots/panda/inverse-dynamics"
ASYNC = {"Prefer": "respond-async", "Content-Type": "application/json"}
ENDED = ("succeeded", "failed", "cancelled")
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def free_port():
    """Not one of those that the kernel gives to connections: somebody's could have it while the daemon is down."""
    chance = random.Random()
    while True:
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port := chance.randrange(20000, 32000)))
                return port
            except OSError:
                pass


def body(n, seed):
    q = [[round(0.01 * ((k * 7 + i * 3 + seed) % 300) - 1.5, 2) for i in range(7)] for k in range(n)]
    zeros = [[0] * 7] * n
    return json.dumps({"q": q, "qd": zeros, "qdd": zeros}).encode()


class House:
    """A state folder, a port, and one daemon after another in it."""

    def __init__(self, settings=None):
        self.folder = tempfile.TemporaryDirectory(prefix="torqued-system-")
        self.state = os.path.join(self.folder.name, "state")
        self.port = free_port()
        self.settings = settings or {}
        self.daemon, self.program = None, None  # None: $TORQUED

    def start(self):
        self.daemon = conftest.Daemon(self.settings, listen=f"127.0.0.1:{self.port}", state=self.state, program=self.program)
        return self.daemon

    def kill(self):
        test_robots.kill(self.daemon)

    def died(self):
        """The daemon has ended by itself: its status."""
        self.daemon.closed = True
        return self.daemon.process.wait(PATIENCE)

    def request(self, method, path, data=None, headers=None):
        """One request, again and again until somebody answers."""
        until = time.monotonic() + PATIENCE
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                connection.request(method, path, body=data, headers=headers or {})
                response = connection.getresponse()
                got = response.status, response.headers, response.read()
                if got[0] != 503:
                    return got
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            assert time.monotonic() < until, f"{method} {path}: no answer"
            time.sleep(0.01)

    def json(self, path):
        status, _, text = self.request("GET", path)
        assert status == 200, text
        return json.loads(text)

    def ended(self, job):
        until = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < until:
            document = self.json(f"/v1/jobs/{job}")
            if document["state"] in ENDED:
                return document
            time.sleep(0.02)
        raise AssertionError(f"job {job} is still {document['state']}")

    def close(self):
        if not self.daemon.closed:
            self.daemon.stop()
        with sqlite3.connect(os.path.join(self.state, "torqued.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        self.folder.cleanup()


@pytest.fixture
def house():
    made = []

    def make(settings=None):
        made.append(House(settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


class Client(threading.Thread):
    """Submits until stopped. A key that was not acknowledged is sent again: it must not make a second job."""

    def __init__(self, home, number, stop):
        super().__init__(daemon=True)
        self.home, self.number, self.stop = home, number, stop
        self.jobs, self.robots, self.fault = {}, {}, None

    def run(self):
        chance = random.Random(self.number)
        try:
            while not self.stop.is_set():
                k = len(self.jobs)
                size = chance.choice((1, 1, 5, 40, 900))  # the last has a file for its request and its result
                data = body(size, chance.randrange(10))
                headers = {**ASYNC, "Idempotency-Key": f"{self.number}-{k}", "Torqued-Client": f"client-{self.number}"}
                status, _, text = self.home.request("POST", PATH, data, headers)
                assert status == 202, text
                self.jobs[json.loads(text)["id"]] = data
                if chance.random() < 0.1:
                    name, arm = f"arm-{self.number}-{len(self.robots)}", test_robots.urdf(1 + k % 7)
                    status, got, text = self.home.request("PUT", f"/v1/robots/{name}", arm)
                    assert status in (200, 201), text
                    self.robots[name] = got["ETag"]
                time.sleep(chance.random() * 0.02)
        except Exception as fault:  # noqa: BLE001 - reported by the test
            self.fault = fault


def states_of(home, job):
    """All states that a finished job has had, from its events."""
    _, _, text = home.request("GET", f"/v1/jobs/{job}/events")
    return [json.loads(line[6:])["state"] for line in text.decode().splitlines() if line.startswith("data: ")]


def test_a_job_of_another_host_name_is_taken_over_at_once(house):
    """A container has a new name at each start: whose lease it is does not count where no other process can have the store."""
    home = house()
    home.start()
    seconds = 3000 // SLOW
    request = json.dumps({**json.loads(LONG), "duration_s": seconds}).encode()
    status, _, text = home.request("POST", "/v1/robots/planar-2r/simulate", request, ASYNC)
    assert status == 202, text
    job = json.loads(text)["id"]
    conftest.eventually(lambda: home.json(f"/v1/jobs/{job}")["state"] == "running")
    home.kill()
    with sqlite3.connect(os.path.join(home.state, "torqued.db")) as database:
        changed = database.execute("UPDATE job SET node = 'elsewhere', lease_until_ms = lease_until_ms + 1000000000000 WHERE state = 1")
        assert changed.rowcount == 1
    home.start()
    assert home.ended(job)["state"] == "succeeded"


@pytest.mark.seconds(120 + 4 * KILLS)
def test_killed_under_load(house):
    home, stop, chance = house(), threading.Event(), random.Random(KILLS)
    home.start()
    clients = [Client(home, i, stop) for i in range(4)]
    for c in clients:
        c.start()
    for i in range(KILLS):
        conftest.eventually(lambda i=i: sum(len(c.jobs) for c in clients) > 3 * i or any(c.fault for c in clients))
        time.sleep(0.05 + 0.3 * chance.random())
        home.kill()
        home.start()
    time.sleep(0.2)
    stop.set()
    for c in clients:
        c.join(PATIENCE)
        assert not c.is_alive() and c.fault is None, c.fault
    jobs = {job: data for c in clients for job, data in c.jobs.items()}
    assert len(jobs) == sum(len(c.jobs) for c in clients) > 2 * KILLS
    expected, again = {}, 0
    for job, data in jobs.items():
        document = home.ended(job)
        assert document["state"] == "succeeded", document
        again += document["attempts"] > 1
        if data not in expected:
            expected[data] = home.request("POST", PATH, data, {"Content-Type": "application/json"})[2]
        assert home.request("GET", f"/v1/jobs/{job}/result")[2] == expected[data]
        assert home.request("GET", f"/v1/jobs/{job}/request")[2] == data
        states = states_of(home, job)
        assert states[0] == "queued" and states[-1] == "succeeded" and states.count("succeeded") == 1, states
    listed, cursor = set(), ""
    while cursor is not None:
        page = home.json("/v1/jobs?limit=200" + cursor)
        listed |= {job["id"] for job in page["jobs"]}
        cursor = page["cursor"] and "&cursor=" + page["cursor"]
    assert listed == set(jobs), "a key made two jobs, or a job is not listed"
    for c in clients:
        for name, tag in c.robots.items():
            assert home.request("GET", f"/v1/robots/{name}")[1]["ETag"] == tag
    print(f"{KILLS} kills, {len(jobs)} jobs, {again} of them run more than once")


# hours
LONG = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 100000, "output": {"interval_s": 100},
                   "solver": {"method": "rk4", "step_s": 1e-3}}).encode()


def job_thread(pid):
    """The runner with the most processor time: the others are spare ones, which wait."""
    runners = [task for task in pathlib.Path(f"/proc/{pid}/task").iterdir() if (task / "comm").read_text().strip() == "job"]
    assert runners, "no thread runs jobs"
    return int(max(runners, key=lambda task: int((task / "schedstat").read_text().split()[0])).name)


def runs(home, job, attempt, least=0.0):
    """Waits until the job runs for the attempt-th time and that much of it is done; False when it has ended before."""
    until = time.monotonic() + PATIENCE
    while True:
        document = home.json(f"/v1/jobs/{job}")
        if document["state"] in ENDED:
            return False
        if document["state"] == "running" and document["attempts"] == attempt and document["progress"]["fraction"] >= least:
            return True
        assert time.monotonic() < until, document
        time.sleep(0.002)


def interrupted(submit, interrupt):
    """A job that `interrupt` has stopped as often as it yields. One that was quicker than the signal is given up for another."""
    for _ in range(20):
        job = submit()
        if all(interrupt(job)):
            return job
    raise AssertionError("every job had ended before it could be stopped")


def submitted(home, path, data):
    return lambda: json.loads(home.request("POST", path, data, ASYNC)[2])["id"]


def crash(home, job, attempt, number=signal.SIGSEGV):
    """Ends the thread that runs the job as a bug would; False when the job has ended before."""
    if not runs(home, job, attempt):
        return False
    time.sleep(0.02)  # a crash before the computation has begun is not blamed on the job
    process = home.daemon.process
    process.send_signal(signal.SIGSTOP)  # it does not end while its thread is looked for
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.syscall(234, process.pid, job_thread(process.pid), int(number)) == 0  # tgkill
    process.send_signal(signal.SIGCONT)
    assert home.died() == -number
    home.start()
    return True


def kill(home, job, attempt, least=0.0, settings=None):
    """Ends the daemon in the middle of the job and starts another; False when the job has ended before."""
    if not runs(home, job, attempt, least):
        return False
    home.kill()
    home.settings.update(settings or {})
    home.start()
    document = home.json(f"/v1/jobs/{job}")
    return document["state"] != "succeeded" or document["attempts"] > attempt


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of tgkill is that of x86-64")
@pytest.mark.seconds(120)
@pytest.mark.parametrize("number", (signal.SIGSEGV, signal.SIGABRT), ids=("fault", "assertion"))
def test_job_that_crashes_the_process_has_one_more_try(house, number):
    home = house({"jobs": 1, "workers": 1})
    home.start()
    def crash_until_it_fails(job):
        for attempt in range(1, 10):
            yield crash(home, job, attempt, number)
            conftest.eventually(lambda: home.json(f"/v1/jobs/{job}")["state"] != "running" or home.json(f"/v1/jobs/{job}")["attempts"] > attempt)
            if home.json(f"/v1/jobs/{job}")["state"] == "failed":
                return

    bad = interrupted(submitted(home, PATH, body(120000, 1)), crash_until_it_fails)
    good = submitted(home, PATH, body(3, 2))()
    document = home.ended(bad)
    # more than two where a crash came before the computation
    assert document["state"] == "failed" and document["attempts"] in (2, 3, 4), document
    assert "crashed the service" in document["problem"]["detail"] and document["problem"]["status"] == 500
    assert home.ended(good)["state"] == "succeeded", "and the daemon lives"


def end_from_outside(home, job, attempt, number):
    """The process is ended by a signal to all of it, as a watchdog, an operator or the kernel does."""
    if not runs(home, job, attempt):
        return False
    home.daemon.process.send_signal(number)
    assert home.died() == -number
    home.start()
    document = home.json(f"/v1/jobs/{job}")
    return document["state"] != "succeeded" or document["attempts"] > attempt


@pytest.mark.seconds(120)
def test_interrupted_from_outside_is_not_the_jobs_fault(house):
    """With the strictest setting: one crash of its own would fail the job. As many as may be without a checkpoint between them."""
    home = house({"jobs": 1, "workers": 1, "jobs_tries": 1})
    home.start()
    numbers = (signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV) * 5
    job = interrupted(submitted(home, "/v1/robots/planar-2r/simulate", LONG),
                      lambda job: (end_from_outside(home, job, k, number) for k, number in enumerate(numbers, 1)))
    document = home.json(f"/v1/jobs/{job}")
    assert document["state"] in ("queued", "running") and document["attempts"] >= len(numbers), document
    assert home.request("POST", f"/v1/jobs/{job}/cancel")[0] in (200, 202)
    assert home.ended(job)["state"] == "cancelled"


# the model's seconds, rows of the result (of more than a few only the spool has room), and how
SOLVERS = {"few-rows": (50, 200, {"method": "rk4", "step_s": 1e-4}),
           "rk4": (50, 50000, {"method": "rk4", "step_s": 1e-4}),
           "dopri87": (500, 50000, {"method": "dopri87", "rtol": 1e-11, "atol": 1e-11}),
           "bdf": (750, 50000, {"method": "bdf", "rtol": 1e-9})}


@pytest.mark.seconds(180)
@pytest.mark.parametrize("solver", SOLVERS)
def test_killed_simulation_goes_on_to_the_same_bits(house, solver):
    home = house({"jobs": 2})
    home.start()
    seconds, rows, how = SOLVERS[solver]
    seconds, rows = (seconds, rows) if SLOW == 1 else (seconds // 5, rows // 5)
    request = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": seconds, "output": {"interval_s": seconds / rows},
                          "events": [{"on": "qd", "joint": "joint1", "level": 4.0, "direction": "up"}],
                          "solver": how}).encode()
    path = "/v1/robots/planar-2r/simulate"
    unbroken, broken = (json.loads(home.request("POST", path, request, {**ASYNC, "Idempotency-Key": key})[2])["id"]
                        for key in ("unbroken", "broken"))
    assert home.ended(unbroken)["state"] == "succeeded"
    home.ended(broken)
    killed = interrupted(submitted(home, path, request),
                         lambda job: (kill(home, job, k, least) for k, least in ((1, 0.3), (2, 0.6))))
    document = home.ended(killed)
    assert document["state"] == "succeeded" and document["attempts"] == 3, document
    results = [home.request("GET", f"/v1/jobs/{job}/result")[2] for job in (unbroken, broken, killed)]
    assert results[0] == results[1] == results[2]
    assert len(json.loads(results[0])["t"]) == rows + 1
    conftest.eventually(lambda: os.listdir(os.path.join(home.state, "files", "aside")) == [])  # the spool goes with its job


@pytest.mark.seconds(240)
def test_killed_ensemble_goes_on_to_the_same_bits_on_one_worker_and_on_four(house):
    home = house({"jobs": 1, "workers": 4})
    home.start()
    members, seconds = (6000, 3) if SLOW == 1 else (5000, 1)
    request = json.dumps({"initial": {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}, "duration_s": seconds,
                          "output": {"interval_s": seconds / 10}, "solver": {"method": "rk4", "step_s": 1e-3},
                          "members": members, "seed": 9, "quantiles": [0.05, 0.5, 0.95], "end_states": True,
                          "vary": [{"of": "q", "joint": "joint2", "normal": {"deviation": 0.1}},
                                   {"of": "torque", "joint": "joint4", "uniform": [-1, 1]}]}).encode()
    path = "/v1/robots/panda/ensemble"
    unbroken = json.loads(home.request("POST", path, request, {**ASYNC, "Idempotency-Key": "unbroken"})[2])["id"]
    assert home.ended(unbroken)["state"] == "succeeded"
    whole = home.request("GET", f"/v1/jobs/{unbroken}/result")[2]
    killed = interrupted(submitted(home, path, request), lambda job: (
        kill(home, job, k, least, {"workers": workers}) for k, least, workers in ((1, 0.2, 1), (2, 0.6, 4))))
    document = home.ended(killed)
    assert document["state"] == "succeeded" and document["attempts"] == 3, document
    assert home.request("GET", f"/v1/jobs/{killed}/result")[2] == whole


def kill_at_random(home, submit, kills, chance):
    """As many kills as wanted at random moments of running jobs; an ended job is followed by another. Gives the jobs."""
    jobs, attempts = [submit()], 0
    for _ in range(kills):
        if not runs(home, jobs[-1], attempts + 1):
            jobs.append(submit())
            attempts = 0
            runs(home, jobs[-1], 1)
        attempts = max(attempts + 1, home.json(f"/v1/jobs/{jobs[-1]}")["attempts"])
        time.sleep(chance.uniform(0.0, 2.5))  # a checkpoint falls due after 1 s
        home.kill()
        home.start()
    return jobs


@pytest.mark.seconds(240 + 8 * KILLS)
def test_excitation_killed_at_random_goes_on_to_the_same_bits(house):
    """Without checkpoints a job interrupted more than 16 times fails, and a shorter one begins anew each time."""
    seed = int(os.environ.get("SEED", time.time_ns() % 10**9))
    print(f"SEED={seed}")
    home = house({"jobs": 1, "workers": 1})
    home.start()
    request = json.dumps({"tries": 1500 // SLOW, "harmonics": 4, "seed": 5}).encode()
    path = "/v1/robots/panda/excitation"
    unbroken = json.loads(home.request("POST", path, request, {**ASYNC, "Idempotency-Key": "unbroken"})[2])["id"]
    assert home.ended(unbroken)["state"] == "succeeded"
    want = home.request("GET", f"/v1/jobs/{unbroken}/result")[2]
    killed = kill_at_random(home, submitted(home, path, request), KILLS, random.Random(seed))
    attempts = []
    for job in killed:
        document = home.ended(job)
        assert document["state"] == "succeeded", (seed, document)
        attempts.append(document["attempts"])
        assert home.request("GET", f"/v1/jobs/{job}/result")[2] == want, (seed, job)
    assert sum(attempts) > KILLS // 2, (seed, attempts)
    print(f"{KILLS} kills, attempts of each job: {attempts}")


# -- a disk that refuses ---------------------------------------------------------------------------------------------

POINTS = ("posix/io/rw/pwrite", "posix/io/sync/fsync", "posix/io/sync/fdatasync", "posix/io/dir/rename")


@pytest.mark.skipif(shutil.which("fiu-run") is None, reason="libfiu (fiu-run) is not installed")
@pytest.mark.skipif("san" in conftest.TORQUED, reason="sanitizers do not share LD_PRELOAD")
@pytest.mark.seconds(120)
@pytest.mark.parametrize("errno_", (28, 5), ids=("ENOSPC", "EIO"))
def test_disk_that_refuses(house, errno_, monkeypatch):
    home = house({"workers": 2})
    real = conftest.TORQUED
    wrapper = os.path.join(home.folder.name, "torqued-under-fiu")
    with open(wrapper, "w") as f:
        f.write(f'#!/bin/sh\nexec fiu-run -x -f {home.folder.name}/fiu "{real}" "$@"\n')
    os.chmod(wrapper, 0o755)
    monkeypatch.setitem(conftest.Daemon.__init__.__globals__, "TORQUED", wrapper)
    daemon = home.start()

    def control(command):
        subprocess.run(["fiu-ctrl", "-f", home.folder.name + "/fiu", "-c", command, str(daemon.process.pid)], check=True,
                       stdout=subprocess.DEVNULL)

    acknowledged, refused = {}, 0
    for round_ in range(3):
        for point in POINTS:
            control(f"enable_random name={point},probability=0.04,failinfo={errno_}")
        for i in range(40):
            data = body(1 + 700 * (i % 4 == 0), i)
            try:
                status, _, text = daemon.request("POST", PATH, data, ASYNC)
            except (OSError, http.client.HTTPException) as fault:
                raise AssertionError(f"no answer at all: {fault}") from fault
            assert status in (202, 503, 507), text
            if status == 202:
                acknowledged[json.loads(text)["id"]] = data
            else:
                refused += 1
                assert json.loads(text)["type"] in ("/problems/storage-full", "/problems/not-ready", "/problems/busy")
        for point in POINTS:
            control(f"disable name={point}")
        assert home.request("POST", PATH, body(2, round_), ASYNC)[0] == 202, "space has returned"
    assert refused > 0 and acknowledged, (refused, len(acknowledged))
    assert daemon.process.poll() is None
    for job, data in acknowledged.items():
        document = home.ended(job)
        if document["state"] == "succeeded":
            now = home.request("POST", PATH, data, {"Content-Type": "application/json"})[2]
            assert home.request("GET", f"/v1/jobs/{job}/result")[2] == now
        else:
            assert document["problem"]["status"] in (503, 507), document
    daemon.stop()
