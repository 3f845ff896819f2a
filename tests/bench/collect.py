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


def name_of(row):
    """What a row is about: its words, and the counts that distinguish it from its neighbours."""
    if "what" in row:
        return row["what"]
    return " ".join(str(v) if isinstance(v, str) else f"{k}={v}" for k, v in row.items()
                    if isinstance(v, str) or (isinstance(v, int) and not isinstance(v, bool)))


def table(benches):
    """Every row that is a ratio, with its target where the bench has one."""
    met = missed = unmeasured = 0
    print(f"\n{'bench':12} {'row':72} {'ratio':>8}  target")
    for bench, rows in benches.items():
        for row in rows if isinstance(rows, list) else []:
            if not isinstance(row, dict) or "ratio" not in row:
                continue
            ratio, target = row["ratio"], row.get("target")
            verdict = ""
            if ratio is None:
                unmeasured += 1
            elif target is not None:
                verdict = f"{target:g}" if ratio >= target else f"{target:g}  MISSED"
                met, missed = met + (ratio >= target), missed + (ratio < target)
            shown = "not measured" if ratio is None else f"{ratio:8.2f}"
            if "newest_ratio" in row:  # the peer's newest release beside the one that the target was set against
                newest = row["newest_ratio"]
                verdict += "   newest: " + ("not measured" if newest is None else
                                            f"{newest:.2f}" + ("  MISSED" if target is not None and newest < target else ""))
            print(f"{bench:12} {name_of(row)[:72]:72} {shown:>8}  {verdict}")
    print(f"{met} targets met, {missed} missed, {unmeasured} rows without their peer; rows as text are above")


def main():
    folder, result, *names = sys.argv[1:]
    benches = {}
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path + ".json"):
            try:
                benches[name] = rows_of(path + ".json")
            except json.JSONDecodeError:  # it was stopped while it wrote
                benches[name] = "not measured to its end"
        elif os.path.exists(path + ".txt"):
            with open(path + ".txt") as f:
                benches[name] = f.read().splitlines()
        else:
            benches[name] = "not measured"
    machine = {"cpu": cpu_model(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "date": time.strftime("%Y-%m-%d")}
    with open(result, "w") as f:
        json.dump({"machine": machine, "benches": benches}, f, indent=1)
    table(benches)
    print(f"all rows: {result}")


main()
