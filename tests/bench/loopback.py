# SPDX-License-Identifier: Apache-2.0
# tests/bench/loopback.py - requests a second against the bare HTTP library, JSON batches against orjson; rows are ratios.
"""Usage: loopback.py TORQUED RESPONDER JSON_FILE. Ours and the peer alternate; a row is the median ratio with quartiles."""

import http.client
import json
import math
import os
import random
import re
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROUNDS, SECONDS, SAMPLES = 5, 2, 100_000
PATH = "/v1/robots/panda/inverse-dynamics"
CHANCE = random.Random(3)
SMALL = json.dumps({name: [CHANCE.uniform(-math.pi, math.pi) for _ in range(7)] for name in ("q", "qd", "qdd")},
                   separators=(",", ":"))  # 17 digits
rows = []


def row(what, ours, peer, unit, better="more", target=None, note=""):
    """ours, peer: one figure a round; the ratio is above 1 when ours is better."""
    if peer is None:
        print(f"{what:52} {statistics.median(ours):12.4g} {unit:8} peer not measured  {note}")
        rows.append({"what": what, "ours": statistics.median(ours), "unit": unit, "ratio": None})
        return
    ratios = sorted(o / p if better == "more" else p / o for o, p in zip(ours, peer))
    quarter = len(ratios) // 4
    middle = statistics.median(ratios)
    print(f"{what:52} {statistics.median(ours):12.4g} {unit:8} peer {statistics.median(peer):12.4g}  {middle:6.2f}x  "
          f"({ratios[quarter]:.2f} .. {ratios[-1 - quarter]:.2f})  {'' if target is None else f'target {target}'} {note}")
    rows.append({"what": what, "ours": statistics.median(ours), "peer": statistics.median(peer), "unit": unit,
                 "ratio": middle, "quartiles": [ratios[quarter], ratios[-1 - quarter]], "target": target})


class Torqued:
    def __init__(self, binary, threads):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        config = os.path.join(self.folder, "conf")
        with open(config, "w") as f:
            f.write(f"[torqued]\nio_threads = {threads}\n")
        self.process = subprocess.Popen([binary, "--config", config, "--listen", "127.0.0.1:0", "--state-dir",
                                         os.path.join(self.folder, "state")], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r'"url":"http://127.0.0.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit("torqued does not start")

    def rss_mib(self, field="VmHWM"):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(rf"{field}:\s+(\d+) kB", f.read()).group(1)) / 1024

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.folder)


def post(port, body, media="application/json", accept="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", PATH, body=body, headers={"Content-Type": media, "Accept": accept})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response.status, data


def cpu_ns(pid):
    """of all threads, by the scheduler's own clock"""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


def wrk(pid, port, connections, script):
    """(requests a second, p99 in microseconds, the server's CPU time of a request in microseconds)"""
    before = cpu_ns(pid)
    done = subprocess.run(["wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{SECONDS}s", "--latency", "-s", script,
                           f"http://127.0.0.1:{port}{PATH}"], capture_output=True, text=True, check=True)
    spent = cpu_ns(pid) - before
    assert "Non-2xx" not in done.stdout and "Socket errors" not in done.stdout, done.stdout
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1)),
            float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit],
            spent / int(re.search(r"(\d+) requests in", done.stdout).group(1)) / 1e3)


def small_requests(torqued, responder_binary, threads):
    if shutil.which("wrk") is None:
        print("one inverse-dynamics POST: not measured (no wrk: make deps-bench)")
        return
    status, answer = post(torqued.port, SMALL)
    assert status == 200, answer
    script, fixed = os.path.join(torqued.folder, "post.lua"), os.path.join(torqued.folder, "answer")
    with open(script, "w") as f:
        f.write(f"wrk.method = 'POST'\nwrk.body = '{SMALL}'\nwrk.headers['Content-Type'] = 'application/json'\n")
    with open(fixed, "wb") as f:
        f.write(answer)
    peers = {}
    for where in ((), ("outside",)):  # of 96 connections and more our loops wait outside of the library as well
        responder = subprocess.Popen([responder_binary, fixed, str(threads), *where],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        peers[where] = responder, int(responder.stdout.readline())
    for connections in (1, 64, 128, 256, 512, 1024):
        ours, bare = [], []
        responder, port = peers[() if connections <= 64 else ("outside",)]
        for _ in range(ROUNDS if connections <= 64 else 3):
            ours.append(wrk(torqued.process.pid, torqued.port, connections, script))
            bare.append(wrk(responder.pid, port, connections, script))
        what = f"one panda inverse-dynamics POST, {connections} connection{'s' * (connections > 1)}"
        row(what, [x[0] for x in ours], [x[0] for x in bare], "req/s", target=0.85)
        if connections <= 64:
            row(what + ", p99", [x[1] for x in ours], [x[1] for x in bare], "us", better="less", target=0.5)
            row(what + ", CPU", [x[2] for x in ours], [x[2] for x in bare], "us", better="less")
        if connections == 64:
            own = [max(1e-3, o[2] - b[2]) for o, b in zip(ours, bare)]
            row("own code of that: CPU above the bare one, against 1.5 us", own, [1.5] * len(own), "us", better="less", target=1)
    for responder, _ in peers.values():
        responder.stdin.close()
        responder.wait(10)


def idle_connections(binary, n=2000):
    """On a daemon of its own: one that was busy has freed memory to give."""
    torqued = Torqued(binary, 1)
    before = torqued.rss_mib("VmRSS")
    held = [torqued.connect() for _ in range(n)]
    for s in held:  # each has served a request
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for s in held:
        s.recv(4096)
    each = (torqued.rss_mib("VmRSS") - before) * 1024 / n
    for s in held:
        s.close()
    torqued.stop()
    row(f"memory of an idle connection ({n}), against 8 KiB", [each], [8], "KiB", better="less", target=1)


def exchange(s, body, media, room):
    """One request on a connection: (seconds, the answer's body). Receives into `room` without a copy."""
    head = (f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\nAccept: {media}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    view, n, end = memoryview(room), 0, None
    start = time.perf_counter()
    s.sendall(head)
    s.sendall(body)
    while end is None or n < end:
        got = s.recv_into(view[n:])
        assert got > 0, bytes(room[:300])
        n += got
        if end is None and (at := room.find(b"\r\n\r\n", 0, min(n, 4096))) > 0:
            fields = bytes(room[:at])
            assert fields.startswith(b"HTTP/1.1 200"), bytes(room[:600])
            first, end = at + 4, at + 4 + int(re.search(rb"(?i)content-length: (\d+)", fields).group(1))
    return time.perf_counter() - start, view[first:end]


def cbor(arrays):
    """A map of typed arrays: little-endian binary64 (tag 86) in row-major shape (tag 40)."""
    out = bytes([0xa0 + len(arrays)])
    for name, a in arrays.items():
        out += bytes([0x60 + len(name)]) + name.encode() + b"\xd8\x28\x82\x82" + struct.pack(">BIB", 0x1a, a.shape[0], a.shape[1])
        out += b"\xd8\x56" + struct.pack(">BI", 0x5a, a.nbytes) + a.astype("<f8").tobytes()
    return out


def batches(torqued):
    try:
        import io

        import numpy
        import orjson
    except ImportError:
        print("batches: not measured (no orjson, numpy: make deps-check)")
        return
    try:
        import yyjson
    except ImportError:
        yyjson = None
        print("JSON batch against yyjson: not measured (make deps-bench)")
    chance = numpy.random.default_rng(1)
    arrays = {name: chance.uniform(-1, 1, (SAMPLES, 7)) * math.pi for name in ("q", "qd", "qdd")}
    file = io.BytesIO()
    numpy.save(file, numpy.hstack(list(arrays.values())))
    bodies = {
        "application/json": orjson.dumps({name: a.tolist() for name, a in arrays.items()}),
        "application/cbor": cbor(arrays),
        "application/x-npy": file.getvalue(),
    }
    room, s = bytearray(64 << 20), torqued.connect()
    times, answers = {media: [] for media in bodies}, {}
    spent = {media: [] for media in bodies}
    peer, other = [], []
    for media, body in bodies.items():
        answers[media] = bytes(exchange(s, body, media, room)[1])
    parsed = orjson.loads(answers["application/json"])
    assert numpy.array_equal(numpy.load(io.BytesIO(answers["application/x-npy"])), numpy.array(parsed["tau"]))
    written = yyjson.Document(answers["application/json"]) if yyjson is not None else None
    for _ in range(ROUNDS + 2):
        for media, body in bodies.items():
            before = cpu_ns(torqued.process.pid)
            times[media].append(exchange(s, body, media, room)[0])
            spent[media].append((cpu_ns(torqued.process.pid) - before) / 1e9)
        start = time.perf_counter()
        orjson.loads(bodies["application/json"])
        orjson.dumps(parsed)
        peer.append(time.perf_counter() - start)
        if yyjson is not None:
            start = time.perf_counter()
            yyjson.Document(bodies["application/json"])
            written.dumps()  # out of a document of its own: no Python object is made or read
            other.append(time.perf_counter() - start)
    s.close()
    mib = (len(bodies["application/json"]) + len(answers["application/json"])) / 2**20
    ours = times["application/json"]
    row(f"JSON batch of {SAMPLES} ({mib:.0f} MiB) against orjson", ours, peer, "s", better="less", target=1)
    if other:
        row("the same, computed and over the wire, against yyjson's parse + write", ours, other, "s", better="less")
    for media in ("application/cbor", "application/x-npy"):
        row(f"{media} batch of {SAMPLES} against our JSON", times[media], ours, "s", better="less", target=10)
        row(f"{media} batch of {SAMPLES} against our JSON, CPU", spent[media], spent["application/json"], "s", better="less")
    doubles = SAMPLES * 28 * 8 / 2**20
    row("peak memory of all these, against 2x the doubles + 16 MiB", [torqued.rss_mib()], [2 * doubles + 16], "MiB", better="less", target=1)


def main():
    binary, responder, result = sys.argv[1:]
    threads = max(1, (os.cpu_count() or 2) // 2)
    torqued = Torqued(binary, threads)
    try:
        row("idle daemon's memory, against 16 MiB", [torqued.rss_mib("VmRSS")], [16], "MiB", better="less", target=1)
        status, answer = post(torqued.port, SMALL)
        if status != 200:
            print(f"requests: not measured: {answer[:200]}")
            return
        batches(torqued)
        small_requests(torqued, responder, threads)
        idle_connections(binary)
    finally:
        torqued.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
