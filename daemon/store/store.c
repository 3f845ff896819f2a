/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/store.c - chooses the engine, and the writer thread with its group commit. */
#include "daemon/store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/observe/timestamp.h"
#include "daemon/store/folder.h"
#include "daemon/store/store_private.h"

enum { WRITES_MAX = 4096, BATCH_MAX = 512 };

const char *tqd_store_status_text(tqd_store_status status)
{
    switch (status) {
    case TQD_STORE_OK:
        return "done";
    case TQD_STORE_NOT_FOUND:
        return "the store has no such entry";
    case TQD_STORE_MISMATCH:
        return "it has changed since it was read";
    case TQD_STORE_QUOTA:
        return "a limit of the settings for the store is reached";
    case TQD_STORE_OWNED:
        return "it belongs to another client";
    case TQD_STORE_BUSY:
        return "too many writes are waiting";
    case TQD_STORE_NO_SPACE:
        return "there is no space left to store this";
    case TQD_STORE_NO_MEMORY:
        return "memory is short";
    case TQD_STORE_BROKEN:
        return "the store cannot be reached now, or its disk fails";
    case TQD_STORE_DAMAGED:
        return "the stored bytes are damaged: restore them from a backup, or delete it";
    }
    return "unknown";
}

/* one transaction for the whole list; returns the first failure that requires a rollback */
static tqd_store_status run_list(tqd_engine *engine, tqd_write *list)
{
    if (engine->methods->group != NULL) {
        engine->methods->group(engine, list);
        return TQD_STORE_OK; /* each write has a status of its own */
    }
    tqd_store_status status = engine->methods->begin(engine);
    if (status != TQD_STORE_OK) {
        return status;
    }
    for (tqd_write *write = list; write != NULL; write = write->next) {
        write->status = engine->methods->run(engine, write);
        if (write->status > TQD_STORE_OWNED) {
            engine->methods->rollback(engine);
            return write->status;
        }
    }
    status = engine->methods->commit(engine);
    if (status != TQD_STORE_OK) {
        engine->methods->rollback(engine);
    }
    return status;
}

static void notice(const tqd_store_options *options, tqd_notice notice, const char *what,
                   const char *detail)
{
    if (options->notice != NULL) {
        options->notice(options->notice_ctx, notice, what, detail);
    }
}

static const char sqlite_uri[] = "sqlite:";

bool tqd_store_uri_is_shared(const char *uri)
{
    static const char scheme[] = "postgresql://";
    return uri != NULL && strncmp(uri, scheme, sizeof scheme - 1) == 0;
}

/* postgresql://user:password@host/db?password=...: without the password and the query. Unless there
 * is exactly one @ in its place, nothing is shown: any part of an invalid URI may be the password.
 */
void tqd_store_uri_show(const char *uri, char *out, size_t size)
{
    const char *authority = uri + (tqd_store_uri_is_shared(uri) ? strlen("postgresql://") : 0);
    const char *at = strchr(uri, '@');
    const char *end = authority + strcspn(authority, "/?");
    if (at == NULL) {
        snprintf(out, size, "%.*s", (int)strcspn(uri, "?"), uri);
    } else if (authority == uri || at >= end || strchr(at + 1, '@') != NULL) {
        snprintf(out, size, "postgresql://...");
    } else {
        const size_t n_user = strcspn(authority, ":@");
        snprintf(out, size, "%.*s%.*s", (int)((size_t)(authority - uri) + n_user), uri,
                 (int)strcspn(at, "?"), at);
    }
}

/* A folder that contained a database before is not initialised again. */
static bool check_present(const tqd_store_options *options, bool is_used, char *why)
{
    char path[PATH_MAX];
    struct stat facts;
    snprintf(path, sizeof path, "%s/torqued.db", options->folder);
    const bool there = stat(path, &facts) == 0;
    if (is_used && !options->adopt && (!there || facts.st_size == 0)) {
        snprintf(why, TQD_STORE_WHY, "%.120s is %s" TQD_STORE_ADOPT, path,
                 there ? "empty" : "missing");
        return false;
    }
    return true;
}

/* Compares the folder's mark with the database's own. False: the garbage list may be wrong, and
 * could not be cleared. */
static bool compare_mark(tqd_store *store, const tqd_store_options *options, const tqd_mark *mark,
                         tqd_mark_found found, char *why)
{
    tqd_mark now;
    char detail[TQD_STORE_WHY];
    tqd_garbage_drop drop = {.write.kind = TQD_WRITE_GARBAGE_DROP, .last_seq = INT64_MAX};
    store->engine->methods->mark(store->engine, &now);
    const bool other = found == TQD_MARK_GOOD && strcmp(mark->identity, now.identity) != 0;
    if (found == TQD_MARK_UNREADABLE) {
        notice(options, TQD_NOTICE_WARNING, "torqued.commit cannot be read",
               "it is unknown whether the database has all commits");
    } else if (other) {
        notice(options, TQD_NOTICE_WARNING, "the database is not the former one",
               "files without a row are moved to files/lost");
    } else if (mark->n_commit > now.n_commit) {
        store->n_commit_lost = mark->n_commit - now.n_commit;
        snprintf(
            detail, sizeof detail,
            "the database has %" PRIu64 " commits, %" PRIu64
            " were acknowledged: it is an older copy, or its journal is damaged; files without "
            "a row are moved to files/lost",
            now.n_commit, mark->n_commit);
        notice(options, TQD_NOTICE_ERROR, "acknowledged work is missing", detail);
    }
    if (options->is_check) {
        return true;
    }
    const bool is_shared = store->engine->methods->group != NULL; /* its garbage list is about its
                                                                     own files, independent of the
                                                                     folder */
    const bool unknown = found != TQD_MARK_GOOD && now.n_commit > 0;
    if (!is_shared && (other || unknown || store->n_commit_lost > 0)) {
        /* this may be an older copy, in which entries of the garbage list have references */
        const tqd_store_status status = run_list(store->engine, &drop.write);
        if (status != TQD_STORE_OK) {
            snprintf(why, TQD_STORE_WHY, "%.120s/torqued.db: %s", options->folder,
                     tqd_store_status_text(status));
            return false;
        }
    }
    store->engine->methods->mark(store->engine, &now);
    tqd_mark_write(store->mark_fd, &now);
    return true;
}

/* Requires the folder's lock. */
static bool open_parts(tqd_store *store, const tqd_store_options *options, char *why)
{
    tqd_mark mark;
    tqd_mark_found found = tqd_mark_read(options->folder, &mark);
    tqd_folder_close_to_others(options);
    if (!tqd_file_set_open(&store->files, options, why)) {
        return false;
    }
    const bool is_used = !store->files.is_empty || mark.n_commit > 0;
    const bool is_remote = tqd_store_uri_is_shared(options->uri);
    if (!is_remote && !check_present(options, is_used, why)) {
        return false;
    }
    const tqd_engine_options engine = {.folder = options->folder,
                                       .uri = options->uri,
                                       .may_be_new = !is_used || options->adopt,
                                       .notice = options->notice,
                                       .notice_ctx = options->notice_ctx};
    store->engine = is_remote ? tqd_postgresql_open(&engine, why) : tqd_sqlite_open(&engine, why);
    if (store->engine == NULL) {
        return false;
    }
    store->mark_fd = tqd_mark_open(options->folder);
    if (store->mark_fd < 0) {
        snprintf(why, TQD_STORE_WHY, "%.150s/torqued.commit: %s", options->folder, strerror(errno));
        store->engine->methods->close(store->engine);
        return false;
    }
    if (!compare_mark(store, options, &mark, found, why)) {
        tqd_mark_close(store->mark_fd);
        store->engine->methods->close(store->engine);
        return false;
    }
    return true;
}

tqd_store *tqd_store_open(const tqd_store_options *options, char *why)
{
    why[0] = '\0';
    if (options->uri != NULL && strcmp(options->uri, sqlite_uri) != 0 &&
        !tqd_store_uri_is_shared(options->uri)) {
        /* the value may contain a password: only its beginning is shown */
        snprintf(why, TQD_STORE_WHY,
                 "store %.*s: only \"sqlite:\" and \"postgresql://...\" are known",
                 (int)strcspn(options->uri, "/@"), options->uri);
        return NULL;
    }
    tqd_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    store->notice = options->notice;
    store->notice_ctx = options->notice_ctx;
    store->lock_fd = tqd_folder_lock(options->folder, why);
    if (store->lock_fd < 0 || !open_parts(store, options, why)) {
        if (store->lock_fd >= 0) {
            close(store->lock_fd);
        }
        free(store);
        return NULL;
    }
    pthread_mutex_init(&store->mutex, NULL);
    pthread_cond_init(&store->some, NULL);
    store->last = &store->first;
    store->writes_max = options->writes_max != 0 ? options->writes_max : WRITES_MAX;
    return store;
}

static void acknowledge(tqd_write *write, tqd_store_status status)
{
    write->status = status;
    if (status == TQD_STORE_OK && write->committed != NULL) {
        write->committed(write);
    }
    write->done(write);
}

void tqd_store_close(tqd_store *store)
{
    if (store == NULL) {
        return;
    }
    while (store->first != NULL) {
        tqd_write *write = store->first;
        store->first = write->next;
        acknowledge(write, TQD_STORE_BROKEN);
    }
    store->engine->methods->close(store->engine);
    tqd_mark_close(store->mark_fd);
    tqd_file_set_close(&store->files);
    close(store->lock_fd);
    pthread_cond_destroy(&store->some);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

bool tqd_store_submit(tqd_store *store, tqd_write *write)
{
    write->next = NULL;
    pthread_mutex_lock(&store->mutex);
    const bool refused = store->stopping || store->n_waiting >= store->writes_max;
    if (refused) {
        write->status = store->stopping ? TQD_STORE_BROKEN : TQD_STORE_BUSY;
    } else {
        *store->last = write;
        store->last = &write->next;
        if (store->n_waiting++ == 0) {
            pthread_cond_signal(&store->some);
        }
    }
    pthread_mutex_unlock(&store->mutex);
    return !refused;
}

/* ---------------------------------------------------------------------- the writer's thread */

/* dequeues up to BATCH_MAX writes, in order; NULL when the store stops and the queue is empty */
static tqd_write *take_batch(tqd_store *store)
{
    pthread_mutex_lock(&store->mutex);
    while (store->first == NULL && !store->stopping) {
        pthread_cond_wait(&store->some, &store->mutex);
    }
    tqd_write *batch = store->first;
    tqd_write **end = &store->first;
    size_t n = 0;
    while (*end != NULL && n < BATCH_MAX) {
        end = &(*end)->next;
        n++;
    }
    if (n != 0) {
        store->first = *end;
        *end = NULL;
        if (store->first == NULL) {
            store->last = &store->first;
        }
        store->n_waiting -= n;
    }
    pthread_mutex_unlock(&store->mutex);
    return batch;
}

static void tell_list(tqd_write *list)
{
    while (list != NULL) {
        tqd_write *next = list->next; /* `done` may free or reuse the write */
        acknowledge(list, list->status);
        list = next;
    }
}

/* A replica that lacked commits has become the database while this process had it open. */
static void report_lost(tqd_store *store, const tqd_mark *mark)
{
    char detail[TQD_STORE_WHY];
    const uint64_t n = mark->n_lost - store->n_lost_reported;
    if (n == 0) {
        return;
    }
    store->n_lost_reported = mark->n_lost;
    atomic_fetch_add(&store->n_commit_lost, n);
    snprintf(detail, sizeof detail,
             "the database has lost %" PRIu64 " commits or more that were acknowledged: a replica "
             "without synchronous replication has taken over; start this service again",
             n);
    if (store->notice != NULL) {
        store->notice(store->notice_ctx, TQD_NOTICE_ERROR, "acknowledged work is missing", detail);
    }
}

/* Group commit: committed and marked before any write of the group is acknowledged. */
static tqd_store_status run_group(tqd_store *store, tqd_write *list)
{
    const tqd_store_status status = run_list(store->engine, list);
    if (status == TQD_STORE_OK) {
        tqd_mark mark;
        store->engine->methods->mark(store->engine, &mark);
        tqd_mark_write(store->mark_fd, &mark);
        report_lost(store, &mark);
    }
    return status;
}

/* after the failure of a whole group each write is tried alone: one that is too large fails alone
 * */
static void run_singly(tqd_store *store, tqd_write *list)
{
    while (list != NULL) {
        tqd_write *next = list->next;
        list->next = NULL;
        const tqd_store_status status = run_group(store, list);
        acknowledge(list, status == TQD_STORE_OK ? list->status : status);
        list = next;
    }
}

void tqd_store_write_loop(tqd_store *store)
{
    for (;;) {
        tqd_write *batch = take_batch(store);
        if (batch == NULL) {
            return;
        }
        const tqd_store_status status = run_group(store, batch);
        if (status == TQD_STORE_OK) {
            tell_list(batch);
        } else if (batch->next == NULL) {
            acknowledge(batch, status);
        } else {
            run_singly(store, batch);
        }
    }
}

void tqd_store_stop(tqd_store *store)
{
    pthread_mutex_lock(&store->mutex);
    store->stopping = true;
    pthread_cond_broadcast(&store->some);
    pthread_mutex_unlock(&store->mutex);
    if (store->engine->methods->unfollow != NULL) {
        store->engine->methods->unfollow(store->engine);
    }
}

void tqd_store_follow(tqd_store *store, const tqd_changed *changed)
{
    if (store->engine->methods->follow != NULL) {
        store->engine->methods->follow(store->engine, changed);
    }
}

/* ----------------------------------------------------------------------- waiting for a write */

typedef struct waiter {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool done;
} waiter;

static void wake(tqd_write *write)
{
    waiter *w = write->ctx;
    pthread_mutex_lock(&w->mutex);
    w->done = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->mutex);
}

tqd_store_status tqd_store_write(tqd_store *store, tqd_write *write)
{
    waiter w = {.done = false};
    pthread_mutex_init(&w.mutex, NULL);
    pthread_cond_init(&w.ended, NULL);
    write->done = wake;
    write->ctx = &w;
    if (tqd_store_submit(store, write)) {
        pthread_mutex_lock(&w.mutex);
        while (!w.done) {
            pthread_cond_wait(&w.ended, &w.mutex);
        }
        pthread_mutex_unlock(&w.mutex);
    }
    pthread_cond_destroy(&w.ended);
    pthread_mutex_destroy(&w.mutex);
    return write->status;
}

/* ---------------------------------------------------------------------------------- reads */

tqd_store_status tqd_store_robot(tqd_store *store, const char *name, const char *digest,
                                 tqd_robot_row *ret_row, char **ret_bytes)
{
    return store->engine->methods->robot(store->engine, name, digest, ret_row, ret_bytes);
}

tqd_store_status tqd_store_robots(tqd_store *store,
                                  int (*each)(void *ctx, const tqd_robot_row *row), void *ctx)
{
    return store->engine->methods->robots(store->engine, each, ctx);
}

tqd_store_status tqd_store_job(tqd_store *store, const char *id, tqd_job *ret_job)
{
    return store->engine->methods->job(store->engine, id, ret_job);
}

tqd_store_status tqd_store_jobs(tqd_store *store, const tqd_job_filter *filter,
                                int (*each)(void *ctx, const tqd_job *job), void *ctx)
{
    return store->engine->methods->jobs(store->engine, filter, each, ctx);
}

tqd_store_status tqd_store_job_body(tqd_store *store, const char *id, tqd_body_kind kind,
                                    char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                    char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size)
{
    return store->engine->methods->body(store->engine, id, kind, media, ret_bytes, ret_file,
                                        ret_size);
}

tqd_store_status tqd_store_job_input(tqd_store *store, const char *id, const char *name,
                                     char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                     char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size)
{
    return store->engine->methods->input(store->engine, id, name, media, ret_bytes, ret_file,
                                         ret_size);
}

tqd_store_status tqd_store_input_version(tqd_store *store, const char *name, const char *digest,
                                         char media[TQD_MEDIA_TEXT], uint64_t *ret_size)
{
    return store->engine->methods->input_version(store->engine, name, digest, media, ret_size);
}

tqd_store_status tqd_store_job_attachment(tqd_store *store, const char *id, const char *name,
                                          char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                          char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size)
{
    return store->engine->methods->attachment(store->engine, id, name, media, ret_bytes, ret_file,
                                              ret_size);
}

tqd_store_status tqd_store_job_attachments(tqd_store *store, const char *id,
                                           int (*each)(void *ctx, const tqd_attachment *attachment),
                                           void *ctx)
{
    return store->engine->methods->attachments(store->engine, id, each, ctx);
}

tqd_store_status tqd_store_events(tqd_store *store, const char *id, uint64_t after, uint32_t limit,
                                  int (*each)(void *ctx, const tqd_job_event *event), void *ctx)
{
    return store->engine->methods->events(store->engine, id, after, limit, each, ctx);
}

tqd_store_status tqd_store_event_last(tqd_store *store, uint64_t *ret_seq)
{
    return store->engine->methods->event_last(store->engine, ret_seq);
}

tqd_store_status tqd_store_job_counts(tqd_store *store, tqd_job_counts *ret)
{
    return store->engine->methods->job_counts(store->engine, ret);
}

tqd_store_status tqd_store_dataset(tqd_store *store, const char *name, tqd_dataset_row *ret_row,
                                   char **ret_summary)
{
    return store->engine->methods->dataset(store->engine, name, ret_row, ret_summary);
}

tqd_store_status tqd_store_datasets(tqd_store *store,
                                    int (*each)(void *ctx, const tqd_dataset_row *row,
                                                const char *summary),
                                    void *ctx)
{
    return store->engine->methods->datasets(store->engine, each, ctx);
}

tqd_store_status tqd_store_node_beat(tqd_store *store, const tqd_node *node, int64_t uptime_ms)
{
    if (store->engine->methods->node_beat != NULL) {
        return store->engine->methods->node_beat(store->engine, node, uptime_ms);
    }
    pthread_mutex_lock(&store->mutex);
    const int64_t since_ms = store->node.since_ms;
    store->node = *node;
    store->node.seen_ms = tqd_now_ms();
    store->node.since_ms = since_ms != 0 ? since_ms : store->node.seen_ms - uptime_ms;
    pthread_mutex_unlock(&store->mutex);
    return TQD_STORE_OK;
}

tqd_store_status tqd_store_nodes(tqd_store *store, int (*each)(void *ctx, const tqd_node *node),
                                 void *ctx)
{
    if (store->engine->methods->nodes != NULL) {
        return store->engine->methods->nodes(store->engine, each, ctx);
    }
    pthread_mutex_lock(&store->mutex);
    tqd_node node = store->node;
    pthread_mutex_unlock(&store->mutex);
    if (node.name[0] == '\0') {
        return TQD_STORE_OK;
    }
    const tqd_store_status status = tqd_store_node_drained(store, node.name, &node.drained);
    if (status == TQD_STORE_OK) {
        (void)each(ctx, &node);
    }
    return status;
}

tqd_store_status tqd_store_node_drained(tqd_store *store, const char *name, bool *ret)
{
    return store->engine->methods->node_drained(store->engine, name, ret);
}

tqd_store_status tqd_store_parts(tqd_store *store, const char *id, tqd_part_counts *ret)
{
    return store->engine->methods->parts(store->engine, id, ret);
}

tqd_store_status tqd_store_part_bytes(tqd_store *store, const char *id, uint32_t part,
                                      char **ret_bytes, uint64_t *ret_size)
{
    return store->engine->methods->part_bytes(store->engine, id, part, ret_bytes, ret_size);
}

tqd_store_status tqd_store_snapshot(tqd_store *store, const char *path)
{
    return store->engine->methods->snapshot(store->engine, path);
}

void tqd_store_health_read(tqd_store *store, tqd_store_health *ret)
{
    *ret = (tqd_store_health){.n_commit_lost = atomic_load(&store->n_commit_lost),
                              .n_file_lost = atomic_load(&store->files.n_lost),
                              .n_file_damaged = atomic_load(&store->files.n_damaged)};
}
