/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/send_buffer.h - a buffer of one piece between the handler's reader and the sender.
 */
#ifndef TQD_SERVE_SEND_BUFFER_H
#define TQD_SERVE_SEND_BUFFER_H

#include "daemon/serve/server_private.h"

typedef struct tqd_send_buffer {
    tqd_client *client;
    size_t (*read)(void *exchange, char *out, size_t size);
    size_t at, n; /* bytes sent on, bytes filled */
    bool over;
    size_t size;
    char bytes[];
} tqd_send_buffer;

/* NULL: no memory. free() ends it. */
tqd_send_buffer *tqd_send_buffer_new(tqd_client *client, const tqd_reply *reply, size_t size);

/* False: the connection is suspended; or, if `over`, it must be closed. True: bytes are ready, or
 * `over`: the body is complete. */
bool tqd_send_buffer_fill(tqd_send_buffer *buffer);

/* The same for an empty buffer; a piece that fits into `to` is written there directly, *ret_n
 * bytes, and not into the buffer. */
bool tqd_send_buffer_pass(tqd_send_buffer *buffer, char *to, size_t size, size_t *ret_n);

#endif
