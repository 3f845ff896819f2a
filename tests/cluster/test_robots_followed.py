# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_robots_followed.py - a node's cache of robots follows the others' writes while it never hears silence.
"""Notifications of jobs come all the time: the look after 5 s of silence, which repairs any cache, never happens."""

import contextlib
import json
import threading

import pytest
from servers import Psql, Server, Wire, kept  # noqa: F401
from test_cluster import JSON, cluster, conftest, pytestmark, single  # noqa: F401
from test_cut_off import IN_BETWEEN, Asked

arm = single.test_robots.urdf


class News(threading.Thread):
    """Notifies all nodes of jobs, five times a second."""

    def __init__(self, home):
        super().__init__(daemon=True)
        self.home, self.ended = home, threading.Event()
        self.start()

    def run(self):
        with contextlib.closing(Psql(self.home)) as session:
            while not self.ended.wait(0.2):
                session.ask("SELECT pg_notify(tqd_channel(), 'jobs')")

    def close(self):
        self.ended.set()
        self.join()


def two_nodes(kept, cluster):  # noqa: F811
    """The first is behind a wire, the second is not."""
    server = kept(Server())
    wire = kept(Wire(server.port))
    home = cluster(2, started=False, postgres=server, way=server.uri.replace(str(server.port), str(wire.port)))
    direct = home.nodes[1]
    direct.settings["store"] = direct.settings["store"].replace(str(wire.port), str(server.port))
    for node in home.nodes:
        node.start()
    return server, wire, home


def shows(node, tag):
    conftest.eventually(lambda: node.request("GET", "/v1/robots/arm")[1].get("ETag") == tag)


@pytest.mark.seconds(300)
def test_a_look_that_failed_is_repeated(kept, cluster):  # noqa: F811
    """The node hears of a robot while it has no connection for a read, and of nothing about robots afterwards."""
    server, wire, home = two_nodes(kept, cluster)
    behind, direct = home.nodes
    with contextlib.closing(News(home)):
        first = direct.request("PUT", "/v1/robots/arm", arm(1))[1]["ETag"]
        shows(behind, first)
        wire.refuse()  # the connection that hears stays
        server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'torqued'"
                     " AND query NOT LIKE '%LISTEN%' AND query <> 'SELECT 1'")
        second = direct.request("PUT", "/v1/robots/arm", arm(2))[1]["ETag"]
        shows(direct, second)
        heard = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO %LISTEN%' AND application_name = 'torqued'"
        assert server.query(heard) == "2", "the node does not hear any more"
        assert behind.daemon.request("GET", "/v1/robots/arm")[1]["ETag"] == first
        kept(Wire(server.port, wire.port))
        shows(behind, second)


@pytest.mark.seconds(300)
def test_a_late_answer_to_a_commit_does_not_undo_a_later_write(kept, cluster):  # noqa: F811
    """The node has read another's write before it has the answer to its own, which came before that."""
    server, wire, home = two_nodes(kept, cluster)
    behind, direct = home.nodes
    with contextlib.closing(News(home)):
        first = behind.request("PUT", "/v1/robots/arm", arm(1))[1]["ETag"]
        wire.hold_from(b"tqd_robot_put", b"COMMIT")
        asked = Asked(behind, "PUT", "/v1/robots/arm", arm(2))
        assert wire.reached.wait(conftest.PATIENCE)
        conftest.eventually(lambda: server.query(IN_BETWEEN) == "1")
        wire.hold(answers=True, of=wire.of)
        mark = f"SELECT digest FROM {home.schema}.robot"
        own = single.test_robots.digest(arm(2))
        conftest.eventually(lambda: server.query(mark) == own)
        later = direct.request("PUT", "/v1/robots/arm", arm(3))[1]["ETag"]
        direct.request("PUT", "/v1/robots/other", arm(1))
        conftest.eventually(lambda: "other" in {row["name"] for row in behind.json("/v1/robots")["robots"]})  # it has looked since
        assert behind.request("GET", "/v1/robots/arm")[1]["ETag"] == first, "it would go back with its own write"
        wire.hold()
        status, headers, text = asked.answer()
        assert status == 200 and headers["ETag"] == f'"{own}"', text
        shows(behind, later)


@pytest.mark.seconds(300)
def test_a_robot_of_another_node_is_found_at_once(kept, cluster):  # noqa: F811
    """The database is asked for a name that a node does not know: 404 is certain, and without the database 503."""
    server, wire, home = two_nodes(kept, cluster)
    behind, direct = home.nodes
    data = b'{"q": [[0.1, 0.2]], "qd": [[0, 0]], "qdd": [[0, 0]]}'
    wait = {**JSON, "Prefer": "wait=30"}
    for i in range(20):
        name = f"new-{i}"
        assert direct.request("PUT", f"/v1/robots/{name}", arm(2))[0] == 201
        path = f"/v1/robots/{name}/inverse-dynamics"
        asked = (
            lambda: behind.daemon.request("GET", f"/v1/robots/{name}"),
            lambda: behind.daemon.request("POST", path, data, JSON),
            lambda: behind.daemon.request("POST", path, data, wait),
        )
        status, _, text = asked[i % len(asked)]()
        assert status == 200, text
    assert behind.daemon.request("GET", "/v1/robots/absent")[0] == 404
    assert behind.daemon.request("POST", "/v1/robots/absent/inverse-dynamics", data, JSON)[0] == 404
    wire.close()
    both = {"a": {"dataset": "d"}, "b": {"dataset": "d"}}
    for asked in (("GET", "/v1/robots/absent"), ("POST", "/v1/sessions", b'{"robot": "absent"}', JSON),
                  ("POST", "/v1/compare", json.dumps(both).encode(), JSON)):
        status, headers, text = behind.daemon.request(*asked)
        assert status == 503 and int(headers["Retry-After"]) > 0, (asked, status, text)
    kept(Wire(server.port, wire.port))
    conftest.eventually(lambda: behind.daemon.request("GET", "/v1/robots/absent")[0] == 404)
