# SPDX-License-Identifier: Apache-2.0
# tests/clients/generated/test_generated.py - clients that other people's generators make of the contract: compiled, and asked for answers.
import json
import os
import pathlib
import re
import shutil
import sys

import pytest
from conftest import TOP, arm_run

HERE = pathlib.Path(__file__).resolve().parent
Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
TSC = ("--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--types", "node")
METHODS = ("get", "put", "post", "delete", "patch")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two logs as files."""
    folder = tmp_path_factory.mktemp("logs")
    paths = [folder / "run1.csv", folder / "run2.csv"]
    for phase, path in enumerate(paths):
        path.write_bytes(arm_run(phase))
    return paths


@pytest.fixture(scope="module")
def expected(daemon, logs):
    """What a plain POST answers to the requests of python_client.py and typescript_client.ts."""
    def post(operation, document):
        status, _, body = daemon.request("POST", f"/v1/robots/panda/{operation}", json.dumps(document),
                                         {"Content-Type": "application/json", "Prefer": "wait=60"})
        assert status == 200, body
        return json.loads(body)

    for name, log in zip(("run1", "run2"), logs):
        assert daemon.request("PUT", f"/v1/datasets/{name}", log.read_bytes())[0] in (200, 201)
    motion = post("simulate", {"initial": {"q": Q}, "duration_s": 0.2, "output": {"interval_s": 0.1},
                               "disturbance": [{"kind": "pulse", "torque": [0, 0, 0, 1, 0, 0, 0], "duration_s": 0.05}]})
    fit = post("calibrate", {"datasets": ["run1", "run2"]})
    return {"tau": post("inverse-dynamics", {"q": Q, "qd": [0.1] * 7, "qdd": [0.5] * 7})["tau"], "q": motion["q"][-1],
            "outcome": "completed", "parameters": {one["name"]: one["value"] for one in fit["parameters"]}}


def operations(contract_file):
    contract = json.loads(contract_file.read_text())
    return [(path, method, item[method]) for path, item in contract["paths"].items() for method in METHODS if method in item]


@pytest.fixture(scope="module")
def unused(contract_file):
    """Names of fields of any type: of a request that is another one's answer, and not used."""
    schemas = json.loads(contract_file.read_text())["components"]["schemas"]
    found = {name for schema in schemas.values() for name, one in schema.get("properties", {}).items()
             if one.get("description", "").startswith("Not used")}
    return "|".join(sorted(found))


def test_validators_are_silent(npm_tool, run, contract_file):
    quiet = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    for document in (TOP / "api/openapi/openapi.yaml", contract_file):
        # definitions that were published keep their names, whether or not something still refers to them
        said = run(npm_tool("redocly"), "lint", document, "--extends=recommended", "--format=github-actions",
                   "--skip-rule=no-unused-components", env=quiet)
        assert not re.search(r"::(error|warning)|\bwarning\b", said), said


def test_python_client(run, daemon, contract_file, unused, logs, expected, tmp_path):
    pytest.importorskip("openapi_python_client", reason="no openapi-python-client: make deps-clients")
    client = tmp_path / "torqued_client"
    said = run(sys.executable, "-m", "openapi_python_client", "generate", "--path", contract_file, "--meta", "none", "--output-path", client,
               "--config", HERE / "openapi-python-client.yaml")
    assert said.split() == ["Generating", str(client)], said
    for _, _, operation in operations(contract_file):
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", operation["operationId"]).lower()
        made = client / "api" / operation["tags"][0] / f"{name}.py"
        assert made.exists(), f"no {name}"
        typed = re.search(r"^def sync\((.*?)\n\) -> (.*?):\n", made.read_text(), re.M | re.S)
        if typed:  # where every answer is empty there is none
            assert not re.search(r"\bbody: Any\b", typed[1]), name
    loose = [f"{path.name}: {line}" for path in sorted((client / "models").glob("*.py")) for line in path.read_text().splitlines()
             if re.match(r"    \w+: .*\bAny\b", line) and not re.match(rf"    additional_properties|    ({unused}): Any \| Unset = UNSET", line)]
    assert loose == []
    shutil.copy(HERE / "python_client.py", tmp_path)
    environment = {**os.environ, "MYPYPATH": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    got = json.loads(run(sys.executable, tmp_path / "python_client.py", daemon.url, *logs, env=environment))
    assert got == expected
    pytest.importorskip("mypy", reason="no mypy: make deps-clients")
    run(sys.executable, "-m", "mypy", "--cache-dir", TOP / "build/clients/mypy", tmp_path / "python_client.py", env=environment, cwd=tmp_path)


def test_typescript_client(npm_tool, run, daemon, contract_file, unused, logs, expected, tmp_path):
    run(npm_tool("openapi-typescript"), contract_file, "-o", tmp_path / "torqued.d.ts")
    types = (tmp_path / "torqued.d.ts").read_text()
    for _, _, operation in operations(contract_file):
        assert f"    {operation['operationId']}: {{\n" in types
    types = re.sub(rf"/\*\* @description Not used: .*\n *({unused})\?: unknown;", "", types)
    loose = [line for line in types.splitlines() if re.search(r"\bunknown\b", re.sub(r"/\*.*?\*/|\[\w+: string\]: unknown|\"[^\"]*\"|^ *\*.*", "", line))]
    assert loose == []
    (tmp_path / "node_modules").symlink_to(TOP / "build/node/node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(HERE / "typescript_client.ts", tmp_path)
    run(npm_tool("tsc"), *TSC, "typescript_client.ts", cwd=tmp_path)
    got = json.loads(run("node", tmp_path / "typescript_client.js", daemon.url, *logs))
    assert got == expected


def test_programs_of_the_page_say_the_same(run, npm_tool, daemon, contract_file, tmp_path):
    """docs/generated-clients.md, compiled and run as it stands."""
    pytest.importorskip("openapi_python_client", reason="no openapi-python-client: make deps-clients")
    page = (TOP / "docs/generated-clients.md").read_text().replace("http://127.0.0.1:8420", daemon.url)
    shutil.copy(contract_file, tmp_path / "clients.json")
    command = re.search(r"^openapi-python-client (generate .*)$", page, re.M)[1].split()
    run(sys.executable, "-m", "openapi_python_client", *command, "--config", HERE / "openapi-python-client.yaml", cwd=tmp_path)
    (tmp_path / "page.py").write_text(re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1])
    printed = json.loads(run(sys.executable, "page.py", cwd=tmp_path))
    run(npm_tool("openapi-typescript"), *re.search(r"^npx openapi-typescript (.*)$", page, re.M)[1].split(), cwd=tmp_path)
    (tmp_path / "page.ts").write_text(re.search(r"^```ts\n(.*?)^```", page, re.M | re.S)[1])
    (tmp_path / "node_modules").symlink_to(TOP / "build/node/node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    run(npm_tool("tsc"), *TSC, "page.ts", cwd=tmp_path)
    assert json.loads(run("node", "page.js", cwd=tmp_path)) == printed
    assert len(printed) == 7
