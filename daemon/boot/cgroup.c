/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/cgroup.c - limits of control groups, version 1 and 2. See cgroups(7). */
#include "daemon/boot/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 16384, NUMBERS_MAX = 128 };

/* A whole small file as a string; false if it cannot be read or is larger. */
static bool read_text(const char *path, char *ret, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && n + 1 < size) {
        got = read(fd, ret + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    ret[n] = '\0';
    return got == 0;
}

/* Calls `visit(ctx, folder)` for the group at `path` below `mount` and for each above it. A
 * container's mount may begin at its own group, while `path` begins at the machine's: the reader
 * skips folders that do not exist. */
static void visit_up(const char *mount, const char *path, void (*visit)(void *ctx, const char *),
                     void *ctx)
{
    char folder[PATH_MAX];
    const int n = snprintf(folder, sizeof folder, "%s%s", mount, path);
    if (n <= 0 || (size_t)n >= sizeof folder) {
        return;
    }
    const size_t n_mount = strlen(mount);
    for (;;) {
        visit(ctx, folder);
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < n_mount) {
            return;
        }
        *slash = '\0';
    }
}

static bool has_word(const char *list, size_t n, const char *word)
{
    const size_t n_word = strlen(word);
    for (const char *at = list; at < list + n; at++) {
        const char *comma = memchr(at, ',', (size_t)(list + n - at));
        const size_t length = (size_t)((comma != NULL ? comma : list + n) - at);
        if (length == n_word && memcmp(at, word, n_word) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

/* Calls `visit` for every group of this process that limits `controller`. */
static void visit_groups(const char *root, const char *controller,
                         void (*visit)(void *ctx, const char *folder), void *ctx)
{
    static const char *const unified[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char list[LIST_MAX];
    char mount[PATH_MAX];
    snprintf(mount, sizeof mount, "%s/proc/self/cgroup", root);
    if (!read_text(mount, list, sizeof list)) {
        return;
    }
    char *rest = NULL;
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *controllers = strchr(line, ':');
        const char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL) {
            continue;
        }
        controllers++;
        if (path == controllers) { /* 0::/path is version 2 */
            for (size_t i = 0; i < sizeof unified / sizeof unified[0]; i++) {
                snprintf(mount, sizeof mount, "%s%s", root, unified[i]);
                visit_up(mount, path + 1, visit, ctx);
            }
        } else if (has_word(controllers, (size_t)(path - controllers), controller)) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, controller);
            visit_up(mount, path + 1, visit, ctx);
        }
    }
}

/* The first `n` numbers of a file of a folder; false: no such file, or its value is "max". */
static bool read_numbers(const char *folder, const char *file, size_t n, int64_t *ret)
{
    char path[PATH_MAX];
    char text[NUMBERS_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (length <= 0 || (size_t)length >= sizeof path || !read_text(path, text, sizeof text)) {
        return false;
    }
    char *at = text;
    for (size_t i = 0; i < n; i++) {
        char *end = at;
        ret[i] = strtoll(at, &end, 10);
        if (end == at) {
            return false;
        }
        at = end;
    }
    return true;
}

static void take_memory(void *ctx, const char *folder)
{
    static const char *const files[] = {"memory.max", "memory.high", "memory.limit_in_bytes"};
    int64_t *least = ctx;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        int64_t bytes = 0;
        if (read_numbers(folder, files[i], 1, &bytes) && bytes > 0 && bytes < *least) {
            *least = bytes;
        }
    }
}

int64_t tqd_cgroup_memory(const char *root)
{
    int64_t least = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    visit_groups(root, "memory", take_memory, &least);
    return least;
}

static void take_cores(void *ctx, const char *folder)
{
    int *least = ctx;
    int64_t quota[2] = {0, 0}; /* [0]: us of CPU time in each period of [1] us */
    if (!read_numbers(folder, "cpu.max", 2, quota) &&
        (!read_numbers(folder, "cpu.cfs_quota_us", 1, &quota[0]) ||
         !read_numbers(folder, "cpu.cfs_period_us", 1, &quota[1]))) {
        return;
    }
    if (quota[0] > 0 && quota[1] > 0 && (quota[0] - 1) / quota[1] < *least - 1) {
        *least = (int)((quota[0] - 1) / quota[1]) + 1;
    }
}

int tqd_cgroup_cores(const char *root, int cores)
{
    int least = cores;
    visit_groups(root, "cpu", take_cores, &least);
    return least < 1 ? 1 : least;
}
