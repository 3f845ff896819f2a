# SPDX-License-Identifier: Apache-2.0
# tests/bench/cluster.py - several daemons on one PostgreSQL: job cycles a second beside pgbench and stored jobs, a large dataset, idle runners, an ensemble.
"""Usage: tests/run/postgres.sh cluster.py (make bench-cluster); TORQUED is the daemon. Writes the JSON file that is its argument.

ROWS: some of ensemble, shares, cycles, stored, dataset, idle (all); STORED: numbers of stored jobs (1000,10000,100000,1000000); SECONDS, ROUNDS of a trial.

shares needs root and a control group for processor time: each daemon has SHARE (0.25) of a core, so that four of them, the server and
the client find two cores."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))
sys.path.insert(0, str(ROOT / "tests" / "system"))
import test_cluster
import test_lists
import test_parts

SECONDS, CLIENTS, IDLE_RUNNERS, ROUNDS = int(os.environ.get("SECONDS", "8")), 8, 64, int(os.environ.get("ROUNDS", "3"))
STORED = [int(n) for n in os.environ.get("STORED", "1000,10000,100000,1000000").split(",")]
SHARE, PERIOD_US, MOTION_S = float(os.environ.get("SHARE", "0.25")), 10000, int(os.environ.get("MOTION_S", "10"))
LISTS, BYTES, PIECE = 20, int(os.environ.get("BYTES", str(1 << 30))), 1 << 20
# one cycle, each of its three writes durable by itself, as a node has them that finds no others to share a commit with
CYCLE = """
BEGIN; SELECT tqd_begin();
SELECT tqd_submit(md5(random()::text), 'inverse-dynamics', '', '', 'bench', false, 0, 0, NULL, NULL, 'application/json', 2, NULL, '{{}}'::bytea,
  NULL, '', '', 0, 0, ''::bytea, '{{}}'::text[], 0, 0, 0, '', 0, 0); COMMIT;
BEGIN; SELECT tqd_begin(); SELECT (j).id AS id, (j).fence AS fence FROM tqd_claim('bench', 60000) \\gset
COMMIT;
BEGIN; SELECT tqd_begin(); SELECT tqd_finish(:id::text, :fence::bigint, 2, 'application/json', 2, NULL, '{{}}'::bytea, NULL, NULL, NULL, NULL); COMMIT;
""".replace("{{}}", "{}")
rows = []


def row(what, ours, unit, peer=None, target=None, note=""):
    rows.append({"what": what, "ours": ours, "unit": unit, "peer": peer, "ratio": peer and ours / peer, "target": target, "note": note})
    print(f"{what:64} {ours:10.4g} {unit:10} {'' if peer is None else f'peer {peer:10.4g}  {ours / peer:5.2f}x  '}{'' if target is None else f'target {target}'} {note}", flush=True)


def pgbench(home):
    """Cycles a second of the same functions, by as many connections as there are clients."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(CYCLE)
        script.flush()
        uri = f"{home.postgres.uri}&options=-c%20search_path%3D{home.schema}"
        got = subprocess.run([f"{home.postgres.programs}/pgbench", "-n", "-M", "extended", "-f", script.name, "-c", str(CLIENTS), "-j", "2", "-T", str(SECONDS), uri],
                             capture_output=True, text=True, check=False)
    found = re.search(r"tps = ([0-9.]+)", got.stdout)
    if found is None:
        raise SystemExit(got.stdout + got.stderr)
    return float(found.group(1))


def submit(home, number, until, made):
    connection = http.client.HTTPConnection("127.0.0.1", home.nodes[number % len(home.nodes)].port, timeout=60)
    body = test_cluster.single.body(1, 1)
    while time.monotonic() < until:
        connection.request("POST", test_cluster.PATH, body, test_cluster.ASYNC)
        response = connection.getresponse()
        response.read()
        made[number] += response.status == 202
    connection.close()


def cycles(home):
    """Jobs submitted, run and ended a second, all durable, by as many clients."""
    made, began = [0] * CLIENTS, time.monotonic()
    before = int(home.postgres.query(f"SELECT count(*) FROM {home.schema}.job WHERE state = 2"))
    threads = [threading.Thread(target=submit, args=(home, i, began + SECONDS, made)) for i in range(CLIENTS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    while int(home.postgres.query(f"SELECT count(*) FROM {home.schema}.job WHERE state = 2")) < before + sum(made):
        time.sleep(0.05)
    return sum(made) / (time.monotonic() - began)


def bind(home):
    """Each daemon, with all threads, to a core of its own."""
    cores = sorted(os.sched_getaffinity(0))
    for i, node in enumerate(home.nodes):
        for task in pathlib.Path(f"/proc/{node.daemon.process.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {cores[i % len(cores)]})


class Share:
    """A control group of a daemon, which has SHARE of a core; OSError where there is none to be had."""

    def __init__(self, name, pid):
        one, two = pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup")
        self.folder = (one if (one / "cpu.cfs_quota_us").exists() else two) / name
        self.folder.mkdir()
        try:
            quota = int(SHARE * PERIOD_US)
            if self.folder.parent == one:
                (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                (self.folder / "cpu.cfs_quota_us").write_text(str(quota))
            else:
                (self.folder / "cpu.max").write_text(f"{quota} {PERIOD_US}")
            (self.folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            self.close()
            raise

    def close(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()  # the daemon has ended, or was never in it


def ensemble(n, shared=False):
    """Seconds of an ensemble of 20,000 members on n daemons, and its result. With shares the motion lasts MOTION_S and not 1 s."""
    home, shares = test_cluster.Cluster(n, {"lease": 15000}), []
    try:
        bind(home)
        if shared:
            shares = [Share(f"torqued-bench-{os.getpid()}-{i}", node.daemon.process.pid) for i, node in enumerate(home.nodes)]
        began = time.monotonic()
        job = test_parts.begin(home, {**test_parts.LARGE, "members": 20000, "duration_s": MOTION_S if shared else 1, "end_states": False})
        text = test_parts.result(home, job)
        return time.monotonic() - began, text
    finally:
        home.close()
        for one in shares:
            one.close()


def server_seconds(home):
    """Processor time of the server and all its processes."""
    with open(f"{home.postgres.folder}/data/postmaster.pid") as f:
        top = f.readline().strip()
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", top], capture_output=True, text=True, check=False).stdout.split()
    ticks = 0
    for pid in [top, *listed]:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def page(home, path):
    """Milliseconds of a GET, the median."""
    connection, taken = http.client.HTTPConnection("127.0.0.1", home.nodes[0].port, timeout=60), []
    for _ in range(LISTS):
        began = time.perf_counter()
        connection.request("GET", path)
        reply = connection.getresponse()
        text = reply.read()
        taken.append(1e3 * (time.perf_counter() - began))
        if reply.status != 200:
            raise SystemExit(text)
    connection.close()
    return statistics.median(taken)


def filled(n):
    home = test_cluster.Cluster(1)
    test_lists.fill(home, n)
    return home


def memory(node, field):
    """KiB of VmRSS or VmHWM."""
    return int(re.search(rf"{field}:\s+(\d+)", pathlib.Path(f"/proc/{node.daemon.process.pid}/status").read_text()).group(1))


class Peak:
    """How far a daemon's resident memory rises within the block, in MiB."""

    def __init__(self, node):
        self.node, self.mib, self.seconds = node, 0.0, 0.0

    def __enter__(self):
        pathlib.Path(f"/proc/{self.node.daemon.process.pid}/clear_refs").write_text("5")  # the peak is what it is now
        self.before, self.seconds = memory(self.node, "VmRSS"), time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.seconds
        self.mib = (memory(self.node, "VmHWM") - self.before) / 1024


def dataset():
    """A dataset of 1 GiB: in by one node, out by another that has to fetch it, and a range of it by a third."""
    home = test_cluster.Cluster(3)
    head = b"\x93NUMPY\x01\x00\x76\x00" + f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({(BYTES - 128) // 64}, 8), }}".ljust(117).encode() + b"\n"
    block, digest = os.urandom(PIECE), hashlib.sha256()

    def pieces():
        left = BYTES
        for piece in [head] + [block] * (BYTES // PIECE + 1):
            piece = piece[:left]
            left -= len(piece)
            digest.update(piece)
            if piece:
                yield piece

    try:
        for node in home.nodes:  # what the first use of anything takes
            node.request("PUT", "/v1/datasets/small", b"t,a\n" + b"1,2\n" * 1000, {"Content-Type": "text/csv"})
            node.request("GET", "/v1/datasets/small/content")
        with Peak(home.nodes[0]) as put:
            connection = http.client.HTTPConnection("127.0.0.1", home.nodes[0].port, timeout=600)
            connection.request("PUT", "/v1/datasets/large", pieces(), {"Content-Type": "application/x-npy", "Content-Length": str(BYTES)})
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != 201:
                raise SystemExit(text)
        found = hashlib.sha256()
        with Peak(home.nodes[1]) as get:
            connection = http.client.HTTPConnection("127.0.0.1", home.nodes[1].port, timeout=600)
            connection.request("GET", "/v1/datasets/large/content")
            reply = connection.getresponse()
            while piece := reply.read(PIECE):
                found.update(piece)
        with Peak(home.nodes[2]) as part:
            some = home.nodes[2].request("GET", "/v1/datasets/large/content", headers={"Range": f"bytes={BYTES - 100}-"})[2]
        good = found.digest() == digest.digest() and len(some) == 100
        row("a dataset of 1 GiB in by one node", BYTES / PIECE / put.seconds, "MiB/s", note="" if good else "OTHER BYTES")
        row("the same out by another node, fetched first", BYTES / PIECE / get.seconds, "MiB/s")
        row("its last 100 bytes by a third node, fetched first", part.seconds, "s")
        for what, one in (("in", put), ("out", get), ("of the third node", part)):
            row(f"rise of the daemon's resident memory, {what}", one.mib, "MiB", target="<= 32")
        return good
    finally:
        home.close()


def ensembles():
    pairs = [(ensemble(1), ensemble(2)) for _ in range(ROUNDS)]
    same = len({text for pair in pairs for _, text in pair}) == 1
    row("ensemble of 20,000 members, one daemon on one core", statistics.median(one[0] for one, _ in pairs), "s")
    row("the same on two daemons, a core each: how many times as fast", statistics.median(one[0] / two[0] for one, two in pairs), "x",
        target="2x, near-linear", note="same bits" if same else "OTHER BITS")
    return same


def shares():
    try:
        sets = [[ensemble(n, shared=True) for n in (1, 2, 4)] for _ in range(ROUNDS)]
    except OSError as error:
        print(f"SKIP shares: no control group ({error})")
        return True
    same = len({text for one in sets for _, text in one}) == 1
    row(f"ensemble of 20,000 members, {MOTION_S} s each, one daemon of {SHARE} core", statistics.median(one[0][0] for one in sets), "s")
    for k, n in ((1, 2), (2, 4)):
        row(f"the same on {n} daemons of {SHARE} core each: how many times", statistics.median(one[0][0] / one[k][0] for one in sets), "x",
            target=f"{n}x, near-linear", note="same bits" if same else "OTHER BITS")
    return same


def cycles_of_nodes():
    for n in (1, 2, 3):
        home = test_cluster.Cluster(n)
        try:
            got = [(cycles(home), pgbench(home)) for _ in range(ROUNDS)]
            row(f"durable job cycles a second, {n} nodes, {CLIENTS} clients", statistics.median(a for a, _ in got), "cycles/s", statistics.median(b for _, b in got), ">= 0.6x")
        finally:
            home.close()
    return True


def stored_jobs():
    """Each number beside the first, in turns: what else the machine does has both alike."""
    few = filled(STORED[0])
    try:
        for n in STORED[1:]:
            many = filled(n)
            try:
                for what, unit, measure in (("durable job cycles a second", "cycles/s", cycles), ("a list of 100 jobs", "ms", lambda home: page(home, "/v1/jobs?limit=100&state=succeeded")),
                                            ("the metrics", "ms", lambda home: page(home, "/metrics"))):
                    got = [(measure(few), measure(many)) for _ in range(ROUNDS)]
                    ratio = statistics.median(b / a for a, b in got)
                    row(f"{what} beside {n} stored jobs, one node", statistics.median(b for _, b in got), unit, statistics.median(a for a, _ in got), "flat",
                        note=f"peer: beside {STORED[0]}; median of the ratios {ratio:.2f}")
            finally:
                many.close()
    finally:
        few.close()
    return True


def idle():
    home = test_cluster.Cluster(1, {"jobs": IDLE_RUNNERS})
    try:
        time.sleep(10)  # what follows the start
        before, began = server_seconds(home), time.monotonic()
        time.sleep(30)
        used = (server_seconds(home) - before) / (time.monotonic() - began)
        row(f"the database's share of a core beside {IDLE_RUNNERS} idle runners", 100 * used, "%", target="below 1 %")
    finally:
        home.close()
    return True


ROWS = {"ensemble": ensembles, "shares": shares, "cycles": cycles_of_nodes, "stored": stored_jobs, "dataset": dataset, "idle": idle}


def main():
    good = True
    for name in os.environ.get("ROWS", ",".join(ROWS)).split(","):
        good = ROWS[name]() and good
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(json.dumps(rows, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
