# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_pooler.py - pgbouncer in transaction mode between daemons and PostgreSQL, killed like them.
"""POOLER_KILLS: of pgbouncer, of daemons and of PostgreSQL, each (2)."""

import json
import os
import random
import signal
import subprocess

import pytest
import test_cluster
from servers import Server, kept, program, scratch  # noqa: F401
from test_cluster import ASYNC, PATH, cluster, conftest, pytestmark, single, under_load  # noqa: F401

POOLER_KILLS = int(os.environ.get("POOLER_KILLS", "2"))


class Pooler:
    """Fewer connections than the daemons have: each of theirs is given another with every transaction."""

    def __init__(self, server, connections=4):
        self.folder, self.port, self.process = scratch(), single.free_port(), None
        self.uri = f"postgresql://torqued@127.0.0.1:{self.port}/postgres?connect_timeout=5"
        with open(f"{self.folder}/users", "w") as f:
            f.write('"torqued" ""\n')
        # search_path is the schema of this test; a store of its own in its database needs no options
        with open(f"{self.folder}/pgbouncer.ini", "w") as f:
            f.write(f"""[databases]
postgres = host=127.0.0.1 port={server.port} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = trust
auth_file = {self.folder}/users
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
ignore_startup_parameters = options
logfile = {self.folder}/log
""")
        self.start()

    def start(self):
        self.process = subprocess.Popen([*test_cluster.Postgres.user, program("pgbouncer"), "-q", f"{self.folder}/pgbouncer.ini"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(conftest.PATIENCE)
        self.start()

    def log(self):
        with open(f"{self.folder}/log") as f:
            return f.read()

    def close(self):
        self.process.kill()
        self.process.wait()


def behind_a_pooler(kept, cluster, settings=None, n=3):  # noqa: F811
    server = kept(Server())
    pooler = kept(Pooler(server))
    # what pgbouncer does not pass on: the schema is that of the role
    home = cluster(n, settings, started=False, postgres=server, way=pooler.uri)
    server.query(f"ALTER ROLE torqued SET search_path = {home.schema}")
    for node in home.nodes:
        node.start()
    return server, pooler, home


def starts(node):
    """As systemd does: again, while the pooler admits nobody because it or the server has just been killed (server_login_retry, 15 s)."""
    try:
        node.start()
    except AssertionError as fault:
        if "torqued: PostgreSQL: " not in str(fault):
            raise
        return False
    return True


@pytest.mark.seconds(240 + 40 * POOLER_KILLS)
def test_killed_under_load_behind_a_pooler(kept, cluster):  # noqa: F811
    server, pooler, home = behind_a_pooler(kept, cluster)
    chance = random.Random(POOLER_KILLS)

    def kill_a_node():
        node = chance.choice(home.nodes)
        node.kill()
        conftest.eventually(lambda: starts(node))

    blows = [kill_a_node, pooler.kill, server.kill] * POOLER_KILLS
    chance.shuffle(blows)
    under_load(home, blows, chance, 6)


@pytest.mark.seconds(240)
def test_everything_works_behind_a_pooler(kept, cluster):  # noqa: F811
    server, pooler, home = behind_a_pooler(kept, cluster, n=2)
    first, second = home.nodes
    rows = b"t,a\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(200000))
    assert first.request("PUT", "/v1/datasets/run", rows, {"Content-Type": "text/csv"})[0] == 201
    assert second.request("GET", "/v1/datasets/run/content")[2] == rows
    tag = first.request("PUT", "/v1/robots/arm", single.test_robots.urdf(3))[1]["ETag"]
    conftest.eventually(lambda: second.request("GET", "/v1/robots/arm")[1].get("ETag") == tag)  # looked for, without LISTEN
    jobs = {}
    for i in range(40):
        data = single.body(900, i % 3)
        jobs[json.loads(first.request("POST", PATH, data, ASYNC)[2])["id"]] = data
    test_cluster.check_all(second, jobs)
    # nobody listens on a connection that others have next
    assert server.query("SELECT count(*) FROM pg_stat_activity WHERE query ILIKE '%listen%' AND pid <> pg_backend_pid()") == "0"
    assert "not linked" not in pooler.log()
    # a job of one node, cancelled on the other, ends
    job = json.loads(first.request("POST", test_cluster.SIMULATE, test_cluster.LONG, ASYNC)[2])["id"]
    second.request("POST", f"/v1/jobs/{job}/cancel")
    assert home.ended(job)["state"] in ("cancelled", "succeeded")
