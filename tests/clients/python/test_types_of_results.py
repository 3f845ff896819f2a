# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_types_of_results.py - what results hold is of the types that they state: arrays, and lists that may be empty.
import types
import typing

import numpy as np
import pytest
import torqued
from torqued import _results
from torqued._generated import operations as _operations
from torqued._generated import types as _types

NAMES = {**vars(typing), **vars(_types), "Array": np.ndarray}


def faults(value, hint, path, found):
    """Appends where a value is of another type than its annotation has."""
    hint = eval(hint.__forward_arg__ if isinstance(hint, typing.ForwardRef) else hint, dict(NAMES)) if isinstance(hint, (str, typing.ForwardRef)) else hint
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is _types.NotRequired:
        faults(value, parts[0], path, found)
    elif origin in (typing.Union, types.UnionType):
        each = [[] for _ in parts]
        for one, into in zip(parts, each):
            faults(value, one, path, into)
        found += min(each, key=len)
    elif origin is list:
        if not isinstance(value, list):
            found.append(f"{path}: a {type(value).__name__}, not a list")
        for k, one in enumerate(value):
            faults(one, parts[0], f"{path}[{k}]", found)
    elif hint is np.ndarray:
        if not isinstance(value, (np.ndarray, float, int)):
            found.append(f"{path}: a {type(value).__name__}, not an array: {str(value)[:60]}")
    elif isinstance(hint, type) and hasattr(hint, "__required_keys__"):
        if not isinstance(value, dict):
            found.append(f"{path}: a {type(value).__name__}, not a dict")
            return
        for key, one in value.items():
            if key in hint.__annotations__:
                faults(one, hint.__annotations__[key], f"{path}.{key}", found)
    elif hint in (str, bool, dict) or origin is dict:
        if not isinstance(value, origin or hint):
            found.append(f"{path}: a {type(value).__name__}, not a {(origin or hint).__name__}")


def all_faults(result):
    found = []
    for key, value in result.items():
        faults(value, type(result).__annotations__[key], key, found)
    return found


@pytest.fixture(scope="module")
def fit(client):
    """A calibration of which nothing is to say."""
    robot = client.robot("planar-2r")
    motion = robot.excitation(parameters=["viscous"], frequency_hz=0.2, tries=5, interval_s=0.01)
    assert not all_faults(motion)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd
    noise = np.random.default_rng(0).normal(0, 1e-3, tau.shape)
    client.put_dataset("of-types", torqued.logs.from_arrays(time=motion.t, q=motion.q, qd=motion.qd, tau=tau + noise))
    log = torqued.logs.from_arrays(time=motion.t, q=motion.q, qd=motion.qd, tau=tau)
    return robot.calibrate(["of-types"], **log.options)


def test_an_empty_list_of_texts_is_a_list(client, fit):
    """CBOR has one empty array for all: of what it would have been says the contract alone."""
    assert fit.reasons == fit.findings == []
    again = client.job(fit.job_id).result()
    assert type(again) is type(fit) and again.reasons == fit.reasons and again.units == fit.units
    assert client.job(fit.job_id).result("reasons").reasons == fit.reasons
    assert next(one for one in client.list_jobs() if one.id == fit.job_id).result().reasons == fit.reasons
    empty = np.frombuffer(b"")
    assert _results.tidy({"a": empty, "b": {"c": empty}, "d": [{"c": empty}]}, frozenset(["a", "b.c", "d", "d.c"])) \
        == {"a": [], "b": {"c": []}, "d": [{"c": []}]}
    assert isinstance(_results.tidy({"a": empty}, frozenset(["b"]))["a"], np.ndarray)


def test_results_are_of_the_types_they_state(client, panda, fit):
    q, zero = np.full(7, 0.3), np.zeros(7)
    terms = ["gravity_torque", "mass_matrix", "energy", "momentum", "center_of_mass", "limits", "coriolis_matrix"]
    results = [
        fit,
        panda.inverse_dynamics(q, zero, zero, include=[*terms, "reactions"]),
        panda.inverse_dynamics(np.tile(q, (3, 1)), np.zeros((3, 7)), np.zeros((3, 7)), include=["reactions", "energy"]),
        panda.forward_dynamics(q, zero, zero, include=terms),
        panda.terms(q, include=terms),
        panda.kinematics(q),
        panda.trajectory(waypoints=[zero, q], interval_s=0.1, timing="quintic", times_s=[0, 1]),
        client.robot("planar-2r").simulate({"q": [0.3, 0.1]}, 0.2, {"interval_s": 0.02}, include=["energy"]),
        panda.manipulability(q, panda.document["links"][-1]["name"]),
    ]
    assert [fault for one in results for fault in all_faults(one)] == []
    assert {type(one) for one in results} <= set(_operations.RESULTS.values())
