/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/ode_cvode.c - backward differentiation by CVODE: the only includer of its header.
 */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "core/simulate/ode_method.h"

/* As in ode_arkode.c: lives in a vector of the library. */
typedef struct own {
    tq_ode *ode;
    SUNContext context;
    N_Vector home;
    N_Vector y, atol, inside;
    void *memory;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    int gave_up;
} own;

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is the library's */
static void silent(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)data;
}

static int rate(realtype t, N_Vector y, N_Vector ydot, void *data)
{
    own *o = data;
    const tq_ode_problem *p = &o->ode->problem;
    const int outcome = p->rate(p->ctx, t, NV_DATA_S(y), NV_DATA_S(ydot));
    o->gave_up |= outcome < 0;
    return outcome;
}

/* the correction that settles y; the library adds it */
static int project(realtype t, N_Vector y, N_Vector correction, realtype eps, N_Vector err,
                   void *data)
{
    (void)eps;
    (void)err;
    own *o = data;
    const tq_ode_problem *p = &o->ode->problem;
    double *from = NV_DATA_S(y);
    double *to = NV_DATA_S(correction);
    for (size_t k = 0; k < p->n; k++) {
        to[k] = from[k];
    }
    const int outcome = p->settle(p->ctx, t, to);
    for (size_t k = 0; k < p->n; k++) {
        to[k] -= from[k];
    }
    o->gave_up |= outcome < 0;
    return outcome;
}

static void close_all(void *of)
{
    own *o = of;
    SUNContext context = o->context;
    if (o->memory != NULL) {
        CVodeFree(&o->memory);
    }
    if (o->solver != NULL) {
        SUNLinSolFree(o->solver);
    }
    if (o->matrix != NULL) {
        SUNMatDestroy(o->matrix);
    }
    N_Vector vectors[] = {o->y, o->atol, o->inside, o->home};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        if (vectors[k] != NULL) {
            N_VDestroy(vectors[k]);
        }
    }
    SUNContext_Free(&context);
}

static int set_up(own *o)
{
    const tq_ode_problem *p = &o->ode->problem;
    const sunindextype n = (sunindextype)p->n;
    o->memory = CVodeCreate(CV_BDF, o->context);
    o->matrix = SUNDenseMatrix(n, n, o->context);
    if (o->memory == NULL || o->matrix == NULL) {
        return 0;
    }
    o->solver = SUNLinSol_Dense(o->y, o->matrix, o->context);
    return o->solver != NULL && CVodeSetErrHandlerFn(o->memory, silent, NULL) == 0 &&
           CVodeInit(o->memory, rate, 0.0, o->y) == 0 && CVodeSetUserData(o->memory, o) == 0 &&
           CVodeSVtolerances(o->memory, p->rtol, o->atol) == 0 &&
           CVodeSetLinearSolver(o->memory, o->solver, o->matrix) == 0 &&
           CVodeSetMaxNumSteps(o->memory, -1) == 0 && CVodeSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || CVodeSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->settle == NULL || (CVodeSetProjFn(o->memory, project) == 0 &&
                                  CVodeSetProjErrEst(o->memory, SUNFALSE) == 0));
}

static void *open_all(tq_ode *ode)
{
    const sunindextype n = (sunindextype)ode->problem.n;
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0) {
        return NULL;
    }
    N_Vector home = N_VNew_Serial((sunindextype)(sizeof(own) / sizeof(double) + 1), context);
    if (home == NULL) {
        SUNContext_Free(&context);
        return NULL;
    }
    own *o = (own *)(void *)NV_DATA_S(home);
    *o = (own){.ode = ode, .context = context, .home = home};
    o->y = N_VMake_Serial(n, ode->y, context);
    o->atol = N_VMake_Serial(n, ode->atol, context);
    o->inside = N_VNew_Serial(n, context);
    if (o->y != NULL) { /* sums of many vectors in one pass; clones inherit it */
        (void)N_VEnableFusedOps_Serial(o->y, SUNTRUE);
    }
    if (o->y == NULL || o->atol == NULL || o->inside == NULL || !set_up(o)) {
        close_all(o);
        return NULL;
    }
    return o;
}

static int start(void *of, double t, const double *y, double h)
{
    own *o = of;
    for (size_t k = 0; k < o->ode->problem.n; k++) {
        o->ode->y[k] = y[k];
    }
    o->gave_up = 0;
    return CVodeReInit(o->memory, t, o->y) != 0 || CVodeSetInitStep(o->memory, h) != 0
               ? TQ_ODE_NO_MEMORY
               : TQ_ODE_DONE;
}

static int step(void *of, double stop, double *ret_t, double *ret_y, double *ret_next)
{
    own *o = of;
    const int code = CVodeSetStopTime(o->memory, stop) != 0
                         ? CV_MEM_FAIL
                         : CVode(o->memory, stop, o->y, ret_t, CV_ONE_STEP);
    if (code < 0) {
        return code == CV_MEM_FAIL ? TQ_ODE_NO_MEMORY
               : o->gave_up        ? TQ_ODE_GAVE_UP
                                   : TQ_ODE_TOO_SMALL;
    }
    (void)CVodeGetCurrentStep(o->memory, ret_next);
    if (code == CV_TSTOP_RETURN) {
        *ret_t = stop;
    }
    for (size_t k = 0; k < o->ode->problem.n; k++) {
        ret_y[k] = o->ode->y[k];
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
    for (size_t k = 0; k < o->ode->problem.n; k++) {
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
