/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/scratch_file.c - <state>/files/aside/<job id>, counted in the quota of all files. */
#include "daemon/store/scratch_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/folder.h"
#include "daemon/store/jobs.h"
#include "daemon/store/lost.h"
#include "daemon/store/shared.h"

enum { COPY_PIECE = 256 << 10 };

struct tqd_scratch_file {
    tqd_store *shared;      /* NULL: the file itself is durable */
    uint64_t fence, synced; /* bytes before `synced` are in the shared store */
    char job[TQD_JOB_ID_TEXT];
    tqd_file_set *set;
    int fd;
    uint64_t size;
    bool dirty; /* written since the last sync */
    bool fresh; /* its directory entry is not durable yet */
};

static void name_file(const tqd_file_set *set, const char *job, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/" TQD_SCRATCH_FILE_FOLDER "/%.64s", set->folder, job);
}

/* sets the size that the quota counts for this file */
static void set_counted_size(tqd_scratch_file *file, uint64_t size)
{
    if (size > file->size) {
        atomic_fetch_add(&file->set->bytes, size - file->size);
    } else {
        atomic_fetch_sub(&file->set->bytes, file->size - size);
    }
    file->size = size;
}

static tqd_store_status copy_to(int from, int to)
{
    tqd_store_status status = TQD_STORE_OK;
    char *piece = malloc(COPY_PIECE);
    off_t at = 0;
    ssize_t n = piece != NULL ? 1 : 0;
    if (piece == NULL) {
        status = TQD_STORE_NO_MEMORY;
    }
    while (status == TQD_STORE_OK && n > 0) {
        n = pread(from, piece, COPY_PIECE, at);
        if (n < 0 || (n > 0 && pwrite(to, piece, (size_t)n, at) != n)) {
            status = tqd_folder_status(errno);
        }
        at += n > 0 ? n : 0;
    }
    free(piece);
    return status;
}

/* Another run of the job, which has lost its lease, still writes to the file: that run keeps the
 * inode, which is unlinked, and this one gets a copy under the name. */
static tqd_store_status replace_by_copy(tqd_scratch_file *file, const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%.*s-", PATH_MAX - 2, path) >= PATH_MAX) {
        return TQD_STORE_BROKEN;
    }
    const int fd = open(copy, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return tqd_folder_status(errno);
    }
    tqd_store_status status = copy_to(file->fd, fd);
    if (status == TQD_STORE_OK && (flock(fd, LOCK_EX | LOCK_NB) != 0 || rename(copy, path) != 0)) {
        status = tqd_folder_status(errno);
    }
    close(file->fd);
    file->fd = fd;
    file->fresh = file->dirty = true;
    if (status != TQD_STORE_OK) {
        unlink(copy);
    }
    return status;
}

/* The file in the folder may be of an older claim than the state that another node has saved. */
static tqd_store_status load_shared(tqd_scratch_file *file, tqd_store *store, const char *job,
                                    uint64_t fence)
{
    uint64_t size = 0;
    const tqd_store_status status = tqd_shared_spool_get(store, job, file->fd, &size);
    set_counted_size(file, size);
    file->shared = store;
    file->fence = fence;
    file->synced = size;
    snprintf(file->job, sizeof file->job, "%s", job);
    return status;
}

tqd_scratch_file *tqd_scratch_file_open(tqd_store *store, const char *job, uint64_t fence,
                                        tqd_store_status *ret_status)
{
    tqd_scratch_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    char path[PATH_MAX];
    struct stat facts;
    file->set = tqd_store_file_set(store);
    name_file(file->set, job, path);
    file->fresh = access(path, F_OK) != 0;
    file->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    *ret_status = file->fd >= 0 ? TQD_STORE_OK : tqd_folder_status(errno);
    const bool parted = file->fd >= 0 && flock(file->fd, LOCK_EX | LOCK_NB) != 0;
    if (parted) {
        *ret_status = replace_by_copy(file, path);
    }
    if (*ret_status == TQD_STORE_OK && fstat(file->fd, &facts) != 0) {
        *ret_status = tqd_folder_status(errno);
    }
    if (*ret_status != TQD_STORE_OK) {
        tqd_scratch_file_close(file);
        return NULL;
    }
    if (parted) {
        set_counted_size(file, (uint64_t)facts.st_size);
    }
    file->size = (uint64_t)facts.st_size;
    if (tqd_store_is_shared(store)) {
        *ret_status = load_shared(file, store, job, fence);
        if (*ret_status != TQD_STORE_OK) {
            tqd_scratch_file_close(file);
            return NULL;
        }
    }
    return file;
}

tqd_store_status tqd_scratch_file_write(tqd_scratch_file *file, uint64_t offset, const void *bytes,
                                        size_t n)
{
    if (offset > file->size) {
        return TQD_STORE_MISMATCH;
    }
    if (offset < file->size) {
        if (ftruncate(file->fd, (off_t)offset) != 0) {
            return tqd_folder_status(errno);
        }
        set_counted_size(file, offset);
        file->synced = file->synced < offset ? file->synced : offset;
        file->dirty = true;
    }
    const uint64_t most = file->set->bytes_max;
    if (most != 0 && atomic_load(&file->set->bytes) + n > most) {
        return TQD_STORE_QUOTA;
    }
    file->dirty = true;
    for (size_t done = 0; done < n;) {
        const ssize_t some =
            pwrite(file->fd, (const char *)bytes + done, n - done, (off_t)(offset + done));
        if (some < 0 && errno != EINTR) {
            return tqd_folder_status(errno);
        }
        done += some > 0 ? (size_t)some : 0;
        set_counted_size(file, offset + done);
    }
    return TQD_STORE_OK;
}

long tqd_scratch_file_read(const tqd_scratch_file *file, uint64_t offset, void *bytes, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t some =
            pread(file->fd, (char *)bytes + done, n - done, (off_t)(offset + done));
        if (some == 0) {
            break;
        }
        if (some < 0 && errno != EINTR) {
            return -1;
        }
        done += some > 0 ? (size_t)some : 0;
    }
    return (long)done;
}

tqd_store_status tqd_scratch_file_sync(tqd_scratch_file *file)
{
    char folder[PATH_MAX];
    if (file->shared != NULL) {
        const tqd_store_status status =
            file->dirty ? tqd_shared_spool_put(file->shared, file->job, file->fence, file->fd,
                                               file->synced, file->size)
                        : TQD_STORE_OK;
        file->synced = status == TQD_STORE_OK ? file->size : file->synced;
        file->dirty = file->dirty && status != TQD_STORE_OK;
        return status;
    }
    if (file->dirty && fsync(file->fd) != 0) {
        return tqd_folder_status(errno);
    }
    file->dirty = false;
    if (file->fresh) {
        name_file(file->set, "", folder);
        const int error = tqd_folder_sync(folder);
        if (error != 0) {
            return tqd_folder_status(error);
        }
    }
    file->fresh = false;
    return TQD_STORE_OK;
}

void tqd_scratch_file_close(tqd_scratch_file *file)
{
    if (file == NULL) {
        return;
    }
    struct stat facts;
    if (file->fd >= 0) {
        if (fstat(file->fd, &facts) == 0 && facts.st_nlink == 0) {
            set_counted_size(file, 0); /* unlinked meanwhile: its space is only freed now */
        }
        close(file->fd);
    }
    free(file);
}

void tqd_scratch_file_remove(tqd_store *store, const char *job)
{
    char path[PATH_MAX];
    struct stat facts;
    tqd_file_set *set = tqd_store_file_set(store);
    name_file(set, job, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    /* a file that is still open is counted until it is closed */
    const bool is_open = flock(fd, LOCK_EX | LOCK_NB) != 0;
    if (unlink(path) == 0 && !is_open && fstat(fd, &facts) == 0) {
        atomic_fetch_sub(&set->bytes, (uint64_t)facts.st_size);
    }
    close(fd);
}

/* A job without a row: deleted, or submitted after this copy of the database was made. */
static void keep_lost(tqd_store *store, const char *job)
{
    char path[PATH_MAX];
    struct stat facts;
    tqd_file_set *set = tqd_store_file_set(store);
    name_file(set, job, path);
    if (stat(path, &facts) == 0 && tqd_lost_take(set, path, job)) {
        atomic_fetch_sub(&set->bytes, (uint64_t)facts.st_size);
    }
}

void tqd_scratch_file_sweep(tqd_store *store)
{
    char folder[PATH_MAX];
    name_file(tqd_store_file_set(store), "", folder);
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        /* a job's row is committed before its file is created: without a row now, it never gets one
         * */
        tqd_job job;
        if (entry->d_name[0] == '.') {
            continue;
        }
        const tqd_store_status status = tqd_store_job(store, entry->d_name, &job);
        if (status == TQD_STORE_NOT_FOUND) {
            keep_lost(store, entry->d_name);
        } else if (status == TQD_STORE_OK && job.state >= TQD_JOB_SUCCEEDED) {
            tqd_scratch_file_remove(store, entry->d_name);
        }
    }
    closedir(dir);
}
