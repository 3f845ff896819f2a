# SPDX-License-Identifier: Apache-2.0
# api/openapi/publish.py - the contract in the words that generators of clients read: names for shared fields, plain unions, no defaults.
"""The schema language refers to fields (`SimulateRequest.initial`), requires one of two lists of fields and states defaults. Generators refuse
a $ref into `properties`, drop the fields of an object with a `oneOf` beside them, and make a field with a `default` required or send it always
(`step_s` unasked is another method). So: a component of its own, `not: {not: ...}`, a word in the description."""
import json

PROBLEM = {"$ref": "#/components/responses/Problem"}
METHODS = ("get", "put", "post", "delete", "patch")


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def nodes(node):
    """Every mapping of a schema, the outermost first; examples hold no schemas."""
    if isinstance(node, dict):
        yield node
        for key, inner in node.items():
            if key not in ("example", "examples", "default", "const", "enum"):
                yield from nodes(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from nodes(inner)


def capital(word):
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def name_fields(schemas):
    """A field that others refer to becomes a component: SimulateRequest.initial is SimulateInitial."""
    for node in list(nodes(schemas)):
        path = node.get("$ref", "").removeprefix("#/components/schemas/").split("/")
        if len(path) < 2:
            continue
        owner, inner = schemas, None
        for part in path:
            inner = owner[int(part) if isinstance(owner, list) else part]
            last, owner = owner, inner
        if "$ref" in inner:
            node["$ref"] = inner["$ref"]
            continue
        name = path[0].removesuffix("Request") + capital(path[-1])
        if name in schemas:
            raise SystemExit(f"publish.py: {name} is a definition, and the name for {'.'.join(path)}")
        schemas[name] = inner
        last[path[-1]] = ref(name)
        node.update(ref(name))


def plain(schemas):
    """Types beside words, lists of fields that exclude each other, defaults as text."""
    for node in list(nodes(schemas)):
        if len(node.get("enum", [])) == 1 and isinstance(node["enum"][0], bool):  # a generator refuses a list of words that has it
            node["const"] = node.pop("enum")[0]
        words = node.get("enum", [node["const"]] if "const" in node else [])
        if words and "type" not in node and all(isinstance(word, str) for word in words):
            node["type"] = "string"
        if "oneOf" in node and all(set(part) == {"required"} for part in node["oneOf"]):
            node["not"] = {"not": {"oneOf": node.pop("oneOf")}}
        if "default" in node and not isinstance(node["default"], dict):
            text = json.dumps(node.pop("default"), ensure_ascii=False).strip('"')
            node["description"] = f"{node['description']} (default {text})" if "description" in node else f"default {text}"
        if node.get("contentMediaType") and node.get("type") == "string":
            node["format"] = "binary"


def bodies(paths):
    """A media type without a schema is bytes, of text/... text; a generator leaves out what has neither."""
    for node in nodes(paths):
        for media, inner in node.get("content", {}).items():
            if not inner:
                inner["schema"] = {"type": "string"} if media.startswith("text/") else {"type": "string", "format": "binary"}


def faults(paths):
    """Each operation's faults by class of status too: `default` alone leaves a generator without them."""
    for item in paths.values():
        for method in METHODS:
            if method in item:
                answers = item[method]["responses"]
                default = answers.pop("default", PROBLEM)
                item[method]["responses"] = {**answers, "4XX": PROBLEM, "default": default}


def results(document):
    """What a job may have computed: the result of an operation, with `points` its plot, with `fields` an object with some of its keys."""
    ret = []
    for item in document["paths"].values():
        answer = item.get("post", {}).get("responses", {}).get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
        if answer.get("$ref", "").endswith("Result"):
            ret.append(answer)
    return ret[:1] + [ref("ResultPoints")] + ret[1:] + [{"type": "object"}]


def cuts(text):
    """[(from, to, is_bytes)] of the document's JSON: without these each body and answer has one media type, JSON or text where it can
    be. Where is_bytes, `application/octet-stream` takes the place: a generator that does not know a media type leaves the body out."""
    ret, at, decoder = [], 0, json.JSONDecoder()
    while (at := text.find('"content":{"', at)) >= 0:
        at += len('"content":{')
        first, members = at, []
        while text[at] == '"':
            begin = at
            media, at = decoder.raw_decode(text, at)
            _, at = decoder.raw_decode(text, at + 1)
            members.append((media, begin, at))
            at += text[at] == ","
        kept = [member for member in members if member[0].endswith("json")]
        kept += [member for member in members if member[0].startswith("text/") and len(members) == 1]
        if not all("/" in media for media, _, _ in members):  # a field of that name
            continue
        if not kept:
            ret.append((first, at, True))
        elif len(members) > 1:
            _, begin, end = kept[0]
            ret += [(a, b, False) for a, b in ((first, begin), (end, at)) if b > a]
    return ret


def publish(document):
    """A copy of the document for clients."""
    ret = json.loads(json.dumps(document))  # nothing is shared, as it is after `use`
    ret["components"]["schemas"]["JobResult"] = {"anyOf": results(ret)}
    name_fields(ret["components"]["schemas"])
    plain(ret["components"]["schemas"])
    plain(ret["components"]["parameters"])
    plain(ret["paths"])
    bodies(ret["paths"])
    faults(ret["paths"])
    return ret
