# SPDX-License-Identifier: Apache-2.0
# tests/bench/optimal.py - CPU time of time-optimal trajectories beside toppra, on the paths of tests/peers/test_toppra.py.
"""usage: optimal.py TORQUED PROGRAM OUT.json. At each number of grid points both get the same path, limits and dynamics. toppra's time is
that of its constraints, solver and trajectory, with the torque of Pinocchio; and, apart, without the time spent in Pinocchio and the
Python function that calls it. Ours is of the whole call, from the request's bytes to the answer's; of two samples. Durations: ours and
theirs beside toppra's with 6,400 intervals; ours beside theirs with grid points in the same places, and with theirs equal."""
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
GRIDS = (100, 200, 400)
REFINED = 6400


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed_peer(peer, arm, way, s):
    """seconds of the least of three, those of them in the torque's function, and the duration"""
    inside = 0.0
    plain = arm.rnea

    def counted(q, qd, qdd):
        nonlocal inside
        begin = time.process_time()
        tau = plain(q, qd, qdd)
        inside += time.process_time() - begin
        return tau

    best = None
    for counting in (False, False, False, True):
        arm.rnea, inside = counted if counting else plain, 0.0
        begin = time.process_time()
        duration = peer.theirs(arm, way, s)
        took = time.process_time() - begin
        if not counting:
            best = took if best is None else min(best, took)
    arm.rnea = plain
    return best, inside, duration


def main():
    os.environ["TORQUED"] = str(pathlib.Path(sys.argv[1]).resolve())
    peer = load("peer", here.parent / "peers" / "test_toppra.py")
    contract = load("contract_conftest", here.parent / "contract" / "conftest.py")
    peer.toppra.setup_logging("ERROR")
    daemon, rows = contract.Daemon(), []
    try:
        for name in peer.ARMS:
            arm, rng = peer.Arm(daemon, name), peer.np.random.default_rng(15)
            document = json.loads(peer.ask(daemon, "GET", f"/v1/robots/{arm.name}"))
            for _ in range(peer.PATHS):
                way, s = peer.random_path(arm, rng)
                refined = peer.theirs(arm, way, s, peer.np.linspace(0, s[-1], REFINED + 1))
                for grid in GRIDS:
                    peer.GRID = grid
                    theirs, inside, duration = timed_peer(peer, arm, way, s)
                    placed = peer.theirs(arm, way, s, peer.places(s, grid))
                    body = peer.request(arm, way, 10.0, grid)
                    rows.append({"arm": name, "grid": grid, "theirs_s": theirs, "torque_s": inside, "their_duration_s": duration,
                                 "placed_duration_s": placed, "refined_duration_s": refined,
                                 "line": json.dumps({"robot": document, "body": body})})
    finally:
        daemon.stop()
    text = "\n".join(r.pop("line") for r in rows) + "\n"
    done = subprocess.run([sys.argv[2]], input=text, stdout=subprocess.PIPE, text=True, check=True)
    for row, line in zip(rows, done.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        row |= {"ours_s": answer["cpu_s"], "our_duration_s": answer["duration_s"]}
    report(rows, pathlib.Path(sys.argv[3]))


def apart(rows, one, other):
    return max(abs(r[f"{one}_duration_s"] / r[f"{other}_duration_s"] - 1) for r in rows)


def report(rows, path):
    result = []
    for grid in GRIDS:
        some = [r for r in rows if r["grid"] == grid]
        ratios = sorted(r["theirs_s"] / r["ours_s"] for r in some)
        ours = sum(r["ours_s"] for r in some)
        result.append({"what": f"toppra, {len(some)} paths, {grid} intervals", "target": 20,
                       "ratio": sum(r["theirs_s"] for r in some) / ours, "least": ratios[0], "median": statistics.median(ratios),
                       "without_its_torque": sum(r["theirs_s"] - r["torque_s"] for r in some) / ours,
                       "ours_ms": 1e3 * statistics.median(r["ours_s"] for r in some),
                       "theirs_ms": 1e3 * statistics.median(r["theirs_s"] for r in some),
                       "durations_apart_same_places": apart(some, "our", "placed"), "durations_apart": apart(some, "our", "their"),
                       "ours_from_refined": apart(some, "our", "refined"), "theirs_from_refined": apart(some, "their", "refined"),
                       "placed_from_refined": apart(some, "placed", "refined")})
        print(", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in result[-1].items()))
    path.write_text(json.dumps(result, indent=1) + "\n")


main()
