# SPDX-License-Identifier: Apache-2.0
# docs/site/snippets.py - one request of an operation as curl, torquectl, Python, JavaScript and C.
import json
import shlex
from dataclasses import dataclass

ADDRESS = "127.0.0.1:8420"
SHORT = {"inverse-dynamics": "id", "forward-dynamics": "fd", "kinematics": "kin", "inverse-kinematics": "ik"}
WIDTH = 120


@dataclass
class Call:
    operation: str
    robot: str | None
    body: dict
    array: str  # of the answer, what C takes of it
    job: bool   # may outlive the connection

    @property
    def path(self):
        return f"/v1/robots/{self.robot}/{self.operation}" if self.robot else f"/v1/{self.operation}"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def lines(head, parts, tail, indent, join=", "):
    """On one line if it fits, else a part on each."""
    one = head + join.join(parts) + tail
    if len(one) <= WIDTH and "\n" not in one:
        return one
    return head + "\n" + (join.rstrip() + "\n").join(indent + part for part in parts) + "\n" + indent[:-4] + tail


def written(value, depth, literal, key=json.dumps, brackets="{}"):
    """A literal of JSON or of a language like it, broken where it is long."""
    if isinstance(value, dict):
        parts = [f"{key(name)}: {written(one, depth + 1, literal, key)}" for name, one in value.items()]
    elif isinstance(value, list):
        parts, brackets = [written(one, depth + 1, literal, key) for one in value], "[]"
    else:
        return literal(value)
    one = brackets[0] + ", ".join(parts) + brackets[1]
    if len(one) + 2 * depth <= WIDTH - 20 and "\n" not in one:
        return one
    pad = "  " * (depth + 1)
    return brackets[0] + "\n" + ",\n".join(pad + part for part in parts) + "\n" + "  " * depth + brackets[1]


def curl(call):
    wait = " -H 'Prefer: wait=60'" if call.job else ""
    return f"curl -s{wait} {ADDRESS}{call.path} -d {quoted(written(call.body, 0, json.dumps))}\n"


def word(name, value):
    """A field as torquectl reads it: numbers with commas, rows with semicolons, else JSON."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        text = ",".join(value)
    elif isinstance(value, list) and value and all(is_number(one) for one in value):
        text = ",".join(map(json.dumps, value))
    elif isinstance(value, list) and value and all(isinstance(row, list) and row and all(map(is_number, row)) for row in value):
        text = ";".join(",".join(map(json.dumps, row)) for row in value)
    else:
        text = json.dumps(value)
    return shlex.quote(f"{name}={text}")


def torquectl(call):
    body = dict(call.body)
    words = ["torquectl", SHORT.get(call.operation, call.operation)] + ([call.robot] if call.robot else [])
    if call.operation == "calibrate":
        words += body.pop("datasets")
    if call.operation == "compare":
        words += [next(iter(body.pop(side).values())) for side in "ab"]
    words += ["-o", "json"]
    line = " ".join(words)
    for name, value in body.items():
        part = word(name, value)
        line += (" \\\n  " if len(line.rsplit("\n", 1)[-1]) + len(part) > WIDTH - 3 else " ") + part
    return line + "\n"


def python_literal(value):
    return {None: "None", True: "True", False: "False"}[value] if value is None or isinstance(value, bool) else json.dumps(value)


def python(call):
    what = f'torqued.Client().robot("{call.robot}")' if call.robot else "torqued.Client()"
    parts = [f"{'from_' if name == 'from' else name}={written(value, 2, python_literal)}" for name, value in call.body.items()]
    said = lines(f"result = service.{call.operation.replace('-', '_')}(", parts, ")", "    ")
    return f"import torqued\n\nservice = {what}\n{said}\nprint(result)\n".replace("service", "robot" if call.robot else "client")


def javascript(call):
    words = call.operation.split("-")
    name = words[0] + "".join(one.title() for one in words[1:])
    what = f'new Client("http://{ADDRESS}")' + (f'.robot("{call.robot}")' if call.robot else "")
    holder = "robot" if call.robot else "client"
    body = written(call.body, 0, json.dumps, key=lambda name: name if name.isidentifier() else json.dumps(name))
    return f'import {{ Client }} from "torqued";\n\nconst {holder} = {what};\nconst result = await {holder}.{name}({body});\nconsole.log(result);\n'


def c(call):
    pieces = written(call.body, 0, json.dumps).split("\n")
    request = "\n".join(f"                          {json.dumps(piece.strip())}" for piece in pieces).lstrip()
    robot = f'"{call.robot}"' if call.robot else "NULL"
    return f"""#include <stdio.h>
#include <tqc.h>

static double room[100000];

int main(void)
{{
    const char *request = {request};
    tqc_result result = {{.name = "{call.array}", .values = room, .room = sizeof room / sizeof room[0]}};
    tqc_error error;
    tqc_client *client = tqc_open(NULL, &error);
    if (client == NULL || tqc_compute(client, {robot}, "{call.operation}", request, NULL, 0, &result, 1, &error) != TQC_OK) {{
        fprintf(stderr, "%s %s %s\\n", error.title, error.detail, error.hint);
        return 1;
    }}
    for (size_t k = 0; k < result.n; k++) {{
        printf("%.17g\\n", result.values[k]);
    }}
    tqc_close(client);
    return 0;
}}
"""


CLIENTS = {"curl": ("sh", curl), "torquectl": ("sh", torquectl), "Python": ("python", python), "JavaScript": ("js", javascript), "C": ("c", c)}


def markdown(call):
    """The blocks of all clients, in one row."""
    return "\n\n".join(f'```{language} title="{title}"\n{write(call)}```' for title, (language, write) in CLIENTS.items())
