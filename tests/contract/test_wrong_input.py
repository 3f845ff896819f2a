# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_wrong_input.py - every field of every request with every kind of fault: refused with a
# pointer and a hint.
"""The contract defines the faults: examples are changed value by value, and each field that no example has is
added with wrong values. What the schema forbids must be refused; each refusal has a pointer and a hint;
nothing gives a 5xx."""

import copy
import json

import jsonschema
import pytest
import yaml
from conftest import ROOT, SLOW

CONTRACT = yaml.safe_load((ROOT / "api" / "openapi" / "openapi.yaml").read_text())
JSON = {"Content-Type": "application/json", "Prefer": "wait=3600"}
FAULTS_SHOWN = 12
# under a sanitizer a part of them: one or two of the more than twenty faults of each field
PART = 15 if SLOW > 1 else 1


class Raw:
    """Text that is inserted into the body unchanged."""

    def __init__(self, text):
        self.text = text


class Pairs:
    """An object in which a key may occur twice."""

    def __init__(self, pairs):
        self.pairs = pairs


def dump(value):
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, (dict, Pairs)):
        pairs = value.items() if isinstance(value, dict) else value.pairs
        return "{" + ",".join(json.dumps(k) + ":" + dump(v) for k, v in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dump(v) for v in value) + "]"
    return json.dumps(value)


WRONG = {
    "text": "xyzzy", "true": True, "object": {}, "array": [], "null": None, "number": 7, "NaN": Raw("NaN"), "overflow": Raw("1e999"),
    "negative": -1, "huge": 1e300, "half": 0.5, "tiny": 1e-300, "smallest": 5e-324, "largest": 1.7976931348623157e308, "zero": 0, "no text": "", "byte 0": "a\0b", "long text": "a" * 5000,
    "deep array": Raw("[" * 200 + "]" * 200), "deep object": Raw('{"a":' * 200 + "1" + "}" * 200), "nested": [[[1]]],
    "array of truths": [True], "array of texts": ["xyzzy"], "unknown object": {"xyzzy": 1},
}
NOT_JSON = ("NaN", "overflow", "twice")


def misspelt(word):
    return word + word[-1]


def places(value, path=()):
    """Every value of a document with its path; of arrays, the first and the last element."""
    yield path, value
    if isinstance(value, dict):
        for k, v in value.items():
            yield from places(v, (*path, k))
    elif isinstance(value, list):
        for i in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield from places(value[i], (*path, i))


def put(document, path, new):
    """A copy of the document with another value at the path, which is created if missing."""
    if not path:
        return new
    document = copy.copy(document)
    if isinstance(path[0], int):
        document = document if isinstance(document, list) and document else [{}]
        document[path[0]] = put(document[path[0]], path[1:], new)
    else:
        document = document if isinstance(document, dict) else {}
        document[path[0]] = put(document.get(path[0]), path[1:], new)
    return document


def bent(document):
    for path, value in places(document):
        for name, wrong in WRONG.items():
            yield name, path, put(document, path, wrong)
        if isinstance(value, list) and value:
            yield "longer", path, put(document, path, [*value, value[-1]])
            yield "shorter", path, put(document, path, value[:-1])
        if isinstance(value, dict):
            for k in value:
                yield "twice", (*path, k), put(document, path, Pairs([*value.items(), (k, value[k])]))
                yield "missing", (*path, k), put(document, path, {a: b for a, b in value.items() if a != k})
                yield "misspelt", (*path, k), put(document, path, {misspelt(a) if a == k else a: b for a, b in value.items()})
        if isinstance(value, str) and value:
            yield "misspelt value", path, put(document, path, misspelt(value))


def resolved(schema):
    while "$ref" in schema:
        found = CONTRACT
        for key in schema["$ref"].split("/")[1:]:
            found = found[int(key)] if isinstance(found, list) else found[key]
        schema = found
    return schema


def fields(schema, path=(), depth=0):
    """The path of every field in a schema; array elements have index 0."""
    schema = resolved(schema)
    if depth > 8:
        return
    for word in ("oneOf", "anyOf", "allOf"):
        for one in schema.get(word, []):
            yield from fields(one, path, depth + 1)
    for key, one in schema.get("properties", {}).items():
        yield (*path, key)
        yield from fields(one, (*path, key), depth + 1)
    if isinstance(schema.get("items"), dict):
        yield from fields(schema["items"], (*path, 0), depth + 1)


def anywhere(path):
    return tuple(0 if isinstance(p, int) else p for p in path)


def wrong_documents(schema, examples):
    """(fault, path, document): each kind of fault once for each field."""
    done = set()
    for example in examples:
        for what, path, document in bent(example):
            if (what, anywhere(path)) not in done:
                done.add((what, anywhere(path)))
                yield what, path, document
    for path in sorted(set(fields(schema)), key=str):
        for what, wrong in WRONG.items():
            if (what, path) not in done:
                done.add((what, path))
                yield what, path, put(examples[0], path, wrong)


class Sweep:
    """Sends documents over one connection and collects replies that violate the rules."""

    def __init__(self, daemon, method, path, schema):
        self.daemon, self.method, self.path = daemon, method, path
        self.connection = daemon.connect()
        self.schema = jsonschema.Draft202012Validator({**schema, "components": CONTRACT["components"]})
        self.faults, self.sent, self.refused = [], 0, 0

    def allowed(self, what, text):
        try:
            return what not in NOT_JSON and self.schema.is_valid(json.loads(text))
        except (RecursionError, ValueError):
            return False

    def judge(self, what, path, text, status, document):
        if status < 300:
            return None if self.allowed(what, text) else "accepted"
        self.refused += 1
        if not 400 <= status < 500:
            return f"status {status}"
        if status == 413:
            return None
        errors = document.get("errors")
        if not errors or not errors[0]["pointer"].startswith("/") and errors[0]["pointer"] != "":
            return "no place"
        if not errors[0].get("hint"):
            return "no hint"
        word = path[-1] if path else ""
        if what == "misspelt" and document["type"] == "/problems/unknown-field" and isinstance(word, str) and len(word) > 3:
            return None if f'"{word}"' in errors[0]["hint"] else "does not name the nearest field"
        return None

    def send(self, what, path, document):
        text = dump(document)
        self.connection.request(self.method, self.path, text, JSON)
        answer = self.connection.getresponse()
        body = answer.read()
        self.sent += 1
        if answer.status == 202:  # accepted as a job: the fault made the computation long, and is not a refusal
            self.daemon.request("POST", answer.headers["Location"] + "/cancel")
        fault = self.judge(what, path, text, answer.status, json.loads(body))
        if fault:
            self.faults.append(f"{fault}: {what} at /{'/'.join(map(str, path))}: {body[:400].decode(errors='replace')}\n    {text[:300]}")

    def close(self):
        self.connection.close()
        assert not self.faults, f"{len(self.faults)} of {self.sent}:\n" + "\n".join(self.faults[:FAULTS_SHOWN])


def operations():
    for path, item in CONTRACT["paths"].items():
        content = item.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if content and "202" in item["post"]["responses"]:
            yield path, content["schema"], list(content["examples"].values())


OPERATIONS = {path.rsplit("/", 1)[1]: (path, schema, [e["value"] for e in examples]) for path, schema, examples in operations()}
# operations whose first example is of another robot than panda: of a linkage
ROBOT_OF = {path.rsplit("/", 1)[1]: examples[0]["x-robot"] for path, _, examples in operations() if "x-robot" in examples[0]}
# the documents that are accepted are computed: of a part of the samples, since nothing here depends on their number
SHORTER = {"calibrate": {"rows": [[0, 1500]]}}


@pytest.mark.seconds(110)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_wrong_request_says_where_and_what_instead(daemon, example_data, name):
    path, schema, examples = OPERATIONS[name]
    examples = [{**SHORTER.get(name, {}), **example} for example in examples]
    sweep = Sweep(daemon, "POST", path.replace("{name}", ROBOT_OF.get(name, "panda")), schema)
    for k, (what, place, document) in enumerate(wrong_documents(schema, examples)):
        if k % PART == 0:
            sweep.send(what, place, document)
    assert sweep.refused > sweep.sent / 4
    sweep.close()


@pytest.mark.seconds(110)
@pytest.mark.parametrize("name", ["rrp", "four-bar", "scara", "spherical-pendulum"])
def test_every_wrong_robot_says_where_and_what_instead(daemon, name):
    status, _, body = daemon.request("GET", f"/v1/robots/{name}")
    assert status == 200
    schema = {"$ref": "#/components/schemas/RobotDocument"}
    sweep = Sweep(daemon, "PUT", "/v1/robots/bent", schema)
    every = schema if name == "rrp" else {}  # fields that no example has: tested with one robot
    for k, (what, place, document) in enumerate(wrong_documents(every, [json.loads(body)])):
        if k % PART == 0:
            sweep.send(what, place, document)
    assert sweep.refused > sweep.sent / 4
    sweep.close()
