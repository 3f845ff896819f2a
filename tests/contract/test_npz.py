# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_npz.py - NPZ archives as requests and answers of every kind of call: the same numbers as
# in JSON, bit for bit.
import io
import json
import re
import struct
import zipfile

import pytest
from conftest import PATIENCE, eventually, metric, parse_replies, problem, read_all

NPZ = "application/x-npz"
Q, QD, QDD = ([[0.1 * k + 0.01 * i * (j + 1) for k in range(7)] for i in range(30)] for j in range(3))
WRENCH = {"link": "flange", "force": [0, 0, -20], "moment": [0, 0, 0], "at": "origin", "applied_to": "robot", "expressed_in": "world"}


def npy(rows):
    """One array of rank one or two, in the format of numpy.save."""
    table = isinstance(rows[0], list)
    shape = f"({len(rows)}, {len(rows[0])})" if table else f"({len(rows)},)"
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    values = [x for row in rows for x in row] if table else rows
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}d", *values)


def npz(compression=zipfile.ZIP_STORED, **arrays):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, rows in arrays.items():
            archive.writestr(name + ".npy", npy(rows))
    return file.getvalue()


def read(data):
    """{name: (shape, values)} of an archive."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        for entry in archive.namelist():
            member = archive.read(entry)
            n = struct.unpack("<H", member[8:10])[0]
            shape = re.search(r"'shape': \(([^)]*)\)", member[10:10 + n].decode()).group(1)
            values = member[10 + n:]
            found[entry.removesuffix(".npy")] = (tuple(int(x) for x in shape.split(",") if x.strip()),
                                                 list(struct.unpack(f"<{len(values) // 8}d", values)))
    return found


def arrays_of(value, name=""):
    """{name: (shape, values)} of the numeric arrays in a JSON document, with the names used in an archive."""
    shape, flat = [], value
    while isinstance(flat, list) and flat and all(isinstance(x, list) and len(x) == len(flat[0]) for x in flat):
        shape.append(len(flat))
        flat = [y for x in flat for y in x] if len(flat) else flat
    if isinstance(value, list) and value and all(isinstance(x, (int, float)) for x in flat):
        inner, x = [], value
        while isinstance(x, list):
            inner.append(len(x))
            x = x[0]
        return {name: (tuple(inner), [float(x) for x in flat])}
    members = value.items() if isinstance(value, dict) else ((str(i), x) for i, x in enumerate(value)
                                                             if isinstance(x, dict)) if isinstance(value, list) else ()
    return {k: v for key, x in members for k, v in arrays_of(x, f"{name}.{key}" if name else key).items()}


def call(daemon, path, body, content="application/json", accept="application/json", **headers):
    return daemon.request("POST", path, body, {"Content-Type": content, "Accept": accept, **headers})


CALLS = {
    "inverse-dynamics": {"q": Q, "qd": QD, "qdd": QDD, "include": ["reactions", "mass_matrix", "energy"], "external_wrenches": [WRENCH]},
    "forward-dynamics": {"q": Q, "qd": QD, "tau": QDD},
    "terms": {"q": Q, "qd": QD, "include": ["coriolis_matrix", "gravity_torque"]},
    "kinematics": {"q": Q[:4]},
    "regressor": {"q": Q[:4], "qd": QD[:4], "qdd": QDD[:4]},
    "statics": {"q": Q[0], "endpoint_wrench": WRENCH},
}


@pytest.mark.parametrize("name", CALLS)
def test_an_archive_has_the_arrays_of_the_document(daemon, name):
    path, body = f"/v1/robots/panda/{name}", json.dumps(CALLS[name]).encode()
    status, _, text = call(daemon, path, body)
    assert status == 200, text
    status, headers, data = call(daemon, path, body, accept=NPZ)
    assert status == 200 and headers["Content-Type"] == NPZ
    got, document = read(data), json.loads(text)
    expected = arrays_of(document)
    for member, (shape, values) in expected.items():
        assert got[member] == (shape, values), member
    # no other members
    assert set(got) == set(expected)


@pytest.mark.parametrize("compression", (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
def test_requests_as_archives(daemon, compression):
    for name, body in (("inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD}), ("inverse-dynamics", {"q": Q[0], "qd": QD[0], "qdd": QDD[0]}),
                       ("forward-dynamics", {"q": Q, "qd": QD, "tau": QDD}), ("kinematics", {"q": Q[:3]}), ("kinematics", {"q": Q[0]}),
                       ("inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD, "gravity": [0.0, 0.0, -1.62]}),
                       ("regressor", {"q": Q[:3], "qd": QD[:3], "qdd": QDD[:3]})):
        path = f"/v1/robots/panda/{name}"
        plain = call(daemon, path, json.dumps(body).encode(), accept=NPZ)
        assert plain[0] == 200, plain
        for content in (NPZ, "application/octet-stream"):  # also recognised by its first bytes
            packed = call(daemon, path, npz(compression, **body), content, NPZ)
            assert packed[0] == 200 and packed[2] == plain[2], packed


def test_faults_of_archives_have_their_place(daemon):
    path = "/v1/robots/panda/inverse-dynamics"
    good = {"q": Q, "qd": QD, "qdd": QDD}
    for body, status, pointer in (({"qd": QD, "qdd": QDD}, 422, "/q"), ({**good, "speed": Q}, 400, "/speed"),
                                  ({**good, "qd": QD[:5]}, 422, None), ({**good, "q": [row[:6] for row in Q]}, 422, "/q/0"),
                                  ({**good, "qd": [QD[0][:6] + [float("nan")]] + QD[1:]}, 422, None), ({**good, "gravity": Q}, 400, "/gravity/0")):
        document = problem(call(daemon, path, npz(**body), NPZ), status)
        assert pointer is None or document["errors"][0]["pointer"] == pointer, document
    data = npz(**good)
    problem(call(daemon, path, data[:-10], NPZ), 400)
    problem(call(daemon, path, data[:200] + b"\xff" + data[201:], NPZ), 400)
    problem(call(daemon, path, b"PK no archive", NPZ), 400)
    problem(call(daemon, "/v1/robots/panda/kinematics", npz(q=Q[0], speed=Q[0]), NPZ), 400)
    problem(call(daemon, "/v1/robots/panda/kinematics", npz(q=Q[0][:3]), NPZ), 422)
    # more arrays than an archive may contain
    problem(call(daemon, "/v1/robots/humanoid/kinematics", json.dumps({"q": [0] * 3 + [1] + [0] * 33}).encode(), accept=NPZ), 406)


def test_a_job_takes_and_gives_archives(daemon):
    path = "/v1/robots/panda/inverse-dynamics"
    body = npz(q=Q, qd=QD, qdd=QDD)
    direct = call(daemon, path, body, NPZ, NPZ)
    waited = call(daemon, path, body, NPZ, NPZ, Prefer="respond-async, wait=3600")
    assert waited[0] == 200 and waited[1]["Content-Type"] == NPZ, waited
    assert read(waited[2]) == read(direct[2])


def bomb(n):
    """An archive with n zeros instead of the three numbers of gravity: it inflates to a thousand times its size,
    and is invalid."""
    head = npy([0.0])
    head = head[:-8].replace(b"(1,), }" + b" " * (len(str(n)) - 1), f"({n},), }}".encode())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("gravity.npy", "w") as member:
            member.write(head)
            for _ in range(0, n, 1 << 16):
                member.write(bytes(8 << 16))
    return file.getvalue()


def test_archives_are_inflated_by_workers(start):
    """Archives of any size are inflated by workers, since the size does not show what they inflate to."""
    one = start({"io_threads": 1, "workers": 1})
    document = {"q": Q[0], "qd": QD[0], "qdd": QDD[0]}
    plain = call(one, "/v1/robots/panda/inverse-dynamics", json.dumps(document).encode())
    assert plain[0] == 200 and metric(one, "torqued_requests_queued_total") == 0
    for count, content in ((1, NPZ), (2, "application/octet-stream")):
        packed = call(one, "/v1/robots/panda/inverse-dynamics", npz(**document), content)
        assert packed[0] == 200 and json.loads(packed[2])["tau"] == json.loads(plain[2])["tau"]
        assert metric(one, "torqued_requests_queued_total") == count


def test_a_bomb_is_refused_and_others_are_served(start):
    """While its last bytes are missing the request cannot end; its I/O thread serves other clients."""
    one = start({"io_threads": 1})
    body = bomb(16 << 20)
    assert len(body) < (16 << 23) / 500
    with one.socket() as s:
        s.sendall(b"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npz\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(body) + body[:-1000])
        for _ in range(3):
            assert one.request("GET", "/healthz")[0] == 200
            assert call(one, "/v1/robots/panda/inverse-dynamics", npz(q=Q, qd=QD, qdd=QDD), NPZ)[0] == 200
        s.setblocking(False)
        with pytest.raises(BlockingIOError):
            s.recv(1)
        s.settimeout(PATIENCE)
        s.sendall(body[-1000:])
        got, _ = read_all(s, 1)
    document = problem(parse_replies(got)[0], 413)
    assert document["errors"][0]["pointer"].startswith("/gravity/"), document


def test_a_client_that_leaves_its_archive(start):
    """While the archive arrives, and while it is being inflated."""
    one = start({"io_threads": 1})
    body = bomb(4 << 20)
    head = (b"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npz\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body))
    for cut in (10, len(body) // 2, len(body)):
        with one.socket() as s:
            s.sendall(head + body[:cut])
    eventually(lambda: metric(one, "torqued_connections_open") == 1)
    assert call(one, "/v1/robots/panda/inverse-dynamics", npz(q=Q, qd=QD, qdd=QDD), NPZ)[0] == 200
