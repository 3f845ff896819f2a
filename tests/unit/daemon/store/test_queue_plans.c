/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_queue_plans.c - what the queue does for one job reads few rows,
 * however many are queued. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/unit/daemon/store/sqlite_steps.h"

TestSuite(queue_plans, .init = setup, .fini = teardown, .timeout = 100);

enum { QUEUED = 20000, STEPS_MAX = QUEUED / 20 };

/* three clients by turns; a third of the jobs have a deadline to come */
static const char fill_sql[] =
    "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < ?1)"
    " INSERT INTO job(id, kind, robot, robot_digest, client, state, priority, tag, deadline_at_ms,"
    "   created_ms, changed_ms)"
    " SELECT 'job' || i, 'simulate', '', '', CASE i % 3 WHEN 0 THEN 'ann' WHEN 1 THEN 'bob' ELSE"
    "   'cid' END, 0, 0, i, CASE i % 3 WHEN 0 THEN 9000000000000 END, 1, 1 FROM k";

static tqd_connection *filled(void)
{
    tqd_connection *connection = open_database();
    cr_assert(eq(int, (int)tqd_sql_do(connection, fill_sql, "i", (int64_t)QUEUED), TQD_STORE_OK));
    (void)steps_of(connection);
    return connection;
}

static void check(tqd_connection *connection, const char *what, int sorts_max)
{
    const int steps = steps_of(connection);
    const int sorts = count_of(connection, SQLITE_STMTSTATUS_SORT);
    cr_assert(steps > 0 && steps < STEPS_MAX, "%s: %d steps", what, steps);
    cr_assert(sorts <= sorts_max, "%s: %d sorts", what, sorts);
}

Test(queue_plans, a_claim_reads_the_job_that_it_takes)
{
    tqd_connection *connection = filled();
    static const char *const not_of[] = {NULL, "\nann\nbob\n", "\nann\n"};
    static const char *const expected[] = {"job1", "job2", "job4"};
    for (size_t k = 0; k < sizeof not_of / sizeof not_of[0]; k++) {
        tqd_job_claim claim = {.write.kind = TQD_WRITE_JOB_CLAIM,
                               .node = "here",
                               .not_of = not_of[k],
                               .lease_ms = 1000000};
        cr_assert(eq(int, (int)tqd_sqlite_claim(connection, &claim.write), TQD_STORE_OK));
        cr_assert(eq(str, claim.job.id, (char *)expected[k]));
        /* a job of each client is sorted, of those whose turn it may be */
        check(connection, "claim", not_of[k] == NULL ? 0 : 1);
    }
    tqd_connection_close(connection);
}

Test(queue_plans, what_is_overdue_or_lost_is_found_without_the_others)
{
    tqd_connection *connection = filled();
    tqd_job_expire expire = {.write.kind = TQD_WRITE_JOB_EXPIRE, .limit = 100};
    cr_assert(eq(int, (int)tqd_sqlite_expire(connection, &expire.write), TQD_STORE_OK));
    cr_assert(eq(u32, expire.n_job, 0));
    check(connection, "expire", 0);
    tqd_connection_close(connection);
}

Test(queue_plans, a_submission_counts_no_further_than_its_bound)
{
    tqd_connection *connection = filled();
    char id[TQD_JOB_ID_TEXT];
    tqd_job_id_make(id);
    tqd_job_submit submit = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                             .id = id,
                             .kind = "simulate",
                             .robot = "",
                             .robot_digest = "",
                             .client = "dan",
                             .request = {.media = "application/json", .bytes = "{}", .size = 2},
                             .client_queued_max = 100};
    cr_assert(eq(int, (int)tqd_sqlite_submit(connection, &submit.write), TQD_STORE_OK));
    check(connection, "the first of a client", 0);
    submit.client = "ann";
    cr_assert(eq(int, (int)tqd_sqlite_submit(connection, &submit.write), TQD_STORE_QUOTA));
    cr_assert(submit.client_full);
    check(connection, "one too many", 0);
    tqd_connection_close(connection);
}

/* the last job of its version, beside as many of another version of the same robot */
static const char versions_sql[] =
    "INSERT INTO robot_version(digest, media, source, nv, size, bytes) VALUES ('old', '', '', 1, 0, x''),"
    "   ('new', '', '', 1, 0, x'');"
    "INSERT INTO robot_revision(name, digest, created_ms) VALUES ('r', 'old', 1), ('r', 'new', 1);"
    "UPDATE job SET robot = 'r', robot_digest = 'new';"
    "UPDATE job SET robot_digest = 'old', state = 2 WHERE id = 'job20000'";

Test(queue_plans, a_deletion_reads_no_job_of_another_version)
{
    tqd_connection *connection = filled();
    cr_assert(eq(int, sqlite3_exec(connection->db, versions_sql, NULL, NULL, NULL), SQLITE_OK));
    (void)steps_of(connection);
    tqd_job_delete delete = {.write.kind = TQD_WRITE_JOB_DELETE, .id = "job20000"};
    cr_assert(eq(int, (int)tqd_sqlite_job_delete(connection, &delete.write), TQD_STORE_OK));
    check(connection, "delete", 0);
    tqd_connection_close(connection);
}

static int take(void *ctx, const tqd_job *job)
{
    (void)job;
    ++*(size_t *)ctx;
    return 0;
}

Test(queue_plans, a_page_of_the_queue_reads_a_page)
{
    tqd_connection *connection = filled();
    size_t n = 0;
    const tqd_job_filter filter = {.states = 1U << TQD_JOB_QUEUED, .limit = 20};
    cr_assert(eq(int, (int)tqd_sqlite_jobs(connection, &filter, take, &n), TQD_STORE_OK));
    cr_assert(eq(sz, n, 20));
    const int steps = steps_of(connection);
    cr_assert(steps > 0 && steps < 20 * 100, "%d steps", steps);
    cr_assert(eq(int, count_of(connection, SQLITE_STMTSTATUS_SORT), 0));
    tqd_connection_close(connection);
}
