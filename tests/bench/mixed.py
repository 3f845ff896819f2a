# SPDX-License-Identifier: Apache-2.0
# tests/bench/mixed.py - p50, p99 and p99.9 of small calls at 1 to 4,096 connections, alone, beside busy workers and beside uploads.
"""Usage: mixed.py TORQUED RESPONDER JSON_FILE [ROUNDS]

Ours and the bare HTTP library take turns, both beside the same load, which our daemon carries: the bare one shows what is left of
the machine's cores. Closed loop (wrk): each connection sends its next request when its answer has come. The client has a real-time
priority where the system admits it, as on a machine of its own; REALTIME=1 sets io_realtime."""

import http.client
import json
import math
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

SECONDS, JOINTS, ROWS = 2, 7, 200_000
CONNECTIONS = (1, 16, 256, 4096)
PATH = "/v1/robots/panda/inverse-dynamics"
OUTSIDE_FROM = 96  # of so many connections and more our loops wait outside of the library as well, and so does the bare one
PERCENTS = ("p50", "p99", "p99.9")
chance = random.Random(3)
SMALL = json.dumps({name: [chance.uniform(-3, 3) for _ in range(JOINTS)] for name in ("q", "qd", "qdd")}, separators=(",", ":"))
SCRIPT = """
wrk.method = "POST"
wrk.body = '%s'
wrk.headers["Content-Type"] = "application/json"
function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format("MIXED %%f %%f %%f %%d %%d %%d\\n", latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
        summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout))
end
"""


class Daemon:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        config = os.path.join(self.folder, "conf")
        with open(config, "w") as f:
            f.write(f"[torqued]\nio_threads = {max(1, os.cpu_count() // 2)}\nworkers = {os.cpu_count()}\n"
                    f"connections = 4200\nclient_share = 100\nio_realtime = {int(os.environ.get('REALTIME', '0'))}\n")
        self.process = subprocess.Popen([binary, "--config", config, "--listen", "127.0.0.1:0", "--state-dir",
                                         os.path.join(self.folder, "state")], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r'"url":"http://127.0.0.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            raise SystemExit("torqued does not start")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def ask(self, method, path, body, media="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {"Content-Type": media, "Prefer": "wait=100"})
        reply = connection.getresponse()
        answer = reply.read()
        connection.close()
        if reply.status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {reply.status} {answer[:300]}")
        return answer

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder)


def motion(t):
    """q, qd and some torque of a panda at t in seconds, of period 1."""
    shape = [(0.1 + 0.04 * j, 2 * math.pi * (j % 3 + 1), j) for j in range(JOINTS)]
    q = [a * math.sin(w * t + p) for a, w, p in shape]
    qd = [a * w * math.cos(w * t + p) for a, w, p in shape]
    return q + qd + [0.02 * (2 * v + math.copysign(1, v) - 100 * x) for x, v in zip(q, qd)]


def log():
    """NPY of that motion at 1 kHz: the rows of one second repeat."""
    numbers = [x for i in range(1000) for x in motion(i / 1000)]
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({ROWS}, {3 * JOINTS}), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}d", *numbers) * (ROWS // 1000)


CALIBRATION = json.dumps({"datasets": ["log"], "rate_hz": 1000, "validate": "none", "filter": {"cutoff_hz": 20},
                          "columns": {"q": list(range(7)), "qd": list(range(7, 14)), "tau": list(range(14, 21))}})
ENSEMBLE = json.dumps({"initial": {"q": [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]}, "duration_s": 1.0, "output": {"interval_s": 0.5}, "members": 20_000,
                       "seed": 1, "vary": [{"of": "q", "joint": "joint1", "uniform": [-0.3, 0.3]}], "without": ["friction"],
                       "solver": {"method": "rk4", "step_s": 0.002}})


class Load:
    """Requests that follow one another on connections of their own until it is left; at least one of each has begun."""

    def __init__(self, daemon, requests):
        self.daemon, self.requests = daemon, requests
        self.ended, self.done, self.faults = threading.Event(), [0] * len(requests), []

    def run(self, k):
        while not self.ended.is_set() and not self.faults:
            try:
                self.daemon.ask(*self.requests[k])
                self.done[k] += 1
            except (RuntimeError, OSError) as fault:
                self.faults.append(fault)

    def __enter__(self):
        self.threads = [threading.Thread(target=self.run, args=(k,)) for k in range(len(self.requests))]
        self.begin = time.perf_counter()
        for thread in self.threads:
            thread.start()
        time.sleep(1.0 if self.threads else 0.0)
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.faults:
            raise self.faults[0]
        self.rates = [n / (time.perf_counter() - self.begin) for n in self.done]


# the client is no part of what is measured, and must not wait for the load's threads
FIRST = ["chrt", "-f", "1"] if subprocess.run(["chrt", "-f", "1", "true"], capture_output=True, check=False).returncode == 0 else []


def wrk(port, connections, script):
    """([p50, p99, p99.9] in us, requests a second)"""
    done = subprocess.run([*FIRST, "wrk", f"-t{min(connections, 2)}", f"-c{connections}", f"-d{SECONDS}s", "--timeout", "30s", "-s", script,
                           f"http://127.0.0.1:{port}{PATH}"], capture_output=True, text=True, check=True)
    *percentiles, n, took, faults = (float(word) for word in re.search(r"MIXED (.*)", done.stdout).group(1).split())
    assert faults == 0, done.stdout
    return percentiles, n / took * 1e6


def measure(what, ours, bare, script, n_round, rows):
    for connections in CONNECTIONS:
        pairs = [(wrk(ours, connections, script), wrk(bare[connections >= OUTSIDE_FROM], connections, script)) for _ in range(n_round)]
        rates = [statistics.median(p[k][1] for p in pairs) for k in (0, 1)]
        words = f"{what}, {connections:5,} connections: "
        for i, name in enumerate(PERCENTS):
            mine, theirs = (statistics.median(p[k][0][i] for p in pairs) for k in (0, 1))
            ratio = statistics.median(p[1][0][i] / p[0][0][i] for p in pairs)
            words += f"{name} {mine:9.0f} us, bare {theirs:9.0f}, {1 / ratio:5.2f} x   "
            rows.append({"what": f"{what}, {connections} connections, {name}", "ours": mine, "peer": theirs, "unit": "us", "ratio": ratio,
                         "rates": rates, "target": None})
        print(f"{words}{rates[0]:7.0f} a second, bare {rates[1]:7.0f}", flush=True)


def judge(rows):
    """p99 beside each load against p99 of the same calls alone."""
    of = {row["what"]: row for row in rows}
    for what in ("busy workers", "bulk upload"):
        for connections in CONNECTIONS:
            busy, idle = of[f"{what}, {connections} connections, p99"], of[f"idle workers, {connections} connections, p99"]
            for side in ("ours", "peer"):
                ratio = idle[side] / busy[side]
                name = f"p99 of {connections} connections beside {what}, against idle" + ("" if side == "ours" else ", bare library")
                print(f"{name:76} {1 / ratio:6.2f} x" + ("  target 2" if side == "ours" else ""))
                rows.append({"what": name, "ours": busy[side], "peer": idle[side], "unit": "us", "ratio": 2 * ratio,
                             "target": 1 if side == "ours" else None})


def main():
    binary, responder, result = sys.argv[1:4]
    n_round = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    if shutil.which("wrk") is None:
        print("small calls beside load: not measured (no wrk: make deps-bench)")
        return
    daemon, peers, rows = Daemon(binary), [], []
    try:
        script, fixed = os.path.join(daemon.folder, "post.lua"), os.path.join(daemon.folder, "answer")
        with open(script, "w") as f:
            f.write(SCRIPT % SMALL)
        with open(fixed, "wb") as f:
            f.write(daemon.ask("POST", PATH, SMALL))
        for where in ((), ("outside",)):
            peers.append(subprocess.Popen([responder, fixed, str(max(1, os.cpu_count() // 2)), *where], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True))
        bare = [int(peer.stdout.readline()) for peer in peers]
        body = log()
        daemon.ask("PUT", "/v1/datasets/log", body, "application/x-npy")
        loads = {"idle workers": [], "busy workers": [("POST", "/v1/robots/panda/calibrate", CALIBRATION), ("POST", "/v1/robots/panda/ensemble", ENSEMBLE)],
                 "bulk upload": [("PUT", "/v1/datasets/upload", body, "application/x-npy")]}
        for what, requests in loads.items():
            with Load(daemon, requests) as load:
                measure(what, daemon.port, bare, script, n_round, rows)
            if requests:
                print(f"{'':{len(what)}}  beside it: " + ", ".join(f"{r:.2f} {path.rpartition('/')[2]} a second"
                                                                for (_, path, *_), r in zip(requests, load.rates)), flush=True)
        judge(rows)
    finally:
        for peer in peers:
            peer.stdin.close()
            peer.wait(10)
        daemon.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
