/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/library/receive.c - recv() of the process: libmicrohttpd 0.9.75 takes messages that
 * RFC 9112 forbids and has no setting or callback for the bytes that it parses. */
#undef _FORTIFY_SOURCE /* whose recv() is inline */
#include "daemon/serve/library/receive.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>

enum { DISCARDS = 64 }; /* 256 KiB */

/* by descriptor; a page is touched when a descriptor of it is used */
static _Atomic(tqd_framing *) framings[TQD_RECEIVE_FD_MAX];

bool tqd_library_frame(int fd, tqd_framing *framing)
{
    if (fd < 0 || fd >= TQD_RECEIVE_FD_MAX) {
        return false;
    }
    atomic_store_explicit(&framings[fd], framing, memory_order_release);
    return true;
}

/* What has arrived behind a fault: a connection that is closed with bytes unread is reset, and the
 * client may lose the answer. */
static void discard(int fd)
{
    char bytes[4096];
    for (int k = 0; k < DISCARDS && recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) > 0;
         k++) {
    }
}

static ssize_t filter(int fd, tqd_framing *framing, char *bytes, size_t n, size_t room)
{
    const size_t good = tqd_framing_read(framing, bytes, n);
    if (framing->fault == NULL) {
        return (ssize_t)n;
    }
    discard(fd);
    const size_t end = tqd_framing_end(framing, bytes + good, room - good);
    /* cut within a chunk's line: the library would wait for the rest, and is never woken */
    if (end == 0) {
        errno = ECONNRESET;
        return -1;
    }
    return (ssize_t)(good + end);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    tqd_framing *framing = fd >= 0 && fd < TQD_RECEIVE_FD_MAX && (flags & MSG_PEEK) == 0
                               ? atomic_load_explicit(&framings[fd], memory_order_acquire)
                               : NULL;
    if (framing != NULL && framing->fault != NULL) {
        errno = ECONNRESET;
        return -1;
    }
    const ssize_t n = recvfrom(fd, bytes, size, flags, NULL, NULL);
    return n > 0 && framing != NULL ? filter(fd, framing, bytes, (size_t)n, size) : n;
}
