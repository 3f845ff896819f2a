# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_operations.py - a method for every operation of the contract, and committed as generate.py makes it.
import inspect
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from torqued._generated import operations as _operations
from torqued._generated import types as _types

yaml = pytest.importorskip("yaml")
PATHS = yaml.load((ROOT / "api" / "openapi" / "openapi.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["paths"]


def test_the_methods_are_those_of_the_contract(client, panda):
    """No operation without a method, and no method without an operation."""
    of_robot = {p.rsplit("/", 1)[1].replace("-", "_") for p in PATHS if re.fullmatch(r"/v1/robots/\{name\}/[a-z-]+", p)}
    # what cannot become a job makes a resource, a session say, which has a class of its own
    others = {p.rsplit("/", 1)[1].replace("-", "_") for p, item in PATHS.items()
              if re.fullmatch(r"/v1/[a-z-]+", p) and "requestBody" in item.get("post", {}) and "202" in item["post"]["responses"]}
    for kinds, want in ((("RobotOperations", "RobotJobs"), of_robot), (("ServiceOperations", "ServiceJobs"), others)):
        for kind in kinds:
            for word in ("", "Async"):
                found = {name for name in vars(getattr(_operations, word + kind)) if not name.startswith("_")}
                assert found == want, kind
    for name in of_robot:
        signature = inspect.signature(getattr(panda, name))
        assert "idempotency_key" in signature.parameters and len((getattr(panda, name).__doc__ or "")) > 40
    assert _types.Wrench.__annotations__.keys() >= {"link", "force", "moment"}


def test_every_resource_of_the_contract_is_reached():
    """Each path is in the package: as the contract writes it, with names in place of its parameters."""
    source = "\n".join(one.read_text() for one in (ROOT / "clients/python/src/torqued").glob("*.py"))
    made = {p for p in PATHS if re.fullmatch(r"/v1/(robots/\{name\}/|sessions/\{id\}/)?[a-z-]+", p) and "requestBody" in PATHS[p].get("post", {})}
    made.add("/openapi/clients.json")  # for generators of clients
    missing = [p for p in PATHS if p not in made and not re.search(re.sub(r"\\{\w+\\}", r"\\{[^}]*\\}", re.escape(p)) + "[\"'?/]", source)]
    assert not missing and len(made) < len(PATHS) - 20


def test_a_node_is_drained_and_resumed(start):
    import torqued
    with torqued.Client(start().url) as client:
        [node] = client.nodes()
        assert client.live()["status"] == "alive" and client.drain_node(node["name"])["state"] == "drained"
        job = client.robot("pendulum").jobs.simulate({"q": [0.3]}, 0.1, {"interval_s": 0.05})
        assert client.drain_node(node["name"])["state"] == client.nodes()[0]["state"] == "drained"
        job.refresh()
        assert job.state == "queued" and client.resume_node(node["name"])["state"] == "active"
        assert job.result().verdict["outcome"] == "completed"
        with pytest.raises(torqued.NotFound):
            client.resume_node("nowhere")
        with pytest.raises(torqued.ProblemError):  # this service has no tokens
            client.ticket()


def test_committed_as_generated():
    done = subprocess.run([sys.executable, str(ROOT / "clients/python/generate.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_results_know_columns_and_units(panda):
    result = panda.trajectory(waypoints=[[0] * 7, [0.5] * 7], interval_s=0.1, timing="quintic", times_s=[0, 1])
    assert result.units["q"] == "rad or m" and result.units["t"] == "s" and result.q.shape == (11, 7)
    assert result.labels("q")[0] == ("q.joint1", "rad") and result.labels("qd")[6] == ("qd.joint7", "rad/s") and result.labels("t") == [("t", "s")]
    one = panda.terms(np.zeros(7), include=["gravity_torque"])
    assert one.labels("gravity_torque")[0] == ("gravity_torque.joint1", "N m") and "gravity_torque" in dir(one) and one.to_dict().keys() == set(one)
    turned = panda.terms(np.zeros(7), include=["gravity_torque"], joints=panda.joints[::-1])
    assert turned.labels("gravity_torque")[0] == ("gravity_torque.joint7", "N m")
    assert np.array_equal(turned.gravity_torque[::-1], one.gravity_torque)


def test_linear_joints_have_linear_units(client):
    scara = client.robot("scara")
    n = scara.nv
    result = scara.inverse_dynamics(np.zeros(n), np.zeros(n), np.zeros(n), include=["gravity_torque"])
    assert {unit for _, unit in result.labels("tau")} == {"N m", "N"}
    assert "scara" in repr(scara) and "</table>" in scara._repr_html_()


def test_fields_that_have_become_optional_keep_their_place(client):
    """Programs give by position what the contract required when it was published."""
    run = client.robot("pendulum").simulate({"q": [0.5]}, 0.1, {"interval_s": 0.05})
    assert len(run.t) == 3 and len(client.robot("pendulum").simulate({"q": [0.5]}, 0.1).t) >= 2
