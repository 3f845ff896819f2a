/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/attachments.c - rows of named files attached to a job's result. */
#include "daemon/store/sqlite/job_row.h"

static const char put_sql[] = "INSERT INTO job_attachment(job, name, media, size, file, bytes,"
                              " sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, tqd_sum(?3, ?4, ?5, ?6))";
static const char one_sql[] =
    "SELECT media, size, file, bytes, " TQD_BODY_GOOD
    " FROM job_attachment WHERE job = (SELECT seq FROM job WHERE id = ?1) AND name = ?2";
static const char list_sql[] = "SELECT name, media, size FROM job_attachment"
                               " WHERE job = (SELECT seq FROM job WHERE id = ?1) ORDER BY name";

tqd_store_status tqd_sqlite_attachment_put(tqd_connection *connection, int64_t seq,
                                           const tqd_attachment *attachment)
{
    const tqd_body *body = &attachment->body;
    return tqd_sql_do(connection, put_sql, "ittitb", seq, attachment->name, body->media,
                      (int64_t)body->size, body->bytes != NULL ? NULL : body->file, body->bytes,
                      body->bytes != NULL ? (size_t)body->size : (size_t)0);
}

tqd_store_status tqd_sqlite_attachment(tqd_connection *connection, const char *id, const char *name,
                                       char *media, char **ret_bytes, char *ret_file,
                                       uint64_t *ret_size)
{
    return tqd_sqlite_body_read(connection, tqd_sql_bound(connection, one_sql, "tt", id, name),
                                media, ret_bytes, ret_file, ret_size);
}

tqd_store_status tqd_sqlite_attachments(tqd_connection *connection, const char *id,
                                        int (*each)(void *ctx, const tqd_attachment *attachment),
                                        void *ctx)
{
    sqlite3_stmt *statement = tqd_sql_bound(connection, list_sql, "t", id);
    if (statement == NULL) {
        return tqd_sql_once(connection, statement, NULL);
    }
    int code = sqlite3_step(statement);
    while (code == SQLITE_ROW) {
        char media[TQD_MEDIA_TEXT];
        tqd_attachment attachment = {.body.media = media};
        tqd_column_copy(statement, 0, attachment.name, sizeof attachment.name);
        tqd_column_copy(statement, 1, media, sizeof media);
        attachment.body.size = (uint64_t)sqlite3_column_int64(statement, 2);
        if (each(ctx, &attachment) != 0) {
            break;
        }
        code = sqlite3_step(statement);
    }
    const tqd_store_status status = tqd_sqlite_status(connection->db, code);
    sqlite3_reset(statement);
    return status;
}
