#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/picture.py - the picture of the README, of a running daemon: a simulated run of the ur5e, half way (make picture).
import pathlib
import sys

import conftest
import driver
import PIL.Image
from dashboard import fill, open_at, press, wait_for

SETUP = "robots/ur5e/simulate?q=0,-1.2,1.4,-0.5,-1.57,0&s=%7B%22control%22%3A%22computed-torque%22%2C%22duration%22%3A2%2C%22goal%22%3A%5B1.2%2C-0.8%2C1%2C-0.5%2C-1.57%2C0%5D%2C%22push%22%3A%22pulse%22%2C%22joint%22%3A1%2C%22size%22%3A40%7D"


def main(path):
    daemon, page = conftest.Daemon(), driver.Page()
    try:
        page.shape(1440, "light", 960)  # curves stand beside the robot from 1250 px on
        open_at(page, daemon, SETUP, ".view3d[data-state=ready]")
        press(page, "Simulate 2 s")
        wait_for(page, "document.querySelectorAll('.plot canvas').length === 5 && document.querySelector('.view3d[data-state=ready]')")
        fill(page, ".player input[type=range]", "0.62")
        wait_for(page, "document.querySelector('.clock').textContent.startsWith('0.62')")
        drawn = page.run("return Number(document.querySelector('.view3d canvas').dataset.frames)")
        page.run("document.querySelector('[aria-pressed]:last-of-type').blur(); dispatchEvent(new Event('resize'))")
        wait_for(page, f"Number(document.querySelector('.view3d canvas').dataset.frames) >= {drawn}")
        page.screenshot(path)
        # 256 colours: smooth edges become a third; the palette is refined, so that small marks of a colour of their own keep it
        PIL.Image.open(path).convert("RGB").quantize(256, method=PIL.Image.Quantize.MAXCOVERAGE, kmeans=3, dither=PIL.Image.Dither.NONE).save(path, optimize=True)
    finally:
        page.close()
        daemon.stop()
    size = pathlib.Path(path).stat().st_size
    print(f"{path}: {size} bytes")
    return 0 if size <= 200_000 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
