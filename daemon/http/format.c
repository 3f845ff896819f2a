/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/format.c - the form of an answer: ?format=csv, or else the header Accept. */
#include "daemon/http/format.h"

#include <string.h>

static const char name[] = "format=";
enum { N_NAME = sizeof name - 1 };

static bool find_word(const char *text, size_t n, tqa_media *ret)
{
    static const struct {
        const char *word;
        tqa_media media;
    } words[] = {{"csv", TQA_MEDIA_CSV},
                 {"json", TQA_MEDIA_JSON},
                 {"cbor", TQA_MEDIA_CBOR},
                 {"npz", TQA_MEDIA_NPZ},
                 {"npy", TQA_MEDIA_NPY}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strlen(words[k].word) == n && memcmp(words[k].word, text, n) == 0) {
            *ret = words[k].media;
            return true;
        }
    }
    return false;
}

/* the member format= of a query; NULL: none */
static const char *find_member(const char *query)
{
    for (const char *p = query; p != NULL && *p != '\0';) {
        if (strncmp(p, name, N_NAME) == 0) {
            return p;
        }
        p = strchr(p, '&');
        p = p != NULL ? p + 1 : NULL;
    }
    return NULL;
}

bool tqd_format_read(const tqd_head *head, tqd_format *ret, tqa_problem *reterr)
{
    const char *member = find_member(head->query);
    ret->query = head->query;
    ret->rest[0] = '\0';
    if (member == NULL) {
        const char *accept = head->header(head, "Accept");
        ret->media = tqd_media_find(accept);
        ret->is_svg = (ret->media == TQA_MEDIA_NONE || ret->media == TQA_MEDIA_OTHER) &&
                      accept != NULL && strstr(accept, "image/svg+xml") != NULL;
        ret->media = ret->is_svg ? TQA_MEDIA_SVG : ret->media;
        return true;
    }
    const size_t n = strcspn(member, "&");
    ret->is_svg = n == sizeof "format=svg" - 1 && memcmp(member, "format=svg", n) == 0;
    ret->media = ret->is_svg ? TQA_MEDIA_SVG : TQA_MEDIA_OTHER;
    if (!ret->is_svg && !find_word(member + N_NAME, n - N_NAME, &ret->media)) {
        tqa_problem_set(reterr, "invalid-value",
                        "format is csv, json, cbor, npz, npy or svg, got \"%.*s\"",
                        (int)(n < 60 ? n : 60), member);
        return false;
    }
    const char *after = member + n + (member[n] == '&' ? 1 : 0);
    size_t n_before = (size_t)(member - head->query);
    const size_t n_after = strlen(after);
    n_before -= n_before > 0 && n_after == 0 ? 1 : 0; /* the & next to it is removed too */
    if (n_before + n_after >= sizeof ret->rest) {
        tqa_problem_set(reterr, "invalid-value", "the query is too long");
        return false;
    }
    memcpy(ret->rest, head->query, n_before);
    memcpy(ret->rest + n_before, after, n_after + 1);
    ret->query = ret->rest[0] != '\0' ? ret->rest : NULL;
    return true;
}
