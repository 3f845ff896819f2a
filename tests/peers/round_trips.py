#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/peers/round_trips.py - every robot description of some packages, sent through the formats and back: the same dynamics.
"""round_trips.py FOLDER [PART]: each file that is read is exported as document, MJCF, SDF and URDF, each of the one before (a format that cannot express
it, 406, is left out), and read again: masses, mass matrix, gravity torque and inverse dynamics at two states within 1e-12. Status 1 where one differs."""
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "contract")]
import models  # noqa: E402
import test_robot_export as trip  # noqa: E402

BOUND = 1e-12


def worst_of(got, want, weight):
    """As in models.py: torques by the largest, or what the rounding of the weight leaves."""
    torque = max(map(abs, want["tau"] + want["gravity_torque"]))
    worst = (0.0, "")
    for term in trip.TERMS:
        scale = max(max(map(abs, want[term])), 0.0 if term == "mass_matrix" else max(1e-3 * torque, 1e-3 * weight), 1e-300)
        worst = max(worst, (max(abs(a - b) for a, b in zip(got[term], want[term], strict=True)) / scale, term))
    return worst


def go_round(daemon, robot):
    """(form, outcome) of each form."""
    rows, last = trip.axes(robot), "all"
    mass = sum(link["mass"] for link in robot["links"])
    if robot["nv"] == 0:
        return
    wants = [trip.dynamics(daemon, "all", robot, rows, trip.state(rows, seed)) for seed in range(2)]
    for form in ("json", "mjcf", "sdf", "urdf"):
        status, _, text = daemon.request("GET", f"/v1/robots/{last}?format={form}")
        if status == 406:
            yield form, "not in this format"
            continue
        status, _, answer = daemon.request("PUT", f"/v1/robots/again-{form}", text, {"Content-Type": "application/octet-stream"})
        if status not in (200, 201):
            yield form, f"REFUSED {status} {answer[:300]}"
            return
        again = json.loads(answer)
        there = trip.axes(again)
        if set(there) != set(rows):
            yield form, f"OTHER JOINTS {set(there) ^ set(rows)}"
            continue
        last = f"again-{form}"
        errors = [(abs(sum(link["mass"] for link in again["links"]) - mass) / max(mass, 1e-12), "mass")]
        for seed, want in enumerate(wants):
            errors.append(worst_of(trip.dynamics(daemon, last, again, there, trip.state(rows, seed)), want, 9.81 * mass))
        error, what = max(errors)
        yield form, "the same" if error <= BOUND else f"DIFFERS {error:.1e} {what}"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    daemon = models.load("contract_conftest", HERE.parents[1] / "contract" / "conftest.py").Daemon()
    counts = collections.Counter()
    for path in sorted(folder.rglob("*")):
        kind = models.kind_of(path) if path.is_file() and part in str(path) and "random_urdfs" not in str(path) else None
        if kind in (None, "xacro"):
            continue
        status, robot = models.send(daemon, kind, path)
        if status not in (200, 201) or robot.get("constraints"):
            continue
        for form, outcome in go_round(daemon, robot):
            counts[form, outcome.split(" {")[0] if outcome[0].islower() else "WRONG"] += 1
            if outcome[0].isupper():
                print(f"{path.relative_to(folder)}: {form}: {outcome}", flush=True)
    daemon.stop()
    for (form, outcome), n in sorted(counts.items()):
        print(f"{form:5s} {n:5d} {outcome}")
    return 1 if any(outcome == "WRONG" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
