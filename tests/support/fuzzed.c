/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fuzzed.c - compares the answers to one request that was split in different ways. */
#include "tests/support/fuzzed.h"

#include <jansson.h>
#include <string.h>

enum { TEXT = 8192 };

void tqt_must_answer(const tqt_answer *answer, bool can_stop)
{
    tqt_must(answer->status == 200 || (answer->status >= 400 && answer->status < 500) ||
             (can_stop && answer->status == 503));
}

void tqt_must_agree(const tqt_answer *a, const tqt_answer *b)
{
    static char text[TEXT];
    tqt_must(a->status == b->status);
    if (a->status == 200) {
        tqt_must(a->n == b->n && memcmp(a->text, b->text, a->n) == 0);
        return;
    }
    tqt_must(strcmp(a->problem.slug, b->problem.slug) == 0);
    tqt_must(tqa_problem_print(&a->problem, "fuzz", text, sizeof text) < sizeof text);
}

void tqt_must_be_object(const tqt_answer *answer)
{
    json_t *root = json_loadb(answer->text, answer->n, JSON_REJECT_DUPLICATES, NULL);
    tqt_must(json_is_object(root));
    json_decref(root);
}
