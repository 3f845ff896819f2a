# SPDX-License-Identifier: Apache-2.0
# docs/site/reference.py - pages of the operations and their types, out of api/openapi/openapi.yaml.
import re
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path[:0] = [str(TOP / "api/openapi"), str(HERE)]
import pages  # noqa: E402
import snippets  # noqa: E402


def is_job(name):
    """Outlives its connection where it takes long."""
    return re.search(r"^ +job *: yes", (TOP / f"api/openapi/schema/{name}.schema").read_text(), re.M) is not None


METHODS = ("get", "put", "patch", "post", "delete")
# what C takes of an answer whose first array of numbers is not its point
ARRAYS = {"calibrate": "parameter_values", "excitation": "fourier.offset", "rigid-body": "lie_bracket", "kinematics": "frames.0.position",
          "payload": "by_joint.0.rmse_without", "residual": "by_joint.0.threshold", "calibrate-kinematics": "observability.singular_values", "inverse-kinematics": "solutions.0.q", "simulate": "q", "trajectory": "q", "drive": "duty_voltage"}


class Contract:
    def __init__(self, path=TOP / "api/openapi/openapi.yaml"):
        self.document = yaml.load(Path(path).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.schemas = self.document["components"]["schemas"]
        self.page = pages.Page(self.schemas)

    def operations(self):
        """(name, path, operation) of computations, in the order of the contract."""
        for path, methods in self.document["paths"].items():
            for method, one in methods.items():
                body = one.get("requestBody", {}).get("content", {}).get("application/json", {}) if method == "post" else {}
                if "examples" in body:
                    yield path.rsplit("/", 1)[1], path, one

    def is_array(self, schema, depth=0):
        """Numbers in rows, however deep."""
        whole = self.page.resolve(schema)
        choices = whole.get("oneOf") or whole.get("anyOf")
        if choices:
            return depth < 6 and self.is_array(choices[0], depth + 1)
        if whole.get("type") == "array":
            items = self.page.resolve(whole.get("items", {}))
            return items.get("type") in ("number", "integer") or depth < 6 and self.is_array(items, depth + 1)
        return False

    def of_operation(self, name):
        """Where an operation's own request or answer is described; None for other types."""
        for operation, _, _ in self.operations():
            base = "".join(word.title() for word in operation.split("-"))
            if name in (f"{base}Request", f"{base}Result"):
                return f"op-{operation}.md#{'request' if name.endswith('Request') else 'answer'}"
        return None

    def array(self, name, operation):
        if name in ARRAYS:
            return ARRAYS[name]
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
        whole = self.page.resolve(answer)
        return self.first_array(whole, "", 0) or next(iter(whole["properties"]))

    def first_array(self, schema, prefix, depth):
        required = schema.get("required", [])
        for key in sorted(schema.get("properties", {}), key=lambda one: one not in required):
            if self.is_array(schema["properties"][key]):
                return prefix + key
        for key in required:
            inner = self.page.resolve(schema["properties"][key])
            if inner.get("type") == "object" and depth < 2 and key != "provenance":
                found = self.first_array(inner, f"{prefix}{key}.", depth + 1)
                if found:
                    return found
        return None

    def calls(self, name, path, operation):
        """(summary, snippets.Call) of each example."""
        for key, one in operation["requestBody"]["content"]["application/json"]["examples"].items():
            robot = one.get("x-robot", "panda") if "{name}" in path else None
            yield one.get("summary", f"`{key}`"), snippets.Call(name, robot, one["value"], self.array(name, operation), is_job(name))


def linked(contract, text):
    """Names of types lead to where they are described."""
    def place(found):
        name = found[1]
        if name not in contract.schemas:
            return found[0]
        own = contract.of_operation(name)
        return f"[`{name}`]({own})" if own else f"[`{name}`](types.md#{name.lower()})"

    return re.sub(r"`([A-Z]\w+)`", place, text)


def table(contract, schema):
    rows = list(contract.page.rows(schema))
    if not rows:
        return []
    return ["| field | type | unit | default | |", "|---|---|---|---|---|", *(linked(contract, row) for row in rows), ""]


def operation_page(contract, name, path, operation):
    lines = [f"# {name}", "", operation["summary"] + ".", "", f"`POST {path}`", "", operation.get("description", ""), ""]
    calls = list(contract.calls(name, path, operation))
    lines += ["## In five clients", "", calls[0][0] + ".", "", snippets.markdown(calls[0][1]), ""]
    lines += ["## Request", ""]
    lines += table(contract, contract.page.resolve(operation["requestBody"]["content"]["application/json"]["schema"]))
    query = [one for one in map(lambda one: contract_parameter(contract, one), operation.get("parameters", [])) if one.get("in") in ("query", "header")]
    if query:
        lines += ["Beside the body:", "", "| | where | |", "|---|---|---|"]
        lines += [f"| `{one['name']}` | {one['in']} | {' '.join(str(one.get('description', '')).split())} |".replace("\n", " ") for one in query] + [""]
    lines += ["## Answer", ""]
    lines += table(contract, contract.page.resolve(operation["responses"]["200"]["content"]["application/json"]["schema"]))
    if len(calls) > 1:
        lines += ["## More examples", ""]
        for summary, call in calls[1:]:
            lines += [summary + ".", "", f"```sh\n{snippets.curl(call)}```", ""]
    return "\n".join(lines)


def contract_parameter(contract, one):
    while "$ref" in one:
        at = contract.document
        for part in one["$ref"].split("/")[1:]:
            at = at[part]
        one = at
    return one


def types_page(contract):
    lines = ["# Types", "", "Objects that requests and answers are made of. A field in **bold** is required.", ""]
    for name in sorted(contract.schemas):
        schema = contract.schemas[name]
        if contract.of_operation(name):
            continue
        lines += [f"## {name}", "", str(schema.get("description", "")), ""]
        lines += table(contract, contract.page.resolve(schema)) or [linked(contract, contract.page.type_of(contract.page.resolve(schema))) + ".", ""]
    return "\n".join(lines)


def type_in(contract, content):
    """The name of the type that a body of JSON has, as a link; None where it has none."""
    found = (content or {}).get("application/json", {}).get("schema", {}).get("$ref", "")
    return linked(contract, f"`{found.rsplit('/', 1)[1]}`") if found else None


def resources_page(contract):
    """Everything that is no computation."""
    computed = {path for _, path, _ in contract.operations()}
    lines = ["# Resources", "", "Robots, datasets, jobs and the process: what is no computation. Each answer is a document of [types](types.md).", ""]
    for path, methods in contract.document["paths"].items():
        if path in computed:
            continue
        for method in METHODS:
            if method in methods:
                one = methods[method]
                lines += [f"## {method.upper()} {path}", "", one.get("summary", "") + ".", "", one.get("description", ""), ""]
                sent = type_in(contract, one.get("requestBody", {}).get("content"))
                answers = [type_in(contract, answer.get("content")) for status, answer in one["responses"].items() if status[0] == "2"]
                got = next((name for name in answers if name), None)
                lines += [" ".join(part for part in (f"Request: {sent}." if sent else "", f"Answer: {got}." if got else "") if part), ""]
    return "\n".join(lines)


def index_page(contract):
    lines = ["# Reference", "", contract.document["info"]["description"], "",
             "The same, to try out in a browser: [/docs](/docs). For programs: [/openapi.json](/openapi.json); each kind of problem: [/problems](/problems).", "",
             "| operation | | may become a job |", "|---|---|---|"]
    lines += [f"| [{name}](op-{name}.md) | {one['summary']} | {'yes' if is_job(name) else ''} |"
              for name, _, one in contract.operations()]
    return "\n".join(lines + ["", "Beside them: [robots, datasets, jobs, the process](resources.md), [types](types.md).", ""])


def made(contract=None):
    """{file: text} of all pages."""
    contract = contract or Contract()
    return {"reference.md": index_page(contract), "resources.md": resources_page(contract), "types.md": types_page(contract),
            **{f"op-{name}.md": operation_page(contract, name, path, one) for name, path, one in contract.operations()}}
