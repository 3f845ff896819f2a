/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/mark.c - reads and writes the mark: identity and last acknowledged commit. */
#include "daemon/store/mark.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { LINE = 38 }; /* identity, blank, 20 digits, line feed */

static void name_file(const char *folder, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/torqued.commit", folder);
}

tqd_mark_found tqd_mark_read(const char *folder, tqd_mark *ret)
{
    char path[PATH_MAX];
    char line[LINE + 1] = "";
    memset(ret, 0, sizeof *ret);
    name_file(folder, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return TQD_MARK_NONE;
    }
    const ssize_t n = read(fd, line, LINE);
    close(fd);
    const size_t n_identity = TQD_IDENTITY_TEXT - 1;
    if (n != LINE || line[LINE - 1] != '\n' || line[n_identity] != ' ' ||
        strspn(line, "0123456789abcdef") != n_identity ||
        strspn(line + n_identity + 1, "0123456789") != LINE - n_identity - 2) {
        return n == 0 ? TQD_MARK_NONE : TQD_MARK_UNREADABLE;
    }
    memcpy(ret->identity, line, n_identity);
    ret->n_commit = strtoull(line + n_identity + 1, NULL, 10);
    return TQD_MARK_GOOD;
}

int tqd_mark_open(const char *folder)
{
    char path[PATH_MAX];
    name_file(folder, path);
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void tqd_mark_write(int fd, const tqd_mark *mark)
{
    char line[LINE + 1];
    const int n =
        snprintf(line, sizeof line, "%.16s %020" PRIu64 "\n", mark->identity, mark->n_commit);
    if (fd >= 0 && n == LINE) {
        const ssize_t done = pwrite(fd, line, LINE, 0);
        (void)done;
    }
}

void tqd_mark_close(int fd)
{
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}
