# SPDX-License-Identifier: Apache-2.0
# tests/system/test_load.py - runs load.py's mix of clients; under ThreadSanitizer this is what it watches.
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contract"))
import conftest  # noqa: E402

LOAD = pathlib.Path(__file__).with_name("load.py")
SECONDS = os.environ.get("LOAD_SECONDS", "20")


@pytest.mark.seconds(300)
def test_mixed_load_and_stop_in_the_middle():
    done = subprocess.run([sys.executable, str(LOAD), os.environ["TORQUED"], SECONDS], capture_output=True, text=True,
                          timeout=float(SECONDS) + 4 * conftest.PATIENCE)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
