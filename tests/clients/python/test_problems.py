# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_problems.py - exceptions: one kind for each status, and the place in the user's own array.
import hashlib
import pickle

import numpy as np
import pytest
import torqued
from torqued import _lost, _problems, _wire


def test_the_place_in_the_users_array(panda):
    q = np.zeros((5, 7))
    q[3, 1] = np.nan
    with pytest.raises(torqued.WrongInput) as caught:
        panda.inverse_dynamics(q, np.zeros((5, 7)), np.zeros((5, 7)))
    error = caught.value
    fault = error.errors[0]
    assert error.status == 422 and error.type == "/problems/not-finite" and error.request_id in str(error)
    assert fault.pointer == "/q/3/1" and fault.place == "q[3, 1]" and np.isnan(fault.value)
    assert "q[3, 1] = nan: " in str(error) and fault.hint and f"hint: {fault.hint}" in str(error)
    assert isinstance(error, ValueError) and isinstance(error, torqued.TorquedError)
    again = pickle.loads(pickle.dumps(error))
    assert again.problem == error.problem and type(again) is torqued.WrongInput


def test_places_in_documents(panda):
    with pytest.raises(torqued.WrongInput) as caught:
        panda.simulate(initial={"q": [0] * 6}, duration_s=1, output={"interval_s": 0.1})
    assert caught.value.errors[0].place == "initial.q" and "7" in str(caught.value)
    with pytest.raises(torqued.WrongInput) as caught:
        panda.terms(np.zeros(7), include=["mass_matrx"])
    assert caught.value.errors[0].place == "include[0]" and "mass_matrix" in caught.value.errors[0].hint
    with pytest.raises(torqued.WrongInput) as caught:
        panda.inverse_dynamics(np.zeros(7), np.zeros(7), np.zeros(7), external_wrenches=[{"link": "flange", "force": [0, 0, 1]}])
    assert caught.value.errors[0].place.startswith("external_wrenches[0]")


@pytest.mark.parametrize("pointer, request_, want", [
    ("", {"q": 1}, ("", None, False)), ("/q", {"q": [1, 2]}, ("q", [1, 2], True)), ("/a/b/0/c", {"a": {"b": [{"c": 5}]}}, ("a.b[0].c", 5, True)),
    ("/q/9", {"q": [1]}, ("q[9]", None, False)), ("/a~1b/~0", {"a/b": {"~": 2}}, ("a/b.~", 2, True)), ("/q/0", None, ("q[0]", None, False))])
def test_pointers(pointer, request_, want):
    assert _problems.place_of(pointer, request_) == want


def test_kinds(client, panda):
    with pytest.raises(torqued.NotFound, match="pand") as caught:
        client.robot("pand")
    assert isinstance(caught.value, LookupError)
    with pytest.raises(torqued.NotFound):
        client.job("01JD8XK4T5Q2M7N9V3W6Y8Z0AB")
    with pytest.raises(torqued.Conflict):
        client.delete_robot("panda")
    with pytest.raises(torqued.WrongInput):
        client.put_robot("bad", "<robot/>")
    with pytest.raises(torqued.Conflict):
        client.put_dataset("new-one", b"1,2\n3,4\n", if_match="0" * 64)
    with pytest.raises(torqued.LogError, match="torqued.logs"):
        client.put_dataset("x", {"q": [1]})


@pytest.mark.parametrize("status, kind", [(400, torqued.WrongInput), (401, torqued.NotAllowed), (403, torqued.NotAllowed), (404, torqued.NotFound),
                                          (405, torqued.ProblemError), (409, torqued.Conflict), (412, torqued.Conflict), (413, torqued.WrongInput),
                                          (415, torqued.WrongInput), (422, torqued.WrongInput), (429, torqued.Busy), (500, torqued.ServerFault),
                                          (502, torqued.ServerFault), (503, torqued.Busy)])
def test_every_status_has_its_kind(status, kind):
    error = _wire.failure(_wire.Reply(status, {"content-type": "application/problem+json"}, memoryview(b'{"title":"T","detail":"D"}')))
    assert type(error) is kind and str(error) == f"{status} T\n  D"
    # what is no problem document, as of a proxy in between
    error = _wire.failure(_wire.Reply(status, {"content-type": "text/html"}, memoryview(b"<h1>Bad gateway</h1>")))
    assert type(error) is kind and "Bad gateway" in str(error)
    assert type(_wire.failure(_wire.Reply(status, {"content-type": "application/json"}, memoryview(b"{")))) is kind


def test_tokens(start, tmp_path, monkeypatch):
    secret = "0123456789abcdef" * 4
    (tmp_path / "tokens").write_text(f"lab {hashlib.blake2b(secret.encode(), digest_size=32).hexdigest()}\n")
    one = start({"credentials": tmp_path / "tokens"})
    with torqued.Client(one.url) as client, pytest.raises(torqued.NotAllowed) as caught:
        client.robots()
    assert isinstance(caught.value, PermissionError)
    for give in ("argument", "variable", "file"):
        monkeypatch.delenv("TORQUED_TOKEN", raising=False)
        if give == "variable":
            monkeypatch.setenv("TORQUED_TOKEN", secret)
        if give == "file":
            (tmp_path / "token").write_text(secret + "\n")
            monkeypatch.setenv("TORQUED_TOKEN_FILE", str(tmp_path / "token"))
        with torqued.Client(one.url, token=secret if give == "argument" else None) as client:
            assert client.robots()
            client.begin_session()
            client.end_session()


def test_no_service_is_said():
    with torqued.Client("127.0.0.1:1", retries=0) as client:
        with pytest.raises(torqued.ConnectionLost, match=r"torqued.local\(\)"):
            client.robots()
        assert not client.is_ready()
    with torqued.Client("gopher://127.0.0.1:1", retries=0) as client, pytest.raises(torqued.TorquedError, match="gopher"):
        client.robots()


def test_when_to_try_again():
    """The rules by themselves: what may be repeated, how long to wait."""
    reply = lambda status, after=None: _wire.Reply(status, {"retry-after": after} if after else {}, memoryview(b""))  # noqa: E731
    retry = _wire.Retry(_wire.Request("POST", "/v1/x", may_repeat=False), 2, "url")
    assert 0 < retry.after_loss(_lost.ConnectError("refused")) < 1
    with pytest.raises(torqued.ConnectionLost, match="idempotency_key"):
        retry.after_loss(_lost.ReadError("reset"))
    retry = _wire.Retry(_wire.Request("GET", "/v1/x"), 2, "url")
    assert 0 < retry.after_loss(_lost.ReadError("reset")) < 1 and retry.after(reply(200)) is None
    assert 5 <= retry.after(reply(503, "5")) <= 5.5 and retry.after(reply(503, "5")) is None, "two tries more and no third"
    with pytest.raises(torqued.ConnectionLost):
        retry.after_loss(_lost.ReadError("reset"))
    assert _wire.Retry(_wire.Request("GET", "/"), 2, "url", 60).after(reply(429, "3600")) is None
    assert _wire.Retry(_wire.Request("GET", "/"), 2, "url").after(reply(503)) < 1
    with pytest.raises(torqued.ConnectionLost):
        _wire.Retry(_wire.Request("GET", "/"), 2, "url").after_loss(_lost.ReadTimeout("silent"))
    # a DELETE whose first answer was lost finds nothing the second time: it is gone, as asked
    retry = _wire.Retry(_wire.Request("DELETE", "/v1/robots/x"), 2, "url")
    with pytest.raises(torqued.NotFound):
        retry.settle(reply(404))
    retry.after_loss(_lost.ReadError("reset"))
    assert retry.settle(reply(404)).status == 204
