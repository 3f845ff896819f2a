# SPDX-License-Identifier: Apache-2.0
# tests/system/load.py - load.py DAEMON [SECONDS]: a bounded mix of clients against one daemon; meant for ThreadSanitizer.
"""Small and large computations, jobs and their events, refusals, uploads, clients that vanish or drip, many connections at once, and SIGTERM
in the middle of it. Fails when an answer is wrong, when the daemon does not end with 0 in time, or when it says
anything that is no log line (a sanitizer's report)."""

import http.client
import json
import os
import random
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contract"))
TORQUED = os.path.abspath(sys.argv[1])
os.environ["TORQUED"] = TORQUED
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
import conftest  # noqa: E402

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0 0 0.5"/><mass value="{mass}"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="10" velocity="10"/></joint></robot>"""
stop = threading.Event()
ending = threading.Event()  # connections may now be closed under a client
faults = []
counts = {}
KINDS = 9  # of clients: each has a count
lock = threading.Lock()


def count(name):
    with lock:
        counts[name] = counts.get(name, 0) + 1


def rows(n, seed):
    chance = random.Random(seed)
    make = [[round(chance.uniform(-1, 1), 4) for _ in range(7)] for _ in range(n)]
    return json.dumps({"q": make, "qd": make, "qdd": make}).encode()


def post(connection, path, body):
    connection.request("POST", path, body=body, headers={"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()


def computes(daemon, n, seed):
    body = rows(n, seed)
    connection = daemon.connect()
    first = None
    while not stop.is_set():
        status, answer = post(connection, "/v1/robots/panda/inverse-dynamics", body)
        if status == 503:
            continue
        assert status == 200, (status, answer[:300])
        tau = json.loads(answer)["tau"]
        first = first or tau
        assert tau == first and len(tau) == n, "the same request gave another answer"
        count(f"batch of {n}")


def refused(daemon):
    connection = daemon.connect()
    while not stop.is_set():
        for path, body, wanted in (("/v1/robots/panda/inverse-dynamics", b'{"q":[[1', 400), ("/healthz", b"{}", 405),
                                   ("/v1/robots/nobody/inverse-dynamics", b"{}", 404), ("/nothing", b"x" * 70000, 404)):
            try:
                status, _ = post(connection, path, body)
                assert status == wanted, (path, status)
            except (ConnectionError, http.client.HTTPException):
                connection.close()
            count("refusals")


def uploads(daemon, name):
    connection = daemon.connect()
    mass = 1
    while not stop.is_set():
        mass = mass % 50 + 1
        connection.request("PUT", f"/v1/robots/{name}", body=URDF.format(mass=mass).encode(),
                           headers={"Content-Type": "application/xml"})
        response = connection.getresponse()
        response.read()
        assert response.status in (200, 201, 503), response.status
        status, answer = post(connection, f"/v1/robots/{name}/inverse-dynamics", b'{"q":[0.5],"qd":[0],"qdd":[0]}')
        assert status == 200, (status, answer)
        count("uploads")


def vanishes(daemon, seed):
    chance = random.Random(seed)
    large = rows(800, 1)
    head = (b"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(large))
    for i in range(10 ** 9):
        if stop.is_set():
            return
        if i % 8 == 0:  # not more of them than the daemon accepts: the kernel would begin to reset those that wait
            assert daemon.request("GET", "/healthz")[0] == 200
        with socket.create_connection(daemon.address, timeout=conftest.PATIENCE) as s:
            if chance.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            try:
                if chance.random() < 0.5:
                    s.sendall(head + large)  # gone while it is being computed
                    time.sleep(chance.random() * 0.01)
                else:
                    s.sendall((head + large)[:chance.randrange(1, 2000)])
            except ConnectionError:
                pass
        count("vanished")


def crowds(daemon):
    while not stop.is_set():
        sockets = [socket.create_connection(daemon.address, timeout=conftest.PATIENCE) for _ in range(256)]
        for _ in range(5):
            for s in sockets:
                s.sendall(GET)
            for s in sockets:
                got = s.recv(4096)
                if not got:
                    raise ConnectionResetError
                assert got.startswith(b"HTTP/1.1 200"), got
        for s in sockets:
            s.close()
        count("crowds of 256")


def insists(daemon, method, path):
    """Retries until the queue is no longer full."""
    while True:
        status, _, answer = daemon.request(method, path)
        if status != 503:
            return status, answer


def submits(daemon):
    """Jobs: accepted at once, followed by their events from another connection, read, deleted."""
    body = rows(500, 7)
    connection = daemon.connect()
    while not stop.is_set():
        connection.request("POST", "/v1/robots/panda/inverse-dynamics", body=body,
                           headers={"Content-Type": "application/json", "Prefer": "respond-async"})
        response = connection.getresponse()
        answer = response.read()
        if response.status in (429, 503):
            continue
        assert response.status == 202, (response.status, answer[:300])
        place = response.getheader("Location")
        events = daemon.connect()
        events.request("GET", place + "/events", headers={"Last-Event-ID": "0"})
        stream = events.getresponse()
        while b"succeeded" not in (line := stream.readline()):
            if stop.is_set() or not line:
                return
        events.close()
        status, result = insists(daemon, "GET", place + "/result")
        assert status == 200 and len(json.loads(result)["tau"]) == 500, status
        assert insists(daemon, "DELETE", place)[0] == 204
        count("jobs")


def watches(daemon):
    while not stop.is_set():
        for path in ("/metrics", "/readyz", "/v1/robots"):
            status = daemon.request("GET", path)[0]
            # the list of robots may find the queue full; readyz says so when the end has begun
            assert status == 200 or status == 503 and (path == "/v1/robots" or ending.is_set()), (path, status)
        count("looks")


def guarded(job, *args):
    try:
        job(*args)
    except Exception as error:  # noqa: BLE001 - whatever it is, the run has failed
        if not (stop.is_set() or ending.is_set() and isinstance(error, (OSError, http.client.HTTPException))):
            faults.append(f"{job.__name__}{args[1:]}: {error!r}")


def main():
    # a crowd of 256 may take long to connect on a busy machine: no deadline but those of a stop
    hour = {**dict.fromkeys(("header_timeout", "idle_timeout", "rate_grace"), 3600000), "stop_timeout": 600000}
    daemon = conftest.Daemon({"workers": 3, "io_threads": 2, "queue": 16, **hour})
    jobs = [(computes, daemon, 1, 1), (computes, daemon, 1, 2), (computes, daemon, 40, 3), (computes, daemon, 2000, 4),
            (computes, daemon, 2000, 5), (refused, daemon), (uploads, daemon, "one"), (uploads, daemon, "two"),
            (vanishes, daemon, 1), (vanishes, daemon, 2), (submits, daemon), (submits, daemon), (crowds, daemon), (watches, daemon)]
    threads = [threading.Thread(target=guarded, args=job, daemon=True) for job in jobs]
    for t in threads:
        t.start()
    time.sleep(SECONDS)
    until = time.monotonic() + conftest.PATIENCE
    while len(counts) < KINDS and not faults and time.monotonic() < until:
        time.sleep(0.1)  # somebody has had no turn yet
    ending.set()
    daemon.process.send_signal(15)  # under full load
    time.sleep(0.05)
    stop.set()
    try:
        daemon.stop()
    except AssertionError as error:
        faults.append(str(error))
    for t in threads:
        t.join(conftest.PATIENCE)
    print(", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    missing = [] if len(counts) == KINDS else ["a client did nothing"]
    for fault in faults + missing:
        print("FAULT", fault)
    print(f"{len(counts)} passed, {len(faults) + len(missing)} failed, 0 skipped")
    return 1 if faults or missing else 0


if __name__ == "__main__":
    sys.exit(main())
