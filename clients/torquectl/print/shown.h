/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/shown.h - foreign text made safe for a terminal. */
#ifndef TORQUECTL_SHOWN_H
#define TORQUECTL_SHOWN_H

#include <stddef.h>

/* Copies `text` (up to a NUL or `n` bytes) to `out`, with control characters (C0, delete, C1),
 * bidirectional marks, line and paragraph separators and invisible characters as \uXXXX, and
 * invalid UTF-8 as \xXX. `out` (size > 12) is truncated between characters and NUL-terminated.
 * Returns its length. */
size_t ctl_shown(const char *text, size_t n, char *out, size_t size);

#endif
