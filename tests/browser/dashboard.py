# SPDX-License-Identifier: Apache-2.0
# tests/browser/dashboard.py - what the tests of the dashboard share: opening a page, finding parts by their names, waiting, axe.
import json
import time

import pytest


def wait_for(page, script, seconds=100):
    """The first true value of a JavaScript expression; polled until then."""
    return page.wait_for(script, seconds)


def open_at(page, daemon, address, ready):
    """Loads /#/ADDRESS and waits for a selector. Several addresses may be opened after one another in one browser."""
    page.goto("about:blank")
    page.goto(f"{daemon.url}/#/{address}")
    wait_for(page, f"document.querySelector({json.dumps(ready)})")


def press(page, text, within="document"):
    """Clicks the button or link with this text."""
    done = wait_for(page, f"""[...{within}.querySelectorAll('button, a, summary')].filter((one) => !one.disabled && one.textContent.trim() === {json.dumps(text)}).map((one) => (one.click(), true))[0]""")
    assert done


def fill(page, selector, value):
    """Types a value as a person would: the events of input and change."""
    page.run("""const box = document.querySelector(arguments[0]);
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), 'value').set.call(box, arguments[1]);
        box.dispatchEvent(new Event('input', { bubbles: true })); box.dispatchEvent(new Event('change', { bubbles: true }));""", selector, value)


def drop(page, selector, name, text):
    """Drops a file on an element, as from a folder."""
    page.run("""const data = new DataTransfer(); data.items.add(new File([arguments[2]], arguments[1]));
        document.querySelector(arguments[0]).dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));""", selector, name, text)


def pixels(page, selector="canvas"):
    """What is seen of an element."""
    return page.pixels(selector)


def wait_for_other_pixels(page, before, selector="canvas", seconds=100):
    end = time.monotonic() + seconds
    while pixels(page, selector) == before:
        assert time.monotonic() < end, "the picture stays as it was"


def axe(page, context=None):
    """All that axe finds."""
    module = pytest.importorskip("axe_core_python.sync_playwright", reason="no axe-core-python (make deps-check)")
    # colours on their way from light to dark are none that anyone reads
    page.wait_for("document.getAnimations().length === 0")
    return module.Axe().run(page.tab, context=context)["violations"]


def faults_of(page, context=None):
    """What axe finds that is serious or critical."""
    found = axe(page, context)
    return [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in ("serious", "critical")]


def fits(page, width):
    """Nothing makes the page wider than its window."""
    return page.run("return document.documentElement.scrollWidth") <= width


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.1 0.1 0.4"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="{parent}"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="40" velocity="3"/>
  </joint>
</robot>
"""
