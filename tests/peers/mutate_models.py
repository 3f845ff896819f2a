#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/peers/mutate_models.py - robot descriptions with one thing changed: refused, doubted, or read as the peer reads them; never a crash.
"""mutate_models.py FOLDER [FILES [MUTATIONS [SEED [FIRST]]]]: FILES of the descriptions in FOLDER (60), after the FIRST ones (0), MUTATIONS of each (200): a number, a name, an
attribute, an element or a byte changed, doubled, moved or taken away. What is read as another robot than the peer's (mass, mass matrix, gravity,
torques at two states beyond 1e-9) without a refusal or a finding of the doctor, and every crash, is printed with the mutation. Status 1 then."""
import collections
import os
import pathlib
import random
import re
import sys
import tempfile

import mujoco
import pinocchio as pin

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import models  # noqa: E402

models.STATES = 2
NUMBER = re.compile(rb"(?<![\w.])-?\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w.])")
ATTRIBUTE = re.compile(rb"""\s([\w:.-]+)=("[^"]*"|'[^']*')""")
ELEMENT = re.compile(rb"<[A-Za-z][^<>]*/>")
NUMBERS = [b"0", b"-1", b"1e-9", b"1e9", b"1e400", b"nan", b"", b"x", b"0x10", b"1,5", b"+.5", b"1.e1", b"inf"]


def spot(rng, pattern, text):
    found = [m.span() for m in pattern.finditer(text)]
    return rng.choice(found) if found else None


def mutate(rng, text):
    """(what was done, the text after it)"""
    kind = rng.choice(["number", "number", "scale", "drop attribute", "double attribute", "rename attribute", "swap values", "drop element", "double element", "move element",
                       "byte", "cut"])
    at = spot(rng, {"number": NUMBER, "scale": NUMBER}.get(kind, ELEMENT if "element" in kind else ATTRIBUTE), text)
    if at is None or kind in ("byte", "cut"):
        k = rng.randrange(len(text))
        return (f"cut at {k}", text[:k]) if kind == "cut" else (f"byte {k}", text[:k] + bytes([rng.randrange(256)]) + text[k + 1:])
    a, b = at
    piece = text[a:b]
    if kind in ("number", "scale"):
        new = rng.choice(NUMBERS) if kind == "number" else repr(float(piece) * rng.choice([-1, 0.5, 2, 1e3])).encode()
        return f"{piece!r} to {new!r} at {a}", text[:a] + new + text[b:]
    if kind.startswith("drop"):
        return f"{kind} {piece!r} at {a}", text[:a] + text[b:]
    if kind.startswith("double"):
        return f"{kind} {piece!r} at {a}", text[:b] + piece + text[b:]
    if kind == "rename attribute":
        return f"{kind} {piece!r} at {a}", text[:a + 1] + b"x" + text[a + 1:]
    c, d = spot(rng, ELEMENT if "element" in kind else ATTRIBUTE, text)
    if kind == "move element" and (d <= a or c >= b):
        rest = text[:a] + text[b:]
        to = c if c < a else c - (b - a)
        return f"{kind} {piece!r} from {a} to {c}", rest[:to] + piece + rest[to:]
    one, other = ATTRIBUTE.fullmatch(piece), ATTRIBUTE.fullmatch(text[c:d])
    if one and other and (d <= a or c >= b):
        (a, b, piece), (c, d, more) = sorted([(a, b, piece), (c, d, text[c:d])])
        first, second = ATTRIBUTE.fullmatch(piece), ATTRIBUTE.fullmatch(more)
        left, right = piece[:first.start(2)] + second[2], more[:second.start(2)] + first[2]
        return f"swap {piece!r} with {more!r} at {a}", text[:a] + left + text[b:c] + right + text[d:]
    return f"drop {piece!r} at {a}", text[:a] + text[b:]


def peer_of(kind, path, text):
    """The peer's reading of the text in the place of the file, or None."""
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=path.suffix) as file:
        file.write(text)
        file.flush()
        try:
            if kind == "mjcf":
                model = mujoco.MjModel.from_xml_path(file.name)
                return model if model.nbody > 1 else None
            return pin.buildModelFromUrdf(file.name, mimic=True)
        except Exception:  # noqa: BLE001 - the peer refuses it
            return None


def judge(daemon, kind, path, text):
    """(outcome, detail) of one mutation."""
    files = models.mjcf_closure(path) if kind == "mjcf" else {path: text}

    def send(changed):
        files[path] = changed
        return models.put(daemon, changed if len(files) == 1 else models.archive(path, files))
    status, answer = send(text)
    if status >= 500:
        return "fails", f"{status} {answer}"
    if status not in (200, 201):
        return "refused", ""
    peer = peer_of(kind, path, text)
    if peer is None:
        return "peer refuses", ""
    doubts = answer["doctor"]
    if kind == "mjcf" and peer.neq > 0:  # constraints take part in inverse dynamics: the tree is compared without
        head, mark, tail = text.rpartition(b"</mujoco>")
        status, answer = send(head + models.OFF + mark + tail)
        if status not in (200, 201):
            return "fails", f"without constraints: {status} {models.reason(answer)}"
    try:
        error, what = models.compare_mjcf(daemon, answer, peer) if kind == "mjcf" else models.compare_urdf(daemon, answer, peer)
    except (KeyError, ValueError) as why:
        error, what = float("inf"), repr(why)
    if error <= models.TOLERANCE:
        return "agrees", ""
    return ("doubted" if doubts else "differs"), f"{error:.1e} {what}"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    n_file, n_mutation, seed, first = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((2, 60), (3, 200), (4, 1), (5, 0)))
    rng = random.Random(seed)
    silent = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the peers' own complaints
    daemon = models.load("contract_conftest", models.HERE.parents[1] / "contract" / "conftest.py").Daemon()
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size < 60000 and models.kind_of(p) in ("urdf", "mjcf") and "random_urdfs" not in str(p)]
    rng.shuffle(paths)
    counts, wrong, used = collections.Counter(), 0, 0
    for path in paths:
        kind, text = models.kind_of(path), path.read_bytes()
        if used == first + n_file:
            break
        if judge(daemon, kind, path, text)[0] != "agrees":
            continue
        used += 1
        if used <= first:
            continue
        chance = random.Random(f"{seed} {path.relative_to(folder)}")  # of the file alone: a part of a run is as in the whole
        for _ in range(n_mutation):
            done, changed = mutate(chance, text)
            try:
                outcome, detail = judge(daemon, kind, path, changed)
            except OSError as why:
                print(f"CRASH: {path.relative_to(folder)}: {done}: {why}: {daemon.log[-3:]}", flush=True)
                return 1
            counts[kind, outcome] += 1
            if outcome in ("differs", "fails"):
                wrong += 1
                print(f"{outcome}: {path.relative_to(folder)}: {done}: {detail}", flush=True)
    daemon.stop()
    os.dup2(silent, 2)
    print(f"{used - first} files, {n_mutation} mutations each")
    for (kind, outcome), n in sorted(counts.items()):
        print(f"{kind} {n:6d} {outcome}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
