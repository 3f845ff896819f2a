/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/static_check.h - static check: measured torque at standstill against
 * predicted gravity torque. */
#ifndef TQ_IDENTIFY_VALIDATION_STATIC_CHECK_H
#define TQ_IDENTIFY_VALIDATION_STATIC_CHECK_H

#include "core/identify/verdict.h"

/* One joint over all poses at standstill. A joint holds gravity (springs and offset included) and
 * any torque within its friction band. N m or N. */
typedef struct tq_static_residual {
    size_t n_pose;
    double torque;    /* rms of the measured torque */
    double rmse;      /* measured minus predicted, without friction */
    double worst;     /* the largest of these residuals */
    double band;      /* mean friction band over the poses: Coulomb, Stribeck and load */
    double excess;    /* rms of max(|residual| - band - noise, 0) */
    size_t n_outside; /* poses with an excess */
    size_t n_pair;    /* pairs of equal poses approached from opposite sides: friction averages
                         out */
    double pair_rmse; /* of the means of pairs; NaN: none */
    double relative;  /* max(excess, n_pair >= 2 ? rms(max(|pair mean| - band / 2, 0)) : 0) /
                         max(rms torque here, rms torque in the fitted data) */
} tq_static_residual;

/* Payload at the end of the longest chain that would explain the static residual. */
typedef struct tq_static_residual_payload {
    enum {
        TQ_STATIC_RESIDUAL_FOUND,
        TQ_STATIC_RESIDUAL_BODILESS, /* the model has no bodies: joints fitted separately */
        TQ_STATIC_RESIDUAL_FEW,      /* too few different poses */
        TQ_STATIC_RESIDUAL_ALIKE,    /* poses too similar: gravity acts alike in all of them */
    } fault;
    uint32_t link;
    double mass, deviation; /* kg; NaN: not determined */
} tq_static_residual_payload;

/* Criteria of standstill. */
typedef struct tq_static_check_plan {
    double period;           /* of the samples, s; a time step above 1.5 periods ends a pose */
    const bool *row_is_used; /* (nv) borrowed; NULL: all torques are known */
    double moving;           /* mean velocities below this are standstill, rad/s or m/s */
    size_t least;            /* samples averaged together, the shortest pose; > 0 */
} tq_static_check_plan;

typedef struct tq_static_check tq_static_check;

/**
 * Begin without poses; then for each recording: next, its blocks, end.
 *
 * A pose is an interval whose means over `plan.least` samples are all at standstill; its mean
 * torque is compared once with the prediction by `value` (n_column, borrowed until the end), at its
 * mean coordinates and acceleration, without friction. The first 256 poses are stored for pairs.
 *
 * Memory   begin takes tq_static_check_size(fit) bytes of `scratch` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_RANGE "plan", TQ_ERR_SCRATCH; push and end: statuses of the regressor.
 * Cost     One regressor per pose; a few sums per sample and joint.
 * Checked  tests/property/core/identify/validation/test_static_check.c
 */
tq_status tq_static_check_begin(const tq_fit *fit, tq_scratch *scratch, tq_static_check **ret_check,
                                tq_error *reterr);
size_t tq_static_check_size(const tq_fit *fit);
tq_status tq_static_check_next(tq_static_check *check, const double *value,
                               const tq_static_check_plan *plan, tq_error *reterr);
/* t: (n_sample) s. */
tq_status tq_static_check_push(tq_static_check *check, const tq_experiment_block *block,
                               const double *t, tq_error *reterr);
tq_status tq_static_check_end(tq_static_check *check, tq_error *reterr);

/* Results so far. */
tq_static_residual tq_static_check_of(const tq_static_check *check, size_t row);
tq_static_residual_payload tq_static_check_payload(const tq_static_check *check);

/* Normal equations of that payload: mass and three first moments about the link's origin, kg and
 * kg m, each of n equations over its deviation (friction anywhere in its band, and noise). */
typedef struct tq_static_equations {
    size_t n;
    double gram[16], right[4], left; /* left: sum of the squares of the right-hand sides */
} tq_static_equations;
tq_static_equations tq_static_check_equations(const tq_static_check *check);
/* Sets the link that carries the payload, the child of joint model->order[at]: before the first
 * pose. */
void tq_static_check_carrier(tq_static_check *check, uint32_t at);

/* Adds the findings of the static check to a verdict. */
void tq_static_check_judge(const tq_static_check *check, tq_verdict_report *report);

/* The sums and poses as bytes, between two recordings. */
void tq_static_check_archive(tq_static_check *check, tq_archive *archive);

#endif
