# SPDX-License-Identifier: Apache-2.0
# tests/cluster/test_lists.py - lists of jobs read the rows that they answer with, however many are stored.
import pytest
from test_cluster import cluster, conftest, pytestmark  # noqa: F401

STORED = 20000


def fill(home, n):
    """n finished jobs of a hundred clients with request, result and events; counted, as the triggers do it, in one piece."""
    home.postgres.query(f"""SET search_path = {home.schema}; SET session_replication_role = replica;
        INSERT INTO job(id, kind, robot, robot_digest, client, state, priority, tag, created_ms, started_ms, finished_ms, changed_ms)
          SELECT substr(md5(i::text), 1, 26), 'inverse-dynamics', '', '', 'fill-' || i % 100, 2, 0, 0, tqd_now(), tqd_now(), tqd_now(), tqd_now()
          FROM generate_series(1, {n}) i;
        INSERT INTO job_body(job, what, media, size, bytes)
          SELECT seq, what, 'application/json', size, convert_to(repeat('x', size), 'UTF8') FROM job, (VALUES (0, 500), (1, 100)) b(what, size);
        INSERT INTO job_event(seq, job, state, attempts, at_ms)
          SELECT (SELECT n FROM usage WHERE what = 'event') + row_number() OVER (), seq, s.state, 1, tqd_now() FROM job, (VALUES (0), (1), (2)) s(state);
        INSERT INTO usage(what, n, bytes) SELECT 'client:' || client, count(*), 600 * count(*) FROM job GROUP BY client;
        UPDATE usage SET n = n + {n} WHERE what = 'job2';
        UPDATE usage SET n = n + 3 * {n} WHERE what = 'event';
        UPDATE usage SET n = n + 2 * {n}, bytes = bytes + 600::bigint * {n} WHERE what = 'job_body'""")
    home.postgres.query("VACUUM ANALYZE")
    home.postgres.query("CHECKPOINT")


def rows_read(home):
    """Of the table of jobs, and how often; a connection reports within a second of its last statement, or with its next."""
    got = home.postgres.query(f"SELECT seq_scan + idx_scan, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'job' AND schemaname = '{home.schema}'")
    return [int(n) for n in got.split("|")]


@pytest.mark.parametrize("what", ("", "&state=succeeded", "&state=succeeded,failed", "&kind=inverse-dynamics", "&kind=inverse-dynamics&state=succeeded"))
def test_a_list_reads_what_it_answers(cluster, what):  # noqa: F811
    home = cluster(1, {"jobs": 0})
    fill(home, STORED)
    scans, rows = rows_read(home)
    n, seen = 0, 0

    def reported():
        nonlocal n, seen
        seen = len(home.json(f"/v1/jobs?limit=100{what}")["jobs"])
        n += 1
        return rows_read(home)[0] > scans + 5

    conftest.eventually(reported)
    assert seen == 100
    assert rows_read(home)[1] - rows < 300 * n + 1000, "every list has read thousands"
