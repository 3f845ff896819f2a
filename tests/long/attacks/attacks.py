# SPDX-License-Identifier: Apache-2.0
# tests/long/attacks/attacks.py - attacks.py DAEMON [SECONDS]: thirteen greedy clients of different kinds at once, beside a good one.
"""One daemon with its default limits, but less memory. The good client (good.py) works in two phases:

  idle        alone
  attacked    beside all of attackers.py, for SECONDS

and with BURNT=1 in two more, once all jobs of the attackers are cancelled (tens of thousands, one after another):

  burnt nice  beside processes that burn what the attackers burnt, at their nice value, and send nothing
  burnt       and beside others that burn what the daemon burnt for the attackers, without a nice value

The good client's processes have a real-time priority where the system admits it, in all phases, as on a machine of their own.

A table of the good client's times in each phase is printed, with the processor time of attackers and daemon. The ratio
attacked / burnt is what the attacks cost beyond the loss of the processor.

Asserted are counts only, no times: every upload of the good client passes and comes back as it was sent, every job of it
succeeds, none of what it has (datasets, results, a stream, a session) goes, the daemon lives, its memory and
descriptors stay below their bounds, it ends with status 0 by SIGTERM, with a clean log.

ATTACKS=slow_bodies,backups takes some kinds only; REALTIME=1 sets io_realtime,
IO_THREADS=2 io_threads."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "contract"))
os.environ["TORQUED"] = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600
import attackers  # noqa: E402
import conftest  # noqa: E402

ONLY = os.environ.get("ATTACKS", "")
PHASES = ("idle", "attacked") + (("burnt nice", "burnt") if os.environ.get("BURNT") else ())
KINDS = [kind for kind in attackers.KINDS if not ONLY or kind in ONLY.split(",")]
QUIET_S = min(60.0, max(5.0, SECONDS / 5))
MIB = 1 << 20
# memory: what the settings below admit to, and what they do not count: the program, connections, caches, the
# chunks of `uploads`, the working memory of each thread that computes
SETTINGS = {"body_budget": "256MiB", "sample_budget": "512MiB", "sessions_size": "128MiB", "reply_buffer": "16MiB", "scratch": "32MiB",
            "jobs_bytes": "24MiB", "rate_grace": "5s", "header_timeout": "10s",
            "io_realtime": int(os.environ.get("REALTIME", "0")), **({"io_threads": int(os.environ["IO_THREADS"])} if "IO_THREADS" in os.environ else {})}
MEMORY_MAX = (256 + 512 + 128 + 32 * 8 + 16 * 8 + 32 * 16 + 512) * MIB
CONNECTIONS = 4096
DESCRIPTORS_MAX = 2 * CONNECTIONS + 512
TICK = os.sysconf("SC_CLK_TCK")


def cpu_s(pid):
    with contextlib.suppress(OSError):
        return sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) / TICK
    return 0.0


def machine_cpu_s():
    fields = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
    return (sum(fields) - fields[3] - fields[4]) / TICK


def python(script, *args, **more):
    return subprocess.Popen([sys.executable, str(HERE / script), *map(str, args)], text=True, stdout=subprocess.PIPE, **more)


BURN = """
import os, sys, time
os.nice(int(sys.argv[2])); share = float(sys.argv[1]); begun = time.monotonic()
while True:
    if time.process_time() < share * (time.monotonic() - begun):
        end = time.process_time() + 0.002
        while time.process_time() < end: pass
    else: time.sleep(0.002)
"""


class Run:
    def __init__(self, stack):
        self.stack, self.faults, self.attackers, self.seen = stack, [], [], {}
        folder = pathlib.Path(stack.enter_context(conftest.tempfile.TemporaryDirectory(prefix="attacks-")))
        tokens = folder / "tokens"
        names = {"good": "compute,write", "watch": "admin", **{kind: "compute,write,admin" if kind == "backups" else "compute,write" for kind in KINDS}}
        tokens.write_text("".join(f"{name} {hashlib.blake2b(name.encode(), digest_size=32).hexdigest()} roles={roles}\n" for name, roles in names.items()))
        self.daemon = conftest.Daemon({**SETTINGS, "credentials": tokens})
        stack.callback(self.daemon.process.kill)
        self.pid, self.port = self.daemon.process.pid, self.daemon.address[1]
        self.good = {part: python("good.py", part, self.port, stdin=subprocess.PIPE) for part in ("calls", "jobs", "datasets", "kept")}
        for one in self.good.values():
            stack.callback(one.kill)

    def phase(self, name, seconds):
        for part, one in self.good.items():
            with contextlib.suppress(BrokenPipeError):
                one.stdin.write(name + "\n")
                one.stdin.flush()
        begun, before = time.monotonic(), (cpu_s(self.pid), sum(cpu_s(one.pid) for one in self.attackers), machine_cpu_s())
        while time.monotonic() < begun + seconds and self.daemon.process.poll() is None:
            time.sleep(1)
            self.measure(name)
        passed = time.monotonic() - begun
        after = (cpu_s(self.pid), sum(cpu_s(one.pid) for one in self.attackers), machine_cpu_s())
        self.cpu = [(b - a) / passed for a, b in zip(before, after)]
        print(f"{name:10s} {passed:6.0f} s   processors: daemon {self.cpu[0]:.2f}, attackers {self.cpu[1]:.2f}, all {self.cpu[2]:.2f} of {os.cpu_count()}",
              flush=True)

    def measure(self, phase):
        """What of the daemon was greatest."""
        with contextlib.suppress(OSError):
            status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
            facts = {"memory": int(re.search(r"VmRSS:\s*(\d+)", status).group(1)) << 10, "descriptors": len(os.listdir(f"/proc/{self.pid}/fd")),
                     "threads": int(re.search(r"Threads:\s*(\d+)", status).group(1))}
            for key, value in facts.items():
                self.seen[key] = max(self.seen.get(key, 0), value)

    def metrics(self):
        one = self.daemon.connect()
        one.request("GET", "/metrics", headers={"Authorization": "Bearer watch"})
        return {name: float(value) for name, value in re.findall(r"^(torqued_\w+) (\S+)$", one.getresponse().read().decode(), re.M)}

    def attack(self):
        for k, kind in enumerate(KINDS):
            one = python("attackers.py", kind, self.port, f"127.0.1.{k + 1}", SECONDS + 600)
            one.kind = kind
            self.stack.callback(one.kill)
            self.attackers.append(one)

    def call_off(self):
        for one in self.attackers:
            one.send_signal(signal.SIGTERM)
        for one in self.attackers:
            out, _ = one.communicate(timeout=conftest.PATIENCE)
            found = json.loads(out) if out.strip() else {}
            print(f"  {one.kind:18s} " + ", ".join(f"{name}: {n}" for name, n in sorted(found.items())))
            if not found:
                self.faults.append(f"{one.kind}: did nothing")
        self.attackers = []

    def cancel_all(self):
        """The phases that follow are without the attackers' jobs."""
        one, n = self.daemon.connect(), 0

        def ask(method, path):
            one.request(method, path, headers={"Authorization": "Bearer watch"})
            return json.loads(one.getresponse().read())

        for state in ("queued", "running"):
            until = time.monotonic() + 10 * conftest.PATIENCE
            while (jobs := ask("GET", f"/v1/jobs?state={state}&robot=planar-2r&limit=100")["jobs"]) and time.monotonic() < until:
                for job in jobs:
                    ask("POST", f"/v1/jobs/{job['id']}/cancel")
                n += len(jobs)
        print(f"  {n} jobs cancelled")

    def burn(self, share, nice):
        each = share / os.cpu_count()
        return [subprocess.Popen([sys.executable, "-c", BURN, str(each), str(nice)]) for _ in range(os.cpu_count())] if share > 0.01 else []

    def compare(self, attackers_, daemon):
        burners = self.burn(attackers_, 10)
        self.phase("burnt nice", QUIET_S)
        burners += self.burn(daemon, 0)
        self.phase("burnt", QUIET_S)
        for one in burners:
            one.kill()
            one.wait()

    def finish(self):
        """What the parts of the good client found; and the table."""
        reports = {}
        for part, one in self.good.items():
            out, _ = one.communicate(timeout=10 * conftest.PATIENCE)
            if one.returncode != 0 or not out.strip():
                self.faults.append(f"good client, {part}: status {one.returncode}")
                continue
            reports[part] = json.loads(out)
            self.faults += [f"good client, {part}: {text}" for text in reports[part]["lost"][:20]]
        return reports


def table(reports):
    print(f"\n{'ms':14s}" + "".join(f"{phase + ' n':>15s} {'p50':>8s} {'p99':>8s} {'most':>8s}" for phase in PHASES))
    for what in ("call", "read", "upload", "stream", "job begins", "job ends"):
        line = f"{what:14s}"
        p99 = {}
        for phase in PHASES:
            times = sorted(t for report in reports.values() for t in report["times"].get(phase, {}).get(what, []))
            if not times:
                line += f"{0:15d} {'-':>8s} {'-':>8s} {'-':>8s}"
                continue
            p99[phase] = times[min(len(times) - 1, int(0.99 * len(times)))]
            line += f"{len(times):15d} " + " ".join(f"{1e3 * t:8.2f}" for t in (times[len(times) // 2], p99[phase], times[-1]))
        if len(p99) == len(PHASES):
            line += "   p99 attacked / " + ", ".join(f"{phase} {p99['attacked'] / max(1e-9, p99[phase]):.1f}" for phase in PHASES if phase != "attacked")
        print(line)
    for part, report in reports.items():
        for phase, found in report["counts"].items():
            for name, n in found.items():
                print(f"  good client, {part}, {phase}: {n} x {name}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as stack:
        run = Run(stack)
        run.phase("idle", QUIET_S)
        run.attack()
        sys.stdout.flush()
        run.phase("begins", min(30.0, SECONDS / 2))  # all attackers come at once
        run.phase("attacked", SECONDS)
        daemon, attackers_, _ = run.cpu
        before = run.metrics() if run.daemon.process.poll() is None else {}
        run.call_off()
        print("  " + ", ".join(f"{name[8:]} {value:g}" for name, value in before.items()
                               if re.search("connections_(open|overdue)|jobs_(queued|running)|limited|refused|expired|sessions_open|streams|body_bytes", name)))
        if "burnt" in PHASES:
            run.cancel_all()
            run.compare(attackers_, daemon)
        reports = run.finish()
        table(reports)
        print("\nmost seen: " + ", ".join(f"{name} {value / MIB:.0f} MiB" if name == "memory" else f"{name} {value}" for name, value in run.seen.items()))
        if run.seen["memory"] > MEMORY_MAX or run.seen["descriptors"] > DESCRIPTORS_MAX:
            run.faults.append(f"above its bounds: memory {MEMORY_MAX / MIB:.0f} MiB, {DESCRIPTORS_MAX} descriptors")
        try:
            run.daemon.stop()
        except AssertionError as error:
            run.faults.append(f"the daemon: {error}")
    for fault in run.faults:
        print("FAULT", fault)
    print(f"{1 if not run.faults else 0} passed, {len(run.faults)} failed, 0 skipped")
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
