/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/scan_private.h - shared by scan.c and string.c; private to them. */
#ifndef TQA_CODEC_JSON_SCAN_PRIVATE_H
#define TQA_CODEC_JSON_SCAN_PRIVATE_H

#include "api/codec/json/scan.h"

#define TQA_JSON_TOO_LONG "a number, name or string is too long"

/* position in a string */
enum {
    TQA_JSON_STEP_PLAIN,
    TQA_JSON_STEP_UTF8,
    TQA_JSON_STEP_ESCAPE,
    TQA_JSON_STEP_HEX,
    TQA_JSON_STEP_LOW_BACKSLASH,
    TQA_JSON_STEP_LOW_U,
};

/* Always NULL, the return value of scan functions after a fault. */
const char *tqa_json_fail(tqa_json_scan *scan, tqa_decode state, uint64_t at, const char *detail);
const char *tqa_json_malformed(tqa_json_scan *scan, uint64_t at, const char *detail);

/* Appends a run of the token's bytes to scan->text; false, with the fault set, when it is full. */
bool tqa_json_keep(tqa_json_scan *scan, const char *bytes, size_t n);

/* Consumes the bytes of a string up to its closing quote. Returns the position after the quote when
 * *ret_complete, else `end`; NULL after a fault. `bytes` is the start of the piece. */
const char *tqa_json_string_feed(tqa_json_scan *scan, const char *p, const char *end,
                                 const char *bytes, bool *ret_complete);

#endif
