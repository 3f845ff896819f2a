/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/outline.h - places of the arrays of numbers of a JSON document, found as it is read.
 */
#ifndef TQA_TABLES_OUTLINE_H
#define TQA_TABLES_OUTLINE_H

#include "api/codec/json/scan.h"

enum {
    TQA_OUTLINE_ARRAYS_MAX = 4096, /* more are not recorded */
    TQA_OUTLINE_KEYS_MAX = 64,     /* of the root; more are not recorded */
    TQA_OUTLINE_JOINTS_MAX = 128,  /* more are not recorded */
    TQA_OUTLINE_NAME_MAX = 96,     /* longer names count as none */
    TQA_OUTLINE_RANK_MAX = 4,
};

/* One array of numbers, or of such arrays of equal shape, whole: none inside another. */
typedef struct tqa_outline_array {
    uint64_t begin, end; /* bytes of the document, the brackets included */
    size_t rank;
    uint64_t shape[TQA_OUTLINE_RANK_MAX];
    uint64_t n_null;                 /* entries that are null */
    bool in_list;                    /* inside the objects of a list, which count from 0 */
    char name[TQA_OUTLINE_NAME_MAX]; /* keys and these numbers with dots between; or "" */
} tqa_outline_array;

typedef struct tqa_outline tqa_outline;

/* NULL without memory. */
tqa_outline *tqa_outline_new(void);
void tqa_outline_free(tqa_outline *outline); /* accepts NULL */

/* The whole document, in any pieces, then finish, once. False: it is no JSON document (with a map
 * at its root), or memory is short. */
bool tqa_outline_feed(tqa_outline *outline, const char *bytes, size_t n);
bool tqa_outline_finish(tqa_outline *outline);

/* After false: memory was short. */
bool tqa_outline_short(const tqa_outline *outline);

/* In the order of the document. */
size_t tqa_outline_count(const tqa_outline *outline);
const tqa_outline_array *tqa_outline_at(const tqa_outline *outline, size_t i);

/* Keys of the root, in order; NULL after the last. */
const char *tqa_outline_key(const tqa_outline *outline, size_t i);

/* Strings of the root's list "joints", in order; NULL after the last. Longer names are cut. */
const char *tqa_outline_joint(const tqa_outline *outline, size_t i);
/* The root has "angles": "deg". */
bool tqa_outline_in_degrees(const tqa_outline *outline);

#endif
