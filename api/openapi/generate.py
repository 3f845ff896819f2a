#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# api/openapi/generate.py - writes openapi.yaml and generated/ from schema/, examples/ and frame.yaml (needs PyYAML).
"""usage: generate.py [folder]    writes below `folder` instead of api/openapi, for comparison"""
import json
import pathlib
import re
import sys

import yaml

import document
import pages
import publish
import schema

HERE = pathlib.Path(__file__).resolve().parent
LICENSE = "SPDX-License-Identifier: Apache-2.0"
MEDIA = {"json": "application/json", "cbor": "application/cbor", "npz": "application/x-npz", "npy": "application/x-npy", "csv": "text/csv", "svg": "image/svg+xml"}
JOB_PARAMETERS = ["Prefer", "IdempotencyKey", "Priority", "Deadline", "Client"]
WIDTH = 480  # bytes of JSON a line


class Operation:
    """An operation as its lines state it."""

    def __init__(self, schemas, line):
        self.line = line
        words = line.code.split()
        self.name, self.needs_robot, self.summary = words[1], words[2:] == ["of", "robot"], line.text
        self.about, self.order, self.tag, self.queries = "", 1000, "dynamics", []
        self.media, self.npy, self.answers = {}, {}, ""
        self.may_outlive, self.has_samples, self.may_be_empty = False, False, False
        for below in line.below:
            key, _, value = (part.strip() for part in below.code.partition(":"))
            self.set(schemas, below, key.split(), value)
        self.camel = "".join(word.capitalize() for word in self.name.split("-"))
        self.c_name = self.name.replace("-", "_")

    def set(self, schemas, line, key, value):
        if key == ["about"]:
            self.about = line.text
        elif key == ["order"]:
            self.order = int(value)
        elif key == ["tag"]:
            self.tag = value
        elif key == ["job"]:
            self.may_outlive = value == "yes"
        elif key == ["samples"]:
            self.has_samples = value == "yes"
        elif key == ["empty"]:  # without a body it is asked for what needs no field
            self.may_be_empty = value == "yes"
        elif key[0] in ("request", "answer") and key[1:] == ["npy"]:
            self.npy[key[0]] = line.text
        elif key[0] in ("request", "answer") and not key[1:]:
            self.media[key[0]] = value.split()
            self.answers = line.text or self.answers
        elif key[0] == "query":
            self.queries.append({"name": key[1], "in": "query", "description": line.text,
                                 "schema": {k: v for k, v in schemas.schema(line, value).items() if k != "description"}})
        else:
            raise schema.Fault(f"{line.place}: not understood: {line.code}")

    def path(self):
        return f"/v1/robots/{{name}}/{self.name}" if self.needs_robot else f"/v1/{self.name}"

    def content(self, which, name, archive):
        of = {"json": name, "cbor": name, "npz": archive}
        npy = {"description": self.npy.get(which), "type": "string", "contentMediaType": MEDIA["npy"]}
        table = {"description": "A header NAME or NAME_0,NAME_1,...; a line for each sample or time", "type": "string"}
        picture = {"description": "Lines over the time, a panel for each array; no script, nothing to load", "type": "string"}
        others = {"csv": table, "svg": picture, "npy": npy}
        return {MEDIA[media]: {"schema": ref("schemas", of[media]) if media in of else others[media]} for media in self.media[which]}

    def item(self, examples):
        request = self.content("request", f"{self.camel}Request", "RequestArchive")
        request[MEDIA["json"]]["examples"] = examples
        answer = self.content("answer", f"{self.camel}Result", "AnswerArchive")
        post = {"operationId": self.camel[0].lower() + self.camel[1:], "tags": [self.tag], "summary": self.summary,
                "description": self.about}
        formats = [media for media in self.media["answer"] if media in MEDIA]
        form = {"name": "format", "in": "query", "description": "The form of the answer; wins over `Accept`", "schema": {"enum": formats}}
        post["parameters"] = [*self.queries, form]
        post["requestBody"] = {"required": not self.may_be_empty, "content": request}
        post["responses"] = {"200": {"description": self.answers, "content": answer}, "202": ref("responses", "Accepted"),
                             "default": ref("responses", "Problem")}
        names = (["RobotName"] if self.needs_robot else []) + JOB_PARAMETERS
        return {"parameters": [ref("parameters", name) for name in names], "post": post}


def ref(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def read():
    """The schemas, the operations in their order, the document."""
    schemas = schema.Schemas()
    for path in sorted(HERE.glob("schema/*.schema")):
        schemas.load(path, path.relative_to(HERE.parent.parent))
    operations = sorted((Operation(schemas, line) for line in schemas.operations), key=lambda each: (each.order, each.name))
    frame = yaml.safe_load((HERE / "frame.yaml").read_text(encoding="utf-8"))
    paths = {}
    for operation in operations:
        examples = yaml.safe_load((HERE / "examples" / f"{operation.name}.yaml").read_text(encoding="utf-8"))
        paths[operation.path()] = operation.item(examples)
    frame["paths"] = {**paths, **frame["paths"]}
    for path, item in frame["paths"].items():
        if path.startswith("/v1/"):
            item["parameters"] = [*item.get("parameters", []), ref("parameters", "Namespace")]
    frame["components"]["schemas"] = schemas.components()
    return schemas, operations, frame


def c_string(part):
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'


def openapi_yaml(whole):
    return (f"# {LICENSE}\n# api/openapi/openapi.yaml - the HTTP contract of torqued, made by generate.py: do not edit.\n"
            + document.dump(whole))


def openapi_json(whole):
    text = json.dumps(whole, separators=(",", ":"))  # ASCII only: other characters are escaped
    lines = "\n".join(c_string(text[i : i + WIDTH]) for i in range(0, len(text), WIDTH))
    cuts = "\n".join(f"    {{{begin}, {end}, {'true' if is_bytes else 'false'}}}," for begin, end, is_bytes in publish.cuts(text))
    return f"""/* {LICENSE} */
/* api/openapi/generated/openapi_json.c - openapi.yaml as JSON, made by generate.py: do not edit. */
#include "api/openapi.h"

#include <stdbool.h>
#include <string.h>

/* longer than ISO C promises to take; gcc and clang take it */
#pragma GCC diagnostic ignored "-Woverlength-strings"
/* clang-format off */
static const char text[] =
{lines}
"\\n";

/* bytes that the contract with one media type leaves out; is_bytes: `bytes` comes in their place */
static const struct {{
    unsigned from, to;
    bool is_bytes;
}} cuts[] = {{
{cuts}
}};
/* clang-format on */
static const char bytes[] =
    "\\"application/octet-stream\\":{{\\"schema\\":{{\\"type\\":\\"string\\",\\"format\\":\\"binary\\"}}}}";

const char *tqa_openapi_json(size_t *ret_n)
{{
    *ret_n = sizeof text - 1;
    return text;
}}

static size_t add(char *to, size_t n, const char *part, size_t n_part)
{{
    if (to != NULL) {{
        memcpy(to + n, part, n_part);
    }}
    return n + n_part;
}}

size_t tqa_openapi_clients_json(char *to)
{{
    size_t n = 0;
    size_t at = 0;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {{
        n = add(to, n, text + at, cuts[i].from - at);
        n = cuts[i].is_bytes ? add(to, n, bytes, sizeof bytes - 1) : n;
        at = cuts[i].to;
    }}
    return add(to, n, text + at, sizeof text - 1 - at);
}}
"""


EXTENTS = {"nv": "V", "links": "LINKS", "axes": "AXES", "drives": "DRIVES", "rows": "ROWS"}


def member(line, name):
    """{key, {extents}} of an array of a term, or None where code writes the field itself."""
    if line.shape is None and not line.code.split(":", 1)[1].strip().startswith("Scalars"):
        return None
    extents = [f"TQA_EXTENT_{EXTENTS[extent]}" if extent in EXTENTS else extent for extent in line.shape or ["0"]]
    return f"{{{name}, {{{', '.join(extents)}}}}}"


def term_rows(line, schema_of_term):
    """Rows of tqa_includes: (function, initialisers)."""
    name = line.code.partition(":")[0].strip(" ?")
    fields = [below for below in line.below if below.code[0] not in "+@"]
    marks = [below.code[1:].strip() for below in line.below if below.code[0] == "@"]
    if "apart" in marks:
        return
    keys = {below.code.partition(":")[0].strip(" ?"): below for below in fields}
    stated = [(key, schema_of_term["properties"][key]["const"]) for key in keys if "const" in schema_of_term["properties"][key]]
    members = {key: member(below, c_string(key)) for key, below in keys.items()}
    common = [] if not stated else [f".stated = {{{', '.join(f'{{{c_string(a)}, {c_string(b)}}}' for a, b in stated)}}}"]
    rows = [mark.partition(":") for mark in marks if ":" in mark] or [(" ".join(marks), "", " ".join(keys))]
    for flags, colon, which in rows:
        flags = flags.split()
        function = f"{flags[0]}_{name}" if colon else name
        parts = list(common)
        if colon:
            parts.append(f".operation = TQA_FOR_{flags[0].upper()}")
        if "each_rate" in flags:
            parts.append(".for_each_rate = true")
        if "block" in flags:
            parts.append(f".block = tqa_block_{name}")
        own = [members[key] for key in which.split() if members[key]] if keys else [member(line, "NULL")]
        parts.append(f".members = {{{', '.join(own)}}}")
        yield function, parts


def terms_header(schemas):
    """Names, bits and rows of `include`."""
    properties = schemas.definition("TermProperties", None)["properties"]
    lines = {below.code.partition(":")[0].strip(" ?"): below for below in schemas.lines["TermProperties"].below}
    names = list(properties)
    out = ["/* the bit of each name, in a uint64_t */"]
    out += [f"#define TQA_INCLUDE_{name.upper()} (UINT64_C(1) << {bit})" for bit, name in enumerate(names)]
    out += [f"_Static_assert({len(names)} <= 64, \"bits of a uint64_t\");", "", "/* ENTRY(text, bit) */", "#define TQA_INCLUDE_LIST(ENTRY) \\"]
    out += [f"    ENTRY({c_string(name)}, TQA_INCLUDE_{name.upper()}) \\" for name in names]
    out += ["", "/* ROW(text, bit, function, initialisers of a tqa_include), of names with arrays of each sample */",
            "#define TQA_TERM_LIST(ROW) \\"]
    for name in names:
        for function, parts in term_rows(lines[name], properties[name]):
            inner = ", \\\n        ".join(parts)
            out.append(f"    ROW({c_string(name)}, TQA_INCLUDE_{name.upper()}, {function}, {inner}) \\")
    return header("terms.h", "names and arrays of `include`, out of terms.schema", "\n".join(out) + "\n",
                  ["<assert.h>", "<stdint.h>"])


def operations_header(operations):
    """ROW(name, methods, needs_robot, may_outlive, has_samples, has_picture)"""
    out = ["/* ROW(name, methods, needs_robot, may_outlive, has_samples, has_picture), in order of the", " * contract */",
           "#define TQA_OPERATION_LIST(ROW) \\"]
    for each in operations:
        flags = ", ".join("true" if flag else "false" for flag in (each.needs_robot, each.may_outlive, each.has_samples, "svg" in each.media["answer"]))
        out.append(f"    ROW({c_string(each.name)}, tqa_{each.c_name}_methods, {flags}) \\")
    return header("operations.h", "every operation, out of the schema", "\n".join(out) + "\n\n")


class Tables:
    """Fields, words and ranges of every definition, each under the name of its path: Name.field.field."""

    def __init__(self, schemas):
        self.fields, self.words, self.ranges = {}, {}, {}
        all_of = schemas.components()
        asked = set()
        for name in [name for name in all_of if name.endswith("Request")] + ["RobotDocument", "Robot"]:
            reach(all_of, name, asked)
        for name, node in all_of.items():
            self.walk([name], node, name in asked)
            kinds = [all_of[part["$ref"].rsplit("/", 1)[1]].get("properties", {}).get("kind", {}) for part in node.get("oneOf", [])
                     if part.get("$ref", "").count("/") == 3]
            if kinds and all("const" in kind for kind in kinds):
                self.put(self.words, [name, "kind"], [kind["const"] for kind in kinds])

    def put(self, table, path, value):
        """Choices of a union share their path: the first one with a value has it."""
        table.setdefault("_".join(snake(part) for part in path), value)

    def walk(self, path, node, is_asked):
        properties = node.get("properties", {})
        if properties and is_asked:
            self.put(self.fields, path, list(properties))
        for name, inner in properties.items():
            self.walk(path + [name], inner, is_asked)
        words = node.get("enum", [])
        if words and all(isinstance(word, str) and "/" not in word for word in words):
            self.put(self.words, path, words)
        for key, suffix in BOUNDS.items():
            if is_asked and isinstance(node.get(key), (int, float)) and not isinstance(node[key], bool):
                self.put(self.ranges, path + [suffix], node[key])
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                self.walk(path, node[key], is_asked)
        for key in ("oneOf", "anyOf"):
            for inner in node.get(key, []):
                self.walk(path, inner, is_asked)


def reach(all_of, name, seen):
    """The definitions that a definition refers to, itself among them."""
    if name not in seen:
        seen.add(name)
        for other in re.findall(r"#/components/schemas/(\w+)", json.dumps(all_of[name])):
            reach(all_of, other, seen)


BOUNDS = {"minimum": "least", "exclusiveMinimum": "above", "maximum": "most", "exclusiveMaximum": "below", "default": "default",
          "minItems": "n_least", "maxItems": "n_most", "minLength": "length_least", "maxLength": "length_most"}


def snake(name):
    """SimulateRequest: SIMULATE_REQUEST."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").replace(".", "_").upper()


def named():
    """Macros of fields.h and ranges.h that a file of C names: the others are left out."""
    files = [path for room in ("api", "tests") for path in HERE.parent.parent.joinpath(room).rglob("*.[ch]") if path.parent.name != "generated"]
    return {name for path in files for name in re.findall(r"\bTQA_(?:FIELDS|WORDS|RANGE)_\w+", path.read_text(encoding="utf-8"))}


def fields_header(tables, used):
    out = ["/* names of the fields of an object, in the order of the schema */"]
    out += [define(f"TQA_FIELDS_{path}", [c_string(name) for name in names]) for path, names in sorted(tables.fields.items())
            if f"TQA_FIELDS_{path}" in used]
    out += ["", "/* words of a choice, in the order of the schema and of the enum in C */"]
    out += [define(f"TQA_WORDS_{path}", [c_string(word) for word in words]) for path, words in sorted(tables.words.items())
            if f"TQA_WORDS_{path}" in used]
    return header("fields.h", "names of fields and words of choices, out of the schema", "\n".join(out) + "\n")


def ranges_header(tables, used):
    """LEAST and MOST are allowed, ABOVE and BELOW are not; N_ counts elements."""
    out = [f"#define TQA_RANGE_{path} {value!r}" for path, value in sorted(tables.ranges.items()) if f"TQA_RANGE_{path}" in used]
    return header("ranges.h", "bounds, lengths and defaults of fields, out of the schema", "\n".join(out) + "\n")


def define(name, words):
    """A list over as many lines as it needs."""
    lines = [f"#define {name}"]
    for i, word in enumerate(words):
        part = f" {word}" + ("," if i + 1 < len(words) else "")
        if len(lines[-1]) + len(part) > 96:
            lines.append("   ")
        lines[-1] += part
    return " \\\n".join(lines)


def header(name, what, body, includes=()):
    body = re.sub(r" \\\n(?=\n|$)", "\n", body.rstrip("\n") + "\n")  # no line below the last one of a macro
    guard = f"TQA_OPENAPI_GENERATED_{name.upper().replace('.', '_')}"
    lines = "".join(f"#include {each}\n" for each in includes)
    lines += "\n" if lines else ""
    return f"""/* {LICENSE} */
/* api/openapi/generated/{name} - {what}. */
/* Made by generate.py: do not edit. */
#ifndef {guard}
#define {guard}

{lines}/* clang-format off */
{body}/* clang-format on */

#endif
"""


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    try:
        schemas, operations, whole = read()
    except schema.Fault as fault:
        sys.exit(str(fault))
    tables, used = Tables(schemas), named()
    published = publish.publish(whole)
    files = {
        "openapi.yaml": openapi_yaml(published),
        "operations.md": pages.operations_page(whole["components"]["schemas"], operations),
        "generated/openapi_json.c": openapi_json(published),
        "generated/fields.h": fields_header(tables, used),
        "generated/operations.h": operations_header(operations),
        "generated/ranges.h": ranges_header(tables, used),
        "generated/terms.h": terms_header(schemas),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


main()
