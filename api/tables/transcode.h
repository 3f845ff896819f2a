/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/transcode.h - a JSON document as CBOR, or some keys of it as JSON, while it goes by.
 */
#ifndef TQA_TABLES_TRANSCODE_H
#define TQA_TABLES_TRANSCODE_H

#include "api/codec/writer.h"
#include "api/tables/outline.h"

/* Private fields. */
typedef struct tqa_transcode {
    const tqa_outline *outline;
    const bool *wanted;          /* by key of the root, in the outline's order; NULL: all */
    size_t next_array, next_key; /* of the outline */
    bool skipping;               /* inside a key of the root that is not wanted */
    bool raw;                    /* inside a typed array: only numbers come */
    size_t raw_depth;
    size_t level;
    bool has_key; /* of the next member */
    char key[TQA_EVENT_TEXT_MAX + 1];
    tqa_writer to;
    tqa_json_scan scan;
} tqa_transcode;

/* The outline of the same document, which must outlive this. */
void tqa_transcode_init(tqa_transcode *transcode, const tqa_outline *outline, const bool *wanted,
                        bool cbor);

/* Takes the next bytes of the document, returns the output so far, malloc'ed; NULL with *ret_n > 0
 * never, NULL with SIZE_MAX when memory is short or the document is another one. */
char *tqa_transcode_feed(tqa_transcode *transcode, const char *bytes, size_t n, size_t *ret_n);

#endif
