/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/nodes.c - the daemons that have this store. */
#include "daemon/store/postgresql/postgresql.h"

static const char beat_sql[] = "SELECT tqd_node_beat($1, $2, $3, $4, $5)";
static const char list_sql[] =
    "SELECT name, version, since_ms, seen_ms, n_running, n_runner FROM node ORDER BY name";

tqd_store_status tqd_pg_node_beat(tqd_session *session, const tqd_node *node, int64_t uptime_ms)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ttiii", node->name, node->version, uptime_ms, (int64_t)node->n_running,
             (int64_t)node->n_runner);
    PGresult *result = tqd_query(session, beat_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_nodes(tqd_session *session, int (*each)(void *, const tqd_node *),
                              void *ctx)
{
    PGresult *result = tqd_query(session, list_sql, NULL);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        tqd_node node = {.since_ms = tqd_integer(result, i, 2),
                         .seen_ms = tqd_integer(result, i, 3),
                         .n_running = (uint32_t)tqd_integer(result, i, 4),
                         .n_runner = (uint32_t)tqd_integer(result, i, 5)};
        tqd_text(result, i, 0, node.name, sizeof node.name);
        tqd_text(result, i, 1, node.version, sizeof node.version);
        if (each(ctx, &node) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}
