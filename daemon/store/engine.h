/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/engine.h - the interface of a database engine to store.c; private to this folder. */
#ifndef TQD_STORE_ENGINE_H
#define TQD_STORE_ENGINE_H

#include "daemon/store/datasets.h"
#include "daemon/store/jobs.h"
#include "daemon/store/mark.h"
#include "daemon/store/parts.h"
#include "daemon/store/types.h"

/* Advice if a database is missing. */
#define TQD_STORE_ADOPT                                                                            \
    ", but the folder has had one: restore it, or start once with --adopt (see torqued(8))"

/* The schema of an engine, from its files step*.sql: `steps[i]` migrates schema i to i + 1. */
typedef struct tqd_schema {
    const char *const *steps;
    int n_step;
} tqd_schema;

/* how to go on without the database's own pages */
#define TQD_STORE_RESTORE                                                                          \
    ": restore the state from a backup, or move torqued.db away and start once with --adopt (see " \
    "torqued(8), LOST FILES)"

/* Removes entries of the garbage list, up to a number. OK. */
typedef struct tqd_garbage_drop {
    tqd_write write;
    int64_t last_seq;
} tqd_garbage_drop;

/* A file that has lost a reference, and its number in the order of loss. */
typedef struct tqd_garbage {
    int64_t seq;
    char file[TQD_DIGEST_TEXT];
} tqd_garbage;

/* Callback for bytes, piece by piece; a status other than OK ends the stream with that status. */
typedef struct tqd_chunks {
    tqd_store_status (*each)(void *ctx, const char *bytes, size_t n);
    void *ctx;
} tqd_chunks;

/* An engine's own struct begins with this one. begin, run, commit and rollback are called only on
 * the writer's thread, the others concurrently on any thread. */
typedef struct tqd_engine {
    const struct tqd_engine_methods *methods;
} tqd_engine;

typedef struct tqd_engine_methods {
    /* For an engine that runs a whole list of writes itself; begin, run, commit and rollback are
     * then NULL. Runs them in order, in one transaction or several, and sets the status of each
     * write; a write with OK is durable. */
    void (*group)(tqd_engine *engine, tqd_write *list);
    /* first completes a rollback that failed before */
    tqd_store_status (*begin)(tqd_engine *engine);
    /* Runs one write inside the open transaction. A refusal (up to QUOTA) has changed nothing, and
     * the transaction goes on; after a failure it must be rolled back. May be called again for the
     * same write after a rollback. */
    tqd_store_status (*run)(tqd_engine *engine, tqd_write *write);
    /* the commit gets the next number */
    tqd_store_status (*commit)(tqd_engine *engine);
    tqd_store_status (*rollback)(tqd_engine *engine);

    tqd_store_status (*robot)(tqd_engine *engine, const char *name, const char *digest,
                              tqd_robot_row *ret_row, char **ret_bytes);
    tqd_store_status (*robots)(tqd_engine *engine, int (*each)(void *, const tqd_robot_row *),
                               void *ctx);
    tqd_store_status (*job)(tqd_engine *engine, const char *id, tqd_job *ret_job);
    tqd_store_status (*jobs)(tqd_engine *engine, const tqd_job_filter *filter,
                             int (*each)(void *, const tqd_job *), void *ctx);
    tqd_store_status (*body)(tqd_engine *engine, const char *id, tqd_body_kind kind, char *media,
                             char **ret_bytes, char *ret_file, uint64_t *ret_size);
    tqd_store_status (*input)(tqd_engine *engine, const char *id, const char *name, char *media,
                              char **ret_bytes, char *ret_file, uint64_t *ret_size);
    tqd_store_status (*input_version)(tqd_engine *engine, const char *name, const char *digest,
                                      char *media, uint64_t *ret_size);
    tqd_store_status (*attachment)(tqd_engine *engine, const char *id, const char *name,
                                   char *media, char **ret_bytes, char *ret_file,
                                   uint64_t *ret_size);
    tqd_store_status (*attachments)(tqd_engine *engine, const char *id,
                                    int (*each)(void *, const tqd_attachment *), void *ctx);
    tqd_store_status (*events)(tqd_engine *engine, const char *id, uint64_t after, uint32_t limit,
                               int (*each)(void *, const tqd_job_event *), void *ctx);
    tqd_store_status (*event_last)(tqd_engine *engine, uint64_t *ret_seq);
    tqd_store_status (*job_counts)(tqd_engine *engine, tqd_job_counts *ret);
    tqd_store_status (*parts)(tqd_engine *engine, const char *id, tqd_part_counts *ret);
    tqd_store_status (*part_bytes)(tqd_engine *engine, const char *id, uint32_t part,
                                   char **ret_bytes, uint64_t *ret_size);
    tqd_store_status (*dataset)(tqd_engine *engine, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary);
    tqd_store_status (*datasets)(tqd_engine *engine,
                                 int (*each)(void *, const tqd_dataset_row *, const char *),
                                 void *ctx);
    /* the oldest entries of the garbage list, at most `limit` */
    tqd_store_status (*garbage)(tqd_engine *engine, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n);
    tqd_store_status (*file_used)(tqd_engine *engine, const char *digest, bool *ret);
    /* each file that a row refers to, with the size in that row; in the present database, or (path
     * not NULL) in a snapshot. False ends the iteration */
    tqd_store_status (*references)(tqd_engine *engine, const char *path,
                                   bool (*each)(void *ctx, const char *digest, uint64_t size),
                                   void *ctx);
    /* all rows, as a database of SQLite */
    tqd_store_status (*snapshot)(tqd_engine *engine, const char *path);
    /* Copies the rows of such a file into an empty database whose files exist already; NULL: the
     * file itself is the database. OK, or a failure with one line in `why`; MISMATCH: not empty,
     * DAMAGED: a file is missing. */
    tqd_store_status (*restore)(tqd_engine *engine, const char *path, char why[TQD_STORE_WHY]);
    /* checks every page and index; DAMAGED with one line in `why` */
    tqd_store_status (*check)(tqd_engine *engine, char why[TQD_STORE_WHY]);
    /* For an engine shared by several nodes, which also stores bytes: those of files, durable on
     * return (OK, QUOTA), and of the spools of running jobs from an offset on (MISMATCH: the
     * fencing token is old). NULL in other engines: the folder has the bytes. */
    tqd_store_status (*file_put)(tqd_engine *engine, int fd, const char *digest, uint64_t size,
                                 uint64_t bytes_max);
    tqd_store_status (*file_get)(tqd_engine *engine, const char *digest, const tqd_chunks *chunks);
    tqd_store_status (*spool_put)(tqd_engine *engine, const char *job, uint64_t fence, int fd,
                                  uint64_t from, uint64_t size);
    tqd_store_status (*spool_get)(tqd_engine *engine, const char *job, const tqd_chunks *chunks);
    tqd_store_status (*node_drained)(tqd_engine *engine, const char *name, bool *ret);
    /* tqd_store_node_beat, tqd_store_nodes; NULL: an engine of one node */
    tqd_store_status (*node_beat)(tqd_engine *engine, const tqd_node *node, int64_t uptime_ms);
    tqd_store_status (*nodes)(tqd_engine *engine, int (*each)(void *, const tqd_node *), void *ctx);
    /* tqd_store_follow; unfollow, on any thread, ends it */
    void (*follow)(tqd_engine *engine, const tqd_changed *changed);
    void (*unfollow)(tqd_engine *engine);
    /* identity of the database, and the number of its last commit; the writer's thread only */
    void (*mark)(tqd_engine *engine, tqd_mark *ret);
    void (*close)(tqd_engine *engine);
} tqd_engine_methods;

/* The engines in daemon/store/sqlite/sqlite.c and daemon/store/postgresql/engine.c. NULL with one
 * line in `why`. `may_be_new`: a missing or empty database is created. */
typedef struct tqd_engine_options {
    const char *folder;
    const char *uri; /* PostgreSQL */
    bool may_be_new;
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
} tqd_engine_options;
/* True if a setting `store` names a database that several nodes share. Accepts NULL. */
bool tqd_store_uri_is_shared(const char *uri);
tqd_engine *tqd_sqlite_open(const tqd_engine_options *options, char *why);
tqd_engine *tqd_postgresql_open(const tqd_engine_options *options, char *why);

#endif
