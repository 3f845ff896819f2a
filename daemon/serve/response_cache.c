/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/response_cache.c - one reusable response for each length of a short answer. */
#include "daemon/serve/response_cache.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/serve/library/library.h"

static const char id_name[] = "X-Request-Id", date_name[] = "Date";

static void end(tqd_response_cache *cached)
{
    if (cached != NULL && cached->response != NULL) {
        MHD_destroy_response(cached->response);
    }
    free(cached);
}

static tqd_response_cache *make(const char *media, size_t n, const char *id, const char *date)
{
    tqd_response_cache *cached = malloc(sizeof *cached + n);
    if (cached == NULL) {
        return NULL;
    }
    *cached = (tqd_response_cache){.media = media, .n = n};
    cached->response = MHD_create_response_from_buffer(n, cached->body, MHD_RESPMEM_PERSISTENT);
    if (cached->response == NULL ||
        MHD_add_response_header(cached->response, "Content-Type", media) != MHD_YES ||
        MHD_add_response_header(cached->response, id_name, id) != MHD_YES ||
        MHD_add_response_header(cached->response, date_name, date) != MHD_YES) {
        end(cached);
        return NULL;
    }
    /* overwriting saves 1,200 instructions against deleting and adding the header, which takes
     * three allocations */
    cached->id = tqd_library_header_value(cached->response, id_name);
    cached->date = tqd_library_header_value(cached->response, date_name);
    return cached;
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
