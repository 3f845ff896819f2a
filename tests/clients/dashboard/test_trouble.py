# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_trouble.py - the dashboard when something goes away: the service, the token, a robot under the page.
import contextlib
import hashlib
import json
import os
import resource
import signal
import socket
import threading
import time

from conftest import Daemon
from dashboard import drop, faults_of, fill, open_at, pixels, press, wait_for, wait_for_other_pixels


def test_a_token_is_asked_for_and_opens(page, tmp_path):
    token = "correct-horse-battery-staple-0123456789"
    (tmp_path / "tokens").write_text(f"lab {hashlib.blake2b(token.encode(), digest_size=32).hexdigest()}\n")
    (tmp_path / "tokens").chmod(0o600)
    one = Daemon({"credentials": str(tmp_path / "tokens")})
    try:
        open_at(page, one, "robots", ".login")
        assert not faults_of(page)
        # by the keyboard alone: what is behind the question is out of reach
        assert page.run("return document.activeElement === document.querySelector('.login input')")
        page.press("Tab", "Tab", "Tab")
        assert page.run("return !document.activeElement.closest('header, main, .calls')")
        fill(page, ".login input", "wrong-token-wrong-token-wrong-token-1")
        press(page, "Open")
        assert wait_for(page, "document.querySelector('.login .fault')?.textContent")
        fill(page, ".login input", token)
        press(page, "Open")
        wait_for(page, "document.querySelectorAll('.card').length > 5 && !document.querySelector('.login') && !document.querySelector('[inert]')")
        # what needs no header of ours: the stream of events, by the cookie
        open_at(page, one, "jobs", ".title .good")
    finally:
        one.stop()


def test_the_service_goes_and_comes_back_under_the_page(page, tmp_path):
    one = Daemon(state=str(tmp_path))
    port = one.url.rpartition(":")[2]
    open_at(page, one, "robots/planar-2r/torque", ".bar")
    one.stop()
    fill(page, "[aria-label='Payload'] input[type=number]", "2")
    assert "does not answer" in wait_for(page, "document.querySelector('.away-bar')?.textContent")
    again = Daemon(state=str(tmp_path), listen=f"127.0.0.1:{port}")
    try:
        wait_for(page, "!document.querySelector('.away-bar')")
        # the page is as it was left, and goes on
        assert page.run("return document.querySelector(\"[aria-label='Payload'] input[type=number]\").value") == "2"
        fill(page, "[aria-label='Payload'] input[type=number]", "3")
        wait_for(page, "!document.querySelector('.fault') && document.querySelector('.calls .good')")
    finally:
        again.stop()


def test_what_is_deleted_under_the_page_is_said(daemon, page):
    document = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "rod", "mass": 1, "com": [0, 0, -0.5]}],
                "joints": [{"name": "pivot", "kind": "revolute", "parent": "base", "child": "rod", "axis": [0, 1, 0]}]}
    assert daemon.request("PUT", "/v1/robots/brief", json.dumps(document).encode(), {"Content-Type": "application/json"})[0] == 201
    open_at(page, daemon, "robots/brief/torque", ".bar")
    daemon.request("DELETE", "/v1/robots/brief")
    fill(page, "[aria-label='Joint positions'] input[type=number]", "1")
    assert "brief" in wait_for(page, "document.querySelector('.fault')?.textContent")
    open_at(page, daemon, "jobs/0000000000000000000000000z", ".fault")


def test_the_keyboard_alone_poses_a_robot(daemon, page):
    open_at(page, daemon, "robots", ".cards")

    def tab_to(test, most=80):
        for _ in range(most):
            page.press("Tab")
            if page.run(f"const e = document.activeElement; return {test}"):
                return
        raise AssertionError(test)

    tab_to("e.matches('.card a') && e.textContent.includes('planar-2r')")
    page.press("Enter")
    wait_for(page, "document.querySelector('.view3d[data-state=ready]')")
    tab_to("e.tagName === 'CANVAS'")
    before = pixels(page)
    page.press("ArrowLeft")
    wait_for_other_pixels(page, before)
    tab_to("e.type === 'range'")
    page.press("ArrowRight", "ArrowRight")
    wait_for(page, "location.hash.includes('q=0.0')")


class Line:
    """A line to a daemon that can be cut: all bytes pass, or none and every connection is dropped."""

    def __init__(self, address):
        self.address, self.whole, self.open = address, True, set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near = self.door.accept()[0]
            except OSError:
                return
            if not self.whole:
                near.close()
                continue
            far = socket.create_connection(self.address)
            self.open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    @staticmethod
    def _pass(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        self.whole = False
        for one in self.open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.open = set()

    def mend(self):
        self.whole = True

    def close(self):
        self.cut()
        self.door.close()


LONG = {"initial": {"q": [0, -1, 1, 0, 0, 0]}, "duration_s": 90000, "output": {"interval_s": 1}, "solver": {"method": "rk4", "step_s": 0.0001}}


def submit(one, path, body):
    status, _, text = one.request("POST", path, json.dumps(body).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})
    assert status == 202, text
    return json.loads(text)["id"]


def test_a_network_cut_in_the_stream_is_said_and_mended(daemon, page):
    line = Line(daemon.address)
    ident = submit(daemon, "/v1/robots/ur5e/simulate", LONG)
    try:
        open_at(page, line, "jobs", ".title .good")
        wait_for(page, f"document.querySelector('[aria-label=\"Cancel simulate {ident}\"]')")
        line.cut()
        assert "broken" in wait_for(page, "document.querySelector('.title .dim')?.textContent")
        # what happens meanwhile is on the page when the line is whole again, without a reload
        page.run("window.sameLoad = true")
        assert daemon.request("POST", f"/v1/jobs/{ident}/cancel")[0] in (200, 202)
        late = submit(daemon, "/v1/robots/planar-2r/simulate", {"initial": {"q": [0.5, 0]}, "duration_s": 1, "output": {"interval_s": 0.1}})
        line.mend()
        wait_for(page, "document.querySelector('.title .good')?.textContent.includes('live') && !document.querySelector('.away-bar')")
        wait_for(page, f"document.querySelector('.jobs .state.cancelled') && document.querySelector('[aria-label=\"Repeat simulate {late}\"]')")
        assert page.run("return window.sameLoad")
    finally:
        daemon.request("POST", f"/v1/jobs/{ident}/cancel")
        line.close()


def test_a_token_that_ends_is_asked_for_again_and_nothing_typed_is_lost(page, tmp_path):
    old, new = "correct-horse-battery-staple-0123456789", "another-horse-battery-staple-0123456789"
    path = tmp_path / "tokens"

    def grant(token):
        path.write_text(f"lab {hashlib.blake2b(token.encode(), digest_size=32).hexdigest()}\n")
        path.chmod(0o600)

    grant(old)
    one = Daemon({"credentials": str(path)})
    try:
        open_at(page, one, "robots", ".login")
        fill(page, ".login input", old)
        press(page, "Open")
        wait_for(page, "document.querySelector('.card')")
        open_at(page, one, "robots/planar-2r/torque", ".bar")
        before = page.run("return document.querySelector('.bar-value b').textContent")
        grant(new)
        os.kill(one.process.pid, signal.SIGHUP)
        # the slider goes on asking until the session has ended; then the token is asked for, over the page as it was
        fill(page, "[aria-label='Payload'] input[type=number]", "2")
        for k in range(1000):
            fill(page, "[aria-label='Joint positions'] input[type=number]", str(0.5 + 0.001 * (k % 5)))
            if page.run("return Boolean(document.querySelector('.login'))"):
                break
        fill(page, ".login input", new)
        press(page, "Open")
        wait_for(page, f"!document.querySelector('.login, .fault') && document.querySelector('.bar-value b').textContent !== {json.dumps(before)}")
        assert page.run("return document.querySelector(\"[aria-label='Payload'] input[type=number]\").value") == "2"
    finally:
        one.stop()


def test_a_full_disk_is_said_and_the_log_is_stored_when_there_is_room(page, start):
    one = start()
    hard = resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (4 << 20, hard))
    open_at(page, one, "datasets", ".drop")
    large = """const data = new DataTransfer(); data.items.add(new File(['t,q\\n' + Array.from({ length: 400000 }, (_, k) => `${k},0.123456789012345678`).join('\\n')], 'large.csv'));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));"""
    page.run(large)
    said = wait_for(page, "document.querySelector('.fault')?.textContent")
    assert "large.csv" in said and ("room" in said or "full" in said or "space" in said or "storage" in said), said
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    # the file is still at hand
    press(page, "Try again")
    assert wait_for(page, "[...document.querySelectorAll('.jobs a')].some((one) => one.textContent === 'large') && !document.querySelector('.fault')")


def test_a_failed_job_says_why_and_is_mended_where_it_failed(daemon, page):
    ident = submit(daemon, "/v1/robots/pendulum/calibrate", {"datasets": ["nowhere"]})
    open_at(page, daemon, f"jobs/{ident}", ".state.failed")
    assert "nowhere" in wait_for(page, "document.querySelector('.fault')?.textContent")
    press(page, "Repeat with changes")
    assert "nowhere" in wait_for(page, "document.querySelector('textarea.code')?.value")
    assert not faults_of(page)


def test_a_dataset_deleted_under_the_page_is_said_and_the_rest_goes_on(daemon, page):
    log = b"t,q,tau\n" + b"".join(b"%f,%f,%f\n" % (k / 100, k % 7, k % 5) for k in range(300))
    for name in ("going", "staying"):
        assert daemon.request("PUT", f"/v1/datasets/{name}", log, {"Content-Type": "text/csv"})[0] == 201
    open_at(page, daemon, "robots/pendulum/calibrate", ".checks input")
    page.run("[...document.querySelectorAll('.checks label')].find((one) => one.textContent.startsWith('going')).querySelector('input').click()")
    wait_for(page, "document.querySelector('.mapper')")
    daemon.request("DELETE", "/v1/datasets/going")
    press(page, "Calibrate with 1 log")
    assert "going" in wait_for(page, "document.querySelector('.fault, .field-fault')?.textContent")
    open_at(page, daemon, "datasets/going", ".fault")
    press(page, "Datasets")
    wait_for(page, "[...document.querySelectorAll('.jobs a')].some((one) => one.textContent === 'staying')")


def test_a_killed_service_comes_back_and_the_run_that_is_watched_goes_on(page, tmp_path):
    """SIGKILL in the middle of a run: said in words; by the service's own journal the run is begun anew, and its result is on the page without a reload."""
    one = Daemon(state=str(tmp_path))
    port = one.url.rpartition(":")[2]
    body = {"initial": {"q": [0, -1, 1, 0, 0, 0]}, "duration_s": 6, "output": {"interval_s": 0.1}, "solver": {"method": "rk4", "step_s": 0.0005}}
    begin = time.monotonic()
    assert one.request("POST", "/v1/robots/ur5e/simulate", json.dumps(body).encode(), {"Prefer": "wait=60"})[0] == 200
    # long enough to be killed, short enough to be waited for: some eight seconds of this machine
    body["duration_s"] = max(60, 10 * round(6 * 8 / (time.monotonic() - begin) / 10))
    ident = submit(one, "/v1/robots/ur5e/simulate", body)
    open_at(page, one, f"jobs/{ident}", ".progress")
    page.run("window.sameLoad = true")
    wait_for(page, "document.querySelector('progress').value > 0")
    one.process.send_signal(signal.SIGKILL)
    one.process.wait()
    one.closed = True
    assert "Nothing is lost" in wait_for(page, "document.querySelector('.away-bar')?.textContent")
    again = Daemon(state=str(tmp_path), listen=f"127.0.0.1:{port}")
    try:
        wait_for(page, "!document.querySelector('.away-bar')")
        assert f"ran to its end at {body['duration_s']} s" in wait_for(page, "document.querySelector('.verdicts')?.textContent")
        assert page.run("return window.sameLoad && !document.querySelector('.fault')")
        assert json.loads(again.request("GET", f"/v1/jobs/{ident}")[2])["attempts"] == 2
    finally:
        again.stop()


def test_a_design_that_is_waited_for_is_there_when_the_service_is_back(daemon, page):
    line = Line(daemon.address)
    try:
        open_at(page, line, "robots/panda/calibrate?design=1", "[aria-label='Motion to record'] input")
        fill(page, "[aria-label='Motion to record'] label:nth-of-type(4) input", "3000")
        press(page, "Design the motion")
        wait_for(page, "[...document.querySelectorAll('[aria-label=\"Motion to record\"] button')].some((one) => one.textContent === 'Designing\u2026')")
        end = time.monotonic() + 60
        while not json.loads(daemon.request("GET", "/v1/jobs?kind=excitation")[2])["jobs"]:
            assert time.monotonic() < end
        line.cut()
        wait_for(page, "document.querySelector('.away-bar')")
        line.mend()
        assert "Condition" in wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"] .verdicts')?.textContent")
        assert page.run("return !document.querySelector('.fault')")
    finally:
        line.close()


def test_a_log_dropped_while_the_service_is_away_is_stored_when_it_is_back(daemon, page):
    line = Line(daemon.address)
    try:
        for address, ready, stored in (("datasets", ".drop", "[...document.querySelectorAll('.jobs a')].some((one) => one.textContent === 'meanwhile-%d')"),
                                       ("robots/pendulum/calibrate", ".checks input", "[...document.querySelectorAll('.checks label')].some((one) => one.textContent.startsWith('meanwhile-%d') && one.querySelector('input').checked)")):
            number = 1 if address == "datasets" else 2
            open_at(page, line, address, ready)
            line.cut()
            drop(page, ".drop", f"meanwhile {number}.csv", f"t,q,tau\n0,1,{number}\n1,2,0\n2,1,1\n")
            said = wait_for(page, "[...document.querySelectorAll('.fault')].map((one) => one.textContent).find((one) => one.includes('meanwhile'))")
            assert "does not answer" in said and "Try again" in said
            line.mend()
            wait_for(page, f"{stored % number} && !document.querySelector('.fault')")
    finally:
        line.close()


def test_a_page_not_yet_loaded_is_said_and_shown_when_the_service_is_back(daemon, page):
    """Code of a page is loaded when it is first shown: by then the service may be away, or may have another version."""
    line = Line(daemon.address)
    try:
        open_at(page, line, "robots", ".card")
        page.run("window.sameLoad = true")
        line.cut()
        page.run("location.hash = '#/robots/ur5e/torque'")
        assert "does not answer" in wait_for(page, "document.querySelector('main .fault')?.textContent")
        wait_for(page, "document.querySelector('.away-bar')")
        line.mend()
        wait_for(page, "document.querySelectorAll('.bar').length === 6 && !document.querySelector('.away-bar')")
        assert page.run("return window.sameLoad")
        # another version: the part has another name there
        page.tab.route("**/dashboard/robot.js*", lambda route: route.fulfill(status=404, body=""))
        open_at(page, line, "robots", ".card")
        page.run("location.hash = '#/robots/ur5e'")
        assert "Load the page again" in wait_for(page, "document.querySelector('main .fault')?.textContent")
    finally:
        page.tab.unroute("**/dashboard/robot.js*")
        line.close()


def test_what_is_not_shown_is_not_loaded(daemon, page):
    """Of the list of robots: neither curves nor the 3D view; each with the first page that has some."""
    loaded = "return performance.getEntriesByType('resource').map((one) => one.name.split('/').pop()).filter((name) => name.endsWith('.js')).sort()"
    open_at(page, daemon, "robots", ".card")
    assert page.run(loaded) == ["main.js"]
    # the others while nothing else is to be done, but not the 3D drawing
    wait_for(page, "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/work.js'))")
    assert "scene.js" not in page.run(loaded)
    open_at(page, daemon, "robots/ur5e", ".view3d[data-state=ready]")
    assert "scene.js" in page.run(loaded)
