/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_prepared.c - a response that is sent again is this request's own. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <microhttpd.h>
#include <string.h>

#include "daemon/serve/prepared.h"

static const char json[] = "application/json", cbor[] = "application/cbor";

static const char *header(const tqd_prepared *prepared, const char *name)
{
    return MHD_get_response_header(prepared->response, name);
}

Test(prepared, id_and_body_are_those_of_the_request)
{
    tqd_prepared_set set = {0};
    static const char *const ids[] = {"01M819V3SH2DPYP1VFB87R73GG", "01M819V3SH2DPYP1VFB87R73GH",
                                      "01M819V3SJ00000000000000ZZ"};
    static const char *const bodies[] = {"{\"tau\":[1.5]}", "{\"tau\":[2.5]}", "{\"tau\":[-3.]}"};
    const struct MHD_Response *first = NULL;
    for (size_t k = 0; k < 3; k++) {
        const size_t n = strlen(bodies[k]);
        tqd_prepared *p = tqd_prepared_take(&set, json, bodies[k], n, ids[k]);
        cr_assert(p != NULL);
        first = k == 0 ? p->response : first;
        cr_expect(p->response == first);
        cr_expect(eq(str, (char *)header(p, "X-Request-Id"), (char *)ids[k]));
        cr_expect(eq(str, (char *)header(p, "Content-Type"), (char *)json));
        cr_expect(eq(int, MHD_get_response_headers(p->response, NULL, NULL), 2));
        cr_expect(memcmp(p->body, bodies[k], n) == 0);
        tqd_prepared_give(p);
    }
    tqd_prepared_free(&set);
}

Test(prepared, none_while_it_is_sent_and_none_for_a_long_body)
{
    static const char id[] = "01M819V3SH2DPYP1VFB87R73GG";
    static char body[TQD_PREPARED_MAX + 1];
    tqd_prepared_set set = {0};
    tqd_prepared *p = tqd_prepared_take(&set, json, "1234567", 7, id);
    cr_assert(p != NULL);
    cr_expect(tqd_prepared_take(&set, json, "7654321", 7, id) == NULL);
    /* another length that shares its place */
    cr_expect(tqd_prepared_take(&set, json, body, 7 + TQD_PREPARED_SLOTS, id) == NULL);
    cr_expect(memcmp(p->body, "1234567", 7) == 0);
    tqd_prepared *other = tqd_prepared_take(&set, json, body, TQD_PREPARED_MAX, id);
    cr_assert(other != NULL && other != p);
    cr_expect(tqd_prepared_take(&set, json, body, TQD_PREPARED_MAX + 1, id) == NULL);
    tqd_prepared_give(other);
    tqd_prepared_give(p);
    tqd_prepared_free(&set);
}

Test(prepared, another_length_or_type_in_its_place)
{
    static const char id[] = "01M819V3SH2DPYP1VFB87R73GG";
    static const char body[7 + TQD_PREPARED_SLOTS] = "abcdefgh";
    tqd_prepared_set set = {0};
    const struct {
        const char *media;
        size_t n;
    } turns[] = {
        {json, 7}, {json, 7 + TQD_PREPARED_SLOTS}, {cbor, 7 + TQD_PREPARED_SLOTS}, {json, 7}};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        tqd_prepared *p = tqd_prepared_take(&set, turns[k].media, body, turns[k].n, id);
        cr_assert(p != NULL);
        cr_expect(eq(sz, p->n, turns[k].n));
        cr_expect(eq(str, (char *)header(p, "Content-Type"), (char *)turns[k].media));
        cr_expect(memcmp(p->body, body, p->n) == 0);
        tqd_prepared_give(p);
    }
    tqd_prepared_free(&set);
}
