/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/engine.h - what a database engine gives to store.c; private to this folder. */
#ifndef TQD_STORE_ENGINE_H
#define TQD_STORE_ENGINE_H

#include "daemon/store/datasets.h"
#include "daemon/store/jobs.h"
#include "daemon/store/mark.h"
#include "daemon/store/store.h"

/* How to go on where a database is missing. */
#define TQD_STORE_ADOPT                                                                            \
    ", but the folder has had one: put it back, or start once with --adopt (see torqued(8))"

/* Forgets files that were to be looked at, up to a number. OK. */
typedef struct tqd_garbage_drop {
    tqd_write write;
    int64_t last_seq;
} tqd_garbage_drop;

/* A file that has lost a reference, and its number in that order. */
typedef struct tqd_garbage {
    int64_t seq;
    char file[TQD_DIGEST_TEXT];
} tqd_garbage;

/* An engine's own state begins with this. begin, run, commit and rollback are called by the
 * writer's thread only, the rest by any thread at once. */
typedef struct tqd_engine {
    const struct tqd_engine_methods *methods;
} tqd_engine;

typedef struct tqd_engine_methods {
    /* makes up for a rollback that failed before it begins */
    tqd_store_status (*begin)(tqd_engine *engine);
    /* Runs one write inside the open transaction. An answer (up to QUOTA) leaves the transaction
     * good, and unless it is OK has changed nothing; after a failure it must be rolled back. May be
     * called again for the same write after a rollback. */
    tqd_store_status (*run)(tqd_engine *engine, tqd_write *write);
    /* numbers the commit: one more than the last */
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
    tqd_store_status (*dataset)(tqd_engine *engine, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary);
    tqd_store_status (*datasets)(tqd_engine *engine,
                                 int (*each)(void *, const tqd_dataset_row *, const char *),
                                 void *ctx);
    /* the oldest, at most `limit` */
    tqd_store_status (*garbage)(tqd_engine *engine, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n);
    tqd_store_status (*file_used)(tqd_engine *engine, const char *digest, bool *ret);
    /* each file that a row refers to, with the size that it has there; of the database as it is
     * now, or (path not NULL) of a snapshot. False ends the walk */
    tqd_store_status (*references)(tqd_engine *engine, const char *path,
                                   bool (*each)(void *ctx, const char *digest, uint64_t size),
                                   void *ctx);
    tqd_store_status (*snapshot)(tqd_engine *engine, const char *path);
    /* every page and index of it; DAMAGED with a line */
    tqd_store_status (*check)(tqd_engine *engine, char why[TQD_STORE_WHY]);
    /* which database this is, and the number of its last commit; the writer's thread only */
    void (*mark)(tqd_engine *engine, tqd_mark *ret);
    void (*close)(tqd_engine *engine);
} tqd_engine_methods;

/* The engine in daemon/store/sqlite/sqlite.c. NULL with one line in `why`. `may_be_new`: a
 * database that
 * is missing or empty is made. */
typedef struct tqd_engine_options {
    const char *folder;
    bool may_be_new;
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
} tqd_engine_options;
tqd_engine *tqd_sqlite_open(const tqd_engine_options *options, char *why);

#endif
