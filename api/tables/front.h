/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/front.h - in front of the decoders of tables: the form of the file, found by its first
 * bytes, unpacked where it is compressed. */
#ifndef TQA_TABLES_FRONT_H
#define TQA_TABLES_FRONT_H

#include "api/codec/pack/unpack.h"
#include "api/tables/form.h"

/* The receiver; each callback returns false to stop. */
typedef struct tqa_front_sink {
    bool (*open)(void *ctx, tqa_form form); /* once: CSV to CBOR */
    bool (*feed)(void *ctx, const char *bytes, size_t n);
} tqa_front_sink;

/* The first bytes. */
typedef struct tqa_front_head {
    size_t n;
    char bytes[TQA_FORM_BYTES];
} tqa_front_head;

/* Its fields are private. Starts as {.sink, .ctx}. */
typedef struct tqa_front {
    const tqa_front_sink *sink;
    void *ctx;
    tqa_unpack *unpack; /* of a compressed file */
    tqa_pack pack;
    bool has_begun;
    bool is_open; /* the sink's `open` has been called */
    const char *detail, *hint;
    bool is_short;
    bool is_too_large;
    tqa_front_head outer, inner; /* of the file, and of what a compressed one holds */
} tqa_front;

/* The next bytes of the file, cut anywhere, and its end. False: the sink stopped, or
 * tqa_front_detail says why not. */
bool tqa_front_feed(tqa_front *front, const char *bytes, size_t n);
bool tqa_front_finish(tqa_front *front);
void tqa_front_free(tqa_front *front); /* what it holds */

/* NULL: the sink stopped. */
static inline const char *tqa_front_detail(const tqa_front *front)
{
    return front->detail;
}

#endif
