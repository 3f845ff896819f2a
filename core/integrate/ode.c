/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode.c - common interface to the integrators of SUNDIALS. */
#include "core/integrate/ode.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/integrate/ode_private.h"

size_t tq_ode_scratch_size(size_t n)
{
    return tq_scratch_cost(1, sizeof(tq_ode)) + 2 * tq_scratch_cost(n + 1, sizeof(double));
}

static int is_implicit(tq_ode_method method)
{
    return method == TQ_ODE_SDIRK || method == TQ_ODE_BDF;
}

tq_status tq_ode_open(const tq_ode_problem *problem, tq_ode_method method, tq_scratch *scratch,
                      tq_ode **ret, tq_error *reterr)
{
    assert(problem->rate != NULL && problem->rtol > 0.0 && problem->atol != NULL);
    const size_t n = problem->n;
    if (n == 0 || n > (is_implicit(method) ? TQ_ODE_IMPLICIT_MAX : TQ_ODE_MAX)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n", 0, (double)n);
    }
    const size_t mark = tq_scratch_mark(scratch);
    tq_ode *ode = tq_scratch_take(scratch, 1, sizeof *ode);
    /* one more element each: the vector's owner (ode_sundials.c) */
    double *y = tq_scratch_take(scratch, n + 1, sizeof *y);
    double *atol = tq_scratch_take(scratch, n + 1, sizeof *atol);
    if (ode != NULL && y != NULL && atol != NULL) {
        *ode = (tq_ode){.problem = *problem,
                        .method = method,
                        .library = method == TQ_ODE_BDF ? &tq_ode_cvode : &tq_ode_arkode,
                        .y = y,
                        .atol = atol};
        memset(y, 0, n * sizeof *y);
        memcpy(atol, problem->atol, n * sizeof *atol);
        ode->own = ode->library->open(ode);
    }
    if (ode == NULL || y == NULL || atol == NULL || ode->own == NULL) {
        const int short_of_scratch = ode == NULL || y == NULL || atol == NULL;
        tq_scratch_rewind(scratch, mark);
        if (!short_of_scratch) {
            return tq_fail(reterr, TQ_ERR_MEMORY, "integrator", 0, (double)n);
        }
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_ode_scratch_size(n));
    }
    *ret = ode;
    return TQ_OK;
}

void tq_ode_close(tq_ode *ode)
{
    if (ode != NULL && ode->own != NULL) {
        ode->library->close(ode->own);
        ode->own = NULL;
    }
}

static tq_status status_of(const tq_ode *ode, int outcome, tq_error *reterr)
{
    switch (outcome) {
    case TQ_ODE_DONE:
        return TQ_OK;
    case TQ_ODE_TOO_SMALL:
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "step", 0, ode->t);
    case TQ_ODE_NO_MEMORY:
        return tq_fail(reterr, TQ_ERR_MEMORY, "integrator", 0, (double)ode->problem.n);
    default:
        return tq_fail(reterr, TQ_ERR_SINGULAR, "rate", 0, ode->t);
    }
}

tq_status tq_ode_start(tq_ode *ode, double t, const double *y, double h, tq_error *reterr)
{
    const tq_ode_stats now = tq_ode_count(ode);
    ode->t = t;
    ode->next = h;
    const int outcome = ode->library->start(ode->own, t, y, h);
    ode->before = now;
    return status_of(ode, outcome, reterr);
}

tq_status tq_ode_step(tq_ode *ode, double stop, double *ret_t, double *ret_y, tq_error *reterr)
{
    assert(stop > ode->t);
    double next = ode->next;
    double t = ode->t;
    const int outcome = ode->library->step(ode->own, stop, &t, ret_y, &next);
    if (outcome == TQ_ODE_DONE) {
        /* a step shortened by the stop does not reduce the next one */
        ode->next = t == stop ? fmax(next, ode->next) : next;
        ode->t = t;
    }
    *ret_t = ode->t;
    return status_of(ode, outcome, reterr);
}

double tq_ode_next_step(const tq_ode *ode)
{
    return ode->next;
}

tq_status tq_ode_at(tq_ode *ode, double t, double *ret_y)
{
    assert(ode->library->at != NULL);
    return ode->library->at(ode->own, t, ret_y) == 0 ? TQ_OK : TQ_ERR_RANGE;
}

tq_ode_stats tq_ode_count(const tq_ode *ode)
{
    tq_ode_stats now = {0};
    ode->library->count(ode->own, &now);
    now.n_step += ode->before.n_step;
    now.n_rejected += ode->before.n_rejected;
    now.n_evaluation += ode->before.n_evaluation;
    return now;
}
