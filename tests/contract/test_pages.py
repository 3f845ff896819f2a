# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_pages.py - pages of problem types; entity tags and compression of static texts.
import gzip
import html
import json
import re
import subprocess
import sys

import pytest
from conftest import PATIENCE, once, problem

FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PAGES = ("/openapi.json", "/docs", "/docs.js", "/", "/dashboard/main.js", "/dashboard/style.css")


def slugs(daemon):
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    return [one.removeprefix("/problems/") for one in contract["components"]["schemas"]["ProblemUri"]["enum"]]


# -------------------------------------------------------------------------------------------------------------- problems

def test_every_type_of_problem_resolves(daemon):
    for slug in slugs(daemon):
        status, headers, text = daemon.request("GET", f"/problems/{slug}")
        assert status == 200 and headers["Content-Type"] == "application/json" and headers["Vary"] == "Accept", slug
        answer = json.loads(text)
        assert answer["type"] == f"/problems/{slug}" and 400 <= answer["status"] < 600
        assert answer["title"] and answer["meaning"].endswith(".") and answer["remedy"].endswith("."), slug
        example = answer["example"]
        assert {key: example[key] for key in ("type", "title", "status")} == {key: answer[key] for key in ("type", "title", "status")}
        status, headers, page = daemon.request("GET", f"/problems/{slug}", headers={"Accept": FIREFOX})
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and "default-src 'none'" in headers["Content-Security-Policy"]
        text = re.sub(r"<[^>]*>", "", html.unescape(page.decode()))
        assert page.rstrip().endswith(b"</html>")
        for part in (answer["title"], answer["meaning"], answer["remedy"], example["detail"], f"HTTP status {answer['status']}"):
            assert part in text, (slug, part)


def test_a_problem_as_it_happens_has_the_title_of_its_page(daemon):
    for path, status in (("/v1/robots/nobody", 404), ("/v1/jobs?limit=0", 422), ("/nothing", 404)):
        met = problem(daemon.request("GET", path), status)
        answer = json.loads(daemon.request("GET", met["type"])[2])
        assert (answer["title"], answer["status"]) == (met["title"], met["status"])


def test_the_list_of_problems_has_them_all(daemon):
    listed = json.loads(daemon.request("GET", "/problems")[2])["problems"]
    assert [one["type"] for one in listed] == [f"/problems/{slug}" for slug in slugs(daemon)]
    page = daemon.request("GET", "/problems", headers={"Accept": FIREFOX})[2].decode()
    assert re.findall(r'href="(/problems/[^"]*)"', page) == [one["type"] for one in listed]


@pytest.mark.parametrize("slug, says", [("unknown-feild", "/problems/unknown-field?"), ("notfound", "/problems/not-found?"),
                                        ("entirely-different-matters", "GET /problems lists all")])
def test_an_unknown_problem_is_404_with_the_nearest(daemon, slug, says):
    assert says in problem(daemon.request("GET", f"/problems/{slug}"), 404)["detail"]


# ------------------------------------------------------------------------------------------------- entity tags and gzip

@pytest.mark.parametrize("path", PAGES)
def test_a_cached_page_is_304(daemon, path):
    status, headers, text = daemon.request("GET", path)
    tag = headers["ETag"]
    assert status == 200 and re.fullmatch(r'"[0-9a-f]{32}"', tag), "a strong tag"
    assert headers["Cache-Control"] == "no-cache" and "Accept-Encoding" in headers["Vary"] and headers["Content-Encoding"] is None
    for held in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        status, headers, nothing = daemon.request("GET", path, headers={"If-None-Match": held})
        assert status == 304 and nothing == b"" and headers["ETag"] == tag and headers["Cache-Control"] == "no-cache", held
    near = tag[:-2] + ("1" if tag[-2] == "0" else "0") + '"'  # one in sixteen digests ends with 0
    for other in ('"other"', "other", near, ""):
        assert daemon.request("GET", path, headers={"If-None-Match": other})[2] == text, other
    status, headers, nothing = daemon.request("HEAD", path)
    assert status == 200 and headers["ETag"] == tag and headers["Content-Length"] == str(len(text)) and nothing == b""


@pytest.mark.parametrize("path", PAGES[:3])
@pytest.mark.parametrize("accept", ["gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "GZIP"])
def test_long_texts_are_compressed_for_those_who_take_it(daemon, path, accept):
    plain = daemon.request("GET", path)
    status, headers, packed = daemon.request("GET", path, headers={"Accept-Encoding": accept})
    assert status == 200 and headers["Content-Encoding"] == "gzip" and headers["Content-Type"] == plain[1]["Content-Type"]
    assert gzip.decompress(packed) == plain[2] and int(headers["Content-Length"]) == len(packed) < len(plain[2]) / 2
    assert headers["ETag"] != plain[1]["ETag"], "other bytes, another strong tag"
    assert headers["Content-Security-Policy"] == plain[1]["Content-Security-Policy"]
    for tag in (headers["ETag"], plain[1]["ETag"]):
        assert daemon.request("GET", path, headers={"Accept-Encoding": accept, "If-None-Match": tag})[0] == 304


@pytest.mark.parametrize("accept", ["", "identity", "br", "gzip;q=0", "deflate, gzip;q=0.0", "gzipped"])
def test_other_clients_get_them_uncompressed(daemon, accept):
    status, headers, text = daemon.request("GET", "/openapi.json", headers={"Accept-Encoding": accept})
    assert status == 200 and headers["Content-Encoding"] is None and json.loads(text)["openapi"]


def test_both_forms_of_the_root_have_their_own_tag(daemon):
    program, browser = (daemon.request("GET", "/", headers={"Accept": accept})[1]["ETag"] for accept in ("*/*", FIREFOX))
    assert program != browser
    assert daemon.request("GET", "/", headers={"Accept": FIREFOX, "If-None-Match": program})[0] == 200


def test_there_is_an_icon(daemon):
    status, headers, text = daemon.request("GET", "/favicon.ico")
    assert status == 200 and headers["Content-Type"] == "image/svg+xml" and text.startswith(b"<svg ") and len(text) < 1000


def one_media_type(node):
    """Each document with one media type, as in GET /openapi/clients.json."""
    binary = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    if isinstance(node, list):
        return [one_media_type(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    ret = {key: one_media_type(inner) for key, inner in node.items()}
    content = ret.get("content", {})
    if content and all("/" in media for media in content):
        kept = [media for media in content if media.endswith("json") or (len(content) == 1 and media.startswith("text/"))]
        ret["content"] = {media: content[media] for media in kept} or binary
    return ret


def test_contract_for_clients_has_one_media_type_a_body(daemon):
    status, headers, body = daemon.request("GET", "/openapi/clients.json")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    assert json.loads(body) == one_media_type(contract)


@once
def test_a_python_client_is_generated_without_a_warning(daemon, tmp_path):
    """openapi-python-client prints warnings for parts that it skips, but ends with status 0: the output must be
    empty."""
    pytest.importorskip("openapi_python_client", reason="no openapi-python-client (make deps-check)")
    (tmp_path / "clients.json").write_bytes(daemon.request("GET", "/openapi/clients.json")[2])
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--path", "clients.json", "--config", "config.yaml",
               "--output-path", "client"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["Generating", "client"], "")
