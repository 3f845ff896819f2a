/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/error_growth.h - a run linearised at its points: private to error_growth
   and error_propagation. */
#ifndef TQA_OPERATIONS_SIMULATE_ERROR_GROWTH_H
#define TQA_OPERATIONS_SIMULATE_ERROR_GROWTH_H

#include "api/operations/simulate/simulate.h"

#define TQA_ERROR_PROPAGATION_SLOW                                                                 \
    1e-3 /* 1/s: slower growth than this is rounding of eigenvalues */

typedef struct tqa_error_propagation_room {
    double *a, *copy, *inverse, *push, *tau, *zeros;
    tq_effect *effects;
    tq_controller twin;
    tq_operational_controller twin_in_space;
    tq_scratch scratch;
} tqa_error_propagation_room;

/* The fastest mode at point k. */
tq_status tqa_error_propagation_at(tqa_simulation *s, const tq_plant *plant,
                                   tqa_error_propagation_room *r, size_t k, tq_fastest_growth *ret,
                                   tq_error *reterr);

/* Matrix and forcing (tq_error_propagation_matrix and 2 nv numbers) at point k. */
tq_status tqa_error_propagation_linearise(tqa_simulation *s, const tq_plant *plant,
                                          tqa_error_propagation_room *r, size_t k,
                                          double *ret_matrix, double *ret_push, tq_error *reterr);

/* error of a step of an adaptive method, rad or m by row; 0: steps of one size. */
double tqa_error_propagation_tolerance(const tqa_simulation *s);

/* Propagates errors from the first point to the last: s->judge.grown. False: the problem is set. */
bool tqa_error_propagation_carry(tqa_simulation *s, const tq_plant *plant,
                                 tqa_error_propagation_room *r);

#endif
