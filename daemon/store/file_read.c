/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/file_read.c - files are read in chunks, each verified against its checksum before
 * any of it is returned. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/queue/workers.h"
#include "daemon/store/damage.h"
#include "daemon/store/file_set.h"
#include "daemon/store/files.h"
#include "daemon/store/sha256.h"
#include "daemon/store/shared.h"
#include "daemon/store/sums.h"

struct tqd_file {
    tqd_file_set *set;
    int fd;
    _Atomic int sums_fd;      /* -1: one chunk, or `sums` */
    _Atomic(uint64_t *) sums; /* in memory: no disk space for them, or those on disk were wrong */
    tqd_file_pace pace;
    uint64_t size;
    _Atomic int status; /* status of the last failed read */
    char digest[TQD_DIGEST_TEXT];
};

static long read_fully(int fd, uint64_t offset, void *bytes, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(fd, (char *)bytes + done, n - done, (off_t)(offset + done));
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (long)done;
}

/* Verifies the whole file against its digest and computes the sums: *ret_sums (may be NULL),
 * malloc'ed, if it is good. */
static tqd_store_status check_whole(tqd_file *file, uint64_t **ret_sums)
{
    char found[TQD_DIGEST_TEXT];
    tqd_sums sums;
    tqd_sha256 *hash = tqd_sha256_new();
    char *piece = malloc(TQD_CHUNK);
    tqd_store_status status = TQD_STORE_OK;
    if (!tqd_sums_init(&sums) || hash == NULL || piece == NULL) {
        status = TQD_STORE_NO_MEMORY;
    }
    uint64_t at = 0;
    long n = 1;
    while (status == TQD_STORE_OK && n > 0) {
        n = read_fully(file->fd, at, piece, TQD_CHUNK);
        tqd_workers_beat(); /* a large file takes minutes */
        if (n < 0) {
            status = TQD_STORE_DAMAGED; /* a read error: the stored bytes are lost */
        } else if (file->pace.read != NULL && !file->pace.read(file->pace.ctx, (size_t)n)) {
            status = TQD_STORE_BUSY;
        } else if (n > 0) {
            tqd_sha256_add(hash, piece, (size_t)n);
            status = tqd_sums_add(&sums, piece, (size_t)n) ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
            at += (uint64_t)n;
        }
    }
    if (status == TQD_STORE_OK) {
        tqd_sha256_text(hash, found);
        status =
            at == file->size && strcmp(found, file->digest) == 0 ? TQD_STORE_OK : TQD_STORE_DAMAGED;
    }
    if (status == TQD_STORE_OK && !tqd_sums_end(&sums)) {
        status = TQD_STORE_NO_MEMORY;
    }
    if (status == TQD_STORE_OK) {
        tqd_sums_keep(&sums, file->set, file->digest);
        if (ret_sums != NULL) {
            *ret_sums = sums.sums;
            sums.sums = NULL;
        }
    }
    tqd_sums_clear(&sums);
    tqd_sha256_free(hash);
    free(piece);
    return status;
}

/* The sums of a file of many chunks; if missing, the whole file is verified to compute them. */
static tqd_store_status find_sums(tqd_file *file)
{
    if (file->size <= TQD_CHUNK) {
        return TQD_STORE_OK;
    }
    int fd = tqd_sums_open(file->set, file->digest, file->size);
    if (fd < 0) {
        uint64_t *made = NULL;
        const tqd_store_status status = check_whole(file, &made);
        if (status != TQD_STORE_OK) {
            return status;
        }
        atomic_store(&file->sums, made);
    }
    atomic_store(&file->sums_fd, fd);
    return TQD_STORE_OK;
}

static tqd_store_status append(void *ctx, const char *bytes, size_t n)
{
    return tqd_upload_append(ctx, bytes, n);
}

/* Copies a file of a store shared by nodes into the folder. OK, NOT_FOUND, DAMAGED: its contents do
 * not match its digest. */
static tqd_store_status fetch(tqd_store *store, const char *digest)
{
    tqd_store_status status = TQD_STORE_OK;
    char found[TQD_DIGEST_TEXT] = "";
    uint64_t size = 0;
    tqd_upload *upload = tqd_upload_open_copy(store, &status);
    if (upload == NULL) {
        return status;
    }
    const tqd_chunks chunks = {.each = append, .ctx = upload};
    status = tqd_shared_get(store, digest, &chunks);
    if (status == TQD_STORE_OK) {
        status = tqd_upload_finish(upload, found, &size);
    }
    if (status == TQD_STORE_OK && strcmp(found, digest) != 0) {
        status = TQD_STORE_DAMAGED;
    }
    tqd_upload_close(upload); /* removes it again if no row refers to it, or if its contents are
                                 wrong */
    return status;
}

static tqd_store_status open_parts(tqd_store *store, tqd_file *file, uint64_t size)
{
    char path[PATH_MAX];
    struct stat facts;
    tqd_file_set_path(file->set, file->digest, path);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0 && errno == ENOENT && tqd_store_file_find(store, file->digest)) {
        file->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (file->fd < 0 && errno == ENOENT && tqd_store_is_shared(store)) {
        const tqd_store_status status = fetch(store, file->digest);
        if (status != TQD_STORE_OK && status != TQD_STORE_NOT_FOUND) {
            return status;
        }
        file->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (file->fd < 0 || fstat(file->fd, &facts) != 0) {
        if (file->fd >= 0 || errno != ENOENT) {
            return TQD_STORE_BROKEN;
        }
        /* its row may have been deleted since it was read */
        return tqd_store_file_used(store, file->digest) ? TQD_STORE_DAMAGED : TQD_STORE_NOT_FOUND;
    }
    file->size = (uint64_t)facts.st_size;
    if (size != TQD_FILE_ANY_SIZE && size != file->size) {
        return TQD_STORE_DAMAGED;
    }
    if (tqd_damage_known(file->set, file->digest, &facts)) {
        return TQD_STORE_DAMAGED;
    }
    return file->size == 0 ? check_whole(file, NULL) : find_sums(file);
}

tqd_file *tqd_file_open_sized(tqd_store *store, const char *digest, uint64_t size,
                              tqd_store_status *ret_status)
{
    return tqd_file_open_paced(store, digest, size, (tqd_file_pace){.read = NULL}, ret_status);
}

tqd_file *tqd_file_open_paced(tqd_store *store, const char *digest, uint64_t size,
                              tqd_file_pace pace, tqd_store_status *ret_status)
{
    *ret_status = TQD_STORE_DAMAGED;
    if (!tqd_file_digest_good(digest)) {
        return NULL;
    }
    tqd_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    file->set = tqd_store_file_set(store);
    file->fd = -1;
    file->sums_fd = -1;
    file->pace = pace;
    memcpy(file->digest, digest, sizeof file->digest);
    *ret_status = open_parts(store, file, size);
    if (*ret_status == TQD_STORE_OK) {
        return file;
    }
    if (*ret_status == TQD_STORE_DAMAGED) {
        tqd_damage_note(file->set, digest, file->fd);
    }
    tqd_file_close(file);
    return NULL;
}

tqd_file *tqd_file_open(tqd_store *store, const char *digest, uint64_t *ret_size)
{
    tqd_store_status ignored;
    tqd_file *file = tqd_file_open_sized(store, digest, TQD_FILE_ANY_SIZE, &ignored);
    *ret_size = file != NULL ? file->size : 0;
    return file;
}

static bool is_chunk_good(const tqd_file *file, uint64_t chunk, const char *bytes, size_t n)
{
    if (file->size <= TQD_CHUNK) {
        char found[TQD_DIGEST_TEXT];
        return tqd_sha256_of(bytes, n, found) && strcmp(found, file->digest) == 0;
    }
    const uint64_t *sums = atomic_load(&file->sums);
    if (sums != NULL) {
        return sums[chunk] == tqd_sum_of(bytes, n);
    }
    uint64_t sum = 0;
    return tqd_sums_read(atomic_load(&file->sums_fd), chunk, &sum) && sum == tqd_sum_of(bytes, n);
}

/* Sum and chunk disagree: the file's digest decides which is wrong. */
static tqd_store_status resolve_mismatch(tqd_file *file, uint64_t chunk, char *bytes, size_t n)
{
    uint64_t *made = NULL;
    tqd_store_status status = TQD_STORE_DAMAGED;
    if (file->size > TQD_CHUNK) {
        status = check_whole(file, &made);
    }
    if (status == TQD_STORE_OK) {
        const bool good = read_fully(file->fd, chunk * TQD_CHUNK, bytes, n) == (long)n &&
                          made[chunk] == tqd_sum_of(bytes, n);
        status = good ? TQD_STORE_OK : TQD_STORE_BROKEN;
        /* the checksums were wrong: with the new ones other chunks need no read of the whole file
         */
        uint64_t *none = NULL;
        made = atomic_compare_exchange_strong(&file->sums, &none, made) ? NULL : made;
    }
    free(made);
    if (status == TQD_STORE_DAMAGED) {
        tqd_damage_note(file->set, file->digest, file->fd);
    }
    return status;
}

/* A whole chunk, n bytes, verified. */
static bool read_chunk(tqd_file *file, uint64_t chunk, char *bytes, size_t n)
{
    tqd_store_status status = TQD_STORE_OK;
    tqd_workers_beat();
    if (read_fully(file->fd, chunk * TQD_CHUNK, bytes, n) != (long)n ||
        !is_chunk_good(file, chunk, bytes, n)) {
        status = resolve_mismatch(file, chunk, bytes, n);
    }
    if (status != TQD_STORE_OK) {
        atomic_store(&file->status, (int)status);
    }
    return status == TQD_STORE_OK;
}

long tqd_file_read(tqd_file *file, uint64_t offset, void *bytes, size_t n)
{
    char *part = NULL; /* buffer for a chunk that is only partly requested */
    size_t done = 0;
    bool good = true;
    while (good && done < n && offset + done < file->size) {
        const uint64_t chunk = (offset + done) / TQD_CHUNK;
        const uint64_t begin = chunk * TQD_CHUNK;
        const uint64_t left = file->size - begin;
        const size_t length = left < TQD_CHUNK ? (size_t)left : (size_t)TQD_CHUNK;
        const size_t skip = (size_t)(offset + done - begin);
        const size_t wanted = length - skip < n - done ? length - skip : n - done;
        if (wanted == length) {
            good = read_chunk(file, chunk, (char *)bytes + done, length);
        } else {
            part = part != NULL ? part : malloc(TQD_CHUNK);
            if (part == NULL) {
                atomic_store(&file->status, TQD_STORE_NO_MEMORY);
            }
            good = part != NULL && read_chunk(file, chunk, part, length);
            if (good) {
                memcpy((char *)bytes + done, part + skip, wanted);
            }
        }
        done += wanted;
    }
    free(part);
    return good ? (long)done : -1;
}

/* True: the chunk is in memory, and its sum is right. */
static bool read_chunk_cached(tqd_file *file, uint64_t chunk, char *bytes, size_t n)
{
    const uint64_t *sums = atomic_load(&file->sums);
    const struct iovec part = {.iov_base = bytes, .iov_len = n};
    uint64_t sum = sums != NULL ? sums[chunk] : 0;
    return (sums != NULL || tqd_sums_read_cached(atomic_load(&file->sums_fd), chunk, &sum)) &&
           preadv2(file->fd, &part, 1, (off_t)(chunk * TQD_CHUNK), RWF_NOWAIT) == (ssize_t)n &&
           sum == tqd_sum_of(bytes, n);
}

size_t tqd_file_read_cached(tqd_file *file, uint64_t offset, void *bytes, size_t n)
{
    size_t done = 0;
    /* the check of a file of one chunk is its digest: too long for an I/O thread */
    if (offset % TQD_CHUNK != 0 || file->size <= TQD_CHUNK) {
        return 0;
    }
    while (done < n && offset + done < file->size) {
        const uint64_t left = file->size - offset - done;
        const size_t length = left < TQD_CHUNK ? (size_t)left : (size_t)TQD_CHUNK;
        if (length > n - done ||
            !read_chunk_cached(file, (offset + done) / TQD_CHUNK, (char *)bytes + done, length)) {
            break;
        }
        done += length;
    }
    return done;
}

tqd_store_status tqd_file_status(const tqd_file *file)
{
    return (tqd_store_status)atomic_load(&file->status);
}

void tqd_file_close(tqd_file *file)
{
    if (file == NULL) {
        return;
    }
    const int sums_fd = atomic_load(&file->sums_fd);
    if (sums_fd >= 0) {
        close(sums_fd);
    }
    if (file->fd >= 0) {
        close(file->fd);
    }
    free(atomic_load(&file->sums));
    free(file);
}

long tqd_store_file_read(tqd_store *store, const char *digest, uint64_t size, uint64_t offset,
                         void *bytes, size_t n, tqd_store_status *ret_status)
{
    tqd_file *file = tqd_file_open_sized(store, digest, size, ret_status);
    if (file == NULL) {
        return -1;
    }
    const long got = tqd_file_read(file, offset, bytes, n);
    *ret_status = got < 0 ? tqd_file_status(file) : TQD_STORE_OK;
    tqd_file_close(file);
    return got;
}
