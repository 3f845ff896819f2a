/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/include.h - `include`: further results of a sample, by name. */
#ifndef TQA_OPERATIONS_TERMS_INCLUDE_H
#define TQA_OPERATIONS_TERMS_INCLUDE_H

#include "api/operations/terms/blocks.h"
#include "api/operations/terms/term_input.h"

/* Extents of a member that are not plain numbers. */
enum {
    TQA_EXTENT_V = -1,      /* nv, in the order of `joints` */
    TQA_EXTENT_LINKS = -2,  /* every link */
    TQA_EXTENT_AXES = -3,   /* the chosen axes of a point */
    TQA_EXTENT_DRIVES = -4, /* every joint with a drive, in the robot's order */
    TQA_EXTENT_ROWS = -5,   /* every row of the constraints */
};

enum { TQA_MEMBERS_MAX = 10, TQA_STATED_MAX = 3, TQA_EXTENTS_MAX = 3 };

/* One array of a name. */
typedef struct tqa_member {
    const char *key;              /* NULL: the name itself, at the top of the answer */
    int extents[TQA_EXTENTS_MAX]; /* 0 ends them; none: one number */
} tqa_member;

/* The computation of a name. */
typedef struct tqa_include {
    const char *name;
    uint64_t bit;
    enum { TQA_FOR_ALL, TQA_FOR_TORQUE, TQA_FOR_ACCELERATION } operation;
    bool for_each_rate; /* takes nv times as long as others */
    const char *stated[TQA_STATED_MAX][2];
    tqa_member members[TQA_MEMBERS_MAX];
    /* Writes the members one after the other. */
    tq_status (*compute)(const tqa_term_input *moment, double *ret, tq_error *error);
    tqa_block_terms *block; /* the same by kernels; NULL: sample by sample only */
} tqa_include;

/* Ends with name == NULL. */
extern const tqa_include tqa_includes[];
/* The same names, for schemas; and those of axes. */
extern const tqa_choice tqa_include_choices[];
/* The names of terms that torque is made of. */
extern const tqa_choice tqa_without_choices[];

/* The next requested row from `row` on; NULL at the end. */
const tqa_include *tqa_include_next(const tqa_call *call, const tqa_include *row);
/* Whether kernels compute all requested names, and none is computed sample by sample. */
bool tqa_include_is_by_kernels(const tqa_call *call);
/* Are there names beside reactions? */
bool tqa_include_wants_terms(const tqa_call *call);

/* Members of a row, and extents of one; numbers that an extent, a member, a row or all requested
 * rows have for one sample. */
size_t tqa_member_count(const tqa_include *row);
size_t tqa_member_rank(const tqa_member *member);
size_t tqa_member_extent(const tqa_call *call, int extent);
size_t tqa_member_size(const tqa_call *call, const tqa_member *member);
size_t tqa_include_size(const tqa_call *call, const tqa_include *row);
size_t tqa_include_size_all(const tqa_call *call);

/* The request is complete: is there what the names need, and a mechanism with the payload? False:
 * the problem is set. */
bool tqa_include_check(tqa_call *call);

/* Makes room for the results of all samples and adds them to the answer. False: the problem is
 * set. */
bool tqa_include_add(tqa_call *call);

double tqa_include_cost_us(const tqa_call *call); /* of one sample */
size_t tqa_include_scratch_size(const tqa_call *call);

/* Computes the requested names for block b, whose motion and wrenches are `in`. */
tq_status tqa_include_block(tqa_call *call, size_t b, const tq_inverse_input *in,
                            tq_scratch *scratch, tq_error *error);

#endif
