# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_robots.py - robots over HTTP: put, get, list, conditional requests, versions, and
# durability after kill -9.
import hashlib
import json
import os
import random
import subprocess
import tempfile
import threading

import pytest
from conftest import PATIENCE, TORQUED, eventually, problem

JSON = "application/json"


def urdf(mass=1.0, links=3, name="arm"):
    text = [f'<robot name="{name}"><link name="l0"/>']
    for i in range(1, links):
        text.append(f'<link name="l{i}"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>'
                    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                    f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
                    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint>')
    return ("".join(text) + "</robot>").encode()


def digest(data):
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def put(daemon, name, data, **headers):
    return daemon.request("PUT", f"/v1/robots/{name}", data, {k.replace("_", "-"): v for k, v in headers.items()})


def rows(daemon):
    status, headers, body = daemon.request("GET", "/v1/robots")
    assert status == 200 and headers["Content-Type"] == JSON
    return json.loads(body)["robots"]


def kill(daemon):
    """SIGKILL, after which the process can clean up nothing, as after a power failure."""
    daemon.closed = True
    daemon.process.kill()
    daemon.process.wait()


def test_put_get_replace_delete(daemon):
    first, second = urdf(1.0), urdf(2.0)
    status, headers, body = put(daemon, "life", first)
    assert status == 201, body
    assert headers["Location"] == "/v1/robots/life"
    assert headers["ETag"] == f'"{digest(first)}"'
    json.loads(body)
    status, headers, body = daemon.request("GET", "/v1/robots/life")
    assert status == 200 and headers["ETag"] == f'"{digest(first)}"'
    document = json.loads(body)
    assert [joint["name"] for joint in document["joints"]] == ["j1", "j2"]
    assert put(daemon, "life", first)[0] == 200, "the same again"
    assert put(daemon, "life", second)[0] == 200
    old = daemon.request("GET", f"/v1/robots/life@{digest(first)}")
    assert old[0] == 200 and old[1]["ETag"] == f'"{digest(first)}"'
    problem(daemon.request("GET", f"/v1/robots/life@{digest(urdf(3.0))}"), 404)
    assert daemon.request("DELETE", "/v1/robots/life")[0] == 204
    problem(daemon.request("GET", "/v1/robots/life"), 404)
    problem(daemon.request("DELETE", "/v1/robots/life"), 404)


def test_list(daemon):
    put(daemon, "a-listed", urdf(1.5))
    listed = rows(daemon)
    assert [r["name"] for r in listed] == sorted(r["name"] for r in listed)
    mine = next(r for r in listed if r["name"] == "a-listed")
    assert mine == {"name": "a-listed", "nv": 2, "source": "urdf", "digest": digest(urdf(1.5)), "builtin": False, "owner": None}
    panda = next(r for r in listed if r["name"] == "panda")
    assert panda["builtin"] is True and panda["nv"] >= 7


def test_head_is_get_without_body(daemon):
    put(daemon, "headed", urdf())
    get = daemon.request("GET", "/v1/robots/headed")
    head = daemon.request("HEAD", "/v1/robots/headed")
    assert head[0] == 200 and head[2] == b""
    assert head[1]["ETag"] == get[1]["ETag"] and head[1]["Content-Length"] == str(len(get[2]))


def test_conditions(daemon):
    one, two = urdf(1.0, name="c"), urdf(2.0, name="c")
    tag_one, tag_two = f'"{digest(one)}"', f'"{digest(two)}"'
    problem(put(daemon, "cond", one, If_Match="*"), 412)
    assert put(daemon, "cond", one, If_None_Match="*")[0] == 201
    problem(put(daemon, "cond", two, If_None_Match="*"), 412)
    problem(put(daemon, "cond", two, If_Match=tag_two), 412)
    problem(put(daemon, "cond", two, If_Match="unquoted"), 400)
    assert put(daemon, "cond", two, If_Match=f'"other", {tag_one}')[0] == 200
    status, headers, body = daemon.request("GET", "/v1/robots/cond", headers={"If-None-Match": tag_two})
    assert (status, headers["ETag"], body) == (304, tag_two, b"")
    assert daemon.request("GET", "/v1/robots/cond", headers={"If-None-Match": tag_one})[0] == 200
    problem(daemon.request("DELETE", "/v1/robots/cond", headers={"If-Match": tag_one}), 412)
    assert daemon.request("DELETE", "/v1/robots/cond", headers={"If-Match": tag_two})[0] == 204


@pytest.mark.parametrize("how", ["-T", "--data-binary"])
def test_curl_uploads_a_file(daemon, how):
    with tempfile.NamedTemporaryFile(suffix=".urdf") as file:
        file.write(urdf())
        file.flush()
        url = f"{daemon.url}/v1/robots/by-curl{how}"
        command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url]
        command += ["-T", file.name] if how == "-T" else ["-X", "PUT", "--data-binary", f"@{file.name}"]
        assert subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE).stdout == "201"


@pytest.mark.parametrize("headers, query, status", [
    ({}, "", 201),
    ({"Content-Type": "application/xml"}, "", 201),
    ({"Content-Type": "text/xml; charset=utf-8"}, "", 201),
    ({"Content-Type": "application/octet-stream"}, "", 201),
    ({"Content-Type": "image/png"}, "?format=urdf", 201),
    ({"Content-Type": "image/png"}, "", 415),
    ({"Content-Type": "application/json"}, "", 400),
    ({}, "?format=png", 422),
    ({}, "?frmat=urdf", 422),
])
def test_types(daemon, headers, query, status):
    name = f"typed{random.getrandbits(60):x}"
    reply = daemon.request("PUT", f"/v1/robots/{name}{query}", urdf(), headers)
    if status == 201:
        assert reply[0] == 201, reply[2]
    else:
        problem(reply, status)


@pytest.mark.parametrize("name, status", [
    ("a" * 128, 201), ("a" * 129, 422), (".hidden", 422), ("a%20b", 422), ("%C3%A9", 422), ("a@b", 422),
    ("UR-5e_v1.2", 201),
])
def test_names(daemon, name, status):
    reply = put(daemon, name, urdf())
    assert reply[0] == status, reply[2]


def test_builtins_are_read_only(daemon):
    problem(put(daemon, "panda", urdf()), 409)
    problem(daemon.request("DELETE", "/v1/robots/panda"), 409)
    assert daemon.request("GET", "/v1/robots/panda")[0] == 200


def test_what_is_no_robot_changes_nothing(daemon):
    put(daemon, "kept", urdf())
    for rubbish in (b"", b"<robot", b"<html/>", b"{", b"\0" * 100, urdf().replace(b"l1", b"l0")):
        status = put(daemon, "kept", rubbish)[0]
        assert status in (400, 415, 422), (rubbish, status)
    assert daemon.request("GET", "/v1/robots/kept")[1]["ETag"] == f'"{digest(urdf())}"'


def test_a_dry_run_says_what_a_put_would_say_and_stores_nothing(daemon):
    before = rows(daemon)
    faulty = urdf().replace(b'ixx="0.01"', b'ixx="0.1"')  # larger than the sum of the two other principal moments
    status, headers, body = put(daemon, "dry?dry_run=true", faulty)
    report = json.loads(body)
    assert status == 200 and headers["ETag"] is None and headers["Location"] is None
    assert len(report["doctor"]) > 0, report
    assert rows(daemon) == before and daemon.request("GET", "/v1/robots/dry")[0] == 404
    assert put(daemon, "dry?dry_run=false", faulty)[0] == 201
    assert json.loads(put(daemon, "dry", faulty)[2]) == report
    held = rows(daemon)
    assert put(daemon, "dry?dry_run=true&format=urdf", urdf(2))[0] == 200
    problem(put(daemon, "dry?dry_run=true", urdf(2), If_None_Match="*"), 412)
    problem(put(daemon, "dry?dry_run=true", urdf(2), If_Match=f'"{digest(urdf(2))}"'), 412)
    assert put(daemon, "dry?dry_run=true", urdf(2), If_Match=f'"{digest(faulty)}"')[0] == 200
    problem(put(daemon, "other?dry_run=true", urdf(2), If_Match="*"), 412)
    problem(put(daemon, "dry?dry_run=true", b"<robot"), 400)
    problem(put(daemon, "panda?dry_run=true", urdf(2)), 409)
    assert "dry_run=true or false" in problem(put(daemon, "dry?dry_run=yes", urdf(2)), 422)["detail"]
    assert rows(daemon) == held
    daemon.request("DELETE", "/v1/robots/dry")


def test_accept(daemon):
    put(daemon, "taken", urdf())
    problem(daemon.request("GET", "/v1/robots/taken", headers={"Accept": "image/png"}), 406)
    assert daemon.request("GET", "/v1/robots/taken", headers={"Accept": "text/html, */*;q=0.1"})[0] == 200


def test_body_is_bounded(daemon):
    problem(daemon.request("PUT", "/v1/robots/big", b" " * ((16 << 20) + 1)), 413)
    assert daemon.request("GET", "/healthz")[0] == 200


def test_concurrent_puts_agree_with_the_store(start, tmp_path):
    """After many concurrent PUTs to one name, the robot in memory is the stored one."""
    daemon = start(state=str(tmp_path / "s"))
    threads = [threading.Thread(target=lambda i=i: [put(daemon, "storm", urdf(1 + i + k / 8)) for k in range(8)])
               for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    served = daemon.request("GET", "/v1/robots/storm")
    kill(daemon)
    again = start(state=str(tmp_path / "s"))
    assert again.request("GET", "/v1/robots/storm")[2] == served[2]


def test_survives_an_orderly_stop(start, tmp_path):
    first = start(state=str(tmp_path / "s"))
    assert put(first, "arm", urdf())[0] == 201
    rows = [[0.001 * k, -0.5] for k in range(3000)]
    use = "POST", "/v1/robots/arm/inverse-dynamics", json.dumps({"q": rows, "qd": rows, "qdd": rows}), {"Content-Type": JSON}
    before = first.request(*use)
    assert before[0] == 200
    first.stop()
    second = start(state=str(tmp_path / "s"))
    after = second.request(*use)  # the robot is loaded again
    assert after[0] == 200 and after[2] == before[2]
    assert put(second, "arm", urdf(2.0))[0] == 200
    # the body is buffered while that version is loaded
    former = second.request(use[0], use[1].replace("arm", f"arm@{digest(urdf())}"), *use[2:])
    assert former[0] == 200 and former[2] == before[2]
    assert put(second, "arm", urdf())[0] == 200
    assert second.request("GET", "/v1/robots/arm")[1]["ETag"] == f'"{digest(urdf())}"'
    assert put(second, "arm", urdf(), If_None_Match="*")[0] == 412


@pytest.mark.seconds(120)
def test_acknowledged_robots_survive_kill_9(start, tmp_path):
    state = str(tmp_path / "s")
    acknowledged = {}
    chance = random.Random(1)
    for round_ in range(5):
        daemon = start(state=state)
        for name, tag in acknowledged.items():
            assert daemon.request("GET", f"/v1/robots/{name}")[1]["ETag"] == tag
        stop = threading.Event()
        counted = []

        def client(i, daemon=daemon, counted=counted, stop=stop, round_=round_):
            for k in range(100000):
                if stop.is_set():
                    return
                data = urdf(1 + chance.random(), links=2 + k % 5)
                name = f"r{i}-{round_}-{k % 7}"
                # during a PUT either version may be found
                acknowledged.pop(name, None)
                try:
                    status, headers, _ = put(daemon, name, data)
                except OSError:
                    return
                except Exception as error:
                    assert "Remote" in type(error).__name__ or "Incomplete" in type(error).__name__, error
                    return
                assert status in (200, 201)
                acknowledged[name] = headers["ETag"]
                counted.append(name)

        threads = [threading.Thread(target=client, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        eventually(lambda counted=counted: len(counted) > 20)
        threading.Event().wait(0.3 * chance.random())
        kill(daemon)
        stop.set()
        for t in threads:
            t.join()
    daemon = start(state=state)
    assert len(acknowledged) > 10
    for name, tag in acknowledged.items():
        assert daemon.request("GET", f"/v1/robots/{name}")[1]["ETag"] == tag
    names = {r["name"] for r in rows(daemon)}
    assert acknowledged.keys() <= names


def test_second_daemon_on_one_state_is_refused(start, tmp_path):
    start(state=str(tmp_path / "s"))
    second = subprocess.run([TORQUED, "--listen", "127.0.0.1:0", "--state-dir", str(tmp_path / "s")],
                            capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    assert second.returncode != 0
    assert "in use by process" in second.stderr and second.stderr.count("\n") == 1


def test_state_is_private(start, tmp_path):
    start(state=str(tmp_path / "s"))
    assert os.stat(tmp_path / "s").st_mode & 0o77 == 0
