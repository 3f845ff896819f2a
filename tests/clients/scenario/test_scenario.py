# SPDX-License-Identifier: Apache-2.0
# tests/clients/scenario/test_scenario.py - scenario.json through every client: the same bytes of numbers, the same refusals.
"""curl is the reference. Each client returns {step: {path of a field: bytes}} as `flat` makes it."""
import asyncio
import functools
import http.server
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import threading
import urllib.parse

import pytest
from conftest import Daemon

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
SCENARIO = json.loads((HERE / "scenario.json").read_text())
STEPS = SCENARIO["steps"]
# the digest is that of the bytes that were sent: json.dumps and JSON.stringify write a document differently
APART = ("provenance", "created", "digest")


def flat(value, path="", to=None):
    to = {} if to is None else to
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool) or value is None:
        to[path] = to.get(path, "") + {True: "<true>", False: "<false>", None: "<null>"}[value]
    elif isinstance(value, (int, float)):
        to[path] = to.get(path, "") + struct.pack("<d", value).hex()
    elif isinstance(value, str):
        to[path] = to.get(path, "") + f"<{value}>"
    elif hasattr(value, "items"):
        for key, one in value.items():
            if key not in APART:
                flat(one, f"{path}.{key}", to)
    else:
        for one in value:
            flat(one, path, to)
    return to


def document(text):
    return json.loads(text, parse_int=float)  # int would lose the sign of -0


def refusal(problem):
    first = (problem.get("errors") or [{}])[0]
    return {"status": problem["status"], "type": problem["type"], "pointer": first.get("pointer"), "hint": first.get("hint")}


def path_of(step):
    base = f"/v1/robots/{step['robot']}" if step.get("robot") else "/v1"
    query = "?" + urllib.parse.urlencode(step["query"]) if step.get("query") else ""
    return f"{base}/{step['operation']}{query}"


def plan(step):
    """(method, path, body, content type, Prefer) of one request."""
    match step["do"]:
        case "put robot":
            body = step["text"] if "text" in step else json.dumps(step["document"])
            return "PUT", f"/v1/robots/{step['robot']}?format={step['format']}", body, "application/octet-stream", None
        case "put dataset":
            return "PUT", f"/v1/datasets/{step['dataset']}", (HERE / step["file"]).read_text(), "text/csv", None
        case "read":
            return "GET", step["path"], None, None, None
        case "export":
            return "GET", f"/v1/robots/{step['robot']}?format={step['format']}", None, None, None
        case "change robot":
            return "PATCH", f"/v1/robots/{step['robot']}?name={step['as']}", json.dumps({"operations": step["operations"]}), "application/json", None
        case _:
            return "POST", path_of(step), json.dumps(step["body"]), "application/json", "wait=60"


def request_of(move, at_step):
    """(what, body) of a move of a session."""
    name, *rest = move
    return name, {"step": {"tau": rest[0], "steps": rest[-1], "at_step": at_step}, "rewind": {"step": rest[0]}, "fork": {"step": rest[0]}}[name]


def drive(step, ask):
    """The states of a session, its moves by `ask(path, body)`; a fork goes on in its place."""
    session = ask("/v1/sessions", step["body"])
    states = [session["state"]]
    for move in step["go"]:
        what, body = request_of(move, states[-1]["step"])
        got = ask(f"/v1/sessions/{session['id']}/{what}", body)
        session = got if what == "fork" else session
        states.append(got["state"] if what == "fork" else got)
    return {"states": states}


@pytest.fixture(scope="module")
def page():
    """Serves this checkout, as a lab's own page would: another origin."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript"}

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=TOP))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def service(page):
    one = Daemon({"origins": page})
    yield one
    one.stop()


# -- the clients ------------------------------------------------------------------------------------------------------


def by_curl(url, tmp_path):
    def ask(method, path, body, media="application/json", prefer=None):
        (tmp_path / "body").write_text(body or "")
        command = ["curl", "-sS", "-X", method, "-w", "\n%{http_code}", "--globoff", url + path]
        if body is not None:
            command += ["--data-binary", f"@{tmp_path / 'body'}", "-H", f"Content-Type: {media}"]
        if prefer:
            command += ["-H", f"Prefer: {prefer}"]
        text, status = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.rsplit("\n", 1)
        return int(status), text

    results = {}
    for step in STEPS:
        if step["do"] == "session":
            results[step["name"]] = flat(drive(step, lambda path, body: document(ask("POST", path, json.dumps(body))[1])))
            continue
        status, text = ask(*plan(step))
        results[step["name"]] = flat(refusal(document(text)) if status >= 400 else {"text": text} if step["do"] == "export" else document(text))
    return results


def by_node(url, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: make deps-clients")
    got = subprocess.run([node, HERE / "node.mjs", url, HERE], capture_output=True, text=True, timeout=240, check=False)
    assert got.returncode == 0, got.stderr
    return json.loads(got.stdout)


def in_chromium(url, page, browser):
    one = browser(1000, "light")
    one.goto(f"{page}/tests/clients/scenario/scenario.json")
    results = one.run_async("""const [url, done] = arguments;
      (async () => {
        const { Client } = await import('/clients/javascript/torqued.js');
        const { run } = await import('/tests/clients/scenario/steps.mjs');
        const of = async (name) => (await fetch('/tests/clients/scenario/' + name)).text();
        return JSON.stringify(await run(new Client(url), JSON.parse(await of('scenario.json')), { 'log.csv': await of('log.csv') }));
      })().then(done, (fault) => done('failed: ' + fault.stack));""", url)
    assert not results.startswith("failed"), results
    return json.loads(results)


def torqued_package():
    pytest.importorskip("httpx")
    sys.path.insert(0, str(TOP / "clients/python/src"))
    import torqued

    return torqued


def python_source(step):
    return step["text"] if "text" in step else step["document"]


def named(step, got):
    """Two operations return their one array itself where nothing else was asked for."""
    return {"inverse-dynamics": {"tau": got}, "forward-dynamics": {"qdd": got}}[step["operation"]] if hasattr(got, "tolist") else got


def by_python(url, tmp_path):
    torqued = torqued_package()
    results = {}
    with torqued.Client(url) as client:
        for step in STEPS:
            name = step.get("operation", "").replace("-", "_")
            more = {**step.get("query", {}), **{{"from": "from_"}.get(key, key): value for key, value in step.get("body", {}).items()}}
            match step["do"]:
                case "put robot":
                    got = client.put_robot(step["robot"], python_source(step), format=step["format"]).report
                case "put dataset":
                    got = client.put_dataset(step["dataset"], HERE / step["file"])
                case "read" if "points" in step["path"]:
                    got = client.dataset_points("scenario-log", 20)
                case "read":
                    got = client.robot(step["path"].rsplit("/", 1)[1]).document
                case "job":
                    got = getattr(client.robot(step["robot"]).jobs, name)(**more).result(progress=False)
                case "export":
                    got = {"text": client.robot(step["robot"]).export(step["format"])}
                case "change robot":
                    got = client.robot(step["robot"]).change(*step["operations"], name=step["as"]).report
                case "session":
                    session = client.session(**step["body"])
                    states = [session.state]
                    for move, *rest in step["go"]:
                        session = session.fork(*rest) if move == "fork" else session
                        states.append(session.state if move == "fork" else getattr(session, move)(*rest))
                    got = {"states": states}
                case _:
                    try:
                        got = getattr(client.robot(step["robot"]) if "robot" in step else client, name)(**more)
                    except torqued.ProblemError as problem:
                        got = refusal(problem.problem)
            results[step["name"]] = flat(named(step, got))
    return results


def by_async_python(url, tmp_path):
    torqued = torqued_package()

    async def run():
        results = {}
        async with torqued.AsyncClient(url) as client:
            for step in STEPS:
                name = step.get("operation", "").replace("-", "_")
                more = {**step.get("query", {}), **{{"from": "from_"}.get(key, key): value for key, value in step.get("body", {}).items()}}
                match step["do"]:
                    case "put robot":
                        got = (await client.put_robot(step["robot"], python_source(step), format=step["format"])).report
                    case "put dataset":
                        got = await client.put_dataset(step["dataset"], HERE / step["file"])
                    case "read" if "points" in step["path"]:
                        got = await client.dataset_points("scenario-log", 20)
                    case "read":
                        got = (await client.robot(step["path"].rsplit("/", 1)[1])).document
                    case "job":
                        job = await getattr((await client.robot(step["robot"])).jobs, name)(**more)
                        got = await job.result(progress=False)
                    case "export":
                        got = {"text": await (await client.robot(step["robot"])).export(step["format"])}
                    case "change robot":
                        got = (await (await client.robot(step["robot"])).change(*step["operations"], name=step["as"])).report
                    case "session":
                        session = await client.session(**step["body"])
                        states = [session.state]
                        for move, *rest in step["go"]:
                            session = await session.fork(*rest) if move == "fork" else session
                            states.append(session.state if move == "fork" else await getattr(session, move)(*rest))
                        got = {"states": states}
                    case _:
                        try:
                            got = await getattr(await client.robot(step["robot"]) if "robot" in step else client, name)(**more)
                        except torqued.ProblemError as problem:
                            got = refusal(problem.problem)
                results[step["name"]] = flat(named(step, got))
        return results

    return asyncio.run(run())


def samples(step):
    """(rows, nq, nv, doubles) where a step gives nothing but samples, as the typed calls of C take them."""
    third = {"inverse-dynamics": "qdd", "forward-dynamics": "tau"}.get(step.get("operation"))
    if step["do"] != "call" or set(step["body"]) != {"q", "qd", third}:
        return None
    columns = [step["body"][name] if isinstance(step["body"][name][0], list) else [step["body"][name]] for name in ("q", "qd", third)]
    doubles = [x for column in columns for row in column for x in row]
    return len(columns[0]), len(columns[0][0]), len(columns[1][0]), struct.pack(f"<{len(doubles)}d", *doubles)


def by_c(url, tmp_path):
    program = pathlib.Path(os.environ["TORQUED"]).parent / "tests/clients/scenario/steps"
    if not program.exists():
        pytest.skip(f"no {program.name}: make check-scenario builds it")
    lines, typed = [], {}
    for i, step in enumerate(STEPS):
        if step["do"] == "session":
            moves = [f"{name} {rest[-1]} {' '.join(map(repr, rest[0])) if name == 'step' else ''}" for name, *rest in step["go"]]
            (tmp_path / f"body{i}").write_text(json.dumps(step["body"]))
            (tmp_path / f"moves{i}").write_text("\n".join(moves) + "\n")
            lines.append(f"session {len(step['body']['initial']['q'])} {tmp_path / f'body{i}'} {tmp_path / f'moves{i}'} {tmp_path / f'answer{i}'}")
            continue
        method, path, body, media, prefer = plan(step)
        (tmp_path / f"body{i}").write_text(body or "")
        lines.append(f"send {method} {path} {media or '-'} {prefer or '-'} {tmp_path / f'body{i}' if body else '-'} {tmp_path / f'answer{i}'}")
        if (found := samples(step)) is not None:
            (tmp_path / f"samples{i}").write_bytes(found[3])
            typed[step["name"]] = tmp_path / f"typed{i}"
            lines.append(f"{step['operation'].split('-')[0]} {step['robot']} {found[0]} {found[1]} {found[2]} {tmp_path / f'samples{i}'} {typed[step['name']]}")
    got = subprocess.run([program, url], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=240, check=False)
    assert got.returncode == 0, got.stderr
    results = {}
    for i, step in enumerate(STEPS):
        if step["do"] == "session":
            results[step["name"]] = states_of_c((tmp_path / f"answer{i}").read_bytes(), len(step["body"]["initial"]["q"]))
            continue
        text = (tmp_path / f"answer{i}").read_text()
        text = {"text": text} if step["do"] == "export" else document(text)
        results[step["name"]] = flat(refusal(text) if text.get("type", "").startswith("/problems/") else text)
    for name, file in typed.items():
        field = ".tau" if ".tau" in results[name] else ".qdd"
        assert results[name][field] == file.read_bytes().hex(), name
    assert len(typed) >= 5
    return results


def states_of_c(doubles, n):
    """As `flat` has them: step, t, q, qd, tau, sensors.q, hash of each."""
    row = struct.Struct("<" + "".join(f"{8 * k}s" for k in (1, 1, n, n, n, n, 4)))
    found = [row.unpack_from(doubles, at) for at in range(0, len(doubles), row.size)]
    names = ("step", "t", "q", "qd", "tau", "sensors.q")
    return {**{f".states.{name}": "".join(one[k].hex() for one in found) for k, name in enumerate(names)},
            ".states.hash": "".join(f"<{one[6].decode()}>" for one in found)}


SHORT = {"inverse-dynamics": "id", "forward-dynamics": "fd", "kinematics": "kin", "inverse-kinematics": "ik"}


def torquectl_words(step, file):
    """A step as words of a command line; None where there is no command for it."""
    match step["do"]:
        case "put robot":
            return ["robots", "put", step["robot"], file]
        case "put dataset":
            return ["datasets", "put", step["dataset"], HERE / step["file"]]
        case "export":
            return ["robots", "get", step["robot"], "--format", step["format"]]
        case "change robot":
            return ["robots", "change", step["robot"], file, "--as", step["as"]]
        case "read":
            return None if "?" in step["path"] else ["robots", "get", step["path"].rsplit("/", 1)[1]]
        case _:
            operation = step["operation"]
            query = [f"{key}={value}" for key, value in step.get("query", {}).items()]
            return [SHORT.get(operation, operation), *([step["robot"]] if "robot" in step else []), "--input", file, *query]


def by_torquectl(url, tmp_path, reference):
    program = pathlib.Path(os.environ["TORQUED"]).parent / "torquectl"
    results = {}
    for step in STEPS:
        if step["do"] == "session":
            results[step["name"]] = flat(drive_by_torquectl(program, url, step))
            continue
        file = tmp_path / ("request.json" if "text" not in step else "robot.xml")
        file.write_text(plan(step)[2] or "")
        words = torquectl_words(step, file)
        if words is None:
            results[step["name"]] = reference[step["name"]]
            continue
        command = [program, "--server", url, "--output", "json", *words]
        got = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL)
        if step["do"] == "refused":
            fault = reference[step["name"]]
            assert got.returncode == 1 and got.stderr.startswith(f"torquectl: {step['status']} "), got.stderr
            assert step["pointer"] is None or f"{step['pointer']}: " in got.stderr
            assert fault[".hint"] == "<null>" or f"hint: {fault['.hint'][1:-1]}" in got.stderr
            results[step["name"]] = fault
        else:
            assert got.returncode == 0, (step["name"], got.stderr)
            results[step["name"]] = flat({"text": got.stdout} if step["do"] == "export" else document(got.stdout))
    return results


def drive_by_torquectl(program, url, step):
    """Fields as words, numbers with commas, as one writes them."""
    def word(name, value):
        return f"{name}={','.join(map(repr, value)) if isinstance(value, list) else value if isinstance(value, str) else json.dumps(value)}"

    def ask(path, body):
        what = path.rsplit("/", 1)[1]
        words = ["open", body["robot"]] if what == "sessions" else [what, path.split("/")[3]]
        words += [word(name, value) for name, value in body.items() if name != "robot"]
        command = [program, "--server", url, "--output", "json", "sessions", *words]
        got = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert got.returncode == 0, (words, got.stderr)
        return document(got.stdout)

    return drive(step, ask)


CLIENTS = {"C": by_c, "node": by_node, "python": by_python, "async python": by_async_python}


# -- the tests --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference(service, tmp_path_factory):
    if shutil.which("curl") is None:
        pytest.skip("no curl: make deps")
    return by_curl(service.url, tmp_path_factory.mktemp("curl"))


def compare(got, reference):
    assert list(got) == list(reference)
    for name, fields in reference.items():
        differing = [path for path in {**fields, **got[name]} if fields.get(path) != got[name].get(path)]
        assert not differing, (name, [(path, fields.get(path), got[name].get(path)) for path in differing[:5]])


def test_the_scenario_is_what_it_should_be(reference):
    """Four formats of robots, thirty calls, each kind of job, an upload, refusals; and these are as it says."""
    kinds = [step["do"] for step in STEPS]
    assert kinds.count("put robot") == 4 and kinds.count("export") == 3 and kinds.count("session") == 1 and kinds.count("call") >= 30 and kinds.count("put dataset") == 1
    assert {step["operation"] for step in STEPS if step["do"] == "job"} >= {"simulate", "ensemble", "excitation", "calibrate", "payload", "residual"}
    for step in STEPS:
        if step["do"] == "refused":
            got = reference[step["name"]]
            assert got == flat({"status": step["status"], "type": step["type"], "pointer": step["pointer"]}) | {".hint": got[".hint"]}
        else:
            assert ".status" not in reference[step["name"]], reference[step["name"]]


def test_one_arm_in_four_formats(reference):
    """The torques of one arm, stated four ways, agree to rounding: q, qd and qdd of some rad and s, tau of some N m."""
    torques = [struct.unpack("<2d", bytes.fromhex(reference[f"torque by-{name}"][".tau"])) for name in ("urdf", "mjcf", "dh", "poe")]
    assert all(abs(a - b) < 1e-12 for one in torques for a, b in zip(one, torques[0], strict=True)), torques


@pytest.mark.parametrize("client", CLIENTS)
def test_the_same_bytes(client, service, reference, tmp_path):
    compare(CLIENTS[client](service.url, tmp_path), reference)


def test_the_same_bytes_by_torquectl(service, reference, tmp_path):
    compare(by_torquectl(service.url, tmp_path, reference), reference)


def test_the_same_bytes_in_chromium(service, page, browser, reference):
    compare(in_chromium(service.url, page, browser), reference)
