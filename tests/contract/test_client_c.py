# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_client_c.py - libtqc, driven by tqc_drive.c, against the real daemon: the same bits as curl, faults, retries, no allocation.
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading

import numpy as np
import pytest
from conftest import PATIENCE, ROOT, SLOW, TORQUED

OUT = os.path.dirname(os.path.realpath(TORQUED))
DRIVE = os.path.join(OUT, "tqc_drive")
OK, BAD_ARGUMENT, NO_MEMORY, UNREACHABLE, BROKEN, TIMEOUT, REFUSED, UNAUTHORIZED, TOO_SMALL, NOT_UNDERSTOOD, STOPPED = range(11)

pytestmark = pytest.mark.skipif(not os.path.exists(DRIVE), reason="tqc_drive is not built: make contract does")


def drive(server, *args, stdin=b"", retries=0, env=None):
    done = subprocess.run([DRIVE, getattr(server, "url", server), str(retries), *map(str, args)], input=stdin, capture_output=True,
                          timeout=PATIENCE, env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr.decode().splitlines()


def motion(n, columns, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, (n, columns))


def npy(array):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {array.shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00\x76\x00" + head + array.tobytes()


def by_http(daemon, operation, robot, parts, third):
    """The same numbers as JSON over HTTP."""
    body = json.dumps({"q": parts[0].tolist(), "qd": parts[1].tolist(), third: parts[2].tolist()})
    status, _, answer = daemon.request("POST", f"/v1/robots/{robot}/{operation}", body, {"Content-Type": "application/json"})
    assert status == 200, answer
    return np.array(json.loads(answer)["tau" if third == "qdd" else "qdd"])


@pytest.mark.parametrize("n", (1, 2, 3000 // SLOW))
@pytest.mark.parametrize("operation, third", (("inverse", "qdd"), ("forward", "tau")))
def test_dynamics_have_the_bits_of_http(daemon, operation, third, n):
    parts = [motion(n, 7, k) for k in range(3)]
    stdin = b"".join(p.tobytes() for p in parts)
    expected = by_http(daemon, f"{operation}-dynamics", "panda", parts, third).tobytes()
    assert drive(daemon, "dynamics", operation, "panda", n, 7, 7, stdin=stdin) == (OK, expected, [])
    for times in (1, 20):
        assert drive(daemon, "call", operation, "panda", n, 7, 7, times, 0, stdin=stdin)[:2] == (OK, expected)


@pytest.mark.skipif(SLOW > 1, reason="a sanitizer has an allocator of its own")
@pytest.mark.parametrize("operation", ("inverse", "forward"))
@pytest.mark.parametrize("n", (1, 500))
def test_a_control_loop_allocates_nothing(start, tmp_path, operation, n):
    """Neither libtqc nor libcurl allocates memory, from the first call on."""
    stdin = b"".join(motion(n, 7, k).tobytes() for k in range(3))
    for listen in ("127.0.0.1:0", f"unix:{tmp_path}/s"):
        daemon = start(listen=listen)
        url = daemon.url if listen[0] == "1" else listen
        status, _, said = drive(url, "call", operation, "panda", n, 7, 7, 200, 60_000_000, stdin=stdin)
        assert (status, said) == (OK, ["0 0"])


def test_any_operation_with_arrays(daemon):
    q = motion(5, 7)
    status, out, said = drive(daemon, "compute", "panda", "terms", '{"include": ["gravity_torque", "mass_matrix"]}', 5, 7, "q", "--", 245,
                              "gravity_torque", "mass_matrix", stdin=q.tobytes())
    assert (status, said[0]) == (OK, "gravity_torque 35 5 7"), said
    assert said[1].split()[:3] == ["mass_matrix", "245", "5"]
    reported = json.loads(daemon.request("POST", "/v1/robots/panda/terms", json.dumps({"q": q.tolist(), "include": ["gravity_torque", "mass_matrix"]}))[2])
    assert out == np.array(reported["gravity_torque"]).tobytes() + np.array(reported["mass_matrix"]).tobytes()


def test_fields_are_converted_from_json(daemon):
    """Nested objects, strings with escapes, integers, negative and fractional numbers."""
    fields = {"initial": {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}, "duration_s": 0.2, "output": {"interval_s": 1e-1}, "without": ["fr\u0069ction"],
              "gravity": [0, 0, -9], "verdict": {"tolerated_error": 0.01}, "events": []}
    status, out, said = drive(daemon, "compute", "panda", "simulate", json.dumps(fields), 0, 0, "--", 21, "t", "q", "stats.steps", "verdict.t")
    assert status == OK, said
    reported = json.loads(daemon.request("POST", "/v1/robots/panda/simulate", json.dumps(fields))[2])
    expected = np.concatenate([np.array(reported["t"]), np.ravel(reported["q"]), [reported["stats"]["steps"], reported["verdict"]["t"]]])
    assert out == expected.tobytes()
    for bad in ("[1]", "{", '{"a": }', "{} x", '{"a" 1}', '{"a": "\n"}', "x", '{"a": [1 2]}', '{"a": 1,, "b": 2}', '{"a": tru}', "[" * 100):
        assert drive(daemon, "compute", "panda", "terms", bad, 0, 0, "--", 1, "tau")[0] == BAD_ARGUMENT, bad


def test_states_of_a_session_have_their_texts(daemon):
    """hash, ended and ended_joint of each state are those of the JSON: of a running session, an ended one, a
    fork and a rewound one."""
    def ask(path, body):
        status, _, answer = daemon.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        assert status in (200, 201), answer
        return json.loads(answer)

    pendulum = {"robot": "pendulum", "initial": {"q": [0.1]}, "step_s": 0.001,
                "events": [{"on": "q", "joint": "joint1", "level": 0.2, "action": "stop"}]}
    panda = {"robot": "panda", "initial": {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}, "step_s": 0.001}
    for request, tau, steps, times in ((pendulum, [30.0], 100, 1), (panda, [1e9] * 7, 1000, 1), (panda, [1.0] * 7, 3, 4)):
        session = ask("/v1/sessions", request)
        states = [session["state"]]
        for _ in range(times):
            states.append(ask(f"/v1/sessions/{session['id']}/step", {"tau": tau, "steps": steps}))
        states += 2 * states[:1]
        status, out, said = drive(daemon, "session", json.dumps(request), len(tau), steps, times, stdin=np.array(tau).tobytes())
        assert status == OK, said
        assert said == [f"{s['step']} {s['hash']} {s.get('ended_joint', '')}: {s.get('ended', '')}" for s in states]
        assert out == b"".join(np.array([s["t"], *s["q"]]).tobytes() for s in states)
        assert ("ended" in states[1]) == (tau[0] > 1)
    code, _, said = drive(daemon, "session", json.dumps({**pendulum, "robot": "none"}), 1, 1, 1, stdin=bytes(8))
    assert (code, said[2]) == (REFUSED, "unknown-robot")


def test_problems_become_errors(daemon):
    code, _, said = drive(daemon, "compute", "panda", "inverse-dynamics", "{}", 0, 2, "q", "--", 7, "tau", stdin=bytes(16))
    assert code == REFUSED
    assert said[:6] == [str(REFUSED), "422", "wrong-length", "An array has the wrong length", said[4], "/q"]
    assert "7 numbers" in said[6] and len(said[7]) == 26
    code, _, said = drive(daemon, "dynamics", "inverse", "no-such", 1, 7, 7, stdin=bytes(168))
    assert (code, said[1], said[2]) == (REFUSED, "404", "unknown-robot")
    code, _, said = drive(daemon, "call", "inverse", "no-such", 1, 7, 7, 3, 0, stdin=bytes(168))
    assert (code, said[1], said[2]) == (REFUSED, "404", "unknown-robot")
    assert drive(daemon, "dynamics", "inverse", "a/b", 1, 7, 7, stdin=bytes(168))[0] == BAD_ARGUMENT
    assert drive(daemon, "dynamics", "inverse", "panda", 1, 6, 6, stdin=bytes(144))[0] == REFUSED
    assert drive(daemon, "compute", "panda", "inverse-dynamics", "", 0, 7, "q", "qd", "qdd", "--", 6, "tau", stdin=bytes(168))[0] == TOO_SMALL
    assert drive(daemon, "compute", "panda", "inverse-dynamics", "", 0, 7, "q", "qd", "qdd", "--", 9, "none", stdin=bytes(168))[0] == NOT_UNDERSTOOD
    assert drive("ftp://x", "send", "GET", "/v1/robots", "", "", 9)[0] == BAD_ARGUMENT


def test_any_request(daemon):
    status, out, said = drive(daemon, "send", "GET", "/v1/version", "", "", 4096)
    assert status == OK and out == daemon.request("GET", "/v1/version")[2] and said[0].startswith(f"200 1 {len(out)} application/json")
    assert drive(daemon, "send", "GET", "/v1/version", "", "", 10)[0] == TOO_SMALL
    status, out, said = drive(daemon, "send", "PUT", "/v1/datasets/by-c", "t,q\n0,1\n1,2\n", "", 4096)
    assert status == REFUSED and said[2] == "unsupported-media" or status == OK
    body = json.dumps({"q": [0] * 7, "qd": [0] * 7, "qdd": [0] * 7})
    first = drive(daemon, "send", "POST", "/v1/robots/panda/inverse-dynamics", body, "key-of-c", 4096)
    again = drive(daemon, "send", "POST", "/v1/robots/panda/inverse-dynamics", body, "key-of-c", 4096)
    assert first[0] == again[0] == OK and first[2][0].split()[4] == again[2][0].split()[4], "the same job"
    assert first[2][0].split()[0] == "202"


def test_no_server_and_time_limits():
    with socket.create_server(("127.0.0.1", 0)) as s:
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
        assert drive(url, "send", "GET", "/v1/version", "", "", 9, env={"DRIVE_TIMEOUT": "300"})[0] == TIMEOUT
        assert drive(url, "call", "inverse", "panda", 1, 7, 7, 1, 300_000, stdin=bytes(168))[0] == TIMEOUT
    assert drive(url, "send", "GET", "/v1/version", "", "", 9)[0] == UNREACHABLE
    assert drive(url, "call", "inverse", "panda", 1, 7, 7, 1, 0, stdin=bytes(168))[0] == UNREACHABLE
    assert drive("unix:/no/such", "send", "GET", "/v1/version", "", "", 9)[0] == UNREACHABLE


def test_tokens(tmp_path):
    heard = []
    reply = b"HTTP/1.1 401 X\r\nContent-Length: 2\r\n\r\n{}"
    (tmp_path / "token").write_text("s3cret\nmore\n")
    with scripted([reply] * 3, heard) as url:
        for env in ({"DRIVE_TOKEN": "s3cret"}, {"DRIVE_TOKEN_FILE": str(tmp_path / "token")}):
            assert drive(url, "send", "GET", "/v1/version", "", "", 9, env=env)[0] == UNAUTHORIZED
        assert drive(url, "call", "inverse", "panda", 1, 7, 7, 1, 0, stdin=bytes(168), env={"DRIVE_TOKEN": "s3cret"})[0] == UNAUTHORIZED
    assert all(b"Authorization: Bearer s3cret\r\n" in h and b"Torqued-Client: drive\r\n" in h for h in heard), heard
    assert drive(url, "send", "GET", "/", "", "", 9, env={"DRIVE_TOKEN": "a\r\nb: c"})[0] == BAD_ARGUMENT
    assert drive(url, "send", "GET", "/", "", "", 9, env={"DRIVE_TOKEN_FILE": str(tmp_path / "none")})[0] == BAD_ARGUMENT


class scripted:
    """A server that sends the n-th reply on its n-th connection, then closes it; `byte_by_byte`: in pieces of
    one byte."""

    def __init__(self, replies, heard=None, byte_by_byte=False):
        self.replies, self.heard, self.slowly = replies, [] if heard is None else heard, byte_by_byte

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()
        return f"http://127.0.0.1:{self.server.getsockname()[1]}"

    def serve(self):
        for reply in self.replies:
            try:
                one, _ = self.server.accept()
            except OSError:
                return
            with one:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                got = b""
                while b"\r\n\r\n" not in got:
                    got += one.recv(65536)
                head, _, body = got.partition(b"\r\n\r\n")
                length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0)
                while len(body) < length:
                    body += one.recv(65536)
                self.heard.append(head + b"\r\n\r\n" + body)
                for piece in (reply[i:i + 1] for i in range(len(reply))) if self.slowly else (reply,):
                    one.sendall(piece)
                one.shutdown(socket.SHUT_WR)

    def __exit__(self, *_):
        self.server.close()


def reply(body, media="application/x-npy", status="200 OK", more=""):
    return f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def chunked(body, sizes):
    out, at = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0
    for size in sizes:
        out += b"%X\r\n%s\r\n" % (len(body[at:at + size]), body[at:at + size])
        at += size
    return out + b"0\r\n\r\n"


TAU = motion(2, 7)


@pytest.mark.parametrize("way", (("dynamics",), ("call",)))
def test_answers_in_whatever_pieces(way):
    more = (1, 0) if way[0] == "call" else ()
    for whole in (reply(npy(TAU)), chunked(npy(TAU), (1, 3, 100, 7, 1000))):
        with scripted([whole], byte_by_byte=True) as url:
            assert drive(url, *way, "inverse", "r", 2, 7, 7, *more, stdin=bytes(336))[:2] == (OK, TAU.tobytes())
    cbor = b"\xbf\x61a\x82\x01\xf5\x63tau\xf6\x63qdd\xd8\x28\x82\x82\x02\x07\xd8\x56\x58\x70" + TAU.tobytes() + b"\x61b\xa1\x61c\xfb" + bytes(8) + b"\xff"
    for whole in (reply(cbor, "application/cbor"), chunked(cbor, (2, 40, 1, 1000))):
        with scripted([whole], byte_by_byte=True) as url:
            assert drive(url, *way, "forward", "r", 2, 7, 7, *more, stdin=bytes(336))[:2] == (OK, TAU.tobytes())


@pytest.mark.parametrize("way", (("dynamics",), ("call",)))
def test_a_connection_that_ends_at_any_byte(way):
    """The connection is cut at any position of the reply: an error, never a part of an array; a retry gives the
    whole result."""
    more = (1, 0) if way[0] == "call" else ()
    whole = reply(npy(TAU))
    for cut in [*range(0, len(whole), 23), len(whole) - 1]:
        twice = 2 if way[0] == "call" else 1  # a call repeats the request once if a kept connection broke
        with scripted([whole[:cut]] * twice) as url:
            code, out, _ = drive(url, *way, "inverse", "r", 2, 7, 7, *more, stdin=bytes(336))
        assert code in (BROKEN, NOT_UNDERSTOOD) and out == b"", (cut, code)
    with scripted([whole[:cut], whole]) as url:
        assert drive(url, *way, "inverse", "r", 2, 7, 7, *more, stdin=bytes(336), retries=1)[:2] == (OK, TAU.tobytes())


def test_a_head_that_is_cut_is_no_answer():
    """libcurl reports success if a connection ends between two header lines; libtqc must not."""
    whole = reply(b"good")
    for cut in range(1, whole.index(b"\r\n\r\n") + 4, 19):
        with scripted([whole[:cut]]) as url:
            assert drive(url, "send", "GET", "/v1/x", "", "", 99)[:2] == (BROKEN, b""), cut
        with scripted([whole[:cut], whole]) as url:
            assert drive(url, "send", "GET", "/v1/x", "", "", 99, retries=1)[:2] == (OK, b"good"), cut


def test_what_is_no_answer():
    for body in (b"", b"\x93NUMPY", npy(TAU[:1]), npy(TAU) + b"x", npy(TAU.T), b"x" * 2000, npy(TAU.astype("<f4")), b"\x93NUMPY\x01\x00\xff\xff" + b" " * 2000):
        for way, more in ((("dynamics",), ()), (("call",), (1, 0))):
            with scripted([reply(body)]) as url:
                assert drive(url, *way, "inverse", "r", 2, 7, 7, *more, stdin=bytes(336))[0] == NOT_UNDERSTOOD, body
    for body in (b"", b"\xa1\x63qdd\x01", b"\xa1", b"\xff", b"\xa1\x01\x02", b"\x81" * 200, b"\xa1\x63qdd\xd8\x56\x43abc", b"\xa1\x63qdd\x5f"):
        with scripted([reply(body, "application/cbor")]) as url:
            assert drive(url, "dynamics", "forward", "r", 2, 7, 7, stdin=bytes(336))[0] == NOT_UNDERSTOOD, body


def test_retries():
    """Retries after 503 with Retry-After, after 429 and after a cut connection; a POST only with an Idempotency-Key."""
    busy = reply(b'{"type": "/problems/busy"}', "application/problem+json", "503 X", "Retry-After: 0\r\n")
    heard = []
    with scripted([busy, reply(b"{}", status="429 X"), b"", reply(b"good")], heard) as url:
        code, out, said = drive(url, "send", "POST", "/v1/x", "{}", "the-key", 99, retries=3)
    assert (code, out) == (OK, b"good") and said[0].startswith("200 4 4 "), said
    assert len(heard) == 4 and all(b"Idempotency-Key: the-key\r\n" in h and h.endswith(b"\r\n\r\n{}") for h in heard)
    with scripted([busy, reply(b"good")], heard) as url:
        assert drive(url, "send", "POST", "/v1/x", "{}", "", 99, retries=3)[0] == REFUSED
    for method in ("POST", "PATCH"):  # not idempotent: no retry
        del heard[:]
        with scripted([b"", reply(b"good")], heard) as url:
            assert drive(url, "send", method, "/v1/x", "{}", "", 99, retries=3)[0] == BROKEN
        assert len(heard) == 1 and heard[0].startswith(method.encode()) and heard[0].endswith(b"\r\n\r\n{}"), heard
    with scripted([busy, reply(b"good")], heard) as url:
        assert drive(url, "send", "GET", "/v1/x", "", "", 99, retries=3)[:2] == (OK, b"good")
    with scripted([busy] * 3, heard) as url:
        code, _, said = drive(url, "send", "GET", "/v1/x", "", "", 99, retries=2)
        assert (code, said[1], said[2]) == (REFUSED, "503", "busy")


def test_a_call_connects_anew_when_the_service_has_closed(start):
    """If the service closes a kept connection between two calls, the client reconnects once and reports no error."""
    whole = reply(npy(TAU))
    with scripted([whole] * 3) as url:
        code, out, said = drive(url, "call", "inverse", "r", 2, 7, 7, 3, 0, stdin=bytes(336))
    assert (code, out) == (OK, TAU.tobytes()) and said[0].split()[1] == "2", said


@pytest.mark.parametrize("compiler, language", (("clang", "c++"), ("g++", "c++"), ("gcc", "c")))
def test_the_header_compiles(tmp_path, compiler, language):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / "one"
    source.write_text('#include "clients/c/tqc.h"\nint (*f)(void); tqc_error e;\nint g(void) { return (int)tqc_send(0, 0, 0, &e); }\n')
    subprocess.run([compiler, "-x", language, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", ROOT, source], check=True)


def test_installed_it_is_found_by_pkg_config(daemon, tmp_path):
    """make install-c, then the example of the README, compiled as a user would."""
    for tool in ("make", "pkg-config", "gcc"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    if SLOW > 1 or os.path.basename(OUT) != "release":
        pytest.skip("the release is what is installed")
    subprocess.run(["make", "-s", "-C", ROOT, f"PREFIX={tmp_path}", "install-c"], check=True, capture_output=True)
    env = {**os.environ, "PKG_CONFIG_PATH": str(tmp_path / "lib/pkgconfig"), "TORQUED_URL": daemon.url}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tqc"], env=env, capture_output=True, text=True, check=True).stdout.split()
    example = tmp_path / "example.c"
    example.write_text(re.search(r"```c\n(.*?)```", pathlib.Path(ROOT, "clients/c/README.md").read_text(encoding="utf-8"), re.S).group(1))
    for static in ((), (str(tmp_path / "lib/libtqc.a"), "-lcurl")):
        binary = str(tmp_path / "example")
        own = [f for f in flags if not (static and f == "-ltqc")]
        subprocess.run(["gcc", "-o", binary, example, *own, *static, f"-Wl,-rpath,{tmp_path}/lib"], check=True)
        done = subprocess.run([binary], env=env, capture_output=True, text=True, check=True)
        q = [[0, -0.8, 0, -2.3, 0, 1.6, 0.8]]
        tau = by_http(daemon, "inverse-dynamics", "panda", [np.array(q), np.zeros((1, 7)), np.zeros((1, 7))], "qdd")[0]
        assert [float(line.split()[2]) for line in done.stdout.splitlines()] == pytest.approx(tau, abs=1e-3)


class cutting(scripted):
    """A server that resets the first connection after `least` bytes of its request and answers on the following
    ones."""

    def __init__(self, least, reply, heard):
        super().__init__([reply] * 4, heard)
        self.least = least

    def serve(self):
        one, _ = self.server.accept()
        got = 0
        while got < self.least:
            got += len(one.recv(min(512, self.least - got)))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        one.close()
        super().serve()


@pytest.mark.parametrize("share", range(0, 100, 10))
def test_a_request_cut_at_any_tenth(share, tmp_path):
    """An upload of 100 kB and a batch whose connection is reset during the request: repeated as a whole if
    retries are allowed, an error otherwise."""
    body = (b"t,q\n" + b"".join(b"%d,%d.5\n" % (i, i) for i in range(20000)))[:100000]
    n = 500
    samples = b"".join(motion(n, 7, k).tobytes() for k in range(3))
    tau = motion(n, 7, 9)
    cut = 60 + share * len(body) // 100
    for retries in (1, 0):
        heard = []
        with cutting(cut, reply(b'{"good": 1}', "application/json"), heard) as url:
            code, out, _ = drive(url, "send", "PUT", "/v1/datasets/x", body.decode(), "", 99, retries=retries)
        assert (code, out) == ((OK, b'{"good": 1}') if retries else (BROKEN, b"")), (retries, code)
        assert all(h.partition(b"\r\n\r\n")[2] == body for h in heard) and len(heard) == retries
        with cutting(60 + share * len(samples) // 100, reply(npy(tau)), heard) as url:
            code, out, _ = drive(url, "dynamics", "inverse", "r", n, 7, 7, stdin=samples, retries=retries)
        assert (code, out) == ((OK, tau.tobytes()) if retries else (BROKEN, b"")), (retries, code)
    ctl = os.path.join(OUT, "torquectl")
    path = tmp_path / "log.csv"
    path.write_bytes(body)
    heard = []
    with cutting(cut, reply(b'{"good": 1}', "application/json"), heard) as url:
        done = subprocess.run([ctl, "-s", url, "-o", "json", "datasets", "put", "x", str(path)], capture_output=True, timeout=PATIENCE)
    assert done.stdout == b'{"good": 1}' and heard[0].partition(b"\r\n\r\n")[2] == body
    if share % 50:
        return
    with cutting(cut, reply(b'{"good": 1}', "application/json"), []) as url:
        done = subprocess.run([ctl, "-s", url, "datasets", "put", "x", "-"], input=body, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 1 and done.stderr.startswith(b"torquectl: "), "a pipe cannot be read again: said"
