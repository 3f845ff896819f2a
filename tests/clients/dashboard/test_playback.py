# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_playback.py - a run's playback: finer points of a part, GIF and video by the browser, memory over a hundred times.
import base64
import io
import json

import pytest
from dashboard import faults_of, fits, open_at, press, wait_for

RUN = {"initial": {"q": [0.5, 0.2]}, "include": ["energy"]}
CAUGHT = """window.caught = null; const make = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => { window.caught = blob; return make(blob); }; HTMLAnchorElement.prototype.click = function () { window.called = this.download; };"""


def run_of(daemon, duration, interval):
    body = {**RUN, "duration_s": duration, "output": {"interval_s": interval}}
    status, headers, answer = daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(body).encode(), {"Prefer": "wait=60", "Content-Type": "application/json"})
    assert status == 200, answer
    return {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]


def playing(page, daemon, job):
    open_at(page, daemon, f"jobs/{job}", ".view3d[data-state=ready]")
    wait_for(page, "document.querySelectorAll('.plot canvas').length === 4")


def caught(page):
    """What was offered as a download: its type, name and bytes."""
    kind = wait_for(page, "window.caught && window.called && window.caught.type")
    data = page.run_async("const done = arguments[0]; const reader = new FileReader(); reader.onload = () => done(reader.result.split(',')[1]); reader.readAsDataURL(window.caught);")
    return kind, page.run("return window.called"), base64.b64decode(data)


def test_a_part_of_a_run_has_points_of_its_own(daemon, page):
    """20,001 rows, 3,000 points: the least and the greatest of each seven rows; of a small part every row."""
    playing(page, daemon, run_of(daemon, 10, 0.0005))
    text = "document.querySelector('.plot-tools .dim').textContent"
    assert "20,001 rows" in wait_for(page, text) and "each" in page.run(f"return {text}")
    seen = []
    for _ in range(4):
        press(page, "Closer")
        seen.append(wait_for(page, f"!{json.dumps(seen)}.includes({text}) && {text}.includes('of these') && {text}"))
    wait_for(page, f"!{text}.includes('each')")  # of 1,250 rows every one is drawn
    press(page, "All")
    wait_for(page, f"!{text}.includes('of these')")
    # by dragging across a curve
    over = page.tab.locator(".plot .u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.tab.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + box["height"] / 2, steps=4)
    page.tab.mouse.up()
    dragged = wait_for(page, f"{text}.includes('of these') && {text}")
    first, last = [int(one.replace(",", "")) for one in dragged.split("of these ")[1].split(",  ")[0].split(", the")[0].rstrip(".").replace(" to ", " ").split()[:2]]
    assert 4000 < first < 6000 and 1000 < last - first < 3500, dragged
    assert not faults_of(page)
    page.shape(360, "dark")
    assert fits(page, 360)


@pytest.mark.seconds(120)
def test_a_gif_has_the_frames_of_the_run(daemon, page):
    image = pytest.importorskip("PIL.Image", reason="no pillow (make deps-clients)")
    playing(page, daemon, run_of(daemon, 1, 0.01))
    page.run(CAUGHT)
    press(page, "GIF")
    kind, name, data = caught(page)
    assert (kind, name) == ("image/gif", "simulation.gif")
    gif = image.open(io.BytesIO(data))
    assert gif.n_frames == 13 and gif.info["loop"] == 0 and gif.width <= 480
    # the arm falls: pictures differ, and the background is the page's
    frames = set()
    for k in range(gif.n_frames):
        gif.seek(k)
        frames.add(gif.convert("RGB").tobytes())
        assert gif.info["duration"] == 80
    assert len(frames) >= 10
    # the first one has the arm too, not the ground alone
    gif.seek(0)
    assert len(set(gif.convert("RGB").getdata())) > 5
    gif.seek(0)
    corner, ground = gif.convert("RGB").getpixel((1, 1)), page.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert all(abs(a - b) <= 26 for a, b in zip(corner, ground[:3])), (corner, ground)
    wait_for(page, "[...document.querySelectorAll('button')].some((one) => one.textContent === 'GIF' && !one.disabled)")


@pytest.mark.seconds(120)
def test_a_video_can_be_played(daemon, page):
    playing(page, daemon, run_of(daemon, 1, 0.01))
    page.run(CAUGHT)
    press(page, "Video")
    kind, name, data = caught(page)
    assert kind.startswith("video/") and name in ("simulation.webm", "simulation.mp4") and len(data) > 1000
    # the policy has no media: its frames are counted by their blocks, a video of WebM begins with EBML
    assert data[:4] == b"\x1aE\xdf\xa3" or data[4:8] == b"ftyp"


@pytest.mark.seconds(300)
def test_memory_is_flat_over_a_hundred_playbacks(daemon, page):
    playing(page, daemon, run_of(daemon, 0.2, 0.01))
    page.run("const box = document.querySelector('.player select'); box.value = '5'; box.dispatchEvent(new Event('change', { bubbles: true }));")

    def play(times):
        for _ in range(times):
            press(page, "\u25b6")
            wait_for(page, "document.querySelector('.clock').textContent.startsWith('0.20') && document.querySelector('.player button').textContent === '\u25b6'")

    def held():
        for _ in range(3):
            page.protocol("HeapProfiler.collectGarbage")
        counted = page.protocol("Memory.getDOMCounters")
        return page.protocol("Runtime.getHeapUsage")["usedSize"], counted["nodes"], counted["jsEventListeners"]

    page.protocol("HeapProfiler.enable")
    play(10)
    bytes_before, nodes_before, listeners_before = held()
    play(100)
    bytes_after, nodes_after, listeners_after = held()
    print(f"memory over 100 playbacks: {bytes_before} to {bytes_after} bytes, nodes {nodes_before} to {nodes_after}, listeners {listeners_before} to {listeners_after}")
    assert nodes_after <= nodes_before + 20 and listeners_after <= listeners_before + 5
    # a playback that leaked its frames would leak a megabyte ten times
    assert bytes_after - bytes_before < 500_000
