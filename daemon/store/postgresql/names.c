/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/names.c - queries of robots, datasets, garbage and references. */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"

#define ROBOT_COLUMNS "v.digest, v.media, v.source, v.nv, v.size, h.created_ms, h.name, r.owner"
#define REVISION      " FROM robot_revision h JOIN robot_version v ON v.digest = h.digest"
static const char robot_sql[] =
    "SELECT " ROBOT_COLUMNS ", v.bytes" REVISION
    " JOIN robot r ON r.name = h.name AND r.digest = h.digest WHERE r.name = $1";
static const char version_sql[] =
    "SELECT " ROBOT_COLUMNS ", v.bytes" REVISION
    " LEFT JOIN robot r ON r.name = h.name WHERE h.name = $1 AND h.digest = $2";
static const char robots_sql[] =
    "SELECT " ROBOT_COLUMNS REVISION
    " JOIN robot r ON r.name = h.name AND r.digest = h.digest ORDER BY r.name";
#define DATASET_COLUMNS "name, file, media, size, n_row, n_column, created_ms, owner, summary"
static const char dataset_sql[] = "SELECT " DATASET_COLUMNS " FROM dataset WHERE name = $1";
static const char datasets_sql[] = "SELECT " DATASET_COLUMNS " FROM dataset ORDER BY name";
/* without those whose upload has just ended: tqd_garbage_drop passes over them as well */
static const char garbage_sql[] =
    "SELECT g.seq, g.file FROM garbage g LEFT JOIN file f ON f.digest = g.file"
    " WHERE f.digest IS NULL OR f.held_until_ms <= tqd_now() ORDER BY g.seq LIMIT $1";
static const char used_sql[] = "SELECT tqd_file_used($1)";
static const char references_sql[] =
    "SELECT file COLLATE \"C\", size FROM dataset"
    " UNION SELECT file, size FROM job_body WHERE file IS NOT NULL"
    " UNION SELECT file, size FROM job_input WHERE file IS NOT NULL"
    " UNION SELECT file, size FROM job_attachment WHERE file IS NOT NULL ORDER BY 1";

static void read_robot(const PGresult *result, int row, tqd_robot_row *robot)
{
    tqd_text(result, row, 0, robot->digest, sizeof robot->digest);
    tqd_text(result, row, 1, robot->media, sizeof robot->media);
    tqd_text(result, row, 2, robot->source, sizeof robot->source);
    robot->nv = (uint32_t)tqd_integer(result, row, 3);
    robot->size = (uint64_t)tqd_integer(result, row, 4);
    robot->created_ms = tqd_integer(result, row, 5);
    tqd_text(result, row, 6, robot->name, sizeof robot->name);
    tqd_text(result, row, 7, robot->owner, sizeof robot->owner);
}

tqd_store_status tqd_pg_robot(tqd_session *session, const char *name, const char *digest,
                              tqd_robot_row *ret_row, char **ret_bytes)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", name);
    if (digest != NULL) {
        tqd_bind(&p, "t", digest);
    }
    PGresult *result = tqd_query(session, digest != NULL ? version_sql : robot_sql, &p);
    tqd_store_status status = tqd_result_status(result);
    if (status == TQD_STORE_OK && PQntuples(result) == 0) {
        status = TQD_STORE_NOT_FOUND;
    } else if (status == TQD_STORE_OK) {
        read_robot(result, 0, ret_row);
        status = ret_bytes != NULL ? tqd_bytes(result, 0, 8, ret_bytes) : TQD_STORE_OK;
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_robots(tqd_session *session, int (*each)(void *, const tqd_robot_row *),
                               void *ctx)
{
    PGresult *result = tqd_query(session, robots_sql, NULL);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        tqd_robot_row robot;
        read_robot(result, i, &robot);
        if (each(ctx, &robot) != 0) {
            break;
        }
    }
    PQclear(result);
    return status;
}

static void read_dataset(const PGresult *result, int row, tqd_dataset_row *dataset)
{
    tqd_text(result, row, 0, dataset->name, sizeof dataset->name);
    tqd_text(result, row, 1, dataset->digest, sizeof dataset->digest);
    tqd_text(result, row, 2, dataset->media, sizeof dataset->media);
    dataset->size = (uint64_t)tqd_integer(result, row, 3);
    dataset->n_row = (uint64_t)tqd_integer(result, row, 4);
    dataset->n_column = (uint64_t)tqd_integer(result, row, 5);
    dataset->created_ms = tqd_integer(result, row, 6);
    tqd_text(result, row, 7, dataset->owner, sizeof dataset->owner);
    dataset->is_damaged = false;
}

tqd_store_status tqd_pg_dataset(tqd_session *session, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", name);
    PGresult *result = tqd_query(session, dataset_sql, &p);
    tqd_store_status status = tqd_result_status(result);
    if (status == TQD_STORE_OK && PQntuples(result) == 0) {
        status = TQD_STORE_NOT_FOUND;
    } else if (status == TQD_STORE_OK) {
        read_dataset(result, 0, ret_row);
        status = ret_summary != NULL ? tqd_bytes(result, 0, 8, ret_summary) : TQD_STORE_OK;
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_datasets(tqd_session *session,
                                 int (*each)(void *, const tqd_dataset_row *, const char *),
                                 void *ctx)
{
    PGresult *result = tqd_query(session, datasets_sql, NULL);
    tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        tqd_dataset_row row;
        char *summary = NULL;
        read_dataset(result, i, &row);
        status = tqd_bytes(result, i, 8, &summary);
        const bool over = status != TQD_STORE_OK || each(ctx, &row, summary) != 0;
        free(summary);
        if (over) {
            break;
        }
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_garbage(tqd_session *session, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "i", (int64_t)limit);
    PGresult *result = tqd_query(session, garbage_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    *ret_n = status == TQD_STORE_OK ? (uint32_t)PQntuples(result) : 0;
    for (uint32_t i = 0; i < *ret_n; i++) {
        ret[i].seq = tqd_integer(result, (int)i, 0);
        tqd_text(result, (int)i, 1, ret[i].file, sizeof ret[i].file);
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_file_used(tqd_session *session, const char *digest, bool *ret)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", digest);
    PGresult *result = tqd_query(session, used_sql, &p);
    const tqd_store_status status = tqd_result_status(result);
    *ret = status == TQD_STORE_OK && tqd_truth(result, 0, 0);
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_references(tqd_session *session,
                                   bool (*each)(void *ctx, const char *digest, uint64_t size),
                                   void *ctx)
{
    PGresult *result = tqd_query(session, references_sql, NULL);
    const tqd_store_status status = tqd_result_status(result);
    const int n = status == TQD_STORE_OK ? PQntuples(result) : 0;
    for (int i = 0; i < n; i++) {
        char digest[TQD_DIGEST_TEXT];
        tqd_text(result, i, 0, digest, sizeof digest);
        if (!each(ctx, digest, (uint64_t)tqd_integer(result, i, 1))) {
            break;
        }
    }
    PQclear(result);
    return status;
}
