/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/simulate/test_run_closed_form.c - bodies with known motion: tops, free
 * flight, springs; and the energy of a falling arm. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/energy.h"
#include "core/lanes/table.h"
#include "core/simulate/run.h"
#include "tests/support/one_call.h"
#include "tests/support/random_robot.h"

enum { BYTES = 4 << 20, LANE = 8 };

typedef struct bench {
    tq_model *model;
    void *home, *memory;
    tq_scratch scratch;
    tq_plant plant;
} bench;

static bench open_bench(tq_model *model)
{
    bench b = {.model = model, .memory = aligned_alloc(64, BYTES)};
    cr_assert(eq(int, tq_lanes_select(0), TQ_OK));
    if (model != NULL) {
        const tq_mechanism *mechanism = NULL;
        const size_t size = (tq_mechanism_size(model) + 63) / 64 * 64;
        b.home = aligned_alloc(64, size);
        cr_assert(eq(int, tq_mechanism_build(model, b.home, size, &mechanism, NULL), TQ_OK));
        b.plant.mechanism = mechanism;
    }
    return b;
}

static void close_bench(bench *b)
{
    free(b->home);
    free(b->memory);
    if (b->model != NULL) {
        tqt_model_free(b->model);
    }
}

static tq_run *start(bench *b, tq_run_method method, double tolerance, const double *q,
                     const double *qd)
{
    const tq_run_options options = {
        .method = method, .rtol = tolerance, .atol = tolerance, .step = 1e-3, .end = 100.0};
    tq_run *run = NULL;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    cr_assert(eq(int, tq_run_open(&b->plant, &options, &b->scratch, &run, NULL), TQ_OK));
    cr_assert(eq(int, tq_run_start(run, 0, q, qd, NULL), TQ_OK));
    return run;
}

static tq_model *one_body(tq_joint_kind kind, double mass, double at, double i1, double i2,
                          double i3)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = kind, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->links[1].inertia =
        (tq_inertia){.mass = mass, .com = {0, 0, at}, .about_com = {i1, 0, 0, i2, 0, i3}};
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    return m;
}

/* A heavy symmetric top precesses steadily about the vertical by W when I1 cos(th) W^2 - I3 w3 W +
 * m g l = 0: H. Goldstein, Classical Mechanics, 5.7. Without spin and hanging it is the conical
 * pendulum. */
Test(closed_form, tops_and_conical_pendulums_precess)
{
    const struct {
        double tilt, i3, spin;
        int slow; /* which of the two solutions */
    } rows[] = {
        {0.5, 0.02, 90.0, 1}, {0.5, 0.02, 90.0, 0}, {2.4, 1e-3, 0.0, 0}, {1.9, 1e-3, 0.0, 1}};
    const double mass = 1.5, l = 0.3, about_com = 0.01;
    const double i1 = about_com + mass * l * l, weight = mass * 9.81 * l;
    const tq_run_method methods[] = {TQ_RUN_DOPRI87, TQ_RUN_DOPRI45};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        bench b =
            open_bench(one_body(TQ_JOINT_SPHERICAL, mass, l, about_com, about_com, rows[k].i3));
        const double c = cos(rows[k].tilt), s = sin(rows[k].tilt);
        const double half = rows[k].i3 * rows[k].spin / (2 * i1 * c);
        const double root = sqrt(half * half - weight / (i1 * c));
        const double w = half + (rows[k].slow ? -1.0 : 1.0) * root;
        /* tilted about y; angular velocity in the child frame */
        const double q[4] = {cos(rows[k].tilt / 2), 0, sin(rows[k].tilt / 2), 0};
        const double qd[3] = {-s * w, 0, rows[k].spin};
        for (int m = 0; m < 2; m++) {
            tq_run *run = start(&b, methods[m], 1e-12, q, qd);
            for (int i = 1; i <= 8; i++) {
                const double t = 0.25 * i;
                cr_assert(tq_run_to(run, t, 0));
                const double *at = run->state->q;
                const double a[4] = {at[0], at[LANE], at[2 * LANE], at[3 * LANE]};
                const double axis[3] = {2 * (a[1] * a[3] + a[0] * a[2]),
                                        2 * (a[2] * a[3] - a[0] * a[1]),
                                        1 - 2 * (a[1] * a[1] + a[2] * a[2])};
                const double want[3] = {s * cos(w * t), s * sin(w * t), c};
                for (int r = 0; r < 3; r++) {
                    cr_assert(epsilon_eq(dbl, axis[r], want[r], 2e-9),
                              "row %zu method %d t = %g: turns of %g rad/s", k, m, t, w);
                }
            }
            tq_run_close(run);
        }
        close_bench(&b);
    }
}

Test(closed_form, a_free_body_keeps_its_momentum_and_flies_a_parabola)
{
    const double inertia[3] = {0.3, 0.2, 0.12};
    bench b = open_bench(one_body(TQ_JOINT_FLOATING, 2.0, 0, 0.3, 0.2, 0.12));
    const double q[7] = {1, 2, 3, 1, 0, 0, 0}, qd[6] = {0.4, -0.2, 2.0, 1.0, 6.0, -0.2};
    tq_run *run = start(&b, TQ_RUN_DOPRI87, 1e-12, q, qd);
    for (int k = 1; k <= 10; k++) {
        const double t = 0.5 * k;
        cr_assert(tq_run_to(run, t, 0));
        const double *x = run->state->q, *v = run->state->qd;
        const double w = x[3 * LANE], u[3] = {x[4 * LANE], x[5 * LANE], x[6 * LANE]};
        cr_assert(epsilon_eq(dbl, w * w + u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1.0, 1e-14));
        cr_assert(epsilon_eq(dbl, x[0], 1 + 0.4 * t, 1e-9));
        cr_assert(epsilon_eq(dbl, x[2 * LANE], 3 + 2.0 * t - 0.5 * 9.81 * t * t, 1e-9));
        double spin = 0, moment[3];
        for (int r = 0; r < 3; r++) {
            moment[r] = inertia[r] * v[(3 + r) * LANE];
            spin += moment[r] * v[(3 + r) * LANE];
        }
        cr_assert(epsilon_eq(dbl, spin, 0.3 + 0.2 * 36 + 0.12 * 0.04, 1e-9));
        /* to world axes: R m = m + 2 w (u x m) + 2 u x (u x m) */
        const double a[3] = {u[1] * moment[2] - u[2] * moment[1],
                             u[2] * moment[0] - u[0] * moment[2],
                             u[0] * moment[1] - u[1] * moment[0]};
        const double c[3] = {u[1] * a[2] - u[2] * a[1], u[2] * a[0] - u[0] * a[2],
                             u[0] * a[1] - u[1] * a[0]};
        const double want[3] = {0.3, 1.2, -0.024};
        for (int r = 0; r < 3; r++) {
            cr_assert(epsilon_eq(dbl, moment[r] + 2 * w * a[r] + 2 * c[r], want[r], 1e-9));
        }
    }
    tq_run_close(run);
    close_bench(&b);
}

Test(closed_form, a_sprung_pendulum_at_rest_stays_there_in_every_method)
{
    tqa_robot *robot = tqt_builtin("sprung-pendulum");
    bench b = open_bench(NULL);
    b.plant.mechanism = robot->mechanism;
    const tq_model *m = robot->model;
    double q[2] = {0}, zero[2] = {0}, g[2 * LANE] = {0};
    _Alignas(64) double rows[2 * LANE], tau[2 * LANE];
    cr_assert(all(eq(int, (int)m->nq, 2), eq(int, (int)m->nv, 2)));
    /* Newton's method to the configuration without torque */
    for (int k = 0; k < 60; k++) {
        double j[4];
        for (int c = -1; c < 2; c++) {
            for (int r = 0; r < 2 * LANE; r++) {
                rows[r] = q[r / LANE] + (c == r / LANE ? 1e-6 : 0.0);
            }
            const tq_inverse_input still = {.n_sample = 1, .stride = LANE, .q = rows};
            tq_scratch_init(&b.scratch, b.memory, BYTES);
            cr_assert(eq(int, tq_inverse_dynamics(b.plant.mechanism, &still, &b.scratch, tau, NULL),
                         TQ_OK));
            for (int r = 0; r < 2; r++) {
                if (c < 0) {
                    g[r] = tau[r * LANE];
                } else {
                    j[2 * r + c] = (tau[r * LANE] - g[r]) / 1e-6;
                }
            }
        }
        const double det = j[0] * j[3] - j[1] * j[2];
        q[0] -= (j[3] * g[0] - j[1] * g[1]) / det;
        q[1] -= (j[0] * g[1] - j[2] * g[0]) / det;
    }
    for (int method = 0; method < TQ_RUN_MOREAU; method++) {
        tq_run *run = start(&b, (tq_run_method)method, 1e-10, q, zero);
        cr_assert(tq_run_to(run, 5.0, 0));
        for (int r = 0; r < 2; r++) {
            cr_assert(epsilon_eq(dbl, run->state->q[r * LANE], q[r], 1e-7), "method %d", method);
        }
        tq_run_close(run);
    }
    tqa_robot_free(robot);
    close_bench(&b);
}

Test(closed_form, a_panda_that_falls_for_ten_seconds_keeps_its_energy)
{
    tqa_robot *robot = tqt_builtin("panda");
    bench b = open_bench(NULL);
    b.plant = (tq_plant){.mechanism = robot->mechanism, .without = TQ_WITHOUT_FRICTION};
    const double q[7] = {0, -0.8, 0, -2.3, 0, 1.6, 0.8}, qd[7] = {0};
    tq_run *run = start(&b, TQ_RUN_DOPRI87, 1e-13, q, qd);
    double first = 0, worst = 0, kinetic = 0;
    for (int k = 0; k <= 100; k++) {
        _Alignas(64) double e[2 * LANE];
        cr_assert(k == 0 || tq_run_to(run, 0.1 * k, 0));
        const tq_inverse_input at = {
            .n_sample = 1, .stride = LANE, .q = run->state->q, .qd = run->state->qd};
        cr_assert(eq(int, tq_energy(b.plant.mechanism, &at, &b.scratch, e, NULL), TQ_OK));
        first = k == 0 ? e[0] + e[LANE] : first;
        worst = fmax(worst, fabs(e[0] + e[LANE] - first));
        kinetic = fmax(kinetic, e[0]);
    }
    cr_assert(lt(dbl, worst, 1e-10 * kinetic), "%g of %g J", worst, kinetic);
    tq_run_close(run);
    tqa_robot_free(robot);
    close_bench(&b);
}
