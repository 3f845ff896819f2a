/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/response/test_html.c - text of any length gets into a page whole. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "api/response/html.h"

Test(page, no_text_is_cut)
{
    enum { MOST = 3000 };
    static const size_t lengths[] = {0, 1, 509, 510, 511, 512, 513, 2000, MOST};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        char text[MOST + 1];
        tqa_html page = {0};
        size_t n = 0;
        memset(text, 'x', lengths[k]);
        text[lengths[k]] = '\0';
        tqa_html_format(&page, "<%s>%d", text, 7);
        char *html = tqa_json_text_take(&page.text, &n);
        cr_assert(html != NULL);
        cr_expect(eq(sz, n, lengths[k] + 3));
        cr_expect(html[0] == '<' && memcmp(html + 1, text, lengths[k]) == 0);
        cr_expect(memcmp(html + 1 + lengths[k], ">7", 2) == 0, "%zu", lengths[k]);
        free(html);
    }
}
