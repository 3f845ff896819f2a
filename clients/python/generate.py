#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# clients/python/generate.py - writes src/torqued/_generated/: operations.py and types.py out of the contract, client.py out of _async.py (needs PyYAML).
"""usage: generate.py [--check]    --check writes nothing, and fails where a committed file is not what would be written"""
import keyword
import pathlib
import re
import sys
import textwrap

import yaml

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "src" / "torqued"
CONTRACT = HERE.parents[1] / "api" / "openapi" / "openapi.yaml"
PUBLISHED = HERE.parents[1] / "api" / "published" / "v1.yaml"
LICENSE = "# SPDX-License-Identifier: Apache-2.0\n"
MADE = "made by generate.py out of"
# what descriptions begin with, where a field has a unit
UNIT = re.compile(r"((?:rad|m|kg|N|A|V|W|J|s|Hz|ohm|H|1)(?:[ /^*0-9()]|rad|m\b|kg|N\b|A\b|V\b|s\b|or )*?)(?: (?:at|of|in|by|over|per|without|from)\b.*|:.*|,.*)?$")
# quantities whose fields have no unit of their own in the contract
QUANTITIES = {"t": "s", "q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s^2 or m/s^2", "tau": "N m or N",
              "tau_measured": "N m or N", "gravity_torque": "N m or N", "friction": "N m or N", "coriolis_vector": "N m or N"}


class Contract:
    def __init__(self):
        self.document = yaml.load(CONTRACT.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.schemas = self.document["components"]["schemas"]
        published = yaml.load(PUBLISHED.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        # what programs may give by position already: a field that has become optional keeps its place
        self.was_required = {name: one.get("required", []) for name, one in published["components"]["schemas"].items()}
        self.types = {}  # name -> text of a TypedDict
        self.outwards = False

    def resolve(self, schema):
        while "$ref" in schema:
            at = self.document
            for token in schema["$ref"].split("/")[1:]:
                at = at[token.replace("~1", "/").replace("~0", "~")]
            schema = at
        return schema

    @staticmethod
    def name_of(schema):
        """The name of what is referred to; of a field of it, both."""
        tokens = [token for token in schema["$ref"].split("/")[3:] if token != "properties"]
        return tokens[0] + "".join(w.capitalize() for token in tokens[1:] for w in token.split("_"))

    def is_array(self, schema):
        """Of numbers, on any number of axes."""
        schema = self.resolve(schema)
        if schema.get("type") == "array":
            items = self.resolve(schema.get("items", {}))
            return not items or self.is_array(items) or items.get("type") in ("number", "integer")
        return bool(schema.get("oneOf")) and all(self.is_array(one) for one in schema["oneOf"])

    def type_of(self, schema, name):
        """The Python type of a schema, as text; `name` is that of an object without one."""
        if "$ref" in schema:
            name = self.name_of(schema)
            schema = self.resolve(schema)
        if self.is_array(schema):
            # integers go as lists: rows, slices, indices
            items = self.resolve(schema.get("items", {}))
            if items.get("type") == "integer":
                return "list[int]" if self.outwards else "Sequence[int]"
            return "Array" if self.outwards else "ArrayLike"
        for many in ("oneOf", "anyOf"):
            if many in schema and "type" not in schema:
                return self.union([self.type_of(one, f"{name}{i or ''}") for i, one in enumerate(schema[many])])
        if "enum" in schema:
            return "Literal[" + ", ".join(repr(one) for one in schema["enum"]) + "]"
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return self.union([self.type_of({**schema, "type": one}, name) for one in kind])
        if kind == "array":
            inner = self.type_of(schema.get("items", {}), name + "Item")
            return f"list[{inner}]" if self.outwards else f"Sequence[{inner}]"
        if kind == "object":
            return self.object_type(schema, name)
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind, "Any")

    def lists(self, schema, path="", above=()):
        """Dotted paths of the lists that are no arrays of numbers, inside of objects and of lists of objects."""
        schema = self.resolve(schema)
        if any(one is schema for one in above):  # it names itself
            return set()
        above = (*above, schema)
        found = set()
        for one in (*schema.get("oneOf", []), *schema.get("anyOf", [])):
            found |= self.lists(one, path, above)
        if "items" in schema:
            items = self.resolve(schema["items"])
            if not self.is_array(schema) or items.get("type") == "integer":
                found |= {path} | self.lists(items, path, above)
        for key, one in schema.get("properties", {}).items():
            found |= self.lists(one, f"{path}.{key}" if path else key, above)
        return found

    @staticmethod
    def union(parts):
        parts = list(dict.fromkeys(part for part in parts))
        parts.sort(key=lambda part: part == "None")
        return " | ".join(parts)

    def object_type(self, schema, name):
        if not schema.get("properties"):
            return "dict[str, Any]" if self.outwards else "Mapping[str, Any]"
        name = name + ("Out" if self.outwards and not name.endswith("Out") else "")
        if name not in self.types:
            self.types[name] = None  # may name itself
            required = schema.get("required", [])
            fields = []
            for key, one in schema["properties"].items():
                found = self.type_of(one, name.removesuffix("Out") + "".join(w.capitalize() for w in key.split("_")))
                fields.append((key, found if key in required else f"NotRequired[{found}]"))
            self.types[name] = self.typed_dict(name, fields, schema.get("description", ""))
        return name

    @staticmethod
    def typed_dict(name, fields, about):
        doc = docstring(about, 4) if about else ""
        if all(key.isidentifier() and not keyword.iskeyword(key) for key, _ in fields):
            return f"class {name}(TypedDict):\n{doc}" + "".join(f"    {key}: {found}\n" for key, found in fields)
        body = "".join(f"    {key!r}: {quoted(found)},\n" for key, found in fields)
        return f"{name} = TypedDict({name!r}, {{\n{body}}})\n"


def quoted(text):
    return '"' + text.replace('"', "'") + '"'


def docstring(text, indent):
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = textwrap.wrap(text, 116 - indent)
    pad = " " * indent
    if len(lines) == 1 and len(lines[0]) < 108 - indent:
        return f'{pad}"""{lines[0]}"""\n'
    return f'{pad}"""' + ("\n" + pad).join(lines) + f'\n{pad}"""\n'


def unit_of(key, schema):
    found = UNIT.match(schema.get("description", ""))
    if found and found.group(1).strip() not in ("A", "m or") and not re.match(r"A [a-z]", schema["description"]):
        return found.group(1).strip()
    return QUANTITIES.get(key)


def python_name(key):
    return key + "_" if keyword.iskeyword(key) else key


class Operation:
    def __init__(self, contract, path, post):
        self.name = path.rsplit("/", 1)[1].replace("-", "_")
        self.path = path.rsplit("/", 1)[1]
        self.of_robot = "{name}" in path
        self.post = post
        self.request = contract.resolve(post["requestBody"]["content"]["application/json"]["schema"])
        answer = post["responses"]["200"]["content"]["application/json"]["schema"]
        self.result = answer["$ref"].rsplit("/", 1)[1]
        self.answer = contract.resolve(answer)
        # the others answer at once, however long it takes
        self.may_outlive = "202 with the job" in post.get("description", "")
        self.queries = post.get("parameters", [])
        self.arguments(contract)

    def arguments(self, contract):
        """(python name, key, type, is required), the arrays of `oneOf` first, as one gives them by position."""
        contract.outwards = False
        required = self.request.get("required", [])
        places = {*required, *contract.was_required.get(f"{self.result.removesuffix('Result')}Request", [])}
        either = [key for one in self.request.get("oneOf", []) for key in one.get("required", [])]
        camel = self.result.removesuffix("Result")
        self.fields = []
        for key, schema in self.request["properties"].items():
            found = contract.type_of(schema, f"{camel}Request" + "".join(w.capitalize() for w in key.split("_")))
            self.fields.append((python_name(key), key, found, key in required, schema.get("description", "")))
        self.fields.sort(key=lambda f: (f[1] not in places, f[1] not in ("q", "qd", "qdd", "tau"), f[1] not in either))
        self.positional = [f for f in self.fields if f[1] in places or f[1] in ("q", "qd", "qdd", "tau")][:4]

    def signature(self, wait):
        parts = ["self"]
        for k, (name, _, found, required, _) in enumerate(self.positional):
            # before an argument that is needed there is no default: None leaves it out
            is_followed = any(one[3] for one in self.positional[k:])
            parts.append(f"{name}: {found}" + ("" if required else " | None" if is_followed else " | None = None"))
        parts.append("*")
        for name, _, found, required, _ in self.fields:
            if all(name != one[0] for one in self.positional):
                parts.append(f"{name}: {found}" + ("" if required else " | None = None"))
        parts += ["idempotency_key: str | None = None"]
        parts += ["progress: bool | None = None"] if wait and self.may_outlive else []
        return parts

    def doc(self):
        out = docstring(self.post["summary"] + ".", 8)[:-4].rstrip()
        lines = [out.removesuffix('"""'), ""]
        lines += ["        " + line for line in textwrap.wrap(self.post.get("description", ""), 108)]
        reply = [(name, one) for name, _, _, _, one in self.fields if one]
        if reply:
            lines += ["", "        Arguments:"]
            for name, one in reply:
                lines += textwrap.wrap(f"{name}: {one}", 116, initial_indent=" " * 12, subsequent_indent=" " * 16)
        return "\n".join(lines).replace("\\", "\\\\") + '\n        """\n'

    def method(self, returns, wait, with_doc):
        head = f"    def {self.name}("
        text = ", ".join(self.signature(wait))
        lines = textwrap.wrap(text, 116 - 8, break_long_words=False, break_on_hyphens=False)
        given = ", ".join(f"{key!r}: {name}" for name, key, _, _, _ in self.fields)
        extra = ", progress" if wait and self.may_outlive else ""
        call = f"self._compute({self.path!r}, {self.result}, {{{given}}}, idempotency_key{extra})"
        body = "\n".join(textwrap.wrap("return " + call, 108, break_long_words=False, break_on_hyphens=False, initial_indent=" " * 8,
                                       subsequent_indent=" " * 12))
        wrapped = "\n".join("            " + line for line in lines)
        return f"{head}\n{wrapped}\n    ) -> {returns.format(self.result)}:\n{self.doc() if with_doc else ''}{body}\n"


def short_cut(operation, is_async):
    """The methods whose first form takes arrays and returns one."""
    arrays = ["q", "qd", "qdd"] if operation.name == "inverse_dynamics" else ["q", "qd", "tau"]
    plain = "Awaitable[Array]" if is_async else "Array"
    # the first that fits is the one that is meant
    ignored = "  # type: ignore[overload-overlap]" if any(f[1] in arrays and not f[3] for f in operation.fields) else ""
    form = (f"    @overload\n    def {operation.name}(self, {', '.join(f'{a}: ArrayLike' for a in arrays)}) -> {plain}: ...{ignored}\n"
            f"    @overload\n")
    full = operation.method("Awaitable[{}]" if is_async else "{}", True, False)
    full_head = full[:full.index(":\n        return")] + ": ...\n"
    head = full[:full.index("    ) -> ")]
    returns = f"Awaitable[Array] | Awaitable[{operation.result}]" if is_async else f"Array | {operation.result}"
    given = ", ".join(f"{key!r}: {name}" for name, key, _, _, _ in operation.fields)
    body = "\n".join(textwrap.wrap(f"request: dict[str, Any] = {{{given}}}", 108, break_long_words=False, break_on_hyphens=False,
                                   initial_indent=" " * 8, subsequent_indent=" " * 12))
    body += (f"\n        if idempotency_key is None and only(request, {tuple(arrays)!r}):\n"
             f"            return self._arrays({operation.path!r}, request)\n"
             f"        return self._compute({operation.path!r}, {operation.result}, request, idempotency_key)\n")
    return form + full_head + head + f"    ) -> {returns}:\n" + operation.doc() + body


def class_of(name, about, operations, returns, compute, wait, with_doc, with_short):
    out = [f"class {name}:\n    \"\"\"{about}\"\"\"\n\n    if TYPE_CHECKING:\n{compute}"]
    for operation in operations:
        if with_short and operation.name in ("inverse_dynamics", "forward_dynamics"):
            out.append(short_cut(operation, "Async" in name))
        else:
            out.append(operation.method(returns, wait, with_doc))
    return "\n".join(out)


def taken():
    """Names that `Result` has for itself."""
    text = (SOURCE / "_results.py").read_text(encoding="utf-8")
    return set(re.findall(r"^    def ([a-z]\w*)", text[text.index("class Result("):text.index("class Report")], re.M))


def result_class(contract, operation):
    contract.outwards = True
    if both := taken() & set(operation.answer["properties"]):
        sys.exit(f"{operation.result}: fields under names of Result's own methods: {', '.join(both)}")
    units, fields = {}, []
    for key, schema in operation.answer["properties"].items():
        found = contract.type_of(schema, operation.result.removesuffix("Result") + "".join(w.capitalize() for w in key.split("_")))
        fields.append(f"    {python_name(key)}: {found}\n")
        if unit := unit_of(key, schema):
            units[key] = unit
    body = "".join(f"        {key!r}: {unit!r},\n" for key, unit in units.items())
    lists = "\n".join(textwrap.wrap(", ".join(map(repr, sorted(contract.lists(operation.answer)))), 108, break_on_hyphens=False,
                                    initial_indent=" " * 8, subsequent_indent=" " * 8))
    own = f"    _lists = frozenset((\n{lists},\n    ))\n"
    own += "    _rows_in = 'parameters'\n" if operation.name == "calibrate" else ""
    return (f"class {operation.result}(Result):\n    \"\"\"Of `{operation.path}`: {operation.post['summary']}.\"\"\"\n\n"
            f"    _units = {{\n{body}    }}\n{own}" + "".join(fields))


def operations_text(contract):
    operations = [Operation(contract, path, item["post"]) for path, item in contract.document["paths"].items()
                  if "requestBody" in item.get("post", {}) and "202" in item["post"]["responses"]]  # no resource
    results = [result_class(contract, one) for one in operations]
    of_robot, others = [o for o in operations if o.of_robot], [o for o in operations if not o.of_robot]

    def compute(returns, progress):
        more = ", progress: bool | None = None" if progress else ""
        out = ("        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],\n"
               f"                     idempotency_key: str | None{more}) -> {returns.format('R')}: ...\n")
        return out

    def arrays(returns):
        return f"        def _arrays(self, operation: str, request: dict[str, Any]) -> {returns}: ...\n"

    classes = []
    for prefix, mine, of in (("Robot", of_robot, "of a robot"), ("Service", others, "without a robot")):
        for is_async in (False, True):
            word, wait = ("Async" if is_async else ""), ("Awaitable[{}]" if is_async else "{}")
            here = compute(wait, True) + (arrays(wait.format("Array")) if prefix == "Robot" else "")
            classes.append(class_of(f"{word}{prefix}Operations", f"Computations {of}, waited for.", mine, wait, here, True,
                                    not is_async, prefix == "Robot"))
            job = wait.format(f"{word}Job[{{}}]")
            classes.append(class_of(f"{word}{prefix}Jobs", f"The same, as jobs: each returns at once with its job.", mine, job,
                                    compute(job, False), False, False, False))
    outlive = ", ".join(repr(o.path) for o in operations if o.may_outlive)
    text = "\n\n".join(results + classes)
    known = "".join(f"    {one.path!r}: {one.result},\n" for one in operations)
    text += f"\n\n# the result of each, for jobs that are found by their ids\nRESULTS: dict[str, type[Result]] = {{\n{known}}}\n"
    names = ", ".join(sorted(set(re.findall(r"\b[A-Z]\w+", text)) & set(contract.types)))
    names = "\n".join("        " + line for line in textwrap.wrap(names, 108))
    return (f"{LICENSE}# clients/python/src/torqued/_generated/operations.py - {MADE} api/openapi/openapi.yaml: operations as methods, results as classes.\n"
            '"""Every operation of the contract, with its arguments and its result."""\n# ruff: noqa: E501\n'
            "from __future__ import annotations\n\n"
            "from collections.abc import Awaitable, Mapping, Sequence\n"
            "from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload\n\n"
            "from .._results import Result, only\n\n"
            "if TYPE_CHECKING:\n    from numpy.typing import ArrayLike\n\n"
            "    from .._codec import Array\n    from .._job import AsyncJob\n    from .job import Job\n"
            f"    from .types import (\n{names},\n    )\n\n"
            'R = TypeVar("R", bound=Result)\n'
            f"# these become jobs when they take long; the others answer when they are done\nMAY_OUTLIVE = frozenset({{{outlive}}})\n\n\n" + text)


def types_text(contract):
    body = "\n\n".join(text for name, text in sorted(contract.types.items()))
    return (f"{LICENSE}# clients/python/src/torqued/_generated/types.py - {MADE} api/openapi/openapi.yaml: objects inside of requests and results.\n"
            '"""For annotations: dicts with these keys. Names that end with Out are of results, whose arrays are numpy\'s."""\n'
            "from __future__ import annotations\n\n"
            "from collections.abc import Mapping, Sequence\n"
            "from typing import Any, Literal, TypedDict\n\n"
            "from numpy.typing import ArrayLike\nfrom typing_extensions import NotRequired\n\n"
            "from .._codec import Array\n\n\n" + body)


WORDS = [("async def ", "def "), ("async with ", "with "), ("async for ", "for "), ("await ", ""), ("AsyncIterator", "Iterator"),
         ("AsyncHTTPTransport", "HTTPTransport"), ("httpx.AsyncClient", "httpx.Client"), ("AsyncClient", "Client"),
         ("AsyncRobotOperations", "RobotOperations"), ("AsyncRobotJobs", "RobotJobs"), ("AsyncServiceOperations", "ServiceOperations"),
         ("AsyncServiceJobs", "ServiceJobs"), ("AsyncRobot", "Robot"), ("from ._job import AsyncJob", "from ._generated.job import Job"), ("AsyncJob", "Job"), ("AsyncDatasets", "Datasets"),
         ("aiter_", "iter_"), ("aclose", "close"), ("__aenter__", "__enter__"), ("__aexit__", "__exit__"), ("__aiter__", "__iter__"),
         ("from ._session import AsyncSession", "from ._generated.session import Session"), ("AsyncSession", "Session"),
         ("from ._near import Async", "from ._generated.near import Async"), ("from ._far import Async", "from ._generated.far import Async"),
         ("Callable[[memoryview], Awaitable[None]]", "Callable[[memoryview], None]"), ("Iterator, Awaitable, Callable,", "Iterator, Callable,"),
         ("AsyncNear", "Near"), ("AsyncAnswer", "Answer"), ("AsyncFar", "Far"), ("AsyncConnection", "Connection"),
         ("from ._awaited import AsyncSocket\nfrom ._sockets import ", "from ._sockets import Socket, "), ("AsyncSocket", "Socket"),
         ("asyncio.sleep", "time.sleep"), ("import asyncio\n", "import time\n"), ("AsyncSubmit", "Submit")]


def sync_text(source="_async.py", made="client.py", what="the client"):
    text = (SOURCE / source).read_text(encoding="utf-8")
    for word, other in WORDS:
        text = text.replace(word, other)
    # a generator's values come through `yield`, a coroutine's through its caller
    lines = text.split("\n", 2)
    lines[1] = f"# clients/python/src/torqued/_generated/{made} - {MADE} {source}: {what}, without async."
    text = "\n".join(lines)
    text = re.sub(r"^.*# only async\n", "", re.sub(r"^( *)# only sync: (.*)$", r"\1\2", text, flags=re.M), flags=re.M)
    # one folder further in
    return re.sub(r"^( *)from \.(_\w+)?( ?)", r"\1from ..\2\3", text, flags=re.M).replace("from .._generated.", "from .")


def main(check):
    contract = Contract()
    made = {"operations.py": operations_text(contract), "types.py": types_text(contract), "client.py": sync_text(),
            **{f"{name}.py": sync_text(f"_{name}.py", f"{name}.py", about).replace("from .._async import Client", "from .client import Client")
               for name, about in (("session", "lock step"), ("job", "jobs"), ("near", "the transport to a service on this machine"),
                               ("far", "the transport by httpx"))}}
    wrong = []
    for name, text in made.items():
        text = text.rstrip("\n") + "\n"
        path = SOURCE / "_generated" / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and wrong:
        print(f"clients/python: {', '.join(wrong)} not as generate.py makes them of the contract: make openapi")
    return bool(check and wrong)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
