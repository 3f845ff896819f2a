/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sums.c - checksums of a file's chunks, to verify any part that is read. */
#include "daemon/store/sums.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void name_file(const tqd_file_set *set, const char *digest, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/" TQD_SUMS_FOLDER "/%.64s", set->folder, digest);
}

bool tqd_sums_init(tqd_sums *sums)
{
    *sums = (tqd_sums){.state = XXH3_createState()};
    return sums->state != NULL && XXH3_64bits_reset(sums->state) == XXH_OK;
}

static bool end_chunk(tqd_sums *sums)
{
    if (sums->n_sum == sums->sums_size) {
        const size_t wanted = 2 * sums->sums_size + 16;
        uint64_t *grown = realloc(sums->sums, wanted * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        sums->sums = grown;
        sums->sums_size = wanted;
    }
    sums->sums[sums->n_sum++] = XXH3_64bits_digest(sums->state);
    sums->n_chunk = 0;
    return XXH3_64bits_reset(sums->state) == XXH_OK;
}

bool tqd_sums_add(tqd_sums *sums, const void *bytes, size_t n)
{
    const char *at = bytes;
    bool good = true;
    while (good && n > 0) {
        const size_t room = TQD_CHUNK - sums->n_chunk;
        const size_t piece = n < room ? n : room;
        good = XXH3_64bits_update(sums->state, at, piece) == XXH_OK;
        at += piece;
        n -= piece;
        sums->n_chunk += piece;
        good = good && (sums->n_chunk < TQD_CHUNK || end_chunk(sums));
    }
    return good;
}

bool tqd_sums_end(tqd_sums *sums)
{
    return sums->n_chunk == 0 || end_chunk(sums);
}

/* Written under a temporary name and renamed: a concurrent reader gets all of them, or none. */
void tqd_sums_keep(tqd_sums *sums, const tqd_file_set *set, const char *digest)
{
    char path[PATH_MAX];
    char part[PATH_MAX];
    if (!tqd_sums_end(sums) || sums->n_sum < 2) {
        return;
    }
    name_file(set, digest, path);
    snprintf(part, sizeof part, "%s/tmp/sums-XXXXXX", set->folder);
    const int fd = mkostemp(part, O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    const size_t n = sums->n_sum * sizeof *sums->sums;
    const bool good = write(fd, sums->sums, n) == (ssize_t)n;
    close(fd);
    if (!good || rename(part, path) != 0) {
        unlink(part);
    }
}

void tqd_sums_clear(tqd_sums *sums)
{
    (void)XXH3_freeState(sums->state);
    free(sums->sums);
    *sums = (tqd_sums){.state = NULL};
}

int tqd_sums_open(const tqd_file_set *set, const char *digest, uint64_t size)
{
    char path[PATH_MAX];
    struct stat facts;
    const uint64_t n_chunk = (size + TQD_CHUNK - 1) / TQD_CHUNK;
    name_file(set, digest, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 &&
        (fstat(fd, &facts) != 0 || (uint64_t)facts.st_size != n_chunk * sizeof(uint64_t))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool tqd_sums_read(int fd, uint64_t chunk, uint64_t *ret)
{
    return pread(fd, ret, sizeof *ret, (off_t)(chunk * sizeof *ret)) == (ssize_t)sizeof *ret;
}

bool tqd_sums_read_cached(int fd, uint64_t chunk, uint64_t *ret)
{
    uint64_t sum = 0;
    const struct iovec part = {.iov_base = &sum, .iov_len = sizeof sum};
    const ssize_t n = preadv2(fd, &part, 1, (off_t)(chunk * sizeof sum), RWF_NOWAIT);
    *ret = sum;
    return n == (ssize_t)sizeof sum;
}

void tqd_sums_remove(const tqd_file_set *set, const char *digest)
{
    char path[PATH_MAX];
    name_file(set, digest, path);
    (void)unlink(path);
}
