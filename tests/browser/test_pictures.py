# SPDX-License-Identifier: Apache-2.0
# tests/browser/test_pictures.py - pictures of /docs, a calibration's report and the pages of problems, 400 and 1280 px wide, light and dark.
"""What is measured of each picture: as wide as its window and with nothing cut at its right edge; light or dark as was asked for; ink on it, as
much of it in both schemes; and by axe, the contrast of its text. Pictures stay in build/browser for inspection."""
import base64
import json
import os
import pathlib

import pytest
from dashboard import axe, wait_for
from test_docs import PARTS

pytestmark = pytest.mark.skipif("TORQUED_PICTURES" not in os.environ, reason="a minute and a half: make pictures")
HEIGHT = 2400  # px of the top that are compared
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build" / "browser"

# {width, height, paper: lightness of the most frequent colour, ink: part of the picture in others, cut: rows with ink on the right edge}
MEASURE = """
const done = arguments[1], image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas'), [width, height] = [image.width, image.height];
  Object.assign(canvas, {width, height});
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const words = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer), count = new Map();
  for (const word of words) count.set(word, (count.get(word) ?? 0) + 1);
  const [paper, n] = [...count].reduce((a, b) => b[1] > a[1] ? b : a);
  const linear = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
  let cut = 0;
  for (let row = 0; row < height; row++) cut += words[(row + 1) * width - 1] !== words[(row + 1) * width - 2];
  done({width, height, paper: 0.2126 * linear(paper & 255) + 0.7152 * linear(paper >> 8 & 255) + 0.0722 * linear(paper >> 16 & 255), ink: 1 - n / words.length, cut});
};
image.src = 'data:image/png;base64,' + arguments[0];
"""


@pytest.fixture(scope="module")
def report(daemon):
    """Of the sample logs."""
    document = json.loads(daemon.request("GET", "/openapi.json")[2])
    content = document["paths"]["/v1/robots/{name}/calibrate"]["post"]["requestBody"]["content"]["application/json"]
    examples = content.get("examples") or {"only": {"value": content["example"]}}
    body = next(iter(examples.values()))["value"]
    status, headers, answer = daemon.request("POST", "/v1/robots/panda/calibrate", json.dumps(body), {"Content-Type": "application/json", "Prefer": "wait=60"})
    assert status == 200, answer[:500]
    return headers["Content-Location"].removesuffix("/result") + "/result/report"


def picture(page, name, width):
    """The top of the page as it is seen."""
    size = page.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size[0] <= width, "nothing is beyond the edge"
    clip = {"x": 0, "y": 0, "width": width, "height": min(size[1], HEIGHT), "scale": 1}
    data = page.protocol("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.png").write_bytes(base64.b64decode(data))
    return data


def faults_of(page, context):
    found = axe(page, context)
    return [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in ("serious", "critical") or one["id"] == "color-contrast"]


@pytest.mark.seconds(300)
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["docs", "report", "problems", "problem"])
def test_pictures(daemon, page, report, name, width):
    address = {"docs": "/docs", "report": report, "problems": "/problems", "problem": "/problems/unknown-field"}[name]
    measured = {}
    for scheme in ("light", "dark"):
        page.shape(width, scheme)
        if name == "report":  # served in a sandbox, where axe may not run: the same bytes in a page of its own
            page.goto("about:blank")
            page.run("document.open(); document.write(arguments[0]); document.close()", daemon.request("GET", address)[2].decode())
        else:
            page.goto(daemon.url + address)
        if name == "docs":
            wait_for(page, "document.getElementById('start')")
        wide = page.run(f"""return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > {width} + 1 && e.getClientRects().length
            && ![...Array(12)].reduce((p) => p[0]?.parentElement ? [p[0].parentElement, p[1] || getComputedStyle(p[0].parentElement).overflowX !== 'visible'] : p, [e, false])[1])
            .map((e) => e.outerHTML.slice(0, 100))""")
        assert not wide, wide[:3]
        if name != "docs" or (width, scheme) in ((400, "light"), (1280, "dark")):  # the other two: test_docs.py
            faults = faults_of(page, PARTS if name == "docs" else None)
            assert not faults, (scheme, faults)
        data = picture(page, f"{name}-{width}-{scheme}", width)
        page.goto("about:blank")
        measured[scheme] = page.run_async(MEASURE, data)
    light, dark = measured["light"], measured["dark"]
    assert light["width"] == dark["width"] == width and light["height"] == dark["height"] and light["cut"] == dark["cut"] == 0, (light, dark)
    assert light["paper"] > 0.7 and dark["paper"] < 0.1, (light, dark)
    assert 0.005 < light["ink"] < 0.8 and 0.5 < dark["ink"] / light["ink"] < 2, (light, dark)
