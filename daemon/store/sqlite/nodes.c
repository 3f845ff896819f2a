/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/nodes.c - which node is drained. */
#include "daemon/observe/timestamp.h"
#include "daemon/store/sqlite/sqlite.h"

static const char drain_sql[] = "INSERT INTO drained(name, since_ms) VALUES (?1, ?2)"
                                " ON CONFLICT DO NOTHING";
static const char resume_sql[] = "DELETE FROM drained WHERE name = ?1";
static const char drained_sql[] = "SELECT 1 FROM drained WHERE name = ?1";

tqd_store_status tqd_sqlite_node_drain(tqd_connection *connection, tqd_write *write)
{
    const tqd_node_drain *drain = (const tqd_node_drain *)write;
    return drain->drained ? tqd_sql_do(connection, drain_sql, "ti", drain->name, tqd_now_ms())
                          : tqd_sql_do(connection, resume_sql, "t", drain->name);
}

tqd_store_status tqd_sqlite_node_drained(tqd_connection *connection, const char *name, bool *ret)
{
    *ret = false;
    return tqd_sql_once(connection, tqd_sql_bound(connection, drained_sql, "t", name), ret);
}
