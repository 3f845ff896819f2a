/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/serve/test_route_cache.c - a decision is found for the same bytes and method
 * only. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "daemon/serve/route_cache.h"

static const tqd_route route = {.method = TQD_POST, .pattern = "/v1/robots/{}/terms"};
static const char target[] = "/v1/robots/my%20arm/terms";
static const char parts[] = "my arm";

static void keep(tqd_route_cache *targets, const char *text, tqd_method method)
{
    const tqd_head head = {.method = method, .part = {parts, "", ""}};
    tqd_route_cache_keep(targets, text, strlen(text), &head, &route, parts, sizeof parts);
}

Test(route_cache, the_same_bytes_and_method)
{
    tqd_route_cache targets = {0};
    const size_t n = strlen(target);
    cr_expect(eq(ptr, (void *)tqd_route_cache_find(&targets, target, n, TQD_POST), NULL));
    keep(&targets, target, TQD_POST);
    const tqd_target *kept = tqd_route_cache_find(&targets, target, n, TQD_POST);
    cr_assert(kept != NULL);
    cr_expect(kept->route == &route);
    cr_expect(eq(str, (char *)kept->parts + kept->part_at[0], (char *)"my arm"));
    cr_expect(eq(sz, kept->part_at[1], kept->n_parts));
    cr_expect(eq(sz, kept->part_at[2], kept->n_parts));
    cr_expect(tqd_route_cache_find(&targets, target, n, TQD_GET) == NULL);
    cr_expect(tqd_route_cache_find(&targets, target, n - 1, TQD_POST) == NULL);
    char other[sizeof target];
    for (size_t i = 0; i < n; i++) {
        memcpy(other, target, sizeof other);
        other[i] ^= 0x20;
        cr_expect(tqd_route_cache_find(&targets, other, n, TQD_POST) == NULL, "byte %zu", i);
    }
}

/* more than fit: each is found as it was stored, or not at all */
Test(route_cache, many)
{
    static const tqd_route routes[64];
    tqd_route_cache targets = {0};
    char text[64], name[16];
    size_t found = 0;
    for (size_t k = 0; k < 64; k++) {
        snprintf(text, sizeof text, "/v1/robots/r%zu/terms", k);
        snprintf(name, sizeof name, "r%zu", k);
        const tqd_head head = {.method = TQD_POST, .part = {name, "", ""}};
        tqd_route_cache_keep(&targets, text, strlen(text), &head, &routes[k], name,
                             strlen(name) + 1);
    }
    for (size_t k = 0; k < 64; k++) {
        snprintf(text, sizeof text, "/v1/robots/r%zu/terms", k);
        snprintf(name, sizeof name, "r%zu", k);
        const tqd_target *kept = tqd_route_cache_find(&targets, text, strlen(text), TQD_POST);
        if (kept != NULL) {
            found++;
            cr_expect(kept->route == &routes[k]);
            cr_expect(eq(str, (char *)kept->parts, name));
        }
    }
    cr_expect(le(sz, found, TQD_TARGETS_KEPT));
    cr_expect(gt(sz, found, 0));
}

Test(route_cache, requests_that_are_never_cached)
{
    tqd_route_cache targets = {0};
    char longest[TQD_TARGET_TEXT + 2];
    memset(longest, 'a', sizeof longest);
    longest[0] = '/';
    longest[TQD_TARGET_TEXT + 1] = '\0';
    const char *const texts[] = {"/v1/robots/r/terms?x=1", "http://localhost/v1/robots",
                                 "/healthz" + 1, longest};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        keep(&targets, texts[k], TQD_POST);
        cr_expect(tqd_route_cache_find(&targets, texts[k], strlen(texts[k]), TQD_POST) == NULL,
                  "%s", texts[k]);
    }
    longest[TQD_TARGET_TEXT] = '\0';
    keep(&targets, longest, TQD_POST);
    cr_expect(tqd_route_cache_find(&targets, longest, TQD_TARGET_TEXT, TQD_POST) != NULL);
}
