/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_set.c - the folder of content-addressed files: what may go and what not. */
#include "daemon/store/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tqd_file_digest_good(const char *digest)
{
    return strspn(digest, "0123456789abcdef") == TQD_DIGEST_TEXT - 1 &&
           digest[TQD_DIGEST_TEXT - 1] == '\0';
}

void tqd_file_set_path(const tqd_file_set *set, const char *digest, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%.2s/%s", set->folder, digest, digest);
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    const int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return n > 0 && n < PATH_MAX;
}

/* calls `each` for every entry of a folder that does not begin with a dot */
static bool walk(const char *folder, bool (*each)(void *ctx, const char *folder, const char *name),
                 void *ctx)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return false;
    }
    bool good = true;
    for (struct dirent *entry = readdir(dir); good && entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            good = each(ctx, folder, entry->d_name);
        }
    }
    closedir(dir);
    return good;
}

static bool remove_entry(void *ctx, const char *folder, const char *name)
{
    (void)ctx;
    char path[PATH_MAX];
    return join(path, folder, name) && unlink(path) == 0;
}

static bool add_size(void *ctx, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat facts;
    if (join(path, folder, name) && stat(path, &facts) == 0) {
        *(uint64_t *)ctx += (uint64_t)facts.st_size;
    }
    return true;
}

static bool add_shelf(void *ctx, const char *folder, const char *name)
{
    char path[PATH_MAX];
    return strcmp(name, "tmp") == 0 || (join(path, folder, name) && walk(path, add_size, ctx));
}

bool tqd_file_set_open(tqd_file_set *set, const char *state, uint64_t bytes_max, char *why)
{
    char tmp[PATH_MAX];
    char aside[PATH_MAX];
    uint64_t bytes = 0;
    const int n = snprintf(set->folder, sizeof set->folder, "%s/files", state);
    snprintf(tmp, sizeof tmp, "%s/tmp", set->folder);
    snprintf(aside, sizeof aside, "%s/" TQD_ASIDE_FOLDER, set->folder);
    if (n < 0 || (size_t)n >= sizeof set->folder ||
        (mkdir(set->folder, 0700) != 0 && errno != EEXIST) ||
        (mkdir(tmp, 0700) != 0 && errno != EEXIST) ||
        (mkdir(aside, 0700) != 0 && errno != EEXIST) || !walk(tmp, remove_entry, NULL) ||
        !walk(set->folder, add_shelf, &bytes)) {
        snprintf(why, TQD_STORE_WHY, "%.150s: %s", set->folder, strerror(errno));
        return false;
    }
    set->bytes_max = bytes_max;
    set->pins = NULL;
    set->n_hold = 0;
    atomic_store(&set->bytes, bytes);
    pthread_mutex_init(&set->mutex, NULL);
    return true;
}

void tqd_file_set_close(tqd_file_set *set)
{
    pthread_mutex_destroy(&set->mutex);
}

void tqd_file_set_pin(tqd_file_set *set, tqd_pin *pin)
{
    pthread_mutex_lock(&set->mutex);
    pin->next = set->pins;
    set->pins = pin;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_unpin(tqd_file_set *set, tqd_pin *pin)
{
    pthread_mutex_lock(&set->mutex);
    tqd_pin **link = &set->pins;
    while (*link != pin) {
        link = &(*link)->next;
    }
    *link = pin->next;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_hold(tqd_file_set *set)
{
    pthread_mutex_lock(&set->mutex);
    set->n_hold++;
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_release(tqd_file_set *set)
{
    pthread_mutex_lock(&set->mutex);
    set->n_hold--;
    pthread_mutex_unlock(&set->mutex);
}

/* --------------------------------------------------------------------------------------- each */

typedef struct telling {
    bool (*each)(void *ctx, const char *digest, uint64_t size);
    void *ctx;
} telling;

static bool tell_file(void *ctx, const char *folder, const char *name)
{
    const telling *t = ctx;
    char path[PATH_MAX];
    struct stat facts;
    if (!tqd_file_digest_good(name) || !join(path, folder, name) || stat(path, &facts) != 0) {
        return true; /* not ours, or just gone: nothing refers to it */
    }
    return t->each(t->ctx, name, (uint64_t)facts.st_size);
}

static bool tell_shelf(void *ctx, const char *folder, const char *name)
{
    char path[PATH_MAX];
    return strcmp(name, "tmp") == 0 || (join(path, folder, name) && walk(path, tell_file, ctx));
}

bool tqd_file_set_each(tqd_file_set *set,
                       bool (*each)(void *ctx, const char *digest, uint64_t size), void *ctx)
{
    telling t = {each, ctx};
    return walk(set->folder, tell_shelf, &t);
}

/* -------------------------------------------------------------------------------------- sweep */

typedef struct sweep {
    tqd_file_set *set;
    tqd_engine *engine;
    tqd_store_status status;
    uint64_t removed;
    bool held; /* a backup runs: nothing is removed now */
} sweep;

static bool is_pinned(const tqd_file_set *set, const char *digest)
{
    const tqd_pin *pin = set->pins;
    while (pin != NULL && strcmp(pin->digest, digest) != 0) {
        pin = pin->next;
    }
    return pin != NULL;
}

/* A pin ends only after the row that refers to its file is committed. So whoever sees no pin, and
 * looks into the database after that, sees the row: both under the mutex. */
static bool judge(void *ctx, const char *folder, const char *name)
{
    sweep *s = ctx;
    char path[PATH_MAX];
    struct stat facts;
    if (!tqd_file_digest_good(name) || !join(path, folder, name)) {
        return true; /* not ours */
    }
    pthread_mutex_lock(&s->set->mutex);
    bool used = s->set->n_hold > 0 || is_pinned(s->set, name);
    s->held = s->held || s->set->n_hold > 0;
    if (!used) {
        s->status = s->engine->methods->file_used(s->engine, name, &used);
    }
    if (s->status == TQD_STORE_OK && !used && stat(path, &facts) == 0 && unlink(path) == 0) {
        s->removed++;
        atomic_fetch_sub(&s->set->bytes, (uint64_t)facts.st_size);
    }
    pthread_mutex_unlock(&s->set->mutex);
    return s->status == TQD_STORE_OK;
}

bool tqd_file_set_collect(tqd_file_set *set, tqd_engine *engine, const char *digest)
{
    char shelf[PATH_MAX];
    sweep s = {.set = set, .engine = engine, .status = TQD_STORE_OK};
    if (!tqd_file_digest_good(digest)) {
        return true;
    }
    snprintf(shelf, sizeof shelf, "%s/%.2s", set->folder, digest);
    return judge(&s, shelf, digest) && !s.held;
}

tqd_store_status tqd_file_set_sweep(tqd_file_set *set, tqd_engine *engine, unsigned shelf,
                                    uint64_t *ret_removed)
{
    char path[PATH_MAX];
    sweep s = {.set = set, .engine = engine, .status = TQD_STORE_OK};
    snprintf(path, sizeof path, "%s/%02x", set->folder, shelf & 0xff);
    const bool good = walk(path, judge, &s) || errno == ENOENT;
    *ret_removed += s.removed;
    return good ? TQD_STORE_OK : s.status != TQD_STORE_OK ? s.status : TQD_STORE_BROKEN;
}
