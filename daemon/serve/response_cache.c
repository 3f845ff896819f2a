/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/response_cache.c - one response for each length of a short answer. */
#include "daemon/serve/response_cache.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

static const char id_name[] = "X-Request-Id", date_name[] = "Date";

static void end(tqd_response_cache *prepared)
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

static tqd_response_cache *make(const char *media, size_t n, const char *id, const char *date)
{
    tqd_response_cache *prepared = malloc(sizeof *prepared + n);
    if (prepared == NULL) {
        return NULL;
    }
    *prepared = (tqd_response_cache){.media = media, .n = n};
    prepared->response = MHD_create_response_from_buffer(n, prepared->body, MHD_RESPMEM_PERSISTENT);
    if (prepared->response == NULL ||
        MHD_add_response_header(prepared->response, "Content-Type", media) != MHD_YES ||
        MHD_add_response_header(prepared->response, id_name, id) != MHD_YES ||
        MHD_add_response_header(prepared->response, date_name, date) != MHD_YES) {
        end(prepared);
        return NULL;
    }
    prepared->id = value_of(prepared->response, id_name);
    prepared->date = value_of(prepared->response, date_name);
    return prepared;
}

tqd_response_cache *tqd_response_cache_take(tqd_response_cache_set *set, const char *media,
                                            const char *body, size_t n, const char *id,
                                            int64_t unix_s)
{
    tqd_response_cache **slot = &set->slots[n % TQD_RESPONSE_CACHE_SLOTS];
    if (n > TQD_RESPONSE_CACHE_MAX || (*slot != NULL && (*slot)->busy)) {
        return NULL;
    }
    if (set->date_s != unix_s || set->date[0] == '\0') {
        tqd_date_print(unix_s, set->date);
        set->date_s = unix_s;
    }
    if (*slot == NULL || (*slot)->n != n || (*slot)->media != media) {
        end(*slot);
        *slot = make(media, n, id, set->date);
    }
    if (*slot != NULL) {
        if ((*slot)->date_s != unix_s) {
            memcpy((*slot)->date, set->date, TQD_DATE_TEXT - 1);
            (*slot)->date_s = unix_s;
        }
        memcpy((*slot)->id, id, TQD_ID_TEXT - 1);
        memcpy((*slot)->body, body, n);
        (*slot)->busy = true;
    }
    return *slot;
}

void tqd_response_cache_free(tqd_response_cache_set *set)
{
    for (size_t i = 0; i < TQD_RESPONSE_CACHE_SLOTS; i++) {
        end(set->slots[i]);
        set->slots[i] = NULL;
    }
}
