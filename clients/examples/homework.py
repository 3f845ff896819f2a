#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# clients/examples/homework.py - the RRP arm along a line, open and closed loop: jobs in, CSV out, a picture of both.
"""homework.py [--url http://127.0.0.1:8420] [--out homework.svg]

Runs six simulations of the built-in robot `rrp` as jobs, reads their results as CSV, and draws how the arm leaves the
planned line when its torque is only replayed, and how a controller holds it. Needs Python 3.9 and nothing else.
"""
import argparse
import csv
import io
import json
import math
import time
import urllib.request

FROM, TO, SECONDS = [0.10, 0.15, 0.35], [0.25, 0.05, 0.55], 2.0
ARC = math.dist(FROM, TO)
LINE = {"poses": [{"position": FROM}, {"position": TO}], "times_s": [0, SECONDS], "timing": "quintic",
        "frame": "tip", "initial": [1.9, 0.8, 0.2]}


class Service:
    def __init__(self, url):
        self.url = url.rstrip("/")

    def call(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as reply:
            return reply.headers, reply.read()

    def ask(self, operation, body):
        return json.loads(self.call("POST", "/v1/robots/rrp/" + operation, body,
                                    **{"Content-Type": "application/json"})[1])

    def simulate(self, body):
        """Submits a job, waits for it: its verdict, and its arrays as columns of a CSV."""
        headers, _ = self.call("POST", "/v1/robots/rrp/simulate", body,
                               **{"Content-Type": "application/json", "Prefer": "respond-async"})
        job = headers["Location"]
        while json.loads(self.call("GET", job)[1])["state"] in ("queued", "running"):
            time.sleep(0.05)
        verdict = json.loads(self.call("GET", job + "/result?fields=verdict")[1])["verdict"]
        text = self.call("GET", job + "/result", Accept="text/csv")[1].decode()
        rows = list(csv.reader(io.StringIO(text)))
        columns = {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}
        return verdict, columns


def tip(columns):
    """Where the tip of the arm is: height 0.2 m, arm of 0.1 m, as the homework draws it."""
    points = []
    for a, b, d in zip(columns["q_0"], columns["q_1"], columns["q_2"]):
        points.append((0.1 * math.cos(a) + d * math.sin(a) * math.sin(b),
                       0.1 * math.sin(a) - d * math.cos(a) * math.sin(b), 0.2 + d * math.cos(b)))
    return points


def planned(t):
    u = min(t / SECONDS, 1.0)
    s = u * u * u * (10 + u * (6 * u - 15))
    return [a + s * (b - a) for a, b in zip(FROM, TO)]


def off(columns):
    """Distance from the planned point, in percent of the line's length."""
    return [100 * math.dist(point, planned(t)) / ARC for t, point in zip(columns["t"], tip(columns))]


def run_all(service):
    start = service.ask("inverse-kinematics",
                        {"pose": {"position": FROM}, "frame": "tip", "initial": LINE["initial"]})["solutions"][0]["q"]
    lifted = service.ask("inverse-kinematics", {"pose": {"position": [FROM[0], FROM[1], FROM[2] + 0.01]}, "frame": "tip",
                                                "initial": LINE["initial"]})["solutions"][0]["q"]
    plan = service.ask("trajectory", dict(LINE, interval_s=0.001))
    tau = service.ask("inverse-dynamics", {name: plan[name] for name in ("q", "qd", "qdd")})["tau"]
    open_loop = {"kind": "feedforward", "model": {}, "reference": LINE}
    closed = {"kind": "computed-torque", "model": {}, "reference": LINE, "kp": 400, "kd": 40, "sample_time_s": 0.001}
    table = {"kind": "torque", "t": plan["t"], "tau": tau, "interpolation": "linear"}
    heavy = {"link": "tip", "mass": 0.1, "com": [0, 0, 0]}
    cases = [("torque at every instant", "#1b7837", start, open_loop, None),
             ("torque between 1 ms samples", "#2166ac", start, table, None),
             ("start 1 cm higher", "#b2182b", lifted, open_loop, None),
             ("0.1 kg more at the tip", "#e08214", start, open_loop, heavy),
             ("1 cm higher, computed torque", "#b2182b", lifted, closed, None),
             ("0.1 kg more, computed torque", "#e08214", start, closed, heavy)]
    runs = []
    for name, colour, q, how, payload in cases:
        body = {"initial": {"q": q}, "duration_s": SECONDS, "output": {"interval_s": 0.01}, "input": how,
                "solver": {"rtol": 1e-12, "atol": 1e-12}, "include": ["base_reaction"]}
        if payload:
            body["payload"] = payload
        verdict, columns = service.simulate(body)
        runs.append({"name": name, "colour": colour, "closed": how is closed, "verdict": verdict, "columns": columns})
        print(f"{name:30} {verdict['outcome']}, growth {verdict['growth_rate_per_s']:7.2f} /s, at the end "
              f"{off(columns)[-1]:9.3g} % off, theta2 {math.degrees(columns['q_1'][-1]):8.2f} deg")
    return runs


class Panel:
    """Axes of one diagram, as SVG text."""

    def __init__(self, x, y, width, height, xs, ys, title, log=False):
        self.box, self.xs, self.log = (x, y, width, height), xs, log
        self.ys = [math.log10(v) for v in ys] if log else ys
        self.out = [f'<text x="{x}" y="{y - 12}" class="title">{title}</text>',
                    f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="frame"/>']

    def at(self, x, y):
        bx, by, w, h = self.box
        y = math.log10(max(y, 1e-300)) if self.log else y
        return (bx + w * (x - self.xs[0]) / (self.xs[1] - self.xs[0]),
                by + h * (1 - (y - self.ys[0]) / (self.ys[1] - self.ys[0])))

    def ticks(self, xs, ys, form="{:g}"):
        bx, by, w, h = self.box
        for v in xs:
            px, _ = self.at(v, 10 ** self.ys[0] if self.log else self.ys[0])
            self.out.append(f'<text x="{px:.1f}" y="{by + h + 16}" class="tick" text-anchor="middle">{v:g}</text>')
        for v in ys:
            _, py = self.at(self.xs[0], v)
            self.out.append(f'<line x1="{bx}" x2="{bx + w}" y1="{py:.1f}" y2="{py:.1f}" class="grid"/>')
            self.out.append(f'<text x="{bx - 6}" y="{py + 4:.1f}" class="tick" text-anchor="end">{form.format(v)}</text>')

    def curve(self, xs, ys, colour, dashed=False):
        low, high = self.ys
        points = []
        for x, y in zip(xs, ys):
            value = math.log10(max(y, 1e-300)) if self.log else y
            if low <= value <= high:
                points.append("{:.1f},{:.1f}".format(*self.at(x, y)))
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self.out.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')

    def say(self, x, y, text, colour="#333"):
        px, py = self.at(x, y)
        self.out.append(f'<text x="{px:.1f}" y="{py:.1f}" class="tick" fill="{colour}">{text}</text>')


def draw(runs):
    error = Panel(80, 60, 520, 330, (0, SECONDS), (1e-12, 1e4), "distance from the plan, % of the line", log=True)
    error.ticks((0, 0.5, 1, 1.5, 2), [10.0 ** k for k in range(-12, 5, 2)], "{:.0e}")
    angle = Panel(700, 60, 380, 140, (0, SECONDS), (-200, 200), "second joint, degrees")
    angle.ticks((), (-180, -90, 0, 90, 180))
    force = Panel(700, 250, 380, 140, (0, SECONDS), (9.9, 10.8), "force of the ground on the arm, N (as planned)")
    force.ticks((0, 0.5, 1, 1.5, 2), (10.0, 10.2, 10.4, 10.6), "{:.1f}")
    for run in runs:
        columns = run["columns"]
        error.curve(columns["t"], off(columns), run["colour"], run["closed"])
        angle.curve(columns["t"], [math.degrees(q) for q in columns["q_1"]], run["colour"], run["closed"])
    plan = runs[0]["columns"]
    force.curve(plan["t"], plan["base_reaction_2"], runs[0]["colour"])
    rate = runs[0]["verdict"]["growth_rate_per_s"]
    error.curve((0.15, 1.85), (1e-7, 1e-7 * math.exp(rate * 1.7)), "#999", True)
    error.say(1.0, 3e-5, f"predicted slope: {rate:.1f} /s", "#777")
    legend = []
    for k, run in enumerate(runs):
        x, y = 80 + 350 * (k % 3), 440 + 22 * (k // 3)
        dash = ' stroke-dasharray="6 4"' if run["closed"] else ""
        legend.append(f'<line x1="{x}" x2="{x + 28}" y1="{y}" y2="{y}" stroke="{run["colour"]}" stroke-width="2"{dash}/>'
                      f'<text x="{x + 36}" y="{y + 4}" class="tick">{run["name"]}</text>')
    style = ("text{font-family:sans-serif}.title{font-size:14px;fill:#222}.tick{font-size:12px}"
             ".frame{fill:none;stroke:#888}.grid{stroke:#e4e4e4}")
    body = "\n".join(error.out + angle.out + force.out + legend)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="1120" height="490" viewBox="0 0 1120 490">'
            f'<style>{style}</style><rect width="1120" height="490" fill="white"/>\n{body}\n</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8420")
    parser.add_argument("--out", default="homework.svg")
    options = parser.parse_args()
    runs = run_all(Service(options.url))
    with open(options.out, "w", encoding="utf-8") as f:
        f.write(draw(runs))
    print("wrote", options.out)


if __name__ == "__main__":
    main()
