/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/error_growth.h - how errors grow along a run that is known at points, and how long
 * it can be trusted. */
#ifndef TQ_STABILITY_ERROR_GROWTH_H
#define TQ_STABILITY_ERROR_GROWTH_H

#include "core/stability/linearize.h"

#define TQ_ERROR_GROWTH_SLOW 1e-3 /* 1/s: slower growth is rounding of eigenvalues */

/* A run at its points, and what is known of its errors. Borrowed. */
typedef struct tq_error_run {
    const tq_plant
        *plant;           /* as it is linearised: without audit; controllers that are not sampled */
    bool is_closed;       /* torque depends on the state */
    double sample_time;   /* s of a sampled controller (zero-order hold); 0: continuous */
    size_t n;             /* points */
    const double *points; /* (n x width): t, q, qd, qdd, wrench (6 n_wrench), in order of time */
    size_t width;
    bool is_adaptive;      /* points are steps of a method that chooses them by the motion */
    double duration;       /* s */
    const tq_table *table; /* torque of the input, whose interpolation errs; NULL: none */
    double uncertainty;    /* relative error of the model's inertial parameters; 0: none known */
    double step_error;     /* error of a step, rad or m; 0: not known */
    double tolerated;      /* rad or m of a joint: more is too much */
} tq_error_run;

typedef struct tq_error_growth {
    bool is_known;  /* false: the equations have no unique solution at the first point */
    bool is_coarse; /* places were too few to propagate errors over them: horizons are none */
    tq_fastest_growth start,
        fastest;                    /* at the first point; the fastest of all that were computed */
    double fastest_at;              /* s */
    double gain;                    /* amplification of a unit error from start to end */
    bool is_lost;                   /* errors became too large for further propagation */
    double error[TQ_ERROR_SOURCES]; /* at the end: largest |dq| of a joint, rad or m */
    double horizon[TQ_ERROR_SOURCES]; /* s at which that exceeds `tolerated`; INFINITY: not within
                                         1000 durations */
} tq_error_growth;

/**
 * Propagate errors along a run from its first point to its last.
 *
 * A stretch of 16 points (64 of a method of equal steps, many to a swing) is gone over in one step
 * of tq_error_propagation_step, with the plant linearised at its ends and its middle; it is halved
 * while one step over it and two differ by more than 3e-4 of the errors
 * (tq_error_propagation_miss). At most 1.5e9 multiplications are spent on linearisations: every
 * point of an arm of 7 joints, some 500 of 20, 68 of 40. Where stretches would have to be shorter
 * by 1e-2 or more, the run is_coarse.
 *
 * Forcing of a source is M^-1 times its torque: of the input tq_table_error_at, of the model
 * `uncertainty` times the inertial torque (without friction, springs, rotors). Horizons are between
 * points exponential,
 *
 *     t = t0 + (t1 - t0) ln(tolerated / e0) / ln(e1 / e0),
 *
 * beyond the end errors go on growing by the rate of the fastest mode there. With constraints only
 * growth rates are computed: errors that violate them are removed by projection.
 *
 * Units    s, rad, m.
 * Memory   tq_error_growth_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK, also when the linearisation fails on the way: *ret is then as far as it went;
 *          TQ_ERR_SCRATCH; TQ_ERR_STOPPED.
 * Cost     A tq_linearise for each place, a matrix exponential of order 2 nv + 2 for each step, the
 *          eigenvalues of 64 places at most.
 * Source   core/stability/linearize.h; E. Ott, Chaos in Dynamical Systems, 2002, 4.4 (horizon of
 *          predictability).
 * Checked  tests/property/core/stability/test_error_growth.c,
 *          tests/unit/api/operations/simulate/test_verdict.c
 */
tq_status tq_error_growth_compute(const tq_error_run *run, tq_scratch *scratch,
                                  tq_error_growth *ret, tq_error *reterr);

/* The fastest mode at point k: of the loop, of its sampled form (tq_fastest_growth_sampled), or of
 * the motions that satisfy the constraints. Memory as above. Returns as tq_linearise,
 * tq_linearise_constrained and tq_fastest_growth_of. */
tq_status tq_error_growth_at(const tq_error_run *run, size_t k, tq_scratch *scratch,
                             tq_fastest_growth *ret, tq_error *reterr);
size_t tq_error_growth_scratch_size(const tq_plant *plant);

#endif
