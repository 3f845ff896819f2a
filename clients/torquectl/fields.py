#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# clients/torquectl/fields.py - writes fields.h, the fields of every operation's request, out of the contract (needs PyYAML).
"""usage: fields.py [--check]    reads api/openapi/openapi.yaml; --check compares instead of writing"""
import pathlib
import re
import sys

import yaml

DEPTH = 3  # names in a path
# requests of resources: by what name a command has their fields
RESOURCES = {("patch", "/v1/robots/{name}"): "robot-change", ("post", "/v1/sessions"): "session", ("post", "/v1/sessions/{id}/step"): "session-step",
             ("post", "/v1/sessions/{id}/rewind"): "session-rewind", ("post", "/v1/sessions/{id}/fork"): "session-fork"}
TEXT = 150
KINDS = {"number": "NUMBER", "integer": "NUMBER", "string": "STRING", "boolean": "BOOLEAN", "array": "ARRAY", "object": "OBJECT"}


def resolve(contract, node):
    """The target of a $ref, overridden by its sibling keys."""
    seen = 0
    while "$ref" in node and seen < 8:
        target = contract
        for part in node["$ref"].split("/")[1:]:
            target = target[int(part)] if isinstance(target, list) else target[part]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        seen += 1
    return node


def choices(contract, node):
    node = resolve(contract, node)
    for key in ("oneOf", "anyOf"):
        for each in node.get(key, []):
            yield from choices(contract, each)
    if "properties" in node or ("oneOf" not in node and "anyOf" not in node):
        yield node


def kind_of(contract, node):
    kinds = []
    for each in choices(contract, node):
        kind = each.get("type")
        kinds += [k for k in (kind if isinstance(kind, list) else [kind]) if k not in (None, "null")]
        kinds += ["string"] if kind is None and "enum" in each else []
    kinds = list(dict.fromkeys(KINDS[k] for k in kinds))
    if set(kinds) == {"ARRAY", "OBJECT"}:
        return "ARRAY"  # of numbers, or by names: one number is a list of one, JSON is what it is
    return kinds[0] if len(kinds) == 1 else "ANY"


def words_of(contract, node):
    words = []
    for each in choices(contract, node):
        inner = resolve(contract, each["items"]) if each.get("type") == "array" and isinstance(each.get("items"), dict) else each
        words += [w for w in inner.get("enum", []) if isinstance(w, str)]
        words += [inner["const"]] if isinstance(inner.get("const"), str) else []
    return " ".join(dict.fromkeys(words))


def text_of(node):
    """The first sentence, with what holds where the field is left out."""
    text = re.sub(r"\s+", " ", node.get("description", "")).replace("`", "")
    text = re.split(r"(?<=[.;]) ", text)[0].rstrip(".;")
    if len(text) > TEXT:
        text = text[:TEXT].rsplit(" ", 1)[0] + " ..."
    if "default" in node and not isinstance(node["default"], (list, dict)):
        default = str(node["default"]).lower() if isinstance(node["default"], bool) else str(node["default"])
        text += (" " if text else "") + f"[{default}]"
    return text


def walk(contract, node, path, found, needed):
    """found: path -> [kinds, words, text, needed]; the branches of a union add to each other, and need what all of them need."""
    branches = list(choices(contract, node))
    always = set.intersection(*(set(each.get("required", [])) for each in branches)) if branches else set()
    for each in branches:
        for name, inner in each.get("properties", {}).items():
            whole = resolve(contract, inner)
            here = path + [name]
            if whole.get("description", "").startswith("Not used"):
                continue
            is_shared = ".".join(here) in found  # by branches that may mean something else by it
            row = found.setdefault(".".join(here), [[], [], "", needed and name in always])
            row[0] += [k for k in [kind_of(contract, whole)] if k not in row[0]]
            row[1] += [w for w in words_of(contract, whole).split() if w not in row[1]]
            row[2] = row[2] or ("" if is_shared else text_of(whole))
            if len(here) < DEPTH and kind_of(contract, whole) in ("OBJECT", "ANY", "ARRAY"):
                walk(contract, whole, here, found, False)


def requests(contract):
    """(name, schema) of each operation, then of resources; of a change of a robot the schema of one operation of its list."""
    for path, item in contract["paths"].items():
        for method in ("post", "patch"):
            one = item.get(method, {})
            request = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if (method, path) in RESOURCES:
                name = RESOURCES[method, path]
                yield name, resolve(contract, request)["properties"]["operations"]["items"] if name == "robot-change" else request
            elif "$ref" in request and re.fullmatch(r"/v1/(robots/\{name\}/)?[a-z-]+", path) and "202" in one["responses"]:
                yield path.rsplit("/", 1)[1], request


def c_string(text):
    return '"' + text.encode("ascii", "replace").decode().replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'


def main():
    here = pathlib.Path(__file__).resolve().parent
    with open(here.parents[1] / "api/openapi/openapi.yaml", encoding="utf-8") as file:
        contract = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    rows = []
    for name, request in requests(contract):
        found = {}
        walk(contract, request, [], found, True)
        for field, (kinds, words, text, needed) in found.items():
            kind = kinds[0] if len(kinds) == 1 else "ANY"
            rows.append(f'    {{"{name}", "{field}", CTL_{kind}, {str(needed).lower()}, {c_string(" ".join(words))}, {c_string(text)}}},')
    body = "\n".join(rows)
    text = f"""/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/fields.h - the fields of every operation's request, out of the contract. */
/* Made by fields.py: do not edit. `make openapi` */
#ifndef TORQUECTL_FIELDS_H
#define TORQUECTL_FIELDS_H

#include "clients/torquectl/field.h"

/* clang-format off */
static const ctl_field ctl_field_table[] = {{
{body}
}};
/* clang-format on */

#endif
"""
    if sys.argv[1:] == ["--check"]:
        if (here / "fields.h").read_text(encoding="utf-8") != text:
            sys.exit("clients/torquectl/fields.h is not what fields.py makes of the contract: make openapi")
    else:
        (here / "fields.h").write_text(text, encoding="utf-8")


main()
