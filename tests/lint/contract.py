#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/lint/contract.py - the contract keeps what was published, and its fields carry their units.
"""usage: contract.py openapi.yaml [published.yaml]

Units: a property whose description (or `x-unit`) states a unit ends in that unit's suffix, or is named in the document's
`x-fields-without-unit-suffix` with that unit; a suffix and the unit stated beside it agree. `x-unit: none` where a description names a unit that is not
the property's. Objects are not numbers: their properties count.
Published: no path, method, parameter, property, enum value or answer of published.yaml is missing in openapi.yaml; in
requests nothing is narrowed (types, ranges, lengths, required), in answers nothing that was promised is withdrawn."""
import re
import sys

import yaml

SUFFIX = {"_s": "s", "_ms": "ms", "_us": "us", "_hz": "Hz", "_rad_s": "rad/s", "_rad": "rad", "_per_s": "1/s", "_m": "m", "_n": "N",
          "_nm": "N m", "_nm_a": "N m/A", "_kg": "kg", "_kgm2": "kg m^2", "_v": "V", "_a": "A", "_w": "W", "_j": "J"}
UNITS = ["N m s/rad", "N m/rad", "N m/A", "N m", "N s/m", "N s", "N/m", "N", "A s/rad", "rad/s^2", "rad/s", "rad", "kg m^2/s", "kg m^2 s",
         "kg m^2", "kg m/s", "kg/m^3", "kg s", "kg", "m/s^2", "m/s", "m", "1/s^3", "1/s^2", "1/s", "V/(A s)", "V/A", "V s/rad", "V", "A", "W", "J",
         "H", "ohm", "Hz", "ms", "us", "s"]
UNIT = "(?:" + "|".join(re.escape(unit) for unit in UNITS) + ")"
# a unit is alone between punctuation, begins a description ("s over which ..."), or follows "or"
STATED = re.compile(rf"(?:^|[,;:.] |\bor |\()({UNIT})(?=$|[,;:.)](?: |$)| or | of | at | out | over | where | up | about | lost | in )")
OPEN = {"minimum": 1, "exclusiveMinimum": 1, "minLength": 1, "minItems": 1, "maximum": -1, "exclusiveMaximum": -1, "maxLength": -1, "maxItems": -1}
# what v1.yaml states as any value, and the service never took otherwise: (end of the place, what is said of it)
STATED_LATER = [("/joints/items/name", "type is narrowed to string"), ("/joints/items/kind", "type is narrowed to string"),
                ("/joints/items/kind", "any value was taken, now only some are"), ("/joints/items/parent", "type is narrowed to string"),
                ("/joints/items/child", "type is narrowed to string"), ("/tree/links", "type is narrowed to array"),
                ("/tree/joints", "type is narrowed to array"), ("/external_wrenches/items", "further properties are no longer taken")]


def properties(node, path=""):
    """Every property: its place, its name, its schema. Examples hold no schemas."""
    if isinstance(node, dict):
        for key, inner in node.items():
            if key == "properties" and isinstance(inner, dict):
                for name, schema in inner.items():
                    yield f"{path}/{name}", name, schema if isinstance(schema, dict) else {}
                    yield from properties(schema, f"{path}/{name}")
            elif key not in ("example", "examples", "default", "const", "enum"):
                yield from properties(inner, f"{path}/{key}")
    elif isinstance(node, list):
        for k, inner in enumerate(node):
            yield from properties(inner, f"{path}/{k}")


def suffix_of(name):
    """The longest suffix: _rad_s before _s."""
    found = [suffix for suffix in SUFFIX if name.endswith(suffix)]
    return max(found, key=len, default=None)


def check_units(document):
    without = {}
    for group in document.get("x-fields-without-unit-suffix", []):
        for name in group["fields"]:
            if name in without:
                yield f"x-fields-without-unit-suffix: {name} is named twice"
            without[name] = group["units"]
    used = set()
    for place, name, schema in properties(document):
        used.add(name)
        if schema.get("type") in ("object", "string", "boolean"):
            continue
        stated = [schema["x-unit"]] if "x-unit" in schema else STATED.findall(str(schema.get("description", "")))
        stated = [unit for unit in stated if unit != "none"]
        suffix = suffix_of(name)
        if name in without:
            strange = [unit for unit in stated if unit not in without[name]]
            if strange:
                yield f"{place}: {name} goes without a suffix in {', '.join(without[name])}, and is in {strange[0]} here"
        elif suffix is not None:
            strange = [unit for unit in stated if unit != SUFFIX[suffix]]
            if strange and SUFFIX[suffix] not in stated:
                yield f"{place}: the suffix {suffix} says {SUFFIX[suffix]}, the description {strange[0]}"
        elif stated and not name.endswith("_reason"):
            yield f"{place}: in {stated[0]}: end the name in a unit (_s _hz _rad_s ...), or add it to x-fields-without-unit-suffix with the reason"
    for name in sorted(set(without) - used):
        yield f"x-fields-without-unit-suffix: there is no field {name}"


class Frozen:
    """Walks the published document beside the present one."""

    def __init__(self, old, new):
        self.old, self.new, self.faults, self.seen = old, new, [], set()

    def resolve(self, root, node):
        while isinstance(node, dict) and "$ref" in node:
            target = root
            for part in node["$ref"].lstrip("#/").split("/"):
                target = target[int(part) if isinstance(target, list) else part.replace("~1", "/").replace("~0", "~")]
            node = target
        if isinstance(node, dict) and "not" in node.get("not", {}):  # api/openapi/publish.py: one of two lists of fields
            node = {**node, **node["not"]["not"]}
        return node

    def one_of_kinds(self, place, old, new, is_request):
        """An object that became a choice of objects, by its kind: every field and every kind is still in one of them, and what an answer
        always had each of them always has. What each kind takes was narrower than the fields of all kinds together could say."""
        branches = [self.resolve(self.new, branch) for branch in new["oneOf"]]
        for name, inner in old["properties"].items():
            having = [branch["properties"][name] for branch in branches if name in branch.get("properties", {})]
            if not having:
                self.fault(f"{place}/{name}", "the property is removed")
            elif all("const" in one for one in having):
                lost = (self.values(self.resolve(self.old, inner)) or set()) - {repr(one["const"]) for one in having}
                for value in sorted(lost):
                    self.fault(f"{place}/{name}", f"the value {value} is removed")
        for name in [] if is_request else sorted(old.get("required", [])):
            if not all(name in branch.get("required", []) for branch in branches):
                self.fault(place, f"{name} is now left out at times")

    def fault(self, place, what):
        if not any(place.endswith(end) and what == said for end, said in STATED_LATER):
            self.faults.append(f"{place}: {what}")

    def types(self, schema):
        kind = schema.get("type")
        return None if kind is None else set(kind if isinstance(kind, list) else [kind])

    def values(self, schema):
        if "const" in schema:
            return {repr(schema["const"])}
        return {repr(value) for value in schema["enum"]} if "enum" in schema else None

    def ranges(self, place, old, new, is_request):
        """A request's range must not become narrower, an answer's not wider."""
        for key, sign in OPEN.items():
            before, now = old.get(key), new.get(key)
            if is_request and now is not None and (before is None or sign * now > sign * before):
                self.fault(place, f"{key} is narrowed from {before} to {now}")
            if not is_request and before is not None and (now is None or sign * now < sign * before):
                self.fault(place, f"{key} is widened from {before} to {now}")

    def kinds(self, place, old, new, is_request):
        before, now = self.types(old), self.types(new)
        if before is not None and now is not None:
            before_all = before | ({"integer"} if "number" in before else set())
            now_all = now | ({"integer"} if "number" in now else set())
            lost = before - now_all if is_request else now - before_all
            if lost:
                self.fault(place, f"type is changed from {'|'.join(sorted(before))} to {'|'.join(sorted(now))}")
        elif is_request and now is not None and before is None and self.values(old) is None:
            self.fault(place, f"type is narrowed to {'|'.join(sorted(now))}")
        before, now = self.values(old), self.values(new)
        if before is not None:
            for value in sorted(before - now if now is not None else set()):
                self.fault(place, f"the value {value} is removed")
        elif is_request and now is not None:
            self.fault(place, "any value was taken, now only some are")

    def schema(self, place, old, new, is_request):
        old, new = self.resolve(self.old, old), self.resolve(self.new, new)
        if not isinstance(old, dict) or not isinstance(new, dict) or (id(old), id(new), is_request) in self.seen:
            return
        self.seen.add((id(old), id(new), is_request))
        if "properties" in old and "properties" not in new and "oneOf" in new:
            self.one_of_kinds(place, old, new, is_request)
            return
        self.kinds(place, old, new, is_request)
        self.ranges(place, old, new, is_request)
        before, now = set(old.get("required", [])), set(new.get("required", []))
        for name in sorted(now - before if is_request else before - now):
            self.fault(place, f"{name} is now {'required' if is_request else 'left out at times'}")
        for name, inner in old.get("properties", {}).items():
            if name not in new.get("properties", {}):
                self.fault(f"{place}/{name}", "the property is removed")
            else:
                self.schema(f"{place}/{name}", inner, new["properties"][name], is_request)
        if is_request and new.get("additionalProperties") is False and old.get("additionalProperties") is not False and "properties" in old:
            self.fault(place, "further properties are no longer taken")
        for key in ("items", "additionalProperties"):
            if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
                self.schema(f"{place}/{key}", old[key], new[key], is_request)
        for key in ("oneOf", "anyOf", "allOf", "prefixItems"):
            if is_request and len(new.get(key, [])) < len(old.get(key, [])):
                self.fault(place, f"a branch of {key} is removed")
            for k, (a, b) in enumerate(zip(old.get(key, []), new.get(key, []))):
                self.schema(f"{place}/{key}/{k}", a, b, is_request)

    def content(self, place, old, new, is_request):
        for media, inner in (old or {}).items():
            if media not in (new or {}):
                self.fault(place, f"{media} is removed")
            elif (inner or {}).get("schema") is not None:
                self.schema(f"{place} {media}", inner["schema"], (new[media] or {}).get("schema", {}), is_request)

    def parameters(self, place, old, new):
        def table(root, node):
            found = [self.resolve(root, parameter) for parameter in node.get("parameters", [])]
            return {(parameter["in"], parameter["name"]): parameter for parameter in found}
        before, now = table(self.old, old), table(self.new, new)
        for key, parameter in before.items():
            if key not in now:
                self.fault(place, f"the {key[0]} parameter {key[1]} is removed")
            else:
                self.schema(f"{place} {key[1]}", parameter.get("schema", {}), now[key].get("schema", {}), True)
        for key, parameter in now.items():
            if parameter.get("required") and not before.get(key, {}).get("required"):
                self.fault(place, f"the {key[0]} parameter {key[1]} is now required")

    def operation(self, place, old, new):
        self.parameters(place, old, new)
        before, now = self.resolve(self.old, old.get("requestBody", {})), self.resolve(self.new, new.get("requestBody", {}))
        if now.get("required") and not before.get("required"):
            self.fault(place, "a body is now required")
        self.content(place, before.get("content"), now.get("content"), True)
        for status, answer in old.get("responses", {}).items():
            other = new.get("responses", {}).get(status)
            if other is None:
                self.fault(place, f"the answer {status} is removed")
                continue
            answer, other = self.resolve(self.old, answer), self.resolve(self.new, other)
            self.content(f"{place} {status}", answer.get("content"), other.get("content"), False)
            for name in answer.get("headers", {}):
                if name not in other.get("headers", {}):
                    self.fault(f"{place} {status}", f"the header {name} is removed")

    def check(self):
        for path, item in self.old["paths"].items():
            other = self.new["paths"].get(path)
            if other is None:
                self.fault(path, "the path is removed")
                continue
            self.parameters(path, item, other)
            for method, operation in item.items():
                if method in ("get", "put", "post", "delete"):
                    if method not in other:
                        self.fault(path, f"{method} is removed")
                    else:
                        self.operation(f"{method} {path}", operation, other[method])
        for name, schema in self.old.get("components", {}).get("schemas", {}).items():  # what x-... and texts refer to by name
            if name not in self.new.get("components", {}).get("schemas", {}):
                self.fault(f"/components/schemas/{name}", "the schema is removed")
        return self.faults


def main():
    documents = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            documents.append(yaml.safe_load(file))
    faults = list(check_units(documents[0]))
    if len(documents) > 1:
        faults += Frozen(documents[1], documents[0]).check()
    for fault in faults:
        print(f"{sys.argv[1]}: {fault}")
    sys.exit(bool(faults))


main()
