# SPDX-License-Identifier: Apache-2.0
# tests/clients/javascript/test_javascript.py - clients/javascript in Node and Chromium against the running daemon, its size, its types.
import contextlib
import functools
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
MODULE = TOP / "clients/javascript/torqued.js"
TESTS = TOP / "tests/clients/javascript"
TOOLS = TOP / "build/node/node_modules"
SIZE_MAX = 10 * 1024  # issue 16: bytes, minified and compressed
COVERED_LEAST = 95  # issue 16: per cent of lines


def tool(name):
    path = TOOLS / ".bin" / name
    if not path.exists():
        pytest.skip(f"no {name}: make deps-clients")
    return path


@pytest.fixture(scope="module")
def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node: make deps-clients")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version[1:].split(".")[0]) < 18:
        pytest.skip(f"node {version.strip()} is older than 18")
    return found


def run(command, **more):
    got = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, **more)
    assert got.returncode == 0, (got.stdout + got.stderr)[-8000:]
    return got.stdout


@pytest.mark.seconds(90)
def test_in_node(node, daemon, example_data, start, tmp_path):
    """All of tests/clients/javascript, and how much of the module they run."""
    secret = "0123456789abcdef" * 4
    (tmp_path / "tokens").write_text(f"lab {blake2b(secret)}\n")
    guarded = start({"credentials": tmp_path / "tokens"})
    environment = {**os.environ, "TORQUED_URL": daemon.url, "TORQUED_GUARDED_URL": guarded.url, "TORQUED_SECRET": secret,
                   "NODE_V8_COVERAGE": str(tmp_path / "coverage")}
    (tmp_path / "readme.test.mjs").write_text(readme())
    run([node, "--test", tmp_path / "readme.test.mjs", *sorted(str(one) for one in TESTS.glob("*.test.mjs"))], env=environment)
    report = [tool("c8"), "report", "--temp-directory", tmp_path / "coverage", "--reports-dir", tmp_path / "report", "--reporter", "json-summary",
              "--reporter", "text", "--include", "clients/javascript/torqued.js", "--src", TOP]
    text = run(report, cwd=TOP)
    covered = json.loads((tmp_path / "report/coverage-summary.json").read_text())["total"]["lines"]["pct"]
    assert covered >= COVERED_LEAST, text


def readme():
    """The code of the README as a test: each block on its own, with what it takes as given."""
    given = """const q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7], qd = new Float64Array(7), qdd = new Float64Array(7);
      const simulation = { initial: { q: [0.1, 0], qd: [0, 0] }, duration_s: 0.5, output: { interval_s: 0.1 } };
      const csv = "t,q\\n0,1\\n1,2\\n", signal = undefined, show = () => {}, token = undefined;"""
    blocks = re.findall(r"^```js\n(.*?)^```", (MODULE.parent / "README.md").read_text(), re.M | re.S)
    assert len(blocks) >= 4
    names = "Client, ConnectionError, NDArray, TorquedError"
    code = f'import {{ test }} from "node:test";\nimport {{ {names} }} from "{MODULE.as_uri()}";\nconst address = process.env.TORQUED_URL;\n'
    for i, block in enumerate(blocks):
        block = re.sub(r'^import .* from "torqued";$', "", block, flags=re.M).replace('"http://127.0.0.1:8420"', "address")
        code += f'test("block {i}", async () => {{ {given}\nconst t = new Client(address), robot = t.robot("planar-2r");\n{{ {block} }} }});\n'
    return code


def blake2b(secret):
    return hashlib.blake2b(secret.encode(), digest_size=32).hexdigest()


def test_in_chromium(browser, node, start, tmp_path):
    """What is otherwise there than in Node: XMLHttpRequest for the progress of an upload, event streams with a token, another origin,
    connections that are cut."""
    secret = "0123456789abcdef" * 4
    (tmp_path / "tokens").write_text(f"lab {blake2b(secret)}\n")
    with served(TOP) as page:
        guarded = start({"credentials": tmp_path / "tokens", "origins": page})
        cutter = subprocess.Popen([node, TESTS / "cut-server.mjs", guarded.url], stdout=subprocess.PIPE, text=True)
        one = browser(1000, "light")
        one.goto(f"{page}/clients/javascript/package.json")
        found = one.run_async(f"""const [url, token, through, done] = arguments;
          import('{page}/tests/clients/javascript/chromium.mjs').then((module) => module.run(url, token, through)).then(done, (fault) => done(fault.stack));""",
                                         guarded.url, secret, cutter.stdout.readline().strip())
        cutter.terminate()
        cutter.communicate()
    # a preflight that is cut is a refusal to Chromium's console, which the fixture reads too: what is read here is gone
    strange = [entry for entry in one.console() if entry["source"] != "network" and "CORS policy" not in entry["message"]]
    assert found == "right" and not strange, (found, strange)


@contextlib.contextmanager
def served(folder):
    """Serves a folder on an origin of its own."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript"}

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def test_it_is_small():
    small = run([tool("esbuild"), MODULE, "--minify", "--format=esm", "--target=es2022"])
    size = len(gzip.compress(small.encode(), 9, mtime=0))
    assert size <= SIZE_MAX, f"{size} bytes"


def test_its_version_is_the_service_s():
    version = re.search(r'TQA_VERSION "([^"]*)"', (TOP / "api/version.h").read_text()).group(1)
    package = json.loads((TOP / "clients/javascript/package.json").read_text())
    assert package["version"] == version
    assert all((MODULE.parent / name).exists() for name in [*package["files"], package["exports"]["."]["default"], package["types"]])


@pytest.mark.parametrize("where", [["--lib", "es2022,dom,dom.iterable,dom.asynciterable"], ["--lib", "es2022", "--typeRoots", TOOLS / "@types", "--types", "node"]],
                         ids=["browser", "node"])
def test_types_are_strict(where):
    """types.mts compiles with a page's types and with Node's, and what it says must not compile does not."""
    run([tool("tsc"), "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", *where, TESTS / "types.mts"])
