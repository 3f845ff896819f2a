# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_requests_people_write.py - requests as users write them: optional members, answers used
# as requests, joints by name, wrong names.
import json
import math
import struct

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1]
QDD = [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
ZERO = [0.0] * 7


def post(daemon, call, body, robot="panda", **headers):
    headers = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
    return daemon.request("POST", f"/v1/robots/{robot}/{call}", json.dumps(body), headers)


def ask(daemon, call, body, robot="panda"):
    status, _, text = post(daemon, call, body, robot)
    assert status == 200, text
    return json.loads(text)


def refused(daemon, call, body, robot="panda"):
    answer = post(daemon, call, body, robot)
    assert answer[0] in (400, 422), answer
    return json.loads(answer[2])["errors"][0]


def without(answer, *keys):
    return {key: value for key, value in answer.items() if key not in ("provenance", *keys)}


# Members that may be left out


LEFT_OUT = [("inverse-dynamics", {"q": Q}, {"qd": ZERO, "qdd": ZERO}),
            ("inverse-dynamics", {"q": Q, "qdd": QDD}, {"qd": ZERO}),
            ("inverse-dynamics", {"q": Q, "qd": QD}, {"qdd": ZERO}),
            ("inverse-dynamics", {"q": [Q] * 300}, {"qd": [ZERO] * 300, "qdd": [ZERO] * 300}),
            ("inverse-dynamics", {"q": Q, "include": ["ledger", "reactions"]}, {"qd": ZERO, "qdd": ZERO}),
            ("forward-dynamics", {"q": Q}, {"qd": ZERO, "tau": ZERO}),
            ("forward-dynamics", {"q": [Q, ZERO], "tau": [QDD, QD]}, {"qd": [ZERO, ZERO]}),
            ("regressor", {"q": Q}, {"qd": ZERO, "qdd": ZERO}),
            ("regressor", {"q": [Q, QD], "qd": [QD, Q]}, {"qdd": [ZERO, ZERO]}),
            ("kinematics", {"q": Q, "qdd": QDD, "frames": ["flange"], "expressed_in": "world"}, {"qd": ZERO})]


@pytest.mark.parametrize("call, body, zeros", LEFT_OUT)
def test_arrays_that_are_left_out_are_zero_and_the_answer_says_so(daemon, call, body, zeros):
    short = ask(daemon, call, body)
    assert short["assumed_zero"] == list(zeros)
    full = ask(daemon, call, body | zeros)
    assert "assumed_zero" not in full
    assert without(short, "assumed_zero") == without(full)


def test_a_pendulum_at_rest_bears_its_weight(daemon):
    """Closed form: gravity torque alone; in the short form, and as a batch with one angle in each row."""
    document = {"name": "rod", "gravity": [0, 0, -9.81],
                "links": [{"name": "base"}, {"name": "rod", "mass": 2.0, "com": [0.5, 0, 0],
                                              "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "inertia_about": "com"}],
                "joints": [{"name": "hinge", "kind": "continuous", "parent": "base", "child": "rod", "axis": [0, 1, 0]}]}
    status, _, text = daemon.request("PUT", "/v1/robots/people-rod", json.dumps(document),
                                     {"Content-Type": "application/json"})
    assert status in (200, 201), text
    angles = [0.0, 0.4, -1.1]
    tau = ask(daemon, "inverse-dynamics", {"q": [[a] for a in angles]}, "people-rod")["tau"]
    assert [row[0] for row in tau] == pytest.approx([-9.81 * math.cos(a) for a in angles], abs=1e-12)
    qdd = ask(daemon, "forward-dynamics", {"q": [0.4]}, "people-rod")["qdd"]
    assert qdd == pytest.approx([9.81 * math.cos(0.4) / 0.6], abs=1e-12)


def test_coordinates_themselves_are_not_left_out(daemon):
    for call in ("inverse-dynamics", "forward-dynamics", "regressor"):
        assert refused(daemon, call, {"qd": QD})["pointer"] == "/q"


# One value for all samples of a batch


ROWS = [Q, [x + 0.1 for x in Q], [x - 0.1 for x in Q]]
ONE_FOR_ALL = [("inverse-dynamics", {"q": ROWS, "qd": QD, "qdd": QDD}, {"qd": [QD] * 3, "qdd": [QDD] * 3}),
               ("inverse-dynamics", {"q": Q, "qd": QD, "qdd": ROWS}, {"q": [Q] * 3, "qd": [QD] * 3}),
               ("inverse-dynamics", {"q": [Q], "qdd": ROWS}, {"q": [Q] * 3}),
               ("inverse-dynamics", {"q": Q, "qdd": ROWS * 200, "joints": [f"joint{k}" for k in range(7, 0, -1)]}, {"q": [Q] * 600}),
               ("forward-dynamics", {"q": Q, "qd": QD, "tau": ROWS}, {"q": [Q] * 3, "qd": [QD] * 3}),
               ("terms", {"q": ROWS, "qd": QD, "include": ["coriolis_vector"]}, {"qd": [QD] * 3}),
               ("kinematics", {"q": ROWS, "qd": QD, "frames": ["flange"], "expressed_in": "world"}, {"qd": [QD] * 3}),
               ("regressor", {"q": Q, "qd": QD, "qdd": ROWS}, {"q": [Q] * 3, "qd": [QD] * 3})]


@pytest.mark.parametrize("call, body, repeated", ONE_FOR_ALL)
def test_one_sample_beside_a_batch_is_that_of_all_its_samples(daemon, call, body, repeated):
    assert without(ask(daemon, call, body)) == without(ask(daemon, call, body | repeated))


def test_a_single_row_of_a_batch_stays_a_batch(daemon):
    assert ask(daemon, "inverse-dynamics", {"q": [Q], "qd": QD})["tau"] == [ask(daemon, "inverse-dynamics", {"q": Q, "qd": QD})["tau"]]


@pytest.mark.parametrize("call", ["inverse-dynamics", "regressor"])
def test_two_samples_beside_three_are_refused(daemon, call):
    fault = refused(daemon, call, {"q": ROWS, "qd": [QD, QD]})
    assert fault["pointer"] == "/qd" and "one sample for all" in fault["hint"]


# An answer used in a request


def test_a_trajectory_is_sent_on_as_it_is(daemon):
    path = {"waypoints": [Q, ZERO], "timing": "quintic", "durations_s": [1], "interval_s": 0.01}
    motion = ask(daemon, "trajectory", path)
    answer = ask(daemon, "inverse-dynamics", motion)
    assert set(answer["not_used"]) == {"t", "violations", "provenance"}
    plain = ask(daemon, "inverse-dynamics", {key: motion[key] for key in ("q", "qd", "qdd")})
    assert without(answer, "not_used") == without(plain)
    terms = ask(daemon, "terms", motion | {"include": ["energy"]})
    assert len(terms["energy"]["kinetic"]) == len(motion["t"])


def test_a_time_optimal_trajectory_with_torques_is_sent_on_as_it_is(daemon):
    path = {"waypoints": [Q, [x + 0.2 for x in Q]], "interval_s": 0.02, "joints": [f"joint{k}" for k in (2, 1, 3, 4, 5, 6, 7)],
            "limits": {"kind": "time-optimal", "acceleration": [5] * 7, "tau": True}}
    motion = ask(daemon, "trajectory", path)
    answer = ask(daemon, "inverse-dynamics", motion)
    assert "tau" in answer["not_used"] and "binding" in answer["not_used"]
    for ours, theirs in zip(answer["tau"], motion["tau"]):
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("media", ["application/cbor", "application/x-npz"])
def test_a_trajectory_is_sent_on_in_binary(daemon, media):
    path = {"waypoints": [Q, ZERO], "timing": "quintic", "durations_s": [1], "interval_s": 0.1}
    status, _, body = post(daemon, "trajectory", path, Accept=media)
    assert status == 200
    status, _, text = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body,
                                     {"Content-Type": media, "Accept": "application/json"})
    assert status == 200, text
    motion = ask(daemon, "trajectory", path)
    assert json.loads(text)["tau"] == ask(daemon, "inverse-dynamics", {k: motion[k] for k in ("q", "qd", "qdd")})["tau"]


def test_a_trajectory_is_followed_as_it_is(daemon):
    order = [f"joint{k}" for k in (2, 1, 3, 4, 5, 6, 7)]
    path = {"waypoints": [[Q[1], Q[0], *Q[2:]], [0.0, 0.1, 0.2, -1.4, 0.4, 1.7, 0.6]], "timing": "quintic",
            "durations_s": [0.2], "interval_s": 0.02, "joints": order}
    motion = ask(daemon, "trajectory", path)
    run = {"initial": {"q": Q}, "duration_s": 0.1, "output": {"interval_s": 0.05}}
    law = {"kind": "computed-torque", "kp": 400, "kd": 40}
    followed = ask(daemon, "simulate", run | {"input": law | {"reference": {"table": motion}}})
    swapped = {key: [[row[1], row[0], *row[2:]] for row in motion[key]] for key in ("q", "qd", "qdd")}
    plain = ask(daemon, "simulate", run | {"input": law | {"reference": {"table": swapped | {"t": motion["t"]}}}})
    assert followed["q"] == plain["q"]


def test_other_unknown_fields_stay_unknown(daemon):
    assert refused(daemon, "inverse-dynamics", {"q": Q, "times": [0]})["pointer"] == "/times"
    assert problem(post(daemon, "forward-dynamics", {"q": Q, "violations": []}), 400)["type"] == "/problems/unknown-field"


# Names


HINTS = [("inverse-dynamics", {"q": Q, "gravity_torque": True}, "/gravity_torque", 'say "include": ["gravity_torque"]'),
         ("terms", {"q": Q, "mass-matrix": True}, "/mass-matrix", 'say "include": ["mass_matrix"]'),
         ("terms", {"q": Q, "include": ["operational_space_inertia"], "frame": "flange", "at": "com"}, "/at",
          'write "frame": {"link": "tool", "at": [0, 0, 0]}'),
         ("kinematics", {"q": Q, "jacobian": True}, "/jacobian", 'add "include": ["jacobian"]'),
         ("inverse-dynamics", {"q": Q, "check_limits": True}, "/check_limits", 'say "include": ["limits"]'),
         ("terms", {"q": Q, "include": ["base_parameters"]}, "/include/0", "base parameters: POST .../regressor?form=base"),
         ("terms", {"q": Q, "include": ["jacobian"]}, "/include/0",
          'of a point: POST .../kinematics with "expressed_in": "world"; of all links: "link_jacobians"'),
         ("regressor", {"q": Q, "include": ["base_parameters"]}, "/include", 'the whole answer comes at once; for base parameters: "form": "base"'),
         ("regressor", {"q": Q, "parameters": ["base"]}, "/parameters/0", "base parameters: POST .../regressor?form=base"),
         ("inverse-kinematics", {"frame": "flange", "pose": {"position": [0.4, 0, 0.4], "quaternion": [1, 0, 0, 0]}}, "/pose/quaternion",
          'did you mean "quaternion_wxyz"?'),
         ("trajectory", {"start": Q, "goal": Q}, "/start", 'write "waypoints": [START, GOAL], each a number for each joint'),
         ("excitation", {"limits": {"joint1": {"velocity": 1}}}, "/limits/joint1",
          'the limit first, then the joint: "velocity": {"joint1": 1}'),
         ("ensemble", {"initial": {"q": Q}, "duration_s": 0.1, "vary": {"payload": [0, 1]}}, "/vary",
          'write a list: [{"of": "payload_mass", "link": its name, "list": [0, 1, 2]}]')]


@pytest.mark.parametrize("call, body, pointer, hint", HINTS)
def test_words_of_other_tools_are_answered_with_ours(daemon, call, body, pointer, hint):
    fault = refused(daemon, call, body)
    assert (fault["pointer"], fault["hint"]) == (pointer, hint)


@pytest.mark.parametrize("word", ["target", "goal", "stand", "hold", "q"])
def test_the_setpoint_of_a_controller_answers_to_its_other_names(daemon, word):
    run = {"initial": {"q": Q}, "duration_s": 0.01, "output": {"interval_s": 0.01},
           "input": {"kind": "pd-gravity", "kp": 100, "kd": 10, "reference": {word: Q}}}
    answer = ask(daemon, "simulate", run)
    assert answer["read_as"] == [{"pointer": f"/input/reference/{word}", "sent": word, "read": "setpoint"}]
    run["input"]["reference"] = {"setpoint": Q}
    assert ask(daemon, "simulate", run)["verdict"]["outcome"] == "completed"


def test_a_word_in_common_comes_first_and_the_list_last(daemon):
    hint = refused(daemon, "terms", {"q": Q, "include": ["payload_momentum"]})["hint"]
    assert hint.startswith('did you mean "momentum"? known here: ')
    hint = refused(daemon, "terms", {"q": Q, "include": ["bounds"]})["hint"]
    assert hint.startswith('did you mean "mass_matrix_bounds"? known here: ')


@pytest.mark.parametrize("word, hint", [("gravity", 'use .../terms with "include": ["gravity_torque"]'), ("fk", "did you mean .../kinematics?"),
                                        ("forward-kinematics", "did you mean .../kinematics?"), ("ik", "did you mean .../inverse-kinematics?"),
                                        ("mass-matrix", 'use .../terms with "include": ["mass_matrix"]'), ("identify", "did you mean .../calibrate?")])
def test_addresses_of_other_tools_are_answered_with_ours(daemon, word, hint):
    assert hint in problem(post(daemon, word, {"q": Q}), 404)["detail"]


def test_a_frame_is_a_link_or_a_point_of_one_wherever_it_is_named(daemon):
    point = {"link": "flange", "at": [0.0, 0.0, 0.05]}
    for frame, at in (("flange", [0, 0, 0]), (point, point["at"])):
        lam = ask(daemon, "terms", {"q": Q, "include": ["operational_space_inertia"], "frame": frame})["operational_space_inertia"]
        assert lam["frame"] == ask(daemon, "manipulability", {"q": Q, "frame": frame})["frame"] == {"link": "flange", "at": at}
    poses = ask(daemon, "kinematics", {"q": Q, "frames": [point]})["frames"][0]
    found = ask(daemon, "inverse-kinematics", {"frame": point, "initial": Q, "pose": {
        "position": poses["position"], "quaternion_wxyz": poses["quaternion_wxyz"]}})
    assert found["frame"] == point


def planar_loop(z):
    """A four-bar of 0.2, 0.5 and 0.4 m on a base of 0.5 m, with joint axes along `z`, closed without `axes`."""
    x = [z[2], z[0], z[1]]
    link = {"mass": 1.0, "com": [0.1 * a for a in x], "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]], "inertia_about": "com"}
    along = lambda length: {"position": [length * a for a in x]}
    return {"gravity": [0, 0, 0], "links": [{"name": "ground"}, *({"name": name, **link} for name in ("crank", "coupler", "rocker"))],
            "joints": [{"name": "crank", "kind": "continuous", "parent": "ground", "child": "crank", "axis": z},
                       {"name": "elbow", "kind": "continuous", "parent": "crank", "child": "coupler", "axis": z, "origin": along(0.2)},
                       {"name": "rocker", "kind": "continuous", "parent": "ground", "child": "rocker", "axis": z, "origin": along(0.5)}],
            "constraints": [{"name": "pin", "kind": "loop", "a": {"link": "rocker", **along(0.4)}, "b": {"link": "coupler", **along(0.7)}}]}


@pytest.mark.parametrize("z, axes", [([0, 0, 1], ["x", "y"]), ([0, 1, 0], ["x", "z"]), ([1, 0, 0], ["y", "z"])])
def test_a_planar_loop_without_axes_is_asked_for_them(daemon, z, axes):
    def put(document):
        return daemon.request("PUT", "/v1/robots/people-loop", json.dumps(document), {"Content-Type": "application/json"})
    said = f'add "axes": {json.dumps(axes)}'
    document = planar_loop(z)
    status, _, text = put(document)  # a closed weld that is satisfiable: three bars without freedom
    robot = json.loads(text)
    assert status in (200, 201) and robot["dof"] == 0
    assert [finding for finding in robot["doctor"] if finding["where"] == "constraint pin" and said in finding["text"]], robot["doctor"]
    document["joints"][0]["limits"] = {"lower": 1.0, "upper": 1.1}  # one that is not
    document["joints"][0]["kind"] = "revolute"
    document["constraints"].append({"name": "set", "kind": "equation", "expression": "crank - 1.05"})
    status, _, text = put(document)
    fault = json.loads(text)["errors"][0]
    assert status == 422 and said in fault["hint"], fault
    document["constraints"][0]["axes"] = axes
    del document["constraints"][1]
    status, _, text = put(document)
    robot = json.loads(text)
    assert status in (200, 201) and robot["dof"] == 1
    assert not [finding for finding in robot["doctor"] if finding["where"] == "constraint pin"]


# Limits


def panda_limits(daemon):
    document = json.loads(daemon.request("GET", "/v1/robots/panda")[2])
    return {joint["name"]: joint["limits"] for joint in document["joints"] if joint.get("limits")}


def expected_limits(limits, samples):
    """What `limits` should be for samples {q, qd, tau}: lists of rows, with columns in the order of the joints."""
    found = {}
    for k, (name, own) in enumerate(limits.items()):
        for limit, of, bound, beyond in (("lower", "q", own["lower"], lambda x, b: b - x), ("upper", "q", own["upper"], lambda x, b: x - b),
                                         ("velocity", "qd", own["velocity"], lambda x, b: abs(x) - b),
                                         ("torque", "tau", own["effort"], lambda x, b: abs(x) - b)):
            by = [beyond(row[k], bound) for row in samples[of]]
            over = [x for x in by if x > 0]
            if over:
                at = by.index(max(by))
                found[name, limit] = {"bound": bound, "worst": samples[of][at][k], "by": max(by), "sample": at, "samples": len(over)}
    return found


def test_limits_that_a_motion_exceeds_are_named_with_their_worst_sample(daemon):
    limits = panda_limits(daemon)
    q = [[x + 0.02 * i for x in Q] for i in range(300)]
    qd = [[0.01 * i * (-1) ** k for k in range(7)] for i in range(300)]
    qdd = [[3.0 * math.sin(0.1 * i)] * 7 for i in range(300)]
    answer = ask(daemon, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd, "include": ["limits"]})
    said = {(one.pop("joint"), one.pop("limit")): one for one in answer["limits"]["exceeded"]}
    wanted = expected_limits(limits, {"q": q, "qd": qd, "tau": answer["tau"]})
    assert said.keys() == wanted.keys() and {limit for _, limit in said} == {"upper", "velocity"} | {limit for _, limit in wanted}
    for key, one in wanted.items():
        assert said[key] == pytest.approx(one, abs=1e-12), key
    assert answer["limits"]["unlimited"] == []
    # the same worst ones as CBOR
    status, _, packed = post(daemon, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd, "include": ["limits"]}, Accept="application/cbor")
    assert status == 200 and all(struct.pack(">d", one["by"]) in packed for one in answer["limits"]["exceeded"])
    assert answer["tau"] == ask(daemon, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"]


def test_torques_beyond_their_limits_are_named(daemon):
    limits = panda_limits(daemon)
    load = {"link": "flange", "mass": 40.0, "com": [0.0, 0.0, 0.1]}
    answer = ask(daemon, "inverse-dynamics", {"q": [Q, Q], "payload": load, "include": ["limits"]})
    said = {(one["joint"], one["limit"]): one["by"] for one in answer["limits"]["exceeded"]}
    wanted = {(name, "torque"): abs(tau) - own["effort"] for (name, own), tau in zip(limits.items(), answer["tau"][0]) if abs(tau) > own["effort"]}
    assert wanted and said == pytest.approx(wanted, abs=1e-12)
    tau = [500.0] + [0.0] * 6
    answer = ask(daemon, "forward-dynamics", {"q": Q, "tau": tau, "include": ["limits"]})
    assert [(one["joint"], one["limit"], one["worst"]) for one in answer["limits"]["exceeded"]] == [("joint1", "torque", 500.0)]
    assert ask(daemon, "inverse-dynamics", {"q": Q, "include": ["limits"]})["limits"] == {"exceeded": [], "unlimited": []}


def test_limits_come_alone_and_in_any_order(daemon):
    q = [3.5] + Q[1:]
    said = ask(daemon, "terms", {"q": q, "include": ["limits"]})
    assert [(one["joint"], one["limit"]) for one in said["limits"]["exceeded"]] == [("joint1", "upper")] and "provenance" in said
    order = [f"joint{k}" for k in range(7, 0, -1)]
    turned = ask(daemon, "inverse-dynamics", {"q": q[::-1], "joints": order, "include": ["limits"]})
    assert turned["limits"] == ask(daemon, "inverse-dynamics", {"q": q, "include": ["limits"]})["limits"]
    assert post(daemon, "inverse-dynamics", {"q": q, "include": ["limits"]}, Accept="application/x-npz")[0] == 200


def test_limits_that_a_robot_does_not_state_are_named(daemon):
    answer = ask(daemon, "inverse-dynamics", {"q": [9.0, 0.0], "include": ["limits"]}, "planar-2r")
    assert answer["limits"]["exceeded"] == []
    assert {(one["joint"], one["limit"]) for one in answer["limits"]["unlimited"]} == {
        (joint, limit) for joint in ("joint1", "joint2") for limit in ("lower", "upper", "velocity", "torque")}


DEGREES = [10, -20, 30, -90, 20, 100, 40]
FAR = [("inverse-dynamics", {}), ("forward-dynamics", {}), ("terms", {"include": ["gravity_torque"]}), ("kinematics", {}), ("regressor", {}),
       ("manipulability", {"frame": "flange"})]


@pytest.mark.parametrize("call, more", FAR)
def test_degrees_that_are_sent_as_radians_are_found(daemon, call, more):
    answer = ask(daemon, call, more | {"q": DEGREES})
    assert [one["joint"] for one in answer["warnings"]] == [f"joint{k}" for k in range(1, 8)]
    assert 'joint "joint4": are these degrees?' in answer["warnings"][3]["text"] and "-90 rad" in answer["warnings"][3]["text"]
    assert "warnings" not in ask(daemon, call, more | {"q": Q})
    # beyond its limit of 2.9 rad, but plausible as radians
    assert "warnings" not in ask(daemon, call, more | {"q": [3.0] + Q[1:]})


def test_the_worst_sample_of_each_joint_is_found(daemon):
    q = [Q] * 700 + [[20.0] + Q[1:]] + [Q] * 9 + [[-40.0] + Q[1:]] + [Q] * 30
    assert [(one["joint"], one["sample"]) for one in ask(daemon, "inverse-dynamics", {"q": q})["warnings"]] == [("joint1", 710)]
    # large enough to be computed while it arrives
    large = ask(daemon, "inverse-dynamics", {"q": q * 40, "qd": [QD] * len(q) * 40, "qdd": [QDD] * len(q) * 40})
    assert [(one["joint"], one["sample"]) for one in large["warnings"]] == [("joint1", 710)]


# Joints by name


NAMED = {"joint1": 0.3, "joint6": 1.2}
AS_ROW = [0.3, 0, 0, 0, 0, 1.2, 0]


@pytest.mark.parametrize("call, more", [("inverse-dynamics", {}), ("forward-dynamics", {}), ("terms", {"include": ["gravity_torque"]}),
                                        ("kinematics", {}), ("regressor", {}), ("manipulability", {"frame": "flange"})])
def test_coordinates_by_name_leave_the_others_at_zero(daemon, call, more):
    named, whole = ask(daemon, call, more | {"q": NAMED}), ask(daemon, call, more | {"q": AS_ROW})
    assert without(named, "assumed_zero") == without(whole, "assumed_zero")
    said = [f"q.joint{k}" for k in (2, 3, 4, 5, 7)]
    assert sorted(named["assumed_zero"]) == sorted(said + whole.get("assumed_zero", []))


def test_every_array_of_one_sample_is_taken_by_name(daemon):
    rates = {"joint7": 0.4}
    as_row = [0] * 6 + [0.4]
    order = [f"joint{k}" for k in range(7, 0, -1)]
    for call, third in (("inverse-dynamics", "qdd"), ("forward-dynamics", "tau")):
        named = ask(daemon, call, {"q": NAMED, "qd": rates, third: {"joint2": 2.0}})
        plain = ask(daemon, call, {"q": AS_ROW, "qd": as_row, third: [0, 2.0, 0, 0, 0, 0, 0]})
        assert without(named, "assumed_zero") == without(plain)
        assert f"{third}.joint1" in named["assumed_zero"] and f"{third}.joint2" not in named["assumed_zero"]
        # order of the names is independent of the order of arrays
        turned = ask(daemon, call, {"q": NAMED, "qd": as_row[::-1], third: {"joint2": 2.0}, "joints": order})
        key = "tau" if third == "qdd" else "qdd"
        assert turned[key] == named[key][::-1]
    batch = ask(daemon, "inverse-dynamics", {"q": NAMED, "qdd": [QDD, QD]})
    assert batch["tau"] == ask(daemon, "inverse-dynamics", {"q": [AS_ROW] * 2, "qdd": [QDD, QD]})["tau"]


def test_waypoints_starts_and_setpoints_are_taken_by_name(daemon):
    path = {"timing": "cubic", "durations_s": [1], "interval_s": 0.5}
    assert ask(daemon, "trajectory", path | {"waypoints": [NAMED, {}]})["q"] == ask(daemon, "trajectory", path | {"waypoints": [AS_ROW, [0] * 7]})["q"]
    run = {"duration_s": 0.02, "output": {"interval_s": 0.01}}
    law = {"kind": "pd-gravity", "kp": 100, "kd": 10}
    named = ask(daemon, "simulate", run | {"initial": {"q": NAMED, "qd": {"joint1": 0.1}}, "input": law | {"reference": {"setpoint": NAMED}}})
    rows = ask(daemon, "simulate", run | {"initial": {"q": AS_ROW, "qd": [0.1] + [0] * 6}, "input": law | {"reference": {"setpoint": AS_ROW}}})
    assert named["q"] == rows["q"]


def test_joints_of_several_coordinates_are_arrays_by_name(daemon):
    robot = json.loads(daemon.request("GET", "/v1/robots/quadruped")[2])
    base = next(joint["name"] for joint in robot["joints"] if joint["kind"] == "floating")
    leg = next(joint["name"] for joint in robot["joints"] if joint["kind"] in ("revolute", "continuous"))
    named = ask(daemon, "inverse-dynamics", {"q": {base: [0, 0, 1, 1, 0, 0, 0]}, "qdd": {base: [0, 0, 1, 0, 0, 0]}}, "quadruped")
    # the base's default is the unit quaternion
    zero = ask(daemon, "inverse-dynamics", {"q": {leg: 0.0}, "qdd": {base: [0, 0, 1, 0, 0, 0]}}, "quadruped")
    for one, other in zip(named["tau"], zero["tau"]):
        assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("call", ["inverse-dynamics", "kinematics"])
def test_what_is_wrong_by_name_has_its_place(daemon, call):
    fault = refused(daemon, call, {"q": {"jont1": 0.3}})
    assert (fault["pointer"], fault["hint"]) == ("/q/jont1", 'did you mean "joint1"?')
    fault = refused(daemon, call, {"q": {"joint1": [[0.3]]}})  # an array is a batch, of numbers
    assert fault["pointer"] == "/q/joint1/0" and "one number" in fault["hint"]
    assert refused(daemon, call, {"q": {"joint1": "0.3"}})["pointer"] == "/q/joint1"
    assert refused(daemon, call, {"q": {"joint1": 0.3, "tool": 1}})["pointer"] == "/q/tool"
    assert refused(daemon, call, {"q": [{"joint1": 0.3}, 1]})["pointer"] in ("/q", "/q/0", "/q/1")


# Degrees


def rad(row):
    return [math.radians(x) for x in row]


@pytest.mark.parametrize("call, more", [("inverse-dynamics", {}), ("terms", {"include": ["gravity_torque", "coriolis_vector"]}), ("regressor", {}),
                                        ("kinematics", {"frames": ["flange"], "expressed_in": "world"})])
def test_degrees_are_taken_and_stated(daemon, call, more):
    deg = {"q": DEGREES, "qd": [10, 20, -30, 5, 0, 7, 8]} | ({"qdd": [1, 2, 3, 4, 5, 6, 7]} if call != "terms" else {})
    answer = ask(daemon, call, more | deg | {"angles": "deg"})
    assert answer["angles"] == "deg" and "warnings" not in answer
    plain = ask(daemon, call, more | {key: rad(row) for key, row in deg.items()} | {"angles": "rad"})
    assert "angles" not in plain
    flat = lambda x: [z for y in x for z in flat(y)] if isinstance(x, list) else [z for y in x.values() for z in flat(y)] if isinstance(x, dict) else [x]
    ours, theirs = flat(without(answer, "angles")), flat(without(plain))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        assert one == (pytest.approx(other, rel=1e-12, abs=1e-12) if isinstance(other, float) else other)


def test_accelerations_come_back_in_degrees(daemon):
    tau = [1, -20, 3, 10, 0.5, 1, 0.1]
    plain = ask(daemon, "forward-dynamics", {"q": [rad(DEGREES)] * 300, "tau": tau})
    answer = ask(daemon, "forward-dynamics", {"q": [DEGREES] * 300, "tau": tau, "angles": "deg"})
    assert answer["qdd"][299] == pytest.approx([math.degrees(x) for x in plain["qdd"][0]], rel=1e-12)
    status, _, body = post(daemon, "forward-dynamics", {"q": [DEGREES] * 300, "tau": tau, "angles": "deg"}, Accept="application/x-npy")
    assert status == 200
    numbers = struct.unpack(f"<{300 * 7}d", body[-300 * 7 * 8:])
    assert list(numbers[-7:]) == answer["qdd"][299]


def test_lengths_stay_metres_beside_degrees(daemon):
    document = {"gravity": [0, 0, -9.81], "links": [{"name": "base"}, {"name": "slide", "mass": 1.0, "com": [0, 0, 0]},
                {"name": "rod", "mass": 2.0, "com": [0.5, 0, 0], "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "inertia_about": "com"}],
                "joints": [{"name": "lift", "kind": "prismatic", "parent": "base", "child": "slide", "axis": [0, 0, 1],
                            "limits": {"lower": 0, "upper": 0.5}},
                           {"name": "hinge", "kind": "revolute", "parent": "slide", "child": "rod", "axis": [0, 1, 0],
                            "limits": {"lower": -1, "upper": 1, "velocity": 2, "effort": 100}}]}
    status, _, text = daemon.request("PUT", "/v1/robots/people-lift", json.dumps(document), {"Content-Type": "application/json"})
    assert status in (200, 201), text
    answer = ask(daemon, "inverse-dynamics", {"q": [0.2, 60], "qdd": [1.0, 0], "angles": "deg", "include": ["limits"]}, "people-lift")
    assert answer["tau"] == pytest.approx([3 * 10.81, -10.81 * 0.5 * 2 * math.cos(math.pi / 3)], abs=1e-12)
    over = [one for one in answer["limits"]["exceeded"]]
    assert [(one["joint"], one["limit"]) for one in over] == [("hinge", "upper")]
    assert (over[0]["bound"], over[0]["worst"], over[0]["by"]) == pytest.approx((math.degrees(1), 60, 60 - math.degrees(1)), abs=1e-12)
    said = ask(daemon, "inverse-dynamics", {"q": [200, 700], "angles": "deg"}, "people-lift")["warnings"]
    assert [one["joint"] for one in said] == ["lift", "hinge"] and "are these mm?" in said[0]["text"] and "700 degrees" in said[1]["text"]


def test_a_pose_in_degrees_is_reached_in_degrees_and_followed_there(daemon):
    pose = ask(daemon, "kinematics", {"q": Q, "frames": ["flange"]})["frames"][0]
    near = [math.degrees(x) for x in Q]
    body = {"frame": "flange", "initial": near, "angles": "deg", "pose": {"position": pose["position"], "quaternion_wxyz": pose["quaternion_wxyz"]}}
    found = ask(daemon, "inverse-kinematics", body)
    assert found["angles"] == "deg"
    again = ask(daemon, "kinematics", {"q": found["solutions"][0]["q"], "frames": ["flange"], "angles": "deg"})["frames"][0]
    assert again["position"] == pytest.approx(pose["position"], abs=1e-8)
    motion = ask(daemon, "trajectory", {"waypoints": [near, [x + 10 for x in near]], "timing": "quintic", "durations_s": [1], "interval_s": 0.25, "angles": "deg"})
    assert motion["angles"] == "deg" and motion["q"][-1] == pytest.approx([x + 10 for x in near], abs=1e-9)
    sent = ask(daemon, "inverse-dynamics", motion)
    plain = ask(daemon, "inverse-dynamics", {key: [rad(row) for row in motion[key]] for key in ("q", "qd", "qdd")})
    for ours, theirs in zip(sent["tau"], plain["tau"]):
        assert ours == pytest.approx(theirs, abs=1e-10)
    run = {"initial": {"q": near}, "angles": "deg", "duration_s": 0.25, "output": {"interval_s": 0.25},
           "input": {"kind": "computed-torque", "kp": 900, "kd": 60, "reference": {"table": motion}}}
    followed = ask(daemon, "simulate", run)
    assert followed["angles"] == "rad" and followed["q"][0] == pytest.approx(Q, abs=1e-12)
    assert followed["q"][-1] == pytest.approx(rad(motion["q"][1]), abs=1e-4)
    run["initial"]["q"], run["angles"] = Q, "rad"
    assert ask(daemon, "simulate", run)["q"][-1] == pytest.approx(rad(motion["q"][1]), abs=1e-4)


def test_another_unit_of_angles_is_refused(daemon):
    for call in ("inverse-dynamics", "kinematics"):
        fault = refused(daemon, call, {"q": Q, "angles": "gon"})
        assert fault["pointer"] == "/angles" and "deg" in fault["hint"]
        assert ask(daemon, call, {"q": Q, "angles": "degrees"})["angles"] == "deg"


# Roll, pitch, yaw


def rpy_matrix(roll, pitch, yaw):
    c, s = math.cos, math.sin
    return [[c(yaw) * c(pitch), c(yaw) * s(pitch) * s(roll) - s(yaw) * c(roll), c(yaw) * s(pitch) * c(roll) + s(yaw) * s(roll)],
            [s(yaw) * c(pitch), s(yaw) * s(pitch) * s(roll) + c(yaw) * c(roll), s(yaw) * s(pitch) * c(roll) - c(yaw) * s(roll)],
            [-s(pitch), c(pitch) * s(roll), c(pitch) * c(roll)]]


def test_orientations_are_taken_as_roll_pitch_yaw(daemon):
    angles = [3.0, 0.2, -0.4]
    pose = {"position": [0.4, 0.1, 0.5], "rpy": angles}
    found = ask(daemon, "inverse-kinematics", {"frame": "flange", "initial": Q, "pose": pose})["solutions"][0]["q"]
    there = ask(daemon, "kinematics", {"q": found, "frames": ["flange"]})["frames"][0]
    for row, wanted in zip(there["rotation"], rpy_matrix(*angles)):
        assert row == pytest.approx(wanted, abs=1e-8)
    deg = {"position": [0.4, 0.1, 0.5], "rpy": [math.degrees(x) for x in angles]}
    again = ask(daemon, "inverse-kinematics", {"frame": "flange", "initial": [math.degrees(x) for x in Q], "pose": deg, "angles": "deg"})
    assert rad(again["solutions"][0]["q"]) == pytest.approx(found, abs=1e-7)
    status, _, text = daemon.request("POST", "/v1/inertia", json.dumps({"bodies": [
        {"mass": 2, "shape": "box", "size": [0.1, 0.2, 0.3], "pose": {"rpy": [0, 0, math.pi / 2]}}]}), {"Content-Type": "application/json"})
    turned = json.loads(text)
    assert status == 200, text
    text = json.dumps(turned)
    status, _, plain = daemon.request("POST", "/v1/inertia", json.dumps({"bodies": [
        {"mass": 2, "shape": "box", "size": [0.2, 0.1, 0.3]}]}), {"Content-Type": "application/json"})
    first = lambda document: document["about_com"]["inertia"] if "about_com" in document else document["inertia"]
    for row, wanted in zip(first(turned), first(json.loads(plain))):
        assert row == pytest.approx(wanted, abs=1e-12)


def test_two_orientations_are_one_too_many(daemon):
    for other in ({"quaternion_wxyz": [1, 0, 0, 0]}, {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}):
        fault = refused(daemon, "inverse-kinematics", {"frame": "flange", "pose": {"position": [0.4, 0, 0.5], "rpy": [0, 0, 0], **other}})
        assert fault["pointer"] == f"/pose/{next(iter(other))}" and fault["hint"] == "leave one of them out"


def test_torques_gains_and_disturbances_are_taken_by_name(daemon):
    """Torques, gains and disturbances of joints not named are 0; limits not named are none."""
    def run(**more):
        return {"initial": {"q": Q}, "duration_s": 0.1, "output": {"interval_s": 0.05}} | more

    def row(**named):
        return [float(named.get(f"joint{k}", 0)) for k in range(1, 8)]

    def control(gains, limits, push, table):
        return run(input={"kind": "pd-gravity", "reference": {"setpoint": Q}, "kp": gains[0], "kd": gains[1], "effort_limits": limits},
                   disturbance=[{"kind": "pulse", "torque": push}, {"kind": "table", "t": [0, 1], "torque": table}])

    by_name = control(({"joint1": 100, "joint4": 50}, {"joint2": 20}), {"joint3": 12}, {"joint4": 1.5}, [{"joint1": 1}, {}])
    rows = control((row(joint1=100, joint4=50), row(joint2=20)), [1e9, 1e9, 12, 1e9, 1e9, 1e9, 1e9], row(joint4=1.5), [row(joint1=1), row()])
    assert ask(daemon, "simulate", by_name)["q"] == ask(daemon, "simulate", rows)["q"]
    tables = [run(input={"kind": "torque", "t": [0, 1], "tau": tau}) for tau in ([{"joint1": 1}, {"joint2": 3}], [row(joint1=1), row(joint2=3)])]
    assert ask(daemon, "simulate", tables[0])["q"] == ask(daemon, "simulate", tables[1])["q"]
    fault = refused(daemon, "simulate", control(({"joint1": 100}, {"joint2": -20}), "robot", row(), [row(), row()]))
    assert (fault["pointer"], fault["hint"]) == ("/input/kd/joint2", "gains push back: 0 or more")
    fault = refused(daemon, "simulate", control(({"joint1": 100}, {"joint2": 2}), {"joint3": 0}, row(), [row(), row()]))
    assert fault["pointer"] == "/input/effort_limits/joint3"
    assert refused(daemon, "simulate", run(input={"kind": "torque", "t": [0, 1], "tau": [{"join1": 1}, {}]}))["pointer"] == "/input/tau/0/join1"


def test_an_ensemble_is_taken_in_degrees_and_answered_in_radians(daemon):
    def request(angles, unit):
        return {"initial": {"q": [x / unit for x in Q]}, "angles": angles, "duration_s": 0.1, "output": {"interval_s": 0.05}, "members": 4,
                "input": {"kind": "pd-gravity", "reference": {"setpoint": [x / unit for x in Q]}, "kp": 100, "kd": 20}, "return_members": [1],
                "vary": [{"of": "q", "joint": "joint2", "uniform": [-0.1 / unit, 0.1 / unit]}, {"of": "q", "joint": "joint3", "normal": {"deviation": 0.1 / unit}},
                         {"of": "qd", "joint": "joint1", "list": [0, 0.3 / unit]}, {"of": "torque", "joint": "joint1", "list": [0, 3]}]}

    plain = ask(daemon, "ensemble", request("rad", 1.0))
    taken = ask(daemon, "ensemble", request("deg", math.pi / 180))
    assert taken["angles"] == "rad" and "angles" not in plain
    for name in ("mean", "deviation"):
        for got, expected in zip(taken["q"][name], plain["q"][name], strict=True):
            assert got == pytest.approx(expected, abs=1e-9)
    assert taken["returned_members"][0]["values"] == pytest.approx(plain["returned_members"][0]["values"], rel=1e-12)
