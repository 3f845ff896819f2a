# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_examples.py - the programs of clients/examples run against a daemon and print the
# expected numbers.
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from conftest import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_homework_draws_its_picture(daemon, tmp_path):
    out = tmp_path / "homework.svg"
    command = [sys.executable, str(ROOT / "clients/examples/homework.py"), "--out", str(out), "--url", daemon.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    said = {m[1].strip(): (float(m[2]), float(m[3]), float(m[4])) for m in
            re.finditer(r"^(.{30}) completed, growth +(\S+) /s, at the end +(\S+) % off, theta2 +(\S+) deg$", done.stdout, re.M)}
    assert len(said) == 6
    # (growth rate of the error, deviation at the end in %, theta2 at the end in degrees)
    assert said["torque at every instant"][1] < 1e-4
    assert abs(said["torque between 1 ms samples"][1] - 0.829) < 0.00829
    assert abs(said["start 1 cm higher"][2] + 144.95) < 0.1
    assert abs(said["0.1 kg more at the tip"][2] - 151.61) < 0.1
    assert said["1 cm higher, computed torque"][1] < 0.01
    assert said["0.1 kg more, computed torque"][1] < 2
    assert all(growth > 8 for name, (growth, _, _) in said.items() if "computed" not in name)
    assert all(growth < 0 for name, (growth, _, _) in said.items() if "computed" in name)
    lines = [e for e in xml.parse(out).iter("{http://www.w3.org/2000/svg}polyline")]
    assert len(lines) == 14  # six errors, six angles, one force, one slope
    assert min(len(e.get("points").split()) for e in lines) >= 2
