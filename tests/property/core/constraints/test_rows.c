/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/constraints/test_rows.c - A is the derivative of h, the rate that of A, for
 * every kind on random robots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/constraints/constraints.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/kinematics/integrate.h"
#include "tests/support/constrained.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

enum { N_SEED = 220, N_KIND = 11, ROWS = 8, NV = 64 };

static _Alignas(64) unsigned char memory[4 << 20];

typedef struct rows {
    double a[ROWS * NV], rate[ROWS * NV], h[ROWS], velocity[ROWS];
} rows;

static void rows_at(const tq_model *model, const tq_constraints *set, const double *q,
                    const double *qd, rows *ret)
{
    tq_scratch scratch;
    tq_configuration posture;
    tq_error error = {0};
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, qd, &scratch, &posture, &error), TQ_OK));
    const size_t before = scratch.used;
    const tq_constraint_rows to = {
        .a = ret->a, .rate = ret->rate, .position = ret->h, .velocity = ret->velocity};
    cr_assert(
        eq(int, tq_constraint_rows_compute(set, &posture, q, qd, &scratch, &to, &error), TQ_OK));
    cr_assert(eq(sz, scratch.used, before));
    cr_assert(le(sz, scratch.peak - before, tq_constraint_rows_scratch_size(model)));
}

/* q moved along v by `by` */
static void move(const tq_model *model, const double *q, const double *v, double by, double *ret)
{
    double step[NV];
    for (uint32_t k = 0; k < model->nv; k++) {
        step[k] = by * v[k];
    }
    tq_configuration_integrate(model, q, step, ret);
}

static void check(const tq_model *model, const tq_constraints *set, const double *q,
                  const double *qd, const char *what)
{
    /* central differences: error h^2 times third derivatives of numbers around 10, and rounding of
     * 1e-16 * 10 / h */
    static const double h = 1e-5;
    static const double within = 3e-6;
    static rows at, ahead, before;
    double q_ahead[NV + 8], q_before[NV + 8];
    const size_t nv = model->nv;
    rows_at(model, set, q, qd, &at);
    move(model, q, qd, h, q_ahead);
    move(model, q, qd, -h, q_before);
    rows_at(model, set, q_ahead, qd, &ahead);
    rows_at(model, set, q_before, qd, &before);
    for (uint32_t r = 0; r < set->n_row; r++) {
        double speed = 0.0;
        for (size_t c = 0; c < nv; c++) {
            speed += at.a[r * nv + c] * qd[c];
            const double slope = (ahead.a[r * nv + c] - before.a[r * nv + c]) / (2.0 * h);
            cr_assert(fabs(slope - at.rate[r * nv + c]) < within * (1.0 + fabs(slope)),
                      "%s: rate of row %u, %zu: %.12g, not %.12g", what, r, c, at.rate[r * nv + c],
                      slope);
        }
        const tq_constraint *c = &set->items[0];
        if (tq_constraint_is_holonomic(c, r)) {
            const double slope = (ahead.h[r] - before.h[r]) / (2.0 * h);
            cr_assert(fabs(slope - speed) < within * (1.0 + fabs(slope)),
                      "%s: row %u: %.12g, not %.12g", what, r, speed, slope);
            cr_assert(fabs(speed - at.velocity[r]) < 1e-12 * (1.0 + fabs(speed)));
        } else {
            cr_assert(eq(dbl, at.h[r], 0.0));
        }
    }
}

Test(constraint_rows, are_derivatives)
{
    static tqt_constrained constrained;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        const tqt_robot_options options = {2 + (uint32_t)(seed * 7 % 6), TQT_KINDS_ALL,
                                           TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_states states = tqt_random_states(seed, model, 1);
        if (model->nv > 0 && model->nv <= NV) {
            char what[64];
            double q[NV + 8], qd[NV];
            (void)snprintf(what, sizeof what, "seed %u kind %u", (unsigned)seed,
                           (unsigned)(seed % N_KIND));
            tqt_random_constraints(seed, model, (unsigned)(seed % N_KIND), 1, &constrained);
            tqt_sample(states.q, model->nq, states.stride, 0, q);
            tqt_sample(states.qd, model->nv, states.stride, 0, qd);
            for (uint32_t j = 0; j < model->n_joint; j++) {
                if (model->joints[j].kind == TQ_JOINT_CONTINUOUS && model->joints[j].nq == 1) {
                    q[model->joints[j].q_index] = fmod(q[model->joints[j].q_index], 3.0);
                }
            }
            check(model, &constrained.set, q, qd, what);
        }
        tqt_states_free(&states);
        tqt_model_free(model);
    }
}
