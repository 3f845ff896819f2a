/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/prepared.c - one response for each length of a short answer. */
#include "daemon/serve/prepared.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

static const char id_name[] = "X-Request-Id";

static void end(tqd_prepared *prepared)
{
    if (prepared != NULL && prepared->response != NULL) {
        MHD_destroy_response(prepared->response);
    }
    free(prepared);
}

/* The library shows its copy of a value as a constant. It lies on the heap until the response ends,
 * and is read when the head of an answer is written. To write the next id over it takes 1,200
 * instructions less than to delete the header and to add it again, with three allocations. */
static char *value_of(struct MHD_Response *response, const char *name)
{
    union {
        const char *in;
        char *out;
    } value = {.in = MHD_get_response_header(response, name)};
    return value.out;
}

static tqd_prepared *make(const char *media, size_t n, const char *id)
{
    tqd_prepared *prepared = malloc(sizeof *prepared + n);
    if (prepared == NULL) {
        return NULL;
    }
    *prepared = (tqd_prepared){.media = media, .n = n};
    prepared->response = MHD_create_response_from_buffer(n, prepared->body, MHD_RESPMEM_PERSISTENT);
    if (prepared->response == NULL ||
        MHD_add_response_header(prepared->response, "Content-Type", media) != MHD_YES ||
        MHD_add_response_header(prepared->response, id_name, id) != MHD_YES) {
        end(prepared);
        return NULL;
    }
    prepared->id = value_of(prepared->response, id_name);
    return prepared;
}

tqd_prepared *tqd_prepared_take(tqd_prepared_set *set, const char *media, const char *body,
                                size_t n, const char *id)
{
    tqd_prepared **slot = &set->slots[n % TQD_PREPARED_SLOTS];
    if (n > TQD_PREPARED_MAX || (*slot != NULL && (*slot)->busy)) {
        return NULL;
    }
    if (*slot == NULL || (*slot)->n != n || (*slot)->media != media) {
        end(*slot);
        *slot = make(media, n, id);
    }
    if (*slot != NULL) {
        memcpy((*slot)->id, id, TQD_ID_TEXT - 1);
        memcpy((*slot)->body, body, n);
        (*slot)->busy = true;
    }
    return *slot;
}

void tqd_prepared_free(tqd_prepared_set *set)
{
    for (size_t i = 0; i < TQD_PREPARED_SLOTS; i++) {
        end(set->slots[i]);
        set->slots[i] = NULL;
    }
}
