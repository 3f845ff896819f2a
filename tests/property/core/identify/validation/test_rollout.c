/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/validation/test_rollout.c - a model simulated with measured torque
 * moves as measured; a wrong model does not. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/validation/rollout.h"
#include "tests/support/fit_bench.h"
#include "tests/support/random_robot.h"

enum { SAMPLES = 2000, RATE = 500, JOINTS = 4 };

/* a chain of revolute joints whose friction is smooth enough for steps of 4 ms */
static tq_model *arm(double coulomb, double smoothing)
{
    const tqt_robot_options options = {.n_joint = JOINTS,
                                       .kinds = 1u << TQ_JOINT_REVOLUTE,
                                       .with = TQT_WITH_FRICTION | TQT_WITH_ROTOR};
    tq_model *model = tqt_random_robot(3, options);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].friction =
            (tq_friction){.viscous = .5, .coulomb = coulomb, .smoothing = smoothing, .offset = .1};
        model->joints[j].rotor = (tq_rotor){.inertia = 1, .ratio = 1};
    }
    return model;
}

typedef struct outcome {
    tq_rollout_error joint[JOINTS];
    size_t n_window, n_lost;
} outcome;

/* a whole experiment, in blocks; the clock jumps by `jump` seconds before sample `gap` */
static outcome replay_over(tqt_fit_bench *b, const tqt_excited *x, const double *value,
                           const tq_rollout_plan *plan, size_t gap, double jump)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    double *memory = tqt_doubles(4 * x->nv * TQ_BLOCK), t[TQ_BLOCK];
    tq_rollout *r = NULL;
    outcome ret = {0};
    cr_assert(eq(int, tq_rollout_begin(b->fit, value, plan, &b->scratch, &r, NULL), TQ_OK));
    for (size_t k = 0; k < tq_block_count(x->n_sample); k++) {
        const tq_experiment_block block = tqt_excited_block(x, k, memory);
        for (size_t i = 0; i < block.n_sample; i++) {
            const size_t at = k * TQ_BLOCK + i;
            t[i] = (double)at / x->rate + (at >= gap ? jump : 0);
        }
        cr_assert(eq(int, tq_rollout_push(r, &block, t, NULL), TQ_OK));
    }
    cr_assert(eq(int, tq_rollout_end(r, NULL), TQ_OK));
    for (size_t row = 0; row < x->nv; row++) {
        ret.joint[row] = tq_rollout_of(r, row);
    }
    ret.n_window = tq_rollout_windows(r, &ret.n_lost);
    tq_scratch_rewind(&b->scratch, mark);
    free(memory);
    return ret;
}

static tqt_fit_bench fitted(tq_model *model, const tqt_excited *x, tq_fit_method method)
{
    tqt_fit_bench b = tqt_fit_open(model);
    tq_fit_options options = tq_fit_defaults();
    options.method = method;
    tqt_fit_build(&b, &options, 1);
    tqt_fit_read(b.fit, 0, x, &b.scratch);
    tqt_fit_solve(&b);
    return b;
}

static tqt_excited excited(tq_model *model, double rate)
{
    tqt_subject *subject = tqt_subject_new(model, 0);
    tqt_excited x = tqt_excited_new(subject, 5, SAMPLES, rate, 4);
    tqt_subject_free(subject);
    return x;
}

static outcome replay(tqt_fit_bench *b, const tqt_excited *x, const double *value,
                      const tq_rollout_plan *plan, size_t gap)
{
    return replay_over(b, x, value, plan, gap, 1);
}

Test(rollout, of_the_true_model_follows_the_log)
{
    tq_model *model = arm(1, .3);
    tqt_excited x = excited(model, RATE);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    outcome at[3];
    for (int k = 0; k < 3; k++) { /* steps of 2, 4 and 8 ms */
        const tq_rollout_plan plan = {
            .period = 1.0 / (double)RATE, .every = (size_t)1 << k, .n_step = (size_t)128 >> k};
        at[k] = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
        cr_expect(eq(sz, at[k].n_lost, 0));
        cr_expect(eq(sz, at[k].n_window, SAMPLES / (128 + 1)));
    }
    for (size_t j = 0; j < JOINTS; j++) {
        /* a method of second order: half the step gives a quarter of the error */
        const double ratio = at[2].joint[j].rmse_q / at[1].joint[j].rmse_q;
        cr_expect(gt(dbl, ratio, 3.0), "joint %d: %g", (int)j, ratio);
        cr_expect(lt(dbl, ratio, 5.5), "joint %d: %g", (int)j, ratio);
        cr_expect(lt(dbl, at[0].joint[j].rmse_q, 1e-2 * at[0].joint[j].coasting_q));
        cr_expect(gt(dbl, at[0].joint[j].coasting_q, 1e-3), "there is something to follow");
        cr_expect(ge(dbl, at[0].joint[j].worst, at[0].joint[j].rmse_q));
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* Half of a step, with measurements between two points, errs as a step of half the length does. */
Test(rollout, parts_of_a_step)
{
    tq_model *model = arm(1, .3);
    tqt_excited x = excited(model, RATE);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    outcome at[2];
    for (size_t k = 0; k < 2; k++) {
        const tq_rollout_plan plan = {
            .period = 1.0 / (double)RATE, .every = 4, .n_step = 32, .parts = k + 1};
        at[k] = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
    }
    for (size_t j = 0; j < JOINTS; j++) {
        cr_expect(lt(dbl, at[1].joint[j].rmse_q, .6 * at[0].joint[j].rmse_q), "joint %zu: %g of %g",
                  j, at[1].joint[j].rmse_q, at[0].joint[j].rmse_q);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* A window begins with the last points of the one before: twice as many windows, as near. */
Test(rollout, windows_overlap)
{
    enum { STEPS = 64, OVERLAP = 32, STRIDE = STEPS + 1 - OVERLAP };
    tq_model *model = arm(1, .3);
    tqt_excited x = excited(model, RATE);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    tq_rollout_plan plan = {.period = 1.0 / (double)RATE, .every = 2, .n_step = STEPS};
    const outcome apart = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
    plan.overlap = OVERLAP;
    const outcome over = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
    cr_expect(eq(sz, over.n_window, 1 + (SAMPLES / 2 - STEPS - 1) / STRIDE));
    cr_expect(eq(sz, over.n_lost, 0));
    for (size_t j = 0; j < JOINTS; j++) {
        cr_expect(lt(dbl, over.joint[j].rmse_q, 1.5 * apart.joint[j].rmse_q));
    }
    plan.overlap = STEPS + 1;
    tq_rollout *none = NULL;
    cr_expect(eq(int, tq_rollout_begin(b.fit, b.solution.value, &plan, &b.scratch, &none, NULL),
                 TQ_ERR_RANGE));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* inertia and friction are a quarter too small: the arm moves ahead of its recording */
Test(rollout, of_a_wrong_model_does_not)
{
    tq_model *model = arm(1, .3);
    tqt_excited x = excited(model, RATE);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    const tq_rollout_plan plan = tq_rollout_plan_for(1.0 / (double)RATE, .25, SAMPLES);
    double *wrong = tqt_doubles(b.solution.n_column);
    for (size_t c = 0; c < b.solution.n_column; c++) {
        wrong[c] = .75 * b.solution.value[c];
    }
    const outcome right = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
    const outcome off = replay(&b, &x, wrong, &plan, SIZE_MAX);
    for (size_t j = 0; j < JOINTS; j++) {
        cr_expect(gt(dbl, off.joint[j].rmse_q, 20 * right.joint[j].rmse_q), "joint %d", (int)j);
        cr_expect(gt(dbl, off.joint[j].rmse_q, .1 * off.joint[j].coasting_q), "joint %d", (int)j);
    }
    for (size_t c = 0; c < b.solution.n_column; c++) {
        wrong[c] = -b.solution.value[c];
    }
    const outcome lost = replay(&b, &x, wrong, &plan, SIZE_MAX);
    cr_expect(eq(sz, lost.n_lost, lost.n_window), "a negative mass matrix moves nothing");
    cr_expect(eq(sz, lost.joint[0].n, 0));
    free(wrong);
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* Friction with a sharp sign, ten times as strong as all other torque: joints at rest stay at rest,
 * although a step of 4 ms is far too long for an explicit method */
Test(rollout, joints_stick)
{
    tq_model *model = arm(100, 0);
    tqt_excited x = excited(model, 250);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    memset(x.qd, 0, JOINTS * SAMPLES * sizeof *x.qd);
    memset(x.qdd, 0, JOINTS * SAMPLES * sizeof *x.qdd);
    for (size_t j = 0; j < JOINTS; j++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            x.q[j * SAMPLES + i] = .2;
            x.tau[j * SAMPLES + i] = 0; /* gravity acts, friction holds */
        }
    }
    const tq_rollout_plan plan = tq_rollout_plan_for(1.0 / 250, .25, SAMPLES);
    cr_expect(eq(sz, plan.every, 1));
    const outcome o = replay(&b, &x, b.solution.value, &plan, SIZE_MAX);
    cr_expect(eq(sz, o.n_lost, 0));
    for (size_t j = 0; j < JOINTS; j++) {
        /* a smoothed sign creeps: with at most its width of 1e-3 rad/s */
        cr_expect(lt(dbl, o.joint[j].worst, .25 * 1e-3), "joint %d: %g", (int)j, o.joint[j].worst);
    }
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(rollout, windows_end_at_gaps)
{
    tq_model *model = arm(1, .3);
    tqt_excited x = excited(model, RATE);
    tqt_fit_bench b = fitted(model, &x, TQ_FIT_WLS);
    const tq_rollout_plan plan = {.period = 1.0 / (double)RATE, .every = 1, .n_step = 99};
    /* 20 windows of 100 samples; a gap in the middle of the first leaves 50 and 1,950 samples */
    cr_expect(eq(sz, replay(&b, &x, b.solution.value, &plan, SIZE_MAX).n_window, 20));
    const outcome o = replay(&b, &x, b.solution.value, &plan, 50);
    cr_expect(eq(sz, o.n_window, 19));
    for (size_t j = 0; j < JOINTS; j++) {
        cr_expect(lt(dbl, o.joint[j].rmse_q, 1e-2 * o.joint[j].coasting_q));
    }
    /* a window also ends where the clock is set back */
    cr_expect(eq(sz, replay_over(&b, &x, b.solution.value, &plan, 50, -.2).n_window, 19));
    const tq_rollout_plan few = {
        .period = 1.0 / (double)RATE, .every = 1, .n_step = 99, .skip = 300};
    cr_expect(eq(sz, replay(&b, &x, b.solution.value, &few, SIZE_MAX).n_window, 5));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(rollout, plans)
{
    tq_rollout_plan p = tq_rollout_plan_for(.001, .25, 1000000);
    cr_expect(eq(sz, p.every, 4));
    cr_expect(eq(sz, p.n_step, 63));
    /* 250,000 steps: one window in 16 */
    cr_expect(eq(sz, p.skip, 15 * 63 * 4));
    p = tq_rollout_plan_for(.1, .25, 100);
    cr_expect(eq(sz, p.every, 1));
    cr_expect(eq(sz, p.n_step, 3));
    cr_expect(eq(sz, p.skip, 0));
    p = tq_rollout_plan_for(1e-6, 100, 100);
    cr_expect(eq(sz, p.n_step, TQ_ROLLOUT_STEPS_MAX));
    p = tq_rollout_plan_for(1, .25, 100);
    cr_expect(eq(sz, p.n_step, 1));
}

Test(rollout, guards)
{
    tqt_fit_bench b = tqt_fit_open(arm(1, .3));
    const tq_fit_options options = tq_fit_defaults();
    tqt_fit_build(&b, &options, 1);
    tq_rollout *r = NULL;
    tq_error error = {0};
    tq_rollout_plan plan = {.period = .01, .every = 0, .n_step = 10};
    cr_expect(eq(int, tq_rollout_begin(b.fit, NULL, &plan, &b.scratch, &r, &error), TQ_ERR_RANGE));
    plan = (tq_rollout_plan){.period = .01, .every = 1, .n_step = TQ_ROLLOUT_STEPS_MAX + 1};
    cr_expect(eq(int, tq_rollout_begin(b.fit, NULL, &plan, &b.scratch, &r, &error), TQ_ERR_RANGE));
    cr_expect(eq(str, (char *)(uintptr_t)error.what, "plan"));
    plan.n_step = 10;
    _Alignas(64) static unsigned char little[1024];
    tq_scratch none;
    tq_scratch_init(&none, little, sizeof little);
    cr_expect(eq(int, tq_rollout_begin(b.fit, NULL, &plan, &none, &r, &error), TQ_ERR_SCRATCH));
    tqt_fit_close(&b);
    const tqt_robot_options ball = {.n_joint = 2, .kinds = 1u << TQ_JOINT_SPHERICAL};
    b = tqt_fit_open(tqt_random_robot(1, ball));
    tqt_fit_build(&b, &options, 1);
    cr_expect(eq(int, tq_rollout_can(b.fit), 0));
    cr_expect(eq(int, tq_rollout_begin(b.fit, NULL, &plan, &b.scratch, &r, &error), TQ_ERR_SHAPE));
    tqt_fit_close(&b);
}
