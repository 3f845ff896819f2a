# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_calibration.py - the dashboard's calibrations, from logs to a robot with what was found; its datasets and service.
import gzip
import io
import json
import math
import pathlib
import random
import zipfile

import pytest
from dashboard import drop, faults_of, fits, open_at, press, wait_for

PICK = """const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event('change', { bubbles: true }));"""


def pendulum_log(daemon, phase):
    """A log of the built-in pendulum in degrees and milliseconds: torque by its own model with viscous friction of 0.3 N m s/rad and noise."""
    rng = random.Random(phase)
    rows = []
    for k in range(1500):
        t = 0.01 * k
        parts = [(2 * math.pi * f, a, p + phase) for f, a, p in ((0.2, 0.8, 0), (0.5, 0.4, 1), (0.9, 0.2, 2))]
        rows.append([t] + [sum(a * g(w * t + p) * w ** n for w, a, p in parts) for n, g in ((0, math.sin), (1, math.cos), (2, lambda x: -math.sin(x)))])
    body = {name: [[row[n]] for row in rows] for n, name in enumerate(("t", "q", "qd", "qdd")) if n}
    tau = json.loads(daemon.request("POST", "/v1/robots/pendulum/inverse-dynamics", json.dumps(body).encode())[2])["tau"]
    lines = ["clock,angle,effort"] + [f"{1000 * row[0]:.3f},{math.degrees(row[1]):.7f},{one[0] + 0.3 * row[2] + rng.gauss(0, 0.01):.6f}" for row, one in zip(rows, tau)]
    return "\n".join(lines) + "\n"


def test_logs_become_a_verdict_and_a_robot(daemon, page):
    page.shape(1500, "light")
    open_at(page, daemon, "robots/pendulum/calibrate", ".drop")
    for phase in (0, 1):
        drop(page, ".drop", f"swing {phase}.csv", pendulum_log(daemon, phase))
        wait_for(page, f"document.querySelectorAll('.checks input:checked').length === {phase + 1}")
    # no column has a usual name, no unit is SI: the mapping is asked for
    wait_for(page, "document.querySelector('.mapper')")
    for name, column in (("column of time", "0"), ("q of", "1"), ("tau of", "2")):
        page.run(PICK, f"select[aria-label^='{name}']", column)
        wait_for(page, f"document.querySelector(\"select[aria-label^='{name}']\").value === '{column}'")
    page.run("[...document.querySelectorAll('select')].filter((one) => [...one.options].some((o) => o.value === 'deg'))[0].id = 'angle'; "
                        "[...document.querySelectorAll('select')].filter((one) => [...one.options].some((o) => o.value === 'us'))[0].id = 'clock'")
    page.run(PICK, "#angle", "deg")
    page.run(PICK, "#clock", "ms")
    assert not faults_of(page)
    press(page, "Calibrate with 2 logs")
    verdict = wait_for(page, "document.querySelector('.banner')?.textContent")
    assert "2 logs" in verdict
    friction = wait_for(page, "[...document.querySelectorAll('.parameters tbody tr')].filter((row) => row.querySelector('th').textContent.startsWith('fv_')).map((row) => row.querySelector('td').textContent)[0]")
    assert abs(float(friction) - 0.3) < 0.02, friction
    # measured against predicted, one plot for the joint; an interval for each parameter, readable as numbers
    assert page.run("return document.querySelectorAll('[aria-label=\"Measured against predicted\"] canvas').length") == 1
    assert page.run("return [...document.querySelectorAll('.parameters tbody tr')].every((row) => row.querySelectorAll('td')[1].textContent && row.querySelectorAll('td')[2].textContent)")
    # its URDF as lines that differ: the damping that was found is new
    press(page, "Its URDF, before and after")
    text = wait_for(page, "document.querySelector('[aria-label=\"URDF before and after\"]')?.textContent")
    assert any(line.startswith("+ ") and "damping" in line for line in text.splitlines()), text
    # all files as one archive, which another program reads
    with page.tab.expect_download() as asked:
        press(page, "Download all")
    with zipfile.ZipFile(asked.value.path()) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["parameters.csv", "parameters.h", "prediction.csv", "report.html", "request.json", "result.json", "robot.urdf"]
        assert json.loads(archive.read("result.json"))["samples"] > 0 and b"<robot" in archive.read("robot.urdf")
    press(page, "Store")
    wait_for(page, "document.querySelector('[href=\"#/robots/pendulum-calibrated\"]')")
    stored = json.loads(daemon.request("GET", "/v1/robots/pendulum-calibrated")[2])
    assert abs(stored["joints"][-1]["damping"] - 0.3) < 0.02 or any(abs(one.get("damping", 0) - 0.3) < 0.02 for one in stored["joints"])
    assert not faults_of(page)
    page.shape(360, "dark")
    assert fits(page, 360)


def test_units_that_cannot_be_meant_are_refused_at_their_place(daemon, page):
    daemon.request("PUT", "/v1/datasets/degrees", pendulum_log(daemon, 0).replace("clock,angle,effort", "t,q,tau").encode(), {"Content-Type": "text/csv"})
    open_at(page, daemon, "robots/pendulum/calibrate", ".checks input")
    page.run("[...document.querySelectorAll('.checks label')].find((one) => one.textContent.startsWith('degrees')).querySelector('input').click()")
    wait_for(page, "document.querySelector('.mapper')")
    press(page, "Calibrate with 1 log")
    # milliseconds taken for seconds: refused at once, or by the job that reads the log; either way with its reason
    said = wait_for(page, "document.querySelector('.fault')?.textContent")
    assert "ms" in said or "millisecond" in said or "deg" in said, said


def test_a_long_dataset_with_hostile_names_is_drawn(daemon, page):
    """300,000 rows as points that the daemon picks; names of columns are markup."""
    evil = "<img src=x onerror=window.hacked=1>"
    text = f"t,{evil},b\n" + "".join(f"{k / 1000},{k % 977},{-k}\n" for k in range(300_000))
    assert daemon.request("PUT", "/v1/datasets/long", text.encode(), {"Content-Type": "text/csv"})[0] == 201
    open_at(page, daemon, "datasets", ".jobs")
    press(page, "long")
    wait_for(page, "document.querySelector('.plot canvas')")
    assert "300,000 rows" in wait_for(page, "document.querySelector('.plot + .row p')?.textContent")
    assert evil in page.run("return document.querySelector('.legend').textContent")
    assert page.run("return window.hacked === undefined && !document.querySelector('main img')")
    # rows of a point are whole blocks of 32. Closer: the daemon's points of half of the rows, of these around the cursor; by the keyboard as by the mouse
    assert "each 160 are drawn" in page.run("return document.querySelector('.plot + .row p').textContent")
    press(page, "Closer")
    wait_for(page, "document.querySelector('.plot + .row p').textContent.includes('of these 0 to 149,999, the least and the greatest value of each 96 are drawn')")
    press(page, "\u2192")
    wait_for(page, "document.querySelector('.plot + .row p').textContent.includes('of these 74,944 to 224,943')")
    for _ in range(10):
        press(page, "Closer")
    wait_for(page, "/of these [\\d,]+ to [\\d,]+; over time/.test(document.querySelector('.plot + .row p').textContent)")
    press(page, "All", "document.querySelector('.plot-tools')")
    wait_for(page, "document.querySelector('.plot + .row p').textContent.includes('each 160 are drawn')")
    page.run("[...document.querySelectorAll('tbody input')].at(-1).click()")
    wait_for(page, "document.querySelectorAll('.legend li').length === 1 && location.hash.endsWith('columns=1')")
    page.shape(360, "light")
    assert fits(page, 360) and not faults_of(page)
    open_at(page, daemon, "service", ".counters")
    wait_for(page, "document.querySelector('[role=status].good')?.textContent.includes('ready') && document.querySelectorAll('.counters tbody tr').length > 5")
    assert fits(page, 360) and not faults_of(page)


def test_the_load_of_the_service_is_said_and_drawn(daemon, page):
    open_at(page, daemon, "service", "[aria-label=Load] li")
    said = "document.querySelector('[aria-label=Load]').textContent"
    runners = float(next(line.split()[-1] for line in daemon.request("GET", "/metrics")[2].decode().splitlines() if line.startswith("torqued_node_runners{")))
    wait_for(page, f"{said}.includes('No job runs of {runners:.0f} that can at once.') && {said}.includes('No request waits')")
    long = {"initial": {"q": [0, -1, 1, 0, 0, 0]}, "duration_s": 90000, "output": {"interval_s": 1}, "solver": {"method": "rk4", "step_s": 0.0001}}
    ids = [json.loads(daemon.request("POST", "/v1/robots/ur5e/simulate", json.dumps(long).encode(), {"Prefer": "respond-async", "Content-Type": "application/json"})[2])["id"] for _ in range(int(runners) + 1)]
    try:
        wait_for(page, f"/{runners:.0f} jobs? runs? of {runners:.0f} that can at once, 1 waits/.test({said})")
        # over the seconds since the page was opened: what the process took, by the busy ones
        wait_for(page, "/processor from .* to ([\\d.]+)/.exec(document.querySelector('[aria-label=Load] .plot-box')?.getAttribute('aria-label'))?.[1] > 5")
        assert page.run("return [...document.querySelectorAll('[aria-label=Load] .plot figcaption b')].map((one) => one.textContent)") == ["Processor", "Requests"]
        assert fits(page, 1280) and not faults_of(page)
    finally:
        for one in ids:
            daemon.request("POST", f"/v1/jobs/{one}/cancel")
    # a route of the counters has its braces
    assert "/v1/robots/{}/simulate" in wait_for(page, "document.querySelector('.counters').textContent.includes('/simulate') && document.querySelector('.counters').textContent")


def test_what_is_built_in_has_no_button_that_removes_it(daemon, page):
    assert daemon.request("PUT", "/v1/datasets/own", b"t,q\n0,1\n1,2\n", {"Content-Type": "text/csv"})[0] == 201
    open_at(page, daemon, "datasets", ".jobs")
    rows = dict(page.run("return [...document.querySelectorAll('.jobs tbody tr')].map((row) => [row.cells[0].textContent, row.cells[5].textContent])"))
    assert rows["own"] == "Remove" and rows["sample-panda-1"] == rows["sample-panda-2"] == "built in", rows


def test_archives_and_packed_logs_are_chosen_and_drawn(daemon, page):
    """An NPZ, and a CSV in gzip, by the button and the system's dialog, which offers them."""
    numpy = pytest.importorskip("numpy", reason="no numpy (make deps-check)")
    t, buffer = numpy.arange(300) / 100, io.BytesIO()
    numpy.savez_compressed(buffer, t=t, q=numpy.stack([numpy.sin(t), numpy.cos(t)], 1))
    packed = gzip.compress(b"t,angle\n" + b"".join(b"%g,%g\n" % (one, one * one) for one in t))
    open_at(page, daemon, "datasets", ".drop")
    assert {".npz", ".gz"} <= set(page.run("return document.querySelector('.drop input').accept").split(","))
    with page.tab.expect_file_chooser() as chooser:
        page.tab.locator(".drop button").click()
    chooser.value.set_files([{"name": "arm run.npz", "mimeType": "", "buffer": buffer.getvalue()}, {"name": "packed.csv.gz", "mimeType": "application/gzip", "buffer": packed}])
    wait_for(page, "['arm-run', 'packed'].every((name) => [...document.querySelectorAll('.jobs a')].some((one) => one.textContent === name))")
    for name, legend in (("arm-run", "q[0]"), ("packed", "angle")):
        open_at(page, daemon, "datasets", ".jobs a")
        press(page, name)
        assert legend in wait_for(page, "document.querySelector('.plot canvas') && document.querySelector('.legend')?.textContent")
        assert "300 rows; over time" in wait_for(page, "document.querySelector('.plot + .row p')?.textContent")


def test_faults_of_a_log_are_marked_before_it_is_used(daemon, page):
    lines = pendulum_log(daemon, 0).replace("clock,angle,effort", "t,q,tau").splitlines()
    rows = [[float(one) for one in line.split(",")] for line in lines[1:]]
    rows[400][1] = 5000  # one spike
    text = lines[0] + "\n" + "\n".join(f"{t / 1000},{math.radians(q)},{tau}" for t, q, tau in rows)
    assert daemon.request("PUT", "/v1/datasets/spiky", text.encode(), {"Content-Type": "text/csv"})[0] == 201
    open_at(page, daemon, "robots/pendulum/calibrate", ".checks input")
    page.run("[...document.querySelectorAll('.checks label')].find((one) => one.textContent.startsWith('spiky')).querySelector('input').click()")
    said = wait_for(page, "document.querySelector('.findings')?.textContent")
    assert "outliers" in said and "row 400" in said and "Its motion lies below" in said
    # the row is marked on the curve, at its time
    assert page.run("return document.querySelector('.plot-box').dataset.marks") == "4 spike"
    assert not faults_of(page)


def test_a_motion_is_designed_seen_and_recorded(daemon, page):
    open_at(page, daemon, "robots/pendulum/calibrate", ".drop")
    press(page, "Design a motion to record")
    wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"] input')")
    press(page, "Design the motion")
    said = wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"] .verdicts')?.textContent")
    assert "Condition" in said and "first random motion" in said
    wait_for(page, "document.querySelectorAll('[aria-label=\"Motion to record\"] .plot canvas').length === 2")
    press(page, "Simulate it as a log")
    wait_for(page, "document.querySelectorAll('.checks input:checked').length === 1")
    assert wait_for(page, "[...document.querySelectorAll('button.first')].some((one) => one.textContent.trim() === 'Calibrate with 1 log')")
    assert "design=1" in page.run("return location.hash")
    assert fits(page, 1280) and not faults_of(page)


def test_what_a_log_leaves_open_is_named_with_the_motion_that_shows_it(daemon, page):
    """The second joint stands in the log: its friction and rotor have no torque there. The way from it leads to a motion in which this joint moves, as the
    answer of `excitation` to the same request says."""
    rng = random.Random(5)
    first, still = (one["name"] for one in json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])["joints"] if one["v"]["count"])
    w, rows = [2 * math.pi * f for f in (0.2, 0.5, 0.9)], [0.01 * k for k in range(2000)]
    body = {"q": [[sum(0.4 * math.sin(f * t + f) for f in w), 0.5] for t in rows], "qd": [[sum(0.4 * f * math.cos(f * t + f) for f in w), 0] for t in rows],
            "qdd": [[-sum(0.4 * f * f * math.sin(f * t + f) for f in w), 0] for t in rows]}
    tau = json.loads(daemon.request("POST", "/v1/robots/planar-2r/inverse-dynamics", json.dumps(body).encode())[2])["tau"]
    lines = ["t,q_0,q_1,tau_0,tau_1"] + [f"{t},{q[0]},{q[1]},{one[0] + 0.3 * v[0] + rng.gauss(0, 0.01)},{one[1] + rng.gauss(0, 0.01)}" for t, q, v, one in zip(rows, body["q"], body["qd"], tau)]
    assert daemon.request("PUT", "/v1/datasets/still", "\n".join(lines).encode(), {"Content-Type": "text/csv"})[0] == 201
    status, headers, answer = daemon.request("POST", "/v1/robots/planar-2r/calibrate", json.dumps({"datasets": ["still"], "columns": {"time": "t", "q": "q", "tau": "tau"}}).encode(), {"Content-Type": "application/json", "Prefer": "wait=60"})
    assert status == 200, answer
    found = json.loads(answer)
    open_names = {one["name"] for one in found["parameters"] if one["verdict"] == "unidentifiable"}
    assert {"fv_2", "fc_2"} <= open_names, open_names
    job = {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]
    open_at(page, daemon, f"jobs/{job}", "[aria-label='Not identified'] tbody tr")
    said = page.run("return [...document.querySelectorAll(\"[aria-label='Not identified'] tbody tr\")].map((row) => [...row.cells].map((one) => one.textContent))")
    own = [row for row in said if row[0] == still and "viscous friction" in row[1]]
    assert own and "fv_2" in own[0][1] and "slow and at fast speeds" in own[0][2] and "turn back often" in own[0][2], said
    assert not [row for row in said if row[0] == first and "viscous" in row[1]], said  # this one has moved
    assert all(any(name in row[1] for row in said) for name in open_names), (open_names, said)
    assert fits(page, 1280) and not faults_of(page)
    press(page, "Design a motion that shows it")
    assert still in wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"]')?.textContent.includes('left open') && document.querySelector('[aria-label=\"Motion to record\"]').textContent")
    with page.tab.expect_request(lambda request: request.url.endswith("/excitation")) as asked:
        press(page, "Design the motion")
    assert {"viscous", "coulomb"} <= set(asked.value.post_data_json["parameters"])
    said = wait_for(page, "document.querySelector('[aria-label=\"Motion to record\"] .verdicts')?.textContent")
    assert f"{still} moves over" in said, said
    assert not faults_of(page)


def test_consistency_of_the_logs_is_in_bands_that_need_no_colour(daemon, page):
    """Of each parameter what the daemon says, a mark between two bounds, and the word of its verdict."""
    status, headers, answer = daemon.request("POST", "/v1/robots/panda/calibrate", json.dumps({"datasets": ["sample-panda-1", "sample-panda-2"]}).encode(), {"Content-Type": "application/json", "Prefer": "wait=60"})
    assert status == 200, answer
    found = json.loads(answer)["parameters"]
    job = {name.lower(): value for name, value in headers.items()}["content-location"].split("/")[3]
    open_at(page, daemon, f"jobs/{job}", ".parameters tbody tr")
    rows = page.run("""return [...document.querySelectorAll('[aria-label="Table of parameters"] tbody tr')].map((row) => [row.querySelector('th').firstChild.textContent, row.cells[7].textContent, row.querySelector('.bands .value')?.getAttribute('d'), row.cells[9].textContent])""")
    assert [row[0] for row in rows] == [one["name"] for one in found]
    words = {"usable": "\u2713 usable", "robust-control-only": "\u25d0 robust only", "incomplete": "\u25cc open", "unidentifiable": "\u2715 unidentifiable"}
    measured = 0
    for (name, text, mark, word), one in zip(rows, found):
        assert word == words[one["verdict"]]
        part = one.get("consistency_measure")
        if part is None:
            part = one.get("relative_deviation")
        if part is None:
            assert text == "" and mark is None, name
            continue
        measured += 1
        assert abs(float(text.replace(" %", "").replace("\u2212", "-")) - 100 * part) <= 0.006 * 100 * part + 1e-3, (name, text, part)
        # the end of the mark lies in the band of the verdict: bounds at 0.3 and 0.8
        end = float(mark.split("H")[1].split("M")[0])
        assert (end < 4 + 76 * 0.3) == (part < 0.3) and (end < 4 + 76 * 0.8) == (part < 0.8), (name, mark, part)
    assert measured > 5
    page.run("document.querySelector('[aria-label=Parameters]').scrollIntoView()")
    assert "below 30 %" in page.run("return document.querySelector('[aria-label=Parameters]').textContent")


def test_a_log_with_the_name_of_another_replaces_nothing(daemon, page):
    open_at(page, daemon, "datasets", ".drop")
    names = "[...document.querySelectorAll('.jobs a')].map((one) => one.textContent).filter((one) => one.startsWith('twice'))"
    drop(page, ".drop", "twice.csv", "t,q\n0,1\n1,2\n")
    wait_for(page, f"{names}.length === 1")
    drop(page, ".drop", "twice.csv", "t,q\n0,1\n1,3\n")
    wait_for(page, f"{names}.join() === 'twice,twice-2' || {names}.join() === 'twice-2,twice'")
    # either of them once more is that log
    for text, name in (("t,q\n0,1\n1,2\n", "twice"), ("t,q\n0,1\n1,3\n", "twice-2")):
        drop(page, ".drop", "twice.csv", text)
        wait_for(page, f"document.querySelector('.note')?.textContent.startsWith('{name} is stored')")
        assert sorted(one["name"] for one in json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"] if one["name"].startswith("twice")) == ["twice", "twice-2"]
    assert daemon.request("GET", "/v1/datasets/twice/content")[2] == b"t,q\n0,1\n1,2\n"


def test_a_link_has_the_logs_their_columns_and_units(daemon, page):
    open_at(page, daemon, "robots/pendulum/calibrate", ".drop")
    drop(page, ".drop", "linked.csv", pendulum_log(daemon, 0))
    wait_for(page, "document.querySelector('.mapper') && document.querySelectorAll('.checks input:checked').length === 1")
    chosen = (("column of time", "0"), ("q of", "1"), ("tau of", "2"))
    for name, column in chosen:
        page.run(PICK, f"select[aria-label^='{name}']", column)
        wait_for(page, f"document.querySelector(\"select[aria-label^='{name}']\").value === '{column}'")
    unit = "[...document.querySelectorAll('select')].find((one) => [...one.options].some((o) => o.value === '%s'))"
    for known, value in (("deg", "deg"), ("us", "ms")):
        page.run(f"const box = {unit % known}; box.value = '{value}'; box.dispatchEvent(new Event('change', {{ bubbles: true }}))")
        wait_for(page, f"{unit % known}.value === '{value}'")
    wait_for(page, "location.hash.includes('logs=linked') && location.hash.includes('deg') && location.hash.includes('ms')")
    link = page.run("return location.hash")
    page.goto("about:blank")
    page.goto(f"{daemon.url}/{link}")
    wait_for(page, "document.querySelector('.mapper') && document.querySelectorAll('.checks input:checked').length === 1")
    for name, column in chosen:
        wait_for(page, f"document.querySelector(\"select[aria-label^='{name}']\").value === '{column}'")
    assert page.run(f"return [{unit % 'deg'}.value, {unit % 'us'}.value]") == ["deg", "ms"]
    press(page, "Calibrate with 1 log")
    assert wait_for(page, "document.querySelector('.banner h2')?.textContent")


# measured logs that are no part of the repository: beside it, or beside the folder of its work trees
NEAR = [p / "shared" / "data" / "ur10e" for p in pathlib.Path(__file__).resolve().parents[4:6]]
UR10E = next((p for p in NEAR if p.is_dir()), NEAR[0])


@pytest.mark.seconds(200)
@pytest.mark.skipif(not UR10E.is_dir(), reason="no UR10E logs beside the repository")
def test_measured_currents_of_a_real_arm_become_a_verdict(daemon, page):
    """Columns by their place, torque as motor current with a gain for each joint."""
    gains = [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]
    assert daemon.request("PUT", "/v1/robots/lab", (UR10E / "ur10e.urdf").read_bytes(), {"Content-Type": "application/xml"})[0] == 201
    open_at(page, daemon, "robots/lab/calibrate", ".drop")
    for file in sorted((UR10E / "excitation").glob("*.csv"))[:2]:
        drop(page, ".drop", file.name, file.read_text())
        wait_for(page, f"[...document.querySelectorAll('.checks label')].some((one) => one.textContent.startsWith({json.dumps(file.stem)}) && one.querySelector('input').checked)")
    wait_for(page, "document.querySelector('.mapper')")
    page.run(PICK, "select[aria-label='column of time']", "0")
    wait_for(page, "document.querySelectorAll('[aria-label=\"Columns and units\"] .unit').length === 0")
    page.run("[...document.querySelectorAll('select')].find((one) => [...one.options].some((o) => o.value === 'mA')).id = 'effort'")
    page.run(PICK, "#effort", "A")
    wait_for(page, "document.querySelectorAll('[aria-label=\"Columns and units\"] .unit').length === 6")
    page.run("""[...document.querySelectorAll('[aria-label="Columns and units"] input[type=number]')].forEach((box, k) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, String(arguments[0][k])); box.dispatchEvent(new Event('input', { bubbles: true })); });""", gains)
    rows = page.run("return [...document.querySelectorAll('.mapper tbody tr')].map((row) => [...row.querySelectorAll('select')].map((one) => one.getAttribute('aria-label')))")
    for k, (q, qd, tau) in enumerate(rows):
        for label, column in ((q, 1 + k), (qd, 7 + k), (tau, 13 + k)):
            page.run(PICK, f"select[aria-label='{label}']", str(column))
            wait_for(page, f"document.querySelector(\"select[aria-label='{label}']\").value === '{column}'")
    press(page, "Calibrate with 2 logs")
    said = wait_for(page, "document.querySelector('.banner')?.textContent")
    assert "2 logs" in said
    job = json.loads(daemon.request("GET", "/v1/jobs?kind=calibrate&limit=1")[2])["jobs"][0]["id"]
    sent = json.loads(daemon.request("GET", f"/v1/jobs/{job}/request")[2])
    assert sent["scale"] == {"tau": gains} and sent["units"]["tau"] == "A" and sent["columns"]["tau"] == [13, 14, 15, 16, 17, 18]
    # six joints drawn, each as good as the daemon says
    assert page.run("return document.querySelectorAll('[aria-label=\"Measured against predicted\"] canvas').length") == 6
    assert fits(page, 1280) and not faults_of(page)
