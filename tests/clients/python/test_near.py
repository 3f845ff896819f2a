# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_near.py - the transport to a service on this machine: connections kept and not kept, every framing, every end.
"""With the daemon where it can; framings and ends that the daemon does not make come from a socket that plays its bytes."""
import asyncio
import os
import signal
import socket
import sys
import threading

import numpy as np
import pytest
import torqued
from torqued import _awaited, _codec, _far, _near, _sockets, _wire
from torqued._generated import far as _plain_far
from torqued._generated import near as _plain

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def played(tmp_path):
    """played(parts of each connection, ...): the address of a service that sends these after each request's head, and what it has read."""
    servers = []

    def begin(*connections, over="unix"):
        if over == "unix":
            path = str(tmp_path / f"s{len(servers)}")
            server, url = socket.socket(socket.AF_UNIX), f"unix:{path}"
            server.bind(path)
            server.listen()
        else:
            server = socket.create_server(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % server.getsockname()[1]
        servers.append(server)
        seen = []

        def serve():
            for answers in connections:
                one, _ = server.accept()
                with one:
                    for answer in answers:
                        got = b""
                        while b"\r\n\r\n" not in got and (piece := one.recv(65536)):
                            got += piece
                        seen.append(got)
                        try:
                            one.sendall(answer() if callable(answer) else answer)
                        except OSError:  # the client has gone
                            break
        threading.Thread(target=serve, daemon=True).start()
        return url, seen

    yield begin
    for server in servers:
        server.close()


async def twice(url):
    async with torqued.AsyncClient(url, retries=0) as client:
        return await client.index(), await client.index(), len(client._transport.idle)


@pytest.mark.parametrize("over", ["unix", "tcp"])
@pytest.mark.parametrize("answer", [
    OK + b"Content-Length: 7\r\n\r\n{\"a\":1}",
    b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 7\r\n\r\n{\"a\":1}",
    OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
    OK + b"Connection: close\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
    OK + b"\r\n{\"a\":1}",
    b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
], ids=["length", "continue", "chunked", "close", "until the end", "1.0"])
@pytest.mark.parametrize("is_async", [False, True], ids=["waited", "awaited"])
def test_framings(played, answer, over, is_async):
    ends = b"Connection: close" in answer or b"1.0" in answer or b"Length" not in answer and b"chunked" not in answer
    url, seen = played(*([[answer], [answer]] if ends else [[answer, answer]]), over=over)
    with torqued.Client(url, retries=0) as client:
        got = asyncio.run(twice(url)) if is_async else (client.index(), client.index(), len(client._transport.idle))
    assert got == ({"a": 1}, {"a": 1}, int(not ends))  # the second by the same connection, where it may stay
    assert len(seen) == 2 and seen[0].startswith(b"GET / HTTP/1.1\r\n")


@pytest.mark.parametrize("answer, match", [
    (b"", "without an answer"),
    (OK + b"Content-Length: 9\r\n\r\n{\"a\":1}", "after 7 of 9 bytes"),
    (OK + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{\"a\":1}", "incomplete chunked read"),
    (b"SSH-2.0-OpenSSH\r\n\r\n", "RemoteProtocolError"),
    (OK + b"Content-Length: x\r\n\r\n", "RemoteProtocolError"),
])
def test_ends_are_stated(played, answer, match):
    url, _ = played([answer], [answer])
    with torqued.Client(url, retries=0) as client, pytest.raises(torqued.ConnectionLost, match=match):
        client.index()
    with pytest.raises(torqued.ConnectionLost, match=match):
        asyncio.run(twice(url))


def test_bytes_after_an_answer_end_its_connection(played):
    url, _ = played([OK + b"Content-Length: 7\r\n\r\n{\"a\":1}HTTP/1.1 200 OK\r\n"], [OK + b"Content-Length: 7\r\n\r\n{\"b\":1}"])
    with torqued.Client(url, retries=0) as client:
        assert client.index() == {"a": 1} and client.index() == {"b": 1}


def test_an_idle_connection_that_the_service_has_closed_is_not_used(played):
    answer = OK + b"Content-Length: 7\r\n\r\n{\"a\":1}"
    url, seen = played([answer], [answer])
    with torqued.Client(url, retries=0) as client:
        assert client.index() == {"a": 1}
        idle = client._transport.idle[0].socket.socket
        assert idle.recv(1, socket.MSG_PEEK) == b""  # the service's end has arrived
        assert client.index() == {"a": 1}
    assert len(seen) == 2


def test_silence(played):
    ends = [threading.Event() for _ in range(4)]

    def nothing(k):
        ends[k].wait()
        return b""

    url, _ = played(*([lambda k=k: nothing(k)] for k in range(4)))
    with torqued.Client(url, retries=0, timeout_s=0.05) as client:
        with pytest.raises(torqued.ConnectionLost, match="ReadTimeout"):
            client.index()
        ends[0].set()
        body = _wire.Request("PUT", "/", body=_wire.Body([np.zeros(1 << 20).data.cast("B")]))  # more than the kernel holds
        with pytest.raises(torqued.ConnectionLost, match="WriteTimeout"):
            client._send(body)
        ends[1].set()

    async def silent():
        async with torqued.AsyncClient(url, retries=0, timeout_s=0.05) as client:
            with pytest.raises(torqued.ConnectionLost, match="ReadTimeout"):
                await client.index()
            ends[2].set()
            with pytest.raises(torqued.ConnectionLost, match="WriteTimeout"):
                await client._send(body)
            ends[3].set()

    asyncio.run(silent())


def test_arrays_go_out_of_and_into_their_own_memory(monkeypatch):
    """No copy but the kernel's: one call of it takes all three arrays; the answer is written where it stays. As CBOR, where the service
    has no use for rows."""
    monkeypatch.setattr(_codec, "is_large_table", lambda *_: False)
    sent, rooms = [], []
    for kind in (_sockets.Socket, _awaited.AsyncSocket):
        def send(self, buffers, timeout_s, act=kind.send):
            sent.extend(buffers)
            return act(self, buffers, timeout_s)
        monkeypatch.setattr(kind, "send", send)
    for kind in (_plain.Answer, _near.AsyncAnswer):
        def read_into(self, room, act=kind.read_into):
            rooms.append(room)
            return act(self, room)
        monkeypatch.setattr(kind, "read_into", read_into)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20_000, 7))

    async def awaited(url):
        async with torqued.AsyncClient(url) as client:
            return await (await client.robot("panda")).inverse_dynamics(q, qd, qdd)

    with torqued.local() as client:
        robot = client.robot("panda")
        results = []
        for act in (lambda: robot.inverse_dynamics(q, qd, qdd), lambda: asyncio.run(awaited(client.url))):
            sent.clear()
            results.append(tau := act())
            large = [np.frombuffer(one, np.uint8) for one in sent if len(one) > 65536]
            assert [np.shares_memory(a, b) for a, b in zip(large, (q, qd, qdd))] == [True] * 3 and len(large) == 3
            assert np.shares_memory(np.frombuffer(rooms[-1], np.uint8), tau) and tau.flags.writeable
        assert not np.shares_memory(*results) and np.array_equal(*results)


def test_a_service_that_is_not_there(tmp_path):
    for url in (f"unix:{tmp_path}/none", "http://127.0.0.1:1"):
        with torqued.Client(url, retries=0) as client, pytest.raises(torqued.ConnectionLost, match="no torqued answers"):
            client.index()
        with pytest.raises(torqued.ConnectionLost, match="no torqued answers"):
            asyncio.run(twice(url))


def test_other_places_have_the_transport_of_httpx(daemon, monkeypatch):
    for url, kind in (("https://localhost:1", _plain_far.Far), (daemon.url, _plain.Near)):
        with torqued.Client(url) as client:
            assert type(client._transport) is kind
    assert not _wire.has_near(_wire.address("http://lab.example"))
    monkeypatch.setattr(sys, "platform", "darwin")
    arrays = np.random.default_rng(0).normal(size=(3, 4000, 7))

    async def awaited():
        async with torqued.AsyncClient(daemon.url) as client:
            assert type(client._transport) is _far.AsyncFar
            return await (await client.robot("panda")).inverse_dynamics(*arrays)

    with torqued.Client(daemon.url) as client:
        assert type(client._transport) is _plain_far.Far
        tau = client.robot("panda").inverse_dynamics(*arrays)
        assert tau.shape == (4000, 7) and np.array_equal(tau, asyncio.run(awaited()))
        with pytest.raises(torqued.NotFound):
            client.robot("none")
    with torqued.Client("http://127.0.0.1:1", retries=0) as client, pytest.raises(torqued.ConnectionLost, match="no torqued answers"):
        client.index()


def test_a_large_table_goes_as_rows(client, panda, monkeypatch):
    """Rows are computed while they come, which arrays one after the other are not; the numbers are the same bits."""
    media = []
    send = type(client)._send
    monkeypatch.setattr(type(client), "_send", lambda self, request: (media.append(request.headers.get("Content-Type")), send(self, request))[1])
    rng = np.random.default_rng(0)
    q, qd, other = rng.normal(size=(3, 20_001, 7))  # not a multiple of a part's rows
    assert 3 * q.nbytes > 2 * _codec.TABLE_PART
    for act in (panda.inverse_dynamics, panda.forward_dynamics):
        media.clear()
        whole = act(q, qd, other)
        assert media == [_wire.NPY] and whole.shape == q.shape and whole.flags.writeable
        parts = np.vstack([act(q[at:at + 1000], qd[at:at + 1000], other[at:at + 1000]) for at in range(0, len(q), 1000)])
        assert set(media[1:]) == {_wire.CBOR} and np.array_equal(whole, parts)
    wide = np.asfortranarray(q)
    assert np.array_equal(panda.inverse_dynamics(wide, qd[::1], other.astype(np.float64)), panda.inverse_dynamics(q, qd, other))
    free = client.robot("quadruped")  # more coordinates than velocities
    assert free.nq != free.nv
    q = np.zeros((2000, free.nq))
    q[:, 6] = 1  # a quaternion
    v = rng.normal(size=(2, 2000, free.nv))
    media.clear()
    tau = free.inverse_dynamics(q, *v)
    assert media == [_wire.NPY] and np.array_equal(tau[:9], free.inverse_dynamics(q[:9], *v[:, :9]))


@pytest.mark.parametrize("change, match", [
    (lambda q, qd, qdd: qd.__setitem__((3, 1), np.nan), r"qd\[3, 1\] = nan"),
    (lambda q, qd, qdd: qd.resize((20_000, 6), refcheck=False), "qd"),
    (lambda q, qd, qdd: qdd.resize((19_999, 7), refcheck=False), "qdd"),
])
def test_faults_of_a_large_table_name_their_place(panda, change, match):
    """As those of a small one do: the daemon knows rows and columns of a table, not whose they are."""
    arrays = [np.zeros((20_000, 7)) for _ in range(3)]
    change(*arrays)
    with pytest.raises(torqued.WrongInput, match=match):
        panda.inverse_dynamics(*arrays)


def test_widths_that_only_add_up_are_refused(panda):
    """A table of as many columns would be read as another motion."""
    with pytest.raises(torqued.WrongInput):
        panda.inverse_dynamics(np.zeros((20_000, 6)), np.zeros((20_000, 8)), np.zeros((20_000, 7)))


def test_a_refused_body_has_its_answer():
    """The daemon answers 413 and closes before it has read the body: the problem arrives, not the broken pipe."""
    with torqued.local(settings={"body_budget": "1 MiB"}) as near, torqued.Client(near.url, retries=0) as client:
        robot = client.robot("panda")
        for _ in range(5):
            with pytest.raises(torqued.ProblemError) as caught:
                robot.inverse_dynamics(*np.zeros((3, 100_000, 7)))
            assert caught.value.status == 413
        assert robot.inverse_dynamics(*np.zeros((3, 7))).shape == (7,)


def test_connections_are_kept_and_counted(daemon, client):
    with torqued.Client(daemon.url) as one:
        robot = one.robot("panda")
        kept = one._transport.idle[0]
        q = np.random.default_rng(0).normal(size=(3, 5, 7))
        for _ in range(3):
            assert np.array_equal(robot.inverse_dynamics(*q), client.robot("panda").inverse_dynamics(*q))
        with pytest.raises(torqued.NotFound):
            one.robot("none")
        assert list(one._transport.idle) == [kept]
        kept.idle_since -= 2 * _near.IDLE_S  # too long ago
        one.version()
        assert one._transport.idle[0] is not kept and kept.socket.socket.fileno() == -1
    assert not one._transport.idle


def test_threads_have_connections_of_their_own(daemon):
    rng = np.random.default_rng(0)
    requests = rng.normal(size=(8, 3, 50, 7))
    with torqued.Client(daemon.url) as client:
        robot = client.robot("panda")
        want = [robot.inverse_dynamics(*one) for one in requests]
        got = [None] * len(requests)

        def many(k):
            for _ in range(10):
                got[k] = robot.inverse_dynamics(*requests[k])

        threads = [threading.Thread(target=many, args=(k,)) for k in range(len(requests))]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert all(np.array_equal(a, b) for a, b in zip(got, want))
        assert 1 <= len(client._transport.idle) <= len(requests)


def test_a_fork_has_connections_of_its_own(daemon):
    """Two processes on one socket would have each other's answers."""
    with torqued.Client(daemon.url) as client:
        robot = client.robot("panda")
        before = client._transport.idle[0]
        child = os.fork()
        if child == 0:
            try:
                robot.inverse_dynamics(*np.zeros((3, 7)))
                os._exit(client._transport.idle[0] is before)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        robot.inverse_dynamics(*np.zeros((3, 7)))
        assert client._transport.idle[0] is before


def test_an_interrupt_ends_the_connection(played):
    main = threading.get_ident()

    def interrupt():
        signal.pthread_kill(main, signal.SIGINT)
        return b""

    url, _ = played([interrupt, b""])
    with torqued.Client(url, retries=0) as client:
        with pytest.raises(KeyboardInterrupt):
            client.index()
        assert not client._transport.idle


def test_a_cancelled_call_ends_its_connection(played):
    url, seen = played([lambda: (begun.set(), b"")[1], b""])

    async def cancelled():
        async with torqued.AsyncClient(url, retries=0) as client:
            call = asyncio.create_task(client.index())
            while not begun.is_set() and not call.done():
                await asyncio.sleep(0.001)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return len(client._transport.idle)

    begun = threading.Event()
    assert asyncio.run(cancelled()) == 0 and seen[0]
