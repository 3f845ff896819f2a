/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_cvode.c - backward differentiation formulae by CVODE: the only file that
 * includes its header. */
#include <cvode/cvode.h>

#include "core/integrate/ode_sundials.h"

typedef struct own {
    tq_sundials s;
    N_Vector inside;
    void *memory;
} own;

/* the correction that projects y; the library adds it */
static int project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype eps, N_Vector err,
                   void *data)
{
    (void)eps;
    (void)err;
    tq_sundials *s = data;
    const tq_ode_problem *p = &s->ode->problem;
    double *from = NV_DATA_S(y);
    double *to = NV_DATA_S(correction);
    for (size_t k = 0; k < p->n; k++) {
        to[k] = from[k];
    }
    const int outcome = p->project(p->ctx, t, to);
    for (size_t k = 0; k < p->n; k++) {
        to[k] -= from[k];
    }
    s->gave_up |= outcome < 0;
    return outcome;
}

static void close_all(void *of)
{
    own *o = of;
    if (o->memory != NULL) {
        CVodeFree(&o->memory);
    }
    if (o->inside != NULL) {
        N_VDestroy(o->inside);
    }
    tq_sundials_close(&o->s);
}

static int set_up(own *o)
{
    const tq_ode_problem *p = &o->s.ode->problem;
    o->memory = CVodeCreate(CV_BDF, o->s.context);
    return o->memory != NULL && TQ_SUNDIALS_SILENCE(CVode, o->memory) &&
           CVodeInit(o->memory, tq_sundials_rate, 0.0, o->s.y) == 0 &&
           CVodeSetUserData(o->memory, &o->s) == 0 &&
           CVodeSVtolerances(o->memory, p->rtol, o->s.atol) == 0 &&
           CVodeSetLinearSolver(o->memory, o->s.solver, o->s.matrix) == 0 &&
           CVodeSetMaxNumSteps(o->memory, -1) == 0 && CVodeSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || CVodeSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->project == NULL || (CVodeSetProjFn(o->memory, project) == 0 &&
                                   CVodeSetProjErrEst(o->memory, SUNFALSE) == 0));
}

static void *open_all(tq_ode *ode)
{
    own *o = tq_sundials_open(ode, sizeof *o, 1);
    if (o == NULL) {
        return NULL;
    }
    o->inside = N_VClone(o->s.y);
    if (!set_up(o) || o->s.is_short) {
        close_all(o);
        return NULL;
    }
    return o;
}

static int start(void *of, double t, const double *y, double h)
{
    own *o = of;
    for (size_t k = 0; k < o->s.ode->problem.n; k++) {
        o->s.ode->y[k] = y[k];
    }
    o->s.gave_up = 0;
    return CVodeReInit(o->memory, t, o->s.y) != 0 || CVodeSetInitStep(o->memory, h) != 0 ||
                   o->s.is_short
               ? TQ_ODE_NO_MEMORY
               : TQ_ODE_DONE;
}

static int step(void *of, double stop, double *ret_t, double *ret_y, double *ret_next)
{
    own *o = of;
    const int code = CVodeSetStopTime(o->memory, stop) != 0
                         ? CV_MEM_FAIL
                         : CVode(o->memory, stop, o->s.y, ret_t, CV_ONE_STEP);
    if (o->s.is_short) {
        return TQ_ODE_NO_MEMORY;
    }
    if (code < 0) {
        return code == CV_MEM_FAIL ? TQ_ODE_NO_MEMORY
               : o->s.gave_up      ? TQ_ODE_GAVE_UP
                                   : TQ_ODE_TOO_SMALL;
    }
    (void)CVodeGetCurrentStep(o->memory, ret_next);
    if (code == CV_TSTOP_RETURN) {
        *ret_t = stop;
    }
    for (size_t k = 0; k < o->s.ode->problem.n; k++) {
        ret_y[k] = o->s.ode->y[k];
    }
    return TQ_ODE_DONE;
}

static int at(void *of, double t, double *ret_y)
{
    own *o = of;
    if (CVodeGetDky(o->memory, t, 0, o->inside) != 0) {
        return 1;
    }
    const double *y = NV_DATA_S(o->inside);
    for (size_t k = 0; k < o->s.ode->problem.n; k++) {
        ret_y[k] = y[k];
    }
    return 0;
}

static void count(void *of, tq_ode_stats *ret)
{
    own *o = of;
    long steps = 0;
    long errors = 0;
    long evaluations = 0;
    long inside = 0;
    long stalls = 0;
    (void)CVodeGetNumSteps(o->memory, &steps);
    (void)CVodeGetNumErrTestFails(o->memory, &errors);
    (void)CVodeGetNumStepSolveFails(o->memory, &stalls);
    (void)CVodeGetNumRhsEvals(o->memory, &evaluations);
    (void)CVodeGetNumLinRhsEvals(o->memory, &inside);
    *ret = (tq_ode_stats){.n_step = (uint64_t)steps,
                          .n_rejected = (uint64_t)(errors + stalls),
                          .n_evaluation = (uint64_t)(evaluations + inside)};
}

const tq_ode_library tq_ode_cvode = {
    .open = open_all, .close = close_all, .start = start, .step = step, .at = at, .count = count};
