/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/sqlite_steps.h - a second connection to the fixture's database, and how
 * much SQLite did for its statements. */
#ifndef TEST_STORE_SQLITE_STEPS_H
#define TEST_STORE_SQLITE_STEPS_H

#include "daemon/store/sqlite/sqlite.h"
#include "tests/unit/daemon/store/fixture.h"

/* tqd_connection_close is the caller's. Skips the test where the store is PostgreSQL's. */
static inline tqd_connection *open_database(void)
{
    char path[128];
    char why[TQD_STORE_WHY];
    if (uri[0] != '\0') {
        cr_skip_test("SQLite's own counters");
    }
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    tqd_connection *connection = tqd_connection_open(path, true, why);
    cr_assert(connection != NULL, "%s", why);
    return connection;
}

/* A counter of all statements since its last call: SQLITE_STMTSTATUS_VM_STEP, steps of the virtual
 * machine, or SQLITE_STMTSTATUS_SORT. */
static inline int count_of(tqd_connection *connection, int counter)
{
    int n = 0;
    for (sqlite3_stmt *s = sqlite3_next_stmt(connection->db, NULL); s != NULL;
         s = sqlite3_next_stmt(connection->db, s)) {
        n += sqlite3_stmt_status(s, counter, 1);
    }
    return n;
}

static inline int steps_of(tqd_connection *connection)
{
    return count_of(connection, SQLITE_STMTSTATUS_VM_STEP);
}

#endif
