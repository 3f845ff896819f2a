/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode.h - adaptive integrators of a system y' = f(t, y), by SUNDIALS. */
#ifndef TQ_INTEGRATE_ODE_H
#define TQ_INTEGRATE_ODE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

typedef enum tq_ode_method {
    TQ_ODE_DOPRI45, /* Dormand & Prince 5(4), 7 stages, explicit */
    TQ_ODE_DOPRI87, /* Prince & Dormand 8(7), 13 stages, explicit */
    TQ_ODE_SDIRK,   /* ESDIRK5(4)7L[2]SA2 of Kennedy & Carpenter: implicit, L-stable */
    TQ_ODE_BDF,     /* backward differentiation formulae, order 1 to 5: implicit, multistep */
} tq_ode_method;

/* The initial value problem. Borrowed until tq_ode_close. */
typedef struct tq_ode_problem {
    size_t n; /* 1 .. TQ_ODE_MAX, for implicit methods .. TQ_ODE_IMPLICIT_MAX */
    /* Writes ret_rate (n). 0: success; > 0: undefined here, a shorter step may succeed; < 0:
     * unrecoverable. */
    int (*rate)(void *ctx, double t, const double *y, double *ret_rate);
    /* Projects y after a step; NULL: no projection. Result as rate. */
    int (*project)(void *ctx, double t, double *y);
    void *ctx;
    double rtol;
    const double *atol; /* (n) */
    double max_step;    /* s; 0: none */
} tq_ode_problem;

enum { TQ_ODE_MAX = 1 << 20, TQ_ODE_IMPLICIT_MAX = 2048 };

typedef struct tq_ode_stats {
    uint64_t n_step, n_rejected, n_evaluation;
} tq_ode_stats;

typedef struct tq_ode tq_ode;

/**
 * Open an integrator.
 *
 * Memory   The integrator is in `scratch`, tq_ode_scratch_size bytes, until it is closed; the
 *          library allocates its own vectors at this point, and never prints.
 * Returns  TQ_OK, TQ_ERR_SHAPE "n" (too large), TQ_ERR_SCRATCH, TQ_ERR_MEMORY (allocation in the
 *          library failed; also from tq_ode_start and tq_ode_step).
 * Source   A. Hindmarsh et al., SUNDIALS, ACM TOMS 31(3), 2005.
 * Checked  tests/property/core/integrate/test_ode.c
 */
tq_status tq_ode_open(const tq_ode_problem *problem, tq_ode_method method, tq_scratch *scratch,
                      tq_ode **ret, tq_error *reterr);
size_t tq_ode_scratch_size(size_t n);
void tq_ode_close(tq_ode *ode);

/* Restarts at t and y without history except the size h of the first step (0: estimated). The same
 * call gives the same bits from then on, independent of earlier steps. */
tq_status tq_ode_start(tq_ode *ode, double t, const double *y, double h, tq_error *reterr);

/**
 * Take one step, no further than `stop`.
 *
 * Returns  TQ_OK: *ret_t (== stop exactly if it was reached) and ret_y (n); else the last state
 *          reached
 *          TQ_ERR_NO_CONVERGENCE  "step": the step required by the tolerance underflows relative
 *                                 to t; value = t
 *          TQ_ERR_SINGULAR        "rate": the rate failed unrecoverably; value = t
 */
tq_status tq_ode_step(tq_ode *ode, double stop, double *ret_t, double *ret_y, tq_error *reterr);

/* Size of the next step, without regard to a stop. */
double tq_ode_next_step(const tq_ode *ode);

/* Dense output: y within the last step, to the order of the method; TQ_ODE_BDF only. */
tq_status tq_ode_at(tq_ode *ode, double t, double *ret_y);

/* Counted since tq_ode_open. */
tq_ode_stats tq_ode_count(const tq_ode *ode);

#endif
