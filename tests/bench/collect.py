# SPDX-License-Identifier: Apache-2.0
# tests/bench/collect.py - all rows of `make bench` in one file.
"""Usage: collect.py FOLDER FILE NAME...: {"machine": ..., "benches": {NAME: rows of FOLDER/NAME.json, or lines of NAME.txt}}."""

import json
import os
import platform
import sys
import time


def cpu_model():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())


def rows_of(path):
    """One JSON document, or one on each line."""
    with open(path) as f:
        text = f.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line]


def main():
    folder, result, *names = sys.argv[1:]
    benches = {}
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path + ".json"):
            benches[name] = rows_of(path + ".json")
        elif os.path.exists(path + ".txt"):
            with open(path + ".txt") as f:
                benches[name] = f.read().splitlines()
        else:
            benches[name] = "not measured"
    machine = {"cpu": cpu_model(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "date": time.strftime("%Y-%m-%d")}
    with open(result, "w") as f:
        json.dump({"machine": machine, "benches": benches}, f, indent=1)
    print(f"all rows: {result}")


main()
