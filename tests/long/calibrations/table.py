# SPDX-License-Identifier: Apache-2.0
# tests/long/calibrations/table.py - tables of results: by rate, noise and joints; kinds of fault; the worst cases by their seeds.
import json

import numpy as np
from judge import REFUSES
from planted import UNNAMED

WITHIN, NEVER = 1.5, 3.0
RATES = [(50, 200), (200, 1000), (1000, 4000), (4000, 10001)]
JOINTS = [(2, 3), (4, 5), (6, 7), (8, 40)]


def read(path):
    """Results by seed; of a seed that is there twice, the later one."""
    if not path.exists():
        return {}
    return {one["seed"]: one for one in map(json.loads, path.read_text().splitlines())}


def share(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "    -  "


def line(name, cases):
    """Of clean cases."""
    judged = [c for c in cases if "ratio" in c]
    ratio = np.array([c["ratio"] for c in judged])
    held, shown = sum(c["held"] for c in judged), sum(c["shown"] for c in judged)
    each = [c["held"] / c["shown"] for c in judged if c["shown"]]
    far = sum(c["ratio"] > NEVER and c["verdict"] not in REFUSES for c in judged)
    alarms = sum(bool(c["findings"]) for c in cases)
    usable = sum(c["verdict"] == "usable" for c in cases)
    print(f"{name:22s}{len(cases):6d}{share((ratio <= WITHIN).sum(), len(judged)):>10s}{far:7d}"
          f"{np.median(ratio) if len(judged) else np.nan:9.2f}{100 * np.median([c['error'] for c in judged]) if judged else np.nan:9.2f} %"
          f"{share(held, shown):>10s}{100 * np.mean(each) if each else np.nan:8.1f} %{share(alarms, len(cases)):>10s}{share(usable, len(cases)):>10s}")


def print_settings(judged):
    """The best of several is best by chance as well: how near to it is each of them, were it the default?"""
    print(f"\n{'were it the default':26s} cases   best  <= {WITHIN} x    > {NEVER:g} x   median error")
    for name in dict.fromkeys(["default", *(name for c in judged for name in c["others"])]):
        errors = [(c["error"] if name == "default" else c["others"].get(name), c["error"] / c["ratio"]) for c in judged]
        ratio = np.array([one / best for one, best in errors if one is not None])
        print(f"{name:26s}{len(ratio):6d}{(ratio < 1 + 1e-12).sum():7d}{share((ratio <= WITHIN).sum(), len(ratio)):>10s}{share((ratio > NEVER).sum(), len(ratio)):>9s}"
              f"{100 * np.median([one for one, _ in errors if one is not None]):9.3f} %")
    bad = [c for c in judged if c["ratio"] > WITHIN]
    small = sum(c["error"] < 0.1 * c["torque_noise"] for c in bad)
    print(f"of {len(bad)} beyond {WITHIN} x, {small} have an error below a tenth of the log's noise of torque; of {sum(c['ratio'] > NEVER for c in bad)} beyond {NEVER:g} x, "
          f"{sum(c['ratio'] > NEVER and c['error'] < 0.1 * c['torque_noise'] for c in bad)}")


def print_clean(clean):
    print(f"\n{'clean logs':22s} cases  <= {WITHIN} x > {NEVER:g} x   median   median     intervals that hold    false    usable")
    print(f"{'':22s}        of best  usable   ratio     error     all    by case     alarms")
    line("all", clean)
    for low, high in RATES:
        line(f"{low} to {high - (high == 10001)} Hz", [c for c in clean if low <= c["rate"] < high])
    for low, high in JOINTS:
        line(f"{low} to {high} joints", [c for c in clean if low <= c["joints"] <= high])
    for noise in ("white", "coloured", "counts"):
        line(noise, [c for c in clean if c["noise"] == noise])
    line("rates logged", [c for c in clean if c["rates"]])
    line("positions alone", [c for c in clean if not c["rates"]])
    line("friction's law known", [c for c in clean if c["known"]])
    line("friction unknown", [c for c in clean if not c["known"]])
    line("  delayed", [c for c in clean if c["delay"]])
    for logs in (1, 2, 3, 4):
        line(f"{logs} log{'s' * (logs > 1)}", [c for c in clean if c["logs"] == logs])
    print_settings([c for c in clean if "ratio" in c])


def print_faults(faulty):
    print(f"\n{'fault':18s} cases  named first   verdict refuses   (of 8 joints and fewer)")
    for kind in dict.fromkeys(c["kind"] for c in sorted(faulty, key=lambda c: (c["kind"] in UNNAMED, c["kind"]))):
        of = [c for c in faulty if c["kind"] == kind and c["joints"] <= 8]
        named = "no finding" if kind in UNNAMED else share(sum(c["named"] for c in of), len(of))
        missed = [c["seed"] for c in of if not c["named"]] if kind not in UNNAMED else [c["seed"] for c in of if not c["refused"]]
        print(f"{kind:18s}{len(of):6d}{named:>13s}{share(sum(c['refused'] for c in of), len(of)):>18s}   {' '.join(map(str, missed[:12]))}")
    built = [c for c in faulty if c["kind"] not in UNNAMED]
    for name, of in (("all with a finding", [c for c in built if c["joints"] <= 8]), ("more than 8 joints", [c for c in built if c["joints"] > 8])):
        print(f"{name:18s}{len(of):6d}{share(sum(c['named'] for c in of), len(of)):>13s}{share(sum(c['refused'] for c in of), len(of)):>18s}")


def print_worst(clean):
    print("\nworst ratios")
    for c in sorted((c for c in clean if "ratio" in c), key=lambda c: -c["ratio"])[:25]:
        print(f"  seed {c['seed']}: {c['ratio']:.2f} ({100 * c['error']:.2f} %, {c['best']}), {c['verdict']}, {c['joints']} joints, {c['rate']:.0f} Hz, {c['logs']} logs, "
              f"{c['noise']}{', rates' if c['rates'] else ''}{', law known' if c['known'] else ''}, band {c['band']} Hz, cut-off {c['cutoff']:.1f} Hz, "
              f"delay {c['delay']} found {c['found_delay']}, sign {c['sign']}")
    print("worst intervals")
    for c in sorted((c for c in clean if c.get("shown")), key=lambda c: c["held"] / c["shown"])[:10]:
        print(f"  seed {c['seed']}: {c['held']} of {c['shown']}, {c['verdict']}, missed {' '.join(c['missed'][:8])}")
    print("false alarms:", [(c["seed"], *[f["kind"] for f in c["findings"]]) for c in clean if c["findings"]])


def print_all(results):
    broken = [c for c in results if "fault" in c]
    whole = [c for c in results if "fault" not in c]
    clean = [c for c in whole if c["kind"] == "clean"]
    faulty = [c for c in whole if c["kind"] != "clean"]
    print(f"{len(results)} cases, {sum(c['took_s'] for c in results) / 60:.0f} minutes")
    if clean:
        print_clean(clean)
        print_worst(clean)
    if faulty:
        print_faults(faulty)
    refused = [(c["seed"], c["why"]) for c in clean if c["status"] != 200]
    print("\nclean logs that were refused:", refused)
    print("faults of this program or the daemon:", [(c["seed"], c["fault"]) for c in broken])
