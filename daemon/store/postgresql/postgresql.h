/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/postgresql.h - connections and statements of the PostgreSQL engine;
 * private to this folder. */
#ifndef TQD_STORE_POSTGRESQL_POSTGRESQL_H
#define TQD_STORE_POSTGRESQL_POSTGRESQL_H

#include <limits.h>

#include "daemon/store/engine.h"
#include "daemon/store/postgresql/libpq.h"

/* A group may take 10 s for its lock and 60 s for a statement (tqd_begin). A commit has its flush,
 * here and on replicas, only. Migrations and copies have no bound. */
enum { TQD_SILENCE_MS = 75000, TQD_SILENCE_COMMIT_MS = 15000, TQD_SILENCE_ANY_MS = INT_MAX };

/* Used by one thread at a time. */
typedef struct tqd_session {
    PGconn *db;
    const char *uri;
    struct tqd_session *next; /* in the list of idle readers */
    uint64_t n_warning;       /* of the server */
    bool is_lost;             /* it can only be closed */
    bool is_unanswered;       /* and the server does not answer others either */
    int silence_ms;           /* of a server that answers others; TQD_SILENCE_MS */
    bool hears;               /* notifications are kept for PQnotifies */
} tqd_session;

/* Connects to the first host of the URI that takes writes; NULL with one line, which never has a
 * password. Waits for the network, at most 3 s for each address. Keeps `uri`. */
tqd_session *tqd_session_open(const char *uri, char why[TQD_STORE_WHY]);
void tqd_session_close(tqd_session *session); /* accepts NULL */
bool tqd_session_is_good(const tqd_session *session);

/* CLOCK_MONOTONIC */
int64_t tqd_pg_clock_ms(void);

/* Sends what is buffered and waits until PQgetResult does not block. False: the session is lost.
 * A connection that is silent for 5 s is in doubt, whatever its socket says: a proxy or a pooler in
 * between keeps that open. The server is then asked on a fresh connection; without an answer within
 * some seconds, or from another host, this one is lost, and after silence_ms in any case. */
bool tqd_session_pump(tqd_session *session);

/* Forgets notifications that have come: a pooler hands on what another client of its connection has
 * asked for. tqd_query does it, unless the session hears. */
void tqd_session_drop_news(tqd_session *session);

enum { TQD_PARAMETERS = 32 };
typedef struct tqd_parameters {
    int n;
    const char *values[TQD_PARAMETERS];
    int lengths[TQD_PARAMETERS];
    int formats[TQD_PARAMETERS];
    char numbers[TQD_PARAMETERS][32];
} tqd_parameters;

/* Appends values, a letter each: t text (NULL binds NULL), i int64_t, d double, o bool, b bytes and
 * their size_t (NULL binds NULL). Texts and bytes stay where they are until the statement is sent.
 */
void tqd_bind(tqd_parameters *parameters, const char *letters, ...);

/* Runs one statement with its parameters and returns its result, to be freed by PQclear. NULL: the
 * session is lost, or memory is short. Its bytes are text. */
PGresult *tqd_query(tqd_session *session, const char *text, const tqd_parameters *parameters);
PGresult *tqd_query_binary(tqd_session *session, const char *text,
                           const tqd_parameters *parameters);
/* The same for several statements without parameters; the result of the last, or the failure. */
PGresult *tqd_query_script(tqd_session *session, const char *text);

/* The status that a result means: OK with or without rows. NULL is BROKEN. */
tqd_store_status tqd_result_status(const PGresult *result);

/* Columns of a row; NULL reads as 0 or "". */
int64_t tqd_integer(const PGresult *result, int row, int column);
double tqd_real(const PGresult *result, int row, int column); /* of float8send */
bool tqd_truth(const PGresult *result, int row, int column);
void tqd_text(const PGresult *result, int row, int column, char *out, size_t size);
/* malloc'ed, with a NUL appended. OK or NO_MEMORY. */
tqd_store_status tqd_bytes(const PGresult *result, int row, int column, char **ret_bytes);

/* Columns of a job, of table job or of a value `j` of its type; and their reader, from `column` on.
 */
#define TQD_JOB_LIST(prefix)                                                                       \
    prefix "seq, " prefix "id, " prefix "kind, " prefix "robot, " prefix "robot_digest, " prefix   \
           "client, " prefix "state, " prefix "priority, " prefix "attempts, " prefix              \
           "fence, " prefix "cancel_asked, "                                                       \
           "float8send(" prefix "fraction), float8send(" prefix "eta_s), " prefix "step, " prefix  \
           "node, " prefix "created_ms, " prefix "started_ms, " prefix "finished_ms, " prefix      \
           "waited, " prefix "trace"
void tqd_job_read(const PGresult *result, int row, int column, tqd_job *job);

extern const tqd_schema tqd_postgresql_schema;

/* Creates or migrates the schema under an advisory lock, and reads the identity. False with a line.
 */
bool tqd_postgresql_migrate(tqd_session *session, bool may_be_new, tqd_mark *ret_mark, char *why);

/* Sends the statements of a write to a connection in pipeline mode; their number, 0: it could not
 * be. */
unsigned tqd_write_send(PGconn *db, const tqd_write *write);
/* Takes the results of these statements, one by one from 0; each has rows. */
void tqd_write_take(tqd_write *write, const PGresult *result, unsigned statement);
/* The same for a write of parts.h: its statement and parameters; what its row says. */
const char *tqd_part_bind(const tqd_write *write, tqd_parameters *p);
void tqd_part_take(tqd_write *write, const PGresult *result);

/* Calls `changed` after notifications, and every 5 s of silence, until stop_fd can be read. */
void tqd_listen(const char *uri, int stop_fd, const tqd_changed *changed);

/* Reads, by subject. */
tqd_store_status tqd_pg_robot(tqd_session *session, const char *name, const char *digest,
                              tqd_robot_row *ret_row, char **ret_bytes);
tqd_store_status tqd_pg_robots(tqd_session *session, int (*each)(void *, const tqd_robot_row *),
                               void *ctx);
tqd_store_status tqd_pg_dataset(tqd_session *session, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary);
tqd_store_status tqd_pg_datasets(tqd_session *session,
                                 int (*each)(void *, const tqd_dataset_row *, const char *),
                                 void *ctx);
tqd_store_status tqd_pg_job(tqd_session *session, const char *id, tqd_job *ret_job);
tqd_store_status tqd_pg_jobs(tqd_session *session, const tqd_job_filter *filter,
                             int (*each)(void *, const tqd_job *), void *ctx);
tqd_store_status tqd_pg_body(tqd_session *session, const char *id, tqd_body_kind kind, char *media,
                             char **ret_bytes, char *ret_file, uint64_t *ret_size);
tqd_store_status tqd_pg_input(tqd_session *session, const char *id, const char *name, char *media,
                              char **ret_bytes, char *ret_file, uint64_t *ret_size);
tqd_store_status tqd_pg_input_version(tqd_session *session, const char *name, const char *digest,
                                      char *media, uint64_t *ret_size);
tqd_store_status tqd_pg_attachment(tqd_session *session, const char *id, const char *name,
                                   char *media, char **ret_bytes, char *ret_file,
                                   uint64_t *ret_size);
tqd_store_status tqd_pg_attachments(tqd_session *session, const char *id,
                                    int (*each)(void *, const tqd_attachment *), void *ctx);
tqd_store_status tqd_pg_events(tqd_session *session, const char *id, uint64_t after, uint32_t limit,
                               int (*each)(void *, const tqd_job_event *), void *ctx);
tqd_store_status tqd_pg_event_last(tqd_session *session, uint64_t *ret_seq);
tqd_store_status tqd_pg_job_counts(tqd_session *session, tqd_job_counts *ret);
tqd_store_status tqd_pg_garbage(tqd_session *session, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n);
tqd_store_status tqd_pg_file_used(tqd_session *session, const char *digest, bool *ret);
tqd_store_status tqd_pg_references(tqd_session *session,
                                   bool (*each)(void *ctx, const char *digest, uint64_t size),
                                   void *ctx);

tqd_store_status tqd_pg_node_beat(tqd_session *session, const tqd_node *node, int64_t uptime_ms);
tqd_store_status tqd_pg_nodes(tqd_session *session, int (*each)(void *, const tqd_node *),
                              void *ctx);
tqd_store_status tqd_pg_node_drained(tqd_session *session, const char *name, bool *ret);
tqd_store_status tqd_pg_parts(tqd_session *session, const char *id, tqd_part_counts *ret);
tqd_store_status tqd_pg_part_bytes(tqd_session *session, const char *id, uint32_t part,
                                   char **ret_bytes, uint64_t *ret_size);

/* All rows into a database file of SQLite, in one snapshot; and out of one (engine.h). */
tqd_store_status tqd_pg_snapshot(tqd_session *session, const char *path);
tqd_store_status tqd_pg_restore(tqd_session *session, const char *path, char why[TQD_STORE_WHY]);

/* Bytes. file_get and spool_get may have handed on pieces when they fail. */
tqd_store_status tqd_pg_file_put(tqd_session *session, int fd, const char *digest, uint64_t size,
                                 uint64_t bytes_max);
tqd_store_status tqd_pg_file_get(tqd_session *session, const char *digest,
                                 const tqd_chunks *chunks);
tqd_store_status tqd_pg_spool_put(tqd_session *session, const char *job, uint64_t fence, int fd,
                                  uint64_t from, uint64_t size);
tqd_store_status tqd_pg_spool_get(tqd_session *session, const char *job, const tqd_chunks *chunks);

#endif
