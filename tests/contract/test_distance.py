# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_distance.py - distances of shapes over HTTP: closed forms, pairs left out, refusals;
# against coal.
import json
import math
import random

import pytest

ARM = "planar-2r"  # links of 0.8 and 0.6 m along x, joints about z


def post(daemon, body, robot=ARM):
    return daemon.request("POST", f"/v1/robots/{robot}/distance", json.dumps(body), {"Content-Type": "application/json"})


def ask(daemon, body, robot=ARM):
    status, _, text = post(daemon, body, robot)
    assert status == 200, text
    return json.loads(text)


def test_moves_with_its_link(daemon):
    """A ball at the tip and one fixed in the world: the distance of their centres minus both radii."""
    shapes = [{"name": "tip", "link": "tool", "shape": "sphere", "size": [0.1]},
              {"name": "ball", "shape": "sphere", "size": [0.2], "pose": {"position": [0.3, 0.4, 0.5]}}]
    q = [[0.3, 0.5], [1.0, -0.4], [0, 0]]
    a = ask(daemon, {"q": q, "shapes": shapes})
    assert a["pairs"] == [{"a": "tip", "b": "ball"}] and a["expressed_in"] == "world"
    for (q1, q2), (d,), ((p, _),), (n,) in zip(q, a["distance"], a["points"], a["normal"]):
        tip = [0.8 * math.cos(q1) + 0.6 * math.cos(q1 + q2), 0.8 * math.sin(q1) + 0.6 * math.sin(q1 + q2), 0]
        way = [b - c for b, c in zip([0.3, 0.4, 0.5], tip)]
        assert abs(d - (math.hypot(*way) - 0.3)) < 1e-14
        for c in range(3):
            assert abs(n[c] - way[c] / math.hypot(*way)) < 1e-14 and abs(p[c] - tip[c] - 0.1 * n[c]) < 1e-14
    assert a["least"]["distance"] == min(d for d, in a["distance"]) and a["collides"] is False
    one = ask(daemon, {"q": q[0], "shapes": shapes})
    assert one["distance"] == a["distance"][0] and one["normal"] == a["normal"][0]
    degrees = ask(daemon, {"q": [math.degrees(x) for x in q[0]], "shapes": shapes, "angles": "deg"})
    assert abs(degrees["distance"][0] - one["distance"][0]) < 1e-14


def test_pairs_that_are_left_out(daemon):
    robot = json.loads(daemon.request("GET", f"/v1/robots/{ARM}")[2])
    links = [link["name"] for link in robot["links"]]
    base, first, second = links[:3]
    shapes = [{"name": "column", "link": base, "shape": "box", "size": [0.1, 0.1, 1]},
              {"name": "upper", "link": first, "shape": "capsule", "size": [0.05, 0.7]},
              {"name": "lower", "link": second, "shape": "sphere", "size": [0.05]},
              {"name": "hand", "link": "tool", "shape": "sphere", "size": [0.05]},
              {"name": "floor", "shape": "half-space", "pose": {"position": [0, 0, -1]}},
              {"name": "wall", "shape": "half-space"}]
    a = ask(daemon, {"q": [0, 0], "shapes": shapes})
    pairs = {(p["a"], p["b"]) for p in a["pairs"]}
    out = {(p["a"], p["b"]): p["reason"] for p in a["left_out"]}
    assert ("column", "upper") not in pairs and out[("column", "upper")] == "adjacent"
    assert out[("upper", "lower")] == "adjacent" and out[("lower", "hand")] == "same-body"
    assert out[("floor", "wall")] == "same-body" and out[("column", "floor")] == "same-body"
    assert ("upper", "floor") in pairs and ("column", "lower") in pairs and ("hand", "wall") in pairs
    assert len(pairs) + len(out) == 15
    more = ask(daemon, {"q": [0, 0], "shapes": shapes, "adjacent": True, "exclude": [["floor", first], ["wall", "hand"]]})
    pairs = {(p["a"], p["b"]) for p in more["pairs"]}
    out = {(p["a"], p["b"]): p["reason"] for p in more["left_out"]}
    assert ("column", "upper") in pairs and out[("upper", "floor")] == out[("hand", "wall")] == "excluded"


@pytest.mark.parametrize("body, pointer, slug", [
    ({"q": [0, 0]}, "/shapes", "missing-field"),
    ({"q": [0, 0], "shapes": []}, "/shapes", "wrong-length"),
    ({"q": [0, 0], "shapes": [{"shape": "ball"}]}, "/shapes/0/shape", "unknown-name"),
    ({"q": [0, 0], "shapes": [{"shape": "box"}]}, "/shapes/0/size", "missing-field"),
    ({"q": [0, 0], "shapes": [{"shape": "box", "size": [1, 2]}]}, "/shapes/0/size", "wrong-length"),
    ({"q": [0, 0], "shapes": [{"shape": "sphere", "size": [-1]}]}, "/shapes/0/size/0", "range"),
    ({"q": [0, 0], "shapes": [{"shape": "half-space", "size": [1]}]}, "/shapes/0/size", "invalid-value"),
    ({"q": [0, 0], "shapes": [{"shape": "sphere", "size": [1], "link": "tol"}]}, "/shapes/0/link", "unknown-name"),
    ({"q": [0, 0], "shapes": [{"shape": "half-space", "name": "a"}, {"shape": "half-space", "name": "a"}]}, "/shapes/1/name", None),
    ({"q": [0, 0], "shapes": [{"shape": "half-space"}], "exclude": [["flor", "tool"]]}, "/exclude/0/0", "unknown-name"),
    ({"q": [0, 0], "shapes": [{"shape": "hull"}]}, "/shapes/0/points", "missing-field"),
    ({"q": [0, 0], "shapes": [{"shape": "hull", "size": [1], "points": [[0, 0, 0]] * 4}]}, "/shapes/0/size", "invalid-value"),
    ({"q": [0, 0], "shapes": [{"shape": "sphere", "size": [1], "points": [[0, 0, 0]] * 4}]}, "/shapes/0/points", "invalid-value"),
    ({"q": [0, 0], "shapes": [{"shape": "hull", "points": [[0, 0, 0]] * 3}]}, "/shapes/0/points", "wrong-length"),
    ({"q": [0, 0], "shapes": [{"shape": "hull", "points": [[0, 0, 0], [1, 0], [0, 1, 0], [0, 0, 1]]}]}, "/shapes/0/points/1", "wrong-length"),
    ({"q": [0, 0], "shapes": [{"shape": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}]}, "/shapes/0/points", "invalid-value"),
])
def test_refusals(daemon, body, pointer, slug):
    status, headers, text = post(daemon, body)
    assert status == 422, text
    fault = json.loads(text)
    fault = fault.get("errors", [fault])[0]
    assert fault.get("pointer") == pointer and fault.get("hint"), text
    assert slug is None or json.loads(text)["type"].endswith(slug) or fault.get("type", "").endswith(slug), text


@pytest.mark.parametrize("n, words", [(1025, "1024"), (90, "more than 64 corners")])
def test_hulls_are_bounded(daemon, n, words):
    points = [[math.cos(k), math.sin(k), math.sin(5 * k)] for k in range(n)]
    status, _, text = post(daemon, {"q": [0, 0], "shapes": [{"shape": "hull", "points": points}]})
    assert status == 413 and words in str(text) and "/shapes/0/points" in str(text), text


def test_pairs_of_large_hulls_are_bounded(daemon):
    """64 corners on a sphere: 186 edges each; 1e9 pairs of edges at most."""
    points = [[math.sin(t) * math.cos(2.4 * k), math.sin(t) * math.sin(2.4 * k), math.cos(t)] for k in range(64) for t in [math.acos(1 - (2 * k + 1) / 64)]]
    shapes = [{"shape": "hull", "points": points, "link": "tool"}, {"shape": "hull", "points": points, "pose": {"position": [4, 0, 0]}}]
    assert 0 < ask(daemon, {"q": [0.4, 0], "shapes": shapes})["distance"][0] < 2
    status, _, text = post(daemon, {"q": [[0, 0]] * 30000, "shapes": shapes})
    assert status == 413 and "pairs of edges" in str(text), text


def random_shape(r, on):
    kind = r.choice(["sphere", "capsule", "box", "hull"])
    size = [r.uniform(0.05, 0.6) for _ in range({"sphere": 1, "capsule": 2, "box": 3, "hull": 0}[kind])]
    at = [r.uniform(-0.6, 0.6) + (1.4 if on == "world" and k == 0 else 0) for k in range(3)]  # near the tool
    w = [r.gauss(0, 1) for _ in range(4)]
    wxyz = [x / math.hypot(*w) for x in w]
    shape = {"shape": kind, "link": on, "pose": {"position": at, "quaternion_wxyz": wxyz}}
    if kind == "hull":
        return {**shape, "points": [[r.uniform(-0.3, 0.3) for _ in range(3)] for _ in range(r.randrange(4, 30))]}
    return {**shape, "size": size}


def test_as_coal_measures_them(daemon):
    """900 pairs, separated and overlapping; coal's algorithm for boxes is iterative, with an error of 1e-6 of
    the distance."""
    coal = pytest.importorskip("coal")
    np = pytest.importorskip("numpy")
    r = random.Random(4)
    shapes = [random_shape(r, "world") for _ in range(30)] + [random_shape(r, "tool") for _ in range(30)]
    a = ask(daemon, {"q": [0, 0], "shapes": shapes, "adjacent": True})
    peers = []
    for s in shapes:
        w, x, y, z = s["pose"]["quaternion_wxyz"]
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        at = np.array(s["pose"]["position"]) + (np.array([1.4, 0, 0]) if s["link"] == "tool" else 0)
        solid = {"sphere": lambda n: coal.Sphere(*n), "capsule": lambda n: coal.Capsule(*n), "box": lambda n: coal.Box(*n)}
        if s["shape"] == "hull":
            points = coal.StdVec_Vec3s()
            for point in s["points"]:
                points.append(np.array(point))
            peers.append((coal.ConvexBase.convexHull(points, False, ""), coal.Transform3s(turn, at)))
        else:
            peers.append((solid[s["shape"]](s["size"]), coal.Transform3s(turn, at)))
    assert len(a["pairs"]) == 900
    index = {}
    for i, s in enumerate(shapes):
        index[f"{s['link']} {s['shape']} {i}"] = i
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    assert sum(d < 0 for d in a["distance"]) > 100
    for pair, d in zip(a["pairs"], a["distance"]):
        one, other = peers[index[pair["a"]]], peers[index[pair["b"]]]
        result = coal.DistanceResult()
        theirs = coal.distance(one[0], one[1], other[0], other[1], request, result)
        assert abs(theirs - d) < 2e-5, (pair, theirs, d)
