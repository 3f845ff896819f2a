# SPDX-License-Identifier: Apache-2.0
# tests/bench/identification/identification.py - the same logs identified by torqued, FIGAROH and MuJoCo's sysid: error, processor time, what each says.
"""Usage: identification.py TORQUED PYTHON JSON_FILE [KIND...]. PYTHON is one with figaroh and mujoco[sysid] (make
deps-identification). Each case is a random arm of six joints by the generator of tests/contract/test_diagnosis.py, two
or three logs of 16 s at 100 Hz, one fault or none, and one log more to validate with; or the measured UR10E logs, where
they lie beside the repository. torqued has its defaults. The others have the cut-off that the generator knows.

error  of the torque at unseen states of the faultless robot without noise, per cent of its root mean square, by joint;
       of the UR10E, N m, on a run that was left out (both others: against torque filtered as they filter)
cpu s  of the fit, by all threads
PEERS=figaroh leaves the other out, which takes minutes a case."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
os.environ["TORQUED"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, str(HERE.parents[1] / "contract"))
import conftest  # noqa: E402
import numpy as np  # noqa: E402
import test_diagnosis as generator  # noqa: E402
from test_calibrate_ur10e import COLUMNS, UR10E  # noqa: E402

PYTHON, OUT, ONLY = sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
PEERS = os.environ.get("PEERS", "figaroh,mujoco").split(",")
JOINTS, SEED, CUTOFF_HZ = 6, 5, 6.0  # the generated motion ends at 0.6 Hz
SECONDS = 3600
TICK = os.sysconf("SC_CLK_TCK")


def plain_urdf(text, path):
    """What all three read: no meshes, and limits, without which two coordinates stand for an angle."""
    root = ElementTree.fromstring(text)
    for link in root.iter("link"):
        for part in link.findall("visual") + link.findall("collision"):
            link.remove(part)
    for joint in root.iter("joint"):
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            limit = joint.find("limit")
            limit = ElementTree.SubElement(joint, "limit") if limit is None else limit
            for name, value in (("lower", "-6.3"), ("upper", "6.3"), ("effort", "1e4"), ("velocity", "1e2")):
                limit.set(name, value)
    ElementTree.ElementTree(root).write(path)


def npy(*parts):
    out = io.BytesIO()
    np.save(out, np.hstack(parts))
    return out.getvalue()


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / TICK


def torqued(daemon, robot, body, unseen):
    """One calibration: (cpu seconds, torque at the unseen states or None, status, reply)."""
    begun = cpu_s(daemon.process.pid)
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/calibrate", json.dumps(body).encode(), {**generator.JSON, "Prefer": "wait=3600"})
    spent, reply = cpu_s(daemon.process.pid) - begun, json.loads(text)
    tau = None
    if status == 200 and reply.get("robot") and unseen is not None:
        assert daemon.request("PUT", "/v1/robots/found", json.dumps(reply["robot"]).encode(), generator.JSON)[0] in (200, 201)
        status, _, answer = daemon.request("POST", "/v1/robots/found/inverse-dynamics", npy(*unseen), generator.NPY)
        assert status == 200, answer
        tau = np.load(io.BytesIO(answer))
    return spent, tau, status, reply


def peer(name, folder):
    """Its answer, or its error's last line."""
    done = subprocess.run([PYTHON, str(HERE / f"{name}_fit.py"), str(folder)], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no word"])[-1]
    return json.loads((folder / f"{name}.json").read_text())


def first_finding(status, reply):
    if status != 200:
        return reply["errors"][0]["detail"][:110]
    found = reply["findings"]
    if not found:
        return "no fault; " + reply["verdict"] if isinstance(reply.get("verdict"), str) else "no fault"
    where = " ".join(str(found[0][key]) for key in ("joint", "other_joint", "datasets") if key in found[0])
    return f"{found[0]['kind']} {where} {found[0].get('size', ''):.3g}" if isinstance(found[0].get("size"), float) else f"{found[0]['kind']} {where}"


def percent(tau, true):
    return None if tau is None else (100 * np.sqrt(((np.array(tau) - true) ** 2).mean(0) / (true**2).mean(0))).round(2).tolist()


def row_of(name, answer, error_of):
    if isinstance(answer, str):
        return {"says": answer}
    if name == "figaroh":
        says = [*answer["log"], *(f"{j}: not better than a constant" for j in answer["unpredictable"])] or answer["insights"][:1]
    else:
        says = [f"residual {answer['residual']:.3g}, {answer['at_bounds']} of {answer['parameters']} parameters at a bound"]
    return {"cpu_s": answer["seconds"], "error": error_of(answer["tau"]), "says": "; ".join(says)}


def synthetic(daemon, kind, folder):
    rng = np.random.default_rng([SEED, sorted(generator.KINDS).index(kind)])
    runs = 3 if kind in ("payload", "other") else 2
    bench = generator.Bench(daemon, rng, JOINTS, runs)
    logs, is_it = generator.KINDS[kind](bench)
    bench.motions.append(generator.motion(rng, JOINTS))
    _, *unseen = bench.motions[-1]
    true = bench.torque(bench.truth, runs)
    check = generator.motion(rng, JOINTS)
    bench.motions[-1] = check
    tau = bench.torque(bench.truth, runs)
    check = check[1] + bench.position_noise * rng.normal(size=tau.shape), tau + (0.01 * tau.std(0) + 0.02) * rng.normal(size=tau.shape)
    for name, (q, t) in [*((f"run{e}", log) for e, log in enumerate(logs)), ("check", check)]:
        assert daemon.request("PUT", f"/v1/datasets/{name}", npy(q, t), generator.NPY)[0] in (200, 201)
    plain_urdf(daemon.request("GET", "/v1/robots/user", None, {"Accept": "application/xml"})[2], folder / "robot.urdf")
    np.savez(folder / "case.npz", runs=runs, rate=generator.RATE, cutoff=CUTOFF_HZ, stride=2 * runs, q_check=check[0], tau_check=check[1],
             q_unseen=unseen[0], qd_unseen=unseen[1], qdd_unseen=unseen[2],
             **{f"{name}{e}": log[k] for e, log in enumerate(logs) for k, name in enumerate(("q", "tau"))})
    body = {"datasets": [f"run{e}" for e in range(runs)], "validate": ["check"], "rate_hz": generator.RATE,
            "columns": {"q": list(range(JOINTS)), "tau": list(range(JOINTS, 2 * JOINTS))}}
    spent, tau, status, reply = torqued(daemon, "user", body, unseen)
    found = reply.get("findings", [])
    names = getattr(is_it, "joint", None)
    named = bool(found) and is_it(found[0]) if status == 200 else names is not None and f'joint "{names}"' in reply["errors"][0]["detail"]
    rows = {"torqued": {"cpu_s": spent, "error": percent(tau, true), "says": first_finding(status, reply), "named": bool(named if kind != "clean" else not found)}}
    return rows | {name: row_of(name, peer(name, folder), lambda tau: percent(tau, true)) for name in PEERS}


def ur10e(daemon, folder):
    """The last run is left out of the fits."""
    import scipy.signal
    text = (UR10E / "ur10e.urdf").read_bytes()
    assert daemon.request("PUT", "/v1/robots/ur10e-lab", text, {"Content-Type": "application/xml"})[0] in (200, 201)
    plain_urdf(text, folder / "robot.urdf")
    files = sorted((UR10E / "excitation").glob("*.csv"))
    for file in files:
        assert daemon.request("PUT", f"/v1/datasets/{file.stem}", file.read_bytes())[0] in (200, 201)
    names = [file.stem for file in files]
    spent, _, status, reply = torqued(daemon, "ur10e-lab", {"datasets": names[:-1], "validate": names[-1:], **COLUMNS}, None)
    assert status == 200, reply
    rate, cutoff = 100.0, reply["filter"]["cutoff_hz"]
    case, scale = {}, np.array(COLUMNS["scale"]["tau"])
    for e, file in enumerate(files):
        rows = np.genfromtxt(file, delimiter=",", skip_header=1)
        t = np.arange(rows[0, 0], rows[-1, 0], 1 / rate)
        case[e] = [np.column_stack([np.interp(t, rows[:, 0], rows[:, k]) for k in at]) for at in (range(1, 7), range(13, 19))]
        case[e][1] *= scale
    q, tau = case.pop(len(files) - 1)
    b, a = scipy.signal.butter(4, cutoff / (rate / 2))
    smooth, true = (scipy.signal.filtfilt(b, a, x, axis=0) for x in (q, tau))
    qd = np.gradient(smooth, 1 / rate, axis=0)
    qdd = np.gradient(qd, 1 / rate, axis=0)
    inner = slice(50, -50)
    np.savez(folder / "case.npz", runs=len(case), rate=rate, cutoff=cutoff, stride=20, q_check=q, tau_check=tau, q_unseen=smooth[inner],
             qd_unseen=qd[inner], qdd_unseen=qdd[inner], **{f"{name}{e}": log[k] for e, log in case.items() for k, name in enumerate(("q", "tau"))})
    rows = {"torqued": {"cpu_s": spent, "error": reply["validation"]["rmse"], "says": first_finding(status, reply), "named": None}}
    return rows | {name: row_of(name, peer(name, folder), lambda tau: np.sqrt(((np.array(tau) - true[inner]) ** 2).mean(0)).tolist()) for name in PEERS}


def show(kind, rows):
    for tool, row in rows.items():
        error = " ".join(f"{x:.3g}" for x in row["error"]) if row.get("error") else "none"
        named = {True: "named", False: "not named", None: ""}[row.get("named")]
        print(f"{kind:15} {tool:8} {row.get('cpu_s', float('nan')):8.2f}  {error:42} {named:10} {row['says']}", flush=True)


def main():
    if not os.access(PYTHON, os.X_OK):
        print("SKIP identification: no FIGAROH and no MuJoCo (make deps-identification installs them)")
        return
    results = {}
    print(f"{'case':15} {'tool':8} {'cpu s':>8}  {'error by joint':42}            what it says")
    for kind in ONLY or [*generator.KINDS, "ur10e"]:
        if kind == "ur10e" and not UR10E.is_dir():
            print("SKIP ur10e: no logs beside the repository")
            continue
        daemon = conftest.Daemon()
        with tempfile.TemporaryDirectory(prefix="torqued-bench-") as folder:
            path = pathlib.Path(folder)
            results[kind] = ur10e(daemon, path) if kind == "ur10e" else synthetic(daemon, kind, path)
        daemon.stop()
        show(kind, results[kind])
        OUT.write_text(json.dumps(results, indent=1))


main()
