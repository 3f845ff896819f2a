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

bool tqd_send_buffer_fill(tqd_send_buffer *buffer)
{
    tqd_client *client = buffer->client;
    tqd_request *request = &client->request;
    buffer->at = buffer->n = 0;
    atomic_store(&request->wake, TQD_WAKE_NONE); /* before the reader's check */
    const size_t n = buffer->read(request->exchange, buffer->bytes, buffer->size);
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
