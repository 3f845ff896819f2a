/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/route_cache.c - a direct-mapped cache: one slot for each target, by its last bytes.
 * */
#include "daemon/serve/route_cache.h"

#include <string.h>

/* Hash of the last bytes; n >= 8. Operations differ at the end of the path, robots before it. */
static size_t place_of(const char *text, size_t n)
{
    uint64_t last, first;
    memcpy(&last, text + n - sizeof last, sizeof last);
    memcpy(&first, text + n / 2 - sizeof first / 2, sizeof first);
    return (size_t)(((last ^ first * 31 ^ n) * 0x9e3779b97f4a7c15u) >> 60) % TQD_TARGETS_KEPT;
}

const tqd_target *tqd_route_cache_find(const tqd_route_cache *targets, const char *text, size_t n,
                                       tqd_method method)
{
    if (n < sizeof(uint64_t) || n > TQD_TARGET_TEXT) {
        return NULL;
    }
    const tqd_target *kept = &targets->kept[place_of(text, n)];
    const bool same = kept->route != NULL && kept->n == n && kept->method == method &&
                      memcmp(kept->text, text, n) == 0;
    return same ? kept : NULL;
}

void tqd_route_cache_keep(tqd_route_cache *targets, const char *text, size_t n,
                          const tqd_head *head, const tqd_route *route, const char *parts,
                          size_t n_parts)
{
    if (n < sizeof(uint64_t) || n > TQD_TARGET_TEXT || n_parts > TQD_PARTS_TEXT || text[0] != '/' ||
        memchr(text, '?', n) != NULL) {
        return;
    }
    tqd_target *kept = &targets->kept[place_of(text, n)];
    *kept = (tqd_target){.route = route, .method = head->method, .n = n, .n_parts = n_parts};
    memcpy(kept->text, text, n);
    if (n_parts > 0) {
        memcpy(kept->parts, parts, n_parts);
    }
    for (size_t i = 0; i < TQD_PATH_PARTS; i++) {
        const bool has = head->part[i] != NULL && head->part[i][0] != '\0';
        kept->part_at[i] = has ? (size_t)(head->part[i] - parts) : n_parts;
    }
}
