# SPDX-License-Identifier: Apache-2.0
# tests/long/attacks/attackers.py - attackers.py KIND PORT ADDRESS SECONDS: one greedy client, a process of its own, with the token KIND.
"""Each kind takes as much of one shared resource as it gets, takes it again when it is refused or closed, and ends
after SECONDS or at SIGTERM. Prints one line of JSON: what it counted, by name.

The sockets of a kind are bound to ADDRESS of 127.0.0.0/8, so that each kind has a range of ports of its own."""

import asyncio
import collections
import contextlib
import json
import os
import random
import signal
import sys
import time

JSON = {"Content-Type": "application/json"}
CALL = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
PLANAR, PANDA = "/v1/robots/planar-2r", "/v1/robots/panda"
# 9 m away: every seed is tried to the end, without a solution
UNREACHABLE = json.dumps({"frame": {"link": "flange", "at": "origin"}, "pose": {"position": [9, 9, 9]}, "seeds": 64, "iterations": 300}).encode()
HOURS = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration_s": 9e4, "solver": {"method": "rk4", "step_s": 1e-4}, "output": {"interval_s": 100}}).encode()
SHORT = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode()
SESSION = json.dumps({"robot": "panda", "initial": {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}}).encode()
counts = collections.Counter()


class Closed(Exception):
    """The daemon has closed the connection, or refused it."""


class Attack:
    def __init__(self, kind, port, address, seconds):
        self.kind, self.port, self.address = kind, port, address
        self.until = time.monotonic() + seconds
        self.chance = random.Random(kind)

    @contextlib.asynccontextmanager
    async def connection(self):
        """(reader, writer); every way in which it ends is counted."""
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0), limit=1 << 16)
            counts["connected"] += 1
            yield reader, writer
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, Closed):
            counts["closed by the daemon"] += 1
            await asyncio.sleep(0.2)
        finally:
            if writer is not None:
                writer.transport.abort()

    def head(self, method, path, length=0, **more):
        fields = "".join(f"{name}: {value}\r\n" for name, value in {"Authorization": f"Bearer {self.kind}", **more}.items())
        return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {length}\r\n\r\n".encode()

    async def answer(self, reader):
        """Status and body of a whole answer; interim ones are passed over."""
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            status = int(head.split()[1])
            if status != 100:
                break
        counts[str(status)] += 1
        length = int(head.partition("content-length:")[2].split("\r\n")[0] or 0)
        return status, await reader.readexactly(length)

    async def many(self, n, one):
        """n tasks, each of which repeats one(k) until the end."""
        async def repeat(k):
            await asyncio.sleep(self.chance.random())
            while time.monotonic() < self.until:
                await one(k)
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(repeat(k)) for k in range(n)]
        await asyncio.sleep(max(0.0, self.until - time.monotonic()))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- connections and bytes ----------------------------------------------------------------------------------

    async def slow_bodies(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", PANDA + "/inverse-dynamics", 8 << 20, **JSON) + b'{"q":[[')
            reads = asyncio.ensure_future(reader.read(1))
            while not reads.done():
                writer.write(b" " * 5000)  # above rate_least
                await asyncio.wait([reads], timeout=1)
            reads.result()
            raise Closed

    async def slow_headers(self, k):
        async with self.connection() as (reader, writer):
            writer.write(b"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nX-A: ")
            reads = asyncio.ensure_future(reader.read(1))
            while not reads.done():
                writer.write(b"a")
                await asyncio.wait([reads], timeout=1)
            reads.result()
            raise Closed

    async def idle_sockets(self, k):
        async with self.connection() as (reader, writer):
            if k % 2:  # half of them are known to be this client's
                writer.write(self.head("GET", "/v1/version"))
                await self.answer(reader)
            await reader.read(1)
            raise Closed

    async def malformed(self, k):
        whole = self.head("POST", PLANAR + "/inverse-dynamics", len(CALL), **JSON) + CALL
        async with self.connection() as (reader, writer):
            for _ in range(20):
                bad = bytearray(whole)
                for _ in range(self.chance.randrange(1, 8)):
                    bad[self.chance.randrange(len(bad))] = self.chance.randrange(256)
                writer.write(bytes(bad) if k % 2 else self.chance.randbytes(400))
                counts["sent"] += 1
                with contextlib.suppress(asyncio.TimeoutError):
                    if not await asyncio.wait_for(reader.read(65536), 0.5):
                        return

    async def given_up_uploads(self, k):
        """A fast first half, then a slow part, then the end without a word."""
        async with self.connection() as (reader, writer):
            writer.write(self.head("PUT", f"/v1/datasets/huge-{k}", 64 << 20, **{"Content-Type": "text/csv"}) + b"t,q1,tau1\n")
            reads = asyncio.ensure_future(reader.readuntil(b"\r\n"))
            row = b"0.125,0.5,0.25\n" * 4096
            for _ in range(40):
                writer.write(row)
                await writer.drain()
                if reads.done():
                    break
            for _ in range(30):
                if reads.done():
                    break
                writer.write(row[:15 * 400])
                await asyncio.wait([reads], timeout=1)
            if reads.done():
                counts[reads.result().split()[1].decode()] += 1
            else:
                reads.cancel()
                counts["given up"] += 1

    async def unread_answers(self, k):
        n = 20000
        body = json.dumps({"q": [[0.1 * j for j in range(7)]] * n, "include": ["mass_matrix", "gravity_torque"]}).encode()
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", PANDA + "/terms", len(body), **JSON) + body)
            head = await reader.readuntil(b"\r\n\r\n")
            counts[head.split()[1].decode()] += 1
            while await reader.read(6000):  # a second: above rate_least
                counts["bytes read"] += 6000
                await asyncio.sleep(1)

    async def vanishing_calls(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", PANDA + "/inverse-kinematics", len(UNREACHABLE), **JSON) + UNREACHABLE)
            await asyncio.sleep(0.05 + 0.5 * self.chance.random())
            counts["given up"] += 1

    async def backups(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", "/v1/backup"))
            head = await reader.readuntil(b"\r\n\r\n")
            counts[head.split()[1].decode()] += 1
            while b" 200 " in head and await reader.read(1 << 16):
                await asyncio.sleep(0.5)
            await asyncio.sleep(0.5)

    # -- jobs, streams, sessions --------------------------------------------------------------------------------

    async def hour_long_jobs(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", PLANAR + "/simulate", len(HOURS), **JSON, Prefer="respond-async", Priority="u=0") + HOURS)
            status, _ = await self.answer(reader)
            await asyncio.sleep(60 if status == 202 else 1)

    async def queued_jobs(self, k):
        """As fast as they are accepted up to 10,000, then 100 a second."""
        one = self.head("POST", PLANAR + "/simulate", len(SHORT), **JSON, Prefer="respond-async", Priority="u=0") + SHORT
        async with self.connection() as (reader, writer):
            while time.monotonic() < self.until:
                if counts["202"] > 10000:
                    await asyncio.sleep(0.8)
                writer.write(one * 20)
                for _ in range(20):
                    await self.answer(reader)

    async def waiting_calls(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", PLANAR + "/simulate", len(HOURS), **JSON, Prefer="wait=60") + HOURS)
            await self.answer(reader)
            await asyncio.sleep(1)

    async def event_streams(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("GET", "/v1/events", **({"Last-Event-ID": "0"} if k % 4 == 0 else {})))
            head = await reader.readuntil(b"\r\n\r\n")
            counts[head.split()[1].decode()] += 1
            if b" 200 " not in head:
                await asyncio.sleep(1)
                return
            while await reader.read(1 << 16):
                counts["events read"] += 1
                await asyncio.sleep(0.2)

    async def open_sessions(self, k):
        async with self.connection() as (reader, writer):
            writer.write(self.head("POST", "/v1/sessions", len(SESSION), **JSON) + SESSION)
            status, body = await self.answer(reader)
            if status != 201:
                await asyncio.sleep(1)
                return
            step, path = b'{"tau":[0,0,0,0,0,0,0]}', "/v1/sessions/" + json.loads(body)["id"] + "/step"
            while time.monotonic() < self.until:
                writer.write(self.head("POST", path, len(step), **JSON) + step)
                await self.answer(reader)
                await asyncio.sleep(5)


# how many of each at once
KINDS = {"slow_bodies": 1000, "slow_headers": 1000, "idle_sockets": 4096, "malformed": 40, "given_up_uploads": 64, "unread_answers": 24,
         "vanishing_calls": 64, "backups": 40, "hour_long_jobs": 16, "queued_jobs": 4, "waiting_calls": 1024, "event_streams": 1024,
         "open_sessions": 256}


def main():
    kind, port, address, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    os.nice(int(os.environ.get("NICE", "10")))
    attack = Attack(kind, port, address, seconds)

    def end():
        print(json.dumps(counts), flush=True)
        os._exit(0)  # thousands of sockets are closed by the kernel

    async def run():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # of connections that are cut off
        await attack.many(KINDS[kind], getattr(attack, kind))

    asyncio.run(run())
    end()


if __name__ == "__main__":
    main()
