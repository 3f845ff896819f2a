/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/regression/test_base.c - base parameters: known numbers of them,
 * equal torque. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/identify/regression/base.h"
#include "core/identify/regression/tsqr.h"
#include "tests/support/base_set.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

enum { BYTES = 64 << 20 };

typedef struct found {
    tq_base_set base;
    void *memory;
    tq_scratch scratch;
} found;

static found find(const tq_model *model, unsigned with, uint64_t seed)
{
    found f = {.memory = aligned_alloc(64, BYTES)};
    tq_scratch_init(&f.scratch, f.memory, BYTES);
    cr_assert(ne(ptr,
                 tqt_base_set(model, with, &(tq_base_options){.seed = seed}, &f.scratch, &f.base),
                 NULL));
    const size_t n = tq_parameter_count(model, with);
    cr_assert(eq(sz, f.base.n_base + f.base.n_dependent + f.base.n_without, n));
    return f;
}

static void expect_count(const tq_model *model, unsigned with, size_t want, const char *name)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        found f = find(model, with, seed);
        cr_assert(eq(sz, f.base.n_base, want), "%s, seed %d", name, (int)seed);
        free(f.memory);
    }
}

static const tqa_robot *builtin(const char *name)
{
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), name) == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            tqa_problem problem;
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            const tqa_robot *robot = tqa_robot_parse(media, bytes, n, &problem);
            cr_assert(ne(ptr, (void *)(uintptr_t)robot, NULL), "%s", problem.detail);
            return robot;
        }
    }
    cr_fatal("no built-in robot %s", name);
}

enum { FRICTION = TQ_REGRESS_VISCOUS | TQ_REGRESS_COULOMB | TQ_REGRESS_OFFSET };

Test(base, counts_of_the_panda)
{
    const tqa_robot *panda = builtin("panda");
    /* the number of the seven-joint arm: its fingers do not change it */
    expect_count(panda->model, 0, 43, "panda");
}

Test(base, counts_of_the_ur5e_are_those_of_its_family, .disabled = TQT_SANITIZED)
{
    const tqa_robot *ur = builtin("ur5e");
    expect_count(ur->model, 0, 36, "rigid");
    expect_count(ur->model, TQ_REGRESS_ROTOR, 40, "with rotor inertia");
    expect_count(ur->model, TQ_REGRESS_ROTOR | FRICTION, 58, "with friction");
}

typedef struct patience {
    size_t n_asked, most;
} patience;

static bool runs_out(void *ctx)
{
    patience *p = ctx;
    return ++p->n_asked > p->most;
}

/* stop is called before each state, each column of a round and each row of a combination; nothing
 * is computed after it returned true */
Test(base, a_search_ends_when_cancelled)
{
    const tq_model *model = builtin("ur5e")->model;
    found f = find(model, 0, 0);
    const size_t n = f.base.n_parameter, n_base = f.base.n_base, used = f.scratch.used;
    const size_t n_state = 3 * n / model->nv + 20;
    patience endless = {.most = SIZE_MAX};
    const tq_base_options asked = {.stop = runs_out, .stop_ctx = &endless};
    tq_error none = {0};
    cr_assert(eq(int, tq_base_find(model, 0, &asked, &f.scratch, &f.base, &none), TQ_OK));
    const size_t all = endless.n_asked;
    cr_assert(ge(sz, all, n_state + n + n_base - f.base.n_without));
    cr_assert(le(sz, all, n_state + 3 * n + n_base));
    for (size_t most = 0; most <= all; most++) {
        patience p = {.most = most};
        const tq_base_options options = {.stop = runs_out, .stop_ctx = &p};
        tq_error error = {0};
        const tq_status status = tq_base_find(model, 0, &options, &f.scratch, &f.base, &error);
        cr_assert(eq(sz, f.scratch.used, used));
        if (most == all) {
            cr_expect(eq(int, status, TQ_OK));
            cr_expect(eq(sz, p.n_asked, most));
        } else {
            cr_assert(eq(int, status, TQ_ERR_NO_CONVERGENCE));
            cr_assert(eq(str, (char *)(uintptr_t)error.what, "stop"));
            cr_assert(eq(sz, p.n_asked, most + 1));
        }
    }
    free(f.memory);
}

/* Barrett's WAM: seven joints, modified DH by its manual, offsets of 45 mm at the elbow */
static tq_model *wam(void)
{
    static const double alpha[7] = {-M_PI_2, M_PI_2, -M_PI_2, M_PI_2, -M_PI_2, M_PI_2, 0};
    static const double a[7] = {0, 0, 0.045, -0.045, 0, 0, 0};
    static const double d[7] = {0, 0, 0.55, 0, 0.3, 0, 0.06};
    tq_model *m = tqt_model_new(8);
    double alpha_before = 0, a_before = 0, d_before = 0;
    for (uint32_t j = 0; j < 7;
         j++) { /* standard DH: the joint frame precedes the transform of its row */
        const double c = cos(alpha_before), s = sin(alpha_before);
        const double r[9] = {1, 0, 0, 0, c, -s, 0, s, c};
        for (int k = 0; k < 9; k++) {
            m->joints[j].origin.r[k] = r[k];
        }
        m->joints[j].origin.p[0] = a_before, m->joints[j].origin.p[2] = d_before;
        m->joints[j].kind = TQ_JOINT_REVOLUTE, m->joints[j].parent = j, m->joints[j].child = j + 1;
        alpha_before = alpha[j], a_before = a[j], d_before = d[j];
    }
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

Test(base, counts_of_a_wam, .disabled = TQT_SANITIZED)
{
    tq_model *m = wam();
    expect_count(m, 0, 43, "rigid");
    expect_count(m, TQ_REGRESS_ROTOR | FRICTION, 69, "with rotor inertia and friction");
    tqt_model_free(m);
}

Test(base, base_parameters_give_the_same_torque)
{
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < 25; seed++) {
        const tqt_robot_options options = {.n_joint = 1 + (uint32_t)(seed % 7),
                                           .kinds = TQT_KINDS_ONE | 1u << TQ_JOINT_SPHERICAL,
                                           .with = TQT_WITH_BRANCHES | TQT_WITH_FRICTION};
        tq_model *model = tqt_random_robot(seed, options);
        const unsigned with = TQ_REGRESS_VISCOUS | TQ_REGRESS_ROTOR;
        found f = find(model, with, seed);
        const size_t n = f.base.n_parameter;
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *qd = tqt_doubles(model->nv);
        double *qdd = tqt_doubles(model->nv), *y = tqt_doubles(model->nv * n);
        double *value = tqt_doubles(n), *beta = tqt_doubles(n);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tqt_sample(states.qd, model->nv, states.stride, 0, qd);
        tqt_sample(states.qdd, model->nv, states.stride, 0, qdd);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, BYTES);
        const tq_regressor_input in = {.q = q, .qd = qd, .qdd = qdd};
        cr_assert(eq(int, tq_regressor(model, with, &in, &scratch, y, NULL), TQ_OK));
        tq_parameter_values(model, with, value);
        tq_base_values(&f.base, value, beta);
        for (size_t i = 0; i < model->nv; i++) {
            double full = 0, base = 0, terms = 1;
            for (size_t k = 0; k < n; k++) {
                full += y[i * n + k] * value[k];
                terms += fabs(y[i * n + k] * value[k]);
            }
            for (size_t k = 0; k < f.base.n_base; k++) {
                base += y[i * n + f.base.independent[k]] * beta[k];
                terms += fabs(y[i * n + f.base.independent[k]] * beta[k]);
            }
            /* coefficients are from a triangle of condition up to 1e4 */
            cr_assert(epsilon_eq(dbl, base, full, 1e-9 * terms), "seed %d", (int)seed);
        }
        free(q), free(qd), free(qdd), free(y), free(value), free(beta), free(f.memory);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}

Test(tsqr, triangle_squares_to_the_gram_matrix)
{
    enum { N = 5, ROWS = 40 };
    double a[ROWS * N], r[N * N], gram[N * N] = {0};
    for (int k = 0; k < ROWS * N; k++) {
        a[k] = sin(1.0 + 2.3 * k * k);
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < N * N; j++) {
            gram[j] += a[i * N + j / N] * a[i * N + j % N];
        }
    }
    tq_tsqr t;
    tq_tsqr_init(&t, N, r);
    tq_tsqr_fold(&t, 7, a);
    tq_tsqr_fold(&t, 33, a + 7 * N);
    for (int j = 0; j < N * N; j++) {
        double sum = 0;
        for (int k = 0; k < N; k++) {
            sum += r[k * N + j / N] * r[k * N + j % N];
        }
        cr_assert(epsilon_eq(dbl, sum, gram[j], 1e-13 * (double)ROWS));
    }
    cr_assert(eq(dbl, r[N], 0.0), "upper triangular");
}
