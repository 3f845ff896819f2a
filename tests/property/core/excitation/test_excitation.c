/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/excitation/test_excitation.c - excitations respect limits, and the score
 * improves. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/excitation/excitation.h"
#include "tests/support/base_set.h"
#include "tests/support/one_call.h"

enum { BYTES = 64 << 20, NV_MAX = 16, DENSE = 4999, WITH = TQ_REGRESS_VISCOUS | TQ_REGRESS_OFFSET };

/* A task on a built-in robot with limits set by the test, and its memory. */
typedef struct bench {
    tqa_robot *robot;
    void *memory;
    tq_scratch scratch;
    tq_base_set base;
    double lower[NV_MAX], upper[NV_MAX], velocity[NV_MAX], acceleration[NV_MAX], effort[NV_MAX];
    tq_excitation_task task;
} bench;

static void set_up(bench *b, const char *name, size_t n_harmonic)
{
    *b = (bench){.robot = tqt_builtin(name), .memory = aligned_alloc(64, BYTES)};
    const tq_model *model = b->robot->model;
    tq_scratch_init(&b->scratch, b->memory, BYTES);
    double *values = tqt_base_set(model, WITH, &(tq_base_options){0}, &b->scratch, &b->base);
    cr_assert(ne(ptr, values, NULL));
    for (size_t v = 0; v < model->nv; v++) {
        b->lower[v] = -0.5 - 0.1 * (double)v;
        b->upper[v] = 1.0;
        b->velocity[v] = v % 3 == 1 ? 0.4 : 2.0;
        b->acceleration[v] = v % 3 == 2 ? 0.5 : HUGE_VAL;
        b->effort[v] = HUGE_VAL;
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
                                   .n_harmonic = n_harmonic,
                                   .seed = 7};
}

static void tear_down(bench *b)
{
    tqa_robot_free(b->robot);
    free(b->memory);
}

static tq_excitation search(bench *b, size_t n)
{
    tq_excitation found;
    cr_assert(eq(int, tq_excitation_begin(&b->task, &b->scratch, &found, NULL), TQ_OK));
    cr_assert(eq(int, tq_excitation_try(&found, n, 10, NULL), TQ_OK));
    return found;
}

Test(excitation, limits_are_kept_between_samples_and_a_period_begins_at_rest)
{
    static const char *const robots[] = {"planar-2r", "ur10e", "panda"};
    for (size_t r = 0; r < sizeof robots / sizeof robots[0]; r++) {
        for (size_t h = 2; h <= 7; h += 5) {
            bench b;
            set_up(&b, robots[r], h);
            b.task.criterion = h == 2 ? TQ_EXCITATION_CONDITION : TQ_EXCITATION_TORQUE_ERROR;
            const size_t nv = b.task.model->nv;
            const tq_excitation found = search(&b, 60);
            cr_assert(found.n_better > 0);
            for (size_t i = 0; i <= DENSE; i++) {
                double q[NV_MAX], qd[NV_MAX], qdd[NV_MAX];
                tq_fourier_at(&found.motion, 5.0 * (double)i / (double)DENSE, q, qd, qdd);
                for (size_t v = 0; v < nv; v++) {
                    cr_assert(q[v] >= b.lower[v] && q[v] <= b.upper[v], "%s", robots[r]);
                    cr_assert(fabs(qd[v]) <= b.velocity[v], "%s", robots[r]);
                    cr_assert(fabs(qdd[v]) <= b.acceleration[v], "%s", robots[r]);
                    /* sums of h terms of at most 2 rad/s and 9 rad/s^2 that cancel */
                    const bool ends = i == 0 || i == DENSE;
                    cr_assert(ends == false || (fabs(qd[v]) < 1e-13 && fabs(qdd[v]) < 1e-12));
                }
            }
            tear_down(&b);
        }
    }
}

Test(excitation, trying_more_is_never_worse_and_cuts_change_nothing)
{
    bench b;
    set_up(&b, "ur10e", 4);
    const size_t mark = tq_scratch_mark(&b.scratch);
    tq_excitation few = search(&b, 15);
    const tq_excitation_score first = few.first, then = few.score;
    cr_assert(then.condition <= first.condition);
    cr_assert(eq(int, tq_excitation_try(&few, 60, 10, NULL), TQ_OK));
    cr_assert(few.score.condition < then.condition && few.n_better > 0);
    cr_assert(eq(sz, few.n_tried, 76));
    double offset[NV_MAX];
    memcpy(offset, few.motion.offset, b.task.model->nv * sizeof *offset);
    const double condition = few.score.condition;
    tq_scratch_rewind(&b.scratch, mark);
    const tq_excitation whole = search(&b, 75);
    cr_assert(whole.score.condition == condition);
    cr_assert(memcmp(offset, whole.motion.offset, b.task.model->nv * sizeof *offset) == 0);
    tear_down(&b);
}

/* After every try the state is saved and loaded into a new search. */
static void save_and_load(tq_excitation_criterion criterion)
{
    enum { TRIES = 60, RANDOM = 10 };
    bench b;
    set_up(&b, "ur10e", 4);
    b.task.criterion = criterion;
    const size_t nv = b.task.model->nv, n = tq_excitation_save_size(&b.task);
    const size_t mark = tq_scratch_mark(&b.scratch);
    const tq_excitation whole = search(&b, TRIES);
    const size_t n_a = 4 * nv * sizeof(double);
    double want[(1 + 4 + 4) * NV_MAX];
    memcpy(want, whole.motion.offset, nv * sizeof *want);
    memcpy(want + NV_MAX, whole.motion.a, n_a);
    memcpy(want + 5 * NV_MAX, whole.motion.b, n_a);
    unsigned char *saved = malloc(n);
    tq_excitation part = {0};
    for (size_t i = 0; i < TRIES; i++) {
        tq_scratch_rewind(&b.scratch, mark);
        const size_t n_rest = b.scratch.size - b.scratch.used - 64;
        memset(tq_scratch_take(&b.scratch, n_rest, 1), 0xff, n_rest); /* overwrites the old
                                                                         search */
        tq_scratch_rewind(&b.scratch, mark);
        cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &part, NULL), TQ_OK));
        cr_assert(i == 0 || tq_excitation_load(&part, saved, n));
        cr_assert(eq(sz, part.n_tried, i + 1));
        cr_assert(eq(int, tq_excitation_try(&part, 1, RANDOM, NULL), TQ_OK));
        tq_excitation_save(&part, saved);
    }
    cr_assert(eq(sz, part.n_tried, whole.n_tried));
    cr_assert(eq(sz, part.n_better, whole.n_better));
    cr_assert(memcmp(&part.score, &whole.score, sizeof part.score) == 0);
    cr_assert(memcmp(&part.first, &whole.first, sizeof part.first) == 0);
    cr_assert(memcmp(part.motion.offset, want, nv * sizeof *want) == 0);
    cr_assert(memcmp(part.motion.a, want + NV_MAX, n_a) == 0);
    cr_assert(memcmp(part.motion.b, want + 5 * NV_MAX, n_a) == 0);
    free(saved);
    tear_down(&b);
}

Test(excitation, saved_and_loaded_between_all_tries_has_the_same_bits)
{
    save_and_load(TQ_EXCITATION_CONDITION);
}

Test(excitation, a_descent_saved_and_loaded_between_all_tries_has_the_same_bits)
{
    save_and_load(TQ_EXCITATION_TORQUE_ERROR);
}

Test(excitation, a_checkpoint_of_another_search_is_refused)
{
    bench b;
    set_up(&b, "planar-2r", 3);
    const size_t n = tq_excitation_save_size(&b.task);
    unsigned char *saved = malloc(n);
    tq_excitation found = search(&b, 5);
    tq_excitation_save(&found, saved);
    cr_assert(tq_excitation_load(&found, saved, n - 1) == false);
    cr_assert(tq_excitation_load(&found, saved, n));
    const tq_excitation_task task = b.task;
    b.task.seed++;
    found = search(&b, 7);
    cr_assert(tq_excitation_load(&found, saved, n) == false);
    cr_assert(eq(sz, found.n_tried, 8), "unchanged");
    b.task = task, b.task.frequency = 0.3;
    found = search(&b, 7);
    cr_assert(tq_excitation_load(&found, saved, n) == false);
    b.task = task, b.task.criterion = TQ_EXCITATION_DETERMINANT;
    found = search(&b, 7);
    cr_assert(tq_excitation_load(&found, saved, n) == false);
    free(saved);
    tear_down(&b);
}

Test(excitation, limits_of_torque_come_before_the_condition)
{
    bench b;
    set_up(&b, "planar-2r", 3);
    tq_excitation found = search(&b, 40);
    cr_assert(found.score.excess < 0.0); /* without a limit */
    for (size_t v = 0; v < b.task.model->nv; v++) {
        b.effort[v] = 1e-3; /* gravity alone exceeds this limit */
    }
    found = search(&b, 40);
    cr_assert(found.score.excess > 0.0 && found.score.excess <= found.first.excess);
    tear_down(&b);
}

Test(excitation, a_joint_that_cannot_move_leaves_parameters_unexcited)
{
    bench b;
    set_up(&b, "planar-2r", 3);
    b.velocity[1] = 1e-300;
    const tq_excitation found = search(&b, 5);
    cr_assert(isinf(found.score.condition) && isinf(found.score.information));
    tear_down(&b);
}

Test(excitation, what_cannot_be_searched_is_refused)
{
    bench b;
    tq_excitation found;
    set_up(&b, "planar-2r", 3);
    tq_scratch little = b.scratch;
    little.size = little.used + tq_excitation_scratch_size(&b.task) / 2;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &little, &found, NULL), TQ_ERR_SCRATCH));
    const size_t first = b.scratch.used;
    for (size_t k = 0; k < tq_excitation_scratch_size(&b.task); k += 64) {
        little = b.scratch;
        little.size = first + k;
        cr_assert(eq(int, tq_excitation_begin(&b.task, &little, &found, NULL), TQ_ERR_SCRATCH));
        cr_assert(eq(sz, little.used, first));
    }
    const size_t before = b.scratch.used;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &found, NULL), TQ_OK));
    cr_assert(b.scratch.used - before <= tq_excitation_scratch_size(&b.task));
    tq_base_set none = b.base;
    none.n_base = 0;
    b.task.base = &none;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &found, NULL), TQ_ERR_SHAPE));
    tear_down(&b);
    tqa_robot *floating = tqt_builtin("quadruped");
    b.task.model = floating->model;
    b.task.base = &b.base;
    cr_assert(eq(int, tq_excitation_begin(&b.task, &b.scratch, &found, NULL), TQ_ERR_SHAPE));
    tqa_robot_free(floating);
}
