/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/inputs.c - rows of a job's inputs, in the version of its submission. */
#include <stdio.h>
#include <string.h>

#include "daemon/store/sqlite/job_row.h"

#define INTO                                                                                       \
    "INSERT OR IGNORE INTO job_input(job, name, media, size, file, bytes, sum) SELECT ?1, ?2,"
static const char pin_dataset_sql[] =
    INTO " media, size, file, NULL, tqd_sum(media, size, file, NULL) FROM dataset"
         " WHERE name = ?3 AND (?4 IS NULL OR file = ?4)";
/* a version that its name no longer has, kept by another job */
static const char pin_version_sql[] = INTO " media, size, file, NULL, sum FROM job_input"
                                           " WHERE file = ?4 AND (name = ?3 OR name = ?2) LIMIT 1";
static const char pin_result_sql[] = INTO
    " media, size, file, bytes, sum FROM job_body"
    " WHERE what = 1 AND job = (SELECT j.seq FROM job j, job own WHERE j.id = ?3 AND j.state = 2"
    " AND own.seq = ?1 AND " TQD_JOB_NAMESPACE("j.client") " = " TQD_JOB_NAMESPACE(
        "own.client") ")";
static const char get_sql[] = "SELECT media, size, file, bytes, " TQD_BODY_GOOD " FROM job_input"
                              " WHERE job = (SELECT seq FROM job WHERE id = ?1) AND name = ?2";
static const char version_sql[] =
    "SELECT media, size, file, bytes, " TQD_BODY_GOOD " FROM job_input"
    " WHERE file = ?2 AND (name = ?1 OR name = ?1 || '@' || ?2) LIMIT 1";

static const char result_prefix[] = "job:";

static tqd_store_status pin(tqd_connection *connection, int64_t seq, const char *name)
{
    char plain[TQD_NAME_TEXT];
    const size_t n_prefix = sizeof result_prefix - 1;
    const size_t n = strcspn(name, "@");
    if (strncmp(name, result_prefix, n_prefix) == 0) {
        return tqd_sql_do(connection, pin_result_sql, "itt", seq, name, name + n_prefix);
    }
    if (n >= sizeof plain) {
        return TQD_STORE_OK; /* an unknown name */
    }
    snprintf(plain, sizeof plain, "%.*s", (int)n, name);
    const char *version = name[n] == '@' ? name + n + 1 : NULL;
    tqd_store_status status =
        tqd_sql_do(connection, pin_dataset_sql, "ittt", seq, name, plain, version);
    if (status == TQD_STORE_OK && version != NULL && sqlite3_changes(connection->db) == 0) {
        status = tqd_sql_do(connection, pin_version_sql, "ittt", seq, name, plain, version);
    }
    return status;
}

tqd_store_status tqd_sqlite_inputs_pin(tqd_connection *connection, int64_t seq, const char *names)
{
    tqd_store_status status = TQD_STORE_OK;
    while (status == TQD_STORE_OK && names != NULL && names[0] != '\0') {
        status = pin(connection, seq, names);
        names += strlen(names) + 1;
    }
    return status;
}

tqd_store_status tqd_sqlite_input(tqd_connection *connection, const char *id, const char *name,
                                  char *media, char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    return tqd_sqlite_body_read(connection, tqd_sql_bound(connection, get_sql, "tt", id, name),
                                media, ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_sqlite_input_version(tqd_connection *connection, const char *name,
                                          const char *digest, char *media, uint64_t *ret_size)
{
    char *bytes = NULL;
    char file[TQD_DIGEST_TEXT];
    const tqd_store_status status =
        tqd_sqlite_body_read(connection, tqd_sql_bound(connection, version_sql, "tt", name, digest),
                             media, &bytes, file, ret_size);
    return status;
}
