/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/excitation/test_descent.c - gradients of a descent by central differences,
 * and what it gains over random motions. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/excitation/excitation_private.h"
#include "tests/support/base_set.h"
#include "tests/support/one_call.h"

enum {
    BYTES = 64 << 20,
    NV_MAX = 8,
    HARMONICS = 3,
    WITH = TQ_REGRESS_VISCOUS | TQ_REGRESS_COULOMB | TQ_REGRESS_OFFSET,
};

typedef struct bench {
    tqa_robot *robot;
    void *memory;
    tq_scratch scratch;
    tq_base_set base;
    double lower[NV_MAX], upper[NV_MAX], velocity[NV_MAX], acceleration[NV_MAX], effort[NV_MAX];
    tq_geom geoms[3];
    tq_clearance clearance;
    tq_excitation_task task;
} bench;

static const uint32_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};

static void set_up(bench *b, const char *name)
{
    *b = (bench){.robot = tqt_builtin(name), .memory = aligned_alloc(64, BYTES)};
    const tq_model *model = b->robot->model;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    double *values = tqt_base_set(model, WITH, &(tq_base_options){0}, &b->scratch, &b->base);
    cr_assert(ne(ptr, values, NULL));
    for (size_t v = 0; v < model->nv; v++) {
        b->lower[v] = -1.5, b->upper[v] = 2.0;
        b->velocity[v] = 2.0, b->acceleration[v] = 6.0, b->effort[v] = HUGE_VAL;
    }
    b->task = (tq_excitation_task){.model = model,
                                   .with = WITH,
                                   .base = &b->base,
                                   .values = values,
                                   .gravity = model->gravity,
                                   .lower = b->lower,
                                   .upper = b->upper,
                                   .velocity = b->velocity,
                                   .acceleration = b->acceleration,
                                   .effort = b->effort,
                                   .frequency = 0.2,
                                   .n_harmonic = HARMONICS,
                                   .criterion = TQ_EXCITATION_TORQUE_ERROR,
                                   .seed = 7};
}

/* A capsule on the last link and one on the third, above a floor. */
static void add_solids(bench *b)
{
    const double capsule[2] = {0.05, 0.2};
    const tq_model *model = b->robot->model;
    b->geoms[0] = tq_geom_of(TQ_GEOM_CAPSULE, capsule);
    b->geoms[0].link = model->joints[model->order[5]].child;
    b->geoms[1] = tq_geom_of(TQ_GEOM_CAPSULE, capsule);
    b->geoms[1].link = model->joints[model->order[1]].child;
    b->geoms[2] = tq_geom_of(TQ_GEOM_HALF_SPACE, NULL);
    b->geoms[2].link = TQ_NONE;
    b->geoms[2].pose.p[2] = -0.3;
    b->clearance =
        (tq_clearance){.geoms = b->geoms, .n_geom = 3, .n_pair = 3, .pairs = pairs, .least = 0.05};
    b->task.clearance = &b->clearance;
}

static void tear_down(bench *b)
{
    tqa_robot_free(b->robot);
    free(b->memory);
}

/* The gradient by every variable, of motions within and beyond their limits. */
static void check_slope(bench *b)
{
    static const double step = 1e-5, penalty = 10.0;
    tq_excitation s;
    const size_t n = tq_descent_variables(&b->task), mark = tq_scratch_mark(&b->scratch);
    double *slope = malloc(n * sizeof *slope);
    cr_assert(eq(int, tq_excitation_begin(&b->task, &b->scratch, &s, NULL), TQ_OK));
    tq_descent *d = &s.room->descent;
    tq_descent_units(&s);
    for (double size = 0.7; size < 1.6; size += 0.8) { /* beyond: 1.5 times as large */
        double value = 0.0, before = 0.0, after = 0.0, worst = 0.0, largest = 0.0;
        memcpy(s.room->offset, s.room->best_offset, s.task.model->nv * sizeof(double));
        memcpy(s.room->a, s.room->best_a, HARMONICS * s.task.model->nv * sizeof(double));
        memcpy(s.room->b, s.room->best_b, HARMONICS * s.task.model->nv * sizeof(double));
        tq_descent_fold(&s, d->tested);
        for (size_t k = 0; k < n; k++) {
            d->tested[k] *= size;
        }
        cr_assert(eq(int, tq_descent_slope(&s, penalty, &value, NULL), TQ_OK));
        memcpy(slope, d->tested_slope, n * sizeof *slope);
        for (size_t k = 0; k < n; k++) {
            const double is = d->tested[k];
            d->tested[k] = is + step;
            cr_assert(eq(int, tq_descent_slope(&s, penalty, &after, NULL), TQ_OK));
            d->tested[k] = is - step;
            cr_assert(eq(int, tq_descent_slope(&s, penalty, &before, NULL), TQ_OK));
            d->tested[k] = is;
            worst = fmax(worst, fabs((after - before) / (2.0 * step) - slope[k]));
            largest = fmax(largest, fabs(slope[k]));
        }
        /* forward differences of 1e-6 inside, of functions with curvatures of some hundred */
        cr_assert(worst < 1e-3 * largest && largest > 0.01, "%g of %g", worst, largest);
    }
    tq_scratch_rewind(&b->scratch, mark);
    free(slope);
}

Test(descent, the_gradient_is_that_of_differences)
{
    bench b;
    set_up(&b, "ur10e");
    check_slope(&b);
    b.task.criterion = TQ_EXCITATION_DETERMINANT;
    check_slope(&b);
    for (size_t v = 0; v < b.task.model->nv; v++) {
        b.effort[v] = 10.0; /* gravity alone exceeds it in some poses */
    }
    check_slope(&b);
    add_solids(&b);
    check_slope(&b);
    tear_down(&b);
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

Test(descent, a_designed_motion_has_at_most_half_the_error_of_the_median_random_one)
{
    enum { RANDOM = 21 };
    bench b;
    set_up(&b, "ur10e");
    double errors[RANDOM];
    const size_t mark = tq_scratch_mark(&b.scratch);
    tq_excitation s;
    for (size_t k = 0; k < RANDOM; k++) {
        b.task.seed = 100 + k;
        cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &s, NULL), TQ_OK));
        errors[k] = s.score.torque_error;
        tq_scratch_rewind(&b.scratch, mark);
    }
    qsort(errors, RANDOM, sizeof *errors, ascending);
    b.task.seed = 0;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &s, NULL), TQ_OK));
    cr_assert(eq(int, tq_excitation_try(&s, 199, 25, NULL), TQ_OK));
    cr_assert(s.score.torque_error <= 0.5 * errors[RANDOM / 2], "%g of %g", s.score.torque_error,
              errors[RANDOM / 2]);
    tear_down(&b);
}

Test(descent, solids_keep_their_clearance)
{
    bench b;
    set_up(&b, "ur10e");
    add_solids(&b);
    tq_excitation s;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &s, NULL), TQ_OK));
    cr_assert(eq(int, tq_excitation_try(&s, 199, 25, NULL), TQ_OK));
    cr_assert(s.first.distance < b.clearance.least, "the case is without purpose");
    cr_assert(s.score.distance >= b.clearance.least, "%g", s.score.distance);
    cr_assert(s.score.torque_error < s.first.torque_error);
    double least = HUGE_VAL;
    for (size_t i = 0; i < 4999; i++) { /* other samples than the search's own */
        double q[NV_MAX], qd[NV_MAX], qdd[NV_MAX], at = 0.0;
        tq_fourier_at(&s.motion, 5.0 * (double)i / 4999.0, q, qd, qdd);
        cr_assert(eq(int, tq_clearance_at(&s, q, 0.0, 0.0, &at, NULL, NULL, NULL), TQ_OK));
        least = fmin(least, at);
    }
    cr_assert(least >= b.clearance.least - 1e-3, "%g", least);
    tear_down(&b);
}
