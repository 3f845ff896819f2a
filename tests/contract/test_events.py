# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_events.py - Server-Sent Events: in order, without gaps, resumable, and without delay for
# other clients.
import http.client
import json
import random
import threading
import time

import pytest
from conftest import PATIENCE, eventually, problem
from test_jobs import body, ended, submit

ENDED = ("succeeded", "failed", "cancelled")


class Stream:
    """One event stream, read event by event."""

    def __init__(self, daemon, path="/v1/events", last=None):
        self.connection = daemon.connect()
        self.connection.request("GET", path, headers={"Last-Event-ID": str(last)} if last is not None else {})
        self.response = self.connection.getresponse()

    def next(self):
        """(id, event, data); event is None for a comment or the retry line at the start; None at the end of the
        stream."""
        number, event, data, seen = None, None, None, False
        while True:
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if not line:
                if seen:
                    return number, event, data
                continue
            seen = True
            name, _, value = line.partition(": ")
            if name == "id":
                number = int(value)
            elif name == "event":
                event = value
            elif name == "data":
                data = json.loads(value)

    def states(self):
        while (got := self.next()) is not None:
            if got[1] == "state":
                yield got

    def close(self):
        self.connection.close()


def test_one_job_from_its_first_event_to_its_last(daemon):
    job = submit(daemon, body(2, 0.111))["id"]
    stream = Stream(daemon, f"/v1/jobs/{job}/events")
    assert stream.response.status == 200 and stream.response.headers["Content-Type"] == "text/event-stream"
    got = list(stream.states())  # ends by itself
    assert [e[2]["state"] for e in got] == ["queued", "running", "succeeded"]
    numbers = [e[0] for e in got]
    assert numbers == sorted(set(numbers)) and all(e[2]["job"] == job for e in got)
    # resumed after each of its events: the rest of them, and 204 if there is none
    for k in range(2):
        rest = Stream(daemon, f"/v1/jobs/{job}/events", last=numbers[k])
        assert [e[0] for e in rest.states()] == numbers[k + 1:]
    assert Stream(daemon, f"/v1/jobs/{job}/events", last=numbers[2]).response.status == 204
    problem(daemon.request("GET", "/v1/jobs/nothing/events"), 404)


def test_resumes_over_a_restart(start, tmp_path):
    state = str(tmp_path / "state")
    first = start(state=state)
    job = submit(first)["id"]
    ended(first, job)
    stream = Stream(first, f"/v1/jobs/{job}/events")
    numbers = [e[0] for e in stream.states()]
    first.stop()
    second = start(state=state)
    got = []
    stream = Stream(second, last=numbers[0])
    other = submit(second, body(1, 0.7))["id"]
    for event in stream.states():
        got.append((event[2]["job"], event[2]["state"]))
        if event[2]["job"] == other and event[2]["state"] in ENDED:
            break
    stream.close()
    assert got == [(job, "running"), (job, "succeeded"), (other, "queued"), (other, "running"), (other, "succeeded")]


def test_a_stream_refuses_other_query_parameters(daemon):
    for query in ("?x=1", "?ticket=a&x=1", "?since=3"):
        for path in ("/v1/events", "/v1/jobs/none/events"):
            assert "ticket" in problem(daemon.request("GET", path + query), 422)["detail"]


def test_a_stream_lost_before_its_first_event_resumes_without_a_gap(daemon):
    first = submit(daemon, body(1, 0.123))["id"]
    ended(daemon, first)
    last = [e[0] for e in Stream(daemon, f"/v1/jobs/{first}/events").states()][-1]
    number = 0
    while number < last:  # a stored event is published a moment later
        stream = Stream(daemon)
        number, event, _ = stream.next()  # the id that a client sends as Last-Event-ID when it reconnects
        stream.close()
        assert event is None and number <= last
    missed = submit(daemon, body(1, 0.456))["id"]
    ended(daemon, missed)
    resumed = Stream(daemon, last=number)
    got = [next(resumed.states())[2] for _ in range(3)]
    resumed.close()
    assert [(e["job"], e["state"]) for e in got] == [(missed, state) for state in ("queued", "running", "succeeded")]


@pytest.mark.seconds(120)
def test_fifty_readers_that_reconnect_miss_nothing(start):
    daemon = start({"streams": 128})
    first = submit(daemon)["id"]
    ended(daemon, first)
    begin = next(Stream(daemon, f"/v1/jobs/{first}/events").states())[0]
    jobs_expected, seen, faults = 60, {}, []
    done = threading.Event()

    def read(k):
        chance, last, mine = random.Random(k), begin, []
        try:
            while not done.is_set() or last < target[0]:
                stream = Stream(daemon, last=last)
                if stream.response.status == 503:  # the daemon has not yet noticed that all earlier streams are closed
                    stream.close()
                    continue
                assert stream.response.status == 200, stream.response.status
                for _ in range(chance.randrange(1, 40)):
                    got = stream.next()
                    if got is None:
                        break
                    if got[1] == "state":
                        mine.append(got)
                        last = got[0]
                    if done.is_set() and last >= target[0]:
                        break
                stream.close()
            seen[k] = [(e[0], e[2]["job"], e[2]["state"]) for e in mine]
        except Exception as fault:  # noqa: BLE001 - reported below
            faults.append((k, fault))

    target = [1 << 62]
    readers = [threading.Thread(target=read, args=(k,), daemon=True) for k in range(50)]
    for r in readers:
        r.start()
    ids = [submit(daemon, body(1, 0.001 * i))["id"] for i in range(jobs_expected)]
    for one in ids:
        ended(daemon, one)
    stream = Stream(daemon, f"/v1/jobs/{ids[-1]}/events")
    target[0] = max([e[0] for one in ids for e in Stream(daemon, f"/v1/jobs/{one}/events").states()])
    stream.close()
    done.set()
    until = time.monotonic() + PATIENCE
    while any(r.is_alive() for r in readers) and time.monotonic() < until:
        submit(daemon, body(1, 0.5))  # new events for readers that wait
        time.sleep(0.1)
    assert not faults, faults
    assert len(seen) == 50
    longest = max(seen.values(), key=len)
    for events in seen.values():
        part = [e for e in events if e[0] <= target[0]]
        assert part == [e for e in longest if e[0] <= target[0]]
        assert [e[0] for e in part] == sorted({e[0] for e in part})
    answer = {(job, state) for _, job, state in longest}
    assert all((one, state) in answer for one in ids for state in ("queued", "running", "succeeded"))


def test_number_of_streams_is_bounded(start):
    daemon = start({"streams": 2})
    two = [Stream(daemon) for _ in range(2)]
    status, headers, _ = daemon.request("GET", "/v1/events")
    assert status == 503 and int(headers["Retry-After"]) > 0
    two[0].close()

    def may_open():
        again = Stream(daemon)
        again.close()
        return again.response.status == 200

    eventually(may_open)  # a closed stream no longer counts
    two[1].close()


def test_stop_does_not_wait_for_streams(start):
    daemon = start({"stop_timeout": 600000})
    streams = [Stream(daemon) for _ in range(20)]
    daemon.stop()
    for stream in streams:
        while True:
            try:
                if stream.next() is None:
                    break
            except (OSError, http.client.HTTPException):
                break
        stream.close()


def test_reader_that_does_not_read_delays_no_other(start):
    daemon = start({"idle_timeout": 3600000, "rate_grace": 3600000})  # no deadline closes it in the meantime
    with daemon.socket() as deaf:
        deaf.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for i in range(100):
            submit(daemon, body(1, 0.001 * i))
        assert ended(daemon, submit(daemon)["id"])["state"] == "succeeded"
