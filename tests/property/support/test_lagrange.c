/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/support/test_lagrange.c - the reference against simpler definitions. */
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

enum { N_ROBOT = 40, ROW_MAX = 128 };

static tq_model *robot(uint64_t seed, unsigned kinds, unsigned with)
{
    return tqt_random_robot(seed, (tqt_robot_options){1 + (uint32_t)(seed % 12), kinds, with});
}

/* T(q, qd) - V(q) */
static long double lagrangian(const tq_model *model, const double *q, const double *qd)
{
    const tqt_problem at = {.model = model, .state = {.q = q, .qd = qd}};
    long double kinetic;
    long double potential;
    tqt_energy(&at, &kinetic, &potential);
    return kinetic - potential;
}

/* dL/dx_k by differences of fourth order, x being q or qd; steps of 2^-10 cost 1e-12 relative */
static long double slope(const tq_model *model, double *q, double *qd, double *x)
{
    static const double at[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1, -8, 8, -1};
    const double h = 0x1p-10;
    const double kept = *x;
    long double sum = 0.0L;
    for (int i = 0; i < 4; i++) {
        *x = kept + at[i] * h;
        sum += (long double)weight[i] * lagrangian(model, q, qd);
    }
    *x = kept;
    return sum / (12.0L * (long double)h);
}

/* d/dt dL/dqd_k along the motion, by differences of fourth order in time */
static long double momentum_rate(const tq_model *model, const tqt_states *s, uint32_t k)
{
    static const double at[4] = {-2, -1, 1, 2};
    static const double weight[4] = {1, -8, 8, -1};
    const double h = 0x1p-10;
    double q[ROW_MAX];
    double qd[ROW_MAX];
    long double sum = 0.0L;
    for (int i = 0; i < 4; i++) {
        const double t = at[i] * h;
        for (uint32_t r = 0; r < model->nv; r++) {
            q[r] =
                s->q[r * s->stride] + t * (s->qd[r * s->stride] + 0.5 * t * s->qdd[r * s->stride]);
            qd[r] = s->qd[r * s->stride] + t * s->qdd[r * s->stride];
        }
        sum += (long double)weight[i] * slope(model, q, qd, &qd[k]);
    }
    return sum / (12.0L * (long double)h);
}

/* d/dt dL/dqd - dL/dq = tau where rates are derivatives of coordinates */
Test(lagrange, virtual_work_is_eulers_and_lagranges_equation)
{
    const unsigned kinds = TQT_KINDS_ONE | 1u << TQ_JOINT_PLANAR | 1u << TQ_JOINT_FIXED;
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        tq_model *model = robot(seed, kinds, TQT_WITH_ALL & ~(unsigned)TQT_WITH_FRICTION);
        tqt_states s = tqt_random_states(seed, model, 1);
        double q[ROW_MAX];
        double qd[ROW_MAX];
        double qdd[ROW_MAX];
        tqt_sum tau[ROW_MAX];
        tqt_sample(s.q, model->nq, s.stride, 0, q);
        tqt_sample(s.qd, model->nv, s.stride, 0, qd);
        tqt_sample(s.qdd, model->nv, s.stride, 0, qdd);
        const tqt_problem at = {.model = model, .state = {q, qd, qdd}};
        tqt_inverse_dynamics(&at, tau);
        for (uint32_t k = 0; k < model->nv; k++) {
            const long double left = momentum_rate(model, &s, k) - slope(model, q, qd, &q[k]);
            /* fourth-order truncation: (rate h)^4 of terms, 64 joint rates of 3 at h = 2^-10 */
            cr_assert(fabsl(left - tau[k].value) <= 1e-7L * (tau[k].terms + 1.0L),
                      "seed %d row %u: %Lg %Lg of %Lg", (int)seed, k, left, tau[k].value,
                      tau[k].terms);
        }
        tqt_states_free(&s);
        tqt_model_free(model);
    }
}

/* T = qd^T M qd / 2 for every joint kind, and M is symmetric */
Test(lagrange, mass_matrix_is_kinetic_energy)
{
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        tq_model *model = robot(seed, TQT_KINDS_ALL, TQT_WITH_ALL);
        tqt_states s = tqt_random_states(seed, model, 1);
        const uint32_t n = model->nv;
        double q[ROW_MAX];
        double qd[ROW_MAX];
        tqt_sum *m = calloc((size_t)n * n + 1, sizeof *m);
        tqt_sample(s.q, model->nq, s.stride, 0, q);
        tqt_sample(s.qd, n, s.stride, 0, qd);
        tqt_mass_matrix(model, q, m);
        long double twice = 0.0L;
        long double terms = 0.0L;
        for (uint32_t i = 0; i < n * n; i++) {
            twice += m[i].value * (long double)qd[i / n] * (long double)qd[i % n];
            terms += m[i].terms * fabsl((long double)qd[i / n] * (long double)qd[i % n]);
            cr_assert(m[i].value == m[i % n * n + i / n].value ||
                      fabsl(m[i].value - m[i % n * n + i / n].value) <= 1e-17L * m[i].terms);
        }
        const tqt_problem at = {.model = model, .state = {.q = q, .qd = qd}};
        long double kinetic;
        long double potential;
        tqt_energy(&at, &kinetic, &potential);
        /* 80-bit rounding, n links of about 100 operations each */
        cr_assert(fabsl(twice / 2 - kinetic) <= 1e-17L * (terms + 1e-300L),
                  "seed %d: %Lg %Lg of %Lg", (int)seed, twice / 2, kinetic, terms);
        free(m);
        tqt_states_free(&s);
        tqt_model_free(model);
    }
}

/* q(t) with q'(0) = qd and q''(0) = qdd to second order, quaternions by their exponential */
static void later(const tq_model *model, const tqt_states *s, double t, double *ret_q,
                  double *ret_qd)
{
    for (uint32_t k = 0; k < model->nv; k++) {
        ret_qd[k] = s->qd[k * s->stride] + t * s->qdd[k * s->stride];
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double *q = &s->q[joint->q_index * s->stride];
        const double *v = &s->qd[joint->v_index * s->stride];
        const double *a = &s->qdd[joint->v_index * s->stride];
        double *to = &ret_q[joint->q_index];
        if (joint->nq < 4) {
            for (uint32_t k = 0; k < joint->nq; k++) {
                to[k] = q[k * s->stride] + t * (v[k * s->stride] + 0.5 * t * a[k * s->stride]);
            }
            continue;
        }
        const uint32_t skip = joint->nq - 4;
        double w[3];
        for (uint32_t k = 0; k < 3; k++) {
            w[k] = 0.5 * t * (v[(skip + k) * s->stride] + 0.5 * t * a[(skip + k) * s->stride]);
        }
        const double h[4] = {q[skip * s->stride], q[(skip + 1) * s->stride],
                             q[(skip + 2) * s->stride], q[(skip + 3) * s->stride]};
        const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        const double c = cos(angle);
        const double k = sin(angle) / angle;
        to[skip] = c * h[0] - k * (h[1] * w[0] + h[2] * w[1] + h[3] * w[2]);
        to[skip + 1] = c * h[1] + k * (h[0] * w[0] + h[2] * w[2] - h[3] * w[1]);
        to[skip + 2] = c * h[2] + k * (h[0] * w[1] + h[3] * w[0] - h[1] * w[2]);
        to[skip + 3] = c * h[3] + k * (h[0] * w[2] + h[1] * w[1] - h[2] * w[0]);
        if (skip > 0) {
            /* p' = r v at t / 2, r from the half-way quaternion: second order */
            const double b[4] = {0.5 * (h[0] + to[3]), 0.5 * (h[1] + to[4]), 0.5 * (h[2] + to[5]),
                                 0.5 * (h[3] + to[6])};
            double mid[3];
            for (uint32_t i = 0; i < 3; i++) {
                mid[i] = v[i * s->stride] + 0.5 * t * a[i * s->stride];
            }
            /* b mid b* by two cross products: mid + 2 b0 u x mid + 2 u x (u x mid) */
            const double *u = &b[1];
            const double x[3] = {u[1] * mid[2] - u[2] * mid[1], u[2] * mid[0] - u[0] * mid[2],
                                 u[0] * mid[1] - u[1] * mid[0]};
            const double y[3] = {u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2],
                                 u[0] * x[1] - u[1] * x[0]};
            for (uint32_t i = 0; i < 3; i++) {
                to[i] = q[i * s->stride] + t * (mid[i] + 2 * (b[0] * x[i] + y[i]));
            }
        }
    }
}

/* every kind of joint: velocity is the derivative of position, acceleration that of velocity */
Test(lagrange, motion_is_consistent_in_time)
{
    const double h = 0x1p-16;
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        tq_model *model = robot(seed, TQT_KINDS_ALL, TQT_WITH_ALL);
        tqt_states s = tqt_random_states(seed, model, 1);
        tqt_link_motion *links = calloc(3 * (size_t)model->n_link, sizeof *links);
        double q[ROW_MAX];
        double qd[ROW_MAX];
        double qdd[ROW_MAX];
        tqt_sample(s.qdd, model->nv, s.stride, 0, qdd);
        for (int side = 0; side < 3; side++) {
            later(model, &s, (side == 0 ? 1e-9 : side == 1 ? h : -h), q, qd);
            tqt_move(model, &(tqt_state){q, qd, qdd}, &links[(unsigned)side * model->n_link]);
        }
        for (uint32_t i = 0; i < model->n_link; i++) {
            const tqt_link_motion *now = &links[i];
            const tqt_link_motion *next = &links[model->n_link + i];
            const tqt_link_motion *last = &links[2 * model->n_link + i];
            for (int k = 0; k < 3; k++) {
                const long double v = (next->com[k] - last->com[k]) / (2 * (long double)h);
                const long double a = (next->com_v[k] - last->com_v[k]) / (2 * (long double)h);
                const long double b = (next->omega[k] - last->omega[k]) / (2 * (long double)h);
                /* h^2 jerk with rates of 3 on twelve joints: about 1e-10 * 36^3 */
                cr_assert(fabsl(v - now->com_v[k]) <= 1e-4L, "seed %d link %u", (int)seed, i);
                cr_assert(fabsl(a - now->com_a[k]) <= 1e-4L, "seed %d link %u", (int)seed, i);
                cr_assert(fabsl(b - now->omega_dot[k]) <= 1e-4L, "seed %d link %u", (int)seed, i);
            }
        }
        free(links);
        tqt_states_free(&s);
        tqt_model_free(model);
    }
}

/* Jacobian columns times rates are the velocities of the moving frames */
Test(lagrange, columns_are_velocities)
{
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        tq_model *model = robot(seed, TQT_KINDS_ALL, TQT_WITH_ALL);
        tqt_states s = tqt_random_states(seed, model, 1);
        tqt_link_motion *links = calloc(model->n_link, sizeof *links);
        tqt_column *columns = calloc(6 * (size_t)model->n_joint, sizeof *columns);
        double q[ROW_MAX];
        double qd[ROW_MAX];
        tqt_sample(s.q, model->nq, s.stride, 0, q);
        tqt_sample(s.qd, model->nv, s.stride, 0, qd);
        tqt_move(model, &(tqt_state){q, qd, NULL}, links);
        for (uint32_t i = 0; i < model->n_link; i++) {
            const uint32_t n = tqt_columns(model, links, i, columns);
            long double v[3] = {0};
            long double w[3] = {0};
            long double terms = 1.0L;
            for (uint32_t c = 0; c < n; c++) {
                const tqt_column *column = &columns[c];
                const long double rate = (long double)qd[column->row];
                long double x[3];
                for (int k = 0; k < 3; k++) {
                    x[k] = links[i].com[k] - column->at[k];
                }
                const long double *a = column->angular;
                const long double turn[3] = {a[1] * x[2] - a[2] * x[1], a[2] * x[0] - a[0] * x[2],
                                             a[0] * x[1] - a[1] * x[0]};
                for (int k = 0; k < 3; k++) {
                    v[k] += rate * (column->linear[k] + turn[k]);
                    w[k] += rate * column->angular[k];
                    terms += fabsl(rate) * (1 + fabsl(x[k]));
                }
            }
            for (int k = 0; k < 3; k++) {
                /* 80-bit rounding over twelve joints */
                cr_assert(fabsl(v[k] - links[i].com_v[k]) <= 1e-17L * terms, "seed %d", (int)seed);
                cr_assert(fabsl(w[k] - links[i].omega[k]) <= 1e-17L * terms, "seed %d", (int)seed);
            }
        }
        free(columns);
        free(links);
        tqt_states_free(&s);
        tqt_model_free(model);
    }
}
