/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/shown.h - text of others on a terminal: only what can be seen. */
#ifndef TORQUECTL_SHOWN_H
#define TORQUECTL_SHOWN_H

#include <stddef.h>

/* Copies `text` (up to a NUL or `n` bytes) to `out`, with every character that a terminal would
 * obey, or that hides what is there, as \uXXXX: controls (C0, delete, C1), marks that turn the
 * direction of text, ends of lines and paragraphs, signs of no width; bytes that are no UTF-8 as
 * \xXX. `out` (size > 12) is cut between characters and ends with NUL. Returns its length. */
size_t tqc_shown(const char *text, size_t n, char *out, size_t size);

#endif
