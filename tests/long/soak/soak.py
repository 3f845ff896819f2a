# SPDX-License-Identifier: Apache-2.0
# tests/long/soak/soak.py - soak.py DAEMON [SECONDS]: a mixed load for an hour; memory and descriptors stay where they were.
"""Parts of the good client of tests/long/attacks (small calls, datasets, streams and sessions) and mixed.py (bulk batches,
simulations, jobs, ensembles, calibrations, robots that come and go, refused and broken requests) on one daemon.

Each ten seconds resident memory, anonymous memory, descriptors and threads are noted. Asserted: between the second sixth of
the time and the last one the median of the resident memory rises by less than 1 %, descriptors and threads by none; nothing
is lost; the log has no error; the daemon ends by SIGTERM with status 0. What is kept by count or age (jobs, events) is bounded
by settings low enough to be reached in the first sixth, in which mixed.py is twenty times as fast: buffers that grow to the largest
request so far (working arrays, heaps of threads) have met it then. A leak by time or request goes on after it."""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "contract"))
os.environ["TORQUED"] = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 3600
import conftest  # noqa: E402

GOOD = HERE.parent / "attacks" / "good.py"
SETTINGS = {"jobs_keep": "60s", "audit_size": "1MiB"}
MIB = 1 << 20


def look(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    kib = {name: int(re.search(rf"{name}:\s*(\d+)", status).group(1)) for name in ("VmRSS", "RssAnon", "Threads")}
    return {"resident": kib["VmRSS"] << 10, "anonymous": kib["RssAnon"] << 10, "threads": kib["Threads"], "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}


def start(script, *args):
    return subprocess.Popen([sys.executable, str(script), *map(str, args)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def main():
    faults, seen = [], []
    with contextlib.ExitStack() as stack:
        daemon = conftest.Daemon(SETTINGS)
        stack.callback(daemon.process.kill)
        port = daemon.address[1]
        parts = {name: start(GOOD, name, port) for name in ("calls", "datasets", "kept")}
        parts["mixed"] = start(HERE / "mixed.py", port, SECONDS / 6)
        for one in parts.values():
            stack.callback(one.kill)
            one.stdin.write("soak\n")
            one.stdin.flush()
        begun = time.monotonic()
        while time.monotonic() < begun + SECONDS:
            time.sleep(min(10, SECONDS / 60))
            if daemon.process.poll() is not None:
                faults.append(f"the daemon ended: {daemon.process.returncode}")
                break
            seen.append((time.monotonic() - begun, look(daemon.process.pid)))
            if len(seen) % 30 == 0:
                print(f"{seen[-1][0]:6.0f} s " + ", ".join(f"{k} {v / MIB:.1f} MiB" if v > 9999 else f"{k} {v}" for k, v in seen[-1][1].items()), flush=True)
        for name, one in parts.items():
            out, _ = one.communicate(timeout=10 * conftest.PATIENCE)
            if one.returncode != 0 or not out.strip():
                faults.append(f"{name}: status {one.returncode}")
                continue
            report = json.loads(out)
            faults += [f"{name}: {text}" for text in report["lost"][:20]]
            print(f"{name}: {sum(len(t) for phase in report['times'].values() for t in phase.values())} requests timed, {report['counts']}")
        sixth = SECONDS / 6
        for key in ("resident", "anonymous", "threads", "descriptors"):
            early = statistics.median(v[key] for t, v in seen if sixth <= t < 2 * sixth)
            late = statistics.median(v[key] for t, v in seen if t >= 5 * sixth)
            print(f"{key:12} {early:14.0f} then {late:14.0f}: {100 * (late / early - 1):+.2f} %")
            if late > early * (1.01 if key == "resident" else 1.0) and key != "anonymous":
                faults.append(f"{key} rises: {early} then {late}")
        try:
            daemon.stop()
        except AssertionError as error:
            faults.append(f"the daemon: {error}")
    for fault in faults:
        print("FAULT", fault)
    print(f"{1 if not faults else 0} passed, {len(faults)} failed, 0 skipped")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
