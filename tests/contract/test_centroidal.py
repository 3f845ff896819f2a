# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_centroidal.py - centroidal momentum, the regressor of momentum and rates of Jacobians, on the wire.
"""Reference values: the named momentum and centre of mass, and differences in time."""
import json

import pytest
from test_terms import ask, close

Q, QD, QDD = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7], [0.4, -0.3, 0.5, 0.2, -0.6, 0.1, 0.9], [1, -2, 0.5, 1.5, -1, 2, 0.3]


def times(matrix, x):
    return [sum(a * b for a, b in zip(row, x)) for row in matrix]


def test_the_matrix_takes_rates_to_momentum(daemon):
    got = ask(daemon, "panda", "terms", {"q": Q, "qd": QD, "include": ["centroidal_momentum", "momentum"]})
    own = got["centroidal_momentum"]
    assert own["expressed_in"] == "world" and [len(row) for row in own["matrix"]] == [7] * 6
    close(times(own["matrix"], QD), got["momentum"]["linear"] + got["momentum"]["angular_com"], 1e-12)
    close(own["bias"], times(own["rate"], QD), 1e-12)


def test_matrix_qdd_and_bias_are_the_change_of_momentum(daemon):
    own = ask(daemon, "panda", "inverse-dynamics", {"q": Q, "qd": QD, "qdd": QDD, "include": ["centroidal_momentum"]})["centroidal_momentum"]
    change = [a + b for a, b in zip(times(own["matrix"], QDD), own["bias"])]
    h = 1e-6  # by differences of momentum along the motion: h^2 and eps / h
    moved = {"q": [[q + s * h * v + h * h / 2 * a for q, v, a in zip(Q, QD, QDD)] for s in (1, -1)],
             "qd": [[v + s * h * a for v, a in zip(QD, QDD)] for s in (1, -1)], "include": ["momentum"]}
    ends = ask(daemon, "panda", "terms", moved)["momentum"]
    close(change, [(a - b) / (2 * h) for k in ("linear", "angular_com") for a, b in zip(*ends[k])], 1e-6)


def test_the_regressor_times_the_parameters_is_the_momentum(daemon):
    got = ask(daemon, "humanoid", "terms", {"q": neutral(daemon, "humanoid"), "qd": [0.3] * rates(daemon, "humanoid"),
                                            "include": ["momentum_regressor", "momentum"]})
    y = got["momentum_regressor"]
    robot = json.loads(daemon.request("GET", "/v1/robots/humanoid")[2])
    links = {link["name"]: link for link in robot["links"]}
    assert y["links"] == [link["name"] for link in robot["links"]]
    total = [0.0] * 6
    for name, matrix in zip(y["links"], y["matrices"]):
        m, c, i = (links[name].get(k) for k in ("mass", "com", "inertia"))
        if m:
            assert links[name].get("inertia_about") == "com"
            c = c or [0, 0, 0]
            square = sum(x * x for x in c)
            about = [[i[r][k] + m * ((square if r == k else 0) - c[r] * c[k]) for k in range(3)] for r in range(3)]
            p = [m, *(m * x for x in c), about[0][0], about[0][1], about[0][2], about[1][1], about[1][2], about[2][2]]
            total = [a + b for a, b in zip(total, times(matrix, p))]
    close(total, got["momentum"]["linear"] + got["momentum"]["angular_origin"], 1e-11)


def neutral(daemon, robot):
    """q of small angles, and quaternions of no turn."""
    joints = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"]
    q = []
    for joint in joints:
        q += {"floating": [0, 0, 0, 1, 0, 0, 0], "spherical": [1, 0, 0, 0], "planar": [0, 0, 0], "fixed": []}.get(joint["kind"], [0.1])
    return q


def rates(daemon, robot):
    joints = json.loads(daemon.request("GET", f"/v1/robots/{robot}")[2])["joints"]
    return sum({"floating": 6, "spherical": 3, "planar": 3, "fixed": 0}.get(joint["kind"], 1) for joint in joints)


@pytest.mark.parametrize("expressed_in", ["world", "link", "spatial"])
def test_rates_of_jacobians_are_their_differences(daemon, expressed_in):
    h = 1e-5  # h^2 of the third derivative, eps / h
    ends = [[q + s * h * v for q, v in zip(Q, QD)] for s in (1, 0, -1)]
    got = ask(daemon, "panda", "kinematics", {"q": ends, "qd": [QD] * 3, "frames": ["flange"], "include": ["jacobian", "jacobian_rate"],
                                              "expressed_in": expressed_in})["frames"][0]
    for k in range(6):
        close(got["jacobian_rate"][1][k], [(a - b) / (2 * h) for a, b in zip(got["jacobian"][0][k], got["jacobian"][2][k])], 1e-9)
    still = ask(daemon, "panda", "kinematics", {"q": Q, "frames": ["flange"], "include": ["jacobian_rate"]})["frames"][0]
    assert all(x == 0 for row in still["jacobian_rate"] for x in row), "without rates nothing changes"
    if expressed_in == "world":
        every = ask(daemon, "panda", "terms", {"q": Q, "qd": QD, "include": ["link_jacobian_rates"]})["link_jacobian_rates"]
        close(sum(every["rates"][every["links"].index("flange")], []), sum(got["jacobian_rate"][1], []), 1e-12)


def test_a_jacobian_rate_follows_the_order_of_joints(daemon):
    names = json.loads(daemon.request("GET", "/v1/robots/panda")[2])["joints"]
    names = [joint["name"] for joint in names if joint["kind"] != "fixed"]
    body = {"q": Q, "qd": QD, "frames": ["flange"], "include": ["jacobian_rate"]}
    plain = ask(daemon, "panda", "kinematics", body)["frames"][0]["jacobian_rate"]
    turned = {**body, "joints": names[::-1], "q": Q[::-1], "qd": QD[::-1]}
    assert ask(daemon, "panda", "kinematics", turned)["frames"][0]["jacobian_rate"] == [row[::-1] for row in plain]
