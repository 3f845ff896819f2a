# SPDX-License-Identifier: Apache-2.0
# tests/bench/bulk.py - bodies of 10,000 to a million samples against a bare exchange of the same bytes; memory, faults, system calls.
"""Usage: bulk.py TORQUED EXCHANGE JSON_FILE [LANE_WIDTH ...]

A round is ours, then the bare exchange, by one client on loopback that receives into memory it has. A row is the median of the
rounds' ratios with quartiles, and the best time of ours against the best bare one, which other work on the machine disturbs least.
"""

import http.client
import io
import json
import os
import re
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    numpy = None
try:
    import orjson
except ImportError:
    orjson = None

PATH = "/v1/robots/panda/inverse-dynamics"
JOINTS = 7
ROUNDS = {10_000: 41, 100_000: 15, 1_000_000: 7}
TARGET = {10_000: 2.5, 100_000: 1.5, 1_000_000: 1.5}
CHAINS = (50, 100, 200, 500, 1_000, 4_000)
CHAIN_NUMBERS = 1_000_000  # joints times samples of a chain's body
DATASETS = {"23 MB": 137_000, "240 MB": 1_430_000}
SMALL_CALLS = ("mmap", "munmap", "madvise", "futex", "recvfrom", "sendmsg", "epoll_wait")
room = bytearray(320 << 20)
rows = []


class Daemon:
    def __init__(self, binary, lanes):
        self.folder = tempfile.mkdtemp(prefix="torqued-bench-")
        config = os.path.join(self.folder, "conf")
        with open(config, "w") as f:
            f.write(f"[torqued]\nlane_width = {lanes}\n")
        self.process = subprocess.Popen([binary, "--config", config, "--listen", "127.0.0.1:0", "--state-dir",
                                         os.path.join(self.folder, "state")], stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        for line in self.process.stderr:
            found = re.search(r'"url":"http://127.0.0.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit("torqued does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder)


class Bare:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.port = int(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


def memory_mib(pid, field):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(rf"{field}:\s+(\d+) kB", f.read()).group(1)) / 1024


def faults(pid):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[7])


def cpu_s(pid):
    """Of all threads, by the scheduler's own clock."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def connect(port):
    s = socket.create_connection(("127.0.0.1", port), timeout=120)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def exchange(s, target, body, content=None, accept=None):
    """One request on a connection: (seconds, the answer's body, still in `room`)."""
    method = "POST" if body is not None else "GET"
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Accept: {accept or content or '*/*'}"]
    if body is not None:
        lines += [f"Content-Type: {content or 'application/octet-stream'}", f"Content-Length: {len(body)}"]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    view, n, end = memoryview(room), 0, None
    start = time.perf_counter()
    s.sendall(head)
    if body is not None:
        s.sendall(body)
    while end is None or n < end:
        got = s.recv_into(view[n:])
        assert got > 0, bytes(room[:300])
        n += got
        if end is None and (at := room.find(b"\r\n\r\n", 0, min(n, 4096))) > 0:
            fields = bytes(room[:at])
            assert fields.startswith(b"HTTP/1.1 200"), bytes(room[:600])
            length = re.search(rb"(?i)content-length: (\d+)", fields)
            if length is None:
                return receive_chunks(s, start, at + 4, n)
            first, end = at + 4, at + 4 + int(length.group(1))
    return time.perf_counter() - start, view[first:end]


def receive_chunks(s, start, first, n):
    """A chunked answer: its end alone is looked for, as the bytes are counted with their frames."""
    view = memoryview(room)
    while room[n - 5:n] != b"0\r\n\r\n":
        got = s.recv_into(view[n:])
        assert got > 0, "cut"
        n += got
    return time.perf_counter() - start, view[first:n]


def cbor(arrays):
    """A map of typed arrays: little-endian binary64 (tag 86) in row-major shape (tag 40)."""
    out = bytes([0xa0 + len(arrays)])
    for name, a in arrays.items():
        out += bytes([0x60 + len(name)]) + name.encode() + b"\xd8\x28\x82\x82" + struct.pack(">BIB", 0x1a, a.shape[0], a.shape[1])
        out += b"\xd8\x56" + struct.pack(">BI", 0x5a, a.nbytes) + a.astype("<f8").tobytes()
    return out


def bodies(n):
    """The same motion by media type."""
    chance = numpy.random.default_rng(1)
    arrays = {name: chance.uniform(-1, 1, (n, JOINTS)) * numpy.pi for name in ("q", "qd", "qdd")}
    file = io.BytesIO()
    numpy.save(file, numpy.hstack(list(arrays.values())))
    made = {"application/x-npy": file.getvalue(), "application/cbor": cbor(arrays)}
    if orjson is not None and n <= 100_000:
        made["application/json"] = orjson.dumps({name: a.tolist() for name, a in arrays.items()})
    return made


def row(what, ours, bare, target, note=""):
    """Seconds of each round; the ratio says how often the bare exchange goes into ours."""
    ratios = sorted(o / b for o, b in zip(ours, bare))
    quarter = len(ratios) // 4
    middle, best = statistics.median(ratios), min(ours) / min(bare)
    quartiles = [ratios[quarter], ratios[-1 - quarter]]
    print(f"{what:58} {1e3 * statistics.median(ours):9.2f} ms  {middle:5.2f} x bare ({quartiles[0]:.2f} .. {quartiles[1]:.2f})  "
          f"best {1e3 * min(ours):9.2f} ms {best:5.2f} x  {'' if target is None else f'target {target}'}  {note}", flush=True)
    # as the other benches have it: above 1 is better, and the target is met from there
    rows.append({"what": what, "ours": statistics.median(ours), "unit": "s", "ratio": None if target is None else target / middle,
                 "bare": middle, "quartiles": quartiles, "best": best, "target": None if target is None else 1})


def count_calls(pid, work):
    """System calls of the process by name while `work` runs; None where strace is not installed."""
    if shutil.which("strace") is None:
        return None
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as out:
        tracer = subprocess.Popen(["strace", "-f", "-c", "-U", "calls,name", "-p", str(pid), "-o", out.name],
                                  stderr=subprocess.PIPE, text=True)
        tracer.stderr.readline()  # attached
        time.sleep(0.3)
        work()
        tracer.send_signal(2)
        tracer.wait(20)
        found = re.findall(r"^\s*(\d+)\s+(\w+)\s*$", out.read(), re.M)
    return {name: int(calls) for calls, name in found if name != "total"}


def costs(daemon, what, work, n_answer, n_before=0):
    """n_before: bytes of the body that come before the first sample is complete, and must be held. Peak memory, page faults, CPU time and system calls of one request after others of its kind."""
    time.sleep(5)  # memory cached for next calls has been released: the state that the first such request finds
    with open(f"/proc/{daemon.pid}/clear_refs", "w") as f:
        f.write("5")  # the peak begins here
    rss, fault, cpu = memory_mib(daemon.pid, "VmRSS"), faults(daemon.pid), cpu_s(daemon.pid)
    work()
    peak = memory_mib(daemon.pid, "VmHWM") - rss
    spent, n_fault = cpu_s(daemon.pid) - cpu, faults(daemon.pid) - fault
    allowed = n_answer / 2**20 + 32
    least = f"result + 32: {n_answer / 2**20 + 32:.1f}" + (f"; before the first sample: {n_before / 2**20:.1f}" if n_before > 0 else "")
    calls = count_calls(daemon.pid, work)
    counts = "" if calls is None else "  ".join(f"{name} {calls.get(name, 0)}" for name in SMALL_CALLS)
    print(f"{what:58} peak {peak:+7.1f} MiB ({least})  faults {n_fault}  CPU {spent:.3f} s  {counts}", flush=True)
    rows.append({"what": f"{what}: peak memory, MiB", "ours": peak, "unit": "MiB", "ratio": allowed / max(peak, 0.1), "target": 1,
                 "faults": n_fault, "cpu": spent, "calls": calls})


def bulk(daemon, bare, lanes):
    ours, other = connect(daemon.port), connect(bare.port)
    for n, rounds in ROUNDS.items():
        made = bodies(n)
        reference = None
        for media, body in made.items():
            what = f"{media.rpartition('/')[2].removeprefix('x-')} {n:,} samples{lanes}"
            answer = bytes(exchange(ours, PATH, body, media)[1])
            if media == "application/x-npy":
                reference = answer[-n * JOINTS * 8:]
            else:
                assert media != "application/cbor" or reference in answer, "CBOR and NPY differ"
            times, against = [], []
            for _ in range(rounds):
                times.append(exchange(ours, PATH, body, media)[0])
                against.append(exchange(other, f"/{len(answer)}", body)[0])
            row(what, times, against, None if media == "application/json" else TARGET[n])
            if n == 1_000_000:
                # a map of arrays brings two of three whole
                costs(daemon, what, lambda: exchange(ours, PATH, body, media), len(answer),
                      2 * n * JOINTS * 8 if media == "application/cbor" else 0)
    ours.close()
    other.close()


def chain(n):
    """A chain of n revolute joints as URDF."""
    parts = [f'<robot name="chain{n}"><link name="l0"/>']
    for j in range(1, n + 1):
        axis = ("1 0 0", "0 1 0", "0 0 1")[j % 3]
        parts.append(f'<link name="l{j}"><inertial><origin xyz="0.01 0.02 {0.05 + 0.001 * (j % 7)}"/><mass value="{0.5 + 0.01 * (j % 11)}"/>'
                     f'<inertia ixx="0.002" iyy="0.003" izz="0.0025" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j{j}" type="revolute">'
                     f'<parent link="l{j - 1}"/><child link="l{j}"/><origin xyz="0 0.01 0.1" rpy="0.1 0 0.2"/><axis xyz="{axis}"/>'
                     f'<limit lower="-3" upper="3" effort="100" velocity="10"/></joint>')
    return ("".join(parts) + "</robot>").encode()


def growth(daemon):
    """Time a joint and sample of chains, wall and CPU, against the least of them."""
    wall, cpu = {}, {}
    for n in CHAINS:
        request = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=120)
        request.request("PUT", f"/v1/robots/chain{n}", chain(n), {"Content-Type": "application/xml"})
        reply = request.getresponse()
        assert reply.status == 201, reply.read()
        request.close()
        n_sample = CHAIN_NUMBERS // n
        file = io.BytesIO()
        numpy.save(file, numpy.random.default_rng(1).uniform(-0.5, 0.5, (n_sample, 3 * n)))
        s, body, times, spent = connect(daemon.port), file.getvalue(), [], []
        for _ in range(9):
            before = cpu_s(daemon.pid)
            times.append(exchange(s, f"/v1/robots/chain{n}/inverse-dynamics", body, "application/x-npy")[0] / n_sample / n)
            spent.append((cpu_s(daemon.pid) - before) / n_sample / n)
        s.close()
        wall[n], cpu[n] = statistics.median(times), statistics.median(spent)
    for n in CHAINS:
        ratio = cpu[n] / min(cpu.values())
        what = f"chain of {n:,} joints, ns a joint and sample, NPY"
        print(f"{what:58} wall {1e9 * wall[n]:6.1f}  CPU {1e9 * cpu[n]:6.1f}  {ratio:5.2f} x the least  target 1.5", flush=True)
        rows.append({"what": what, "ours": 1e9 * cpu[n], "wall": 1e9 * wall[n], "unit": "ns", "ratio": 1.5 / ratio, "target": 1})


def datasets(daemon, bare):
    ours, other = connect(daemon.port), connect(bare.port)
    for size, n in DATASETS.items():
        body = bodies(n)["application/x-npy"]
        name = f"d{n}"
        put = connect(daemon.port)
        put.sendall(f"PUT /v1/datasets/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npy\r\n"
                    f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode())
        put.sendall(body)
        answer = put.recv(4096)
        assert answer.startswith(b"HTTP/1.1 201"), answer
        put.close()
        times, against = [], []
        for _ in range(15 if n < 10**6 else 7):
            seconds, got = exchange(ours, f"/v1/datasets/{name}", None, accept="application/x-npy")
            times.append(seconds)
            assert len(got) == len(body)
            against.append(exchange(other, f"/{len(body)}", None)[0])
        row(f"GET of a dataset of {size}", times, against, 1.3)
        if n > 10**6:
            costs(daemon, f"GET of a dataset of {size}", lambda: exchange(ours, f"/v1/datasets/{name}", None,
                                                                         accept="application/x-npy"), 0)
    ours.close()
    other.close()


def main():
    binary, peer, result = sys.argv[1:4]
    if numpy is None:
        print("bulk bodies: not measured (no numpy: make deps-check)")
        return
    bare = Bare(peer)
    try:
        for lanes in sys.argv[4:] or ["0"]:
            daemon = Daemon(binary, lanes)
            try:
                bulk(daemon, bare, "" if lanes == "0" else f", {lanes} lanes")
                if lanes == "0":
                    datasets(daemon, bare)
                    growth(daemon)
            finally:
                daemon.stop()
    finally:
        bare.stop()
        with open(result, "w") as f:
            json.dump(rows, f, indent=1)


main()
