# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_cut.py - connections cut at every tenth byte: the client ends right or says so, and a key computes once.
"""A proxy passes bytes on and cuts its first connection after byte N of one direction; the connections after it are whole."""
import asyncio
import select
import socket
import struct
import threading

import numpy as np
import pytest
import torqued
from torqued import _wire

STEP = 10


class Proxy:
    """cut(direction, n): the next connection ends when n bytes went `up` (to the service) or `down`; by FIN and by RST in turn."""

    def __init__(self, address):
        self.address = address
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.server.getsockname()[1]
        self.rule, self.cuts, self.stalls = None, 0, False
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self, direction, n):
        self.rule, before = (direction, n), self.cuts
        return lambda: self.cuts > before

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            rule, self.rule = self.rule, None
            threading.Thread(target=self.serve, args=(client, rule), daemon=True).start()

    def serve(self, client, rule):
        """One thread for both directions: no thread blocks on a socket that is closed here."""
        service = socket.create_connection(self.address)
        left = {"up": None, "down": None}
        if rule is not None:
            left[rule[0]] = rule[1]
        with client, service:
            try:
                while True:
                    for source in select.select([client, service], [], [])[0]:
                        direction, to = ("up", service) if source is client else ("down", client)
                        data = source.recv(65536)
                        if not data:
                            return
                        if left[direction] is not None:
                            if len(data) >= left[direction]:
                                to.sendall(data[:left[direction]])
                                self.cuts += 1
                                if self.stalls:  # a cable that was pulled: neither end learns of it
                                    while client.recv(65536):
                                        pass
                                    return
                                if self.cuts % 2:  # RST instead of FIN
                                    for one in (client, service):
                                        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                                return
                            left[direction] -= len(data)
                        to.sendall(data)
            except OSError:
                return

    def close(self):
        self.server.close()


@pytest.fixture(scope="module")
def proxy(daemon):
    one = Proxy(daemon.address)
    yield one
    one.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(_wire, "PAUSE_FIRST_S", 0.001)


def every_cut(proxy, act):
    """`act(client)` with a cut at every tenth byte of both directions, until no cut comes any more: (direction, n, what it returned)."""
    for direction in ("up", "down"):
        n = 1
        while True:
            was_cut = proxy.cut(direction, n)
            with torqued.Client(proxy.url) as client:
                yield direction, n, act(client)
            if not was_cut():
                break
            n += STEP
        assert n > 100, f"the {direction} direction was cut {n // STEP} times only"


def test_requests_and_answers(proxy, panda):
    q = np.random.default_rng(1).normal(size=(3, 4, 7))
    want = panda.inverse_dynamics(*q)
    robot_document = panda.document
    for _, _, tau in every_cut(proxy, lambda client: torqued.Robot(client, robot_document, "panda").inverse_dynamics(*q)):
        assert np.array_equal(tau, want)


def test_without_retries_it_says_so(proxy, panda):
    q = np.zeros((3, 7))
    document = panda.document
    for direction in ("up", "down"):
        for n in range(1, 300, STEP):
            proxy.cut(direction, n)
            with torqued.Client(proxy.url, retries=0) as client, pytest.raises(torqued.ConnectionLost, match="POST /v1/robots/panda/inverse-dynamics"):
                torqued.Robot(client, document, "panda").inverse_dynamics(*q)


def test_uploads(proxy, client, tmp_path):
    table = np.random.default_rng(2).normal(size=(15, 2))
    np.save(tmp_path / "run.npy", table)
    for source in (table, tmp_path / "run.npy"):
        for direction, n, report in every_cut(proxy, lambda one: one.put_dataset("cut", source)):
            assert report["rows"] == 15 and report["bytes"] == 128 + table.nbytes
            assert client.dataset_content("cut") == (tmp_path / "run.npy").read_bytes(), (direction, n)
            client.delete_dataset("cut")


def test_a_key_computes_once(proxy, daemon, client):
    robot = client.robot("pendulum")
    start, seen = [0.0], set()
    before = {job.id for job in client.list_jobs(kind="simulate", limit=10_000)}

    def act(one):
        start[0] += 1e-3
        request = {"initial": {"q": [start[0]]}, "duration_s": 0.1, "output": {"interval_s": 0.05}}
        return torqued.Robot(one, robot.document, "pendulum").jobs.simulate(**request)

    for direction, n, job in every_cut(proxy, act):
        seen.add(job.id)
        assert client.job(job.id).result().q[0, 0] == start[0], (direction, n)
    jobs = [job for job in client.list_jobs(kind="simulate", limit=10_000) if job.id not in before]
    assert {job.id for job in jobs} == seen and len(jobs) == len(seen) > 50
    assert all(job.document["attempts"] == 1 for job in jobs)


def test_event_streams(proxy, client):
    job = client.robot("pendulum").jobs.simulate({"q": [0.3]}, 0.1, {"interval_s": 0.05})
    job.wait()

    def act(one):
        return [(event.id, event.state) for event in torqued.Job(one, dict(job.document), torqued.Result, None).events() if event.kind == "state"]

    whole = [(event.id, event.state) for event in job.events() if event.kind == "state"]
    assert [state for _, state in whole] == ["queued", "running", "succeeded"]
    for direction, n, states in every_cut(proxy, act):
        assert states == whole, (direction, n)


def test_a_stream_that_falls_silent(proxy, client, monkeypatch):
    monkeypatch.setattr(_wire, "EVENTS_SILENT_S", 0.2)
    job = client.robot("pendulum").jobs.simulate({"q": [0.4]}, 0.1, {"interval_s": 0.05})
    job.wait()
    proxy.stalls = True
    try:
        for n in (50, 300, 420):
            was_cut = proxy.cut("down", n)
            with torqued.Client(proxy.url) as one:
                states = [event.state for event in torqued.Job(one, dict(job.document), torqued.Result, None).events() if event.state]
            assert was_cut() and states == ["queued", "running", "succeeded"]
        proxy.cut("down", 50)  # of an answer that is waited for, silence is the end
        with torqued.Client(proxy.url, timeout_s=0.3) as one, pytest.raises(torqued.ConnectionLost, match="ReadTimeout"):
            one.version()
    finally:
        proxy.stalls = False


def test_async_the_same(proxy, panda):
    q = np.random.default_rng(3).normal(size=(3, 2, 7))
    want = panda.inverse_dynamics(*q)

    async def run():
        cuts = 0
        for direction in ("up", "down"):
            for n in range(1, 400, STEP):
                was_cut = proxy.cut(direction, n)
                async with torqued.AsyncClient(proxy.url) as client:
                    assert np.array_equal(await torqued.AsyncRobot(client, panda.document, "panda").inverse_dynamics(*q), want)
                cuts += was_cut()
        return cuts

    assert asyncio.run(run()) > 50


def test_a_download_is_whole_or_not_there(proxy, client, tmp_path):
    table = np.random.default_rng(4).normal(size=(30, 2))
    client.put_dataset("whole", table)
    np.save(tmp_path / "want.npy", table)
    for _, _, _ in every_cut(proxy, lambda one: one.dataset_content("whole", tmp_path / "got.npy")):
        assert (tmp_path / "got.npy").read_bytes() == (tmp_path / "want.npy").read_bytes()
    proxy.cut("down", 300)
    with torqued.Client(proxy.url, retries=0) as one, pytest.raises(torqued.ConnectionLost):
        one.dataset_content("whole", tmp_path / "no.npy")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["got.npy", "want.npy"]


def test_a_full_service_is_asked_again(daemon):
    """503 with Retry-After: the clients of a service whose queue is full all get their answer."""
    reply = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Type: application/problem+json\r\nContent-Length: 12\r\n\r\n{\"title\":1}\n"
    server = socket.create_server(("127.0.0.1", 0))

    def refuse_twice():
        for _ in range(2):
            one, _ = server.accept()
            one.recv(65536)
            one.sendall(reply)
            one.close()
        client, _ = server.accept()
        upstream = socket.create_connection(daemon.address)
        upstream.sendall(client.recv(65536))
        client.sendall(upstream.recv(65536))
        client.close()
        upstream.close()

    threading.Thread(target=refuse_twice, daemon=True).start()
    with torqued.Client("http://127.0.0.1:%d" % server.getsockname()[1]) as client:
        assert client.version()["version"]
    server.close()
