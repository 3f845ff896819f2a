/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_sundials.c - pooled contexts, clone functions that never return NULL. */
#include "core/integrate/ode_sundials.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/integrate/setup.h"

/* The step-size controllers of SUNDIALS call pow of libm, whose bits depend on the processor. The
 * dynamic linker finds this definition first (ELF symbol interposition). */
double pow(double x, double y)
{
    return tq_pow(x, y);
}

/* ------------------------------------------------------------------------------------------------
 * Contexts
 */

/* SUNContext_Create of version 6 writes to memory after a failed allocation. Contexts are therefore
 * created at the start of the process and pooled; more are created only if more integrators are
 * open at once. */
enum { CONTEXTS_KEPT = 64 };
static _Atomic(SUNContext) idle[CONTEXTS_KEPT];

#if SUNDIALS_VERSION_MAJOR < 7
static SUNContext make_context(void)
{
    SUNContext context = NULL;
    return SUNContext_Create(NULL, &context) == 0 ? context : NULL;
}

static void clear_error(SUNContext context)
{
    (void)context;
}
#else
static void silent(int line, const char *function, const char *file, const char *message,
                   SUNErrCode code, void *data, SUNContext context)
{
    (void)line;
    (void)function;
    (void)file;
    (void)message;
    (void)code;
    (void)data;
    (void)context;
}

static SUNContext make_context(void)
{
    SUNContext context = NULL;
    if (SUNContext_Create(SUN_COMM_NULL, &context) != SUN_SUCCESS) {
        return NULL;
    }
    if (SUNContext_ClearErrHandlers(context) != SUN_SUCCESS ||
        SUNContext_PushErrHandler(context, silent, NULL) != SUN_SUCCESS) {
        (void)SUNContext_Free(&context);
        return NULL;
    }
    return context;
}

/* A failed allocation stays in the context as its last error, and every later integrator that uses
 * the context reports it as its own: reading it clears it. */
static void clear_error(SUNContext context)
{
    (void)SUNContext_GetLastError(context);
}
#endif

static SUNContext take_context(void)
{
    SUNContext context = NULL;
    for (size_t k = 0; k < CONTEXTS_KEPT && context == NULL; k++) {
        context = atomic_exchange(&idle[k], NULL);
    }
    return context != NULL ? context : make_context();
}

static void give_context(SUNContext context)
{
    clear_error(context);
    for (size_t k = 0; k < CONTEXTS_KEPT; k++) {
        SUNContext none = NULL;
        if (atomic_compare_exchange_strong(&idle[k], &none, context)) {
            return;
        }
    }
    (void)SUNContext_Free(&context);
}

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "other"
#endif

const char *tq_ode_library_name(void)
{
    return "sundials " SUNDIALS_VERSION " " ARCHITECTURE;
}

int tq_ode_prepare(void)
{
    for (size_t k = 0; k < CONTEXTS_KEPT; k++) {
        SUNContext context = make_context();
        if (context == NULL) {
            return 0;
        }
        give_context(context);
    }
    return tq_arkode_prepare();
}

/* ------------------------------------------------------------------------------------------------
 * Vectors and matrices
 */

/* The owner of a vector is stored after its last element, and that of a matrix after its last
 * column: a clone function can reach no other memory. */

static tq_sundials *owner_at(const double *end)
{
    void *s = NULL;
    memcpy(&s, end, sizeof s);
    return s;
}

static void put_owner(double *end, void *s)
{
    _Static_assert(sizeof s <= sizeof *end, "an address fits into a number");
    memcpy(end, &s, sizeof s);
}

static tq_sundials *owner_of(N_Vector v)
{
    return owner_at(NV_DATA_S(v) + NV_LENGTH_S(v));
}

static double *owner_slot(SUNMatrix a)
{
    return SM_DATA_D(a) + SM_LDATA_D(a);
}

static N_Vector new_vector(tq_sundials *s, sunindextype n)
{
    N_Vector v = N_VNew_Serial(n + 1, s->context);
    if (v != NULL) {
        NV_LENGTH_S(v) = n;
        put_owner(NV_DATA_S(v) + n, s);
    }
    return v;
}

static N_Vector clone(N_Vector w)
{
    tq_sundials *s = owner_of(w);
    N_Vector v = new_vector(s, NV_LENGTH_S(w));
    if (v == NULL) {
        s->is_short = 1;
        return s->spare;
    }
    (void)N_VCopyOps(w, v);
    v->ops->nvdestroy = N_VDestroy_Serial;
    return v;
}

/* without data: the caller sets it to columns of a matrix */
static N_Vector clone_empty(N_Vector w)
{
    tq_sundials *s = owner_of(w);
    N_Vector v = N_VCloneEmpty_Serial(w);
    if (v == NULL) {
        s->is_short = 1;
        return s->spare_empty;
    }
    v->ops->nvdestroy = N_VDestroy_Serial;
    return v;
}

/* a spare object must not be freed by its users */
static void leave(N_Vector v)
{
    (void)v;
}

static void adopt(N_Vector v)
{
    /* fused linear combinations of many vectors */
    (void)N_VEnableFusedOps_Serial(v, SUNTRUE);
    v->ops->nvclone = clone;
    v->ops->nvcloneempty = clone_empty;
    v->ops->nvdestroy = leave;
}

/* On memory of n + 1 doubles. */
static N_Vector make_vector(tq_sundials *s, double *data)
{
    const sunindextype n = (sunindextype)s->ode->problem.n;
    N_Vector v = N_VMake_Serial(n, data, s->context);
    if (v != NULL) {
        put_owner(data + n, s);
        adopt(v);
    }
    return v;
}

static SUNMatrix new_matrix(tq_sundials *s)
{
    const sunindextype n = (sunindextype)s->ode->problem.n;
    SUNMatrix a = SUNDenseMatrix(n, n + 1, s->context);
    if (a != NULL) {
        SM_CONTENT_D(a)->N = n;
        SM_CONTENT_D(a)->ldata = n * n;
        put_owner(owner_slot(a), s);
    }
    return a;
}

static SUNMatrix clone_matrix(SUNMatrix of)
{
    tq_sundials *s = owner_at(owner_slot(of));
    SUNMatrix a = new_matrix(s);
    if (a == NULL) {
        s->is_short = 1;
        return s->spare_matrix;
    }
    (void)SUNMatCopyOps(of, a);
    a->ops->destroy = SUNMatDestroy_Dense;
    return a;
}

static void leave_matrix(SUNMatrix a)
{
    (void)a;
}

static int make_matrices(tq_sundials *s)
{
    s->spare_matrix = new_matrix(s);
    s->matrix = new_matrix(s);
    if (s->matrix == NULL || s->spare_matrix == NULL) {
        return 0;
    }
    s->matrix->ops->clone = s->spare_matrix->ops->clone = clone_matrix;
    s->matrix->ops->destroy = s->spare_matrix->ops->destroy = leave_matrix;
    s->solver = SUNLinSol_Dense(s->y, s->matrix, s->context);
    return s->solver != NULL;
}

void *tq_sundials_open(tq_ode *ode, size_t size, int is_implicit)
{
    SUNContext context = take_context();
    if (context == NULL) {
        return NULL;
    }
    N_Vector home = N_VNew_Serial((sunindextype)(size / sizeof(double) + 1), context);
    if (home == NULL) {
        give_context(context);
        return NULL;
    }
    tq_sundials *s = (tq_sundials *)(void *)NV_DATA_S(home);
    memset(s, 0, size);
    s->ode = ode;
    s->context = context;
    s->home = home;
    s->spare = new_vector(s, (sunindextype)ode->problem.n);
    s->spare_empty = N_VNewEmpty_Serial((sunindextype)ode->problem.n, context);
    s->y = make_vector(s, ode->y);
    s->atol = make_vector(s, ode->atol);
    if (s->spare != NULL && s->spare_empty != NULL) {
        adopt(s->spare);
        adopt(s->spare_empty);
    }
    if (s->spare == NULL || s->spare_empty == NULL || s->y == NULL || s->atol == NULL ||
        (is_implicit && !make_matrices(s))) {
        tq_sundials_close(s);
        return NULL;
    }
    return s;
}

void tq_sundials_close(tq_sundials *s)
{
    SUNContext context = s->context;
    if (s->solver != NULL) {
        (void)SUNLinSolFree(s->solver);
    }
    SUNMatrix matrices[] = {s->matrix, s->spare_matrix};
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++) {
        if (matrices[k] != NULL) {
            SUNMatDestroy_Dense(matrices[k]);
        }
    }
    N_Vector vectors[] = {s->y, s->atol, s->spare, s->spare_empty, s->home};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        if (vectors[k] != NULL) {
            N_VDestroy_Serial(vectors[k]);
        }
    }
    give_context(context);
}

int tq_sundials_rate(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    tq_sundials *s = data;
    const tq_ode_problem *p = &s->ode->problem;
    const int outcome = p->rate(p->ctx, t, NV_DATA_S(y), NV_DATA_S(ydot));
    s->gave_up |= outcome < 0;
    return outcome;
}

#if SUNDIALS_VERSION_MAJOR < 7
/* NOLINTNEXTLINE(readability-non-const-parameter): the type is the library's */
void tq_sundials_silent(int code, const char *module, const char *function, char *message,
                        void *data)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)data;
}
#endif
