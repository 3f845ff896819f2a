/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/view_private.h - shared by the forms of a view. */
#ifndef TQA_TABLES_VIEW_PRIVATE_H
#define TQA_TABLES_VIEW_PRIVATE_H

#include "api/codec/npy/npz.h"
#include "api/tables/transcode.h"
#include "api/tables/view.h"

/* A column's name: of its array, and a number. */
enum { TQA_VIEW_NAME_TEXT = TQA_OUTLINE_NAME_MAX + 24 };

struct tqa_view {
    tqa_view_options options;
    tqa_stored stored;
    tqa_outline *outline;
    bool wanted[TQA_OUTLINE_KEYS_MAX];
    uint64_t size;
    uint64_t at; /* of the document, or row of the table */
    bool failed;
    bool is_whole; /* `text` is all of it */
    /* JSON, CBOR, POINTS, SVG: output that has not been read */
    tqa_transcode transcode;
    char *text;
    size_t n_text, text_at;
    /* NPZ and tables: the arrays and where each is read */
    bool takes_items; /* arrays inside of lists too */
    size_t n_item;    /* how many there are with these */
    size_t n_array;
    const tqa_outline_array *arrays[TQA_NPZ_MEMBERS_MAX];
    tqa_cursor *cursors[TQA_NPZ_MEMBERS_MAX];
    tqa_array shapes[TQA_NPZ_MEMBERS_MAX];
    tqa_npz_member members[TQA_NPZ_MEMBERS_MAX];
    tqa_npz_encoder npz;
    size_t n_column;
    double *row;
};

/* Always false. */
bool tqa_view_refuse_memory(tqa_problem *reterr);

/* Numbers that an entry of the array has. */
uint64_t tqa_view_columns(const tqa_outline_array *array);

/* Bytes of `text` that have not been taken, at most `size`. */
size_t tqa_view_take(tqa_view *v, char *out, size_t size);

/* The next bytes of the table as CSV. */
long tqa_view_csv(tqa_view *v, char *out, size_t size);

/* All of a plot's points, or the plot, into `text`. False: the problem is set. */
bool tqa_view_points(tqa_view *v, tqa_problem *reterr);

#endif
