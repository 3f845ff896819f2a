/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/pretty.h - bytes of an answer as they are, or for a terminal. */
#ifndef TORQUECTL_PRETTY_H
#define TORQUECTL_PRETTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the bytes unchanged, or for a terminal: JSON on lines of its own, numbers digit for digit,
 * what a terminal would interpret as JSON escapes. */
void ctl_pretty(FILE *out, const char *bytes, size_t n, bool is_terminal);

#endif
