/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/static_check.h - where the robot stands: measured torque against
 * gravity's. */
#ifndef TQ_IDENTIFY_VALIDATION_STATIC_CHECK_H
#define TQ_IDENTIFY_VALIDATION_STATIC_CHECK_H

#include "core/identify/verdict.h"

/* One joint over all poses at which the whole robot stands. What a joint holds is gravity (springs
 * and offset with it) and anything within its friction. N m or N. */
typedef struct tq_static_residual {
    size_t n_pose;
    double torque;    /* rms of the measured torque */
    double rmse;      /* measured less predicted, without friction */
    double worst;     /* the largest of these */
    double band;      /* what friction can hold: Coulomb, Stribeck and load; mean over the poses */
    double excess;    /* rms of what is left of a residual beyond the band and its noise */
    size_t n_outside; /* poses with such an excess */
    size_t n_pair;    /* twice the same pose, come to from either side: friction averages out */
    double pair_rmse; /* of the means of pairs; NaN: none */
    double relative;  /* the larger of excess and (of two pairs on) what of pairs' means is beyond
                         half of the band, over the rms of the torque here or in all fitted data,
                         whichever is more */
} tq_static_residual;

/* What a body at the end of the longest chain would have to weigh to explain what is left. */
typedef struct tq_static_residual_payload {
    enum {
        TQ_STATIC_RESIDUAL_TOLD,
        TQ_STATIC_RESIDUAL_BODILESS, /* the model has no bodies: a joint by itself */
        TQ_STATIC_RESIDUAL_FEW,      /* poses that differ */
        TQ_STATIC_RESIDUAL_ALIKE,    /* gravity pulls such a body the same way in all of them */
    } fault;
    uint32_t link;
    double mass, deviation; /* kg; NaN: at fault */
} tq_static_residual_payload;

/* How standing is recognised. */
typedef struct tq_static_check_plan {
    double period; /* of the samples, s; a step of time beyond 1.5 of it ends a pose */
    double moving; /* mean rates below this stand, rad/s or m/s */
    size_t least;  /* samples that are judged together, the shortest pose; > 0 */
} tq_static_check_plan;

typedef struct tq_static_check tq_static_check;

/**
 * Start without poses; then for each log: next, its blocks, end.
 *
 * A pose is a stretch whose means over `plan.least` samples all stand; its torque is compared once,
 * by its mean, with what the values (n_column, borrowed until the log's end) give at its mean
 * coordinates and acceleration without friction. The first 256 poses are remembered for pairs.
 *
 * Memory   begin takes tq_static_check_size(fit) bytes of `scratch` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_RANGE "plan", TQ_ERR_SCRATCH; push and end what the regressor gives.
 * Cost     A pose: one regressor. A sample: a few sums for each joint.
 * Checked  tests/property/core/identify/validation/test_static_check.c
 */
tq_status tq_static_check_begin(const tq_fit *fit, tq_scratch *scratch, tq_static_check **ret_stand,
                                tq_error *reterr);
size_t tq_static_check_size(const tq_fit *fit);
tq_status tq_static_check_next(tq_static_check *stand, const double *value,
                               const tq_static_check_plan *plan, tq_error *reterr);
/* t: (n_sample) s. */
tq_status tq_static_check_push(tq_static_check *stand, const tq_experiment_block *block,
                               const double *t, tq_error *reterr);
tq_status tq_static_check_end(tq_static_check *stand, tq_error *reterr);

/* So far. */
tq_static_residual tq_static_check_of(const tq_static_check *stand, size_t row);
tq_static_residual_payload tq_static_check_payload(const tq_static_check *stand);

/* Adds what stands against gravity to a verdict. */
void tq_static_check_tell(const tq_static_check *stand, tq_verdict_report *report);

#endif
