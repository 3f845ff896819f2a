/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_trim.c - removes the oldest files of a cache. */
#include "daemon/store/file_trim.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/sums.h"

enum { FILES_MAX = 1 << 16 }; /* examined in one trim */

typedef struct cached {
    struct timespec at;
    uint64_t size;
    char digest[TQD_DIGEST_TEXT];
} cached;

static int by_age(const void *a, const void *b)
{
    const cached *x = a;
    const cached *y = b;
    if (x->at.tv_sec != y->at.tv_sec) {
        return x->at.tv_sec < y->at.tv_sec ? -1 : 1;
    }
    return (x->at.tv_nsec > y->at.tv_nsec) - (x->at.tv_nsec < y->at.tv_nsec);
}

static size_t list_shelf(const tqd_file_set *set, unsigned shelf, cached *files, size_t n)
{
    char path[PATH_MAX];
    struct stat facts;
    snprintf(path, sizeof path, "%s/%02x", set->folder, shelf);
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL && n < FILES_MAX;
         entry = readdir(dir)) {
        if (tqd_file_digest_good(entry->d_name)) {
            tqd_file_set_path(set, entry->d_name, path);
            if (stat(path, &facts) == 0) {
                files[n].at = facts.st_mtim;
                files[n].size = (uint64_t)facts.st_size;
                memcpy(files[n++].digest, entry->d_name, TQD_DIGEST_TEXT);
            }
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static bool is_pinned(const tqd_file_set *set, const char *digest)
{
    const tqd_pin *pin = set->pins;
    while (pin != NULL && strcmp(pin->digest, digest) != 0) {
        pin = pin->next;
    }
    return pin != NULL;
}

static void remove_one(tqd_file_set *set, const cached *file)
{
    char path[PATH_MAX];
    tqd_file_set_path(set, file->digest, path);
    pthread_mutex_lock(&set->mutex);
    if (!is_pinned(set, file->digest) && unlink(path) == 0) {
        tqd_sums_remove(set, file->digest);
        atomic_fetch_sub(&set->bytes, file->size);
    }
    pthread_mutex_unlock(&set->mutex);
}

void tqd_file_set_trim(tqd_file_set *set)
{
    const uint64_t most = set->cache_bytes_max;
    if (most == 0 || atomic_load(&set->bytes) <= most) {
        return;
    }
    cached *files = malloc(FILES_MAX * sizeof *files);
    size_t n = 0;
    if (files == NULL) {
        return; /* the next upload or fetch tries again */
    }
    for (unsigned shelf = 0; shelf < 256; shelf++) {
        n = list_shelf(set, shelf, files, n);
    }
    qsort(files, n, sizeof *files, by_age);
    for (size_t i = 0; i < n && atomic_load(&set->bytes) > most / 4 * 3; i++) {
        remove_one(set, &files[i]);
    }
    free(files);
}
