# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_parts.py - a large ensemble whose parts any node computes: the same bits on one, two and three, and whoever is killed.
import importlib.util
import json
import os
import time

import pytest
from test_cluster import ENDED, cluster, conftest, pytestmark, single  # noqa: F401

_spec = importlib.util.spec_from_file_location("system_parts", os.path.join(os.path.dirname(single.__file__), "test_parts.py"))
alone = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(alone)


def parts(home, what, where="true"):
    return home.postgres.query(f"SELECT {what} FROM {home.schema}.job_part WHERE {where}")


def nodes_of(home, job):
    """Whoever computes a part until the job ends."""
    seen = set()
    while home.json(f"/v1/jobs/{job}")["state"] not in ENDED:
        seen |= set(parts(home, "DISTINCT node", "state = 1").split())
        time.sleep(0.02)
    return seen


@pytest.mark.seconds(400)
def test_the_same_bits_on_any_number_of_nodes(cluster):  # noqa: F811
    texts = []
    for n in (1, 2, 3):
        home = cluster(n)
        job = alone.begin(home)
        assert nodes_of(home, job) == {f"node-{i}" for i in range(n)}
        texts.append(alone.result(home, job))
        assert single.states_of(home, job) == ["queued", "running", "succeeded"]
        assert parts(home, "count(*)") == "0"
    assert texts[0] == texts[1] == texts[2]
    alone.check_members(home, texts[0])


@pytest.mark.seconds(400)
@pytest.mark.parametrize("whom", ("owner", "helper"))
def test_killed(cluster, whom):  # noqa: F811
    """The parts that are done stay, with their bits; those of the killed node are another's after their lease."""
    home = cluster(3)
    body = {**alone.LARGE, "duration_s": 2}
    expected, job = alone.result(home, alone.begin(home, body)), alone.begin(home, body)
    conftest.eventually(lambda: int(parts(home, "count(*)", "state = 2")) >= 2)
    owner = home.json(f"/v1/jobs/{job}")["node"]
    killed = next(i for i in range(3) if (f"node-{i}" == owner) == (whom == "owner"))
    home.nodes[killed].kill()
    gone = home.nodes.pop(killed)
    try:
        kept = json.loads(parts(home, "json_agg(json_build_array(part, fence))", "state = 2"))
        assert kept
        if whom == "owner":
            conftest.eventually(lambda: home.json(f"/v1/jobs/{job}")["attempts"] == 2)
        now = dict(json.loads(parts(home, "coalesce(json_agg(json_build_array(part, fence)), '[]')")))
        assert not now or all(now[part] == fence for part, fence in kept)
        assert alone.result(home, job) == expected
        assert home.json(f"/v1/jobs/{job}")["attempts"] == (2 if whom == "owner" else 1)
    finally:
        home.nodes.append(gone)


@pytest.mark.seconds(400)
def test_cancelled_and_drained(cluster):  # noqa: F811
    """A drained node gives its part to others; a cancelled job stops all."""
    home = cluster(3, {"lease": 600000})
    job = alone.begin(home, {**alone.LARGE, "duration_s": 30})
    conftest.eventually(lambda: parts(home, "count(DISTINCT node)", "state = 1") == "3")
    owner = home.json(f"/v1/jobs/{job}")["node"]
    helper = next(f"node-{i}" for i in range(3) if f"node-{i}" != owner)
    assert home.request("POST", f"/v1/nodes/{helper}/drain")[0] == 200
    conftest.eventually(lambda: helper not in parts(home, "DISTINCT node", "state = 1").split())
    assert home.json(f"/v1/jobs/{job}")["state"] == "running"
    # asked of its own node: another one's word comes with a beat, a third of the lease later
    assert home.nodes[int(owner[-1])].daemon.request("POST", f"/v1/jobs/{job}/cancel")[0] in (200, 202)
    assert home.ended(job)["state"] == "cancelled"
    conftest.eventually(lambda: all(node["running"] == 0 for node in home.json("/v1/nodes")["nodes"]))
    assert parts(home, "count(*)") == "0"
