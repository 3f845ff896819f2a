#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/peers/models.py - every robot description of some packages: loaded here and by a peer, masses and torques compared.
"""models.py FOLDER [PART]: reads all files of FOLDER (`make deps-models`) whose path has PART in it.

URDF is compared with Pinocchio, MJCF with MuJoCo, SDF with Drake, xacro with what the xacro program makes of it and Pinocchio of that: sum of
masses, mass matrix, gravity torque and inverse dynamics at five random states, within 1e-9 of the largest entry. A file that names others is
sent as an archive with those that are there. A file that the peer finds no body in, or refuses, is no robot by itself: a fragment of others. Prints one line for each file that differs or is refused here and not by the peer,
then a table. Status 1 when a file is accepted with other numbers."""
import collections
import importlib.util
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import mujoco
import pinocchio as pin

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent))
import test_mujoco_mjcf as mjcf_peer  # noqa: E402
import test_mujoco_tendons as tendon_peer  # noqa: E402

try:
    import xacro
    import xacro.substitution_args
except ImportError:
    xacro = None
try:
    import drake_sdf
except ImportError:
    drake_sdf = None

STATES, TOLERANCE = 5, 1e-9
ARCHIVE_MAX = 16 << 20
ROOTS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kind_of(path):
    """The format of a file by its outermost element; None: no robot."""
    if path.suffix.lower() not in (".urdf", ".xml", ".mjcf", ".sdf", ".xacro"):
        return None
    text = path.read_bytes()[:200000].decode("utf-8", "replace")
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    found = re.search(r"<([A-Za-z_][\w:.-]*)", text)
    kind = ROOTS.get(found[1]) if found else None
    if kind == "urdf" and (path.suffix == ".xacro" or "<xacro:" in path.read_bytes().decode("utf-8", "replace")):
        return "xacro"
    return kind


# ---------------------------------------------------------------- what is sent

def mjcf_closure(path):
    """The files that a model names and that are there, by their path beside it; absent ones are left to the reader."""
    found, todo = {}, [path]
    while todo:
        one = todo.pop()
        if one in found or not one.is_file():
            continue
        found[one] = one.read_bytes()
        if one.suffix.lower() not in (".xml", ".mjcf"):
            continue
        try:
            tree = ET.fromstring(found[one])
        except ET.ParseError:
            continue
        folders = {""}
        for element in tree.iter("compiler"):
            folders |= {element.get("meshdir", ""), element.get("assetdir", "")}
        MESHDIRS[path] = MESHDIRS.get(path, set()) | folders
        for element in tree.iter():
            name = element.get("file") if element.tag in ("include", "mesh", "model") else None
            if name is None:
                continue
            for base in {path.parent, one.parent}:
                for middle in MESHDIRS[path]:
                    near = pathlib.Path(os.path.normpath(base / middle / name))
                    if near.is_file():
                        todo.append(near)
    return found


MESHDIRS = {}


def archive(path, files):
    """A zip of files by their paths below the folder that holds all of them."""
    top = pathlib.Path(os.path.commonpath([str(f.parent) for f in files]))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as whole:
        for name in sorted(files):
            whole.writestr(str(name.relative_to(top)), files[name])
        whole.comment = f"main={path.relative_to(top)}".encode()
    return packed.getvalue()


# ---------------------------------------------------------------- xacro

def expand(path, folder):
    """What the xacro program makes of a file, and the files that it read. A package is the folder of its name nearest to the file."""
    def find(package):
        for above in path.parents:
            if above.name == package:
                return str(above)
            found = sorted((d for d in above.rglob(package) if d.is_dir()), key=lambda d: len(d.parts))
            if found:
                return str(found[0])
            if above == folder:
                break
        raise LookupError(f"no package {package}")

    xacro.substitution_args._eval_find = find
    try:
        text = xacro.process_file(str(path)).toxml()
    except Exception:  # noqa: BLE001 - whatever the program raises, the file is no robot by itself
        return None, {path}
    return text, {path, *(pathlib.Path(one).resolve() for one in xacro.all_includes)}


def put(daemon, body):
    status, _, text = daemon.request("PUT", "/v1/robots/all", body, {"Content-Type": "application/octet-stream"})
    return status, json.loads(text)


def reason(answer):
    text = (answer.get("errors") or [{}])[0].get("detail") or answer.get("detail", "?")
    return re.sub(r'"[^"]*"|line \d+(, column \d+)?:? ?|\d+', "", text)[:90]


# ---------------------------------------------------------------- Pinocchio

def urdf_states(model, robot, rng):
    """q and qd for both, joint by joint; columns of Pinocchio's velocities that are ours."""
    q, qd = pin.neutral(model), np.zeros(model.nv)
    ours_q, ours_v, columns = np.zeros(robot["nq"]), np.zeros(robot["nv"]), np.full(robot["nv"], -1)
    numbers = {name: k for k, name in enumerate(model.names)}
    for joint in robot["joints"]:
        nv = joint["v"]["count"]
        if nv == 0 or joint.get("mimic"):
            continue
        theirs = model.joints[numbers[joint["name"]]]
        at, v, i, k = joint["q"]["index"], joint["v"]["index"], theirs.idx_q, theirs.idx_v
        speed = rng.uniform(-1, 1, nv)
        ours_v[v:v + nv] = qd[k:k + nv] = speed
        columns[v:v + nv] = range(k, k + nv)
        if joint["kind"] == "floating":
            turn = pin.Quaternion(pin.exp3(rng.uniform(-1, 1, 3)))
            x = rng.uniform(-1, 1, 3)
            q[i:i + 7] = [*x, turn.x, turn.y, turn.z, turn.w]
            ours_q[at:at + 7] = [*x, turn.w, turn.x, turn.y, turn.z]
        elif joint["kind"] == "spherical":
            turn = pin.Quaternion(pin.exp3(rng.uniform(-1, 1, 3)))
            q[i:i + 4] = [turn.x, turn.y, turn.z, turn.w]
            ours_q[at:at + 4] = [turn.w, turn.x, turn.y, turn.z]
        else:
            angle = rng.uniform(-1, 1)
            ours_q[at] = angle
            q[i:i + theirs.nq] = [np.cos(angle), np.sin(angle)] if theirs.nq == 2 else [angle]
    return q, qd, ours_q, ours_v, columns


def add_friction(robot, tau, qd):
    """Of joints of one freedom; what follows another pulls at that one by virtual work."""
    rows = {joint["name"]: joint["v"]["index"] for joint in robot["joints"] if not joint.get("mimic")}
    for joint in robot["joints"]:
        mimic = joint.get("mimic")
        if joint["v"]["count"] == 1 or mimic:
            v = rows[mimic["joint"] if mimic else joint["name"]]
            k = mimic["multiplier"] if mimic else 1.0
            tau[v] += k * (joint["damping"] * k * qd[v] + joint["friction"]["coulomb"] * np.sign(k * qd[v]))


def mass_matrix(model, data, q, mimicry):
    """With mimicry column by column: crba leaves entries between a leader and joints beyond its follower out, and disagrees with rnea."""
    if mimicry:
        bias = pin.rnea(model, data, q, np.zeros(model.nv), np.zeros(model.nv)).copy()
        return np.column_stack([pin.rnea(model, data, q, np.zeros(model.nv), column) - bias for column in np.eye(model.nv)])
    m = pin.crba(model, data, q)
    return np.triu(m) + np.triu(m, 1).T


def compare_urdf(daemon, robot, model):
    """(worst error, of what); None: nothing to compare."""
    data = model.createData()
    kinds = {joint["kind"] for joint in robot["joints"]}
    masses = sum(link["mass"] for link in robot["links"]), sum(inertia.mass for inertia in model.inertias)
    worst = [(abs(masses[0] - masses[1]) / max(masses[1], 1e-12), "mass")]
    if robot["nv"] == 0 or "planar" in kinds:
        return max(worst)
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        q, qd, ours_q, ours_v, columns = urdf_states(model, robot, rng)
        if model.nv != robot["nv"] or columns.min() < 0:
            return np.inf, f"{robot['nv']} freedoms for {model.nv}"
        want = {"tau": pin.rnea(model, data, q, qd, np.zeros(model.nv))[columns].copy()}
        want["mass_matrix"] = mass_matrix(model, data, q, any(joint.get("mimic") for joint in robot["joints"]))[np.ix_(columns, columns)]
        want["gravity_torque"] = pin.computeGeneralizedGravity(model, data, q)[columns]
        rotors = np.zeros(robot["nv"])  # Pinocchio reads none
        for joint in robot["joints"]:
            if joint["v"]["count"] == 1 and not joint.get("mimic"):
                rotors[joint["v"]["index"]] = joint["rotor"]["inertia"] * joint["rotor"]["ratio"] ** 2
        want["mass_matrix"] = want["mass_matrix"] + np.diag(rotors)
        add_friction(robot, want["tau"], ours_v)
        worst.append(differ(want, mjcf_peer.ours(daemon, ours_q, ours_v), masses[1]))
    return max(worst)


# ---------------------------------------------------------------- MuJoCo

def compare_mjcf(daemon, robot, model):
    masses = sum(link["mass"] for link in robot["links"]), model.body_mass.sum()
    worst = [(abs(masses[0] - masses[1]) / max(masses[1], 1e-12), f"mass {masses[0]:.6g} for {masses[1]:.6g}")]
    if model.nv != robot["nv"]:
        return np.inf, f"{robot['nv']} freedoms for {model.nv}"
    if model.nv == 0:
        return max(worst)
    # MuJoCo's dry friction is soft and need not slip at these speeds: left out there, and added by its definition
    off = int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    dry = model.dof_frictionloss * (model.opt.disableflags & off == 0)
    paths = tendon_peer.rows(model, model.qpos0)[1] if model.ntendon > 0 else []
    model.opt.disableflags |= off
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        q, qd, turn, free = mjcf_peer.state_of(model, rng)
        want = mjcf_peer.theirs(model, q, qd, turn, free)
        want["tau"] = want["tau"] + dry * np.sign(qd)
        if np.any(paths):
            along = tendon_peer.rows(model, q)[0] @ turn
            want["tau"] = want["tau"] + along.T @ (paths * np.sign(along @ qd))
        worst.append(differ(want, mjcf_peer.ours(daemon, q, qd), masses[1]))
    return max(worst)


# ---------------------------------------------------------------- Drake

def compare_sdf(daemon, path):
    """(worst error, of what, what was changed for both)"""
    text, changes = drake_sdf.plain(path.read_text())
    status, robot = put(daemon, text.encode())
    if status not in (200, 201):
        return np.inf, f"refused without {changes}: {reason(robot)}", changes
    them = drake_sdf.Peer(text, robot)
    worst = [max([(abs(mine - theirs) / theirs, "mass") for mine, theirs in them.masses()], default=(np.inf, "no links"))]
    rng = np.random.default_rng(1)
    for _ in range(STATES if robot["nv"] > 0 else 0):
        q, v = them.state(rng)
        worst.append(differ(them.terms(q, v), mjcf_peer.ours(daemon, q, v), sum(theirs for _, theirs in them.masses())))
    return *max(worst), changes


AXES = 2e-6  # mju_eig3 ends where the cosine of a rotation is above 1 - 1e-12: 1.4e-6 rad


def straighten(robot, model):
    """Gives the peer the exact principal axes of its bodies. False: one of them differs by more than what its own search for axes leaves, so that
    the difference is ours."""
    links = {link["name"]: np.array(link["inertia"]) for link in robot["links"]}
    for body in range(1, model.nbody):
        tensor = links.get(model.body(body).name)
        if tensor is None:
            continue
        turn = mjcf_peer.rotation(model.body_iquat[body])
        seen, moments = turn.T @ tensor @ turn, model.body_inertia[body]
        if np.abs(seen - np.diag(moments)).max() > AXES * moments.max():  # of the body's axes, and of those of its meshes before
            return False
        values, axes = np.linalg.eigh(tensor)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        model.body_inertia[body] = values
        mujoco.mju_mat2Quat(model.body_iquat[body], axes.flatten())
    return True


def differ(want, got, mass):
    """The largest difference over the largest entry, and of what; torques are measured by the largest torque, and where gravity cancels by what
    the rounding of sums of the weight leaves: 1e-15 of it for a difference of 1e-9."""
    worst = (0.0, "")
    torque = max(np.abs(want["tau"]).max(), np.abs(want["gravity_torque"]).max())
    for name, value in want.items():
        if name not in got or np.shape(got[name]) != np.shape(value):
            return np.inf, f"{name}: {str(got)[:300]}"
        scale = max(np.abs(value).max(), 0.0 if name == "mass_matrix" else max(1e-3 * torque, 1e-6 * 9.81 * mass), 1e-12)
        worst = max(worst, (float(np.abs(np.array(got[name]) - value).max() / scale), name))
    return worst


# ---------------------------------------------------------------- one file

def peer_model(kind, path, folder):
    """What the peer makes of it, or None: no robot."""
    try:
        if kind == "mjcf":
            model = mujoco.MjModel.from_xml_path(str(path))
            return model if model.nbody > 1 else None
        if kind == "sdf":
            return path if drake_sdf is not None else None
        if kind == "urdf":
            return pin.buildModelFromUrdf(str(path), mimic=True)
        if kind == "xacro" and xacro is not None:
            text, INCLUDES[path] = expand(path, folder)
            if text is None or "<link" not in text:
                return None
            with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
                file.write(text)
                file.flush()
                return pin.buildModelFromUrdf(file.name, mimic=True)
    except Exception:  # noqa: BLE001 - whatever the peer raises, it does not read the file
        return None
    return None


INCLUDES = {}
OFF = b'<option><flag equality="disable"/></option>'


def send(daemon, kind, path, more=b""):
    """The file with what it names; `more` becomes the last element of a model."""
    if kind == "xacro":  # with what it includes, or else every other one of the folder above its own
        near = INCLUDES.get(path) or {path, *path.parents[1].rglob("*.xacro")}
        return put(daemon, archive(path, {one: one.read_bytes() for one in near if one.is_file()}))
    if kind != "mjcf":
        return put(daemon, path.read_bytes())
    files = mjcf_closure(path)
    head, mark, tail = path.read_bytes().rpartition(b"</mujoco>")
    files[path] = head + more + mark + tail
    if len(files) <= 1:
        return put(daemon, files[path])
    body = archive(path, files)
    if len(body) > ARCHIVE_MAX:
        return 413, {"detail": "the archive is larger than 16 MiB"}
    return put(daemon, body)


def try_file(daemon, kind, path, folder):
    peer = peer_model(kind, path, folder)
    status, answer = send(daemon, kind, path)
    lonely = (kind == "sdf" and drake_sdf is None) or (kind == "xacro" and xacro is None)
    if status not in (200, 201):
        return "refused" if peer is not None or lonely else "no robot by itself", f"{status} {reason(answer)}"
    if peer is None:
        return "loaded, no peer here" if lonely else "loaded, not by the peer", ""
    if kind == "sdf":
        try:
            error, what, changes = compare_sdf(daemon, path)
        except RuntimeError as refusal:
            return "loaded, not by the peer", str(refusal)[:200]
        return ("agrees" if error <= TOLERANCE else "differs"), f"{error:.1e} {what}; in other words for both: {', '.join(sorted(changes)) or 'nothing'}"
    if kind == "mjcf" and peer.neq > 0:  # constraints take part in inverse dynamics: the tree is compared without
        status, answer = send(daemon, kind, path, OFF)
    error, what = compare_mjcf(daemon, answer, peer) if kind == "mjcf" else compare_urdf(daemon, answer, peer)
    if not error <= TOLERANCE and kind == "mjcf" and straighten(answer, peer):
        straight, what = compare_mjcf(daemon, answer, peer)
        if straight <= TOLERANCE:
            return "agrees but for the peer's axes", f"{error:.1e} {what}"
    if not error <= TOLERANCE:
        return "differs", f"{error:.1e} {what}"
    return "agrees", ""


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    daemon = load("contract_conftest", HERE.parents[1] / "contract" / "conftest.py").Daemon()
    table, reasons = collections.defaultdict(collections.Counter), collections.Counter()
    for path in sorted(folder.rglob("*")):
        kind = kind_of(path) if path.is_file() and part in str(path) and "random_urdfs" not in str(path) else None
        if kind is None:
            continue
        outcome, text = try_file(daemon, kind, path, folder)
        table[kind, path.relative_to(folder).parts[0]][outcome] += 1
        table[kind, "all"][outcome] += 1
        if outcome in ("refused", "differs", "agrees but for the peer's axes") or (kind == "sdf" and text):
            print(f"{kind} {outcome}: {path.relative_to(folder)}: {text}", flush=True)
        if "refused" in outcome:
            reasons[kind, outcome, text] += 1
    daemon.stop()
    for (kind, outcome, text), n in reasons.most_common():
        print(f"{n:4d} {kind} {outcome}: {text}")
    for (kind, package), row in sorted(table.items()):
        robots = sum(n for outcome, n in row.items() if outcome in ("agrees", "agrees but for the peer's axes", "differs", "refused", "loaded, no peer here"))
        share = 100 * (row["agrees"] + row["agrees but for the peer's axes"] + row["loaded, no peer here"]) / max(robots, 1)
        print(f"{kind:5s} {package:28s} {share:5.1f} %: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(row.items())))
    return 1 if any(row["differs"] for row in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
