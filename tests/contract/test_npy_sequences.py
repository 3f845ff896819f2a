# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_npy_sequences.py - a body of several NPY files, one array each: q, qd, qdd, and again for further samples.
import io
import json

import numpy
import pytest
from conftest import problem

HEADERS = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}


def npy(*arrays):
    out = io.BytesIO()
    for one in arrays:
        numpy.save(out, one)
    return out.getvalue()


def send(daemon, body, robot="panda", call="inverse-dynamics", headers=HEADERS):
    return daemon.request("POST", f"/v1/robots/{robot}/{call}", body, headers)


def motion(n, nq=7, nv=7, seed=0):
    rng = numpy.random.default_rng(seed)
    return rng.uniform(-1, 1, (n, nq)), rng.uniform(-1, 1, (n, nv)), rng.uniform(-1, 1, (n, nv))


def in_turns(arrays, n_row):
    return npy(*(one[at:at + n_row] for at in range(0, len(arrays[0]), n_row) for one in arrays))


@pytest.mark.parametrize("call", ["inverse-dynamics", "forward-dynamics"])
def test_a_sequence_has_the_bytes_of_the_table(daemon, call):
    """Whole arrays, and turns that are no multiple of a block: the blocks that are computed while the rest arrives are the same."""
    for n in (1, 63, 64, 65, 1000, 9001):
        arrays = motion(n, seed=n)
        status, _, table = send(daemon, npy(numpy.hstack(arrays)), call=call)
        assert status == 200
        for n_row in {n, 1 + n // 2, max(1, n // 7), max(64, n // 9)}:
            status, _, answer = send(daemon, in_turns(arrays, n_row), call=call)
            assert (status, answer) == (200, table), (n, n_row)


def test_arrays_of_other_types_orders_and_widths(daemon):
    q, qd, qdd = motion(300)
    table = send(daemon, npy(numpy.hstack([q, qd, qdd])))[2]
    assert send(daemon, npy(numpy.asfortranarray(q), qd.astype(">f8"), qdd))[2] == table
    narrow = q.astype("f4"), qd.astype("f4"), qdd.astype("f4")
    assert send(daemon, in_turns(narrow, 70))[2] == send(daemon, npy(numpy.hstack(narrow)))[2]
    # q has more numbers than qd: a quaternion
    legs = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    nq, nv = legs["nq"], legs["nv"]
    assert nq == nv + 1
    q, qd, qdd = motion(500, nq, nv)
    q[:, 3:7] /= numpy.linalg.norm(q[:, 3:7], axis=1)[:, None]
    assert send(daemon, in_turns((q, qd, qdd), 96), "quadruped")[2] == send(daemon, npy(numpy.hstack([q, qd, qdd])), "quadruped")[2]


def test_a_joint_alone_and_long_rows(daemon):
    q, qd, qdd = motion(130, 1, 1)
    assert send(daemon, in_turns((q, qd, qdd), 50), "pendulum")[2] == send(daemon, npy(numpy.hstack([q, qd, qdd])), "pendulum")[2]
    n = 500
    links = [{"name": f"l{k}", "mass": 1, "com": [0.1, 0, 0], "inertia_about": "com", "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]}
             for k in range(n)]
    joints = [{"name": f"j{k}", "kind": "revolute", "axis": [0, 0, 1], "parent": f"l{k - 1}" if k else "base", "child": f"l{k}",
               "origin": {"position": [0.2, 0, 0]}} for k in range(n)]
    document = {"name": "long-chain", "gravity": [0, 0, -9.81], "links": [{"name": "base"}, *links], "joints": joints}
    status, _, text = daemon.request("PUT", "/v1/robots/long-chain", json.dumps(document), {"Content-Type": "application/json"})
    assert status in (200, 201), text
    arrays = motion(20, n, n)  # rows of more than 384 numbers wait for eight
    assert send(daemon, in_turns(arrays, 9), "long-chain")[2] == send(daemon, npy(numpy.hstack(arrays)), "long-chain")[2]


def test_one_sample_for_all_and_arrays_left_out(daemon):
    q, qd, qdd = motion(200)
    still = numpy.zeros((200, 7))
    at = send(daemon, npy(numpy.hstack([q, numpy.tile(qd[0], (200, 1)), qdd])))[2]
    for one in (qd[:1], qd[0]):
        assert send(daemon, npy(q, one, qdd))[2] == at
    held = send(daemon, npy(numpy.hstack([numpy.tile(q[0], (200, 1)), qd, qdd])))[2]
    assert send(daemon, npy(q[0], qd, qdd))[2] == held == send(daemon, npy(q[:1], qd, qdd))[2]
    assert send(daemon, npy(q, qd))[2] == send(daemon, npy(numpy.hstack([q, qd, still])))[2]
    assert send(daemon, npy(q[0], qd[0], qdd[0]))[2] == send(daemon, npy(numpy.concatenate([q[0], qd[0], qdd[0]])))[2]
    json_answer = json.loads(send(daemon, npy(q, qd), headers={"Content-Type": "application/x-npy"})[2])
    assert json_answer["assumed_zero"] == ["qdd"]


def test_a_body_cut_anywhere_gives_the_same_bytes(daemon):
    arrays = motion(300)
    body = in_turns(arrays, 100)
    whole = send(daemon, body)[2]
    head = (f"POST /v1/robots/panda/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npy\r\n"
            f"Accept: application/x-npy\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode()
    for step in (1009, 4096, 5731, 16000):
        with daemon.socket() as s:
            s.sendall(head)
            for at in range(0, len(body), step):
                s.sendall(body[at:at + step])
            answer = b"".join(iter(lambda: s.recv(65536), b""))
        assert answer.partition(b"\r\n\r\n")[2] == whole, step


def test_every_fault_has_its_place(daemon):
    q, qd, qdd = motion(10)
    bad = qd.copy()
    bad[3, 2] = numpy.nan

    def fault(body, status=422):
        return problem(send(daemon, body), status)["errors"][0]

    assert fault(npy(q, qd[:, :6]))["detail"] == 'array 2 of the body is "qd": expected 7 columns, got 6'
    assert fault(npy(q, qd, qdd[:9]))["detail"] == 'array 3 of the body, "qdd", has 9 rows: expected 10'
    assert "one before it has one sample for all" in fault(npy(q, qd[0], qdd, q))["detail"]
    assert fault(npy(q, qd, qdd, q, qd[0]))["detail"] == 'array 5 of the body, "qd", has 1 rows: expected 10'
    assert '"qd" has 10 samples, but "q" has 20' in fault(npy(q, qd, qdd, q))["detail"]
    assert fault(npy(q, bad, qdd))["detail"] == "row 3, column 2 of array 2 is not finite"
    cut = fault(npy(q, qd, qdd)[:-3], 400)
    assert cut["detail"] == "the NPY file is cut short"
    after = fault(npy(q, qd, qdd) + b"no file at all", 400)
    assert after["detail"] == "the file does not start as an NPY file"
    assert fault(npy(numpy.hstack([q, qd, qdd]), q), 400)["detail"] == "there are bytes after the NPY array"
    # wide tables and lone arrays that fit nothing have the words of a table
    assert "q 7 | qd 7 | qdd 7" in fault(npy(q[:, :5]))["hint"]
