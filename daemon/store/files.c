/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/files.c - large bodies and datasets as content-addressed files (SHA-256).
 *
 * <state>/files/tmp/<random>    being uploaded; all are removed at start
 * <state>/files/sums/<digest>   checksums of its chunks: sums.h
 * <state>/files/lost/<name>     without a row: lost.h
 * <state>/files/ab/abcdef...    complete and durable
 */
#include "daemon/store/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/file_set.h"
#include "daemon/store/folder.h"
#include "daemon/store/sha256.h"
#include "daemon/store/shared.h"
#include "daemon/store/store.h"
#include "daemon/store/sums.h"

enum { BUFFER = 256 << 10, GARBAGE_MAX = 128 };

struct tqd_upload {
    tqd_store *store;
    tqd_file_set *set;
    int fd;
    tqd_sha256 *hash;
    tqd_sums sums;
    uint64_t size;
    size_t n_buffer;
    bool pinned, is_copy;
    tqd_pin pin;
    char path[PATH_MAX];
    char buffer[BUFFER];
};

/* ------------------------------------------------------------------------------------- upload */

tqd_upload *tqd_upload_open(tqd_store *store, tqd_store_status *ret_status)
{
    tqd_upload *upload = malloc(sizeof *upload);
    if (upload == NULL) {
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    upload->store = store;
    upload->set = tqd_store_file_set(store);
    upload->size = 0;
    upload->n_buffer = 0;
    upload->pinned = upload->is_copy = false;
    upload->hash = tqd_sha256_new();
    if (!tqd_sums_init(&upload->sums) || upload->hash == NULL) {
        tqd_sums_clear(&upload->sums);
        tqd_sha256_free(upload->hash);
        free(upload);
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    snprintf(upload->path, sizeof upload->path, "%s/tmp/XXXXXX", upload->set->folder);
    upload->fd = mkostemp(upload->path, O_CLOEXEC);
    if (upload->fd < 0) {
        *ret_status = tqd_folder_status(errno);
        tqd_sums_clear(&upload->sums);
        tqd_sha256_free(upload->hash);
        free(upload);
        return NULL;
    }
    *ret_status = TQD_STORE_OK;
    return upload;
}

tqd_upload *tqd_upload_open_copy(tqd_store *store, tqd_store_status *ret_status)
{
    tqd_upload *upload = tqd_upload_open(store, ret_status);
    if (upload != NULL) {
        upload->is_copy = true;
    }
    return upload;
}

static tqd_store_status write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno != EINTR) {
            return tqd_folder_status(errno);
        }
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return TQD_STORE_OK;
}

static tqd_store_status flush(tqd_upload *upload)
{
    const tqd_store_status status = write_all(upload->fd, upload->buffer, upload->n_buffer);
    upload->n_buffer = 0;
    return status;
}

tqd_store_status tqd_upload_append(tqd_upload *upload, const void *bytes, size_t n)
{
    tqd_file_set *set = upload->set;
    const uint64_t before = atomic_fetch_add(&set->bytes, n);
    upload->size += n;
    if (set->bytes_max != 0 && before + n > set->bytes_max) {
        return TQD_STORE_QUOTA;
    }
    tqd_sha256_add(upload->hash, bytes, n);
    if (!tqd_sums_add(&upload->sums, bytes, n)) {
        return TQD_STORE_NO_MEMORY;
    }
    const char *at = bytes;
    if (upload->n_buffer == 0 && n >= BUFFER) {
        /* zero-copy for whole buffers */
        const size_t whole = n - n % BUFFER;
        const tqd_store_status status = write_all(upload->fd, at, whole);
        if (status != TQD_STORE_OK) {
            return status;
        }
        at += whole;
        n -= whole;
    }
    while (n > 0) {
        const size_t room = BUFFER - upload->n_buffer;
        const size_t piece = n < room ? n : room;
        memcpy(upload->buffer + upload->n_buffer, at, piece);
        upload->n_buffer += piece;
        at += piece;
        n -= piece;
        if (upload->n_buffer == BUFFER) {
            const tqd_store_status status = flush(upload);
            if (status != TQD_STORE_OK) {
                return status;
            }
        }
    }
    return TQD_STORE_OK;
}

/* the folder of a digest's first two letters, durable itself before it gets a file */
static int make_shelf(const tqd_file_set *set, const char *digest, char shelf[PATH_MAX])
{
    snprintf(shelf, PATH_MAX, "%s/%.2s", set->folder, digest);
    if (mkdir(shelf, 0700) == 0) {
        return tqd_folder_sync(set->folder);
    }
    return errno == EEXIST ? 0 : errno;
}

tqd_store_status tqd_upload_finish(tqd_upload *upload, char digest[TQD_DIGEST_TEXT],
                                   uint64_t *ret_size)
{
    tqd_store_status status = flush(upload);
    if (status != TQD_STORE_OK) {
        return status;
    }
    if (fsync(upload->fd) != 0) {
        return tqd_folder_status(errno);
    }
    tqd_sha256_text(upload->hash, upload->pin.digest);
    tqd_file_set_pin(upload->set, &upload->pin);
    upload->pinned = true;
    char shelf[PATH_MAX];
    char path[PATH_MAX];
    int error = make_shelf(upload->set, upload->pin.digest, shelf);
    if (error != 0) {
        return tqd_folder_status(error);
    }
    tqd_file_set_path(upload->set, upload->pin.digest, path);
    struct stat former;
    const bool again = stat(path, &former) == 0;
    if (rename(upload->path, path) != 0) {
        return tqd_folder_status(errno);
    }
    upload->path[0] = '\0';
    tqd_sums_keep(&upload->sums, upload->set, upload->pin.digest);
    error = tqd_folder_sync(shelf);
    if (error != 0) {
        return tqd_folder_status(error);
    }
    if (again) {
        /* equal contents count once; a damaged file has now been replaced by a good one */
        atomic_fetch_sub(&upload->set->bytes, (uint64_t)former.st_size);
    }
    memcpy(digest, upload->pin.digest, TQD_DIGEST_TEXT);
    *ret_size = upload->size;
    return upload->is_copy || !tqd_store_is_shared(upload->store)
               ? TQD_STORE_OK
               : tqd_shared_put(upload->store, digest, upload->size);
}

void tqd_upload_close(tqd_upload *upload)
{
    if (upload == NULL) {
        return;
    }
    if (upload->path[0] != '\0') {
        unlink(upload->path);
        atomic_fetch_sub(&upload->set->bytes, upload->size);
    }
    if (upload->pinned) {
        tqd_file_set_unpin(upload->set, &upload->pin);
        (void)tqd_store_file_collect(upload->store, upload->pin.digest);
    }
    tqd_sums_clear(&upload->sums);
    tqd_sha256_free(upload->hash);
    close(upload->fd);
    free(upload);
}

/* ---------------------------------------------------------------------------------- garbage
 * collection */

bool tqd_store_collect(tqd_store *store)
{
    tqd_garbage garbage[GARBAGE_MAX];
    uint32_t n = 0;
    uint32_t i = 0;
    tqd_garbage_drop drop = {.write.kind = TQD_WRITE_GARBAGE_DROP};
    if (tqd_store_garbage(store, GARBAGE_MAX, garbage, &n) != TQD_STORE_OK) {
        return false;
    }
    while (i < n && tqd_store_file_collect(store, garbage[i].file)) {
        drop.last_seq = garbage[i++].seq;
    }
    return i > 0 && tqd_store_write(store, &drop.write) == TQD_STORE_OK && i == GARBAGE_MAX;
}

uint64_t tqd_store_file_bytes(tqd_store *store)
{
    return atomic_load(&tqd_store_file_set(store)->bytes);
}
