/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/sqlite.c - the SQLite engine: one write connection, a pool of read
 * connections. */
#include "daemon/store/sqlite/sqlite.h"
#include "daemon/store/archive/tables.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IDLE_MAX = 16 };
static const off_t check_bytes_max = 256 << 20; /* about a second; larger files: on request only */

typedef struct sqlite_engine {
    tqd_engine engine;
    tqd_connection *writer;
    pthread_mutex_t mutex; /* guards the idle readers */
    tqd_connection *idle;
    size_t n_idle;
    tqd_mark mark;
    char path[PATH_MAX];
} sqlite_engine;

static sqlite_engine *of(tqd_engine *engine)
{
    return (sqlite_engine *)engine;
}

static tqd_store_status execute(tqd_engine *engine, const char *text)
{
    tqd_connection *writer = of(engine)->writer;
    return tqd_sql_once(writer, tqd_sql(writer, text), NULL);
}

static const char begin_sql[] = "BEGIN IMMEDIATE";
static const char commit_sql[] = "COMMIT";
static const char rollback_sql[] = "ROLLBACK";

static tqd_store_status rollback(tqd_engine *engine)
{
    /* SQLite may have rolled back by itself, as after SQLITE_FULL */
    return sqlite3_get_autocommit(of(engine)->writer->db) ? TQD_STORE_OK
                                                          : execute(engine, rollback_sql);
}

static tqd_store_status begin(tqd_engine *engine)
{
    /* a rollback may have failed for lack of memory: it must succeed before a new transaction */
    const tqd_store_status status = rollback(engine);
    return status == TQD_STORE_OK ? execute(engine, begin_sql) : status;
}

static tqd_store_status commit(tqd_engine *engine)
{
    static const char number_sql[] = "UPDATE identity SET n_commit = ?1";
    tqd_mark *mark = &of(engine)->mark;
    tqd_store_status status =
        tqd_sql_do(of(engine)->writer, number_sql, "i", (int64_t)mark->n_commit + 1);
    if (status == TQD_STORE_OK) {
        status = execute(engine, commit_sql);
    }
    mark->n_commit += status == TQD_STORE_OK ? 1 : 0;
    return status;
}

static void read_mark(tqd_engine *engine, tqd_mark *ret)
{
    *ret = of(engine)->mark;
}

static tqd_store_status run(tqd_engine *engine, tqd_write *write)
{
    static tqd_store_status (*const table[TQD_WRITE_KINDS])(tqd_connection *, tqd_write *) = {
        [TQD_WRITE_ROBOT_PUT] = tqd_sqlite_robot_put,
        [TQD_WRITE_ROBOT_DELETE] = tqd_sqlite_robot_delete,
        [TQD_WRITE_JOB_SUBMIT] = tqd_sqlite_submit,
        [TQD_WRITE_JOB_CLAIM] = tqd_sqlite_claim,
        [TQD_WRITE_JOB_BEAT] = tqd_sqlite_beat,
        [TQD_WRITE_JOB_CHECKPOINT] = tqd_sqlite_checkpoint,
        [TQD_WRITE_JOB_FINISH] = tqd_sqlite_finish,
        [TQD_WRITE_JOB_RELEASE] = tqd_sqlite_release,
        [TQD_WRITE_JOB_CANCEL] = tqd_sqlite_cancel,
        [TQD_WRITE_JOB_DELETE] = tqd_sqlite_job_delete,
        [TQD_WRITE_JOB_EXPIRE] = tqd_sqlite_expire,
        [TQD_WRITE_JOB_RETAIN] = tqd_sqlite_retain,
        [TQD_WRITE_JOB_KEEP] = tqd_sqlite_keep,
        [TQD_WRITE_JOB_PURGE] = tqd_sqlite_purge,
        [TQD_WRITE_DATASET_PUT] = tqd_sqlite_dataset_put,
        [TQD_WRITE_DATASET_DELETE] = tqd_sqlite_dataset_delete,
        [TQD_WRITE_GARBAGE_DROP] = tqd_sqlite_garbage_drop,
        [TQD_WRITE_NODE_DRAIN] = tqd_sqlite_node_drain,
        [TQD_WRITE_PART_OPEN] = tqd_sqlite_part_open,
        [TQD_WRITE_PART_CLAIM] = tqd_sqlite_part_claim,
        [TQD_WRITE_PART_BEAT] = tqd_sqlite_part_beat,
        [TQD_WRITE_PART_END] = tqd_sqlite_part_end,
        [TQD_WRITE_PART_DROP] = tqd_sqlite_part_drop,
    };
    return table[write->kind](of(engine)->writer, write);
}

/* ------------------------------------------------------------------------------------- reads */

static tqd_connection *take_reader(sqlite_engine *engine)
{
    pthread_mutex_lock(&engine->mutex);
    tqd_connection *reader = engine->idle;
    if (reader != NULL) {
        engine->idle = reader->next;
        engine->n_idle--;
    }
    pthread_mutex_unlock(&engine->mutex);
    if (reader == NULL) {
        char why[TQD_STORE_WHY];
        reader = tqd_connection_open(engine->path, false, why);
    }
    return reader;
}

static void give_reader(sqlite_engine *engine, tqd_connection *reader)
{
    pthread_mutex_lock(&engine->mutex);
    const bool keep = engine->n_idle < IDLE_MAX;
    if (keep) {
        reader->next = engine->idle;
        engine->idle = reader;
        engine->n_idle++;
    }
    pthread_mutex_unlock(&engine->mutex);
    if (!keep) {
        tqd_connection_close(reader);
    }
}

static tqd_store_status robot(tqd_engine *engine, const char *name, const char *digest,
                              tqd_robot_row *ret_row, char **ret_bytes)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_robot(reader, name, digest, ret_row, ret_bytes);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status robots(tqd_engine *engine, int (*each)(void *, const tqd_robot_row *),
                               void *ctx)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_robots(reader, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status job(tqd_engine *engine, const char *id, tqd_job *ret_job)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_job(reader, id, ret_job);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status jobs(tqd_engine *engine, const tqd_job_filter *filter,
                             int (*each)(void *, const tqd_job *), void *ctx)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_jobs(reader, filter, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status body(tqd_engine *engine, const char *id, tqd_body_kind kind, char *media,
                             char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status =
        tqd_sqlite_body(reader, id, kind, media, ret_bytes, ret_file, ret_size);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status input(tqd_engine *engine, const char *id, const char *name, char *media,
                              char **ret_bytes, char *ret_file, uint64_t *ret_size)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status =
        tqd_sqlite_input(reader, id, name, media, ret_bytes, ret_file, ret_size);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status input_version(tqd_engine *engine, const char *name, const char *digest,
                                      char *media, uint64_t *ret_size)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_input_version(reader, name, digest, media, ret_size);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status attachment(tqd_engine *engine, const char *id, const char *name,
                                   char *media, char **ret_bytes, char *ret_file,
                                   uint64_t *ret_size)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status =
        tqd_sqlite_attachment(reader, id, name, media, ret_bytes, ret_file, ret_size);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status attachments(tqd_engine *engine, const char *id,
                                    int (*each)(void *, const tqd_attachment *), void *ctx)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_attachments(reader, id, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status events(tqd_engine *engine, const char *id, uint64_t after, uint32_t limit,
                               int (*each)(void *, const tqd_job_event *), void *ctx)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_events(reader, id, after, limit, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status event_last(tqd_engine *engine, uint64_t *ret_seq)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_event_last(reader, ret_seq);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status job_counts(tqd_engine *engine, tqd_job_counts *ret)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_job_counts(reader, ret);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status dataset(tqd_engine *engine, const char *name, tqd_dataset_row *ret_row,
                                char **ret_summary)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_dataset(reader, name, ret_row, ret_summary);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status
datasets(tqd_engine *engine, int (*each)(void *, const tqd_dataset_row *, const char *), void *ctx)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_datasets(reader, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status garbage(tqd_engine *engine, uint32_t limit, tqd_garbage *ret,
                                uint32_t *ret_n)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_garbage(reader, limit, ret, ret_n);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status file_used(tqd_engine *engine, const char *digest, bool *ret)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_file_used(reader, digest, ret);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status references(tqd_engine *engine, const char *path,
                                   bool (*each)(void *, const char *, uint64_t), void *ctx)
{
    if (path != NULL) {
        return tqd_sqlite_references_of(path, each, ctx);
    }
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_references(reader, each, ctx);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status node_drained(tqd_engine *engine, const char *name, bool *ret)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_node_drained(reader, name, ret);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status parts(tqd_engine *engine, const char *id, tqd_part_counts *ret)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_parts(reader, id, ret);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status part_bytes(tqd_engine *engine, const char *id, uint32_t part,
                                   char **ret_bytes, uint64_t *ret_size)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_part_bytes(reader, id, part, ret_bytes, ret_size);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status snapshot(tqd_engine *engine, const char *path)
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_copy(reader->db, path);
    give_reader(of(engine), reader);
    return status;
}

static tqd_store_status check(tqd_engine *engine, char why[TQD_STORE_WHY])
{
    tqd_connection *reader = take_reader(of(engine));
    if (reader == NULL) {
        return TQD_STORE_BROKEN;
    }
    const tqd_store_status status = tqd_sqlite_check(reader, why);
    give_reader(of(engine), reader);
    return status;
}

static void close_engine(tqd_engine *engine)
{
    sqlite_engine *self = of(engine);
    while (self->idle != NULL) {
        tqd_connection *reader = self->idle;
        self->idle = reader->next;
        tqd_connection_close(reader);
    }
    tqd_connection_close(self->writer); /* the last close checkpoints the write-ahead log */
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

/* -------------------------------------------------------------------------------------- open */

static bool check_file(sqlite_engine *engine, const tqd_engine_options *options, char *why)
{
    struct stat facts;
    if (stat(engine->path, &facts) == 0 && facts.st_size > check_bytes_max) {
        if (options->notice != NULL) {
            options->notice(options->notice_ctx, TQD_NOTICE_INFO, "database not checked at start",
                            "it is larger than 256 MiB; torqued --check-store does it");
        }
        return true;
    }
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(engine->writer->db, "PRAGMA quick_check(1)", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    const char *answer = good ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    good = answer != NULL && strcmp(answer, "ok") == 0;
    if (!good) {
        const char *reason = answer != NULL ? answer : sqlite3_errmsg(engine->writer->db);
        const char *line = strrchr(reason, '\n'); /* after "*** in database main ***" */
        snprintf(why, TQD_STORE_WHY, "%.120s is damaged: %.100s" TQD_STORE_RESTORE, engine->path,
                 line != NULL ? line + 1 : reason);
    }
    sqlite3_finalize(statement);
    return good;
}

static const tqd_engine_methods methods = {
    .begin = begin,
    .run = run,
    .commit = commit,
    .rollback = rollback,
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
    .check = check,
    .node_drained = node_drained,
    .parts = parts,
    .part_bytes = part_bytes,
    .mark = read_mark,
    .close = close_engine,
};

/* An empty database must not replace one that has been lost. */
static bool check_new(sqlite_engine *engine, bool may_be_new, char *why)
{
    int version = 0;
    if (!may_be_new && tqd_sqlite_version(engine->writer->db, &version) && version == 0) {
        snprintf(why, TQD_STORE_WHY, "%.150s is empty" TQD_STORE_ADOPT, engine->path);
        return false;
    }
    return true;
}

static bool load_mark(sqlite_engine *engine, char *why)
{
    static const char mark_sql[] = "SELECT id, n_commit FROM identity";
    sqlite3_stmt *statement = tqd_sql(engine->writer, mark_sql);
    const bool good = statement != NULL && sqlite3_step(statement) == SQLITE_ROW;
    if (good) {
        tqd_column_copy(statement, 0, engine->mark.identity, sizeof engine->mark.identity);
        engine->mark.n_commit = (uint64_t)sqlite3_column_int64(statement, 1);
    } else {
        snprintf(why, TQD_STORE_WHY, "%.120s is damaged: it has no identity" TQD_STORE_RESTORE,
                 engine->path);
    }
    sqlite3_reset(statement);
    return good;
}

tqd_engine *tqd_sqlite_open(const tqd_engine_options *options, char *why)
{
    sqlite_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    engine->engine.methods = &methods;
    pthread_mutex_init(&engine->mutex, NULL);
    const int n = snprintf(engine->path, sizeof engine->path, "%s/torqued.db", options->folder);
    if (n < 0 || (size_t)n >= sizeof engine->path) {
        snprintf(why, TQD_STORE_WHY, "the name of the state folder is too long");
    } else {
        engine->writer = tqd_connection_open(engine->path, true, why);
    }
    if (engine->writer == NULL || !check_file(engine, options, why) ||
        !check_new(engine, options->may_be_new, why) ||
        !tqd_sqlite_migrate(engine->writer, &tqd_sqlite_schema, options->folder, why) ||
        !load_mark(engine, why)) {
        close_engine(&engine->engine);
        return NULL;
    }
    return &engine->engine;
}
