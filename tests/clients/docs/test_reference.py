# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/test_reference.py - the first example of every operation by curl, torquectl, Python, JavaScript and C: the same answer.
import json
import struct

import pytest
from conftest import Daemon
from runner import Runner

import reference
import snippets

CONTRACT = reference.Contract()
CALLS = {name: next(CONTRACT.calls(name, path, one))[1] for name, path, one in CONTRACT.operations()}
# a request's digest is of its bytes; sums and times of a run are not of its numbers
APART = ("provenance", "stats")
AS_JSON = {
    "python": """
import json, sys
def plain(value):
    if hasattr(value, "tolist"): return value.tolist()
    if hasattr(value, "items"): return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value
sys.stdout.write("\\n====" + json.dumps(plain(result) if hasattr(result, "items") else {ARRAY: plain(result)}))
""",
    "js": """
const plain = (value) => (value instanceof Float64Array ? [...value] : value instanceof NDArray ? JSON.parse(JSON.stringify(value))
  : Array.isArray(value) ? value.map(plain) : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)])) : value);
import { NDArray } from "torqued";
process.stdout.write("\\n====" + JSON.stringify(plain(result)));
"""}


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    daemon = Daemon({"wait": "60s"})
    yield Runner(daemon.url, tmp_path_factory.mktemp("reference"))
    daemon.stop()


def flat(value, path="", to=None):
    """{path: bytes of its numbers and its texts}."""
    to = {} if to is None else to
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in APART:
                flat(one, f"{path}.{key}", to)
    elif isinstance(value, list):
        for one in value:
            flat(one, path, to)
    else:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        to[path] = to.get(path, "") + (struct.pack("<d", value + 0.0).hex() if is_number else f"<{value}>")
    return to


@pytest.mark.seconds(120)
@pytest.mark.parametrize("operation", CALLS)
def test_all_clients_have_the_same_answer(runner, operation):
    call = CALLS[operation]
    whole = json.loads(runner.run("sh", snippets.curl(call)))
    assert "title" not in whole or "status" not in whole, whole
    want = flat(whole)
    assert flat(json.loads(runner.run("sh", snippets.torquectl(call)))) == want
    for language, write in (("python", snippets.python), ("js", snippets.javascript)):
        got = runner.run(language, write(call), AS_JSON[language].replace("ARRAY", repr(call.array)))
        got = flat(json.loads(got.rsplit("\n====", 1)[1]))
        assert got == {key: one for key, one in want.items() if key in got or len(got) > 1}, language
    array = whole
    for key in call.array.split("."):
        array = array[int(key) if key.isdigit() else key]
    assert [float(one) for one in runner.run("c", snippets.c(call)).split()] == list(leaves(array))


def leaves(value):
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    else:
        yield float(value)


def test_pages_of_resources_lead_to_their_types():
    """What is no computation: sessions, changes of robots."""
    page = reference.made(CONTRACT)["resources.md"]
    for part, sent, got in (("PATCH /v1/robots/{name}", "RobotPatch", "RobotReport"), ("POST /v1/sessions", "SessionRequest", "Session"),
                            ("POST /v1/sessions/{id}/step", "SessionStepRequest", "SessionState")):
        text = page.split(f"## {part}\n")[1].split("\n## ")[0]
        assert f"[`{sent}`](types.md#{sent.lower()})" in text and f"Answer: [`{got}`](types.md#{got.lower()})" in text
    assert {"payload", "residual", "distance"} <= set(CALLS)


def test_every_example_of_the_pages_is_one_of_the_contract():
    """tests/unit/api/openapi/test_openapi.c runs all of them; the pages show each as a line for curl."""
    pages = reference.made(CONTRACT)
    for name, path, one in CONTRACT.operations():
        examples = one["requestBody"]["content"]["application/json"]["examples"]
        assert pages[f"op-{name}.md"].count("curl -s") == len(examples), name
