# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_credentials.py - with credentials configured, no request succeeds without a token.
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import time

import pytest
from conftest import PATIENCE, TORQUED, eventually, problem

TOKENS = ["0123456789abcdef" * 4, "another.token_with-other~letters+/="]
BODY = b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}'


def digest(token):
    return hashlib.blake2b(token.encode(), digest_size=32).hexdigest()


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    path = tmp_path_factory.mktemp("credentials") / "tokens"
    lines = ["# who may come in", "", f"lab {digest(TOKENS[0])}", f"  robot-cell\t{digest(TOKENS[1]).upper()}  # with a comment"]
    path.write_text("\n".join(lines))  # the last line has no newline
    return path


def bearer(token, scheme="Bearer"):
    return {"Authorization": f"{scheme} {token}"}


def test_nothing_without_a_token(start, tokens):
    one = start({"credentials": tokens})
    for method, path in (("GET", "/v1/robots"), ("GET", "/metrics"), ("GET", "/v1/events"), ("POST", "/v1/robots/planar-2r/inverse-dynamics"),
                         ("PUT", "/v1/robots/mine"), ("DELETE", "/v1/robots/panda"), ("GET", "/nothing"), ("GET", "/v1/version")):
        reply = one.request(method, path, BODY if method in ("POST", "PUT") else None)
        problem(reply, 401)
        assert reply[1]["WWW-Authenticate"] == 'Bearer realm="torqued"'
    for path in ("/", "/healthz", "/readyz", "/docs", "/docs.js", "/openapi.json", "/openapi/clients.json", "/favicon.ico", "/dashboard/main.js", "/problems", "/problems/unauthorized"):
        assert one.request("GET", path)[0] == 200


@pytest.mark.parametrize("token", TOKENS)
def test_a_known_token_opens(start, tokens, token):
    one = start({"credentials": tokens})
    assert one.request("GET", "/v1/robots", headers=bearer(token))[0] == 200
    assert one.request("GET", "/v1/robots", headers=bearer(token, "bearer"))[0] == 200
    status, _, body = one.request("POST", "/v1/robots/planar-2r/inverse-dynamics", BODY, {**bearer(token), "Content-Type": "application/json"})
    assert status == 200 and len(json.loads(body)["tau"]) == 2
    problem(one.request("GET", "/nothing", headers=bearer(token)), 404)


@pytest.mark.parametrize(
    "header",
    [
        "Bearer", "Bearer ", TOKENS[0], f"Bearer{TOKENS[0]}", f"Basic {TOKENS[0]}", f"Bearer {TOKENS[0][:-1]}", f"Bearer {TOKENS[0]}0",
        f"Bearer {TOKENS[0]} {TOKENS[1]}", f"Bearer {digest(TOKENS[0])}", f"Bearer {TOKENS[0].upper()}", "Bearer " + "a" * 600, f'Bearer "{TOKENS[0]}"',
    ],
)
def test_no_other_header_opens(start, tokens, header):
    one = start({"credentials": tokens})
    problem(one.request("GET", "/v1/robots", headers={"Authorization": header}), 401)


def test_without_credentials_no_token_is_asked_for(daemon):
    assert daemon.request("GET", "/v1/robots", headers=bearer("anything"))[0] == 200
    assert daemon.request("GET", "/v1/robots")[0] == 200


def test_beyond_loopback_only_with_credentials(start, tokens, tmp_path):
    done = subprocess.run([TORQUED, "--check-config", "--listen", "0.0.0.0:0", "--state-dir", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 78 and "needs the setting credentials" in done.stderr
    one = start({"credentials": tokens}, listen="0.0.0.0:0")
    one.address = ("127.0.0.1", one.address[1])
    problem(one.request("GET", "/v1/robots"), 401)
    assert one.request("GET", "/v1/robots", headers=bearer(TOKENS[0]))[0] == 200


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "No such file"),
        ("", "no token: no client could authenticate"),
        ("# only a comment\n", "no token: no client could authenticate"),
        ("lab\n", ":1: a line is a name"),
        (f"lab {'0' * 63}\n", ":1: a line is a name"),
        (f"lab {'0' * 65}\n", ":1: a line is a name"),
        (f"lab {'g' * 64}\n", ":1: a line is a name"),
        (f"\nlab {'0' * 64} more\n", ":2: a line is a name"),
        ("lab " + " " * 1100 + "0" * 64 + "\n", ":1: the line is too long"),
        ("".join(f"c{k} {digest(str(k))}\n" for k in range(257)), ":257: more than 256 tokens"),
    ],
)
def test_an_invalid_file_admits_nobody(tmp_path, text, says):
    path = tmp_path / "tokens"
    if text is not None:
        path.write_text(text)
    config = tmp_path / "torqued.conf"
    config.write_text(f"[torqued]\ncredentials = {path}\n")
    done = subprocess.run([TORQUED, "--check-config", "--config", str(config), "--state-dir", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 78 and says in done.stderr and done.stderr.count("\n") == 1


def test_systemd_may_hand_the_file_over(tmp_path, tokens):
    (tmp_path / "tokens").write_text("broken\n")
    environment = {**os.environ, "CREDENTIALS_DIRECTORY": str(tmp_path)}
    command = [TORQUED, "--check-config", "--listen", "0.0.0.0:0", "--state-dir", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 78 and "tokens:1: a line is a name" in done.stderr
    (tmp_path / "tokens").write_text(tokens.read_text())
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=False).returncode == 0


def begin(one, token, **headers):
    """Creates a browser session; returns the Set-Cookie header, and the part of it that a browser sends back."""
    status, got, body = one.request("POST", "/v1/session", headers={**bearer(token), **headers})
    assert status == 204 and body == b""
    return got["Set-Cookie"], got["Set-Cookie"].partition(";")[0]


def test_a_browser_gets_a_cookie_for_its_token(start, tokens):
    one = start({"credentials": tokens})
    problem(one.request("POST", "/v1/session"), 401)
    seen = set()
    for token in TOKENS * 2:
        whole, cookie = begin(one, token)
        assert re.fullmatch(r"torqued_session=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200", whole)
        seen.add(cookie)
        for sent in (cookie, f"other=1; {cookie}", f"{cookie}; torqued_session=wrong"):
            assert one.request("GET", "/v1/robots", headers={"Cookie": sent})[0] == 200
        # a wrong token is refused even with a valid cookie, and a cookie alone creates no further session
        problem(one.request("GET", "/v1/robots", headers={"Cookie": cookie, **bearer("wrong")}), 401)
        problem(one.request("POST", "/v1/session", headers={"Cookie": cookie}), 401)
    assert len(seen) == 4, "each is a secret of its own"
    # a request from a page of another site is refused even with the cookie
    problem(one.request("DELETE", "/v1/robots/panda", headers={"Cookie": cookie, "Origin": "https://evil.example"}), 403)
    # a browser sends cookies to every port of a host; another port is another origin
    host, port = one.address
    asked = {"Cookie": cookie, "Origin": f"http://{host}:{port + 1}"}
    problem(one.request("DELETE", "/v1/robots/none", headers=asked), 403)
    problem(one.request("DELETE", "/v1/robots/none", headers={**asked, "Sec-Fetch-Site": "same-site"}), 403)
    problem(one.request("DELETE", "/v1/robots/none", headers={"Cookie": cookie, "Origin": f"http://{host}:{port}"}), 404)
    problem(one.request("DELETE", "/v1/robots/none", headers={**bearer(token), "Origin": f"http://{host}:{port + 1}"}), 404)


def test_a_ticket_opens_event_streams_of_listed_pages_and_nothing_else(start, tokens):
    one = start({"credentials": tokens, "origins": "https://lab.example"})
    problem(one.request("POST", "/v1/tickets"), 401)
    status, headers, body = one.request("POST", "/v1/tickets", headers={**bearer(TOKENS[0]), "Origin": "https://lab.example"})
    answer = json.loads(body)
    assert status == 200 and headers["Cache-Control"] == "no-store" and headers["Access-Control-Allow-Origin"] == "https://lab.example"
    assert re.fullmatch("[0-9a-f]{64}", answer["ticket"]) and answer["expires_in_s"] == 3600
    ticket = answer["ticket"]
    job = json.loads(one.request("POST", "/v1/robots/planar-2r/inverse-dynamics", b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}',
                                 {**bearer(TOKENS[0]), "Prefer": "respond-async"})[2])["id"]
    stream = f"/v1/jobs/{job}/events"
    for _ in range(2):  # twice, as EventSource reconnects; without a token, from a page of the allowed origin
        status, headers, body = one.request("GET", f"{stream}?ticket={ticket}", headers={"Origin": "https://lab.example"})
        assert status == 200 and headers["Access-Control-Allow-Origin"] == "https://lab.example" and b"succeeded" in body
    for bad in ("", "?ticket=", "?ticket=" + "0" * 64, f"?ticket={ticket[:-1]}", f"?ticket={ticket}0", f"?x=1&ticket={ticket}", f"?ticket={ticket}&x=1"):
        problem(one.request("GET", stream + bad), 401)
    for path in ("/v1/robots", f"/v1/jobs/{job}", f"/v1/jobs/{job}/result", f"/v1/jobs/{job}/request"):
        problem(one.request("GET", f"{path}?ticket={ticket}"), 401)
    problem(one.request("DELETE", f"{stream}?ticket={ticket}"), 401)
    problem(one.request("POST", f"/v1/tickets?ticket={ticket}"), 401)
    problem(one.request("GET", "/v1/robots", headers={"Cookie": f"torqued_session={ticket}"}), 401)
    problem(one.request("GET", f"{stream}?x=1", headers=bearer(TOKENS[0])), 422)


def test_a_session_can_be_ended(start, tokens):
    one = start({"credentials": tokens})
    cookies = [begin(one, TOKENS[0])[1] for _ in range(3)]
    for ended, cookie in enumerate(cookies):
        status, headers, _ = one.request("DELETE", "/v1/session", headers={"Cookie": cookie})
        assert status == 204 and headers["Set-Cookie"] == "torqued_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        for k, other in enumerate(cookies):
            assert one.request("GET", "/v1/robots", headers={"Cookie": other})[0] == (401 if k <= ended else 200)
    assert one.request("DELETE", "/v1/session", headers=bearer(TOKENS[0]))[0] == 204, "nothing to end is no fault"


def test_streams_end_with_their_session_and_their_token(start, tmp_path):
    """Signing out ends the streams of that session, taking the token out of the file all streams that it opened; others go on."""
    path = tmp_path / "tokens"
    path.write_text(f"one {digest(TOKENS[0])}\ntwo {digest(TOKENS[1])}\n")
    one = start({"credentials": path})
    cookies = [begin(one, TOKENS[0])[1] for _ in range(2)]
    ticket = json.loads(one.request("POST", "/v1/tickets", headers=bearer(TOKENS[0]))[2])["ticket"]
    opened = {name: open_stream(one, *how) for name, how in {
        "signed out": ("/v1/events", {"Cookie": cookies[0]}), "session": ("/v1/events", {"Cookie": cookies[1]}),
        "ticket": (f"/v1/events?ticket={ticket}", {}), "bearer": ("/v1/events", bearer(TOKENS[0])),
        "other": ("/v1/events", bearer(TOKENS[1]))}.items()}
    assert one.request("DELETE", "/v1/session", headers={"Cookie": cookies[0]})[0] == 204
    ended(opened.pop("signed out"))
    assert all(goes_on(stream) for stream in opened.values())
    path.write_text(f"two {digest(TOKENS[1])}\n")
    os.kill(one.process.pid, signal.SIGHUP)
    for name in ("session", "ticket", "bearer"):
        ended(opened.pop(name))
    time.sleep(1.5)  # two more looks
    assert goes_on(opened["other"])
    for stream in opened.values():
        stream.close()


def open_stream(one, path, headers):
    s = socket.create_connection(one.address, timeout=PATIENCE)
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *(f"{k}: {v}" for k, v in headers.items())]
    s.sendall("\r\n".join([*lines, "", ""]).encode())
    got = b""
    while b"retry:" not in got:
        got += s.recv(4096)
    assert got.startswith(b"HTTP/1.1 200"), got
    return s


def ended(stream):
    """The connection ends, though the client has not asked for it."""
    while stream.recv(4096):
        pass
    stream.close()


def goes_on(stream):
    stream.setblocking(False)
    try:
        return stream.recv(4096) != b""
    except BlockingIOError:
        return True
    finally:
        stream.settimeout(PATIENCE)


def test_the_oldest_of_many_sessions_ends(start, tokens):
    one = start({"credentials": tokens})
    with contextlib.closing(one.connect()) as connection:
        def ask(method, path, headers):
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            response.read()
            return response

        cookies = [ask("POST", "/v1/session", bearer(TOKENS[0])).headers["Set-Cookie"].partition(";")[0] for _ in range(260)]
        known = [ask("GET", "/v1/robots/none", {"Cookie": cookie}).status for cookie in cookies]
    assert known.count(404) == 256, "some of the first second have ended"
    assert known[-1] == 404


def test_a_cookie_given_over_tls_stays_with_tls(start, tokens):
    one = start({"credentials": tokens, "origins": "https://lab.example"})
    assert begin(one, TOKENS[0], Origin="https://lab.example")[0].endswith("; SameSite=Strict; Max-Age=43200; Secure")


def test_no_other_cookie_opens(start, tokens):
    one = start({"credentials": tokens})
    _, good = begin(one, TOKENS[0])
    for cookie in ("torqued_session=", "torqued_session", "torqued_session=wrong", "torqued_session=" + TOKENS[0], f"torqued_token={TOKENS[0]}",
                   "torqued_session=" + "0" * 64, "x" + good, "a=" + good, good[:-1], good + "0", good.upper()):
        problem(one.request("GET", "/v1/robots", headers={"Cookie": cookie}), 401)
    assert one.request("GET", "/v1/robots", headers={"Cookie": good})[0] == 200


def test_credentials_are_read_again_at_sighup(start, tmp_path):
    """Rotation without an outage: first both tokens, then the new one only. A file with an error changes nothing."""
    path = tmp_path / "tokens"
    path.write_text(f"old {digest(TOKENS[0])}\n")
    one = start({"credentials": path})

    def reloaded(text, event):
        path.write_text(text)
        before = sum(event in line for line in one.log)
        os.kill(one.process.pid, signal.SIGHUP)
        eventually(lambda: sum(event in line for line in one.log) == before + 1)

    def states():
        return [one.request("GET", "/v1/robots", headers=bearer(token))[0] for token in TOKENS]

    cookie = one.request("POST", "/v1/session", headers=bearer(TOKENS[0]))[1]["Set-Cookie"].split(";")[0]
    assert one.request("GET", "/v1/robots", headers={"Cookie": cookie})[0] == 200
    assert states() == [200, 401]
    reloaded("not a line of it\n", '"not reloaded')
    assert states() == [200, 401]
    reloaded("# nobody\n", '"not reloaded')
    assert states() == [200, 401]
    reloaded(f"old {digest(TOKENS[0])}\nnew {digest(TOKENS[1])}\n", '"reloaded"')
    assert states() == [200, 200]
    reloaded(f"new {digest(TOKENS[1])}\n", '"reloaded"')
    assert states() == [401, 200]
    assert one.request("GET", "/v1/robots", headers={"Cookie": cookie})[0] == 401, "a session of a token that is gone"
    path.unlink()
    os.kill(one.process.pid, signal.SIGHUP)
    assert states() == [401, 200]


def test_refused_tokens_are_logged_now_and_then(start, tokens):
    """One line a minute with a count: guessing tokens cannot fill the log, and the line contains no token."""
    one = start({"credentials": tokens})
    for _ in range(4):
        problem(one.request("GET", "/v1/robots", headers=bearer("guess-of-a-token")), 401)
    eventually(lambda: any("without a valid token" in line for line in one.log))
    lines = [json.loads(line) for line in one.log if "without a valid token" in line]
    assert len(lines) == 1 and lines[0]["refused"] == 1 and lines[0]["path"] == "/v1/robots"
    assert "guess-of-a-token" not in "".join(one.log)
    assert [json.loads(line)["credentials"] for line in one.log if '"listening"' in line] == ["2 tokens"]
