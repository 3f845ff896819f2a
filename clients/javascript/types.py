#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# clients/javascript/types.py - makes contract.generated.d.ts and the operations in torqued.js from the contract (needs PyYAML).
"""usage: types.py [--check]    --check: writes nothing, exits 1 where the files are not what the contract makes"""
import json
import pathlib
import re
import sys
import textwrap

import yaml

HERE = pathlib.Path(__file__).resolve().parent
CONTRACT = HERE.parent.parent / "api" / "openapi" / "openapi.yaml"
LINE = 130
HEAD = """// SPDX-License-Identifier: Apache-2.0
// clients/javascript/contract.generated.d.ts - types of the contract, made by types.py: do not edit.

/** Nested arrays of numbers, rows outside. */
export type Tensor = number[] | number[][] | number[][][] | number[][][][];
"""
SIMPLE = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def union(parts):
    return " | ".join(dict.fromkeys(parts))


def comment(text, indent):
    if not text:
        return ""
    text = text.replace("*/", "* /")
    one = f"{indent}/** {text} */\n"
    if len(one) <= LINE:
        return one
    lines = textwrap.wrap(text, LINE - len(indent) - 3, break_long_words=False)
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def in_brackets(inner):
    return f"({inner})[]" if re.search(r"[|&]", re.sub(r"\{.*\}|\"[^\"]*\"", "", inner, flags=re.S)) else f"{inner}[]"


def members(schema, indent):
    below = indent + "  "
    text = ""
    for name, one in schema.get("properties", {}).items():
        key = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
        optional = "" if name in schema.get("required", []) else "?"
        text += comment(one.get("description"), below) + f"{below}{key}{optional}: {type_of(one, below)};\n"
    extra = schema.get("additionalProperties", True)
    if extra is not False:
        text += f"{below}[name: string]: {'unknown' if extra is True or schema.get('properties') else type_of(extra, below)};\n"
    return "{\n" + text + indent + "}"


def type_of(schema, indent=""):
    if "$ref" in schema:  # a schema, or a property of one
        name, *steps = schema["$ref"].removeprefix("#/components/schemas/").split("/")
        return name + "".join(f"[{json.dumps(step)}]" for step in steps if step != "properties")
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return union(json.dumps(one) for one in schema["enum"])
    for word, sign in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        if word in schema and any(set(one) - {"required", "not"} for one in schema[word]):
            return sign.join(dict.fromkeys(type_of(one, indent) for one in schema[word]))
    kinds = schema.get("type", "object" if "properties" in schema else None)
    if isinstance(kinds, list):
        return union(type_of({**schema, "type": kind}, indent) for kind in kinds)
    if kinds == "array":
        return in_brackets(type_of(schema["items"], indent)) if schema.get("items") else "Tensor"
    if kinds == "object":
        return members(schema, indent)
    return SIMPLE.get(kinds, "unknown")


def body_of(content):
    return type_of(content["content"]["application/json"]["schema"])


def operations(contract):
    """(is of a robot, method, path below it, is long, request, answer, queries)"""
    long = set(long_ones())
    for path, item in contract["paths"].items():
        post = item.get("post", {})
        if "requestBody" not in post or "202" not in post["responses"]:  # a resource
            continue
        prefix = "/v1/robots/{name}/" if path.startswith("/v1/robots/") else "/v1/"
        queries = {one["name"]: type_of(one["schema"]) for one in post.get("parameters", []) if one.get("in") == "query"}
        word = path.removeprefix(prefix)
        yield (path.startswith("/v1/robots/"), post["operationId"], word, word in long,
               body_of(post["requestBody"]), body_of(post["responses"]["200"]), queries, post["summary"])


def long_ones():
    """Those that are jobs unasked, as paths."""
    for path in sorted((CONTRACT.parent / "schema").glob("*.schema")):
        of = None
        for line in path.read_text(encoding="utf-8").splitlines():
            of = line.split()[1] if line.startswith("operation ") else of
            if re.match(r"\s+job\s*:\s*yes\b", line):
                yield of


def declarations(contract):
    text = HEAD
    for name, schema in sorted(contract["components"]["schemas"].items()):
        text += "\n" + comment(schema.get("description"), "")
        made = type_of(schema)
        is_object = made.startswith("{") and made.endswith("}") and made.count("\n}") == 1
        text += f"export interface {name} {made}\n" if is_object else f"export type {name} = {made};\n"
    for of_robots, name in ((True, "RobotOperations"), (False, "ServiceOperations")):
        text += f"\n/** Request, answer and query of each. */\nexport interface {name} {{\n"
        for is_of, method, _, _, request, answer, queries, summary in operations(contract):
            if is_of == of_robots:
                query = "{ " + "; ".join(f"{one}?: {kind}" for one, kind in queries.items()) + " }" if queries else "{}"
                text += comment(summary, "  ") + f"  {method}: [{request}, {answer}, {query}];\n"
        text += "}\n"
    return text


def table(contract, of_robots):
    names = [f"{method} {path}{' long' if long else ''}" for is_of, method, path, long, *_ in operations(contract) if is_of == of_robots]
    return ",".join(names)


def with_tables(contract, module):
    for name, of_robots in (("OF_ROBOTS", True), ("OF_SERVICE", False)):
        module = re.sub(rf'^const {name} = ".*";$', f'const {name} = "{table(contract, of_robots)}";', module, flags=re.M)
    return module


def main():
    contract = yaml.load(CONTRACT.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    types, module = HERE / "contract.generated.d.ts", HERE / "torqued.js"
    made = {types: declarations(contract), module: with_tables(contract, module.read_text(encoding="utf-8"))}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(HERE.parent.parent)} is not what the contract makes: run clients/javascript/types.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
