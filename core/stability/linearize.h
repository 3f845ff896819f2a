/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/linearize.h - how fast errors of a run grow, and how long it can be trusted. */
#ifndef TQ_STABILITY_LINEARIZE_H
#define TQ_STABILITY_LINEARIZE_H

#include <stdbool.h>

#include "core/motion/table.h"
#include "core/plant/plant.h"

enum { TQ_LINEAR_NV_MAX = 256 };

/* One state of a run. Rows of one number each, borrowed. */
typedef struct tq_run_point {
    double t;
    const double *q, *qd, *qdd; /* (nq), (nv), (nv) */
    const double *z, *held;     /* of the plant's effects; NULL: none, or all zero */
    const double *wrench;       /* (6 n_wrench) as the effects gave it; NULL: none */
} tq_run_point;

/**
 * Linearise a plant at a state: how a small error (dq, dqd) changes.
 *
 *     d/dt (dq, dqd) = [ -ad  E ; -M^-1 (K - dtau/dq)  -M^-1 (D - dtau/dqd) ] (dq, dqd)
 *
 * K and D are the derivatives of inverse dynamics at the state's acceleration, in closed form
 * (Coulomb friction: of either side); dtau is that of the effects: by central differences where
 * `is_closed`, else none. Auxiliary and held values stay as they are. dq is a displacement in the
 * child frame where a joint has a quaternion, and -ad the turning of that frame.
 *
 * Shapes   ret_a (2 nv x 2 nv, row by row), ret_inverse (nv x nv): M^-1.
 * Memory   tq_linearise_scratch_size(plant) bytes of `scratch`, all given back.
 * Returns  TQ_OK; TQ_ERR_SHAPE "nv" above TQ_LINEAR_NV_MAX; TQ_ERR_SINGULAR "mass_matrix"; what
 *          tq_plant_rate says.
 * Cost     O(nv^3); where closed 4 nv evaluations of the plant.
 * Source   core/dynamics/derivatives/derivatives.h.
 * Checked  tests/property/core/stability/test_linearize.c
 */
tq_status tq_linearise(const tq_plant *plant, const tq_run_point *at, bool is_closed,
                       tq_scratch *scratch, double *ret_a, double *ret_inverse, tq_error *reterr);
size_t tq_linearise_scratch_size(const tq_plant *plant);

/**
 * Linearise a plant with constraints on them: small errors that satisfy the constraints too.
 *
 * The errors are those of independent coordinates y and velocities w (tq_constraint_eliminate: of
 * the conditions on coordinates, and of all rows); all others follow. Accelerations are
 * differentiated by central differences, effects and all: the loop is open where no effect looks at
 * the state. Auxiliary and held values stay as they are.
 *
 * Shapes   ret_a ((n x n), row by row, n = *ret_n at most 2 nv).
 * Memory   tq_linearise_constrained_scratch_size(plant) bytes of `scratch`, all given back.
 * Returns  TQ_OK; TQ_ERR_SHAPE "joint" `index`: a quaternion; what tq_constrained_factor and
 *          tq_plant_rate say.
 * Cost     Of the order of 4 nv evaluations of the plant.
 * Checked  tests/unit/api/operations/simulate/test_constrained_growth.c
 */
tq_status tq_linearise_constrained(const tq_plant *plant, const tq_run_point *at,
                                   tq_scratch *scratch, double *ret_a, size_t *ret_n,
                                   tq_error *reterr);
size_t tq_linearise_constrained_scratch_size(const tq_plant *plant);

/* The mode that grows fastest. */
typedef struct tq_fastest_growth {
    double rate;      /* 1/s: errors grow by exp(rate t); below 0 they die out */
    double frequency; /* rad/s at which they swing meanwhile; 0: they only grow */
} tq_fastest_growth;

/* Of a matrix from tq_linearise (n x n, row by row; it is destroyed). Memory
 * tq_fastest_growth_scratch_size(n). Returns TQ_OK, TQ_ERR_NO_CONVERGENCE, TQ_ERR_SCRATCH,
 * TQ_ERR_OVERFLOW
 * "linearisation" when a number is not finite. */
tq_status tq_fastest_growth_of(size_t n, double *a, tq_scratch *scratch,
                               tq_fastest_growth *ret_growth, tq_error *reterr);
size_t tq_fastest_growth_scratch_size(size_t n);

/* The same for a loop that is closed at samples only: the torque of a sample is held for
 * `sample_time`, so x+ = (exp(A h) + integral of exp(A s) ds (B - A)) x with A the open and B the
 * closed matrix, and its largest eigenvalue is exp((rate + i frequency) h). Neither is destroyed.
 * Memory tq_fastest_growth_sampled_scratch_size(n). */
tq_status tq_fastest_growth_sampled(size_t n, const double *open, const double *closed,
                                    double sample_time, tq_scratch *scratch,
                                    tq_fastest_growth *ret_growth, tq_error *reterr);
size_t tq_fastest_growth_sampled_scratch_size(size_t n);

/* Torque by which a table misses the smooth function that it was sampled from, on average over the
 * stretch that holds t: by the differences of its neighbours. ret_tau (n_coordinate). */
void tq_table_error_at(const tq_table *table, double t, double *ret_tau);

/* Where errors come from. */
typedef enum tq_error_source {
    TQ_ERROR_INTEGRATOR, /* a tolerance in every direction, from the start and anew at every point */
    TQ_ERROR_INPUT,      /* torque between the points of a table */
    TQ_ERROR_MODEL,      /* torque that the model misses */
    TQ_ERROR_SOURCES,
} tq_error_source;

/* One place of a run. Borrowed. */
typedef struct tq_error_propagation_place {
    double t;             /* s */
    const double *matrix; /* (2 nv x 2 nv, row by row), of tq_linearise */
    const double *push;   /* (2 x nv) M^-1 times the torque missed by input and model */
} tq_error_propagation_place;

/* Errors carried along a run by its linearisations. The array is the caller's. */
typedef struct tq_error_propagation {
    size_t n_v;
    double *carried; /* (2 nv x (2 nv + 2), by columns): a unit error in each direction, then those
                        of input and model */
    double t;        /* s, as far as they are carried */
    double gain;     /* amplification of a unit error since the start */
    bool is_lost;    /* too large to be carried on */
    double error[TQ_ERROR_SOURCES]; /* largest |dq| of a joint now, rad or m */
} tq_error_propagation;

/* Numbers in `carried`, in a matrix and in a push. */
size_t tq_error_propagation_carried(size_t n_v);
size_t tq_error_propagation_matrix(size_t n_v);

/* Unit errors at t; n_v and carried are there. */
void tq_error_propagation_begin(tq_error_propagation *trust, double t);

/**
 * Carry the errors on from at[0] to at[2]: dx' = A dx + (0, push), with A and push the parabolas
 * through the three places, by two terms of Magnus' series: of order 4.
 *
 *     exp(h B0 + h^2 [B1, B0]),  B0 = int A ds,  B1 = int (s - 1/2) A ds over 0 <= s <= 1
 *
 * Places within a hundredth of the step of each other, as steps that end at a break are, tell no
 * curvature: A is then straight from place to place.
 *
 * Memory   tq_error_propagation_scratch_size(n_v) bytes of `scratch`, all given back.
 * Returns  TQ_OK, TQ_ERR_SCRATCH.
 * Cost     O(nv^3): an exponential of order 2 nv + 2.
 * Source   S. Blanes, F. Casas, J. Oteo, J. Ros, The Magnus expansion and some of its applications,
 *          Physics Reports 470, 2009, 5.4.
 * Checked  tests/property/core/stability/test_linearize.c
 */
tq_status tq_error_propagation_step(tq_error_propagation *trust,
                                    const tq_error_propagation_place at[3], double tolerance,
                                    tq_scratch *scratch, tq_error *reterr);
size_t tq_error_propagation_scratch_size(size_t n_v);

/* By how much one step over at[0], at[2], at[4] misses two over all five, in parts of what is
 * carried: of the exponents, in units in which rates weigh as much as coordinates. INFINITY: a
 * number is not finite, or there is no room. Memory as tq_error_propagation_step. */
double tq_error_propagation_miss(size_t n_v, const tq_error_propagation_place at[5],
                                 tq_scratch *scratch);

#endif
