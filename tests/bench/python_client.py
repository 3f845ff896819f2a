#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/bench/python_client.py - the package for Python: numpy to numpy against the daemon alone and a loop over pin.rnea; imports.
"""usage: TORQUED=build/release/torqued build/venv/bin/python tests/bench/python_client.py [samples]

The daemon's own time is that of a bare socket: the same bytes sent at once, the answer read into one buffer and left there; or kept, in
memory of its size, as any array needs that is returned.
"""
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"
sys.path.insert(0, str(SOURCE))

import numpy as np  # noqa: E402
import torqued  # noqa: E402

RUNS = 31


def bare(path, body, kept=None):
    """Seconds of one request over a socket of its own; `kept` holds the whole answer."""
    head = (f"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-npy\r\n"
            f"Accept: application/x-npy\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode()
    room = memoryview(bytearray(1 << 20) if kept is None else kept)
    at = 0
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        begun = time.perf_counter()
        s.sendall(head)
        s.sendall(body)
        while n := s.recv_into(room[at:]):
            at += 0 if kept is None else n
        return time.perf_counter() - begun


def seconds(act, runs=RUNS):
    found = []
    for _ in range(runs):
        begun = time.perf_counter()
        act()
        found.append(time.perf_counter() - begun)
    return found


def shown(what, found):
    print(f"{what:44} {min(found) * 1e3:9.2f} ms least, {statistics.median(found) * 1e3:9.2f} ms median")


def processor_s(process):
    """Processor seconds that a process has taken, user's and system's."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor(what, client, act, runs=100):
    """Of this process and the daemon's; the clock's tick is 10 ms, so over many."""
    keeper = client._keeper.pid
    daemon = pathlib.Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0]
    before = processor_s(os.getpid()), processor_s(daemon)
    for _ in range(runs):
        act()
    mine, its = (1e3 * (processor_s(one) - at) / runs for one, at in zip((os.getpid(), daemon), before))
    print(f"{what:44} {mine:9.2f} ms here, {its:9.2f} ms daemon: processor time, {mine + its:.2f} together")


def imports():
    for code in ("pass", "import torqued", "import torqued; torqued.Client", "import torqued; torqued.AsyncClient", "import numpy"):
        found = seconds(lambda code=code: subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, check=True), 9)
        shown(f"python -c {code!r}", found)


def main(n):
    imports()
    with torqued.local() as client:
        robot = client.robot("panda")
        q, qd, qdd = (np.ascontiguousarray(one) for one in np.random.default_rng(0).uniform(-1, 1, (3, n, 7)))
        body = b"".join(map(bytes, torqued._codec.encode_npy(np.hstack([q, qd, qdd]))))
        path = client.address.socket
        # turn by turn, so that a busy machine slows both
        kept = bytearray(8 * 7 * n + 4096)
        kept[::4096] = b"\1" * len(kept[::4096])  # in memory already
        turns = [(seconds(lambda: robot.inverse_dynamics(q, qd, qdd), 1)[0], bare(path, body), bare(path, body, kept)) for _ in range(RUNS)]
        mine, alone, whole = zip(*turns)
        print(f"{n} samples of 7 joints")
        shown("numpy to numpy", mine)
        shown("the daemon alone, NPY over a bare socket", alone)
        shown("that, the answer kept", whole)
        processor("numpy to numpy", client, lambda: robot.inverse_dynamics(q, qd, qdd))
        processor("the daemon alone, NPY over a bare socket", client, lambda: bare(path, body))
        processor("that, the answer kept", client, lambda: bare(path, body, kept))
        for name, other in (("alone", alone), ("the answer kept", whole)):
            print(f"to {name}: ratio {min(mine) / min(other):.2f} of the least, {statistics.median(a / b for a, b in zip(mine, other)):.2f} median of pairs")
        tau = robot.inverse_dynamics(q, qd, qdd)
        one = (q[0], qd[0], qdd[0])
        shown("one sample", seconds(lambda: robot.inverse_dynamics(*one), 300))
        try:
            import pinocchio as pin
        except ImportError:
            return
        model = pin.buildModelFromXML(robot.urdf())
        data = model.createData()

        def loop():
            out = np.empty((n, 7))
            for k in range(n):
                out[k] = pin.rnea(model, data, q[k], qd[k], qdd[k])
            return out

        least = min(seconds(loop, 3))
        print(f"a Python loop over pin.rnea {least * 1e3:.0f} ms: {least / min(mine):.0f} times as long; largest difference "
              f"{np.abs(loop() - tau).max():.1e} N m")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
