#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/day.py - a day's use by someone new: by the mouse, each click and each key counted, and the seconds that it takes (make day).
"""Usage: day.py [TABLE]. A person's part is a click, a choice in a list, a field typed, a file dropped; it takes what the keystroke-level model of Card, Moran and
Newell says: 1.1 s to point, 0.2 s to click, 0.28 s a key, 0.4 s to move a hand between mouse and keys, 1.35 s to think before each. What the page and the
service take is measured beside. The ways through other tools are in others.md, step by step from their documents; what of them is Python is run."""
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import conftest
import driver
from dashboard import URDF

HERE = pathlib.Path(__file__).resolve().parent
POINT, CLICK, KEY, HAND, THINK = 1.1, 0.2, 0.28, 0.4, 1.35


class Person:
    """What someone does at the page, by real events of mouse and keys."""

    def __init__(self, page):
        self.page, self.rows = page, []

    def step(self, name):
        self.rows.append({"step": name, "clicks": 0, "keys": 0, "person_s": 0.0, "machine_s": 0.0})

    def _count(self, clicks, keys=0):
        row = self.rows[-1]
        row["clicks"] += clicks
        row["keys"] += keys
        row["person_s"] += THINK + clicks * (POINT + CLICK) + (2 * HAND + keys * KEY if keys else 0)

    def click(self, target):
        target.scroll_into_view_if_needed()
        target.click()
        self._count(1)

    def type(self, target, text):
        target.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")
        self._count(1, len(text) + 2)

    def choose(self, target, value):
        """A list is opened and one of it clicked."""
        target.select_option(value)
        self._count(2)

    def drop(self, button, *files):
        """The button, the file in the system's dialog, its Open button."""
        with self.page.expect_file_chooser() as chooser:
            button.click()
        chooser.value.set_files([{"name": name, "mimeType": kind, "buffer": data} for name, kind, data in files])
        self._count(3)

    def see(self, selector, text=""):
        """Until it is on the page; the machine's time."""
        begun = time.perf_counter()
        found = self.page.locator(selector).filter(has_text=text).first
        found.wait_for(timeout=60_000)
        self.rows[-1]["machine_s"] += time.perf_counter() - begun
        return found.inner_text()


def day(person, page, url):
    """Four questions of a lab; each ends with its answer on the page, which is returned."""
    answers = {}
    page.goto(f"{url}/")
    page.locator(".drop").wait_for()
    person.step("a URDF in, seen, and what was read of it")
    person.drop(page.locator(".drop button"), ("lab arm.urdf", "application/xml", URDF.format(parent="base", izz="0.01").encode()))
    answers["read"] = person.see(".understood")
    person.see(".view3d[data-state=ready]")

    person.step("which torque holds 3 kg, stretched out, and is it within the limit")
    person.click(page.get_by_role("link", name="Torques \u2192"))
    person.see(".bar")
    person.type(page.locator("[aria-label='Joint positions'] input[type=number]"), "1.5708")
    person.type(page.locator("[aria-label=Payload] input[type=number]").first, "3")
    person.see("[aria-label=Payload] .slider:nth-of-type(5)")
    person.type(page.locator("[aria-label=Payload] input[type=number]").nth(3), "0.4")
    page.wait_for_function("() => Number(document.querySelector('.bar-value b')?.textContent.replace('\\u2212', '-')) < -15")
    answers["torque"] = page.locator(".bar-value").inner_text()

    person.step("a simulation set up with a controller and a push, watched")
    person.click(page.get_by_role("link", name="Simulation", exact=True))
    person.see(".view3d[data-state=ready]")
    person.choose(page.locator("[aria-label=Controller] select"), "pd-gravity")
    person.choose(page.locator("[aria-label=Disturbance] select").first, "pulse")
    person.click(page.get_by_role("button", name="Simulate 3 s"))
    answers["run"] = person.see(".verdicts", "It ran to its end")
    person.see(".view3d[data-state=ready]")
    person.click(page.get_by_role("button", name="Play"))
    page.wait_for_function("() => Number(document.querySelector('.clock').textContent.split(' ')[0]) > 1")

    person.step("a calibration of two logs, its verdict and intervals read")
    person.click(page.get_by_role("link", name="Calibration", exact=True))
    person.see(".checks input")
    person.choose(page.locator(".picker select"), "panda")
    page.wait_for_function("() => location.hash.includes('panda/calibrate')")
    person.see(".checks input")
    for name in ("sample-panda-1", "sample-panda-2"):
        person.click(page.locator(".checks label").filter(has_text=name))
    person.click(page.get_by_role("button", name="Calibrate with 2 logs"))
    answers["verdict"] = person.see(".banner h2")
    answers["first parameter"] = person.see(".parameters tbody tr")
    return answers


def table(rows):
    lines = ["| step | clicks | keys | s of the person, by the model | s of page and service, measured |", "|---|---|---|---|---|"]
    lines += [f"| {row['step']} | {row['clicks']} | {row['keys']} | {row['person_s']:.0f} | {row['machine_s']:.1f} |" for row in rows]
    total = {key: sum(row[key] for row in rows) for key in ("clicks", "keys", "person_s", "machine_s")}
    return "\n".join([*lines, f"| all | {total['clicks']} | {total['keys']} | {total['person_s']:.0f} | {total['machine_s']:.1f} |"]) + "\n"


def others(daemon):
    """{tool: rows} of others.md: clicks and keys counted; blocks of Python run in one interpreter each tool, and timed."""
    found, before, folder = {}, os.getcwd(), tempfile.TemporaryDirectory()
    files = {"lab_arm.urdf": URDF.format(parent="base", izz="0.01").encode(), "panda.urdf": daemon.request("GET", "/v1/robots/panda?format=urdf")[2]}
    for name in ("sample-panda-1", "sample-panda-2"):
        files[f"{name}.csv"] = daemon.request("GET", f"/v1/datasets/{name}/content")[2]
    for name, data in files.items():
        (pathlib.Path(folder.name) / name).write_bytes(data)
    os.chdir(folder.name)
    try:
        for tool in re.split(r"^## ", (HERE / "others.md").read_text(), flags=re.M)[1:]:
            space, rows = {"print": lambda *_: None}, []
            for part in re.split(r"^### ", tool, flags=re.M)[1:]:
                row = {"step": part.splitlines()[0], "clicks": 0, "keys": 0, "person_s": 0.0, "machine_s": 0.0, "cannot": "- cannot" in part}
                for clicks, keys in re.findall(r"^- (\d+) clicks?, (\d+) keys?", part, flags=re.M):
                    row["clicks"] += int(clicks)
                    row["keys"] += int(keys)
                    row["person_s"] += THINK + int(clicks) * (POINT + CLICK) + (2 * HAND if int(keys) else 0) + int(keys) * KEY
                for kind, text in re.findall(r"^```([^\n]*)\n(.*?)^```$", part, flags=re.M | re.S):
                    row["keys"] += len(text)
                    # one thought a line
                    row["person_s"] += len(text) * KEY + THINK * text.count("\n")
                    if kind == "python":
                        begun = time.perf_counter()
                        exec(compile(text, "others.md", "exec"), space)  # noqa: S102 - of this repository
                        row["machine_s"] += time.perf_counter() - begun
                rows.append(row)
            found[tool.splitlines()[0]] = rows
    finally:
        os.chdir(before)
        folder.cleanup()
    return found


def beside(ours, found):
    """One table of all: clicks + keys, and seconds of the person; a cross where the tool has no way to the answer."""
    lines = [f"| step | {' | '.join(['dashboard', *found])} |", "|---|" + "---|" * (1 + len(found))]

    def cell(row):
        cross = " \u2715" if row.get("cannot") else ""
        return f"{row['clicks']} + {row['keys']}, {row['person_s']:.0f} s{cross}" if row["clicks"] + row["keys"] else cross.strip()

    for k, row in enumerate(ours):
        assert all(rows[k]["step"] == row["step"] for rows in found.values()), row["step"]
        lines.append(f"| {row['step']} | {' | '.join([cell(row), *(cell(rows[k]) for rows in found.values())])} |")
    return "\n".join(lines) + "\n"


def main(path=None):
    daemon = conftest.Daemon()
    try:
        found = others(daemon)
        one = driver.Page()
        one.shape(1440, "light")
        person = Person(one.tab)
        answers = day(person, one.tab, daemon.url)
        complaints = [entry for entry in one.console() if entry["source"] not in ("network", "rendering")]
        one.close()
    finally:
        daemon.stop()
    assert not complaints, complaints
    print(json.dumps(answers, indent=1, ensure_ascii=False))
    text = table(person.rows) + "\nClicks + keys, seconds of the person; \u2715: no way to the answer, the next best thing is counted\n\n" + beside(person.rows, found)
    print(text)
    if path:
        pathlib.Path(path).write_text(text)
    return person.rows, answers


if __name__ == "__main__":
    main(*sys.argv[1:])
