/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/conditions.h - entity tags in If-Match and If-None-Match, and types in Accept. */
#ifndef TQD_ROBOTS_CONDITIONS_H
#define TQD_ROBOTS_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_TAG_TEXT = 65 };

/* Reduces a list of entity tags to what decides: "*", the one that equals `current` ("" when there
 * is none), else the first. Weak tags count only when `weak` (If-None-Match). False when the header
 * is no such list. A list without any tag that could match gives "-". */
bool tqd_tags_reduce(const char *header, const char *current, bool weak, char tag[TQD_TAG_TEXT]);

/* True if a client that sent this Accept header (NULL: none) takes `type`, "major/minor". */
bool tqd_accepts(const char *header, const char *type);

/* How much a client wants `type`: 0 not at all; q counts most, then how exactly it is named. */
unsigned tqd_wants(const char *header, const char *type);

#endif
