# SPDX-License-Identifier: Apache-2.0
# tests/browser/test_docs.py - /docs as its reader meets it: what it offers works on a fresh daemon, on a phone as on a desk.
import pytest
from dashboard import axe

WIDTHS = pytest.mark.parametrize("width, scheme", [(1280, "light"), (400, "dark")])

# all sections are made alike: axe reads one of each kind, since it takes a minute for the whole page
PARTS = {"include": [["nav"], ["#start"], ["#simulate"], ["#listRobots"], ["#putDataset"]]}

# Sends every example of the page by its own button, and returns [operation, example, status, text] of each.
SEND_ALL = """
const done = arguments[0];
(async () => {
  const results = [];
  for (const section of document.querySelectorAll('section:has(select)')) {
    const select = section.querySelector('select');
    for (const option of select.options) {
      select.value = option.value;
      select.dispatchEvent(new Event('change'));
      section.querySelector('button.first').click();
      do { await new Promise((go) => setTimeout(go, 5)); } while (!section.querySelector('.status, .bad'));
      const status = section.querySelector('.status, .bad').textContent;
      results.push([section.id, option.value, status, section.querySelectorAll('svg').length, section.querySelector('div pre')?.textContent.slice(0, 400)]);
    }
  }
  return results;
})().then(done, (fault) => done(String(fault)));
"""


def wait_for(page, script):
    return page.wait_for(script)


def loaded(page, daemon):
    page.goto(f"{daemon.url}/docs")
    wait_for(page, "document.getElementById('start')")
    return page


@pytest.fixture
def docs(daemon, page):
    def load(width, scheme):
        page.shape(width, scheme)
        return loaded(page, daemon)

    return load


def test_every_example_works_on_a_fresh_daemon(docs):
    page = docs(1280, "light")
    results = page.run_async(SEND_ALL)
    assert isinstance(results, list) and len(results) >= 50, results
    assert not [one for one in results if not one[2].startswith("200")]
    drawn = {one[0] for one in results if one[3] > 0}
    assert {"simulate", "trajectory"} <= drawn


def test_the_sample_logs_identify_their_friction(docs, daemon):
    """They have Coulomb friction of 4 N m and viscous of 6 N m s/rad on every joint, and 0.1 N m of noise."""
    page = docs(1280, "light")
    answer = page.run_async("""const done = arguments[0];
      (async () => {
        const example = (await (await fetch('/openapi.json')).json()).paths['/v1/robots/{name}/calibrate'].post.requestBody.content['application/json'].examples.runs.value;
        const ask = async (path, method, body, type) => fetch(path, { method, body, headers: { 'Content-Type': type } });
        const reply = await fetch('/v1/robots/panda/calibrate', { method: 'POST', headers: { 'Content-Type': 'application/json', Prefer: 'wait=60' }, body: JSON.stringify(example) });
        return [reply.status, await reply.json()];
      })().then(done, (fault) => done([String(fault), {}]));""")
    assert answer[0] == 200, answer
    # the filter at 8 Hz rounds the friction's step at each reversal: a part of it counts as viscous
    for name, value in (("fc", 4), ("fv", 6)):
        found = [one["value"] for one in answer[1]["parameters"] if one["name"].startswith(f"{name}_")]
        assert len(found) == 7 and all(abs(one / value - 1) < 0.12 for one in found), (name, found)


@WIDTHS
def test_it_fits_and_is_accessible(daemon, browser, width, scheme):
    page = loaded(browser(width, scheme), daemon)
    page.run("document.querySelector('#simulate button.first').click()")
    wait_for(page, "document.querySelector('#simulate svg')")
    assert page.run("return document.documentElement.scrollWidth") <= width
    wide = page.run(f"return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > {width} + 1).map((e) => e.outerHTML.slice(0, 100))")
    assert not wide, wide[:5]
    faults = [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in axe(page, PARTS)]
    assert not faults, faults


def test_search_finds_fields_at_any_depth(docs):
    page = docs(1280, "light")
    search = "const input = document.querySelector('input.search'); input.value = arguments[0]; input.dispatchEvent(new Event('input')); "
    found = "return [...document.querySelectorAll('nav a')].filter((a) => !a.hidden).map((a) => a.hash)"
    assert page.run(search + found, "stribeck_speed") == ["#calibrate"]
    assert page.run(search + found, "no-such-word") == []
    assert len(page.run(search + found, "")) > 40


def test_a_request_can_be_taken_along_as_curl(docs):
    page = docs(1280, "light")
    page.run("document.querySelector('#inverseDynamics .row button:not(.first)').click()")
    line = wait_for(page, "document.querySelector('#inverseDynamics div[aria-live] pre')?.textContent")
    assert line.startswith("curl -s 'http://127.0.0.1:") and "/v1/robots/" in line and "-d '{\"q\":" in line


def test_a_refusal_is_shown_with_its_place(docs):
    page = docs(400, "dark")
    page.run("""const s = document.querySelector('#inverseDynamics'); s.querySelector('textarea').value = '{"q": [0, 1}';
        s.querySelector('button.first').click();""")
    assert wait_for(page, "document.querySelector('#inverseDynamics .status')?.textContent").startswith("400")
    assert "byte" in page.run("return document.querySelector('#inverseDynamics div[aria-live] pre').textContent")
