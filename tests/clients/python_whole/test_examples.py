# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_examples.py - every example of the contract by its method: sync, async, and as jobs.
import asyncio
import inspect
import keyword

import numpy as np
import pytest
import torqued
from conftest import ROOT, contract
from torqued._generated import operations as _operations

yaml = pytest.importorskip("yaml")
example_data = contract.example_data
PATHS = yaml.load((ROOT / "api" / "openapi" / "openapi.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["paths"]


def examples():
    for path, item in PATHS.items():
        content = item.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        for name, example in content.get("examples", {}).items():
            yield pytest.param(path, example, id=f"{path.rsplit('/', 1)[1]}-{name}")


def robot_of(path, example):
    """The robot that an example is of, as tests/contract/test_examples.py finds it."""
    return example.get("x-robot", "panda")


def python(value):
    """Keyword arguments: those that are words of Python end in _."""
    return {key + "_" if key in ("from",) else key: one for key, one in value.items()}


def plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict) or isinstance(value, torqued.Result):
        return {key: plain(one) for key, one in value.items() if key != "provenance"}
    return [plain(one) for one in value] if isinstance(value, list) else value


def call(client, path, example, jobs=False):
    """(method, arguments) of an example on a client of either kind."""
    def method(of):
        of = of.jobs if jobs else of
        return getattr(of, path.rsplit("/", 1)[1].replace("-", "_"))
    return method, python(example["value"]), robot_of(path, example) if "{name}" in path else None


@pytest.mark.parametrize("path, example", list(examples()))
def test_every_example_by_every_way(daemon, client, example_data, path, example):
    method, arguments, robot = call(client, path, example)
    result = method(client.robot(robot) if robot else client)(**arguments)
    method, _, _ = call(client, path, example, jobs=True)
    job = method(client.robot(robot) if robot else client)(**arguments)
    assert job.kind == path.rsplit("/", 1)[1] and len(job.id) == 26

    async def run():
        async with torqued.AsyncClient(daemon.url) as one:
            of = await one.robot(robot) if robot else one
            direct, _, _ = call(one, path, example)
            as_job, _, _ = call(one, path, example, jobs=True)
            return await direct(of)(**arguments), await (await as_job(of)(**arguments)).result()

    results = [result, job.result(), *asyncio.run(run())]
    if isinstance(result, np.ndarray):
        key = {"inverse-dynamics": "tau", "forward-dynamics": "qdd"}[job.kind]
        results = [one if isinstance(one, np.ndarray) else one[key] for one in results]
    else:
        assert type(result).__name__ in vars(_operations) and repr(result) and "</table>" in result._repr_html_()
        fields = {name.removesuffix("_") for name in inspect.get_annotations(type(result))}  # `from_`: Python's own word
        assert set(result) <= fields and all(getattr(result, one + "_") is result[one] for one in result if keyword.iskeyword(one))
    for other in results[1:]:
        np.testing.assert_equal(plain(other), plain(results[0]))
