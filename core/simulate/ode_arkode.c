/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/ode_arkode.c - Runge-Kutta methods of ARKODE: the only includer of its headers. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "core/simulate/ode_method.h"
#include "core/simulate/ode_table.h"

/* What the library holds for one integrator. Its vector of user data points here, so it lives in
 * the library's own memory: one vector of doubles, large enough. */
typedef struct own {
    tq_ode *ode;
    SUNContext context;
    N_Vector home; /* holds this struct */
    N_Vector y, atol;
    void *memory;
    ARKodeButcherTable table;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    int gave_up;
} own;

/* Steps are chosen so that the estimated error is a tenth of what is allowed: errors of many steps
 * add up, and users read the tolerance as that of the result. Costs a fourth more steps at order 8.
 */
static const double error_bias = 10.0;

/* The long steps of order 8 spend all that they are allowed: they are allowed a tenth. */
static double share_of(tq_ode_method method)
{
    return method == TQ_ODE_DOPRI87 ? 0.1 : 1.0;
}

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

static int settle(realtype t, N_Vector y, void *data)
{
    own *o = data;
    const tq_ode_problem *p = &o->ode->problem;
    const int outcome = p->settle(p->ctx, t, NV_DATA_S(y));
    o->gave_up |= outcome < 0;
    return outcome;
}

static void close_all(void *of)
{
    own *o = of;
    const int implicit = o->ode->method == TQ_ODE_SDIRK;
    SUNContext context = o->context;
    if (o->memory != NULL && implicit) {
        ARKStepFree(&o->memory);
    } else if (o->memory != NULL) {
        ERKStepFree(&o->memory);
    }
    if (o->solver != NULL) {
        SUNLinSolFree(o->solver);
    }
    if (o->matrix != NULL) {
        SUNMatDestroy(o->matrix);
    }
    if (o->table != NULL) {
        ARKodeButcherTable_Free(o->table);
    }
    if (o->y != NULL) {
        N_VDestroy(o->y);
    }
    if (o->atol != NULL) {
        N_VDestroy(o->atol);
    }
    N_VDestroy(o->home);
    SUNContext_Free(&context);
}

static ARKodeButcherTable table_of(tq_ode_method method)
{
    if (method == TQ_ODE_DOPRI45) {
        return ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
    }
    enum { N = TQ_DOPRI87_STAGES };
    ARKodeButcherTable table = ARKodeButcherTable_Alloc(N, SUNTRUE);
    if (table != NULL) {
        table->q = 8;
        table->p = 7;
        for (size_t i = 0; i < N; i++) {
            table->c[i] = tq_dopri87_c[i];
            table->b[i] = tq_dopri87_b[i];
            table->d[i] = tq_dopri87_d[i];
            for (size_t j = 0; j < N; j++) {
                table->A[i][j] = tq_dopri87_a[N * i + j];
            }
        }
    }
    return table;
}

/* every refusal of a setter is a lack of memory: the arguments are ours */
static int set_up_explicit(own *o)
{
    const tq_ode_problem *p = &o->ode->problem;
    o->memory = ERKStepCreate(rate, 0.0, o->y, o->context);
    o->table = table_of(o->ode->method);
    const double share = share_of(o->ode->method);
    N_VScale(share, o->atol, o->atol);
    return o->memory != NULL && o->table != NULL &&
           ERKStepSetErrHandlerFn(o->memory, silent, NULL) == 0 &&
           ERKStepSetUserData(o->memory, o) == 0 && ERKStepSetTable(o->memory, o->table) == 0 &&
           ERKStepSVtolerances(o->memory, share * p->rtol, o->atol) == 0 &&
           ERKStepSetErrorBias(o->memory, error_bias) == 0 &&
           ERKStepSetMaxNumSteps(o->memory, -1) == 0 &&
           ERKStepSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || ERKStepSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->settle == NULL || ERKStepSetPostprocessStepFn(o->memory, settle) == 0);
}

static int set_up_implicit(own *o)
{
    const tq_ode_problem *p = &o->ode->problem;
    const sunindextype n = (sunindextype)p->n;
    o->memory = ARKStepCreate(NULL, rate, 0.0, o->y, o->context);
    o->matrix = SUNDenseMatrix(n, n, o->context);
    if (o->memory == NULL || o->matrix == NULL) {
        return 0;
    }
    o->solver = SUNLinSol_Dense(o->y, o->matrix, o->context);
    return o->solver != NULL && ARKStepSetErrHandlerFn(o->memory, silent, NULL) == 0 &&
           ARKStepSetUserData(o->memory, o) == 0 &&
           ARKStepSetTableNum(o->memory, ARKODE_ESDIRK547L2SA2_7_4_5, ARKODE_ERK_NONE) == 0 &&
           ARKStepSVtolerances(o->memory, p->rtol, o->atol) == 0 &&
           ARKStepSetLinearSolver(o->memory, o->solver, o->matrix) == 0 &&
           ARKStepSetMaxNumSteps(o->memory, -1) == 0 &&
           ARKStepSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || ARKStepSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->settle == NULL || ARKStepSetPostprocessStepFn(o->memory, settle) == 0);
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
    if (o->y != NULL) { /* sums of many vectors in one pass; clones inherit it */
        (void)N_VEnableFusedOps_Serial(o->y, SUNTRUE);
    }
    if (o->y == NULL || o->atol == NULL ||
        !(ode->method == TQ_ODE_SDIRK ? set_up_implicit(o) : set_up_explicit(o))) {
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
    const int failed =
        o->ode->method == TQ_ODE_SDIRK
            ? ARKStepReInit(o->memory, NULL, rate, t, o->y) != 0 ||
                  ARKStepSetInitStep(o->memory, h) != 0
            : ERKStepReInit(o->memory, rate, t, o->y) != 0 || ERKStepSetInitStep(o->memory, h) != 0;
    return failed ? TQ_ODE_NO_MEMORY : TQ_ODE_DONE;
}

static int step(void *of, double stop, double *ret_t, double *ret_y, double *ret_next)
{
    own *o = of;
    const int implicit = o->ode->method == TQ_ODE_SDIRK;
    const int code = implicit ? ARKStepSetStopTime(o->memory, stop) != 0
                                    ? ARK_MEM_FAIL
                                    : ARKStepEvolve(o->memory, stop, o->y, ret_t, ARK_ONE_STEP)
                     : ERKStepSetStopTime(o->memory, stop) != 0
                         ? ARK_MEM_FAIL
                         : ERKStepEvolve(o->memory, stop, o->y, ret_t, ARK_ONE_STEP);
    if (code < 0) {
        return code == ARK_MEM_FAIL ? TQ_ODE_NO_MEMORY
               : o->gave_up         ? TQ_ODE_GAVE_UP
                                    : TQ_ODE_TOO_SMALL;
    }
    (void)(implicit ? ARKStepGetCurrentStep(o->memory, ret_next)
                    : ERKStepGetCurrentStep(o->memory, ret_next));
    if (code == ARK_TSTOP_RETURN) {
        *ret_t = stop;
    }
    for (size_t k = 0; k < o->ode->problem.n; k++) {
        ret_y[k] = o->ode->y[k];
    }
    return TQ_ODE_DONE;
}

static void count(void *of, tq_ode_stats *ret)
{
    own *o = of;
    long steps = 0;
    long attempts = 0;
    long evaluations[2] = {0};
    long inside = 0;
    if (o->ode->method == TQ_ODE_SDIRK) {
        (void)ARKStepGetNumSteps(o->memory, &steps);
        (void)ARKStepGetNumStepAttempts(o->memory, &attempts);
        (void)ARKStepGetNumRhsEvals(o->memory, &evaluations[0], &evaluations[1]);
        (void)ARKStepGetNumLinRhsEvals(o->memory, &inside);
    } else {
        (void)ERKStepGetNumSteps(o->memory, &steps);
        (void)ERKStepGetNumStepAttempts(o->memory, &attempts);
        (void)ERKStepGetNumRhsEvals(o->memory, &evaluations[0]);
    }
    *ret = (tq_ode_stats){.n_step = (uint64_t)steps,
                          .n_rejected = (uint64_t)(attempts - steps),
                          .n_evaluation = (uint64_t)(evaluations[0] + evaluations[1] + inside)};
}

const tq_ode_library tq_ode_arkode = {
    .open = open_all, .close = close_all, .start = start, .step = step, .count = count};
