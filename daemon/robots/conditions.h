/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/conditions.h - entity tags in If-Match and If-None-Match, and types in Accept. */
#ifndef TQD_ROBOTS_CONDITIONS_H
#define TQD_ROBOTS_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_TAG_TEXT = 65 };

/* Reduces a list of entity tags to the deciding one: "*", the one equal to `current` ("": none),
 * else the first. Weak tags count only if `weak` (If-None-Match). False: not a list of tags. A list
 * without a tag that could match gives "-". */
bool tqd_tags_reduce(const char *header, const char *current, bool weak, char tag[TQD_TAG_TEXT]);

/* True if the Accept header (NULL: none) admits `type`, "major/minor". */
bool tqd_accepts(const char *header, const char *type);

/* Preference of an Accept header for `type`: 0 not acceptable; q first, then specificity. */
unsigned tqd_accept_weight(const char *header, const char *type);

#endif
