# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/test_site.py - /docs/guide/ of a daemon that was built after `make docs-site`: headers, links, tabs, search, axe.
import http.client
import re
import urllib.parse

import pytest
from conftest import ROOT
from dashboard import faults_of, fits, wait_for

SITE = ROOT / "build/site"


@pytest.fixture(autouse=True)
def built(daemon):
    if daemon.request("GET", "/docs/guide/")[0] == 404:
        pytest.skip("the daemon was built without the guide (make deps-docs docs-site build)")


def test_files_have_a_strict_policy_and_no_script_of_their_own(daemon):
    for file in sorted(SITE.iterdir()):
        status, headers, body = daemon.request("GET", f"/docs/guide/{file.name}")
        assert (status, body) == (200, file.read_bytes()), file.name
        headers = {name.lower(): value for name, value in headers.items()}
        assert "script-src 'self'" in headers["content-security-policy"] and "unsafe" not in headers["content-security-policy"]
        text = body.decode()
        if file.suffix == ".html":
            assert not re.findall(r"<script(?! src=)|<style| style=| on\w+=\"", text), file.name
            # what is loaded is of this service; links may lead elsewhere
            assert not re.findall(r'(?:src|href)="(?:https?:)?//', re.sub(r"<a [^>]*>", "", text)), file.name


def test_every_link_leads_to_a_page_and_its_heading(daemon):
    texts = {file.name: file.read_text() for file in SITE.glob("*.html")}
    for name, text in texts.items():
        for link in re.findall(r'href="([^"]+)"', text):
            if "://" in link or link.endswith((".css", ".js")):
                continue
            at = urllib.parse.urlsplit(urllib.parse.urljoin(f"/docs/guide/{name}", link))
            page = at.path.rsplit("/", 1)[1] or "index.html"
            if at.path.startswith("/docs/guide/"):
                assert page in texts, (name, link)
                assert not at.fragment or f'id="{at.fragment}"' in texts[page], (name, link)
            else:
                assert daemon.request("GET", at.path)[0] == 200, (name, link)


def test_the_folder_leads_to_its_index_and_the_reference_to_the_guide(daemon):
    host = daemon.url.removeprefix("http://")
    one = http.client.HTTPConnection(host)
    one.request("GET", "/docs/guide")
    answer = one.getresponse()
    assert (answer.status, answer.getheader("Location")) == (308, "/docs/guide/")
    answer.read()
    assert b'href="/docs/guide/"' in daemon.request("GET", "/docs")[2]
    status, _, body = daemon.request("GET", "/docs/guide/nothing.html")
    assert status == 404 and b"begins at /docs/guide/" in body
    one.close()


@pytest.mark.seconds(180)
@pytest.mark.parametrize("width, scheme", [(1280, "light"), (360, "dark")])
def test_tabs_search_and_axe(page, daemon, width, scheme):
    page.shape(width, scheme)
    page.goto(f"{daemon.url}/docs/guide/how-torques.html")
    wait_for(page, "document.querySelectorAll('.tabs').length > 5")
    shown = "[...document.querySelectorAll('.tabs')].map((set) => [...set.querySelectorAll('[role=tabpanel]')].filter((one) => !one.hidden).length).join('')"
    assert set(page.run(f"return {shown}")) == {"1"}
    # a choice holds on every page
    page.run("[...document.querySelectorAll('[role=tab]')].find((one) => one.textContent === 'JavaScript').click()")
    page.goto(f"{daemon.url}/docs/guide/op-simulate.html")
    wait_for(page, "document.querySelector('[role=tab][aria-selected=true]').textContent === 'JavaScript'")
    assert faults_of(page) == [] and fits(page, width)
    # by keyboard: arrows go from tab to tab
    page.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    page.press("ArrowRight")
    assert page.run("return document.activeElement.textContent") == "C"
    page.tab.locator("#search").press_sequentially("stribeck verdict")
    wait_for(page, "[...document.querySelectorAll('#found a')].some((one) => one.href.includes('verdicts.html'))")
    assert faults_of(page) == []
    for name in ("index", "types", "how-logs-and-calibration", "conventions"):
        page.goto(f"{daemon.url}/docs/guide/{name}.html")
        wait_for(page, "document.querySelector('h1')")
        assert faults_of(page) == [] and fits(page, width), name
