/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/nodes.c - the daemons that have this store. */
#include "daemon/store/postgresql/postgresql.h"

static const char beat_sql[] = "SELECT tqd_node_beat($1, $2, $3, $4, $5, $6, $7)";
static const char list_sql[] =
    "SELECT n.name, n.version, n.since_ms, n.seen_ms, n.n_running, n.n_runner, n.n_lane,"
    " n.memory_bytes, d.name IS NOT NULL FROM node n LEFT JOIN drained d ON d.name = n.name"
    " ORDER BY n.name";
static const char drained_sql[] = "SELECT EXISTS (SELECT 1 FROM drained WHERE name = $1)";

tqd_store_status tqd_pg_node_beat(tqd_session *session, const tqd_node *node, int64_t uptime_ms)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ttiiiii", node->name, node->version, uptime_ms, (int64_t)node->n_running,
             (int64_t)node->n_runner, (int64_t)node->n_lane, (int64_t)node->memory_bytes);
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
                         .n_runner = (uint32_t)tqd_integer(result, i, 5),
                         .n_lane = (uint32_t)tqd_integer(result, i, 6),
                         .memory_bytes = (uint64_t)tqd_integer(result, i, 7),
                         .drained = tqd_truth(result, i, 8)};
        tqd_text(result, i, 0, node.name, sizeof node.name);
        tqd_text(result, i, 1, node.version, sizeof node.version);
        if (each(ctx, &node) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_node_drained(tqd_session *session, const char *name, bool *ret)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", name);
    PGresult *result = tqd_query(session, drained_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    *ret = status == TQD_STORE_OK && tqd_truth(result, 0, 0);
    PQclear(result);
    return status;
}
