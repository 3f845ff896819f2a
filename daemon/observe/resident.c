/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/resident.c - resident memory: the second number of /proc/self/statm, in pages. */
#include "daemon/observe/resident.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t tqd_resident_bytes(void)
{
    char text[128] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    const char *space = n > 0 ? strchr(text, ' ') : NULL;
    const unsigned long long pages = space != NULL ? strtoull(space, NULL, 10) : 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
