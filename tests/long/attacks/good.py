# SPDX-License-Identifier: Apache-2.0
# tests/long/attacks/good.py - good.py PART PORT: a part of what the good client does, a process of its own, with the token good.
"""PART: calls, jobs, datasets or kept. Reads names of phases from stdin, a line each; at the end of stdin it checks that
what it has kept is still there, and prints a line of JSON: for each phase `times` (s, by name) and `counts`, and `lost`,
texts of what should not have happened."""

import contextlib
import collections
import datetime
import http.client
import json
import os
import random
import select
import sys
import time

WHO = {"Authorization": "Bearer good"}
JSON = {"Content-Type": "application/json", **WHO}
HOME = [0, -0.8, 0, -2.3, 0, 1.6, 0.8]
CALL = json.dumps({"q": HOME, "qd": [0.1] * 7, "qdd": [0.2] * 7})
RUN = json.dumps({"initial": {"q": HOME}, "duration_s": 0.2, "output": {"interval_s": 0.01}})
PATIENCE_S = 300


class Good:
    def __init__(self, port):
        self.port = port
        self.phase = None
        self.ends = False
        self.times = collections.defaultdict(lambda: collections.defaultdict(list))
        self.counts = collections.defaultdict(collections.Counter)
        self.lost = []
        self.chance = random.Random(1)

    # -- phases -------------------------------------------------------------------------------------------------

    def goes_on(self, pause_s=0.0):
        """Takes the phase's name from stdin, and sleeps; False at the end of stdin."""
        until = time.monotonic() + pause_s
        while not self.ends:
            left = until - time.monotonic()
            if select.select([sys.stdin], [], [], max(0.0, left))[0]:
                line = sys.stdin.readline()
                self.ends = line == ""
                self.phase = line.strip() or self.phase
            elif left <= 0:
                break
        return not self.ends

    def count(self, name):
        self.counts[self.phase][name] += 1

    def time(self, name, seconds):
        self.times[self.phase][name].append(seconds)

    # -- requests -----------------------------------------------------------------------------------------------

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(self, connection, method, path, body=None, headers=None):
        """Status, headers and bytes; as a client that tries again where the service says so, or where it was cut off."""
        for _ in range(50):
            try:
                connection.request(method, path, body, headers or (JSON if body is not None else WHO))
                response = connection.getresponse()
                got = response.status, response.headers, response.read()
            except (OSError, http.client.HTTPException) as error:
                self.count(f"cut off: {method} {type(error).__name__}")
                connection.close()
                self.goes_on(0.1)
                continue
            if got[0] not in (429, 503):
                return got
            kind = "/".join(path.split("?")[0].split("/")[:3]) + (" stream" if "event" in path else "")
            self.count(f"{got[0]} {method} {kind}: {json.loads(got[2])['detail'][:80]}")
            self.goes_on(min(2.0, float(got[1].get("Retry-After", 1))))
        self.lost.append(f"{method} {path}: never answered")
        return 0, {}, b""

    def expect(self, status, answer, what):
        if answer[0] not in (status if isinstance(status, tuple) else (status,)):
            self.lost.append(f"{what}: {answer[0]} {answer[2][:200]!r}")
            return False
        return True

    # -- parts --------------------------------------------------------------------------------------------------

    def calls(self):
        """Small calls over two kept connections; of ten, one reads the list of datasets, which needs a worker and the store."""
        connections = [self.connect() for _ in range(2)]
        k = 0
        while self.goes_on(self.chance.uniform(0.002, 0.01)):
            k += 1
            one = connections[k % 2]
            reads = k % 10 == 0
            begun = time.perf_counter()
            answer = self.ask(one, "GET", "/v1/datasets") if reads else self.ask(one, "POST", "/v1/robots/panda/inverse-dynamics", CALL)
            self.time("read" if reads else "call", time.perf_counter() - begun)
            self.expect(200, answer, "a call")

    def jobs(self):
        """A job, when it begins, its result; all of them are there at the end."""
        one, kept = self.connect(), []
        while self.goes_on(1.5):
            answer = self.ask(one, "POST", "/v1/robots/panda/simulate", RUN, {**JSON, "Prefer": "respond-async"})
            if not self.expect(202, answer, "a job"):
                continue
            path = answer[1]["Location"]
            while True:
                document = json.loads(self.ask(one, "GET", path)[2])
                if document["finished"] or not self.goes_on(0.02):
                    break
            if not document["finished"]:
                break
            created, started, finished = (datetime.datetime.fromisoformat(document[name]) for name in ("created", "started", "finished"))
            self.time("job begins", (started - created).total_seconds())
            self.time("job ends", (finished - created).total_seconds())
            if document["state"] == "succeeded" and self.expect(200, self.ask(one, "GET", path + "/result"), "a result"):
                kept.append(path)
            else:
                self.lost.append(f"{path}: {document['state']}")
        for path in kept:
            self.expect(200, self.ask(one, "GET", path + "/result"), f"evicted: {path}")
        self.count("jobs kept")

    def datasets(self):
        """Uploads over new connections, read back and compared; the first ten stay to the end."""
        kept, k = {}, 0
        while self.goes_on(1.0):
            n = 2000 if k % 3 else 40000
            body = b"t,q1,tau1\n" + b"".join(b"%d.5,%d.25,%d\n" % (i, (i * k) % 7, i % (k + 2)) for i in range(n))
            path = f"/v1/datasets/good-{k if k < 10 else 10 + k % 10}"
            begun = time.perf_counter()
            with contextlib.closing(self.connect()) as one:
                good = self.expect((200, 201), self.ask(one, "PUT", path, body, {**WHO, "Content-Type": "text/csv"}), path)
            self.time("upload", time.perf_counter() - begun)
            if good:
                kept[path] = body
                self.check(path, body)
            k += 1
        for path, body in kept.items():
            self.check(path, body)

    def check(self, path, body):
        with contextlib.closing(self.connect()) as one:
            answer = self.ask(one, "GET", path + "/content")
        if self.expect(200, answer, f"evicted: {path}") and answer[2] != body:
            self.lost.append(f"{path}: other bytes")

    def kept(self):
        """A stream and a session that last, beside others that are opened anew; each step continues the one before."""
        lasting, step_path, step = self.stream(), None, 0
        one = self.connect()
        while self.goes_on(1.0):
            if step_path is None:
                step_path, step = self.session(one), 0
            for _ in range(5):
                answer = self.ask(one, "POST", step_path + "/step", b'{"tau":[0,0,0,0,0,0,0]}')
                step += 1
                if not self.expect(200, answer, "evicted: a session"):
                    step_path = None
                    break
                if json.loads(answer[2])["step"] != step:
                    self.lost.append(f"a session: step {json.loads(answer[2])['step']}, not {step}")
            if select.select([lasting], [], [], 0)[0] and lasting.recv(1 << 16) == b"":
                self.lost.append("evicted: a stream")
                lasting = self.stream()
            begun = time.perf_counter()
            self.stream().close()
            self.time("stream", time.perf_counter() - begun)
            self.expect(204, self.ask(one, "DELETE", self.session(one)), "a session ends")

    def session(self, one):
        answer = self.ask(one, "POST", "/v1/sessions", json.dumps({"robot": "panda", "initial": {"q": HOME}}))
        self.expect(201, answer, "a session")
        return answer[1].get("Location", "/v1/sessions/none")

    def stream(self):
        """The socket of a stream whose head has come."""
        for _ in range(50):
            one = self.connect()
            with contextlib.suppress(OSError, http.client.HTTPException):
                one.request("GET", "/v1/events", headers=WHO)
                found, response = one.sock, one.getresponse()
                if response.status == 200:
                    return found.dup()
                self.count(f"{response.status} GET /v1/events: {json.loads(response.read())['detail'][:80]}")
                self.goes_on(1.0)
                continue
            self.count("cut off: stream")
            self.goes_on(0.1)
        self.lost.append("a stream: never answered")
        return self.connect().sock


def own_machine():
    """The client's own wait for a core is no part of its times, in any phase: as on a machine of its own. What it does takes
    a hundredth of a core. False where the system does not admit it."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        return True
    return False


def main():
    one = Good(int(sys.argv[2]))
    one.counts["all"]["real-time priority"] += own_machine()
    one.phase = sys.stdin.readline().strip()
    getattr(one, sys.argv[1])()
    print(json.dumps({"times": one.times, "counts": one.counts, "lost": one.lost}))


if __name__ == "__main__":
    main()
