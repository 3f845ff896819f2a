# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_pictures.py - ?format=svg of runs, results of jobs and datasets: parsed as XML and
# compared with the data.
"""The scale of a panel is read from its own labels: two labels of the ordinate and their positions convert
pixels to values."""
import bisect
import json
import math
import re
import xml.etree.ElementTree as ET

import pytest
from conftest import eventually

SVG = "{http://www.w3.org/2000/svg}"
RUN = {"initial": {"q": [0.1, -1.2, 0.8, 0.3, 0.5, 0.2]}, "duration_s": 1, "output": {"interval_s": 0.01}}


def picture(reply):
    status, headers, text = reply
    assert status == 200 and headers["Content-Type"] == "image/svg+xml", (status, text[:300])
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script" not in policy
    root = ET.fromstring(text)
    assert root.tag == SVG + "svg" and len(text) < 400_000
    assert not [e for e in root.iter() if e.tag.split("}")[1] in ("script", "image", "use", "foreignObject", "a")]
    assert not [a for e in root.iter() for a in e.attrib if a.startswith("on") or a.endswith("href")]
    assert b"prefers-color-scheme:dark" in text and b"url(" not in text
    return root


def words(element):
    return "".join(element.itertext())


def panels(root):
    """{title: (polylines of each legend entry in order, their names, value of a pixel)}"""
    found = {}
    for group in root.iter(SVG + "g"):
        texts = group.findall(SVG + "text")
        title = words(next(t for t in texts if t.get("class") == "p"))
        marks = [(float(t.get("y")) - 4, float(words(t))) for t in texts if t.get("text-anchor") == "end" and re.fullmatch(r"[-+.e\d]+", words(t))]
        names = [words(t) for t in texts if t.get("class") is None and t.get("text-anchor") is None]
        lines = {}
        for line in group.findall(SVG + "polyline"):
            points = [tuple(map(float, p.split(","))) for p in line.get("points").split()]
            lines.setdefault(line.get("class"), []).extend(points)
        (y0, v0), (y1, v1) = marks[0], marks[-1]
        found[title] = lines, names, lambda y, y0=y0, v0=v0, k=(v1 - v0) / (y1 - y0): v0 + (y - y0) * k, abs((v1 - v0) / (y1 - y0))
    return found


def times(root):
    """Time of an abscissa, and that of a pixel."""
    group = next(iter(root.iter(SVG + "g")))
    marks = [(float(t.get("x")), float(words(t))) for t in group.findall(SVG + "text") if t.get("text-anchor") == "middle"]
    (x0, t0), (x1, t1) = marks[0], marks[-1]
    return lambda x: t0 + (x - x0) * (t1 - t0) / (x1 - x0), abs((t1 - t0) / (x1 - x0))


def lies_on_its_data(root, title, t, columns):
    """Every drawn point is a row, in the order of time."""
    lines, _, value, pixel = panels(root)[title]
    when, pixel_t = times(root)
    for k, column in enumerate(columns):
        points = [(when(x), value(y)) for x, y in lines[f"c{k}"]]
        assert all(a[0] <= b[0] for a, b in zip(points, points[1:]))
        for x, y in points:
            near = column[bisect.bisect_left(t, x - 0.1 * pixel_t):bisect.bisect_right(t, x + 0.1 * pixel_t)]  # ticks are at tenths of pixels
            assert near and min(abs(v - y) for v in near) <= 0.2 * pixel, (title, k, x, y, near)
    return sum(len(line) for line in lines.values())


def same_extremes(panel, columns):
    lines, _, value, pixel = panel
    assert len(lines) == len(columns)
    for k, column in enumerate(columns):
        ys = [value(y) for _, y in lines[f"c{k}"]]
        assert min(ys) == pytest.approx(min(column), abs=0.2 * pixel), k
        assert max(ys) == pytest.approx(max(column), abs=0.2 * pixel), k


def post(daemon, path, body, **headers):
    return daemon.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def test_a_run_is_a_picture_of_its_data(daemon):
    run = json.loads(post(daemon, "/v1/robots/ur10e/simulate", RUN)[2])
    columns = {name: list(zip(*run[name])) for name in ("q", "qd", "tau")}
    for reply in (post(daemon, "/v1/robots/ur10e/simulate?format=svg", RUN), post(daemon, "/v1/robots/ur10e/simulate", RUN, Accept="image/svg+xml")):
        root = picture(reply)
        assert words(root.find(SVG + "title")) == "simulate: ur10e"
        of = panels(root)
        assert list(of) == ["q [rad or m]", "qd [rad/s or m/s]", "tau [N m or N]"]
        for title, panel in of.items():
            assert panel[1] == run["joints"]
            if title[:3] != "tau":  # tau is zero: a line in the middle
                same_extremes(panel, columns[title.split(" ")[0]])
        assert "t [s]" in [words(t) for t in root.iter(SVG + "text")]
    job = json.loads(daemon.request("GET", "/v1/jobs?kind=simulate&limit=1")[2])["jobs"][0]["id"]
    for query in ("format=svg&fields=qd", "format=svg&fields=qd&points=13", "format=svg&fields=qd&points=1000"):
        of = panels(picture(daemon.request("GET", f"/v1/jobs/{job}/result?{query}")))
        assert list(of) == ["qd [rad/s or m/s]"]
        same_extremes(of["qd [rad/s or m/s]"], columns["qd"])
    one = panels(picture(daemon.request("GET", f"/v1/jobs/{job}/result/q?format=svg")))
    same_extremes(one["q [rad or m]"], columns["q"])
    part = panels(picture(daemon.request("GET", f"/v1/jobs/{job}/result?format=svg&fields=q&rows=20,40")))
    same_extremes(part["q [rad or m]"], [column[20:40] for column in columns["q"]])


def test_points_are_where_their_rows_are(daemon):
    run = json.loads(post(daemon, "/v1/robots/ur10e/simulate", RUN | {"output": {"interval_s": 0.001}})[2])
    root = picture(post(daemon, "/v1/robots/ur10e/simulate?format=svg", RUN | {"output": {"interval_s": 0.001}}))
    for name, unit in (("q", "rad or m"), ("qd", "rad/s or m/s")):
        assert 6 * 200 < lies_on_its_data(root, f"{name} [{unit}]", run["t"], list(zip(*run[name]))) <= 6 * 400
    # fewer rows than points: each is one
    few = picture(post(daemon, "/v1/robots/ur10e/simulate?format=svg", RUN))
    run = json.loads(post(daemon, "/v1/robots/ur10e/simulate", RUN)[2])
    assert lies_on_its_data(few, "qd [rad/s or m/s]", run["t"], list(zip(*run["qd"]))) == 6 * len(run["t"])
    # a recording, from rows and (from 65,536 rows on) from blocks in memory
    for n, step in ((5000, 0.01), (70000, 0.001)):
        rows = [(step * k, math.sin(20 * math.pi * k / n), math.cos(14 * math.pi * k / n)) for k in range(n)]
        text = "t,a_1,a_2\n" + "".join(f"{','.join(map(repr, row))}\n" for row in rows)
        assert daemon.request("PUT", "/v1/datasets/waves", text.encode(), {"Content-Type": "text/csv"})[0] in (200, 201)
        t, *columns = zip(*rows)
        for _ in range(2):
            lies_on_its_data(picture(daemon.request("GET", "/v1/datasets/waves?format=svg")), "a", t, columns)
    assert daemon.request("DELETE", "/v1/datasets/waves")[0] == 204
    body = json.loads(daemon.request("GET", "/v1/datasets/sample-panda-1?points=10")[2])
    assert set(body["series"][0]) == {"name", "min", "max"}


def test_a_trajectory_and_a_comparison_are_pictures(daemon):
    body = {"waypoints": [[0.1, -1.2, 0.8, 0.3, 0.5, 0.2], [0.5, -1, 0.6, 0, 0.4, 0]], "duration_s": 1}
    plan = json.loads(post(daemon, "/v1/robots/ur10e/trajectory", body)[2])
    root = picture(post(daemon, "/v1/robots/ur10e/trajectory?format=svg", body))
    assert list(panels(root)) == ["q [rad or m]", "qd [rad/s or m/s]", "qdd [rad/s² or m/s²]"]
    assert panels(root)["q [rad or m]"][1] == plan["joints"]
    assert lies_on_its_data(root, "qd [rad/s or m/s]", plan["t"], list(zip(*plan["qd"]))) == 6 * 101
    for k, phase in enumerate((0.0, 0.3)):
        text = "t,a_1,a_2,b\n" + "".join(f"{0.01 * i!r},{math.sin(0.1 * i + phase)!r},{i * phase!r},1\n" for i in range(100))
        assert daemon.request("PUT", f"/v1/datasets/side-{k}", text.encode(), {"Content-Type": "text/csv"})[0] == 201
    pair = {"a": "side-0", "b": "side-1"}
    series = json.loads(post(daemon, "/v1/compare", pair | {"include": ["series"]})[2])["series"]
    root = picture(post(daemon, "/v1/compare?format=svg", pair))
    assert list(panels(root)) == ["a", "b"] and panels(root)["a"][1] == ["a_1", "a_2"]
    assert lies_on_its_data(root, "a", series["t"], [series["a_1"], series["a_2"]]) == 200
    for k in range(2):
        assert daemon.request("DELETE", f"/v1/datasets/side-{k}")[0] == 204


def test_samples_are_a_picture_over_their_number(daemon):
    q = [[0.3 * math.sin(0.05 * i + k) for k in range(7)] for i in range(120)]
    names = json.loads(post(daemon, "/v1/robots/panda/trajectory", {"waypoints": q[:2], "duration_s": 1})[2])["joints"]
    for operation, given, made in (("inverse-dynamics", "qdd", "tau"), ("forward-dynamics", "tau", "qdd")):
        for order in (names, names[::-1]):
            body = {"q": q, "qd": q, given: q, "joints": order}
            rows = json.loads(post(daemon, f"/v1/robots/panda/{operation}", body)[2])[made]
            of = panels(picture(post(daemon, f"/v1/robots/panda/{operation}?format=svg", body)))
            title = next(iter(of))
            assert len(of) == 1 and title.startswith(f"{made} [") and of[title][1] == order
            same_extremes(of[title], list(zip(*rows)))
    root = picture(post(daemon, "/v1/robots/panda/inverse-dynamics?format=svg", {"from": {"dataset": "sample-panda-1"}}))
    assert list(panels(root))[0].startswith("tau [") and max(times(root)[0](x) for x in (76, 600)) > 1
    floating = {"q": [[0, 0, 0.5 + 0.01 * i, 0, 0, 0, 1] + [0.0] * 12 for i in range(9)]}
    assert len(panels(picture(post(daemon, "/v1/robots/quadruped/inverse-dynamics?format=svg", floating)))) == 1
    for one in ({"q": q[0]}, {"q": q[:1]}):
        status, _, text = post(daemon, "/v1/robots/panda/inverse-dynamics?format=svg", one)
        assert status == 406 and "send several" in json.loads(text)["detail"], text


def test_what_has_no_time_is_no_picture(daemon):
    for path, body in (("panda/calibrate", {"datasets": ["sample-panda-1"]}), ("ur10e/kinematics", {"q": RUN["initial"]["q"]}),
                       ("ur10e/excitation", {"tries": 5})):
        status, _, text = post(daemon, f"/v1/robots/{path}?format=svg", body)
        assert status == 406, text
        assert all(name in json.loads(text)["detail"] for name in ("simulate", "trajectory", "compare", path.split("/")[1]))
    job = json.loads(post(daemon, "/v1/robots/ur10e/excitation", {"tries": 5}, Prefer="respond-async")[2])["id"]
    eventually(lambda: json.loads(daemon.request("GET", f"/v1/jobs/{job}")[2])["state"] == "succeeded")
    status, _, text = daemon.request("GET", f"/v1/jobs/{job}/result?format=svg")
    assert status == 406 and 'no array "t"' in json.loads(text)["detail"], text


def test_a_dataset_is_a_picture_of_its_columns(daemon):
    rows = [(0.01 * k, math.sin(0.1 * k), 3 + 2 * math.cos(0.1 * k), -k) for k in range(5000)]
    text = "t,angle_1,angle_2,<b>&\"'\n" + "".join(f"{','.join(map(repr, row))}\n" for row in rows)
    assert daemon.request("PUT", "/v1/datasets/a-picture", text.encode(), {"Content-Type": "text/csv"})[0] == 201
    columns = list(zip(*rows))
    for reply in (daemon.request("GET", "/v1/datasets/a-picture?format=svg"), daemon.request("GET", "/v1/datasets/a-picture?format=svg&points=40"),
                  daemon.request("GET", "/v1/datasets/a-picture", None, {"Accept": "image/svg+xml"})):
        root = picture(reply)
        of = panels(root)
        assert list(of) == ["angle", "<b>&\"'"] and of["angle"][1] == ["angle_1", "angle_2"]
        same_extremes(of["angle"], columns[1:3])
        same_extremes(of["<b>&\"'"], columns[3:])
        assert words(root.find(SVG + "title")) == "a-picture"
    assert daemon.request("DELETE", "/v1/datasets/a-picture")[0] == 204


@pytest.mark.parametrize("name", ["</text><script>alert(1)</script>", "a\u0001b", "]]>", "&#x41;", "é" * 40, "x" * 90, "\"onload=\"x", "%s%n%1$s"])
def test_hostile_names_are_text(daemon, name):
    log = json.dumps({"t": [0, 1, 2], name: [1, 2, 3]})
    status, _, text = daemon.request("PUT", "/v1/datasets/hostile", log.encode(), {"Content-Type": "application/json"})
    if status == 422:
        assert json.loads(text)["detail"]
        return
    root = picture(daemon.request("GET", "/v1/datasets/hostile?format=svg"))
    shown = [words(t) for t in root.iter(SVG + "text")]
    assert any(t and t == re.sub(r"[\x00-\x1f\x7f]", "?", name)[:len(t)] for t in shown if len(t) > 1), shown
    assert daemon.request("DELETE", "/v1/datasets/hostile")[0] == 204


def test_gaps_many_columns_and_nothing(daemon):
    header = ["t"] + [f"m{k}_{j}" for k in range(11) for j in range(20)]
    lines = [",".join(header)] + [",".join([str(0.1 * i)] + ["" if i == 5 else str(i + k) for k in range(220)]) for i in range(10)]
    assert daemon.request("PUT", "/v1/datasets/wide", "\n".join(lines).encode() + b"\n", {"Content-Type": "text/csv"})[0] == 201
    root = picture(daemon.request("GET", "/v1/datasets/wide?format=svg"))
    shown = [words(t) for t in root.iter(SVG + "text")]
    assert len(list(root.iter(SVG + "g"))) == 8 and shown.count("and 4 more") == 8 and any(t.startswith("and 60 more") for t in shown)
    assert len(list(root.iter(SVG + "polyline"))) == 8 * 16 * 2  # a row without values is a gap
    assert daemon.request("DELETE", "/v1/datasets/wide")[0] == 204


def test_refusals(daemon):
    for path, said in (("/v1/datasets/pendulum-log?format=png", "format=svg"), ("/v1/datasets/pendulum-log?format=svg&points=1001", "1000")):
        sample = json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"][0]["name"]
        status, _, text = daemon.request("GET", path.replace("pendulum-log", sample))
        assert status in (400, 422) and said in json.loads(text)["detail"], text
    status, _, text = post(daemon, "/v1/robots/ur10e/inverse-dynamics?format=svg", {"q": RUN["initial"]["q"]})
    assert status == 406, text
