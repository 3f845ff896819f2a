/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/lanes.h - active members, each in a SIMD lane: private to this folder. */
#ifndef TQ_ENSEMBLE_LANES_H
#define TQ_ENSEMBLE_LANES_H

#include "core/ensemble/ensemble_private.h"

enum { TQ_LANE = TQ_BLOCK_PAD }; /* stride of a single member */

/* An active member, in lane i of all rows. */
typedef struct tq_lane {
    size_t member;
    size_t output; /* index of the next output */
    double next;   /* s, the step proposed by the step control */
    double limit;  /* s: next sample or break */
    double way;    /* s, length of the present step */
    double to;     /* s, its end */
    uint64_t n_eval;
    int cut;         /* the step is shorter than `next` */
    int turned_down; /* the last attempt was rejected: the next step must not be longer */
    int refused;     /* rates are undefined in the present attempt */
} tq_lane;

/* Active members of a block. A free lane is filled with the last one. */
typedef struct tq_lane_set {
    const tq_ensemble *ensemble;
    const tq_members *members;
    const tq_model *model;
    tq_scratch *scratch;
    size_t stride, n_q, n_v, n_z, n_held, n;
    size_t n_lane;                /* active members: lanes 0 .. n_lane - 1 */
    double *y, *ahead;            /* (n x stride) */
    double *held;                 /* (n_held x stride) */
    double *t, *h, *stop, *error; /* (stride) */
    double *atol;                 /* (n) */
    tq_lane *lanes;               /* (stride) */
    uint64_t *n_sample;           /* (stride x n_effect) number of samples taken */
    size_t n_varied;              /* rows of members->varied, in lanes too */
    double *one; /* a single member: (n + n_held), n, 5 and n_varied rows of TQ_LANE */
    uint64_t n_try;
} tq_lane_set;

/* Takes the rows from scratch, uninitialised. 0: scratch too small. */
int tq_lane_set_take(tq_lane_set *w);

/* Copies column `from` of rows over column `to`. */
void tq_move_column(double *rows, size_t n, size_t stride, size_t to, size_t from);

/* Writes lane i's state as an output of its member, NAN after its end. */
void tq_lane_put_row(const tq_lane_set *w, size_t i, size_t output, int ended);

/* Removes the member of lane i: the last lane moves there. tq_lane_end also records the reason. */
void tq_lane_leave(tq_lane_set *w, size_t i);
void tq_lane_end(tq_lane_set *w, size_t i, tq_run_end why);

/* Takes the samples due at lane i's time, and sets its next stop. */
tq_status tq_lane_sample(tq_lane_set *w, size_t i, tq_error *reterr);

/* The step of all lanes by their t, h and stop, once they are padded; and that of lane i alone, in
 * separate memory. */
void tq_lane_set_pad(const tq_lane_set *w);
tq_pair_step tq_lane_set_step(const tq_lane_set *w);
tq_pair_step tq_lane_step_alone(const tq_lane_set *w, size_t i);

/* Attempts a step of all lanes. A lane without rates stays at its state, and the others are
 * computed as if it were absent; a lane without rates even at its state (already `refused`) ends.
 */
tq_status tq_lane_set_try(tq_lane_set *w, tq_error *reterr);

#endif
