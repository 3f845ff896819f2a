# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_ensemble.py - ensembles over HTTP: each member equals a simulation with the varied
# values, for each variation and each way to state it.
import copy
import json
import math
import statistics

import pytest
import yaml
from conftest import ROOT, problem

JSON = {"Content-Type": "application/json"}
START = {"q": [0.3, -0.4], "qd": [0.5, 0]}
PD = {"kind": "pd", "reference": {"setpoint": [0.1, 0.2]}, "kp": [60, 20], "kd": [6, 2], "ki": [3, 1]}
SLIDING = {"kind": "passivity-based", "reference": {"setpoint": [0.1, 0.2]}, "kd": [6, 2], "lambda": [5, 4]}
NOISE = {"kind": "noise", "torque": [1.5, 0.5], "interval_s": 0.02, "seed": 7}
SINE = {"kind": "sine", "torque": [2, 1], "frequency_hz": 3}
COMMON = {"initial": START, "duration_s": 0.2, "output": {"interval_s": 0.1}, "solver": {"method": "rk4", "step_s": 0.002}}


def ask(daemon, robot, call, body, want=200):
    status, _, text = daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), JSON)
    assert status == want, text
    return json.loads(text)


@pytest.fixture(scope="module")
def rubbed(daemon):
    """planar-2r with friction, as a document."""
    document = json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])
    for joint in document["joints"][:2]:
        joint["damping"] = 0.4
        joint["friction"].update(coulomb=0.6, breakaway=0.8, smoothing=0.01)
    status, _, text = daemon.request("PUT", "/v1/robots/rubbed", json.dumps(document), JSON)
    assert status in (200, 201), text
    return document


# -- variations, and the simulation equal to a member
# --------------------------------------------------------------------

def start(field, row):
    def change(body, robot, value):
        body["initial"][field][row] += value
    return change


def torque(body, robot, value):
    body["input"] = {"kind": "torque", "t": [0, 1], "tau": [[0, value], [0, value]]}


def payload(body, robot, value):
    body["payload"] = {"link": "link2", "mass": value, "com": [0.5, 0, 0], "inertia": [[0] * 3] * 3}


def mass(body, robot, value):
    link = robot["links"][2]
    link["mass"] *= value
    link["inertia"] = [[x * value for x in row] for row in link["inertia"]]


def viscous(body, robot, value):
    robot["joints"][1]["damping"] *= value


def coulomb(body, robot, value):
    for name in ("coulomb", "breakaway"):
        robot["joints"][0]["friction"][name] *= value


def gain(name, joint=None):
    def change(body, robot, value):
        body["input"][name] = [g * (value if joint in (None, k) else 1) for k, g in enumerate(body["input"][name])]
    return change


def seed(body, robot, value):
    body["disturbance"][1]["seed"] = math.floor(value)


def amplitude(body, robot, value):
    body["disturbance"][0]["torque"] = [x * value for x in body["disturbance"][0]["torque"]]


BOTH = {"disturbance": [SINE, NOISE]}
VARIED = {
    "q": ({"joint": "joint1"}, {}, start("q", 0)),
    "qd": ({"joint": "joint2"}, {}, start("qd", 1)),
    "torque": ({"joint": "joint2"}, {}, torque),
    "payload_mass": ({"link": "link2", "at": [0.5, 0, 0]}, {}, payload),
    "mass_factor": ({"link": "link2"}, {}, mass),
    "viscous_factor": ({"joint": "joint2"}, {}, viscous),
    "coulomb_factor": ({"joint": "joint1"}, {}, coulomb),
    "kp_factor": ({}, {"input": PD}, gain("kp")),
    "kd_factor": ({"joint": "joint2"}, {"input": PD}, gain("kd", 1)),
    "ki_factor": ({}, {"input": PD}, gain("ki")),
    "lambda_factor": ({"joint": "joint1"}, {"input": SLIDING}, gain("lambda", 0)),
    "noise_seed": ({"disturbance": 1}, BOTH, seed),
    "disturbance_factor": ({"disturbance": 0}, BOTH, amplitude),
}
SPREADS = {
    "list": ([0.5, 2.0, 1.25], {}),
    "grid": ({"from": 0.5, "to": 2.0, "count": 3}, {}),
    "uniform": ([0.5, 2.0], {"members": 3, "seed": 5}),
    "normal": ({"mean": 1.0, "deviation": 0.1}, {"members": 3, "seed": 5}),
}


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("of", VARIED)
def test_members_are_simulations(daemon, rubbed, of, spread):
    where, more, change = VARIED[of]
    how, count = SPREADS[spread]
    body = {**COMMON, **more}
    many = ask(daemon, "rubbed", "ensemble", {**body, **count, "vary": [{"of": of, **where, spread: how}], "return_members": [0, 1, 2]})
    assert many["members"] == 3 and [m["member"] for m in many["returned_members"]] == [0, 1, 2]
    values = [m["values"][0] for m in many["returned_members"]]
    if spread == "list":
        assert values == how
    elif spread == "grid":
        assert values == [0.5, 1.25, 2.0]
    else:
        assert len(set(values)) == 3 and (spread == "normal" or all(0.5 <= v < 2 for v in values))
    for member in many["returned_members"]:
        one, robot = copy.deepcopy(body), copy.deepcopy(rubbed)
        change(one, robot, member["values"][0])
        name = "rubbed"
        if robot != rubbed:
            name = "rubbed-otherwise"
            assert daemon.request("PUT", f"/v1/robots/{name}", json.dumps(robot), JSON)[0] in (200, 201)
        alone = ask(daemon, name, "simulate", one)
        assert member["outcome"] == "completed"
        assert member["q"] == alone["q"] and member["qd"] == alone["qd"], (of, spread)


@pytest.mark.parametrize("method", ["dopri45", "dopri87", "sdirk", "bdf"])
def test_adaptive_members_agree_with_simulations(daemon, method):
    solver = {"method": method, "rtol": 1e-8, "atol": 1e-9}
    body = {**COMMON, "solver": solver, "input": {"kind": "torque", "t": [0, 0.05, 0.3], "tau": [[0, 0], [1, -1], [2, 0]]}}
    many = ask(daemon, "planar-2r", "ensemble", {**body, "vary": [{"of": "q", "joint": "joint1", "list": [0, 0.4, 0.8]}],
                                                 "return_members": [0, 1, 2]})
    assert many["stats"]["side_by_side"] == method.startswith("dopri") and many["stats"]["rtol"] == 1e-8
    for member in many["returned_members"]:
        initial = {"q": [START["q"][0] + member["values"][0], START["q"][1]], "qd": START["qd"]}
        alone = ask(daemon, "planar-2r", "simulate", {**body, "initial": initial})
        for mine, other in zip(member["q"] + member["qd"], alone["q"] + alone["qd"]):
            assert mine == pytest.approx(other, abs=1e-5 if method == "bdf" else 1e-6)


@pytest.mark.parametrize("solver", [{"method": "rk4", "step_s": 0.001}, {"method": "dopri87"}], ids=lambda s: s["method"])
def test_members_with_dry_friction_stick_as_simulations_do(daemon, solver):
    body = {**COMMON, "initial": {"q": [0, 0.3, -0.4, 0, 0, 0]}, "solver": solver, "input": {"kind": "torque", "t": [0, 0.1, 1], "interpolation": "hold",
            "tau": [[30, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0] * 6]}}
    many = ask(daemon, "puma560", "ensemble", {**body, "vary": [{"of": "torque", "joint": "joint1", "list": [0, 10]}], "return_members": [0]})
    one = ask(daemon, "puma560", "simulate", body)
    for mine, other in zip(many["returned_members"][0]["q"], one["q"]):
        assert mine == (other if solver["method"] == "rk4" else pytest.approx(other, abs=1e-8))
    assert not many["stats"]["side_by_side"] and many["returned_members"][0]["qd"][-1][0] == 0, "it came to rest"


# -- statistics ------------------------------------------------------------------------------------------------------

DRAWN = {**COMMON, "members": 40, "seed": 3,
         "vary": [{"of": "q", "joint": "joint1", "normal": {"deviation": 0.2}}, {"of": "torque", "joint": "joint2", "uniform": [-1, 2]}]}


def test_statistics_are_those_of_the_members(daemon):
    levels = [0, 0.1, 0.5, 0.75, 1]
    many = ask(daemon, "planar-2r", "ensemble", {**DRAWN, "quantiles": levels, "return_members": list(range(40)), "end_states": True})
    assert many["alive"] == [40, 40, 40] and many["outcomes"] == {"completed": 40, "stopped": 0, "diverged": 0, "unfinished": 0}
    assert many["end_states"]["members"] == list(range(40)) and many["ended"] == []
    for what in ("q", "qd"):
        assert many["end_states"][what] == [m[what][-1] for m in many["returned_members"]]
        for k in range(3):
            for c in range(2):
                x = sorted(m[what][k][c] for m in many["returned_members"])
                reply = many[what]
                assert reply["least"][k][c] == x[0] and reply["largest"][k][c] == x[-1]
                assert reply["mean"][k][c] == pytest.approx(statistics.fmean(x), abs=1e-13)
                assert reply["deviation"][k][c] == pytest.approx(statistics.stdev(x), abs=1e-13)
                for level, table in zip(levels, reply["quantiles"]):
                    at = level * 39
                    low = min(math.floor(at), 38)
                    assert table[k][c] == pytest.approx(x[low] + (at - low) * (x[low + 1] - x[low]), abs=1e-14)


def test_members_on_demand_are_the_same_members(daemon):
    whole = ask(daemon, "planar-2r", "ensemble", {**DRAWN, "return_members": [4, 11, 39]})
    some = ask(daemon, "planar-2r", "ensemble", {**DRAWN, "only": [39, 4, 11], "return_members": [1, 2, 0]})
    assert some["members"] == 3 and some["returned_members"] == whole["returned_members"]
    other = ask(daemon, "planar-2r", "ensemble", {**DRAWN, "seed": 4, "only": [4], "return_members": [0]})
    assert other["returned_members"][0]["values"] != whole["returned_members"][0]["values"]


def test_lists_and_grids_make_a_product_with_draws_at_each_point(daemon):
    many = ask(daemon, "planar-2r", "ensemble", {
        **COMMON, "members": 4, "end_states": True,
        "vary": [{"of": "q", "joint": "joint1", "list": [0, 0.5, 2]}, {"of": "qd", "joint": "joint2", "grid": {"from": -1, "to": 1, "count": 5}},
                 {"of": "torque", "joint": "joint1", "uniform": [0, 1]}]})
    values = many["end_states"]["values"]
    assert many["members"] == 60
    assert [v[:2] for v in values] == [[[0, 0.5, 2][m // 4 % 3], [-1, -0.5, 0, 0.5, 1][m // 12]] for m in range(60)]
    assert len({v[2] for v in values}) == 60


# -- how members end --------------------------------------------------------------------------------------------------

def test_events_stop_and_are_counted(daemon):
    events = [{"on": "q", "joint": "joint1", "level": 0.28, "direction": "down", "action": "stop"}, {"on": "qd", "joint": "joint1", "level": 0.2}]
    body = {**COMMON, "duration_s": 0.4, "events": events}
    many = ask(daemon, "planar-2r", "ensemble", {**body, "vary": [{"of": "qd", "joint": "joint1", "list": [0, 0.5, 3.5]}],
                                                 "return_members": [0, 1, 2], "end_states": True})
    ended = {m["member"]: m for m in many["ended"]}
    counts = []
    for k, push in enumerate([0, 0.5, 3.5]):
        one = ask(daemon, "planar-2r", "simulate", {**body, "initial": {"q": START["q"], "qd": [0.5 + push, 0]}})
        reply = many["returned_members"][k]
        assert reply["outcome"] == one["verdict"]["outcome"]
        counts.append([sum(e["event"] == i for e in one["events"]) for i in (0, 1)])
        assert reply["events"] == counts[k]
        if reply["outcome"] == "stopped":
            assert reply["t"] == ended[k]["t"] == one["verdict"]["t"] and ended[k]["event"] == reply["event"] == 0
        place = many["end_states"]["members"].index(k)
        assert many["end_states"]["q"][place] == one["q"][-1] and many["end_states"]["t"][place] == one["t"][-1]
        assert many["end_states"]["events"][place] == counts[k]
    assert many["outcomes"] == {"completed": 1, "stopped": 2, "diverged": 0, "unfinished": 0}
    assert many["events"] == {"total": [sum(c[i] for c in counts) for i in (0, 1)], "members": [sum(c[i] > 0 for c in counts) for i in (0, 1)]}
    assert many["alive"][0] == 3 and many["alive"][-1] == 1


@pytest.mark.parametrize("solver", [{"method": "rk4", "step_s": 0.002}, {"method": "dopri87"}])
def test_members_that_run_away_are_named(daemon, solver):
    many = ask(daemon, "planar-2r", "ensemble", {**COMMON, "solver": solver, "return_members": [1],
                                                 "vary": [{"of": "qd", "joint": "joint1", "list": [0, 2e6, 0.1]}]})
    assert many["outcomes"] == {"completed": 2, "stopped": 0, "diverged": 1, "unfinished": 0}
    assert [(m["member"], m["outcome"], m["reason"]) for m in many["ended"]] == [(1, "diverged", "a velocity ran away")]
    assert 0 <= many["ended"][0]["t"] <= 0.002 and many["returned_members"][0]["t"] == many["ended"][0]["t"]
    assert many["alive"] == [3, 2, 2] and len(many["returned_members"][0]["q"]) == 1


@pytest.mark.parametrize("solver", [{"method": "rk4", "step_s": 0.002}, {"method": "dopri87"}], ids=lambda s: s["method"])
def test_a_member_without_inertia_ends_alone(daemon, solver):
    body = {**COMMON, "solver": solver}
    many = ask(daemon, "planar-2r", "ensemble", {**body, "vary": [{"of": "mass_factor", "link": "link2", "list": [1, 0, 2]}], "return_members": [0, 1, 2]})
    quiet = ask(daemon, "planar-2r", "ensemble", {**body, "vary": [{"of": "mass_factor", "link": "link2", "list": [1, 2]}], "return_members": [0, 1]})
    assert many["stats"]["side_by_side"] and [(m["member"], m["outcome"], m["t"]) for m in many["ended"]] == [(1, "diverged", 0)]
    for k, other in ((0, 0), (2, 1)):
        assert many["returned_members"][k]["q"] == quiet["returned_members"][other]["q"] and many["returned_members"][k]["qd"] == quiet["returned_members"][other]["qd"]


# -- closed loops -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("solver", [{"method": "rk4", "step_s": 0.002}, {"method": "dopri87", "rtol": 1e-9}, {"method": "sdirk", "rtol": 1e-9}],
                         ids=lambda s: s["method"])
@pytest.mark.parametrize("robot, joint", [("four-bar", "crank"), ("parallel-2dof", "arm1")])
def test_members_with_closed_loops(daemon, robot, joint, solver):
    q = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["assembled"]
    body = {"initial": {"q": q}, "duration_s": 0.2, "output": {"interval_s": 0.1}, "solver": solver}
    many = ask(daemon, robot, "ensemble", {**body, "return_members": [0, 1, 2, 3, 4, 5],
                                           "vary": [{"of": "q", "joint": joint, "list": [0, 0.1, -0.1]},
                                                    {"of": "torque", "joint": joint, "list": [0, 0.5]}]})
    assert many["outcomes"]["completed"] == 6
    for member in many["returned_members"]:
        shift, push = member["values"]
        tau = [push] + [0] * (len(q) - 1)
        one = ask(daemon, robot, "simulate", {**body, "initial": {"q": [q[0] + shift, *q[1:]]},
                                              "input": {"kind": "torque", "t": [0, 1], "tau": [tau, tau]}})
        for mine, other in zip(member["q"] + member["qd"], one["q"] + one["qd"]):
            assert mine == pytest.approx(other, abs=1e-7)
        # the final state satisfies the constraints
        at = ask(daemon, robot, "simulate", {"initial": {"q": member["q"][-1], "qd": member["qd"][-1]}, "duration_s": 1e-3,
                                             "output": {"interval_s": 1e-3}, "solver": {"method": "rk4", "step_s": 1e-3}})
        begin = at["constraints"]["start"]
        assert begin["position_residual"] <= 1e-10 and begin["velocity_residual"] <= 1e-9


def test_members_with_closed_loops_and_payloads(daemon):
    q = json.loads(daemon.request("GET", "/v1/robots/four-bar")[2])["assembled"]
    body = {"initial": {"q": q}, "duration_s": 0.2, "output": {"interval_s": 0.1}, "solver": {"method": "rk4", "step_s": 0.002}}
    many = ask(daemon, "four-bar", "ensemble", {**body, "vary": [{"of": "payload_mass", "link": "coupler", "at": [0.2, 0, 0], "list": [0, 0.5]}],
                                                "return_members": [0, 1]})
    load = {"link": "coupler", "mass": 0.5, "com": [0.2, 0, 0], "inertia": [[0] * 3] * 3}
    for member, more in zip(many["returned_members"], ({}, {"payload": load})):
        one = ask(daemon, "four-bar", "simulate", {**body, **more})
        for mine, other in zip(member["q"] + member["qd"], one["q"] + one["qd"]):
            assert mine == pytest.approx(other, abs=1e-9)
    assert many["returned_members"][0]["q"][-1] != many["returned_members"][1]["q"][-1]


def test_a_closed_loop_that_breaks_ends_alone(daemon):
    """Under an unbounded torque no step returns the four-bar to its constraint: this member alone ends."""
    q = json.loads(daemon.request("GET", "/v1/robots/four-bar")[2])["assembled"]
    body = {"initial": {"q": q}, "duration_s": 0.1, "output": {"interval_s": 0.1}, "solver": {"method": "rk4", "step_s": 0.005}, "return_members": [0, 2]}
    many = ask(daemon, "four-bar", "ensemble", {**body, "vary": [{"of": "torque", "joint": "crank", "list": [0, 1e9, 0.5]}]})
    assert many["outcomes"] == {"completed": 2, "stopped": 0, "diverged": 1, "unfinished": 0}
    assert [m["member"] for m in many["ended"]] == [1]
    quiet = ask(daemon, "four-bar", "ensemble", {**body, "vary": [{"of": "torque", "joint": "crank", "list": [0, 0.2, 0.5]}]})
    assert many["returned_members"] == quiet["returned_members"]


# -- refusals ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("more, vary, pointer", [
    ({}, {"of": "kp_factor", "list": [1]}, "/vary/0/of"),
    ({"input": SLIDING}, {"of": "kp_factor", "list": [1]}, "/vary/0/of"),
    ({"input": PD}, {"of": "kp_factor", "link": "link1", "list": [1]}, "/vary/0/link"),
    ({"input": PD}, {"of": "kp_factor", "joint": "none", "list": [1]}, "/vary/0/joint"),
    ({"input": PD}, {"of": "kp_factor", "list": [-1]}, "/vary/0"),
    ({}, {"of": "noise_seed", "list": [1]}, "/vary/0/of"),
    (BOTH, {"of": "noise_seed", "list": [1]}, "/vary/0/disturbance"),
    (BOTH, {"of": "noise_seed", "disturbance": 0, "list": [1]}, "/vary/0/of"),
    (BOTH, {"of": "noise_seed", "disturbance": 2, "list": [1]}, "/vary/0/disturbance"),
    (BOTH, {"of": "noise_seed", "disturbance": 1, "list": [-1]}, "/vary/0"),
    (BOTH, {"of": "q", "joint": "joint1", "disturbance": 1, "list": [1]}, "/vary/0/disturbance"),
    ({"disturbance": [{"kind": "table", "t": [0, 1], "torque": [[0, 0], [1, 1]]}]}, {"of": "disturbance_factor", "list": [1]}, "/vary/0/of"),
    ({"events": [{"on": "q"}]}, {"of": "q", "joint": "joint1", "list": [1]}, "/events/0/joint")])
def test_wrong_variations_have_their_place(daemon, more, vary, pointer):
    answer = daemon.request("POST", "/v1/robots/planar-2r/ensemble", json.dumps({**COMMON, **more, "vary": [vary]}), JSON)
    fault = problem(answer, 422)["errors"][0]
    assert fault["pointer"] == pointer and fault["hint"]


# -- the default solver, and the notes on a badly chosen one ------------------------------------------------------------

def test_examples_of_the_contract_diverge_nowhere(daemon):
    contract = yaml.safe_load((ROOT / "api" / "openapi" / "openapi.yaml").read_text())
    examples = contract["paths"]["/v1/robots/{name}/ensemble"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert len(examples) >= 3
    for name, example in examples.items():
        many = ask(daemon, example.get("x-robot", "panda"), "ensemble", example["value"])
        assert many["outcomes"]["diverged"] == many["outcomes"]["unfinished"] == 0, name
        assert many["findings"] == [], name


def test_without_a_solver_stiff_gains_are_followed_as_a_simulation_follows_them(daemon):
    """kd / inertia of the last joint is about 1e4 /s; rk4 with steps of 1 ms is stable only below 2.8e3 /s."""
    body = {"initial": {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}, "duration_s": 0.1, "output": {"interval_s": 0.05},
            "input": {"kind": "pd-gravity", "reference": {"setpoint": [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}, "kp": 400, "kd": 40}}
    vary = {"vary": [{"of": "payload_mass", "link": "flange", "at": [0, 0, 0.1], "grid": {"from": 0, "to": 3.5, "count": 8}}], "end_states": True}
    many = ask(daemon, "panda", "ensemble", {**body, **vary})
    assert many["outcomes"] == {"completed": 8, "stopped": 0, "diverged": 0, "unfinished": 0}
    assert many["stats"]["method"] == "dopri87" and many["findings"] == []
    tight = {"solver": {"method": "dopri87", "rtol": 1e-12, "atol": 1e-12}}
    one = ask(daemon, "panda", "simulate", {**body, **tight})
    assert many["end_states"]["q"][0] == pytest.approx(one["q"][-1], abs=1e-7)
    better = ask(daemon, "panda", "ensemble", {**body, **vary, **tight})
    for mine, theirs in zip(many["end_states"]["q"], better["end_states"]["q"]):
        assert mine == pytest.approx(theirs, abs=1e-7)
    many = ask(daemon, "panda", "ensemble", {**body, **vary, "solver": {"method": "rk4", "step_s": 0.001}})
    lost = many["outcomes"]["diverged"]
    assert lost > 0
    assert many["findings"] == [f'{lost} of 8 members diverged by steps of 0.001 s of rk4, which may be too long for them: leave "solver" out, or take '
                                'shorter ones']


def test_events_of_one_direction_are_counted_each_time(daemon):
    """A pendulum released at 1.5 rad passes its lowest point at K(sin .75) / omega and every two quarter periods
    later, in alternating directions. It exceeds its upper limit of 1 rad once in each period; all members start
    beyond the limit."""
    quarter = ellipk(math.sin(0.75)) / math.sqrt(9.81 / 0.8)
    document = json.loads(daemon.request("GET", "/v1/robots/pendulum")[2])
    document["joints"][0]["kind"] = "revolute"
    document["joints"][0]["limits"] = {"lower": -100, "upper": 1.0}
    status, _, text = daemon.request("PUT", "/v1/robots/one-stop", json.dumps(document), JSON)
    assert status in (200, 201), text
    events = [[{"on": "q", "joint": "joint1", "direction": "up"}], [{"on": "q", "joint": "joint1", "direction": "down"}], [{"on": "limits"}]]
    want = [[3 * quarter, 7 * quarter, 11 * quarter], [quarter, 5 * quarter, 9 * quarter], None]
    for rules, times in zip(events, want):
        body = {"initial": {"q": [1.5]}, "duration_s": 12.5 * quarter, "output": {"interval_s": 0.5}, "events": rules}
        one = ask(daemon, "one-stop", "simulate", body)
        if times:
            assert [e["t"] for e in one["events"]] == pytest.approx(times, abs=1e-7)
        assert len(one["events"]) == 3
        many = ask(daemon, "one-stop", "ensemble", {**body, "vary": [{"of": "q", "joint": "joint1", "list": [0, -0.01]}]})
        assert many["events"] == {"total": [6], "members": [2]}


def ellipk(k):
    """Complete elliptic integral of the first kind, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k * k)
    for _ in range(12):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)
