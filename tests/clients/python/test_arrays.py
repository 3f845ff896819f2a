# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_arrays.py - numbers in and out: the same bits as the daemon's JSON, without copies of the caller's arrays.
import asyncio
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import torqued
from torqued import _codec

SOURCE = pathlib.Path(torqued.__file__).parents[1]


def motion(n, seed=0):
    return tuple(np.random.default_rng(seed).uniform(-1, 1, (3, n, 7)))


def as_json(daemon, path, document):
    status, _, body = daemon.request("POST", path, json.dumps(document).encode())
    assert status == 200, body
    return json.loads(body)


def test_inverse_dynamics_has_the_bits_of_json(daemon, panda):
    q, qd, qdd = motion(50)
    tau = panda.inverse_dynamics(q, qd, qdd)
    want = as_json(daemon, "/v1/robots/panda/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})["tau"]
    assert tau.dtype == np.float64 and tau.shape == (50, 7) and np.array_equal(tau, want)
    # one sample is flat; lists, integers, float32, another order of memory
    assert np.array_equal(panda.inverse_dynamics(q[3], qd[3], qdd[3]), tau[3])
    assert np.array_equal(panda.inverse_dynamics(q.tolist(), np.asfortranarray(qd), qdd[::1]), tau)
    at_rest = panda.inverse_dynamics([0, 0, 0, -1, 0, 1, 0], np.zeros(7, dtype=np.float32), [0] * 7)
    assert np.array_equal(at_rest, panda.inverse_dynamics([0., 0, 0, -1, 0, 1, 0], [0.] * 7, [0.] * 7))
    assert panda.inverse_dynamics(q[::2, ::-1], qd[::2], qdd[::2]).shape == (25, 7)


def test_forward_undoes_inverse(panda):
    q, qd, qdd = motion(20, 1)
    found = panda.forward_dynamics(q, qd, panda.inverse_dynamics(q, qd, qdd))
    assert found.shape == (20, 7) and np.allclose(found, qdd, rtol=0, atol=1e-9)
    assert panda.forward_dynamics(q[0], qd[0], np.zeros(7)).shape == (7,)


def test_async_has_the_same_bits(daemon, panda):
    q, qd, qdd = motion(30, 2)

    async def run():
        async with torqued.AsyncClient(daemon.url) as client:
            robot = await client.robot("panda")
            parts = await asyncio.gather(*(robot.inverse_dynamics(q[k:k + 3], qd[k:k + 3], qdd[k:k + 3]) for k in range(0, 30, 3)))
            return np.concatenate(parts), await robot.terms(q[0], include=["mass_matrix"])

    tau, terms = asyncio.run(run())
    assert np.array_equal(tau, panda.inverse_dynamics(q, qd, qdd))
    assert np.array_equal(terms.mass_matrix, panda.terms(q[0], include=["mass_matrix"]).mass_matrix)


def test_includes_make_a_result(panda):
    q, qd, qdd = motion(4, 3)
    result = panda.inverse_dynamics(q, qd, qdd, include=["mass_matrix", "energy"], without=["friction"])
    assert result.tau.shape == (4, 7) and result.mass_matrix.shape == (4, 7, 7) and result.energy["kinetic"].shape == (4,)
    # kinetic energy is qd^T M qd / 2
    assert np.allclose(np.einsum("ni,nij,nj->n", qd, result.mass_matrix, qd) / 2, result.energy["kinetic"], rtol=1e-12)
    assert result["tau"] is result.tau and result.provenance["robot_digest"].endswith(panda.digest)
    with pytest.raises(AttributeError, match="it has .*tau.*include"):
        result.reactions


def test_a_unix_socket(start, tmp_path):
    one = start(listen=f"unix:{tmp_path}/socket")
    with torqued.Client(one.url) as client:
        assert client.robot("panda").inverse_dynamics(np.zeros((2, 7)), np.zeros((2, 7)), np.zeros((2, 7))).shape == (2, 7)
        assert client.address.is_near and str(tmp_path) in repr(client)
    with torqued.Client(f"http+unix://{str(tmp_path / 'socket').replace('/', '%2F')}") as client:
        assert client.is_ready()


@pytest.mark.parametrize("value", [0, 23, 24, 255, 256, 65535, 65536, 2**32, 2**63, -1, -25, -70000, 1.5, -0.0, math.inf, True, False, None, "",
                                   "Grüße", [], {}, [1, [2, {"a": None}]], {"b": "c", "d": [1.25, "x"]}])
def test_cbor_comes_back(value):
    assert _codec.decode_cbor(b"".join(map(bytes, _codec.encode_cbor(value)))) == value


@pytest.mark.parametrize("shape", [(0,), (3,), (2, 7), (4, 3, 2), (9000, 2)])
def test_arrays_come_back_as_views(shape):
    array = np.random.default_rng(5).normal(size=shape)
    pieces = _codec.encode_cbor({"q": array})
    if array.nbytes >= _codec.COPY_BELOW:
        assert any(np.shares_memory(np.frombuffer(p, np.uint8), array) for p in pieces if len(p))
    data = b"".join(map(bytes, pieces))
    found = _codec.decode_cbor(data)["q"]
    assert found.shape == shape and np.array_equal(found, array)
    npy = b"".join(map(bytes, _codec.encode_npy(array)))
    again = _codec.decode_npy(npy)
    assert np.array_equal(again, array) and (not array.size or np.shares_memory(again, np.frombuffer(npy, np.uint8)))


def test_typed_arrays_of_every_kind():
    # RFC 8746, table 1
    for tag, kind in _codec.ELEMENTS.items():
        array = np.array([1, 2, 3]).astype(kind)
        data = _codec.head(6, tag) + _codec.head(2, array.nbytes) + array.tobytes()
        assert np.array_equal(_codec.decode_cbor(data), [1, 2, 3])
    assert _codec.decode_cbor(b"\xf9\x3c\x00") == 1.0 and _codec.decode_cbor(b"\xfa\x3f\x80\x00\x00") == 1.0
    # RFC 8949, appendix A: lengths that come with the end
    assert _codec.decode_cbor(b"\xbf\x61a\x01\x61b\x9f\x02\x03\xff\xff") == {"a": 1, "b": [2, 3]}
    assert _codec.decode_cbor(b"\x7f\x65strea\x64ming\xff") == "streaming" and _codec.decode_cbor(b"\x5f\x42ab\x41c\xff") == b"abc"
    assert _codec.decode_cbor(b"\xc1\x05") == 5 and _codec.decode_cbor(b"\x42ab") == b"ab"


@pytest.mark.parametrize("data", [b"", b"\x82\x01", b"\x1a\x00", b"\x9f\x01", b"\x1f", b"\x7f\x01\xff", b"\xf8\x20", b"\x01\x01", b"\xd8\x56\x01", b"\x81" * 80 + b"\x01",
                                  b"\xd8\x56\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"])
def test_malformed_cbor_is_refused(data):
    with pytest.raises(ValueError):
        _codec.decode_cbor(data)


def test_what_cannot_be_sent():
    with pytest.raises(TypeError, match="complex"):
        _codec.encode_cbor({"q": np.array([1j])})
    with pytest.raises(TypeError, match="object cannot be sent"):
        _codec.encode_cbor({"q": object()})
    with pytest.raises(ValueError, match="no NPY"):
        _codec.decode_npy(b"PK\x03\x04 and more")


def test_importing_imports_little():
    """Neither numpy nor httpx comes with `import torqued`; each name comes when it is used."""
    code = "import sys, torqued; print([m for m in ('numpy', 'httpx', 'pandas', 'asyncio') if m in sys.modules]); torqued.Client; " \
           "print('numpy' in sys.modules, 'httpx' in sys.modules, 'Client' in dir(torqued))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCE)})
    assert out.stdout.split("\n")[:2] == ["[]", "True False True"]
    with pytest.raises(AttributeError, match="nonsense"):
        torqued.nonsense
