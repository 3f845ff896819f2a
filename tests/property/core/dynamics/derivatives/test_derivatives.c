/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_derivatives.c - closed-form derivatives against
 * differences of
 * virtual work in long double. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/checks.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/lagrangian.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"

enum { SEEDS = 80, BYTES = 32 << 20, JOINT_MAX = 9 };

typedef struct fixture {
    tq_model *model;
    double *q, *qd, *qdd;
    tq_scratch scratch;
    tq_configuration posture;
    size_t nv;
} fixture;

/* a friction smoothed over less than a step cannot be differentiated numerically */
static void smooth(tq_model *model)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_friction *friction = &model->joints[j].friction;
        friction->smoothing = fmax(friction->smoothing, 0.5);
        if (friction->stribeck_velocity > 0.0) {
            friction->stribeck_velocity = fmax(friction->stribeck_velocity, 0.5);
        }
    }
}

static fixture open_case(uint64_t seed, unsigned kinds)
{
    fixture f = {0};
    const tqt_robot_options options = {
        .n_joint = 1 + (uint32_t)(seed % JOINT_MAX), .kinds = kinds, .with = TQT_WITH_ALL};
    f.model = tqt_random_robot(seed + 500, options);
    smooth(f.model);
    f.nv = f.model->nv;
    tqt_states states = tqt_random_states(seed + 7000, f.model, 1);
    f.q = tqt_doubles(f.model->nq);
    f.qd = tqt_doubles(f.nv);
    f.qdd = tqt_doubles(f.nv);
    tqt_sample(states.q, f.model->nq, states.stride, 0, f.q);
    tqt_sample(states.qd, f.nv, states.stride, 0, f.qd);
    tqt_sample(states.qdd, f.nv, states.stride, 0, f.qdd);
    tqt_states_free(&states);
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    tq_scratch_init(&f.scratch, memory, BYTES);
    cr_assert(
        eq(int, tq_configuration_compute(f.model, f.q, f.qd, &f.scratch, &f.posture, NULL), TQ_OK));
    return f;
}

static void close_case(fixture *f)
{
    free(f->scratch.memory);
    free(f->q);
    free(f->qd);
    free(f->qdd);
    tqt_model_free(f->model);
}

/* q moved by h along dof `row`; quaternions by a rotation in the child frame */
static void displace(const tq_model *model, const double *q, size_t row, double h, double *ret)
{
    memcpy(ret, q, model->nq * sizeof *ret);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (row < joint->v_index || row >= joint->v_index + joint->nv || joint->nv == 0) {
            continue;
        }
        size_t k = row - joint->v_index;
        if (joint->nq == joint->nv) {
            ret[joint->q_index + k] += h;
            return;
        }
        double *wxyz = ret + joint->q_index + (joint->kind == TQ_JOINT_FLOATING ? 3 : 0);
        const double w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];
        if (joint->kind == TQ_JOINT_FLOATING && k < 3) {
            const double r[9] = {
                1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
            for (size_t e = 0; e < 3; e++) {
                ret[joint->q_index + e] += h * r[3 * e + k];
            }
            return;
        }
        k = joint->kind == TQ_JOINT_FLOATING ? k - 3 : k;
        double d[4] = {cos(h / 2), 0, 0, 0};
        d[1 + k] = sin(h / 2);
        wxyz[0] = w * d[0] - x * d[1] - y * d[2] - z * d[3];
        wxyz[1] = w * d[1] + x * d[0] + y * d[3] - z * d[2];
        wxyz[2] = w * d[2] - x * d[3] + y * d[0] + z * d[1];
        wxyz[3] = w * d[3] + x * d[2] - y * d[1] + z * d[0];
        return;
    }
}

/* Richardson's extrapolation of central differences: D(h) + (D(h) - D(2h)) / 3 */
static void differences(const fixture *f, const tqt_wrench *wrenches, size_t n_wrench,
                        unsigned without, bool by_rate, size_t column, double *ret, double *scale)
{
    static const double step = 1e-3;
    double *moved = tqt_doubles(f->model->nq + f->nv);
    tqt_sum *sums = calloc(f->nv + 1, sizeof *sums);
    long double *values = calloc(4 * f->nv + 1, sizeof *values);
    for (int k = 0; k < 4; k++) {
        const double h = step * (k < 2 ? 1.0 : 2.0) * (k % 2 == 0 ? 1.0 : -1.0);
        tqt_problem problem = {.model = f->model,
                               .state = {.q = f->q, .qd = f->qd, .qdd = f->qdd},
                               .wrenches = wrenches,
                               .n_wrench = n_wrench,
                               .without = without};
        if (by_rate) {
            memcpy(moved, f->qd, f->nv * sizeof *moved);
            moved[column] += h;
            problem.state.qd = moved;
        } else {
            displace(f->model, f->q, column, h, moved);
            problem.state.q = moved;
        }
        tqt_inverse_dynamics(&problem, sums);
        for (size_t i = 0; i < f->nv; i++) {
            values[(size_t)k * f->nv + i] = sums[i].value;
            *scale = fmax(*scale, (double)sums[i].terms);
        }
    }
    for (size_t i = 0; i < f->nv; i++) {
        const long double near = (values[i] - values[f->nv + i]) / (2 * (long double)step);
        const long double far =
            (values[2 * f->nv + i] - values[3 * f->nv + i]) / (4 * (long double)step);
        ret[i] = (double)((4 * near - far) / 3);
    }
    free(values);
    free(sums);
    free(moved);
}

static void compare(const fixture *f, const tq_sample *sample, const tqt_wrench *wrenches,
                    unsigned seed)
{
    const size_t n = f->nv * f->nv;
    double *analytic[2] = {tqt_doubles(n), tqt_doubles(n)};
    double *column = tqt_doubles(f->nv);
    tq_scratch scratch = f->scratch;
    cr_assert(eq(
        int, tq_inverse_derivatives(&f->posture, sample, &scratch, analytic[0], analytic[1], NULL),
        TQ_OK));
    for (int by_rate = 0; by_rate < 2; by_rate++) {
        for (size_t k = 0; k < f->nv; k++) {
            double scale = 1.0;
            differences(f, wrenches, sample->n_wrench, sample->without, by_rate == 1, k, column,
                        &scale);
            for (size_t i = 0; i < f->nv; i++) {
                /* fourth-order differences leave step^4 = 1e-12 times fifth derivatives, which
                 * grow like the terms times 3^5 and friction's 2^5 */
                cr_assert(lt(dbl, fabs(analytic[by_rate][i * f->nv + k] - column[i]), 3e-9 * scale),
                          "seed %u, %s, row %d, column %d: %.15g, not %.15g", seed,
                          by_rate == 1 ? "qd" : "q", (int)i, (int)k,
                          analytic[by_rate][i * f->nv + k], column[i]);
            }
        }
    }
    free(column);
    free(analytic[0]);
    free(analytic[1]);
}

Test(derivatives, of_torque_equal_differences_of_virtual_work)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, seed % 2 == 0 ? TQT_KINDS_ALL : TQT_KINDS_ONE);
        const tq_sample sample = {.q = f.q, .qd = f.qd, .qdd = f.qdd, .gravity = f.model->gravity};
        compare(&f, &sample, NULL, seed);
        close_case(&f);
    }
}

Test(derivatives, wrenches_in_link_axes_and_in_world_axes)
{
    for (unsigned seed = 0; seed < SEEDS / 2; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        tqt_wrench wrenches[2] = {{.expressed_in = TQ_FRAME_WORLD,
                                   .at = {0.1, -0.2, 0.3},
                                   .value = {3.0, -2.0, 5.0, 0.4, 0.1, -0.6}},
                                  {.expressed_in = TQ_FRAME_LINK,
                                   .at = {-0.3, 0.2, 0.1},
                                   .value = {-1.0, 4.0, 2.0, 0.2, -0.7, 0.5}}};
        tq_point_wrench points[2];
        for (unsigned w = 0; w < 2; w++) {
            wrenches[w].link = (seed + w) % f.model->n_link;
            points[w] = (tq_point_wrench){.link = wrenches[w].link,
                                          .expressed_in = wrenches[w].expressed_in};
            memcpy(points[w].at, wrenches[w].at, sizeof points[w].at);
            memcpy(points[w].value, wrenches[w].value, sizeof points[w].value);
        }
        const tq_sample sample = {.q = f.q,
                                  .qd = f.qd,
                                  .qdd = f.qdd,
                                  .gravity = f.model->gravity,
                                  .wrenches = points,
                                  .n_wrench = 2,
                                  .without = seed % 3 == 0 ? TQ_WITHOUT_SPRING : 0};
        compare(&f, &sample, wrenches, seed);
        close_case(&f);
    }
}

/* Mdot - 2 C is skew-symmetric for the Christoffel form only; the other forms are the negative
 * control. */
Test(derivatives, item_040_mass_matrix_rate_judges_the_forms_of_coriolis)
{
    size_t not_skew = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        fixture f = open_case(seed, TQT_KINDS_ALL);
        const size_t n = f.nv * f.nv;
        double *m = tqt_doubles(n), *rate = tqt_doubles(n), *c = tqt_doubles(n);
        cr_assert(eq(int, tq_lagrangian_mass_matrix(&f.posture, &f.scratch, m, NULL), TQ_OK));
        cr_assert(eq(int, tq_mass_matrix_rate(&f.posture, &f.scratch, rate, NULL), TQ_OK));
        cr_assert(eq(
            int,
            tq_lagrangian_coriolis(&f.posture, f.qd, TQ_CORIOLIS_CHRISTOFFEL, &f.scratch, c, NULL),
            TQ_OK));
        /* sums of some 100 products that cancel, of the size of the largest entry */
        cr_assert(lt(dbl, tq_skew_residual(f.nv, m, f.qd, rate, c), 1e-11), "seed %u", seed);
        cr_assert(eq(
            int, tq_lagrangian_coriolis(&f.posture, f.qd, TQ_CORIOLIS_STACKED, &f.scratch, c, NULL),
            TQ_OK));
        not_skew += tq_skew_residual(f.nv, m, f.qd, rate, c) > 1e-3;
        free(m);
        free(rate);
        free(c);
        close_case(&f);
    }
    cr_assert(gt(sz, not_skew, SEEDS / 4));
}

Test(derivatives, refuse_short_scratch)
{
    fixture f = open_case(5, TQT_KINDS_ONE);
    double *rate = tqt_doubles(f.nv * f.nv);
    tq_scratch none;
    tq_scratch_init(&none, f.scratch.memory, 64);
    tq_error error = {0};
    cr_assert(eq(int, tq_mass_matrix_rate(&f.posture, &none, rate, &error), TQ_ERR_SCRATCH));
    cr_assert(ge(dbl, error.value, (double)tq_derivatives_scratch_size(f.model) - 0.5));
    free(rate);
    close_case(&f);
}
