/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_arkode.c - Runge-Kutta methods of ARKODE: the only file that includes its
 * headers. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

#include "core/integrate/controller.h"
#include "core/integrate/ode_sundials.h"
#include "core/integrate/ode_table.h"

typedef struct own {
    tq_sundials s;
    void *memory;
    ARKodeButcherTable table; /* a table of this integrator, or a shared one */
    tq_ode_adapt adapt;
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNAdaptController controller;
#endif
} own;

static int is_implicit(const own *o)
{
    return o->s.ode->method == TQ_ODE_SDIRK;
}

/* A function of both kinds of method: one name since version 7. */
#if SUNDIALS_VERSION_MAJOR < 7
#define CALL(o, call, ...)                                                                         \
    (is_implicit(o) ? ARKStep##call((o)->memory, __VA_ARGS__)                                      \
                    : ERKStep##call((o)->memory, __VA_ARGS__))
#else
#define CALL(o, call, ...) ARKode##call((o)->memory, __VA_ARGS__)
#endif
/* a function of implicit methods only */
#if SUNDIALS_VERSION_MAJOR < 7
#define IMPLICIT(call) ARKStep##call
#else
#define IMPLICIT(call) ARKode##call
#endif

/* Shared copies of the library's tables: its loader writes to memory before it checks the
 * allocation. */
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

/* Order 8 takes long steps whose error is near the tolerance: they get a tenth of it. */
static double share_of(tq_ode_method method)
{
    return method == TQ_ODE_DOPRI87 ? 0.1 : 1.0;
}

/* Newton's matrix I - h a J is factored again when h changes by more than this fraction; the
 * library's default is 0.2. The estimated rate of convergence, by which iterates are accepted, is
 * reset only then: with the rate of an exact matrix, the first iterate with a matrix 20 % off would
 * be accepted, with 1e-5 rad error at a tolerance of 1e-11. */
static const double same_matrix = 1e-9;

static int project_step(sunrealtype t, N_Vector y, void *data)
{
    tq_sundials *s = data;
    const tq_ode_problem *p = &s->ode->problem;
    const int outcome = p->project(p->ctx, t, NV_DATA_S(y));
    s->gave_up |= outcome < 0;
    return outcome;
}

#if SUNDIALS_VERSION_MAJOR < 7
static void free_memory(own *o)
{
    if (is_implicit(o)) {
        ARKStepFree(&o->memory);
    } else {
        ERKStepFree(&o->memory);
    }
}

/* NOLINTNEXTLINE(readability-function-size): the type is the library's */
static int next_step(N_Vector y, sunrealtype t, sunrealtype h, sunrealtype h_before,
                     sunrealtype h_two_before, sunrealtype e, sunrealtype e_before,
                     sunrealtype e_two_before, int q, int p, sunrealtype *ret_h, void *data)
{
    (void)y;
    (void)t;
    (void)h_before;
    (void)h_two_before;
    (void)q;
    const double errors[] = {e, e_before, e_two_before};
    *ret_h = tq_ode_adapt_step(data, h, errors, p);
    return 0;
}

/* before any call that may fail: the library would print an allocation failure */
static int silence(own *o)
{
    return CALL(o, SetErrHandlerFn, tq_sundials_silent, NULL) == 0;
}

static int set_controller(own *o)
{
    return CALL(o, SetAdaptivityFn, next_step, &o->adapt) == 0 &&
           CALL(o, SetErrorBias, o->adapt.bias) == 0;
}
#else
static int silence(own *o)
{
    (void)o; /* the context is silent */
    return 1;
}

static void free_memory(own *o)
{
    ARKodeFree(&o->memory);
}

static int set_controller(own *o)
{
    SUNAdaptController c = tq_ode_adapt_controller(&o->adapt, o->s.context);
    o->controller = c;
    return c != NULL && CALL(o, SetAdaptController, c) == 0;
}
#endif

static void close_all(void *of)
{
    own *o = of;
    if (o->memory != NULL) {
        free_memory(o);
    }
#if SUNDIALS_VERSION_MAJOR >= 7
    if (o->controller != NULL) {
        (void)SUNAdaptController_Destroy(o->controller);
    }
#endif
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
    /* The last row is the step itself: where the last c is 1, ARKODE 6.4 starts the next step with
     * the rate of the last stage, which is the rate at y only for such a row (FSAL). */
    enum { N = TQ_DOPRI87_STAGES };
    ARKodeButcherTable table = ARKodeButcherTable_Alloc(N + 1, SUNTRUE);
    if (table != NULL) {
        table->q = 8;
        table->p = 7;
        for (size_t i = 0; i < N; i++) {
            table->c[i] = tq_dopri87_c[i];
            table->b[i] = table->A[N][i] = tq_dopri87_b[i];
            table->d[i] = tq_dopri87_d[i];
            for (size_t j = 0; j < N; j++) {
                table->A[i][j] = tq_dopri87_a[N * i + j];
            }
        }
        table->c[N] = 1.0;
    }
    return table;
}

/* Defaults differ between versions of the library, and steps with them: all parameters of the step
 * control are set here. A setter fails only for lack of memory: the arguments are ours.
 *
 * No parameter selects the result of an implicit step: in 6.4.1 it is y + h sum(b_i f(z_i)); in
 * 7.1.1, where the last row of the table is b, it is the last stage z. They differ by the remaining
 * error of Newton's iterations, so sdirk has other last bits: 3e-11 of a velocity at a tolerance of
 * 1e-9. dopri45 and dopri87 have the same bits in both, with fewer evaluations in 7.1.1. */
static int set_steps(own *o)
{
    const tq_ode_problem *p = &o->s.ode->problem;
    const tq_ode_adapt *a = &o->adapt;
    return set_controller(o) && CALL(o, SetSafetyFactor, a->safety) == 0 &&
           CALL(o, SetMaxGrowth, a->growth) == 0 && CALL(o, SetMaxFirstGrowth, 1e4) == 0 &&
           CALL(o, SetMinReduction, 0.1) == 0 && CALL(o, SetMaxEFailGrowth, 0.3) == 0 &&
           CALL(o, SetSmallNumEFails, 2) == 0 && CALL(o, SetFixedStepBounds, 1.0, 1.5) == 0 &&
           CALL(o, SetMaxNumSteps, -1) == 0 && CALL(o, SetMaxHnilWarns, -1) == 0 &&
           (p->max_step == 0.0 || CALL(o, SetMaxStep, p->max_step) == 0) &&
           (p->project == NULL || CALL(o, SetPostprocessStepFn, project_step) == 0);
}

static int set_up_explicit(own *o)
{
    const tq_ode_problem *p = &o->s.ode->problem;
    o->memory = ERKStepCreate(tq_sundials_rate, 0.0, o->s.y, o->s.context);
    o->table = table_of(o->s.ode->method);
    o->adapt = tq_ode_adapt_explicit;
    const double share = share_of(o->s.ode->method);
    N_VScale(share, o->s.atol, o->s.atol);
    return o->memory != NULL && o->table != NULL && silence(o) &&
           CALL(o, SetUserData, &o->s) == 0 && ERKStepSetTable(o->memory, o->table) == 0 &&
           CALL(o, SVtolerances, share * p->rtol, o->s.atol) == 0 && set_steps(o);
}

static int set_up_implicit(own *o)
{
    const tq_ode_problem *p = &o->s.ode->problem;
    o->memory = ARKStepCreate(NULL, tq_sundials_rate, 0.0, o->s.y, o->s.context);
    o->table = table_of(TQ_ODE_SDIRK);
    o->adapt = tq_ode_adapt_implicit;
    return o->memory != NULL && o->table != NULL && silence(o) &&
           CALL(o, SetUserData, &o->s) == 0 &&
           ARKStepSetTables(o->memory, o->table->q, o->table->p, o->table, NULL) == 0 &&
           CALL(o, SVtolerances, p->rtol, o->s.atol) == 0 &&
           IMPLICIT(SetLinearSolver)(o->memory, o->s.solver, o->s.matrix) == 0 &&
           IMPLICIT(SetDeltaGammaMax)(o->memory, same_matrix) == 0 &&
           IMPLICIT(SetMaxCFailGrowth)(o->memory, 0.25) == 0 && set_steps(o);
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
    const int failed =
        (is_implicit(o) ? ARKStepReInit(o->memory, NULL, tq_sundials_rate, t, o->s.y)
                        : ERKStepReInit(o->memory, tq_sundials_rate, t, o->s.y)) != 0 ||
        CALL(o, SetInitStep, h) != 0;
    return failed || o->s.is_short ? TQ_ODE_NO_MEMORY : TQ_ODE_DONE;
}

static int step(void *of, double stop, double *ret_t, double *ret_y, double *ret_next)
{
    own *o = of;
    const int code = CALL(o, SetStopTime, stop) != 0
                         ? ARK_MEM_FAIL
                         : CALL(o, Evolve, stop, o->s.y, ret_t, ARK_ONE_STEP);
    if (o->s.is_short) {
        return TQ_ODE_NO_MEMORY;
    }
    if (code < 0) {
        return code == ARK_MEM_FAIL ? TQ_ODE_NO_MEMORY
               : o->s.gave_up       ? TQ_ODE_GAVE_UP
                                    : TQ_ODE_TOO_SMALL;
    }
    (void)CALL(o, GetCurrentStep, ret_next);
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
    (void)CALL(o, GetNumSteps, &steps);
    (void)CALL(o, GetNumStepAttempts, &attempts);
    if (is_implicit(o)) {
        (void)ARKStepGetNumRhsEvals(o->memory, &evaluations[0], &evaluations[1]);
        (void)IMPLICIT(GetNumLinRhsEvals)(o->memory, &inside);
    } else {
        (void)ERKStepGetNumRhsEvals(o->memory, &evaluations[0]);
    }
    *ret = (tq_ode_stats){.n_step = (uint64_t)steps,
                          .n_rejected = (uint64_t)(attempts - steps),
                          .n_evaluation = (uint64_t)(evaluations[0] + evaluations[1] + inside)};
}

const tq_ode_library tq_ode_arkode = {
    .open = open_all, .close = close_all, .start = start, .step = step, .count = count};
