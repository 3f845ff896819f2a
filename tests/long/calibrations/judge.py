# SPDX-License-Identifier: Apache-2.0
# tests/long/calibrations/judge.py - one case: the default beside the settings that the generator knows to be good, intervals, findings.
import numpy as np
from drawn import Case
from planted import FAULTS

REFUSES = ("incomplete", "physically-inconsistent", "insufficient-excitation")


def kind_of(seed):
    """Every other seed is a clean log, the rest take the kinds of fault in turn."""
    return "clean" if seed % 2 == 0 else list(FAULTS)[seed // 2 % len(FAULTS)]


def settings(case, method):
    """What an engineer who knows the motion, the delay and the friction would say; method: that of the default."""
    wide, narrow = ({"filter": {"cutoff_hz": min(k * case.band, 0.4 * case.rate)}} for k in (10, 5))
    delay = {"delay_s": case.delay} if abs(case.delay) * case.rate <= 4 or abs(case.delay) <= 0.05 else {}
    friction = {"model": {"friction": ["viscous", "coulomb", "offset"], **({} if case.is_known else {"smoothing": case.width})}}
    told = {**delay, **friction}
    out = {"told, 10 bands": {**wide, **told}, "told, 5 bands": {**narrow, **told}, "told": told}
    if case.n <= 7:
        other = "least squares" if method.endswith("iv") else "instruments"
        out["told, " + other] = {"method": "feasible" if other == "least squares" else "feasible-iv", **told}
        if case.has_rates:
            out["told, no rates"] = {"rates": False, **told}
    return out


def error(case, reply, want):
    """rms over the joints of the relative error of torque in a motion that no log has, by the robot that the answer has."""
    robot = reply.get("robot")
    if robot is None:
        return None
    robot = {key: value for key, value in robot.items() if key not in ("digest", "source")}
    got = case.torque_of(robot, "found")
    return float(np.sqrt((((got - want)**2).mean(0) / (want**2).mean(0)).mean()))


def held(reply, true):
    """[(name, is in its 95 % interval)] of what the data identify, and of what the truth has."""
    return [(p["name"], p["interval"][0] <= true[p["name"]] <= p["interval"][1]) for p in reply["parameters"]
            if p["name"] in true and p.get("interval") and p.get("verdict") != "unidentifiable" and None not in p["interval"]]


def said(reply):
    return {"verdict": reply.get("verdict"), "why": (reply.get("reasons") or [e["detail"] for e in reply.get("errors", [])] or [""])[0][:160],
            "findings": [{key: f.get(key) for key in ("kind", "joint", "size", "explained") if f.get(key) is not None} for f in reply.get("findings", [])]}


def clean(daemon, seed):
    case = Case(daemon, seed)
    case.upload(case.logs())
    true, want = case.base_parameters(), case.torque_of(case.truth, "truth")
    reply, status = case.calibrate()
    out = {**case.facts(), "kind": "clean", "status": status, **said(reply)}
    if status != 200:
        return out
    inside = held(reply, true)
    out |= {"error": error(case, reply, want), "shown": len(inside), "held": sum(is_in for _, is_in in inside), "missed": [name for name, is_in in inside if not is_in],
            "cutoff": reply["filter"].get("cutoff_hz"), "own": "cutoffs_hz" in reply["filter"], "method": reply.get("method"), "found_delay": reply["delay"]["delay_s"],
            "sign": [reply["friction_sign"][k] for k in ("smoothing", "presliding")], "extra": [p["name"] for p in reply["parameters"] if p["name"] not in true]}
    out["others"] = {}
    for name, setting in settings(case, out["method"]).items():
        other, status = case.calibrate(validate="none", **setting)
        out["others"][name] = error(case, other, want) if status == 200 else None
    errors = {name: e for name, e in out["others"].items() if e is not None}
    best = min(errors, key=errors.get, default=None)
    out["best"] = best if best and out["error"] is not None and errors[best] < out["error"] else "default"
    if out["error"] is not None:
        out["ratio"] = out["error"] / min([out["error"], *errors.values()])
    return out


def faulty(daemon, seed, kind):
    make, least, rates = FAULTS[kind]
    case = Case(daemon, seed, least, rates)
    logs, is_it = make(case)
    case.upload(logs)
    reply, status = case.calibrate(validate="none")
    found, joint = reply.get("findings", []), getattr(is_it, "joint", None)
    if status != 200:  # refused before the fit: the text must name the joint, or of a wrong time base the rates
        text = reply["errors"][0]["detail"] + str(reply["errors"][0].get("hint", ""))
        named = any(word in text for word in ("rate", "veloc", "time")) if kind == "time base" else joint is not None and f'joint "{joint}"' in text
    else:
        named = bool(found) and bool(is_it(found[0]))
    return {**case.facts(), "kind": kind, "status": status, **said(reply), "named": named, "planted": getattr(is_it, "what", ""),
            "refused": status != 200 or reply.get("verdict") in REFUSES}


def judge(daemon, seed):
    kind = kind_of(seed)
    return clean(daemon, seed) if kind == "clean" else faulty(daemon, seed, kind)
