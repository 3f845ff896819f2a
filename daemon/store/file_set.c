/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_set.c - the folder of content-addressed files: garbage collection. */
#include "daemon/store/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/damage.h"
#include "daemon/store/lost.h"
#include "daemon/store/sums.h"

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    const int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return n > 0 && n < PATH_MAX;
}

/* calls `each` for every entry of a folder except dotfiles */
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

typedef struct census {
    uint64_t n, bytes;
} census;

static bool add_size(void *ctx, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat facts;
    census *c = ctx;
    if (join(path, folder, name) && stat(path, &facts) == 0) {
        c->n++;
        c->bytes += (uint64_t)facts.st_size;
    }
    return true;
}

/* A folder of complete files, or the scratch files of running jobs. */
static bool is_shelf(const char *name)
{
    return strcmp(name, "tmp") != 0 && strcmp(name, TQD_LOST_FOLDER) != 0 &&
           strcmp(name, TQD_SUMS_FOLDER) != 0;
}

static bool add_shelf(void *ctx, const char *folder, const char *name)
{
    char path[PATH_MAX];
    return !is_shelf(name) || (join(path, folder, name) && walk(path, add_size, ctx));
}

bool tqd_file_set_open(tqd_file_set *set, const tqd_store_options *options, char *why)
{
    char tmp[PATH_MAX];
    char scratch[PATH_MAX];
    char sums[PATH_MAX];
    census all = {.n = 0};
    const int n = snprintf(set->folder, sizeof set->folder, "%s/files", options->folder);
    snprintf(tmp, sizeof tmp, "%s/tmp", set->folder);
    snprintf(scratch, sizeof scratch, "%s/" TQD_SCRATCH_FILE_FOLDER, set->folder);
    snprintf(sums, sizeof sums, "%s/" TQD_SUMS_FOLDER, set->folder);
    if (n < 0 || (size_t)n >= sizeof set->folder ||
        (mkdir(set->folder, 0700) != 0 && errno != EEXIST) ||
        (mkdir(tmp, 0700) != 0 && errno != EEXIST) ||
        (mkdir(scratch, 0700) != 0 && errno != EEXIST) ||
        (mkdir(sums, 0700) != 0 && errno != EEXIST) || !walk(tmp, remove_entry, NULL) ||
        !walk(set->folder, add_shelf, &all) || !tqd_lost_open(set)) {
        snprintf(why, TQD_STORE_WHY, "%.150s: %s", set->folder, strerror(errno));
        return false;
    }
    const bool is_cache = tqd_store_uri_is_shared(options->uri);
    set->bytes_max = is_cache ? 0 : options->file_bytes_max;
    set->shared_bytes_max = set->cache_bytes_max = is_cache ? options->file_bytes_max : 0;
    set->notice = options->notice;
    set->notice_ctx = options->notice_ctx;
    set->pins = NULL;
    set->n_hold = 0;
    set->is_empty = all.n == 0;
    atomic_store(&set->bytes, all.bytes);
    pthread_mutex_init(&set->mutex, NULL);
    pthread_mutex_init(&set->damage_mutex, NULL);
    return true;
}

void tqd_file_set_close(tqd_file_set *set)
{
    tqd_damage_clear(set);
    pthread_mutex_destroy(&set->damage_mutex);
    pthread_mutex_destroy(&set->mutex);
}

/* -------------------------------------------------------------------------------------- sweep */

typedef struct sweep {
    tqd_file_set *set;
    tqd_engine *engine;
    tqd_store_status status;
    uint64_t moved;
    bool held;  /* a backup runs: no file is removed now */
    bool keeps; /* unreferenced files go to files/lost */
} sweep;

static bool is_pinned(const tqd_file_set *set, const char *digest)
{
    const tqd_pin *pin = set->pins;
    while (pin != NULL && strcmp(pin->digest, digest) != 0) {
        pin = pin->next;
    }
    return pin != NULL;
}

/* A file whose last reference a write has dropped is removed; one that this database never referred
 * to is kept in files/lost. */
static void remove_or_keep(sweep *s, const char *path, const char *digest)
{
    struct stat facts;
    if (stat(path, &facts) == 0 &&
        (s->keeps ? tqd_lost_take(s->set, path, digest) : unlink(path) == 0)) {
        tqd_sums_remove(s->set, digest);
        s->moved++;
        atomic_fetch_sub(&s->set->bytes, (uint64_t)facts.st_size);
    }
}

/* A pin ends only after the row that refers to its file is committed. So a thread that finds no pin
 * and then queries the database finds the row: both under the mutex. */
static bool check_file(void *ctx, const char *folder, const char *name)
{
    sweep *s = ctx;
    char path[PATH_MAX];
    if (!tqd_file_digest_good(name) || !join(path, folder, name)) {
        return true; /* not a file of the store */
    }
    pthread_mutex_lock(&s->set->mutex);
    bool used = s->set->n_hold > 0 || is_pinned(s->set, name);
    s->held = s->held || s->set->n_hold > 0;
    if (!used) {
        s->status = s->engine->methods->file_used(s->engine, name, &used);
    }
    if (s->status == TQD_STORE_OK && !used) {
        remove_or_keep(s, path, name);
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
    return check_file(&s, shelf, digest) && !s.held;
}

static tqd_store_status find(tqd_file_set *set, tqd_engine *engine, const char *digest,
                             bool *ret_there)
{
    char path[PATH_MAX];
    bool used = false;
    tqd_store_status status = TQD_STORE_OK;
    tqd_file_set_path(set, digest, path);
    pthread_mutex_lock(&set->mutex);
    *ret_there = access(path, F_OK) == 0;
    if (!*ret_there) {
        status = engine->methods->file_used(engine, digest, &used);
        *ret_there = status == TQD_STORE_OK && used && tqd_lost_return(set, digest);
    }
    pthread_mutex_unlock(&set->mutex);
    return status;
}

bool tqd_file_set_find(tqd_file_set *set, tqd_engine *engine, const char *digest)
{
    bool there = false;
    (void)find(set, engine, digest, &there);
    return there;
}

/* A lost file that a row refers to again is returned to its place. */
static bool find_again(void *ctx, const char *folder, const char *name)
{
    sweep *s = ctx;
    bool there = false;
    (void)folder;
    if (tqd_file_digest_good(name)) {
        s->status = find(s->set, s->engine, name, &there);
    }
    return s->status == TQD_STORE_OK;
}

tqd_store_status tqd_file_set_sweep(tqd_file_set *set, tqd_engine *engine, unsigned shelf,
                                    uint64_t *ret_moved)
{
    char path[PATH_MAX];
    /* in a cache, a file without a row was deleted by another node: it is not lost */
    const bool keeps = engine->methods->file_put == NULL;
    sweep s = {.set = set, .engine = engine, .status = TQD_STORE_OK, .keeps = keeps};
    if (shelf == 0 && atomic_load(&set->n_lost) > 0) {
        snprintf(path, sizeof path, "%s/" TQD_LOST_FOLDER, set->folder);
        (void)walk(path, find_again, &s);
    }
    if (s.status != TQD_STORE_OK) {
        return s.status;
    }
    snprintf(path, sizeof path, "%s/%02x", set->folder, shelf & 0xff);
    const bool good = walk(path, check_file, &s) || errno == ENOENT;
    *ret_moved += keeps ? s.moved : 0;
    return s.status != TQD_STORE_OK ? s.status : good ? TQD_STORE_OK : TQD_STORE_BROKEN;
}
