# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_origins.py - cross-origin requests: only from listed origins.
import hashlib
import json
import pathlib
import signal
import socket

import pytest
from conftest import PATIENCE, Daemon, eventually, problem

LAB, CELL = "https://lab.example", "http://cell.example:8080"
LISTED = {"origins": f"{LAB}, {CELL}"}
ASK = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'
PATH = "/v1/robots/planar-2r/inverse-dynamics"


@pytest.fixture(scope="module")
def listed():
    one = Daemon(LISTED)
    yield one
    one.stop()


def shown(headers):
    return headers.get("Access-Control-Allow-Origin")


def test_off_unless_origins_are_listed(daemon):
    status, headers, _ = daemon.request("OPTIONS", PATH, headers={"Origin": LAB, **ASK})
    assert status == 405 and shown(headers) is None
    status, headers, _ = daemon.request("GET", "/v1/robots", headers={"Origin": LAB})
    assert status == 200 and shown(headers) is None
    problem(daemon.request("POST", PATH, BODY, {"Origin": LAB}), 403)


@pytest.mark.parametrize("origin", [LAB, CELL])
def test_a_listed_origin_may_send_and_read(listed, origin):
    status, headers, body = listed.request("OPTIONS", PATH, headers={"Origin": origin, **ASK})
    assert (status, body, shown(headers)) == (204, b"", origin)
    assert "POST" in headers["Access-Control-Allow-Methods"].split(", ")
    assert {"Authorization", "Content-Type", "Prefer", "Idempotency-Key"} <= set(headers["Access-Control-Allow-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in headers
    status, headers, body = listed.request("POST", PATH, BODY, {"Origin": origin, "Content-Type": "application/json"})
    assert status == 200 and shown(headers) == origin and headers["Vary"] == "Origin" and len(json.loads(body)["tau"]) == 2
    assert "Location" in headers["Access-Control-Expose-Headers"].split(", ")
    reply = listed.request("POST", PATH, b"{}", {"Origin": origin})
    problem(reply, 422)
    assert shown(reply[1]) == origin


def test_large_bodies_are_shown_too(listed):
    row = "[" + ",".join(["[0.25,0.5]"] * 20000) + "]"
    body = f'{{"q":{row},"qd":{row},"qdd":{row}}}'
    status, headers, answer = listed.request("POST", PATH, body, {"Origin": LAB, "Content-Type": "application/json"})
    assert status == 200 and shown(headers) == LAB and len(json.loads(answer)["tau"]) == 20000


@pytest.mark.parametrize("origin", ["https://lab.example.evil", "https://lab.exampl", "http://lab.example", "https://LAB.example", "null", "", LAB + ","])
def test_other_pages_are_refused(listed, origin):
    status, headers, _ = listed.request("OPTIONS", PATH, headers={"Origin": origin, **ASK})
    assert status == 405 and shown(headers) is None
    status, headers, _ = listed.request("GET", "/v1/robots", headers={"Origin": origin})
    assert status == 200 and shown(headers) is None
    problem(listed.request("POST", PATH, BODY, {"Origin": origin}), 403)


@pytest.mark.parametrize("headers, status", [
    ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Origin": "http://localhost"}, 403),
    ({"Origin": "https://robots.example:8443"}, 403), ({"Origin": "https://robots.example.evil"}, 403),
    ({"Origin": "https://robots.example", "Sec-Fetch-Site": "same-site"}, 403),
    ({"Origin": "https://robots.example", "Sec-Fetch-Site": "cross-site"}, 403),
    ({"Origin": "https://robots.example"}, 200), ({"Origin": "https://robots.example", "Sec-Fetch-Site": "same-origin"}, 200),
    ({"Origin": LAB}, 200), ({}, 200)])
def test_a_unix_socket_admits_only_its_own_pages_and_listed_ones(start, tmp_path, headers, status):
    """On a Unix socket any Host is accepted, for a reverse proxy; therefore Origin must equal Host."""
    path = str(tmp_path / "torqued.sock")
    start(LISTED, listen=f"unix:{path}")
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(PATIENCE)
        s.connect(path)
        fields = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "robots.example", "Connection": "close", **headers}.items())
        s.sendall(f"POST {PATH} HTTP/1.1\r\n{fields}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
        assert s.recv(65536).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_preflight_request_needs_no_token(start, tmp_path):
    token = "c" * 64
    (tmp_path / "tokens").write_text(f"lab {hashlib.blake2b(token.encode(), digest_size=32).hexdigest()}\n")
    one = start({**LISTED, "credentials": tmp_path / "tokens"})
    assert one.request("OPTIONS", PATH, headers={"Origin": LAB, **ASK})[0] == 204
    reply = one.request("POST", PATH, BODY, {"Origin": LAB})
    problem(reply, 401)
    assert shown(reply[1]) == LAB
    assert one.request("POST", PATH, BODY, {"Origin": LAB, "Authorization": f"Bearer {token}"})[0] == 200
    problem(one.request("OPTIONS", PATH, headers={"Origin": "https://evil.example", **ASK}), 401)


def events(one, word):
    return [json.loads(line) for line in one.log if word in line]


def test_a_reload_takes_lists_and_log_level(start):
    """SIGHUP reads the file again: settings that can change at run time do, the log names the others, and a file
    with an error changes nothing."""
    one = start({"origins": LAB, "queue": 100})
    config = pathlib.Path(one.folder.name) / "torqued.conf"
    before = config.read_text()
    host = {"Host": "lab.example:1"}
    assert shown(one.request("GET", "/v1/robots", headers={"Origin": LAB})[1]) == LAB
    problem(one.request("GET", "/v1/robots", headers=host), 400)

    config.write_text(before.replace(LAB, CELL).replace("queue = 100", "queue = 101") + "hosts = lab.example\n")
    one.process.send_signal(signal.SIGHUP)
    eventually(lambda: events(one, "settings reloaded"))
    reported = events(one, "settings reloaded")[0]
    assert (reported["origins"], reported["hosts"], reported["after_a_restart"]) == (CELL, "lab.example", "queue")
    assert shown(one.request("GET", "/v1/robots", headers={"Origin": LAB})[1]) is None
    assert shown(one.request("GET", "/v1/robots", headers={"Origin": CELL})[1]) == CELL
    assert one.request("GET", "/v1/robots", headers=host)[0] == 200

    config.write_text(before.replace(LAB, "*"))
    one.process.send_signal(signal.SIGHUP)
    eventually(lambda: events(one, "not reloaded"))
    assert 'origins: "*"' in events(one, "not reloaded")[0]["reason"]
    assert shown(one.request("GET", "/v1/robots", headers={"Origin": CELL})[1]) == CELL
    assert one.request("GET", "/v1/robots", headers=host)[0] == 200


def test_refused_origins_are_logged_now_and_then(start):
    """A browser tells its user only "CORS": the log names the origin and the setting, at most once a minute."""
    one = start({"origins": CELL})
    for _ in range(5):
        problem(one.request("POST", PATH, BODY, {"Origin": LAB}), 403)
    for _ in range(5):
        assert one.request("GET", "/v1/robots", headers={"Origin": LAB})[0] == 200
    own = f"http://{one.address[0]}:{one.address[1]}"
    assert one.request("GET", "/v1/robots", headers={"Origin": own})[0] == 200
    eventually(lambda: events(one, "another origin"))
    lines = events(one, "another origin")
    assert len(lines) == 1 and (lines[0]["origin"], lines[0]["setting"], lines[0]["refused"]) == (LAB, "origins", 1), lines


def test_an_origin_that_may_read_is_not_logged(start):
    one = start({"origins": CELL})
    own = f"http://{one.address[0]}:{one.address[1]}"
    for origin in (CELL, own):
        assert one.request("GET", "/v1/robots", headers={"Origin": origin})[0] == 200
        assert one.request("POST", PATH, BODY, {"Origin": origin, "Content-Type": "application/json"})[0] == 200
    assert not events(one, "another origin")
    # the response lacks CORS headers: its page cannot read it
    assert one.request("GET", "/v1/robots", headers={"Origin": LAB})[0] == 200
    eventually(lambda: events(one, "another origin cannot read"))
    assert [line["origin"] for line in events(one, "another origin")] == [LAB]
