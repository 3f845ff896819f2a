/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/files.c - large bodies and datasets: files named by the SHA-256 of their bytes.
 *
 * <state>/files/tmp/<random>    on its way in; all are removed at start
 * <state>/files/lost/<name>     without a row: lost.h
 * <state>/files/ab/abcdef...    complete and durable
 */
#include "daemon/store/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/file_set.h"
#include "daemon/store/folder.h"

enum { BUFFER = 256 << 10, DIGEST_BYTES = 32, GARBAGE_MAX = 128 };

struct tqd_upload {
    tqd_store *store;
    tqd_file_set *set;
    int fd;
    gnutls_hash_hd_t hash;
    uint64_t size;
    size_t n_buffer;
    bool pinned;
    tqd_pin pin;
    char path[PATH_MAX];
    char buffer[BUFFER];
};

struct tqd_file {
    int fd;
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
    upload->pinned = false;
    if (gnutls_hash_init(&upload->hash, GNUTLS_DIG_SHA256) < 0) {
        free(upload);
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    snprintf(upload->path, sizeof upload->path, "%s/tmp/XXXXXX", upload->set->folder);
    upload->fd = mkostemp(upload->path, O_CLOEXEC);
    if (upload->fd < 0) {
        *ret_status = tqd_folder_status(errno);
        gnutls_hash_deinit(upload->hash, NULL);
        free(upload);
        return NULL;
    }
    *ret_status = TQD_STORE_OK;
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
    gnutls_hash(upload->hash, bytes, n);
    const char *at = bytes;
    if (upload->n_buffer == 0 && n >= BUFFER) {
        /* whole buffers need no copy */
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

static void print_digest(gnutls_hash_hd_t hash, char digest[TQD_DIGEST_TEXT])
{
    unsigned char raw[DIGEST_BYTES];
    gnutls_hash_output(hash, raw);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(digest + 2 * i, 3, "%02x", raw[i]);
    }
}

/* the folder of a digest's first two letters, durable itself before anything is put into it */
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
    print_digest(upload->hash, upload->pin.digest);
    tqd_file_set_pin(upload->set, &upload->pin);
    upload->pinned = true;
    char shelf[PATH_MAX];
    char path[PATH_MAX];
    int error = make_shelf(upload->set, upload->pin.digest, shelf);
    if (error != 0) {
        return tqd_folder_status(error);
    }
    tqd_file_set_path(upload->set, upload->pin.digest, path);
    const bool again = access(path, F_OK) == 0;
    if (rename(upload->path, path) != 0) {
        return tqd_folder_status(errno);
    }
    upload->path[0] = '\0';
    error = tqd_folder_sync(shelf);
    if (error != 0) {
        return tqd_folder_status(error);
    }
    if (again) {
        atomic_fetch_sub(&upload->set->bytes, upload->size); /* the same bytes count once */
    }
    memcpy(digest, upload->pin.digest, TQD_DIGEST_TEXT);
    *ret_size = upload->size;
    return TQD_STORE_OK;
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
    gnutls_hash_deinit(upload->hash, NULL);
    close(upload->fd);
    free(upload);
}

/* ------------------------------------------------------------------------------------ reading */

tqd_file *tqd_file_open(tqd_store *store, const char *digest, uint64_t *ret_size)
{
    if (!tqd_file_digest_good(digest)) {
        return NULL;
    }
    tqd_file *file = malloc(sizeof *file);
    if (file == NULL) {
        return NULL;
    }
    char path[PATH_MAX];
    struct stat facts;
    tqd_file_set_path(tqd_store_file_set(store), digest, path);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0 && errno == ENOENT && tqd_store_file_find(store, digest)) {
        file->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    if (file->fd < 0 || fstat(file->fd, &facts) != 0) {
        if (file->fd >= 0) {
            close(file->fd);
        }
        free(file);
        return NULL;
    }
    *ret_size = (uint64_t)facts.st_size;
    return file;
}

long tqd_file_read(const tqd_file *file, uint64_t offset, void *bytes, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(file->fd, (char *)bytes + done, n - done, (off_t)(offset + done));
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

void tqd_file_close(tqd_file *file)
{
    if (file != NULL) {
        close(file->fd);
        free(file);
    }
}

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
