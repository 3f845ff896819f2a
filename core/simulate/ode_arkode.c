/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/ode_arkode.c - Runge-Kutta methods of ARKODE: the only includer of its headers. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

#include "core/simulate/ode_sundials.h"
#include "core/simulate/ode_table.h"

typedef struct own {
    tq_sundials s;
    void *memory;
    ARKodeButcherTable table; /* its own, or one of those that are kept */
} own;

/* Those of the library, which writes to them before it looks whether it got memory for them. */
static ARKodeButcherTable kept_explicit, kept_implicit;

int tq_arkode_prepare(void)
{
    if (kept_explicit == NULL) {
        kept_explicit = ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
    }
    if (kept_implicit == NULL) {
        kept_implicit = ARKodeButcherTable_LoadDIRK(ARKODE_ESDIRK547L2SA2_7_4_5);
    }
    return kept_explicit != NULL && kept_implicit != NULL;
}

static int is_kept(ARKodeButcherTable table)
{
    return table == kept_explicit || table == kept_implicit;
}

/* Steps are chosen so that the estimated error is a tenth of what is allowed: errors of many steps
 * add up, and users read the tolerance as that of the result. Costs a fourth more steps at order 8.
 */
static const double error_bias = 10.0;

/* The long steps of order 8 spend all that they are allowed: they are allowed a tenth. */
static double share_of(tq_ode_method method)
{
    return method == TQ_ODE_DOPRI87 ? 0.1 : 1.0;
}

/* Newton's matrix I - h a J is factored anew when h changes by more than this part of it; by
 * default 0.2. The rate of convergence, by which iterates are accepted, is reset only then: with
 * the rate of an exact matrix the first iterate of one 20 % off passes, 1e-5 rad for a tolerance
 * of 1e-11. */
static const double same_matrix = 1e-9;

static int settle(realtype t, N_Vector y, void *data)
{
    tq_sundials *s = data;
    const tq_ode_problem *p = &s->ode->problem;
    const int outcome = p->settle(p->ctx, t, NV_DATA_S(y));
    s->gave_up |= outcome < 0;
    return outcome;
}

static void close_all(void *of)
{
    own *o = of;
    const int implicit = o->s.ode->method == TQ_ODE_SDIRK;
    if (o->memory != NULL && implicit) {
        ARKStepFree(&o->memory);
    } else if (o->memory != NULL) {
        ERKStepFree(&o->memory);
    }
    if (o->table != NULL && !is_kept(o->table)) {
        ARKodeButcherTable_Free(o->table);
    }
    tq_sundials_close(&o->s);
}

static ARKodeButcherTable table_of(tq_ode_method method)
{
    if (method == TQ_ODE_DOPRI45) {
        return kept_explicit != NULL ? kept_explicit
                                     : ARKodeButcherTable_LoadERK(ARKODE_DORMAND_PRINCE_7_4_5);
    }
    if (method == TQ_ODE_SDIRK) {
        return kept_implicit != NULL ? kept_implicit
                                     : ARKodeButcherTable_LoadDIRK(ARKODE_ESDIRK547L2SA2_7_4_5);
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
    const tq_ode_problem *p = &o->s.ode->problem;
    o->memory = ERKStepCreate(tq_sundials_rate, 0.0, o->s.y, o->s.context);
    o->table = table_of(o->s.ode->method);
    const double share = share_of(o->s.ode->method);
    N_VScale(share, o->s.atol, o->s.atol);
    return o->memory != NULL && o->table != NULL &&
           ERKStepSetErrHandlerFn(o->memory, tq_sundials_silent, NULL) == 0 &&
           ERKStepSetUserData(o->memory, &o->s) == 0 && ERKStepSetTable(o->memory, o->table) == 0 &&
           ERKStepSVtolerances(o->memory, share * p->rtol, o->s.atol) == 0 &&
           ERKStepSetErrorBias(o->memory, error_bias) == 0 &&
           ERKStepSetMaxNumSteps(o->memory, -1) == 0 &&
           ERKStepSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || ERKStepSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->settle == NULL || ERKStepSetPostprocessStepFn(o->memory, settle) == 0);
}

static int set_up_implicit(own *o)
{
    const tq_ode_problem *p = &o->s.ode->problem;
    o->memory = ARKStepCreate(NULL, tq_sundials_rate, 0.0, o->s.y, o->s.context);
    o->table = table_of(TQ_ODE_SDIRK);
    return o->memory != NULL && o->table != NULL &&
           ARKStepSetErrHandlerFn(o->memory, tq_sundials_silent, NULL) == 0 &&
           ARKStepSetUserData(o->memory, &o->s) == 0 &&
           ARKStepSetTables(o->memory, o->table->q, o->table->p, o->table, NULL) == 0 &&
           ARKStepSVtolerances(o->memory, p->rtol, o->s.atol) == 0 &&
           ARKStepSetLinearSolver(o->memory, o->s.solver, o->s.matrix) == 0 &&
           ARKStepSetDeltaGammaMax(o->memory, same_matrix) == 0 &&
           ARKStepSetMaxNumSteps(o->memory, -1) == 0 &&
           ARKStepSetMaxHnilWarns(o->memory, -1) == 0 &&
           (p->max_step == 0.0 || ARKStepSetMaxStep(o->memory, p->max_step) == 0) &&
           (p->settle == NULL || ARKStepSetPostprocessStepFn(o->memory, settle) == 0);
}

static void *open_all(tq_ode *ode)
{
    const int implicit = ode->method == TQ_ODE_SDIRK;
    own *o = tq_sundials_open(ode, sizeof *o, implicit);
    if (o != NULL && (!(implicit ? set_up_implicit(o) : set_up_explicit(o)) || o->s.is_short)) {
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
    const int failed = o->s.ode->method == TQ_ODE_SDIRK
                           ? ARKStepReInit(o->memory, NULL, tq_sundials_rate, t, o->s.y) != 0 ||
                                 ARKStepSetInitStep(o->memory, h) != 0
                           : ERKStepReInit(o->memory, tq_sundials_rate, t, o->s.y) != 0 ||
                                 ERKStepSetInitStep(o->memory, h) != 0;
    return failed || o->s.is_short ? TQ_ODE_NO_MEMORY : TQ_ODE_DONE;
}

static int step(void *of, double stop, double *ret_t, double *ret_y, double *ret_next)
{
    own *o = of;
    const int implicit = o->s.ode->method == TQ_ODE_SDIRK;
    const int code = implicit ? ARKStepSetStopTime(o->memory, stop) != 0
                                    ? ARK_MEM_FAIL
                                    : ARKStepEvolve(o->memory, stop, o->s.y, ret_t, ARK_ONE_STEP)
                     : ERKStepSetStopTime(o->memory, stop) != 0
                         ? ARK_MEM_FAIL
                         : ERKStepEvolve(o->memory, stop, o->s.y, ret_t, ARK_ONE_STEP);
    if (o->s.is_short) {
        return TQ_ODE_NO_MEMORY;
    }
    if (code < 0) {
        return code == ARK_MEM_FAIL ? TQ_ODE_NO_MEMORY
               : o->s.gave_up       ? TQ_ODE_GAVE_UP
                                    : TQ_ODE_TOO_SMALL;
    }
    (void)(implicit ? ARKStepGetCurrentStep(o->memory, ret_next)
                    : ERKStepGetCurrentStep(o->memory, ret_next));
    if (code == ARK_TSTOP_RETURN) {
        *ret_t = stop;
    }
    for (size_t k = 0; k < o->s.ode->problem.n; k++) {
        ret_y[k] = o->s.ode->y[k];
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
    if (o->s.ode->method == TQ_ODE_SDIRK) {
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
