/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/shared.c - files of a store that several nodes share. */
#include "daemon/store/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/file_trim.h"
#include "daemon/store/folder.h"
#include "daemon/store/store_private.h"

bool tqd_store_is_shared(tqd_store *store)
{
    return store->engine->methods->file_put != NULL;
}

tqd_store_status tqd_shared_put(tqd_store *store, const char *digest, uint64_t size)
{
    char path[PATH_MAX];
    tqd_file_set_path(&store->files, digest, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return tqd_folder_status(errno);
    }
    const tqd_store_status status = store->engine->methods->file_put(
        store->engine, fd, digest, size, store->files.shared_bytes_max);
    close(fd);
    tqd_file_set_trim(&store->files);
    return status;
}

tqd_store_status tqd_shared_get(tqd_store *store, const char *digest, const tqd_chunks *chunks)
{
    const tqd_store_status status = store->engine->methods->file_get(store->engine, digest, chunks);
    tqd_file_set_trim(&store->files);
    return status;
}

typedef struct spool_copy {
    int fd;
    uint64_t size;
} spool_copy;

static tqd_store_status write_piece(void *ctx, const char *bytes, size_t n)
{
    spool_copy *copy = ctx;
    for (size_t done = 0; done < n;) {
        const ssize_t some = pwrite(copy->fd, bytes + done, n - done, (off_t)(copy->size + done));
        if (some < 0 && errno != EINTR) {
            return tqd_folder_status(errno);
        }
        done += some > 0 ? (size_t)some : 0;
    }
    copy->size += n;
    return TQD_STORE_OK;
}

tqd_store_status tqd_shared_spool_get(tqd_store *store, const char *job, int fd, uint64_t *ret_size)
{
    spool_copy copy = {.fd = fd};
    const tqd_chunks chunks = {.each = write_piece, .ctx = &copy};
    const tqd_store_status status =
        ftruncate(fd, 0) == 0 ? store->engine->methods->spool_get(store->engine, job, &chunks)
                              : tqd_folder_status(errno);
    *ret_size = copy.size;
    return status;
}

tqd_store_status tqd_shared_spool_put(tqd_store *store, const char *job, uint64_t fence, int fd,
                                      uint64_t from, uint64_t size)
{
    return store->engine->methods->spool_put(store->engine, job, fence, fd, from, size);
}
