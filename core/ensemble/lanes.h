/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/lanes.h - members on their way, each in a lane: private to this folder. */
#ifndef TQ_ENSEMBLE_LANES_H
#define TQ_ENSEMBLE_LANES_H

#include "core/ensemble/ensemble_private.h"

enum { TQ_LANE = TQ_BLOCK_PAD }; /* stride of a member alone */

/* One member on its way, in lane i of all rows. */
typedef struct tq_lane {
    size_t member;
    size_t output; /* the next one */
    double next;   /* s, the step that it would take */
    double limit;  /* s: next sample or break */
    double way;    /* s, of the step that is tried */
    double to;     /* s, its end */
    uint64_t n_eval;
    int cut;         /* the step is shorter than `next` */
    int turned_down; /* the last try was: no longer step now */
    int refused;     /* the rates of a try are not there */
} tq_lane;

/* Members of a block on their way. A lane that is left is filled with the last one. */
typedef struct tq_lane_set {
    const tq_ensemble *ensemble;
    const tq_members *members;
    const tq_model *model;
    tq_scratch *scratch;
    size_t stride, n_q, n_v, n_z, n_held, n;
    size_t n_lane;                /* members on their way: lanes 0 .. n_lane - 1 */
    double *y, *ahead;            /* (n x stride) */
    double *held;                 /* (n_held x stride) */
    double *t, *h, *stop, *error; /* (stride) */
    double *atol;                 /* (n) */
    tq_lane *lanes;               /* (stride) */
    uint64_t *n_sample;           /* (stride x n_effect) samples taken */
    size_t n_varied;              /* rows of members->varied, in lanes too */
    double *one; /* a member alone: (n + n_held), n, 5 and n_varied rows of TQ_LANE */
    uint64_t n_try;
} tq_lane_set;

/* Rows in scratch, nothing in them. 0: they do not fit. */
int tq_lane_set_take(tq_lane_set *w);

/* Column `from` of rows over column `to`. */
void tq_move_column(double *rows, size_t n, size_t stride, size_t to, size_t from);

/* Writes lane i's state as that of an output of its member, NAN once it has ended. */
void tq_lane_put_row(const tq_lane_set *w, size_t i, size_t output, int ended);

/* Takes the member of lane i out: the last lane moves there. tq_lane_end: and says why. */
void tq_lane_leave(tq_lane_set *w, size_t i);
void tq_lane_end(tq_lane_set *w, size_t i, tq_run_end why);

/* Samples that are due at lane i's time, and where it has to stop next. */
tq_status tq_lane_sample(tq_lane_set *w, size_t i, tq_error *reterr);

/* The step of all lanes as their t, h and stop say, once they are padded; that of lane i alone, out
 * of the others' way. */
void tq_lane_set_pad(const tq_lane_set *w);
tq_pair_step tq_lane_set_step(const tq_lane_set *w);
tq_pair_step tq_lane_step_alone(const tq_lane_set *w, size_t i);

/* Tries all lanes. One without rates stays where it is, and then the others are as if it were not
 * there; one without rates even where it is (refused already) ends. */
tq_status tq_lane_set_try(tq_lane_set *w, tq_error *reterr);

#endif
