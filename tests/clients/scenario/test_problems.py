# SPDX-License-Identifier: Apache-2.0
# tests/clients/scenario/test_problems.py - every problem that the service has, one by one, as each client says it: exit status, exception, code.
"""A service that is played answers with each document of GET /problems; the documents are the real daemon's own kinds."""
import asyncio
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
REFUSED, UNAUTHORIZED = 6, 7  # tqc_code
NODE = """
import { Client } from "%s";
const t = new Client(process.argv[2], { retries: 0 });
const said = {};
for (const slug of process.argv.slice(3))
  said[slug] = await t.robot(slug).terms({ q: [1, 2] }).then(() => "an answer", ({ name, status, type, pointer, hint, value, requestId, message }) =>
    ({ name, status, type, pointer, hint, value, requestId, message }));
console.log(JSON.stringify(said));
"""


@pytest.fixture(scope="module")
def problems(daemon):
    """{slug: (status, title)} of all that the daemon can answer."""
    found = json.loads(daemon.request("GET", "/problems")[2])["problems"]
    kinds = {one["type"].rsplit("/", 1)[1]: (one["status"], one["title"]) for one in found}
    assert len(kinds) >= 30 and {status for status, _ in kinds.values()} >= {400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503}
    return kinds


@pytest.fixture(scope="module")
def played(problems):
    """Its address: /v1/robots/SLUG... is refused with that problem; a robot's own document is there."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            slug = self.path.split("/")[3]
            status, title = problems[slug]
            fault = {"pointer": "/q/1", "detail": f"a detail of {slug}", "hint": f"a hint of {slug}"}
            body = json.dumps({"type": f"/problems/{slug}", "title": title, "status": status, "detail": f"/q/1: a detail of {slug}",
                               "request_id": "01JD8XK4T5Q2M7N9V3W6Y8Z0AB", "errors": [fault]}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/problem+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield "http://127.0.0.1:%d" % server.server_address[1]
    server.shutdown()
    server.server_close()


def test_torquectl_has_its_exit_statuses(played, problems):
    program = pathlib.Path(os.environ["TORQUED"]).parent / "torquectl"
    for slug, (status, title) in problems.items():
        done = subprocess.run([program, "--server", played, "--retries", "0", "terms", slug, "q=1,2"], capture_output=True, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == (4 if status in (401, 403) else 1), (slug, done)
        said = " ".join(done.stderr.split())
        hint = "--token-file FILE" if status == 401 else f"a hint of {slug}"  # where a token comes from it knows itself
        assert not done.stdout and f"{status} {title}" in said and f"a detail of {slug}" in said and hint in said, (slug, done.stderr)


def test_libtqc_has_its_codes(played, problems):
    drive = pathlib.Path(os.environ["TORQUED"]).parent / "tqc_drive"
    if not drive.exists():
        pytest.skip("tqc_drive is not built: make contract does")
    for slug, (status, title) in problems.items():
        done = subprocess.run([drive, played, "0", "compute", slug, "terms", "{}", "0", "2", "q", "--", "7", "x"], input=bytes(16), capture_output=True,
                              timeout=60, check=False)
        said = done.stderr.decode().splitlines()
        assert done.returncode == (UNAUTHORIZED if status in (401, 403) else REFUSED), (slug, said)
        assert said[1:4] == [str(status), slug, title] and said[5] == "/q/1" and f"a hint of {slug}" in said, (slug, said)


def test_python_has_its_exceptions(played, problems):
    pytest.importorskip("httpx")
    sys.path.insert(0, str(TOP / "clients/python/src"))
    import torqued
    kinds = {400: torqued.WrongInput, 413: torqued.WrongInput, 415: torqued.WrongInput, 422: torqued.WrongInput, 401: torqued.NotAllowed,
             403: torqued.NotAllowed, 404: torqued.NotFound, 409: torqued.Conflict, 412: torqued.Conflict, 429: torqued.Busy, 503: torqued.Busy}

    def check(slug, error):
        status, title = problems[slug]
        assert type(error) is kinds.get(status, torqued.ServerFault if status >= 500 else torqued.ProblemError), slug
        assert (error.status, error.type, error.title, error.request_id) == (status, f"/problems/{slug}", title, "01JD8XK4T5Q2M7N9V3W6Y8Z0AB")
        [fault] = error.errors
        assert (fault.pointer, fault.place, fault.value, fault.hint) == ("/q/1", "q[1]", 2.0, f"a hint of {slug}") and f"q[1] = 2.0: a detail of {slug}" in str(error)

    document = {"nq": 2, "nv": 2, "joints": [], "digest": ""}

    async def awaited():
        async with torqued.AsyncClient(played, retries=0) as client:
            for slug in problems:
                with pytest.raises(torqued.ProblemError) as caught:
                    await torqued.AsyncRobot(client, document, slug).terms([1.0, 2.0], ["energy"])
                check(slug, caught.value)

    with torqued.Client(played, retries=0) as client:
        for slug in problems:
            with pytest.raises(torqued.ProblemError) as caught:
                torqued.Robot(client, document, slug).terms([1.0, 2.0], ["energy"])
            check(slug, caught.value)
    asyncio.run(awaited())


def test_javascript_has_its_errors(played, problems, tmp_path):
    node = shutil.which("node") or pytest.skip("no node: make deps-clients")
    program = tmp_path / "problems.mjs"
    program.write_text(NODE % (TOP / "clients/javascript/torqued.js").as_uri())
    done = subprocess.run([node, program, played, *problems], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for slug, (status, title) in problems.items():
        message = said[slug].pop("message")
        assert said[slug] == {"name": "TorquedError", "status": status, "type": f"/problems/{slug}", "pointer": "/q/1", "hint": f"a hint of {slug}", "value": 2,
                              "requestId": "01JD8XK4T5Q2M7N9V3W6Y8Z0AB"}, slug
        assert message.startswith(f"{status} {title}: ") and f"a hint of {slug}" in message
