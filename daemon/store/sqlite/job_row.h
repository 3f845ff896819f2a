/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/job_row.h - columns of a job's row; private to this folder. */
#ifndef TQD_STORE_SQLITE_JOB_ROW_H
#define TQD_STORE_SQLITE_JOB_ROW_H

#include "daemon/store/sqlite/sqlite.h"

#define TQD_JOB_COLUMNS                                                                            \
    "seq, id, kind, robot, robot_digest, client, state, priority, attempts, fence, cancel_asked,"  \
    " fraction, eta_s, step, node, created_ms, started_ms, finished_ms, waited, trace"
enum { TQD_JOB_N_COLUMN = 20 };

/* The namespace of a job, with its '/': '' or the start of its client (key.h). */
#define TQD_JOB_NAMESPACE(client) "substr(" client ", 1, instr(" client ", '/'))"
#define TQD_JOB_IS_NAMED(client)  "instr(" client ", '/') > 0"

#define TQD_BODY_GOOD                                                                              \
    "ifnull(sum, tqd_sum(media, size, file, bytes)) = tqd_sum(media, size, file, bytes)"

/* Reads the columns above. */
void tqd_sqlite_job_row(sqlite3_stmt *statement, tqd_job *job);

/* Inserts or replaces a body of the job with number `seq`. */
tqd_store_status tqd_sqlite_body_put(tqd_connection *connection, int64_t seq, tqd_body_kind kind,
                                     const tqd_body *body);
/* Steps a statement that selects media, size, file, bytes, TQD_BODY_GOOD. OK, DAMAGED, NOT_FOUND or
 * a failure. */
tqd_store_status tqd_sqlite_body_read(tqd_connection *connection, sqlite3_stmt *statement,
                                      char *media, char **ret_bytes, char *ret_file,
                                      uint64_t *ret_size);

/* Stores the present versions of the inputs of the job with number `seq`. Unknown names are
 * skipped. */
tqd_store_status tqd_sqlite_inputs_pin(tqd_connection *connection, int64_t seq, const char *names);

/* Inserts a file attached to the result of the job with number `seq`. */
tqd_store_status tqd_sqlite_attachment_put(tqd_connection *connection, int64_t seq,
                                           const tqd_attachment *attachment);

#endif
