/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/stability/test_error_growth.c - errors along runs with closed forms: a
 * pendulum that swings, one that is upright, a mass that a force drives. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stability/error_growth.h"
#include "tests/support/pendulum.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { POINTS = 301, WIDTH = 4 };
static const double w2 = 9.81 / 0.5; /* of the pendulum: g / l */

typedef struct bench {
    tq_model *model;
    tqt_subject *subject;
    tq_plant plant;
    tq_error_run run;
    double points[POINTS * WIDTH]; /* t, q, qd, qdd */
    void *memory;
    tq_scratch scratch;
} bench;

static void open_bench(bench *b, tq_model *model, double duration)
{
    *b = (bench){.model = model, .subject = tqt_subject_new(model, 0)};
    b->plant.mechanism = b->subject->mechanism;
    b->run = (tq_error_run){.plant = &b->plant,
                            .n = POINTS,
                            .points = b->points,
                            .width = WIDTH,
                            .is_adaptive = true,
                            .duration = duration,
                            .step_error = 1e-9,
                            .tolerated = 1e-3};
    for (int k = 0; k < POINTS; k++) {
        b->points[k * WIDTH] = duration * k / (POINTS - 1);
    }
    const size_t size = (tq_error_growth_scratch_size(&b->plant) + 63) / 64 * 64;
    b->memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    tq_scratch_init(&b->scratch, b->memory, size);
    tqt_spoil(&b->scratch);
}

static void close_bench(bench *b)
{
    tq_scratch_release(b->memory, b->scratch.size);
    free(b->memory);
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
}

static tq_error_growth grow(bench *b)
{
    tq_error_growth ret;
    tq_error error = {0};
    cr_assert(eq(int, tq_error_growth_compute(&b->run, &b->scratch, &ret, &error), TQ_OK), "%s",
              error.what);
    cr_expect(eq(sz, tq_scratch_mark(&b->scratch), (size_t)0));
    return ret;
}

/* A unit error of the angle grows as d th / d th0, one of the rate as the motion's own variation
 * by time, th' / th''(0), since x'' depends on x alone. */
Test(error_growth, gain_of_a_swinging_pendulum)
{
    static const double start = 2.0, eps = 1e-5;
    bench b;
    open_bench(&b, tqt_pendulum(), 3.0);
    for (int k = 0; k < POINTS; k++) {
        double *p = b.points + (size_t)k * WIDTH;
        tqt_pendulum_at(start, p[0], &p[1], &p[2]);
        p[3] = -w2 * sin(p[1]);
    }
    double rate = 0.0, more = 0.0, less = 0.0, ignored = 0.0;
    tqt_pendulum_at(start, 3.0, &ignored, &rate);
    tqt_pendulum_at(start + eps, 3.0, &more, &ignored);
    tqt_pendulum_at(start - eps, 3.0, &less, &ignored);
    const double of_angle = (more - less) / (2 * eps), of_rate = rate / (-w2 * sin(start));
    const double want = sqrt(of_angle * of_angle + of_rate * of_rate);
    const tq_error_growth g = grow(&b);
    cr_expect(g.is_known && !g.is_coarse && !g.is_lost);
    /* 3e-4 for each of some 20 stretches, of either sign */
    cr_expect(epsilon_eq(dbl, g.gain, want, 2e-3 * want), "%g %g", g.gain, want);
    cr_expect(epsilon_eq(dbl, g.error[TQ_ERROR_INTEGRATOR], 1e-9 * g.gain, 1e-24));
    /* at the start: x'' = -w^2 cos(2) x, upward of horizontal */
    cr_expect(epsilon_eq(dbl, g.start.rate, sqrt(-w2 * cos(start)), 1e-6), "%g", g.start.rate);
    close_bench(&b);
}

/* upright and at rest: x = cosh(s t), sinh(s t) / s for unit errors of angle and rate */
Test(error_growth, horizon_of_an_upright_pendulum)
{
    const double s = sqrt(w2);
    bench b;
    open_bench(&b, tqt_pendulum(), 2.0);
    for (int k = 0; k < POINTS; k++) {
        b.points[k * WIDTH + 1] = M_PI;
    }
    b.run.tolerated = 1e-6;
    const tq_error_growth within = grow(&b);
    const double gain = hypot(cosh(2 * s), sinh(2 * s) / s);
    cr_expect(epsilon_eq(dbl, within.gain, gain, 1e-6 * gain), "%g %g", within.gain, gain);
    /* between points the error grows by nearly exp(s t): 10 ms apart */
    const double t = within.horizon[TQ_ERROR_INTEGRATOR];
    cr_expect(epsilon_eq(dbl, 1e-9 * hypot(cosh(s * t), sinh(s * t) / s), 1e-6, 1e-8), "%g", t);
    /* beyond the end they go on by the fastest rate, here s itself */
    b.run.tolerated = 1.0;
    const tq_error_growth beyond = grow(&b);
    const double later = 2.0 + log(1.0 / (1e-9 * gain)) / s;
    cr_expect(epsilon_eq(dbl, beyond.horizon[TQ_ERROR_INTEGRATOR], later, 1e-6), "%g",
              beyond.horizon[TQ_ERROR_INTEGRATOR]);
    /* sources that are not known have no error */
    cr_expect(eq(dbl, within.error[TQ_ERROR_MODEL], 0.0));
    cr_expect(isinf(within.horizon[TQ_ERROR_MODEL]));
    close_bench(&b);
}

/* A mass under a constant force: a part u of its inertial force is missing, x'' = u a. Without
 * gravity nothing else grows but t. */
Test(error_growth, missing_inertial_force_of_a_mass)
{
    static const double a = 3.0, u = 0.01;
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_PRISMATIC, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->links[1].inertia.mass = 2.0;
    memset(m->gravity, 0, sizeof m->gravity);
    cr_assert(eq(int, tq_model_finish(m, NULL), TQ_OK));
    bench b;
    open_bench(&b, m, 1.5);
    for (int k = 0; k < POINTS; k++) {
        double *p = b.points + (size_t)k * WIDTH;
        p[1] = a * p[0] * p[0] / 2;
        p[2] = a * p[0];
        p[3] = a;
    }
    b.run.uncertainty = u;
    b.run.tolerated = 0.01;
    const tq_error_growth g = grow(&b);
    cr_expect(epsilon_eq(dbl, g.error[TQ_ERROR_MODEL], u * a * 1.5 * 1.5 / 2, 1e-12));
    /* u a t^2 / 2 = 0.01; between points 80 ms apart the formula is exponential */
    const double t = sqrt(2 * 0.01 / (u * a));
    cr_expect(epsilon_eq(dbl, g.horizon[TQ_ERROR_MODEL], t, 2e-3), "%g %g",
              g.horizon[TQ_ERROR_MODEL], t);
    cr_expect(epsilon_eq(dbl, g.gain, hypot(1.0, 1.5), 1e-12), "%g", g.gain);
    close_bench(&b);
}

static int is_stopped(void *ctx)
{
    int *left = ctx;
    return --*left < 0;
}

Test(error_growth, a_cancelled_run_has_none)
{
    int left = 2;
    tq_error_growth ret;
    bench b;
    open_bench(&b, tqt_pendulum(), 1.0);
    tq_scratch_set_stop(&b.scratch, is_stopped, &left);
    cr_expect(eq(int, tq_error_growth_compute(&b.run, &b.scratch, &ret, NULL), TQ_ERR_STOPPED));
    cr_expect(eq(int, left, -1));
    close_bench(&b);
}

/* no mass, no acceleration */
Test(error_growth, a_plant_without_inertia_has_none)
{
    tq_model *m = tqt_pendulum();
    m->links[1].inertia.mass = 0.0;
    bench b;
    open_bench(&b, m, 1.0);
    const tq_error_growth g = grow(&b);
    cr_expect(not(g.is_known));
    close_bench(&b);
}
