/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/sqlite.h - connections and statements of the SQLite engine; private to this
 * folder.
 */
#ifndef TQD_STORE_SQLITE_SQLITE_H
#define TQD_STORE_SQLITE_SQLITE_H

#include <sqlite3.h>

#include "daemon/store/engine.h"

enum { TQD_SQL_CACHED = 128, TQD_SQLITE_APPLICATION = 0x54514431 /* "TQD1" */ };

/* Used by one thread at a time. */
typedef struct tqd_connection {
    sqlite3 *db;
    struct tqd_connection *next; /* in the list of idle readers */
    size_t n_statement;
    struct {
        const char *text; /* constant: the cache compares its address */
        sqlite3_stmt *statement;
    } statements[TQD_SQL_CACHED];
} tqd_connection;

/* Maps a result code of SQLite to a status. `db` may be NULL. */
tqd_store_status tqd_sqlite_status(sqlite3 *db, int code);

/* Opens the database file with every PRAGMA that the store relies on. */
tqd_connection *tqd_connection_open(const char *path, bool writer, char *why);
void tqd_connection_close(tqd_connection *connection); /* accepts NULL */

/* The cached prepared statement of a constant text, without bindings; NULL when it cannot be
 * prepared. Call sqlite3_reset as soon as it is no longer stepped: until then it keeps a read
 * transaction open. */
sqlite3_stmt *tqd_sql(tqd_connection *connection, const char *text);

/* Steps once and resets: OK with or without a row; `*ret_row` (may be NULL) says which. */
tqd_store_status tqd_sql_once(tqd_connection *connection, sqlite3_stmt *statement, bool *ret_row);

/* tqd_sql with its parameters, a letter each: t text (NULL binds NULL), i int64_t, d double,
 * b bytes and their size_t (NULL binds NULL). Texts and bytes stay where they are until the
 * reset. */
sqlite3_stmt *tqd_sql_bound(tqd_connection *connection, const char *text, const char *letters, ...);

/* The same, then tqd_sql_once. */
tqd_store_status tqd_sql_do(tqd_connection *connection, const char *text, const char *letters, ...);

/* Copies a text column into `out`, truncated to `size`; "" for NULL. */
void tqd_column_copy(sqlite3_stmt *statement, int i, char *out, size_t size);

/* Copies a blob column, malloc'ed, with a NUL appended. OK or NO_MEMORY. */
tqd_store_status tqd_column_bytes(sqlite3_stmt *statement, int i, char **ret_bytes);

/* Adds the SQL function tqd_sum(value, ...) to a connection; a result code. A row's column `sum` is
 * tqd_sum of the other columns; NULL (unset) is valid too. */
int tqd_sqlite_sum_add(sqlite3 *db);

/* All pages and indexes, and the sums of all rows that have one: OK, or DAMAGED with a line. */
tqd_store_status tqd_sqlite_check(tqd_connection *connection, char why[TQD_STORE_WHY]);

/* Migrates the schema to the present version, after a snapshot of the file. */
extern const tqd_schema tqd_sqlite_schema;
bool tqd_sqlite_migrate(tqd_connection *connection, const tqd_schema *schema, const char *folder,
                        char *why);

/* The number of the schema, 0: none yet. False when it cannot be read. */
bool tqd_sqlite_version(sqlite3 *db, int *ret);

/* Copies the database consistently into a new file: temporary file, fsync, rename. */
tqd_store_status tqd_sqlite_copy(sqlite3 *db, const char *path);

/* The writes and reads, by subject. */
tqd_store_status tqd_sqlite_robot_put(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_robot_delete(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_robot(tqd_connection *connection, const char *name, const char *digest,
                                  tqd_robot_row *ret_row, char **ret_bytes);
tqd_store_status tqd_sqlite_robots(tqd_connection *connection,
                                   int (*each)(void *ctx, const tqd_robot_row *row), void *ctx);
tqd_store_status tqd_sqlite_submit(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_claim(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_beat(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_checkpoint(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_finish(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_release(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_cancel(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_job_delete(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_expire(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_retain(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_keep(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_purge(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_node_drain(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_node_drained(tqd_connection *connection, const char *name, bool *ret);
tqd_store_status tqd_sqlite_part_open(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_part_claim(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_part_beat(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_part_end(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_part_drop(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_parts(tqd_connection *connection, const char *id, tqd_part_counts *ret);
tqd_store_status tqd_sqlite_part_bytes(tqd_connection *connection, const char *id, uint32_t part,
                                       char **ret_bytes, uint64_t *ret_size);
tqd_store_status tqd_sqlite_job(tqd_connection *connection, const char *id, tqd_job *ret_job);
tqd_store_status tqd_sqlite_jobs(tqd_connection *connection, const tqd_job_filter *filter,
                                 int (*each)(void *ctx, const tqd_job *job), void *ctx);
tqd_store_status tqd_sqlite_body(tqd_connection *connection, const char *id, tqd_body_kind kind,
                                 char *media, char **ret_bytes, char *ret_file, uint64_t *ret_size);
tqd_store_status tqd_sqlite_input(tqd_connection *connection, const char *id, const char *name,
                                  char *media, char **ret_bytes, char *ret_file,
                                  uint64_t *ret_size);
tqd_store_status tqd_sqlite_input_version(tqd_connection *connection, const char *name,
                                          const char *digest, char *media, uint64_t *ret_size);
tqd_store_status tqd_sqlite_attachment(tqd_connection *connection, const char *id, const char *name,
                                       char *media, char **ret_bytes, char *ret_file,
                                       uint64_t *ret_size);
tqd_store_status tqd_sqlite_attachments(tqd_connection *connection, const char *id,
                                        int (*each)(void *ctx, const tqd_attachment *attachment),
                                        void *ctx);
tqd_store_status tqd_sqlite_events(tqd_connection *connection, const char *id, uint64_t after,
                                   uint32_t limit,
                                   int (*each)(void *ctx, const tqd_job_event *event), void *ctx);
tqd_store_status tqd_sqlite_dataset_put(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_dataset_delete(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_dataset(tqd_connection *connection, const char *name,
                                    tqd_dataset_row *ret_row, char **ret_summary);
tqd_store_status tqd_sqlite_datasets(tqd_connection *connection,
                                     int (*each)(void *ctx, const tqd_dataset_row *row,
                                                 const char *summary),
                                     void *ctx);
tqd_store_status tqd_sqlite_event_last(tqd_connection *connection, uint64_t *ret_seq);
tqd_store_status tqd_sqlite_garbage(tqd_connection *connection, uint32_t limit, tqd_garbage *ret,
                                    uint32_t *ret_n);
tqd_store_status tqd_sqlite_garbage_drop(tqd_connection *connection, tqd_write *write);
tqd_store_status tqd_sqlite_file_used(tqd_connection *connection, const char *digest, bool *ret);
/* n and bytes of the row of `usage` that `sql` selects for a client, 0 if there is none */
tqd_store_status tqd_sqlite_usage(tqd_connection *connection, const char *sql, const char *client,
                                  uint64_t *ret_n, uint64_t *ret_bytes);
/* What a client keeps: jobs that are not `waited`, and bytes of all its jobs and datasets. */
tqd_store_status tqd_sqlite_own(tqd_connection *connection, const char *client, uint64_t *ret_jobs,
                                uint64_t *ret_bytes);
tqd_store_status tqd_sqlite_job_counts(tqd_connection *connection, tqd_job_counts *ret);
tqd_store_status tqd_sqlite_references(tqd_connection *connection,
                                       bool (*each)(void *ctx, const char *digest, uint64_t size),
                                       void *ctx);

#endif
