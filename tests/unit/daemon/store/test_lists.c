/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_lists.c - a list of a few jobs among many others reads few rows. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/unit/daemon/store/sqlite_steps.h"

TestSuite(lists, .init = setup, .fini = teardown, .timeout = 100);

enum { OTHERS = 20000, OWN = 3 };

/* the oldest are of lab/ann, then come others of their own namespace and of the default one */
static const char fill_sql[] =
    "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < ?1)"
    " INSERT INTO job(id, kind, robot, robot_digest, client, state, priority, tag, created_ms,"
    "   started_ms, finished_ms, changed_ms)"
    " SELECT 'job' || i, 'simulate', '', '', CASE WHEN i <= ?2 THEN 'lab/ann' WHEN i % 2 = 0"
    "   THEN 'shop/bob' ELSE 'cid' END, 2, 0, 0, 1, 1, 1, 1 FROM k";

static tqd_connection *filled(void)
{
    tqd_connection *connection = open_database();
    cr_assert(eq(int, (int)tqd_sql_do(connection, fill_sql, "ii", (int64_t)OTHERS, (int64_t)OWN),
                 TQD_STORE_OK));
    return connection;
}

static int count_job(void *ctx, const tqd_job *job)
{
    size_t *n = ctx;
    *n += strcmp(job->client, "lab/ann") == 0 ? 1 : 1000;
    return 0;
}

Test(lists, of_a_namespace_read_its_rows_only)
{
    tqd_connection *connection = filled();
    const tqd_job_filter filters[] = {
        {.beside = "lab/x", .limit = 100},
        {.beside = "lab/x", .kind = "simulate", .limit = 100},
        {.beside = "lab/x", .states = 1U << TQD_JOB_SUCCEEDED, .limit = 100},
    };
    (void)steps_of(connection);
    for (size_t k = 0; k < sizeof filters / sizeof filters[0]; k++) {
        size_t n = 0;
        cr_assert(
            eq(int, (int)tqd_sqlite_jobs(connection, &filters[k], count_job, &n), TQD_STORE_OK));
        cr_assert(eq(sz, n, OWN), "filter %zu", k);
        const int steps = steps_of(connection);
        cr_assert(steps > 0 && steps < OTHERS / 20, "filter %zu: %d steps", k, steps);
    }
    /* where the namespace is not asked for, the rows of all are read: the counter counts */
    size_t n = 0;
    const tqd_job_filter by = {.by = "lab/ann", .limit = 100};
    cr_assert(eq(int, (int)tqd_sqlite_jobs(connection, &by, count_job, &n), TQD_STORE_OK));
    cr_assert(eq(sz, n, OWN));
    cr_assert(steps_of(connection) > OTHERS);
    tqd_connection_close(connection);
}
