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
        connection.request(method, path, body, {"Content-Type": media, "Prefer": "wait=100"})
        reply = connection.getresponse()
        answer = reply.read()
        connection.close()
        if reply.status not in (200, 201):
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
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({MILLION}, 21), }}".ljust(117) + "\n"
    body = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(block)}d", *block) * (MILLION // 1000)
    daemon.ask("PUT", "/v1/datasets/million", body, "application/x-npy")
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


def main():
    binary, result = sys.argv[1:]
    daemon = Daemon(binary)
    try:
        million_samples(daemon)
        measured_logs(daemon)
    finally:
        daemon.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
