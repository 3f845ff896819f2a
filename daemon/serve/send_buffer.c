/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/send_buffer.c - asks a handler's reader for its next piece. */
#include "daemon/serve/send_buffer.h"

#include <stdlib.h>

tqd_send_buffer *tqd_send_buffer_new(tqd_client *client, const tqd_reply *reply, size_t size)
{
    tqd_send_buffer *stage = malloc(sizeof *stage + size);
    if (stage != NULL) {
        *stage = (tqd_send_buffer){.client = client, .read = reply->read, .size = size};
    }
    return stage;
}

bool tqd_send_buffer_fill(tqd_send_buffer *stage)
{
    tqd_client *client = stage->client;
    tqd_request *request = &client->request;
    stage->at = stage->n = 0;
    atomic_store(&request->wake, TQD_WAKE_NONE); /* before the handler looks for news */
    const size_t n = stage->read(request->exchange, stage->bytes, stage->size);
    if (n == TQD_READ_WAIT) {
        /* nobody is there to wait for when the client has gone or the service stops */
        stage->over = client->overdue || atomic_load(&client->loop->server->draining);
        if (!stage->over) {
            tqd_request_wait(client);
        }
        return stage->over;
    }
    if (n == TQD_READ_RUN) {
        stage->over = client->overdue || !tqd_request_run(client);
        return false;
    }
    if (n == TQD_READ_CUT) {
        stage->over = true;
        return false;
    }
    stage->n = n;
    stage->over = n == 0;
    return true;
}
