# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_other_words.py - unambiguous names of other tools are read as ours, and the answer
# states the replacement and the defaults.
import json

import pytest
from conftest import problem

Q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7]
QD = [0.1, 0.2, -0.1, 0.3, 0.0, -0.2, 0.1]
QDD = [0.4, -0.3, 0.2, 0.1, -0.5, 0.6, -0.7]
ZERO = [0.0] * 7


def post(daemon, call, body, robot="panda"):
    path = call if call.startswith("/") else f"/v1/robots/{robot}/{call}"
    return daemon.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})


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


RUN = {"initial": {"q": Q}, "duration_s": 0.01, "output": {"interval_s": 0.01}}
LAW = {"kind": "pd-gravity", "kp": 100, "kd": 10}
GOAL = {"position": [0.4, 0.1, 0.5], "rpy": [3.0, 0.2, -0.4]}
WRENCH = {"link": "flange", "force": [0, 0, -20], "at": "origin", "applied_to": "robot", "expressed_in": "world"}
FAST = {"waypoints": [Q, [x + 0.2 for x in Q]], "interval_s": 0.05}
DRAWN = {"of": "payload_mass", "link": "flange"}

# (operation, the user's request, the equivalent request, the replacements that the answer states: pointer,
# sent, read)
READ = [("inverse-dynamics", {"positions": Q, "velocity": QD, "ddq": QDD}, {"q": Q, "qd": QD, "qdd": QDD},
         ["/positions positions q", "/velocity velocity qd", "/ddq ddq qdd"]),
        ("inverse-dynamics", {"q": [57.29577951308232] * 7, "units": "degrees"}, {"q": [57.29577951308232] * 7, "angles": "deg"},
         ["/units units angles", "/units degrees deg"]),
        ("inverse-dynamics", {"q": Q, "include": "gravity"}, {"q": Q, "include": ["gravity_torque"]}, ["/include gravity gravity_torque"]),
        ("inverse-dynamics", {"q": Q, "wrench": WRENCH}, {"q": Q, "external_wrenches": [WRENCH | {"moment": [0, 0, 0]}]},
         ["/wrench wrench external_wrenches"]),
        ("inverse-dynamics", {"q": Q, "externalWrenches": [WRENCH]}, {"q": Q, "external_wrenches": [WRENCH]},
         ["/externalWrenches externalWrenches external_wrenches"]),
        ("forward-dynamics", {"q": Q, "torques": QDD}, {"q": Q, "tau": QDD}, ["/torques torques tau"]),
        ("terms", {"q": Q, "include": ["M", "Gravity-Torque"]}, {"q": Q, "include": ["mass_matrix", "gravity_torque"]},
         ["/include/0 M mass_matrix", "/include/1 Gravity-Torque gravity_torque"]),
        ("kinematics", {"q": Q, "frame": "flange"}, {"q": Q, "frames": ["flange"]}, ["/frame frame frames"]),
        ("inverse-kinematics", {"frame": "flange", "target": {"xyz": GOAL["position"], "rpy": GOAL["rpy"]}}, {"frame": "flange", "pose": GOAL},
         ["/target target pose", "/target/xyz xyz position"]),
        ("inverse-kinematics", {"tcp": "flange", **GOAL, "q0": Q}, {"frame": "flange", "pose": GOAL, "initial": Q},
         ["/tcp tcp frame", "/position position pose/position", "/rpy rpy pose/rpy", "/q0 q0 initial"]),
        ("trajectory", FAST | {"max_velocity": [1] * 7, "max_acceleration": [2] * 7},
         FAST | {"limits": {"kind": "time-optimal", "velocity": [1] * 7, "acceleration": [2] * 7}},
         ["/max_velocity max_velocity limits/velocity", "/max_acceleration max_acceleration limits/acceleration"]),
        ("trajectory", {"waypoints": [Q, ZERO], "timing": "quintic", "times": [0, 1], "dt": 0.5},
         {"waypoints": [Q, ZERO], "timing": "quintic", "times_s": [0, 1], "interval_s": 0.5}, ["/times times times_s", "/dt dt interval_s"]),
        ("simulate", {"q0": Q, "qd0": QD, "duration": 0.01, "dt": 0.01}, {"initial": {"q": Q, "qd": QD}, "duration_s": 0.01, "output": {"interval_s": 0.01}},
         ["/q0 q0 initial/q", "/qd0 qd0 initial/qd", "/duration duration duration_s", "/dt dt output/interval_s"]),
        ("simulate", RUN | {"controller": {"type": "pd_gravity", "Kp": 100, "kd": 10, "target": Q}}, RUN | {"input": LAW | {"reference": {"setpoint": Q}}},
         ["/controller controller input", "/controller/type type kind", "/controller/Kp Kp kp", "/controller/target target reference/setpoint",
          "/controller/type pd_gravity pd-gravity"]),
        ("excitation", {"duration": 20, "tries": 5}, {"frequency_hz": 0.05, "tries": 5}, ["/duration duration period_s"]),
        ("ensemble", RUN | {"vary": {"of": "payload", "link": "flange", "from": 0, "to": 3, "count": 2}},
         RUN | {"vary": [DRAWN | {"grid": {"from": 0, "to": 3, "count": 2}}]},
         ["/vary/of payload payload_mass", "/vary/from from grid/from", "/vary/to to grid/to", "/vary/count count grid/count"]),
        ("ensemble", RUN | {"vary": [DRAWN | {"values": [0, 1]}]}, RUN | {"vary": [DRAWN | {"list": [0, 1]}]}, ["/vary/0/values values list"])]


@pytest.mark.parametrize("call, written, ours, said", READ)
def test_words_of_other_tools_with_one_meaning_are_read_and_said(daemon, call, written, ours, said):
    answer, plain = ask(daemon, call, written), ask(daemon, call, ours)
    left_out = [one for one in answer["read_as"] if "sent" not in one]
    assert sorted(" ".join(one.values()) for one in answer["read_as"] if "sent" in one) == sorted(said)
    assert not [one for one in plain.get("read_as", []) if "sent" in one]
    assert all(one in left_out for one in plain.get("read_as", []))
    assert without(answer, "read_as") == without(plain, "read_as")


@pytest.mark.parametrize("call, body, pointer", [("inverse-dynamics", {"positions": [*Q[:6], "x"]}, "/positions/6"),
                                                 ("simulate", {"q0": Q, "duration": -1}, "/duration"),
                                                 ("inverse-kinematics", {"target": {"xyz": [0.4, 0]}}, "/target/xyz"),
                                                 ("simulate", {"q0": [*Q[:6], "x"], "duration": 1}, "/q0/6")])
def test_faults_of_such_words_are_at_the_place_where_they_were_sent(daemon, call, body, pointer):
    text = json.dumps(body)
    answer = problem(post(daemon, call, body), 422 if "length" in str(post(daemon, call, body)) or "range" in str(post(daemon, call, body)) else 400)
    assert answer["errors"][0]["pointer"] == pointer
    at = int(answer["detail"].rsplit("(byte ", 1)[1].split()[0])
    value = body
    for key in pointer.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else value[key]
    assert text[at:].startswith(json.dumps(value))


def test_two_names_for_one_field_stay_refused(daemon):
    assert refused(daemon, "simulate", RUN | {"duration": 1})["pointer"] == "/duration"
    assert refused(daemon, "simulate", {"initial": {"q": Q}, "duration": 1, "t_end": 1})["pointer"] == "/t_end"
    assert refused(daemon, "simulate", RUN | {"q0": Q}) == {"pointer": "/q0", "detail": '"q0" is not known here', "hint": 'write "initial": {"q": ...}'}
    assert refused(daemon, "inverse-dynamics", {"q": Q, "positions": Q})["pointer"] == "/positions"
    assert refused(daemon, "terms", {"q": Q, "include": ["gravity", "gravity_torque"]})["pointer"] == "/include/1"


# Members that may be left out


TAKEN = [("inverse-kinematics", {"pose": GOAL}, {"frame": "flange"}, [("/frame", "flange")]),
         ("kinematics", {"q": Q, "frames": ["flange"]}, {"expressed_in": "world"}, [("/expressed_in", "world")]),
         ("kinematics", {"q": Q, "qd": QD}, {"expressed_in": "world"}, [("/expressed_in", "world")]),
         ("kinematics", {"q": [Q, QD], "frames": ["flange"], "include": ["jacobian"]}, {"expressed_in": "world"}, [("/expressed_in", "world")]),
         ("trajectory", {"waypoints": [Q, ZERO], "duration_s": 1, "interval_s": 0.1}, {"timing": "quintic"}, [("/timing", "quintic")]),
         ("trajectory", FAST, {"limits": {"kind": "time-optimal"}}, [("/limits/kind", "time-optimal")]),
         ("trajectory", FAST | {"timing": "fastest"}, {"limits": {"kind": "time-optimal"}}, [("/limits/kind", "time-optimal")]),
         ("ensemble", RUN | {"vary": [{"of": "payload_mass", "list": [0, 1]}]}, {"vary": [{"of": "payload_mass", "link": "flange", "list": [0, 1]}]},
          [("/vary/0/link", "flange")])]


@pytest.mark.parametrize("call, body, taken, said", TAKEN)
def test_what_is_left_out_is_taken_as_this_and_said(daemon, call, body, taken, said):
    answer, whole = ask(daemon, call, body), ask(daemon, call, body | taken)
    assert [(one["pointer"], one["read"]) for one in answer["read_as"] if "sent" not in one] == said
    assert without(answer, "read_as") == without(whole, "read_as")


def test_a_batch_has_jacobians_only_where_it_asks_for_them(daemon):
    assert "jacobian" not in ask(daemon, "kinematics", {"q": [Q, QD], "frames": ["flange"]})["frames"][0]
    assert "jacobian" not in ask(daemon, "kinematics", {"q": Q})["frames"][0]


def test_a_robot_that_ends_in_several_links_is_asked_for_one(daemon):
    fault = refused(daemon, "inverse-kinematics", {"pose": {"position": [0, 0, 0]}}, "quadruped")
    assert fault["pointer"] == "/frame" and '"fr_foot" or "fl_foot"' in fault["hint"]


def test_a_force_or_a_moment_alone_is_a_wrench(daemon):
    for part, other in (("force", "moment"), ("moment", "force")):
        place = {key: WRENCH[key] for key in ("link", "at", "applied_to", "expressed_in")}
        short, whole = place | {part: [1, 2, 3]}, place | {part: [1, 2, 3], other: [0, 0, 0]}
        for call, body in (("inverse-dynamics", lambda w: {"q": Q, "external_wrenches": [w]}), ("statics", lambda w: {"q": Q, "endpoint_wrench": w}),
                           ("simulate", lambda w: RUN | {"disturbance": [{"kind": "pulse", "wrench": w}]}),
                           ("simulate", lambda w: RUN | {"external_wrenches": [w]})):
            assert without(ask(daemon, call, body(short))) == without(ask(daemon, call, body(whole))), call
        rows = [[1, 2, 3], [4, 5, 6]]
        assert (without(ask(daemon, "inverse-dynamics", {"q": [Q, QD], "external_wrenches": [place | {part: rows}]}))
                == without(ask(daemon, "inverse-dynamics", {"q": [Q, QD], "external_wrenches": [place | {part: rows, other: [0, 0, 0]}]})))


def test_one_number_is_q_of_one_joint(daemon):
    for call, more in (("inverse-dynamics", {}), ("kinematics", {}), ("regressor", {}), ("forward-dynamics", {"tau": 1.5})):
        lists = {key: [value] for key, value in more.items()}
        assert without(ask(daemon, call, {"q": 0.5} | more, "pendulum")) == without(ask(daemon, call, {"q": [0.5]} | lists, "pendulum"))
    run = {"duration_s": 0.01, "output": {"interval_s": 0.01}}
    assert ask(daemon, "simulate", run | {"initial": {"q": 0.5}}, "pendulum")["q"] == ask(daemon, "simulate", run | {"initial": {"q": [0.5]}}, "pendulum")["q"]
    assert refused(daemon, "inverse-dynamics", {"q": 0.5})["pointer"] == "/q"
    assert refused(daemon, "kinematics", {"q": 0.5})["pointer"] == "/q"


# Allowed, but probably not intended


def test_a_pd_that_sags_says_so_and_by_how_much(daemon):
    """Closed form: at rest kp e = g(q); for a pendulum g(q) = m g l sin(q)."""
    def run(kind):
        return ask(daemon, "simulate", {"initial": {"q": 0.5}, "duration_s": 20, "output": {"interval_s": 20},
                                        "input": {"kind": kind, "kp": 100, "kd": 20, "reference": {"setpoint": 0.5}}}, "pendulum")
    said = run("pd")
    end = said["q"][-1][0]
    holds = ask(daemon, "inverse-dynamics", {"q": end}, "pendulum")["tau"][0]
    assert 0.5 - end == pytest.approx(holds / 100, abs=1e-6) and abs(0.5 - end) > 0.01
    text = said["warnings"][0]["text"]
    assert said["warnings"][0]["joint"] == "joint1" and f"ends {abs(0.5 - end):.3g} rad" in text and "pd-gravity" in text
    assert "warnings" not in run("pd-gravity")


def test_a_pose_that_turns_by_degrees_in_radians_is_warned_of(daemon):
    pose = {"position": [0.4, 0.1, 0.5], "rpy": [180, 0, 0]}
    text = ask(daemon, "inverse-kinematics", {"pose": pose})["warnings"][0]["text"]
    assert "180 radians" in text and '"angles": "deg"' in text
    assert "warnings" not in ask(daemon, "inverse-kinematics", {"pose": pose, "angles": "deg"})
    assert "warnings" not in ask(daemon, "inverse-kinematics", {"pose": pose | {"rpy": [3.14159, 0, 0]}})


def test_motion_states_its_unit_of_angles(daemon):
    path = {"waypoints": [ZERO, [0.1] * 7], "duration_s": 1, "interval_s": 0.5}
    assert ask(daemon, "trajectory", path)["angles"] == ask(daemon, "excitation", {"tries": 5})["angles"] == "rad"
    motion = ask(daemon, "trajectory", path)
    run = {"initial": {"q": ZERO}, "angles": "deg", "duration_s": 0.5, "output": {"interval_s": 0.5},
           "input": {"kind": "computed-torque", "kp": 900, "kd": 60, "reference": {"table": motion}}}
    # the table is in radians, although the request has degrees
    assert ask(daemon, "simulate", run)["q"][-1] == pytest.approx(motion["q"][1], abs=1e-3)


# Names of data, addresses


def test_columns_that_count_from_one_are_like_those_that_count_from_zero(daemon):
    for name, head in (("from-one", "time,q1,q2"), ("from-zero", "t,q_0,q_1"), ("others", "t,q_1,q_3")):
        assert daemon.request("PUT", f"/v1/datasets/{name}", f"{head}\n0,0,1\n1,1,2\n2,2,3\n", {"Content-Type": "text/csv"})[0] in (200, 201)
    found = ask(daemon, "/v1/compare", {"a": "from-one", "b": "from-zero"})
    assert [(one["name"], one["max"]) for one in found["columns"]] == [("q1", 0), ("q2", 0)]
    # matched by name alone: the indices 1 and 3 are not consecutive
    found = ask(daemon, "/v1/compare", {"a": {"dataset": "from-zero"}, "b": "others"})
    assert [(one["name"], one["max"]) for one in found["columns"]] == [("q_1", 1)]
    status, headers, _ = post(daemon, "simulate", {"initial": {"q": ZERO}, "duration_s": 0.01, "output": {"interval_s": 0.01}})
    job = next(v for k, v in headers.items() if k.lower() == "content-location").split("/")[3]
    assert status == 200 and ask(daemon, "/v1/compare", {"a": job, "b": job})["columns"][0]["max"] == 0


@pytest.mark.parametrize("path, text", [("/v1/robots/panda/drive", "did you mean /v1/drive?"), ("/v1/robot/panda", "did you mean /v1/robots/...?"),
                                        ("/v1/inverse-dynamics", "did you mean /v1/robots/NAME/inverse-dynamics?"),
                                        ("/v1/robots/panda/limits", "use /v1/robots/NAME: its joints have their limits")])
def test_an_address_where_there_is_nothing_names_another_whole(daemon, path, text):
    assert text in problem(daemon.request("POST", path, "{}", {}), 404)["detail"]


# Texts that lead on


def put(daemon, name, body, media="application/json"):
    return daemon.request("PUT", f"/v1/robots/{name}", body, {"Content-Type": media})


@pytest.mark.parametrize("dh, pointer", [([[0, 0.3, 0, 1.5708]], "/dh"), ({"convention": "standard", "joints": [[0, 0.3, 0, 1.5708]]}, "/dh/joints/0")])
def test_a_table_of_denavit_and_hartenberg_without_names_is_shown_how_it_is_written(daemon, dh, pointer):
    status, _, text = put(daemon, "no-dh", json.dumps({"gravity": [0, 0, -9.81], "dh": dh}))
    (error,) = json.loads(text)["errors"]
    assert status == 400 and error["pointer"] == pointer
    written = error["hint"].removeprefix("write ").split(";")[0].split(": which")[0].replace(", ...]", "]")
    row = json.loads(written)
    table = row if pointer == "/dh" else {"convention": "standard", "joints": [row]}
    status, _, text = put(daemon, "dh-as-shown", json.dumps({"gravity": [0, 0, -9.81], "dh": table}))
    assert status in (200, 201), text  # what the hint says can be sent


@pytest.mark.parametrize("body", ["q=1", "hello", "q: 1"])
def test_a_body_that_is_no_json_is_answered_with_an_example_of_one(daemon, body):
    status, _, text = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", body, {"Content-Type": "application/x-www-form-urlencoded"})
    error = json.loads(text)["errors"][0]
    assert status == 400 and error["detail"] == "the body is not JSON: it begins with a word"
    assert json.loads(error["hint"].split("-d '")[1].rstrip("'")) == {"q": [0.1, 0.2]} and "application/json" in error["hint"]


def test_a_word_inside_of_json_keeps_its_text(daemon):
    status, _, text = daemon.request("POST", "/v1/robots/panda/inverse-dynamics", '{"q": maybe}', {"Content-Type": "application/json"})
    assert status == 400 and "not true, false or null" in json.loads(text)["detail"]


@pytest.mark.parametrize("call, body, hint", [
    ("inverse-dynamics", {"q": Q, "angles": "grad"}, 'did you mean "rad"? known here: rad, deg'),
    ("inertia", {"bodies": [{"mass": 1, "shape": "foo", "size": [1, 1, 1]}]}, "known here: "),
    ("simulate", RUN | {"duration_s": "10s"}, "write 10, without quotes and unit"),
    ("simulate", RUN | {"duration_s": "10"}, "write the number without quotes"),
    ("simulate", RUN | {"duration_s": "1e1"}, "write the number without quotes"),
    ("simulate", RUN | {"duration_s": "s"}, "write the number without quotes"),
    ("simulate", RUN | {"contacts": {"ground": True, "friction": 0.5}}, '"shapes": [{"shape": "half-space"}'),
    ("simulate", RUN | {"floor": True}, '"contacts": {"shapes": [{"shape": "half-space"}'),
    ("simulate", RUN | {"contacts": {"links": ["flange"]}}, '"shapes": [{"shape": "sphere"'),
    ("simulate", RUN | {"rate": 100}, '"output": {"interval_s": 0.01} is 100 Hz'),
    ("excitation", {"rate_hz": 100}, '"interval_s": 0.01 is 100 Hz'),
    ("trajectory", FAST | {"time_optimal": True}, '"limits": {"kind": "time-optimal"}'),
    ("inverse-kinematics", {"orientation": [1, 0, 0, 0], "position": [0.4, 0, 0.5]}, '"quaternion_wxyz"'),
    ("inverse-kinematics", {"T": [[1, 0, 0, 0.4], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]]}, '"rotation", three rows of three'),
    ("inverse-kinematics", {"pose": {"matrix": []}}, '"rotation" is its three rows of three'),
    ("inverse-kinematics", {"pose": {"position": [0.4, 0, 0.5], "roll": 1}}, '"rpy": [roll, pitch, yaw]'),
    ("inverse-kinematics", {"pose": {"position": [0.4, 0, 0.5], "rpy": {"roll": 1, "pitch": 0, "yaw": 0}}}, "write [roll, pitch, yaw]")])
def test_a_hint_leads_on(daemon, call, body, hint):
    said = refused(daemon, call if call != "inertia" else "/v1/inertia", body)["hint"]
    assert said.startswith(hint) or hint in said and hint[0] == '"', said
    assert "did you mean" not in said or said == hint  # a row that states the nearest word states it whole


def test_the_size_of_a_sphere_needs_no_brackets(daemon):
    shapes = [{"shape": "half-space"}, {"shape": "sphere", "link": "flange", "size": [0.05]}]
    plain = ask(daemon, "distance", {"q": Q, "shapes": shapes})
    shapes[1]["size"] = 0.05
    assert without(ask(daemon, "distance", {"q": Q, "shapes": shapes})) == without(plain)


def test_the_hint_of_an_overlap_is_the_height_that_ends_it(daemon):
    at = {"shape": "sphere", "link": "flange", "size": [0.05]}
    body = RUN | {"contacts": {"shapes": [{"shape": "half-space", "pose": {"position": [0, 0, 5.0]}}, at], "friction": 0.5}}
    error = refused(daemon, "simulate", body)
    lift = float(error["hint"].split("lift one of them by ")[1].split()[0])
    body["contacts"]["shapes"][0]["pose"]["position"][2] -= lift
    assert b"overlap" not in post(daemon, "simulate", body)[2]
    body["contacts"]["shapes"][0]["pose"]["position"][2] += 1e-5
    assert "overlap" in refused(daemon, "simulate", body)["detail"]


def test_an_empty_robot_is_said_to_be_empty(daemon):
    for media in ("application/json", "application/xml", "application/x-www-form-urlencoded"):
        status, _, text = put(daemon, "nothing", "", media)
        assert status == 400 and json.loads(text)["errors"][0]["detail"] == "the body is empty", text


def test_units_of_a_log_are_read_in_other_words_too(daemon):
    log = {"dataset": "sample-panda-1"}
    ours = ask(daemon, "inverse-dynamics", {"from": log | {"units": {"q": "deg"}}})
    other = ask(daemon, "inverse-dynamics", {"from": log | {"units": {"q": "degrees"}}})
    assert other["tau"] == ours["tau"]
    assert {"pointer": "/from/units/q", "sent": "degrees", "read": "deg"} in other["read_as"]
    hint = refused(daemon, "inverse-dynamics", {"from": log | {"units": {"q": "turns"}}})["hint"]
    assert hint.startswith('one of "rad" "deg"') and hint.endswith("; or a list, one for each joint")
