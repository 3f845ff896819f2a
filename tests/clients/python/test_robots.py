# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_robots.py - robots changed by operations, in other formats, read in other ways.
import io
import zipfile

import numpy as np
import pytest
import torqued
from torqued import _lost


def test_another_version_by_operations(client, panda):
    six = panda.change({"op": "lock", "joints": {"joint7": 0.8}}, {"op": "gravity", "gravity": [0, 0, -1.62]}, name="six-axes")
    assert (six.name, six.nv) == ("six-axes", 6) and six.report.nv == 6 and six.digest != panda.digest
    q = np.array([0.1, -0.2, 0.3, -1.5, 0.5, 1.8])
    there = panda.inverse_dynamics(np.append(q, 0.8), np.zeros(7), np.zeros(7), gravity=[0, 0, -1.62]).tau[:6]
    assert np.abs(six.inverse_dynamics(q, np.zeros(6), np.zeros(6)) - there).max() < 1e-12
    seven = six.change({"op": "payload", "link": "flange", "mass": 1.5, "com": [0, 0, 0.1]}, if_match=six.digest)
    assert seven.name == "six-axes" and seven.digest != six.digest
    with pytest.raises(torqued.Conflict):
        six.change({"op": "gravity", "gravity": [0, 0, 0]}, if_match=six.digest)
    with pytest.raises(torqued.WrongInput) as wrong:
        six.change({"op": "gravity", "gravity": [0, 0, 0]}, {"op": "lock", "joints": {"joint99": 1}}, name="none")
    assert wrong.value.errors[0].pointer.startswith("/operations/1/joints") and wrong.value.errors[0].hint


def test_a_change_is_sent_once(client, panda, monkeypatch):
    """Twice is not as once: a lost answer is said, and nothing is sent again."""
    sent = []

    def lose(message):
        sent.append(message.method)
        raise _lost.RemoteProtocolError("the connection ended")

    monkeypatch.setattr(client._transport, "exchange", lose)
    with pytest.raises(torqued.ConnectionLost):
        panda.change({"op": "lock", "joints": {"joint7": 0.8}}, name="lost")
    assert sent == ["PATCH"]


@pytest.mark.parametrize("name, begins", [("urdf", "<robot"), ("mjcf", "<mujoco"), ("sdf", "<sdf")])
def test_other_formats(client, panda, name, begins):
    text = panda.export(name)
    assert begins in text and text == client.export_robot("panda", name)
    again = client.put_robot(f"again-by-{name}", text, format=name)
    q = np.array([0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7])
    a, b = (one.terms(q, include=["gravity_torque"]).gravity_torque for one in (panda, again))
    assert np.abs(a - b).max() < 1e-9


def test_a_base_and_an_archive(client, panda):
    free = client.put_robot("free-panda", panda.export("urdf"), base="floating")
    assert free.nv == panda.nv + 6
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("arms/one.urdf", panda.export("urdf"))
        file.writestr("arms/two.urdf", client.robot("ur5e").export("urdf"))
    assert client.put_robot("from-zip", archive.getvalue(), main="arms/two.urdf").nv == 6
