# SPDX-License-Identifier: Apache-2.0
# tests/bench/calibration.py - calibrations over HTTP, from stored logs to answer and report; rows are against the time allowed.
"""Usage: calibration.py TORQUED JSON_FILE. The UR10E logs lie beside the repository, or these rows are not measured."""

import http.client
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
MILLION = 1_000_000
NEAR = [p / "shared" / "data" / "ur10e" for p in pathlib.Path(__file__).resolve().parents[3:5]]
rows = []


def row(what, ours, allowed, unit, note=""):
    middle = statistics.median(ours)
    print(f"{what:74} {middle:9.4g} {unit:4} allowed {allowed:6.4g}  {allowed / middle:6.2f}x  "
          f"({allowed / max(ours):.2f} .. {allowed / min(ours):.2f})  target 1 {note}")
    rows.append({"what": what, "ours": middle, "allowed": allowed, "unit": unit, "ratio": allowed / middle, "target": 1})


class Daemon:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        self.process = subprocess.Popen([binary, "--listen", "127.0.0.1:0", "--state-dir", self.folder],
                                        stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r'"url":"http://127.0.0.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit("torqued does not start")

    def ask(self, method, path, body, media="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {"Content-Type": media, "Prefer": "wait=60"})
        reply = connection.getresponse()
        answer = reply.read()
        while reply.status == 202:  # the longest wait is a minute
            time.sleep(0.2)
            connection.request("GET", reply.headers["Location"])
            job = connection.getresponse()
            state = json.loads(job.read())["state"]
            if state in ("failed", "cancelled"):
                raise SystemExit(f"{method} {path}: a job that {state}")
            if state == "succeeded":
                break
        connection.close()
        if reply.status not in (200, 201, 202):
            raise SystemExit(f"{method} {path}: {reply.status} {answer[:300]}")
        return answer

    def memory_mib(self, field):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(rf"{field}:\s+(\d+) kB", f.read()).group(1)) / 1024

    def cpu_s(self):
        """Of one core, by all threads so far."""
        with open(f"/proc/{self.process.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.folder)


def timed(daemon, robot, body):
    text = json.dumps(body)
    begin = time.perf_counter()
    daemon.ask("POST", f"/v1/robots/{robot}/calibrate", text)
    return time.perf_counter() - begin


def measured_logs(daemon):
    folder = next((p for p in NEAR if p.is_dir()), None)
    if folder is None:
        print("four UR10E logs to report: not measured, no logs beside the repository")
        return
    daemon.ask("PUT", "/v1/robots/lab", (folder / "ur10e.urdf").read_bytes(), "application/xml")
    logs = sorted((folder / "excitation").glob("*.csv"))
    for log in logs:
        daemon.ask("PUT", f"/v1/datasets/{log.stem}", log.read_bytes(), "text/csv")
    body = {"columns": {"time": 0, "q": [1, 2, 3, 4, 5, 6], "qd": [7, 8, 9, 10, 11, 12], "tau": [13, 14, 15, 16, 17, 18]},
            "units": {"tau": "A"}, "scale": {"tau": [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]}}
    for n in (4, len(logs)):
        times = [timed(daemon, "lab", {"datasets": [log.stem for log in logs[:n]], **body}) for _ in range(ROUNDS)]
        row(f"{n} UR10E logs, feasible, leave-one-out, report", times, 1.0, "s")


def million_samples(daemon):
    """22 columns of doubles: a Fourier motion of the panda and some torque within its limits; made by rows of 1,000 that repeat."""
    chance = random.Random(1)
    shape = [(chance.uniform(0.1, 0.4), chance.uniform(0, 6), 2 * math.pi * k) for k in (1, 2, 3, 2, 1, 3, 2)]
    block = []
    for i in range(1000):
        s = i / 1000
        q = [a * math.sin(w * s + p) for a, p, w in shape]
        qd = [a * w * math.cos(w * s + p) for a, p, w in shape]
        tau = [0.02 * (-3 * a * w * w * math.sin(w * s + p) + 2 * v + math.copysign(1, v)) for (a, p, w), v in zip(shape, qd)]
        block += [*q, *qd, *tau]
    daemon.ask("PUT", "/v1/datasets/million", npy(MILLION, 21, block, MILLION // 1000), "application/x-npy")
    before = daemon.memory_mib("VmRSS")
    request = {"datasets": ["million"], "rate_hz": 1000, "columns": {"q": list(range(7)), "qd": list(range(7, 14)), "tau": list(range(14, 21))},
               "validate": "none"}
    whole = "a million samples of 7 joints, filter to report"

    def measured(what, more):
        spent = daemon.cpu_s()
        times = [timed(daemon, "panda", {**request, **more}) for _ in range(ROUNDS)]
        row(what, times, 1.0, "s", f"CPU time {(daemon.cpu_s() - spent) / ROUNDS:.2f} s")

    measured(whole, {"filter": {"cutoff_hz": 20}})
    row("memory above the daemon's before, windows of the log included", [daemon.memory_mib("VmHWM") - before], 64.0, "MiB")
    measured(f"{whole}, motion 2 ms late", {"delay_s": 0.002, "filter": {"cutoff_hz": 20}})
    measured(f"{whole}, every sample fitted", {"filter": {"cutoff_hz": 20, "decimate": 1}})


def npy(rows, columns, block, repeated):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(block)}d", *block) * repeated


def forty_joints(daemon):
    """A chain of 40 joints, whose links become lighter; 100 s at 1 kHz, positions and some torque: ten times the same 10 s."""
    n, chance = 40, random.Random(2)
    size = [0.2 * 0.95**k for k in range(n)]
    robot = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}] + [
        {"name": f"l{k}", "mass": 30 * s, "com": [0.4 * s, 0.05 * s, 0], "inertia_about": "com", "inertia": [[s**3, 0, 0], [0, s**3, 0], [0, 0, s**3]]}
        for k, s in enumerate(size)], "joints": [
        {"name": f"j{k}", "kind": "revolute", "parent": f"l{k - 1}" if k else "base", "child": f"l{k}", "axis": [[0, 0, 1], [0, 1, 0], [1, 0, 0]][k % 3],
         "origin": {"position": [size[k - 1] if k else 0, 0, 0]}} for k in range(n)]}
    daemon.ask("PUT", "/v1/robots/forty", json.dumps(robot))
    shape = [(chance.uniform(0.1, 0.4), chance.uniform(0, 6), 2 * math.pi * 0.1 * chance.randint(1, 6)) for _ in range(n)]
    block = []
    for i in range(10_000):
        s = i / 1000
        block += [a * math.sin(w * s + p) for a, p, w in shape]
        block += [-3 * a * w * w * math.sin(w * s + p) + 2 * a * w * math.cos(w * s + p) + chance.gauss(0, 0.01) for a, p, w in shape]
    daemon.ask("PUT", "/v1/datasets/forty", npy(100_000, 2 * n, block, 10), "application/x-npy")
    before = daemon.memory_mib("VmRSS")
    spent = daemon.cpu_s()
    took = timed(daemon, "forty", {"datasets": ["forty"], "rate_hz": 1000, "columns": {"q": list(range(n)), "tau": list(range(n, 2 * n))}})
    row("100,000 samples of 40 joints, all defaults", [took], 60.0, "s", f"CPU time {daemon.cpu_s() - spent:.2f} s")
    row("memory above the daemon's before, 40 joints", [daemon.memory_mib("VmHWM") - before], 256.0, "MiB")


def main():
    binary, result = sys.argv[1:]
    daemon = Daemon(binary)
    try:
        million_samples(daemon)
        measured_logs(daemon)
    finally:
        daemon.stop()
    daemon = Daemon(binary)  # its peak of memory is of this alone
    try:
        forty_joints(daemon)
    finally:
        daemon.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
