/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/yyjson.h - what is asked of the peer yyjson; without its sources, NULL and zero. */
#ifndef TQB_YYJSON_H
#define TQB_YYJSON_H

#include <stddef.h>

/* Parses an array of numbers in a pool of this size and sums it up. */
double tqb_yyjson_sum(const char *text, size_t n);

/* The same text, to be written again; kept until the process ends. NULL: yyjson is not here. */
void *tqb_yyjson_document(const char *text, size_t n);
/* Writes it in the pool; the bytes of the text. */
size_t tqb_yyjson_write(void *document);

#endif
