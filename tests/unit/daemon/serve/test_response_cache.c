/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_response_cache.c - a reused response has the request id and date of
 * the present request. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <microhttpd.h>
#include <string.h>

#include "daemon/serve/response_cache.h"

static const char json[] = "application/json", cbor[] = "application/cbor";

static const char *header(const tqd_response_cache *prepared, const char *name)
{
    return MHD_get_response_header(prepared->response, name);
}

Test(response_cache, id_and_body_are_those_of_the_request)
{
    tqd_response_cache_set set = {0};
    static const char *const ids[] = {"01M819V3SH2DPYP1VFB87R73GG", "01M819V3SH2DPYP1VFB87R73GH",
                                      "01M819V3SJ00000000000000ZZ"};
    static const char *const bodies[] = {"{\"tau\":[1.5]}", "{\"tau\":[2.5]}", "{\"tau\":[-3.]}"};
    const struct MHD_Response *first = NULL;
    for (size_t k = 0; k < 3; k++) {
        const size_t n = strlen(bodies[k]);
        tqd_response_cache *p = tqd_response_cache_take(&set, json, bodies[k], n, ids[k], 0);
        cr_assert(p != NULL);
        first = k == 0 ? p->response : first;
        cr_expect(p->response == first);
        cr_expect(eq(str, (char *)header(p, "X-Request-Id"), (char *)ids[k]));
        cr_expect(eq(str, (char *)header(p, "Content-Type"), (char *)json));
        cr_expect(eq(int, MHD_get_response_headers(p->response, NULL, NULL), 3));
        cr_expect(memcmp(p->body, bodies[k], n) == 0);
        tqd_response_cache_give(p);
    }
    tqd_response_cache_free(&set);
}

Test(response_cache, date_is_of_the_second)
{
    static const char id[] = "01M819V3SH2DPYP1VFB87R73GG";
    static const struct {
        int64_t unix_s;
        const char *date; /* the first is the example of RFC 9110 section 5.6.7 */
    } rows[] = {{784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
                {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
                {784111778, "Sun, 06 Nov 1994 08:49:38 GMT"},
                {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
                {1709251199, "Thu, 29 Feb 2024 23:59:59 GMT"},
                {1709251200, "Fri, 01 Mar 2024 00:00:00 GMT"}};
    tqd_response_cache_set set = {0};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        /* two lengths in turn: a response that is reused after some time has the new second too */
        tqd_response_cache *p =
            tqd_response_cache_take(&set, json, "1234567", 6 + k % 2, id, rows[k].unix_s);
        cr_assert(p != NULL);
        cr_expect(eq(str, (char *)header(p, "Date"), (char *)rows[k].date), "row %zu", k);
        tqd_response_cache_give(p);
    }
    tqd_response_cache_free(&set);
}

Test(response_cache, none_while_it_is_sent_and_none_for_a_long_body)
{
    static const char id[] = "01M819V3SH2DPYP1VFB87R73GG";
    static char body[TQD_RESPONSE_CACHE_MAX + 1];
    tqd_response_cache_set set = {0};
    tqd_response_cache *p = tqd_response_cache_take(&set, json, "1234567", 7, id, 0);
    cr_assert(p != NULL);
    cr_expect(tqd_response_cache_take(&set, json, "7654321", 7, id, 0) == NULL);
    /* another length in the same slot */
    cr_expect(tqd_response_cache_take(&set, json, body, 7 + TQD_RESPONSE_CACHE_SLOTS, id, 0) ==
              NULL);
    cr_expect(memcmp(p->body, "1234567", 7) == 0);
    tqd_response_cache *other =
        tqd_response_cache_take(&set, json, body, TQD_RESPONSE_CACHE_MAX, id, 0);
    cr_assert(other != NULL && other != p);
    cr_expect(tqd_response_cache_take(&set, json, body, TQD_RESPONSE_CACHE_MAX + 1, id, 0) == NULL);
    tqd_response_cache_give(other);
    tqd_response_cache_give(p);
    tqd_response_cache_free(&set);
}

Test(response_cache, another_length_or_type_in_its_place)
{
    static const char id[] = "01M819V3SH2DPYP1VFB87R73GG";
    static const char body[7 + TQD_RESPONSE_CACHE_SLOTS] = "abcdefgh";
    tqd_response_cache_set set = {0};
    const struct {
        const char *media;
        size_t n;
    } turns[] = {{json, 7},
                 {json, 7 + TQD_RESPONSE_CACHE_SLOTS},
                 {cbor, 7 + TQD_RESPONSE_CACHE_SLOTS},
                 {json, 7}};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        tqd_response_cache *p =
            tqd_response_cache_take(&set, turns[k].media, body, turns[k].n, id, 0);
        cr_assert(p != NULL);
        cr_expect(eq(sz, p->n, turns[k].n));
        cr_expect(eq(str, (char *)header(p, "Content-Type"), (char *)turns[k].media));
        cr_expect(memcmp(p->body, body, p->n) == 0);
        tqd_response_cache_give(p);
    }
    tqd_response_cache_free(&set);
}
