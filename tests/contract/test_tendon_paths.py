# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_tendon_paths.py - tendons along points of links: motion in closed form, energy, documents and MJCF, surgery, refusals.
import copy
import json
import math

import pytest

JSON = {"Content-Type": "application/json"}
POINT = {"mass": 1, "com": [0, 0, 0], "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "inertia_about": "com"}
# two floating bodies of 1 kg without gravity, a spring between them
PAIR = {"gravity": [0, 0, 0], "links": [{"name": "base"}, {"name": "one", **POINT}, {"name": "two", **POINT}],
        "joints": [{"name": f"free_{child}", "kind": "floating", "parent": "base", "child": child} for child in ("one", "two")],
        "tendons": [{"name": "tie", "points": [{"link": "one"}, {"link": "two", "position": [0, 0, 0]}], "stiffness": 8, "rest": 0.5}]}
HOME = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]
# an arm of two links with a rope over the elbow to the hand, and from the hand to the ground
ARM = {"gravity": [0, 0, -9.81], "links": [{"name": "ground"}, {"name": "upper", "mass": 2, "com": [0.5, 0, 0]}, {"name": "fore", "mass": 1, "com": [0.5, 0, 0]},
                                           {"name": "hand", "mass": 0.5, "com": [0.1, 0, 0]}],
       "joints": [{"name": "j1", "kind": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0]},
                  {"name": "j2", "kind": "revolute", "parent": "upper", "child": "fore", "axis": [0, 1, 0], "origin": {"position": [1, 0, 0]}},
                  {"name": "weld", "kind": "fixed", "parent": "fore", "child": "hand", "origin": {"position": [1, 0, 0]}}],
       "tendons": [{"name": "rope", "points": [{"link": "upper", "position": [0.2, 0, 0.2]}, {"link": "fore", "position": [0.3, 0, 0.1]}, {"link": "hand"}],
                    "stiffness": 50, "rest": [0.4, 0.6], "damping": 1},
                   {"name": "stay", "points": [{"link": "hand", "weight": 0.5}, {"link": "ground", "position": [0, 1, 1], "weight": 0},
                                               {"link": "ground", "position": [1, 0, 1], "weight": 2}, {"link": "fore"}], "stiffness": 20, "rest": 1}]}


def put(daemon, document, name="path", status=(200, 201)):
    got, _, text = daemon.request("PUT", f"/v1/robots/{name}", json.dumps(document), JSON)
    assert got in ((status,) if isinstance(status, int) else status), text
    return json.loads(text)


def ask(daemon, operation, body, name="path", status=200):
    got, _, text = daemon.request("POST", f"/v1/robots/{name}/{operation}", json.dumps(body), JSON)
    assert got == status, text
    return json.loads(text)


def patched(daemon, *operations, name="path", status=200):
    got, _, text = daemon.request("PATCH", f"/v1/robots/{name}", json.dumps({"operations": operations}), JSON)
    assert got == status or (status == 200 and got == 201), text
    return json.loads(text)


@pytest.mark.parametrize("damping", (0.0, 0.5))
def test_two_bodies_on_a_spring_swing_against_each_other(daemon, damping):
    """r'' = -2 k (r - rest) - 2 c r', from r = 1 at rest."""
    document = copy.deepcopy(PAIR)
    document["tendons"][0]["damping"] = damping
    put(daemon, document)
    run = ask(daemon, "simulate", {"initial": {"q": HOME}, "duration_s": 3, "output": {"interval_s": 0.5}, "include": ["energy"],
                                   "solver": {"method": "dopri87", "rtol": 1e-11, "atol": 1e-12}})
    w = math.sqrt(16 - damping**2)
    for t, q in zip(run["t"], run["q"], strict=True):
        want = 0.5 + 0.5 * math.exp(-damping * t) * (math.cos(w * t) + damping / w * math.sin(w * t))
        assert q[7] - q[0] == pytest.approx(want, abs=1e-8) and q[7] + q[0] == pytest.approx(1, abs=1e-9)
    energies = [a + b for a, b in zip(run["kinetic_energy"], run["potential_energy"], strict=True)]
    assert energies[0] == pytest.approx(1, abs=1e-12)
    if damping == 0.0:
        assert max(abs(e - 1) for e in energies) < 1e-8
    else:
        assert all(a > b for a, b in zip(energies, energies[1:])) and energies[-1] < 0.2


def test_the_spring_turns_with_the_bodies_and_dissipation_balances(daemon):
    """Fixed off the centres, the bodies tumble: the audit accounts for all of the energy."""
    document = copy.deepcopy(PAIR)
    tie = document["tendons"][0]
    tie["points"][0]["position"], tie["points"][1]["position"], tie["damping"] = [0.1, 0.2, 0], [0, -0.1, 0.3], 0.7
    put(daemon, document)
    run = ask(daemon, "simulate", {"initial": {"q": HOME, "qd": [0, 0.3, 0, 1, 0, 2, 0, -0.3, 0, 0, -1, 0]}, "duration_s": 2, "output": {"interval_s": 0.5},
                                   "solver": {"method": "dopri87", "rtol": 1e-10, "atol": 1e-12}})
    assert run["audit"]["energy"]["relative"] < 1e-7 and run["audit"]["energy"]["dissipated"] > 0.1, run["audit"]


def test_documents_and_mjcf_give_the_same(daemon):
    robot = put(daemon, ARM)
    assert robot["tendons"][1]["points"] == [{"link": "hand", "position": [0, 0, 0], "weight": 0.5}, {"link": "ground", "position": [0, 1, 1], "weight": 0},
                                             {"link": "ground", "position": [1, 0, 1], "weight": 2}, {"link": "fore", "position": [0, 0, 0]}]
    assert put(daemon, robot)["tendons"] == robot["tendons"]
    ours = ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [1, 2], "include": ["ledger", "derivatives", "energy"]})
    status, _, text = daemon.request("GET", "/v1/robots/path?format=mjcf")
    assert status == 200
    got, _, again = daemon.request("PUT", "/v1/robots/from-mjcf", text, {"Content-Type": "application/xml"})
    assert got in (200, 201) and json.loads(again)["tendons"] == robot["tendons"], again
    theirs = ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [1, 2], "include": ["ledger", "derivatives", "energy"]}, "from-mjcf")
    for name in ("spring", "friction"):
        assert ours["ledger"][name] == pytest.approx(theirs["ledger"][name], abs=1e-12) and any(ours["ledger"][name])
    assert ours["energy"]["potential"] == pytest.approx(theirs["energy"]["potential"], abs=1e-12)
    for form in ("urdf", "sdf"):
        status, _, text = daemon.request("GET", f"/v1/robots/path?format={form}")
        assert status == 406 and "tendon" in (text if isinstance(text, str) else text.decode()), text


def test_slopes_are_those_of_the_torque(daemon):
    put(daemon, ARM)
    h, slopes = 1e-6, ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [1, 2], "include": ["derivatives"]})["derivatives"]
    for k in range(2):
        for name, at in (("dtau_dq", "q"), ("dtau_dqd", "qd")):
            sides = []
            for sign in (1, -1):
                state = {"q": [0.3, -0.7], "qd": [1.0, 2.0], "qdd": [0, 0]}
                state[at][k] += sign * h
                sides.append(ask(daemon, "inverse-dynamics", state)["tau"])
            for r in range(2):
                assert slopes[name][r][k] == pytest.approx((sides[0][r] - sides[1][r]) / (2 * h), abs=1e-5)


def torque(daemon, name="path", q=(0.3, -0.7)):
    return ask(daemon, "inverse-dynamics", {"q": list(q), "qd": [1] * len(q), "qdd": [0] * len(q)}, name)["tau"]


def test_surgery_takes_points_along(daemon):
    put(daemon, ARM)
    before = torque(daemon)
    # held joints are rigid: what is left feels the same
    locked = patched(daemon, {"op": "lock", "joints": {"j1": 0.3}})
    assert [len(one["points"]) for one in locked["tendons"]] == [3, 4]
    assert ask(daemon, "inverse-dynamics", {"q": [-0.7], "qd": [0], "qdd": [0]})["tau"][0] == pytest.approx(
        (put(daemon, ARM), ask(daemon, "inverse-dynamics", {"q": [0.3, -0.7], "qd": [0, 0], "qdd": [0, 0]}))[1]["tau"][1], abs=1e-12)
    # from the hand: internal forces are the same, the world is elsewhere
    inner = copy.deepcopy(ARM)
    inner["tendons"] = inner["tendons"][:1]
    inner["gravity"] = [0, 0, 0]
    put(daemon, inner)
    spring = ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [0, 0], "include": ["ledger"]})["ledger"]["spring"]
    patched(daemon, {"op": "root", "link": "hand"})
    turned = ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [0, 0], "include": ["ledger"]})["ledger"]["spring"]
    assert turned == pytest.approx(spring, abs=1e-12) and spring[0] == pytest.approx(0, abs=1e-12) and spring[1] != 0
    # joined: both with their own points
    put(daemon, ARM, "other-path")
    put(daemon, ARM)
    joined = patched(daemon, {"op": "join", "robot": "other-path", "link": "ground", "prefix": "b_", "position": [0, 5, 0]})
    assert [one["name"] for one in joined["tendons"]] == ["rope", "stay", "b_rope", "b_stay"] and joined["tendons"][3]["points"][1]["link"] == "b_ground"
    both = torque(daemon, q=(0.3, -0.7, 0.3, -0.7))
    assert both == pytest.approx(before + before, abs=1e-11)
    # cut through a path, or around it
    assert "cut off" in json.dumps(patched(daemon, {"op": "subchain", "link": "ground", "tips": ["upper"]}, status=422))
    alone = patched(daemon, {"op": "subchain", "link": "b_ground"})
    assert [one["name"] for one in alone["tendons"]] == ["b_rope", "b_stay"] and torque(daemon) == pytest.approx(before, abs=1e-11)


def test_a_tendon_gets_other_points(daemon):
    put(daemon, ARM)
    changed = patched(daemon, {"op": "tendon", "tendon": "rope", "points": [{"link": "upper"}, {"link": "hand"}]})
    rope = next(one for one in changed["tendons"] if one["name"] == "rope")
    assert [p["link"] for p in rope["points"]] == ["upper", "hand"] and rope["stiffness"] == 50
    summed = patched(daemon, {"op": "tendon", "tendon": "rope", "coefficients": {"j1": 2}})
    rope = next(one for one in summed["tendons"] if one["name"] == "rope")
    assert rope["coefficients"] == {"j1": 2} and "points" not in rope
    assert "points" in json.dumps(patched(daemon, {"op": "tendon", "tendon": "stay", "points": [{"link": "hand"}]}, status=422))


TWO = [{"link": "upper"}, {"link": "hand"}]


@pytest.mark.parametrize("fields, words", (
    (dict(points=[{"link": "upper"}]), "1 points"), (dict(points=[{"link": "upper"}, {"link": "elbow"}]), "elbow"), (dict(points=TWO, coefficients={"j1": 1}), "coefficients"),
    (dict(points=[{"link": "upper", "weight": -1}, {"link": "hand"}]), "negative"), (dict(points=[{"link": "upper", "weight": 0}, {"link": "hand"}]), "every weight"),
    (dict(points=[{"link": "upper", "postion": [0, 0, 0]}, {"link": "hand"}]), "postion"), (dict(points={"upper": 1}), "points"), (dict(points=TWO * 2049), "4098 points")))
def test_faults_have_their_place(daemon, fields, words):
    document = copy.deepcopy(ARM)
    document["tendons"] = [dict(name="t", stiffness=1, **fields)]
    assert words in json.dumps(put(daemon, document, "wrong", (400, 413, 422)))


def test_paths_are_bounded(daemon):
    """A zigzag between the ends of a long chain costs its joints again in each sample."""
    n = 1100
    document = {"gravity": [0, 0, 0], "links": [{"name": f"l{k}", "mass": 1, "com": [0, 0, 0]} for k in range(n)],
                "joints": [{"name": f"j{k}", "kind": "prismatic", "axis": [1, 0, 0], "parent": f"l{k}", "child": f"l{k + 1}"} for k in range(n - 1)],
                "tendons": [{"name": "lace", "points": [{"link": f"l{k % 2 * (n - 1)}", "position": [0, k, 0]} for k in range(20)], "stiffness": 1}]}
    assert "passes too many joints" in json.dumps(put(daemon, document, "wrong", (413, 422)))
    del document["tendons"][0]["points"][15:]
    put(daemon, document, "long")


# a rope from the ground over a drum of 0.2 m on the forearm's root to the hand, and one that is kept inside a ring
AROUND = {**ARM, "tendons": [
    {"name": "over", "points": [{"link": "upper", "position": [0.3, 0, 0.1]}, {"link": "fore", "radius": 0.2, "axis": [0, 2, 0], "side": {"link": "upper", "position": [1, 0, 0.5]}},
                                {"link": "fore", "position": [0.7, 0, 0.1]}], "stiffness": 50, "rest": 0.3},
    {"name": "ring", "points": [{"link": "ground", "position": [0, 0.1, 0.6], "weight": 0.5}, {"link": "upper", "position": [0.5, 0, 0.2], "radius": 0.1, "side": {"link": "upper",
                                "position": [0.5, 0, 0.2]}}, {"link": "hand", "position": [0, 0, 0.4]}], "stiffness": 20, "rest": 0.4}]}


def test_a_drum_in_closed_form(daemon):
    """Both ends 0.7 m and 0.5 sqrt(2) m from the drum's axis: the length grows by the radius times the elbow's angle while it touches."""
    drum = copy.deepcopy(ARM)
    drum["gravity"] = [0, 0, 0]
    drum["tendons"] = [copy.deepcopy(AROUND["tendons"][0])]
    put(daemon, drum)
    energy, previous = [], None
    for angle in (0.5, 0.9, 1.3):  # about y: the forearm sinks, the rope is longer over the drum
        answer = ask(daemon, "terms", {"q": [0.2, angle], "qd": [0, 0], "include": ["ledger", "energy"]})
        length = 0.3 + math.sqrt(2 * answer["energy"]["potential"] / 50)
        spring = answer["ledger"]["spring"]
        assert spring[0] == pytest.approx(0, abs=1e-12) and spring[1] == pytest.approx(50 * (length - 0.3) * 0.2, abs=1e-9)
        if previous is not None:
            assert length - previous == pytest.approx(0.2 * 0.4, abs=1e-12)
        previous = length
        energy.append(answer["energy"]["potential"])
    # straight where it is clear of the drum, on its side
    answer = ask(daemon, "terms", {"q": [0.2, -0.9], "qd": [0, 0], "include": ["energy"]})
    c, s = math.cos(-0.9), math.sin(-0.9)
    end = (1 + 0.7 * c + 0.1 * s, -0.7 * s + 0.1 * c)
    want = math.hypot(end[0] - 0.3, end[1] - 0.1)
    assert math.sqrt(2 * answer["energy"]["potential"] / 50) + 0.3 == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("which", (0, 1))
def test_motion_around_solids_keeps_its_energy(daemon, which):
    """The drum is left on the way; the ring is never left."""
    document = copy.deepcopy(AROUND)
    document["gravity"], document["tendons"] = [0, 0, 0], [document["tendons"][which]]
    put(daemon, document)
    run = ask(daemon, "simulate", {"initial": {"q": [0, 0.9], "qd": [0, 0]}, "duration_s": 0.4, "output": {"interval_s": 0.02}, "include": ["energy"],
                                   "solver": {"method": "dopri87", "rtol": 1e-11, "atol": 1e-12}})
    energies = [a + b for a, b in zip(run["kinetic_energy"], run["potential_energy"], strict=True)]
    assert max(abs(e - energies[0]) for e in energies) < 1e-8 and max(run["kinetic_energy"]) > 0.1


def test_solids_of_documents_and_mjcf_are_the_same(daemon):
    robot = put(daemon, AROUND)
    solid = robot["tendons"][0]["points"][1]
    assert solid == {"link": "fore", "position": [0, 0, 0], "radius": 0.2, "axis": [0, 1, 0], "side": {"link": "upper", "position": [1, 0, 0.5]}}
    assert put(daemon, robot)["tendons"] == robot["tendons"]
    status, _, text = daemon.request("GET", "/v1/robots/path?format=mjcf")
    assert status == 200
    got, _, again = daemon.request("PUT", "/v1/robots/from-mjcf", text, {"Content-Type": "application/xml"})
    assert got in (200, 201), again
    for q in ([0.3, 0.7], [0.3, -0.7], [-1, 2.5]):
        body = {"q": q, "qd": [1, 2], "include": ["ledger", "derivatives", "energy"]}
        ours, theirs = ask(daemon, "terms", body), ask(daemon, "terms", body, "from-mjcf")
        assert ours["ledger"]["spring"] == pytest.approx(theirs["ledger"]["spring"], abs=1e-12) and any(ours["ledger"]["spring"])
        assert ours["energy"]["potential"] == pytest.approx(theirs["energy"]["potential"], abs=1e-12)


def test_surgery_takes_solids_along(daemon):
    put(daemon, AROUND)
    before = torque(daemon)
    put(daemon, AROUND, "other-path")
    joined = patched(daemon, {"op": "join", "robot": "other-path", "link": "ground", "prefix": "b_", "position": [0, 5, 0]})
    assert joined["tendons"][2]["points"][1]["link"] == "b_fore" and joined["tendons"][2]["points"][1]["side"]["link"] == "b_upper"
    assert torque(daemon, q=(0.3, -0.7, 0.3, -0.7)) == pytest.approx(before + before, abs=1e-11)
    assert "cut off" in json.dumps(patched(daemon, {"op": "subchain", "link": "b_ground", "tips": ["b_upper"]}, status=422))
    alone = patched(daemon, {"op": "subchain", "link": "b_ground"})
    assert alone["tendons"][0]["points"][1]["side"]["link"] == "b_upper" and torque(daemon) == pytest.approx(before, abs=1e-11)
    put(daemon, AROUND)
    patched(daemon, {"op": "lock", "joints": {"j1": 0.3}})
    assert ask(daemon, "terms", {"q": [-0.7], "qd": [0], "include": ["energy"]})["energy"]["potential"] == pytest.approx(
        (put(daemon, AROUND), ask(daemon, "terms", {"q": [0.3, -0.7], "qd": [0, 0], "include": ["energy"]}))[1]["energy"]["potential"], abs=1e-11)


SOLID = {"link": "fore", "radius": 0.1}


@pytest.mark.parametrize("points, words", (
    ([SOLID, *TWO], "between two points"), ([*TWO, SOLID], "between two points"), ([TWO[0], SOLID, SOLID, TWO[1]], "between two points"),
    ([{**TWO[0], "weight": 0}, SOLID, TWO[1], TWO[0]], "between two points"), ([TWO[0], {**SOLID, "radius": 0}, TWO[1]], "radius"),
    ([TWO[0], {**SOLID, "radius": -1}, TWO[1]], "radius"), ([TWO[0], {**SOLID, "weight": 1}, TWO[1]], "weight"), ([TWO[0], {**SOLID, "axis": [0, 0, 0]}, TWO[1]], "axis"),
    ([TWO[0], {"link": "fore", "axis": [0, 0, 1]}, TWO[1]], "radius"), ([TWO[0], {"link": "fore", "side": {"link": "fore"}}, TWO[1]], "radius"),
    ([TWO[0], {**SOLID, "side": {"link": "elbow"}}, TWO[1]], "elbow"), ([TWO[0], {**SOLID, "side": {"link": "fore", "at": [0, 0, 1]}}, TWO[1]], "at"),
    ([TWO[0], {**SOLID, "side": 3}, TWO[1]], "side"), ([TWO[0], {**SOLID, "radius": "thick"}, TWO[1]], "radius")))
def test_faults_of_solids_have_their_place(daemon, points, words):
    document = copy.deepcopy(ARM)
    document["tendons"] = [dict(name="t", stiffness=1, points=points)]
    answer = put(daemon, document, "wrong", (400, 422))
    assert words in json.dumps(answer) and "/tendons/0/points/" in json.dumps(answer)
