/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/error_growth_private.h - a run linearised at its points: private to error_growth
 * and error_stretches. */
#ifndef TQ_STABILITY_ERROR_GROWTH_PRIVATE_H
#define TQ_STABILITY_ERROR_GROWTH_PRIVATE_H

#include "core/stability/error_growth.h"

/* Places of the linearisation in memory: a stretch, its middle, and two more each time that one is
 * halved, log2 of 64 points deep. */
enum { TQ_ERROR_PLACES_MAX = 3 + 2 * 6 + 1 };

/* Matrix and forcing (tq_error_propagation_matrix and 2 nv numbers) at point k. */
tq_status tq_error_run_linearise(const tq_error_run *run, size_t k, tq_scratch *scratch,
                                 double *ret_matrix, double *ret_push, tq_error *reterr);

/* From the first point to the last. As tq_error_growth_compute. */
tq_status tq_error_run_propagate(const tq_error_run *run, tq_scratch *scratch, tq_error_growth *ret,
                                 tq_error *reterr);

static inline size_t tq_error_run_nv(const tq_error_run *run)
{
    return tq_mechanism_model(run->plant->mechanism)->nv;
}

static inline double tq_error_run_time(const tq_error_run *run, size_t k)
{
    return run->points[k * run->width];
}

#endif
