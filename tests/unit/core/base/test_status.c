/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/base/test_status.c - the slugs of the status list are distinct and stable. */
#include "core/base/status.h"

#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct {
    tq_status status;
    const char *name, *slug, *text;
} rows[] = {
#define ROW(name, slug, text) {name, #name, slug, text},
    TQ_STATUS_LIST(ROW)
#undef ROW
};
enum { N_ROW = sizeof rows / sizeof rows[0] };

Test(status, every_outcome_has_its_own_slug_and_a_text)
{
    for (size_t i = 0; i < N_ROW; i++) {
        cr_assert(eq(str, (char *)tq_status_slug(rows[i].status), (char *)rows[i].slug));
        cr_assert(eq(str, (char *)tq_status_text(rows[i].status), (char *)rows[i].text));
        cr_assert(gt(sz, strlen(rows[i].text), 4), "%s", rows[i].name);
        for (size_t j = 0; j < i; j++) {
            cr_assert(ne(str, (char *)rows[i].slug, (char *)rows[j].slug), "%s", rows[i].name);
        }
    }
}

Test(status, slugs_are_url_words)
{
    for (size_t i = 0; i < N_ROW; i++) {
        cr_assert(eq(sz, strspn(rows[i].slug, "abcdefghijklmnopqrstuvwxyz-"), strlen(rows[i].slug)),
                  "%s", rows[i].name);
    }
}

Test(status, an_unknown_number_is_named_as_such)
{
    cr_assert(eq(str, (char *)tq_status_slug((tq_status)4711), "unknown"));
    cr_assert(eq(str, (char *)tq_status_text((tq_status)4711), "unknown status"));
}

Test(status, fail_fills_the_error_and_returns_the_status)
{
    tq_error error = {0};
    cr_assert(eq(int, (int)tq_fail(&error, TQ_ERR_RANGE, "q", 3, -1.5), (int)TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "q"));
    cr_assert(eq(sz, error.index, 3));
    cr_assert(eq(dbl, error.value, -1.5));
    cr_assert(eq(int, (int)tq_fail(NULL, TQ_ERR_SHAPE, "q", 0, 0), (int)TQ_ERR_SHAPE));
}
