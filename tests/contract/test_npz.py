# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_npz.py - archives of arrays in and out of every kind of call: the same numbers as in JSON, bit for bit.
import io
import json
import re
import struct
import zipfile

import pytest
from conftest import problem

NPZ = "application/x-npz"
Q, QD, QDD = ([[0.1 * k + 0.01 * i * (j + 1) for k in range(7)] for i in range(30)] for j in range(3))
WRENCH = {"link": "flange", "force": [0, 0, -20], "moment": [0, 0, 0], "at": "origin", "applied_to": "robot", "expressed_in": "world"}


def npy(rows):
    """One array of rank one or two, as numpy.save writes it."""
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
    """{name: (shape, values)} of the arrays of numbers in a JSON document, named as an archive names them."""
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
    # numbers of samples that are one each, a matrix of one: nothing else is there
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
    for body, status, pointer in (({"q": Q, "qd": QD}, 422, "/qdd"), ({**good, "speed": Q}, 400, "/speed"),
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
    # more arrays than an archive has room for
    problem(call(daemon, "/v1/robots/humanoid/kinematics", json.dumps({"q": [0] * 3 + [1] + [0] * 33}).encode(), accept=NPZ), 406)


def test_a_job_takes_and_gives_archives(daemon):
    path = "/v1/robots/panda/inverse-dynamics"
    body = npz(q=Q, qd=QD, qdd=QDD)
    direct = call(daemon, path, body, NPZ, NPZ)
    waited = call(daemon, path, body, NPZ, NPZ, Prefer="respond-async, wait=60")
    assert waited[0] == 200 and waited[1]["Content-Type"] == NPZ, waited
    assert read(waited[2]) == read(direct[2])
