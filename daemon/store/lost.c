/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/lost.c - <state>/files/lost: unreferenced files, kept for a time. */
#include "daemon/store/lost.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/folder.h"

static bool name_file(const tqd_file_set *set, const char *name, char path[PATH_MAX])
{
    const int n = snprintf(path, PATH_MAX, "%s/" TQD_LOST_FOLDER "/%s", set->folder, name);
    return n > 0 && n < PATH_MAX;
}

/* Calls `each` for every file of the folder. */
static bool walk(tqd_file_set *set,
                 void (*each)(void *ctx, tqd_file_set *set, const char *name, const char *path,
                              const struct stat *facts),
                 void *ctx)
{
    char path[PATH_MAX];
    struct stat facts;
    (void)name_file(set, "", path);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.' && name_file(set, entry->d_name, path) &&
            stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
            each(ctx, set, entry->d_name, path, &facts);
        }
    }
    closedir(dir);
    return true;
}

static void count_one(void *ctx, tqd_file_set *set, const char *name, const char *path,
                      const struct stat *facts)
{
    (void)ctx, (void)name, (void)path, (void)facts;
    atomic_fetch_add(&set->n_lost, 1);
}

bool tqd_lost_open(tqd_file_set *set)
{
    char path[PATH_MAX];
    atomic_store(&set->n_lost, 0);
    return name_file(set, "", path) && (mkdir(path, 0700) == 0 || errno == EEXIST) &&
           walk(set, count_one, NULL);
}

bool tqd_lost_take(tqd_file_set *set, const char *path, const char *name)
{
    char to[PATH_MAX];
    if (!name_file(set, name, to)) {
        return false;
    }
    const bool again = access(to, F_OK) == 0;
    /* its age counts from now; set before the rename: an old time would expire it at once */
    if (utimensat(AT_FDCWD, path, NULL, 0) != 0 || rename(path, to) != 0) {
        return false;
    }
    atomic_fetch_add(&set->n_lost, again ? 0 : 1);
    return true;
}

bool tqd_lost_return(tqd_file_set *set, const char *digest)
{
    char from[PATH_MAX];
    char shelf[PATH_MAX];
    char path[PATH_MAX];
    struct stat facts;
    snprintf(shelf, sizeof shelf, "%s/%.2s", set->folder, digest);
    tqd_file_set_path(set, digest, path);
    if (!name_file(set, digest, from) || stat(from, &facts) != 0 || access(path, F_OK) == 0 ||
        (mkdir(shelf, 0700) != 0 && errno != EEXIST) || rename(from, path) != 0) {
        return false;
    }
    (void)tqd_folder_sync(shelf);
    atomic_fetch_sub(&set->n_lost, 1);
    atomic_fetch_add(&set->bytes, (uint64_t)facts.st_size);
    return true;
}

typedef struct expiry {
    time_t before;
    uint64_t n;
} expiry;

static void expire_one(void *ctx, tqd_file_set *set, const char *name, const char *path,
                       const struct stat *facts)
{
    expiry *e = ctx;
    (void)name;
    if (facts->st_mtime < e->before && unlink(path) == 0) {
        atomic_fetch_sub(&set->n_lost, 1);
        e->n++;
    }
}

uint64_t tqd_store_lost_expire(tqd_store *store, int64_t age_ms)
{
    tqd_file_set *set = tqd_store_file_set(store);
    expiry e = {.before = time(NULL) - (time_t)(age_ms / 1000)};
    if (atomic_load(&set->n_lost) > 0) {
        (void)walk(set, expire_one, &e);
    }
    return e.n;
}

static void list_one(void *ctx, tqd_file_set *set, const char *name, const char *path,
                     const struct stat *facts)
{
    (void)set, (void)path;
    const tqd_lost_listing *listing = ctx;
    listing->each(listing->ctx, name, (uint64_t)facts->st_size);
}

void tqd_store_lost(tqd_store *store, const tqd_lost_listing *listing)
{
    tqd_lost_listing copy = *listing;
    (void)walk(tqd_store_file_set(store), list_one, &copy);
}
