/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/send_buffer.c - fills the buffer with the next piece of the handler's reader. */
#include "daemon/serve/send_buffer.h"

#include <stdlib.h>

tqd_send_buffer *tqd_send_buffer_new(tqd_client *client, const tqd_reply *reply, size_t size)
{
    tqd_send_buffer *buffer = malloc(sizeof *buffer + size);
    if (buffer != NULL) {
        *buffer = (tqd_send_buffer){.client = client, .read = reply->read, .size = size};
    }
    return buffer;
}

/* Reads the next piece into `to`, which has at least the buffer's size; false and `over` as in
 * fill. */
static bool fill(tqd_send_buffer *buffer, char *to)
{
    tqd_client *client = buffer->client;
    tqd_request *request = &client->request;
    buffer->at = buffer->n = 0;
    atomic_store(&request->wake, TQD_WAKE_NONE); /* before the reader's check */
    const size_t n = buffer->read(request->exchange, to, buffer->size);
    if (n == TQD_READ_WAIT) {
        /* a disconnected client and a draining server do not wait */
        buffer->over = client->overdue || atomic_load(&client->loop->server->draining);
        if (!buffer->over) {
            tqd_request_wait(client);
        }
        return buffer->over;
    }
    if (n == TQD_READ_RUN) {
        buffer->over = client->overdue || tqd_request_run(client) != TQD_TURN_TAKEN;
        return false;
    }
    if (n == TQD_READ_CUT) {
        buffer->over = true;
        return false;
    }
    buffer->n = n;
    buffer->over = n == 0;
    return true;
}

bool tqd_send_buffer_fill(tqd_send_buffer *buffer)
{
    return fill(buffer, buffer->bytes);
}

bool tqd_send_buffer_pass(tqd_send_buffer *buffer, char *to, size_t size, size_t *ret_n)
{
    *ret_n = 0;
    if (buffer->at < buffer->n || buffer->over) {
        return true;
    }
    if (size < buffer->size) {
        return fill(buffer, buffer->bytes);
    }
    const bool good = fill(buffer, to);
    *ret_n = good ? buffer->n : 0;
    buffer->at = buffer->n; /* all bytes were passed on */
    return good;
}
