# SPDX-License-Identifier: Apache-2.0
# tests/long/calibrations/calibrations.py - calibrations.py DAEMON [N] [SEED]: N random calibrations from seed SEED on, and a table of them.
"""Each result is a line of RESULTS (default: build/calibrations.jsonl); seeds that are there already are not repeated, so a run that was
stopped goes on, and a range can be done in parts. MINUTES=n ends after n minutes, ONLY=clean or ONLY=faults takes these alone. ONE=seed prints one case and writes nothing."""
import json
import os
import pathlib
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "contract")]
os.environ["TORQUED"] = os.path.abspath(sys.argv[1])
import conftest  # noqa: E402
import table  # noqa: E402
from judge import judge, kind_of  # noqa: E402

RESULTS = pathlib.Path(os.environ.get("RESULTS", HERE.parents[2] / "build" / "calibrations.jsonl"))
CASES_A_DAEMON = 50  # robots, datasets and jobs of as many cases stay in its store


def attempt(daemon, seed):
    begun = time.monotonic()
    try:
        out = judge(daemon, seed)
    except (AssertionError, OSError, KeyError, TypeError, ValueError) as fault:
        where = traceback.extract_tb(fault.__traceback__)[-1]
        out = {"seed": seed, "kind": kind_of(seed), "fault": f"{where.filename.rpartition('/')[2]}:{where.lineno} {fault!r}"[:400]}
    return out | {"took_s": round(time.monotonic() - begun, 2)}


def run(seeds, until):
    daemon, done = None, 0
    try:
        with RESULTS.open("a") as out:
            for seed in seeds:
                if time.monotonic() > until:
                    break
                if done % CASES_A_DAEMON == 0:
                    if daemon:
                        daemon.stop()
                    daemon = conftest.Daemon()
                out.write(json.dumps(attempt(daemon, seed)) + "\n")
                out.flush()
                done += 1
    finally:
        if daemon:
            daemon.stop()


def main():
    if os.environ.get("ONE"):
        daemon = conftest.Daemon()
        for seed in map(int, os.environ["ONE"].split(",")):
            print(json.dumps(attempt(daemon, seed), indent=1))
        return daemon.stop()
    n, first = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((2, 100), (3, 1)))
    only = os.environ.get("ONLY")
    seeds = [seed for seed in range(first, first + n) if not only or (kind_of(seed) == "clean") == (only == "clean")]
    before = table.read(RESULTS)
    until = time.monotonic() + 60 * float(os.environ.get("MINUTES", "600"))
    run([seed for seed in seeds if seed not in before], until)
    results = table.read(RESULTS)
    table.print_all([results[seed] for seed in seeds if seed in results])


if __name__ == "__main__":
    main()
