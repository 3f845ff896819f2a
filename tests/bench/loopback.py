# SPDX-License-Identifier: Apache-2.0
# tests/bench/loopback.py - requests a second against the bare HTTP library, JSON batches against orjson; rows are ratios.
"""Usage: loopback.py TORQUED RESPONDER JSON_FILE. Ours and the peer alternate; a row is the median ratio with quartiles."""

import http.client
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, SECONDS, SAMPLES = 5, 2, 100_000
PATH = "/v1/robots/panda/inverse-dynamics"
READY = [0, -0.7854, 0, -2.3562, 0, 1.5708, 0.7854]
SMALL = json.dumps({"q": READY, "qd": [0.1] * 7, "qdd": [0.5] * 7})
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


def wrk(port, connections, script):
    """(requests a second, p99 in microseconds)"""
    done = subprocess.run(["wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{SECONDS}s", "--latency", "-s", script,
                           f"http://127.0.0.1:{port}{PATH}"], capture_output=True, text=True, check=True)
    assert "Non-2xx" not in done.stdout, done.stdout
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1)),
            float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit])


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
    responder = subprocess.Popen([responder_binary, fixed, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(responder.stdout.readline())
    for connections in (1, 64):
        ours, bare = [], []
        for _ in range(ROUNDS):
            ours.append(wrk(torqued.port, connections, script))
            bare.append(wrk(port, connections, script))
        what = f"one panda inverse-dynamics POST, {connections} connection{'s' * (connections > 1)}"
        row(what, [x[0] for x in ours], [x[0] for x in bare], "req/s", target=0.85)
        row(what + ", p99", [x[1] for x in ours], [x[1] for x in bare], "us", better="less", target=0.5)
    responder.stdin.close()
    responder.wait(10)


def batches(torqued):
    try:
        import numpy
        import orjson
    except ImportError:
        print("JSON batch: not measured (no orjson, numpy: make deps-check)")
        return
    random = numpy.random.default_rng(1)
    arrays = {name: random.uniform(-1, 1, (SAMPLES, 7)) * math.pi for name in ("q", "qd", "qdd")}
    body = orjson.dumps({name: a.tolist() for name, a in arrays.items()})
    status, answer = post(torqued.port, body)
    if status != 200:
        print(f"JSON batch of {SAMPLES}: not measured: {answer[:200]}")
        return
    parsed = orjson.loads(answer)
    assert len(parsed["tau"]) == SAMPLES
    ours, peer = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        post(torqued.port, body)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        orjson.loads(body)
        orjson.dumps(parsed)
        peer.append(time.perf_counter() - start)
    mib = (len(body) + len(answer)) / 2**20
    row(f"JSON batch of {SAMPLES} ({mib:.0f} MiB) against orjson", ours, peer, "s", better="less", target=1)
    doubles = SAMPLES * 28 * 8 / 2**20
    row("peak memory of that, against 2x the doubles + 16 MiB", [torqued.rss_mib()], [2 * doubles + 16], "MiB", better="less", target=1)
    npy = numpy.hstack([arrays["q"], arrays["qd"], arrays["qdd"]])
    import io
    file = io.BytesIO()
    numpy.save(file, npy)
    for media, data in (("application/x-npy", file.getvalue()),):
        status, reply = post(torqued.port, data, media, media)
        if status != 200:
            print(f"{media} batch: not measured: {reply[:160]}")
            continue
        fast = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            post(torqued.port, data, media, media)
            fast.append(time.perf_counter() - start)
        row(f"{media} batch of {SAMPLES} against our JSON", fast, ours, "s", better="less", target=10)


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
        small_requests(torqued, responder, threads)
        batches(torqued)
    finally:
        torqued.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
