/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/engine.c - the PostgreSQL engine: its methods, by the writer's
 * connection and the pool of readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/store/archive/tables.h"
#include "daemon/store/postgresql/group.h"
#include "daemon/store/postgresql/pool.h"

typedef struct postgresql_engine {
    tqd_engine engine;
    tqd_writer writer;
    tqd_pool readers;
    tqd_mark mark;
    int stop_fd; /* an eventfd: the listener ends */
    char *uri;
} postgresql_engine;

static postgresql_engine *of(tqd_engine *engine)
{
    return (postgresql_engine *)engine;
}

static void run_group(tqd_engine *engine, tqd_write *list)
{
    postgresql_engine *self = of(engine);
    tqd_writer_run(&self->writer, list);
    self->mark.n_commit = self->writer.n_commit;
    self->mark.n_lost = self->writer.n_lost;
}

static void read_mark(tqd_engine *engine, tqd_mark *ret)
{
    *ret = of(engine)->mark;
}

/* ------------------------------------------------------------------------------------- reads */

/* A read on a connection of the pool. Where the connection proves to be dead, which the server's
 * restart has done to all idle ones, once more on a fresh one: a read may be repeated, since its
 * rows are handed on only after the whole result has come. */
#define READ(engine, call)                                                                         \
    do {                                                                                           \
        tqd_store_status status_ = TQD_STORE_BROKEN;                                               \
        bool dead_ = true;                                                                         \
        for (int try_ = 0; try_ < 2 && dead_; try_++) {                                            \
            tqd_session *reader = tqd_pool_take(&of(engine)->readers);                             \
            if (reader == NULL) {                                                                  \
                break;                                                                             \
            }                                                                                      \
            status_ = (call);                                                                      \
            dead_ = !tqd_session_is_good(reader);                                                  \
            tqd_pool_give(&of(engine)->readers, reader);                                           \
        }                                                                                          \
        return status_;                                                                            \
    } while (false)

static tqd_store_status robot(tqd_engine *engine, const char *name, const char *digest,
                              tqd_robot_row *ret_row, char **ret_bytes)
{
    READ(engine, tqd_pg_robot(reader, name, digest, ret_row, ret_bytes));
}

static tqd_store_status robots(tqd_engine *engine, int (*each)(void *, const tqd_robot_row *),
                               void *ctx)
{
    READ(engine, tqd_pg_robots(reader, each, ctx));
}

static tqd_store_status job(tqd_engine *engine, const char *id, tqd_job *ret_job)
{
    READ(engine, tqd_pg_job(reader, id, ret_job));
}

static tqd_store_status jobs(tqd_engine *engine, const tqd_job_filter *filter,
                             int (*each)(void *, const tqd_job *), void *ctx)
{
    READ(engine, tqd_pg_jobs(reader, filter, each, ctx));
}

static tqd_store_status body(tqd_engine *engine, const char *id, tqd_body_kind kind, char *media,
                             char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    READ(engine, tqd_pg_body(reader, id, kind, media, ret_bytes, ret_file, ret_size));
}

static tqd_store_status input(tqd_engine *engine, const char *id, const char *name, char *media,
                              char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    READ(engine, tqd_pg_input(reader, id, name, media, ret_bytes, ret_file, ret_size));
}

static tqd_store_status input_version(tqd_engine *engine, const char *name, const char *digest,
                                      char *media, uint64_t *ret_size)
{
    READ(engine, tqd_pg_input_version(reader, name, digest, media, ret_size));
}

static tqd_store_status attachment(tqd_engine *engine, const char *id, const char *name,
                                   char *media, char **ret_bytes, char *ret_file,
                                   uint64_t *ret_size)
{
    READ(engine, tqd_pg_attachment(reader, id, name, media, ret_bytes, ret_file, ret_size));
}

static tqd_store_status attachments(tqd_engine *engine, const char *id,
                                    int (*each)(void *, const tqd_attachment *), void *ctx)
{
    READ(engine, tqd_pg_attachments(reader, id, each, ctx));
}

static tqd_store_status events(tqd_engine *engine, const char *id, uint64_t after, uint32_t limit,
                               int (*each)(void *, const tqd_job_event *), void *ctx)
{
    READ(engine, tqd_pg_events(reader, id, after, limit, each, ctx));
}

static tqd_store_status event_last(tqd_engine *engine, uint64_t *ret_seq)
{
    READ(engine, tqd_pg_event_last(reader, ret_seq));
}

static tqd_store_status job_counts(tqd_engine *engine, tqd_job_counts *ret)
{
    READ(engine, tqd_pg_job_counts(reader, ret));
}

static tqd_store_status dataset(tqd_engine *engine, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary)
{
    READ(engine, tqd_pg_dataset(reader, name, ret_row, ret_summary));
}

static tqd_store_status
datasets(tqd_engine *engine, int (*each)(void *, const tqd_dataset_row *, const char *), void *ctx)
{
    READ(engine, tqd_pg_datasets(reader, each, ctx));
}

static tqd_store_status garbage(tqd_engine *engine, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n)
{
    READ(engine, tqd_pg_garbage(reader, limit, ret, ret_n));
}

static tqd_store_status file_used(tqd_engine *engine, const char *digest, bool *ret)
{
    READ(engine, tqd_pg_file_used(reader, digest, ret));
}

static tqd_store_status references(tqd_engine *engine, const char *path,
                                   bool (*each)(void *, const char *, uint64_t), void *ctx)
{
    if (path != NULL) {
        return tqd_sqlite_references_of(path, each, ctx);
    }
    READ(engine, tqd_pg_references(reader, each, ctx));
}

/* Once: what a dead connection left half done is not repeated from here. */
#define ONCE(engine, call)                                                                         \
    do {                                                                                           \
        tqd_session *reader = tqd_pool_take_live(&of(engine)->readers);                            \
        if (reader == NULL) {                                                                      \
            return TQD_STORE_BROKEN;                                                               \
        }                                                                                          \
        const tqd_store_status status_ = (call);                                                   \
        tqd_pool_give(&of(engine)->readers, reader);                                               \
        return status_;                                                                            \
    } while (false)

static tqd_store_status file_put(tqd_engine *engine, int fd, const char *digest, uint64_t size,
                                 uint64_t bytes_max)
{
    ONCE(engine, tqd_pg_file_put(reader, fd, digest, size, bytes_max));
}

static tqd_store_status file_get(tqd_engine *engine, const char *digest, const tqd_chunks *chunks)
{
    ONCE(engine, tqd_pg_file_get(reader, digest, chunks));
}

static tqd_store_status spool_put(tqd_engine *engine, const char *job, uint64_t fence, int fd,
                                  uint64_t from, uint64_t size)
{
    ONCE(engine, tqd_pg_spool_put(reader, job, fence, fd, from, size));
}

static tqd_store_status spool_get(tqd_engine *engine, const char *job, const tqd_chunks *chunks)
{
    ONCE(engine, tqd_pg_spool_get(reader, job, chunks));
}

static tqd_store_status node_beat(tqd_engine *engine, const tqd_node *node, int64_t uptime_ms)
{
    READ(engine, tqd_pg_node_beat(reader, node, uptime_ms));
}

static tqd_store_status nodes(tqd_engine *engine, int (*each)(void *, const tqd_node *), void *ctx)
{
    READ(engine, tqd_pg_nodes(reader, each, ctx));
}

static tqd_store_status parts(tqd_engine *engine, const char *id, tqd_part_counts *ret)
{
    READ(engine, tqd_pg_parts(reader, id, ret));
}

static tqd_store_status part_bytes(tqd_engine *engine, const char *id, uint32_t part,
                                   char **ret_bytes, uint64_t *ret_size)
{
    READ(engine, tqd_pg_part_bytes(reader, id, part, ret_bytes, ret_size));
}

static tqd_store_status node_drained(tqd_engine *engine, const char *name, bool *ret)
{
    READ(engine, tqd_pg_node_drained(reader, name, ret));
}

static void follow(tqd_engine *engine, const tqd_changed *changed)
{
    tqd_listen(of(engine)->uri, of(engine)->stop_fd, changed);
}

static void unfollow(tqd_engine *engine)
{
    (void)eventfd_write(of(engine)->stop_fd, 1);
}

static tqd_store_status snapshot(tqd_engine *engine, const char *path)
{
    ONCE(engine, tqd_pg_snapshot(reader, path));
}

static tqd_store_status restore(tqd_engine *engine, const char *path, char why[TQD_STORE_WHY])
{
    ONCE(engine, tqd_pg_restore(reader, path, why));
}

/* Pages are checked by the server wherever they are read (initdb --data-checksums). */
static tqd_store_status check(tqd_engine *engine, char why[TQD_STORE_WHY])
{
    tqd_job_counts counts;
    const tqd_store_status status = job_counts(engine, &counts);
    if (status != TQD_STORE_OK) {
        snprintf(why, TQD_STORE_WHY, "the database cannot be read");
    }
    return status;
}

static void close_engine(tqd_engine *engine)
{
    postgresql_engine *self = of(engine);
    tqd_pool_clear(&self->readers);
    tqd_session_close(self->writer.session);
    if (self->stop_fd >= 0) {
        close(self->stop_fd);
    }
    free(self->uri);
    free(self);
}

/* -------------------------------------------------------------------------------------- open */

static const tqd_engine_methods methods = {
    .group = run_group,
    .robot = robot,
    .robots = robots,
    .job = job,
    .jobs = jobs,
    .body = body,
    .input = input,
    .input_version = input_version,
    .attachment = attachment,
    .attachments = attachments,
    .events = events,
    .event_last = event_last,
    .job_counts = job_counts,
    .dataset = dataset,
    .datasets = datasets,
    .garbage = garbage,
    .file_used = file_used,
    .references = references,
    .snapshot = snapshot,
    .restore = restore,
    .check = check,
    .file_put = file_put,
    .file_get = file_get,
    .spool_put = spool_put,
    .spool_get = spool_get,
    .node_beat = node_beat,
    .nodes = nodes,
    .node_drained = node_drained,
    .parts = parts,
    .part_bytes = part_bytes,
    .follow = follow,
    .unfollow = unfollow,
    .mark = read_mark,
    .close = close_engine,
};

/* A database without checksums reports no flipped bit. */
static void read_settings_page(tqd_session *session, const tqd_engine_options *options)
{
    PGresult *result = tqd_query(session, "SELECT current_setting('data_checksums')", NULL);
    const bool off =
        tqd_result_status(result) == TQD_STORE_OK && strcmp(PQgetvalue(result, 0, 0), "off") == 0;
    PQclear(result);
    if (off && options->notice != NULL) {
        options->notice(options->notice_ctx, TQD_NOTICE_WARNING, "PostgreSQL has no checksums",
                        "pages that a disk damages are not noticed: pg_checksums --enable");
    }
}

tqd_engine *tqd_postgresql_open(const tqd_engine_options *options, char *why)
{
    postgresql_engine *engine = calloc(1, sizeof *engine);
    char *uri = strdup(options->uri);
    if (engine == NULL || uri == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        free(engine);
        free(uri);
        return NULL;
    }
    engine->engine.methods = &methods;
    engine->uri = uri;
    engine->writer.uri = uri;
    engine->stop_fd = eventfd(0, EFD_CLOEXEC);
    tqd_pool_init(&engine->readers, uri);
    if (tqd_libpq_load(why)) {
        engine->writer.session = tqd_session_open(uri, why);
    }
    if (engine->writer.session == NULL ||
        !tqd_postgresql_migrate(engine->writer.session, options->may_be_new, &engine->mark, why)) {
        close_engine(&engine->engine);
        return NULL;
    }
    engine->writer.n_commit = engine->mark.n_commit;
    read_settings_page(engine->writer.session, options);
    return &engine->engine;
}
