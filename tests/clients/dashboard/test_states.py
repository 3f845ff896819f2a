# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_states.py - every page in each of its states: nothing beyond the edge, nothing cut, axe silent; 360, 1280 and 3840 px, light and dark.
"""With TORQUED_PICTURES=1 (`make pictures`) each is also compared with the picture of it in `pictures/`, a quarter as wide and high, so that
smooth edges of letters do not count: a pixel differs from 40 of 255 on in some colour, a picture where one in a hundred do. What changes by itself,
such as times, is hidden. TORQUED_PICTURES=new writes them. All stay in build/browser, as large as they were seen."""
import base64
import io
import os
import pathlib

import pytest
from dashboard import faults_of, fits, open_at, press, wait_for
from states import STATES, fill_in, reach, sweep

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "build" / "browser"
PICTURES = os.environ.get("TORQUED_PICTURES", "")
SHAPES = [(360, "dark", 800), (1280, "light", 900), (3840, "dark", 2160), (1280, "dark", 900), (360, "light", 800), (3840, "light", 2160)]
KEPT = [(360, "dark"), (1280, "light")]
# what is another one in each run: names of jobs and sessions, times, counts
HIDE = """.call-line, .call-line *, .title .dim, .title code, .jobs td:nth-child(n+4), .jobs td:nth-child(n+4) .dim, .checks .dim, .counters td, .calls pre, [href*="sessions/"], .events summary, .plain,
  [aria-label=Time] + * code, [aria-label=Load] :is(li, .plots *) { color: transparent !important } [aria-label=Load] canvas { visibility: hidden } * { caret-color: transparent !important; transition: none !important }"""
CUT = """return [...document.querySelectorAll('main *, header *')].filter((e) => { if (!e.getClientRects().length || e.closest('.away')) return false;
    const inside = (p) => p && (getComputedStyle(p).overflowX !== 'visible' || inside(p.parentElement));
    if (e.getBoundingClientRect().right > innerWidth + 1 && !inside(e.parentElement)) return true;
    // text of a button or a choice that has no room in it
    return e.matches('button, select, summary, h1, h2, .choice button') && e.scrollWidth > e.clientWidth + 2 && getComputedStyle(e).overflowX !== 'visible' && getComputedStyle(e).textOverflow !== 'ellipsis'; })
  .map((e) => e.outerHTML.slice(0, 160))"""


@pytest.fixture(scope="module")
def words(daemon):
    return fill_in(daemon)


def at_rest(page):
    """Two frames without another frame of the 3D view, which sharpens 0.25 s after the last one."""
    page.run_async("""const done = arguments[0]; let last = -1, since = performance.now();
        const look = () => { const now = document.querySelector('.view3d canvas')?.dataset.frames ?? 0; if (now !== last) { last = now; since = performance.now(); }
          performance.now() - since > 400 ? done() : requestAnimationFrame(look); }; look();""")


def look(page, name, width, scheme):
    """The picture, and how much of it differs from the one that is kept; None where none is."""
    page.run("const one = new CSSStyleSheet(); one.replaceSync(arguments[0]); document.adoptedStyleSheets = [one];", HIDE)
    at_rest(page)
    FOLDER.mkdir(parents=True, exist_ok=True)
    data = base64.b64decode(page.protocol("Page.captureScreenshot", format="png")["data"])
    page.run("document.adoptedStyleSheets = []")
    (FOLDER / f"dashboard-{name}-{width}-{scheme}.png").write_bytes(data)
    if (width, scheme) not in KEPT:
        return None
    image = pytest.importorskip("PIL.Image", reason="no pillow (make deps-clients)")
    seen = image.open(io.BytesIO(data)).convert("RGB").reduce(4)
    path = HERE / "pictures" / f"{name}-{width}-{scheme}.webp"
    if PICTURES == "new":
        path.parent.mkdir(exist_ok=True)
        seen.save(path, quality=70, method=6)
    return differing(image.open(path).convert("RGB"), seen, f"{name}-{width}-{scheme}")


def differing(kept, seen, name):
    """The part of the pixels that differ."""
    chops = pytest.importorskip("PIL.ImageChops")
    if kept.size != seen.size:
        return 1.0
    counts = chops.difference(kept, seen).split()
    worst = chops.lighter(chops.lighter(counts[0], counts[1]), counts[2])
    part = sum(worst.histogram()[40:]) / (worst.width * worst.height)
    if part > 0.01:
        worst.point(lambda x: min(255, 6 * x)).save(FOLDER / f"dashboard-{name}-difference.png")
    return part


@pytest.mark.seconds(120)
@pytest.mark.parametrize("state", STATES, ids=[state[0] for state in STATES])
def test_a_state(daemon, page, words, state):
    sweep(daemon, words)
    name = reach(page, daemon, words, state)
    for width, scheme, height in SHAPES if PICTURES not in ("", "new") else SHAPES[:2]:
        page.shape(width, scheme, height)
        page.run("scrollTo(0, 0)")
        at_rest(page)
        assert fits(page, width), (width, scheme)
        cut = page.run(CUT)
        assert not cut, (width, scheme, cut[:4])
        if width < 3840:
            faults = faults_of(page)
            assert not faults, (width, scheme, faults)
        if PICTURES:
            part = look(page, name, width, scheme)
            assert part is None or part <= 0.01, f"{name} at {width} px, {scheme}: {100 * part:.1f} % of it differs from pictures/ (build/browser has both)"


@pytest.mark.seconds(200)
@pytest.mark.skipif(PICTURES != "1", reason="pictures are compared by make pictures")
def test_the_picture_of_the_readme_is_of_the_page_as_it_is(daemon, page, tmp_path):  # page: skips where there is no Chromium
    """Made anew as `make picture` makes it, and compared with the one that is kept: what times its run took stays out of it."""
    image = pytest.importorskip("PIL.Image", reason="no pillow (make deps-clients)")
    import picture
    assert picture.main(str(tmp_path / "dashboard.png")) == 0, "larger than 200 KB"
    seen, kept = (image.open(path).convert("RGB").reduce(4) for path in (tmp_path / "dashboard.png", HERE.parents[2] / "docs" / "dashboard.png"))
    FOLDER.mkdir(parents=True, exist_ok=True)
    image.open(tmp_path / "dashboard.png").save(FOLDER / "dashboard-readme.png")
    part = differing(kept, seen, "readme")
    assert part <= 0.02, f"{100 * part:.1f} % of docs/dashboard.png differs: make picture"
