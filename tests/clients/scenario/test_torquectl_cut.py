# SPDX-License-Identifier: Apache-2.0
# tests/clients/scenario/test_torquectl_cut.py - torquectl through a connection that is cut at every tenth byte: right, or it says so; one job a call.
import concurrent.futures
import json
import os
import pathlib
import socket
import subprocess
import threading

import pytest

STEP = 10
LANES = 6
SIMULATE = ["simulate", "planar-2r", "initial.q=0.1,0.2", "duration_s=0.5", "output.interval_s=0.1"]


class Proxy:
    """Passes bytes on; of all that went `way` ("up" to the service, "down" from it) only `n`, then cuts that connection, once."""

    def __init__(self, address, way=None, n=0):
        self.address, self.way, self.left = address, way, n
        self.passed = {"up": 0, "down": 0}
        self.cuts = 0
        self.lock = threading.Lock()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            service = socket.create_connection(self.address)
            for way, source, sink in (("up", client, service), ("down", service, client)):
                threading.Thread(target=self._pass, args=(way, source, sink), daemon=True).start()

    def _pass(self, way, source, sink):
        try:
            while piece := source.recv(65536):
                with self.lock:
                    self.passed[way] += len(piece)
                    is_cut = way == self.way and self.left < len(piece)
                    if is_cut:
                        piece, self.way, self.cuts = piece[:self.left], None, self.cuts + 1
                    elif way == self.way:
                        self.left -= len(piece)
                sink.sendall(piece)
                if is_cut:
                    break
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.server.close()


def ctl(url, *words):
    program = pathlib.Path(os.environ["TORQUED"]).parent / "torquectl"
    return subprocess.run([program, "--server", url, "--output", "json", *map(str, words)], capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL)


def jobs(daemon):
    count, cursor = 0, ""
    while cursor is not None:
        page = json.loads(daemon.request("GET", f"/v1/jobs?kind=simulate&limit=200{cursor and '&cursor=' + cursor}")[2])
        count, cursor = count + len(page["jobs"]), page["cursor"]
        assert all(job["attempts"] == 1 for job in page["jobs"])
    return count


def walk(daemon, words, check):
    """check(outcome) of each cut of `torquectl words(k)`; how many calls there were."""
    whole = Proxy(daemon.address)
    check(ctl(whole.url, *words(0)))
    whole.close()

    def one(numbered):
        k, place = numbered
        proxy = Proxy(daemon.address, *place)
        try:
            check(ctl(proxy.url, *words(k)))
        finally:
            proxy.close()
        return proxy.cuts

    places = [(way, n) for way in ("up", "down") for n in range(1, whole.passed[way], STEP)]
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        cuts = sum(lanes.map(one, enumerate(places, 1)))
    assert cuts > len(places) * 0.9, f"{cuts} cuts of {len(places)}"
    return len(places) + 1


@pytest.mark.seconds(120)
@pytest.mark.parametrize("has_key", [True, False], ids=["key", "no key"])
def test_a_simulation(start, has_key):
    """With a key the second try is the first's job; without one torquectl does not try again, and says so. Either way: one job a call."""
    daemon = start()
    expected = json.loads(ctl(daemon.url, *SIMULATE).stdout)
    outcomes = []

    def check(got):
        outcomes.append(got.returncode)
        if got.returncode == 0:
            answer = json.loads(got.stdout)
            assert (answer["q"], answer["tau"]) == (expected["q"], expected["tau"])
        else:
            assert got.returncode == 1 and got.stderr.startswith("torquectl: ") and not got.stdout, got

    calls = walk(daemon, lambda k: [*SIMULATE, "--key", f"key-{k}"] if has_key else SIMULATE, check)
    if has_key:
        assert set(outcomes) == {0} and jobs(daemon) == calls + 1
    else:
        assert set(outcomes) == {0, 1} and jobs(daemon) <= calls + 1


def test_torques(start):
    """What makes nothing is sent again."""
    daemon = start()
    words = ["id", "planar-2r", "q=0.1,0.2", "qd=1,2", "qdd=3,4"]
    expected = json.loads(ctl(daemon.url, *words).stdout)["tau"]

    def check(got):
        assert got.returncode == 0 and json.loads(got.stdout)["tau"] == expected, got

    walk(daemon, lambda k: words, check)


def test_an_upload(start, tmp_path):
    daemon = start()
    log = tmp_path / "log.csv"
    log.write_text("t,q\n" + "".join(f"{0.01 * i!r},{i / 7!r}\n" for i in range(100)))

    def check(got):
        assert got.returncode == 0 and json.loads(got.stdout)["rows"] == 100, got

    walk(daemon, lambda k: ["datasets", "put", f"log-{k}", log], check)
    stored = json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"]
    assert len({one["sha256"] for one in stored if not one.get("built_in")}) == 1
