/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/linearize.h - linearisation of a plant, growth of errors along a run, and its
 * predictability. */
#ifndef TQ_STABILITY_LINEARIZE_H
#define TQ_STABILITY_LINEARIZE_H

#include <stdbool.h>

#include "core/motion/table.h"
#include "core/plant/plant.h"

enum { TQ_LINEAR_NV_MAX = 256 };

/* One state of a run. Flat rows, borrowed. */
typedef struct tq_run_point {
    double t;
    const double *q, *qd, *qdd; /* (nq), (nv), (nv) */
    const double *z, *held;     /* of the plant's effects; NULL: none, or all zero */
    const double *wrench;       /* (6 n_wrench) as computed by the effects; NULL: none */
} tq_run_point;

/**
 * Linearise a plant at a state: dynamics of a small error (dq, dqd).
 *
 *     d/dt (dq, dqd) = [ -ad  E ; -M^-1 (K - dtau/dq)  -M^-1 (D - dtau/dqd) ] (dq, dqd)
 *
 * K and D are the derivatives of inverse dynamics at the state's acceleration, in closed form
 * (Coulomb friction: of either side); dtau is that of the effects: by central differences if
 * `is_closed`, else 0; of a joint with dry friction at rest by differences on one side, so that a
 * controller that makes up for that friction has its slope and not its jump. Auxiliary and held
 * values are constant. dq is a displacement in the child frame for joints with quaternions, and -ad
 * is due to the rotation of that frame.
 *
 * Shapes   ret_a (2 nv x 2 nv, row by row), ret_inverse (nv x nv): M^-1.
 * Memory   tq_linearise_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK; TQ_ERR_SHAPE "nv" above TQ_LINEAR_NV_MAX; TQ_ERR_SINGULAR "mass_matrix"; the
 *          status of tq_plant_rate.
 * Cost     O(nv^3); closed loop: 4 nv evaluations of the plant.
 * Source   core/dynamics/derivatives/derivatives.h.
 * Checked  tests/property/core/stability/test_linearize.c
 */
tq_status tq_linearise(const tq_plant *plant, const tq_run_point *at, bool is_closed,
                       tq_scratch *scratch, double *ret_a, double *ret_inverse, tq_error *reterr);
size_t tq_linearise_scratch_size(const tq_plant *plant);

/**
 * Linearise a constrained plant: small errors that satisfy the constraints.
 *
 * Errors are those of independent coordinates y and velocities w (tq_constraint_eliminate: of
 * the conditions on coordinates, and of all rows); the others are dependent. Accelerations are
 * differentiated by central differences, with all effects: the loop is open if no effect depends on
 * the state. Auxiliary and held values are constant.
 *
 * Shapes   ret_a ((n x n), row by row, n = *ret_n at most 2 nv).
 * Memory   tq_linearise_constrained_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK; TQ_ERR_SHAPE "joint" `index`: a quaternion; the status of tq_constrained_factor
 *          or tq_plant_rate.
 * Cost     About 4 nv evaluations of the plant.
 * Checked  tests/unit/api/operations/simulate/test_constrained_growth.c
 */
tq_status tq_linearise_constrained(const tq_plant *plant, const tq_run_point *at,
                                   tq_scratch *scratch, double *ret_a, size_t *ret_n,
                                   tq_error *reterr);
size_t tq_linearise_constrained_scratch_size(const tq_plant *plant);

/* The dominant mode (eigenvalue with the largest real part, the spectral abscissa). */
typedef struct tq_fastest_growth {
    double rate;      /* real part, 1/s: errors grow by exp(rate t); < 0: they decay */
    double frequency; /* imaginary part, rad/s; 0: without oscillation */
} tq_fastest_growth;

/* Dominant mode of a matrix from tq_linearise (n x n, row by row; destroyed). Memory
 * tq_fastest_growth_scratch_size(n). Returns TQ_OK, TQ_ERR_NO_CONVERGENCE, TQ_ERR_SCRATCH,
 * TQ_ERR_OVERFLOW "linearisation" if a number is not finite. */
tq_status tq_fastest_growth_of(size_t n, double *a, tq_scratch *scratch,
                               tq_fastest_growth *ret_growth, tq_error *reterr);
size_t tq_fastest_growth_scratch_size(size_t n);

/* The same for a sampled-data loop with zero-order hold of the torque for h = `sample_time`: x+ =
 * (exp(A h) + integral of exp(A s) ds (B - A)) x with A the open-loop and B the closed-loop matrix;
 * its eigenvalue of largest modulus is exp((rate + i frequency) h). Both matrices are unchanged.
 * Memory tq_fastest_growth_sampled_scratch_size(n). */
tq_status tq_fastest_growth_sampled(size_t n, const double *open, const double *closed,
                                    double sample_time, tq_scratch *scratch,
                                    tq_fastest_growth *ret_growth, tq_error *reterr);
size_t tq_fastest_growth_sampled_scratch_size(size_t n);

/* Mean difference between a table's interpolation and the smooth torque from which the table was
 * sampled, over the interval that contains t, by differences of neighbouring points. ret_tau
 * (n_coordinate). */
void tq_table_error_at(const tq_table *table, double t, double *ret_tau);

/* Sources of error. */
typedef enum tq_error_source {
    TQ_ERROR_INTEGRATOR, /* a tolerance in every direction, at the start and at every point */
    TQ_ERROR_INPUT,      /* interpolation error of a torque table */
    TQ_ERROR_MODEL,      /* torque missing in the model */
    TQ_ERROR_SOURCES,
} tq_error_source;

/* Linearisation at one time of a run. Borrowed. */
typedef struct tq_error_propagation_place {
    double t;             /* s */
    const double *matrix; /* (2 nv x 2 nv, row by row), of tq_linearise */
    const double *push;   /* forcing (2 x nv): M^-1 times the torque error of input and of model */
} tq_error_propagation_place;

/* Errors propagated along a run by its linearisations. The array is the caller's. */
typedef struct tq_error_propagation {
    size_t n_v;
    double *carried; /* (2 nv x (2 nv + 2), by columns): sensitivity to a unit error in each
                        direction, then the errors due to input and model */
    double t;        /* s, the present time */
    double gain;     /* amplification of a unit error since the start */
    bool is_lost;    /* too large for further propagation */
    double error[TQ_ERROR_SOURCES]; /* largest |dq| of a joint now, rad or m */
} tq_error_propagation;

/* Number of doubles in `carried`, in a matrix and in a push. */
size_t tq_error_propagation_carried(size_t n_v);
size_t tq_error_propagation_matrix(size_t n_v);

/* Starts with unit errors at t; n_v and carried are already set. */
void tq_error_propagation_begin(tq_error_propagation *trust, double t);

/**
 * Propagate the errors from at[0] to at[2]: dx' = A dx + (0, push), with A and push the parabolas
 * through the three places, by two terms of the Magnus expansion: order 4.
 *
 *     exp(h B0 + h^2 [B1, B0]),  B0 = int A ds,  B1 = int (s - 1/2) A ds over 0 <= s <= 1
 *
 * Places closer than a hundredth of the step, such as those of steps that end at a break, do not
 * determine a curvature: A is then piecewise linear.
 *
 * Memory   tq_error_propagation_scratch_size(n_v) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv^3): a matrix exponential of order 2 nv + 2.
 * Source   S. Blanes, F. Casas, J. Oteo, J. Ros, The Magnus expansion and some of its applications,
 *          Physics Reports 470, 2009, 5.4.
 * Checked  tests/property/core/stability/test_linearize.c
 */
tq_status tq_error_propagation_step(tq_error_propagation *trust,
                                    const tq_error_propagation_place at[3], double tolerance,
                                    tq_scratch *scratch, tq_error *reterr);
size_t tq_error_propagation_scratch_size(size_t n_v);

/* Local error of one step over at[0], at[2], at[4] against two steps over all five, relative to the
 * propagated errors: difference of the exponents, in units in which rates and coordinates have
 * equal size. INFINITY: a number is not finite, or the scratch is too small. Memory as
 * tq_error_propagation_step. */
double tq_error_propagation_miss(size_t n_v, const tq_error_propagation_place at[5],
                                 tq_scratch *scratch);

#endif
