/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/folder.c - the state folder: mode 0700, locked by one process. */
#include "daemon/store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed) {
            return -1;
        }
    }
    return mkdir(path, 0700) != 0 && errno != EEXIST ? -1 : 0;
}

/* the holder of the lock, from the lock file's contents; for the message only */
static void describe_holder(int fd, const char *folder, char *why)
{
    char text[32] = "";
    const ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    snprintf(why, TQD_STORE_WHY, "state folder %.150s is in use by %s%s", folder,
             text[0] != '\0' ? "process " : "another process", text);
}

int tqd_folder_lock(const char *folder, char *why)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/lock", folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        snprintf(why, TQD_STORE_WHY, "the name of the state folder is too long");
        return -1;
    }
    path[n - 5] = '\0';
    if (make_parents(path) != 0) {
        snprintf(why, TQD_STORE_WHY, "state folder %.150s: %s", folder, strerror(errno));
        return -1;
    }
    path[n - 5] = '/';
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        snprintf(why, TQD_STORE_WHY, "%.150s: %s", path, strerror(errno));
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            describe_holder(fd, folder, why);
        } else {
            snprintf(why, TQD_STORE_WHY, "%.150s: %s", path, strerror(errno));
        }
        close(fd);
        return -1;
    }
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)length, 0) != length) {
        /* a full disk affects only the message of a second daemon */
        return fd;
    }
    return fd;
}

void tqd_folder_close_to_others(const tqd_store_options *options)
{
    static const char *const names[] = {"", "/torqued.db", "/torqued.db-wal", "/torqued.db-shm"};
    enum { OTHERS = S_IRWXG | S_IRWXO };
    char detail[TQD_STORE_WHY];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        struct stat facts;
        const int n = snprintf(path, sizeof path, "%s%s", options->folder, names[i]);
        if (n < 0 || (size_t)n >= sizeof path || stat(path, &facts) != 0 ||
            (facts.st_mode & OTHERS) == 0) {
            continue;
        }
        const bool good = chmod(path, facts.st_mode & 07777 & ~(mode_t)OTHERS) == 0;
        snprintf(detail, sizeof detail, "%.150s had mode %04o%s%s", path, facts.st_mode & 07777,
                 good ? ", now without the rights of others" : ", which cannot be changed: ",
                 good ? "" : strerror(errno));
        if (options->notice != NULL) {
            options->notice(options->notice_ctx, TQD_NOTICE_WARNING,
                            "others could read the state folder", detail);
        }
    }
}

int tqd_folder_sync(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    const int failed = fsync(fd) != 0 ? errno : 0;
    close(fd);
    return failed;
}

tqd_store_status tqd_folder_status(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return TQD_STORE_NO_SPACE;
    case ENOMEM:
        return TQD_STORE_NO_MEMORY;
    default:
        return TQD_STORE_BROKEN;
    }
}
