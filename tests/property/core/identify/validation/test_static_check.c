/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/identify/validation/test_static_check.c - poses against gravity: the true
 * model agrees with them; wrong masses and an unknown payload are found. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/identify/validation/static_check.h"
#include "tests/support/fit_bench.h"

enum { JOINTS = 4, RATE = 100, STAND = 60, MOVE = 50, POSES = 12, LEAST = 25 };

/* a chain with heavy bodies: gravity is significant relative to friction of 2 N m */
static tq_model *arm(void)
{
    return tqt_random_arm(
        7, JOINTS, TQT_WITH_FRICTION | TQT_WITH_ROTOR,
        (tq_friction){.viscous = .5, .coulomb = 2, .smoothing = .02, .offset = .1});
}

/* a robot at rest in POSES poses, approached from the first pose and left towards it; every pose
 * twice, approached from both sides */
static tqt_excited stops(tq_model *model, uint64_t seed, double coulomb)
{
    const size_t n = POSES * (STAND + MOVE);
    tqt_excited x = {.n_sample = n, .nv = JOINTS, .rate = RATE};
    x.q = tqt_doubles(JOINTS * n), x.qd = tqt_doubles(JOINTS * n);
    x.qdd = tqt_doubles(JOINTS * n), x.tau = tqt_doubles(JOINTS * n);
    tqt_random r = tqt_random_seed(seed);
    double pose[JOINTS] = {0}, from[JOINTS];
    for (size_t k = 0; k < POSES; k++) {
        const double side = k % 2 == 0 ? 1 : -1;
        for (size_t j = 0; j < JOINTS; j++) {
            pose[j] = k % 2 == 0 ? tqt_random_uniform(&r, -2, 2) : pose[j];
            from[j] = pose[j] - .5 * side;
            for (size_t i = 0; i < MOVE + STAND; i++) {
                const double p = M_PI * (double)RATE / (double)MOVE,
                             t = fmin((double)i, MOVE) / (double)RATE;
                const size_t at = j * n + k * (MOVE + STAND) + i;
                const bool moves = i < MOVE;
                x.q[at] = from[j] + .25 * side * (1 - cos(p * t));
                x.qd[at] = moves ? .25 * side * p * sin(p * t) : 0;
                x.qdd[at] = moves ? .25 * side * p * p * cos(p * t) : 0;
            }
        }
    }
    tqt_subject *subject = tqt_subject_new(model, 0);
    tqt_excited_torque(subject, &x);
    tqt_subject_free(subject);
    for (size_t k = 0; k < POSES; k++) { /* friction with which the joint came to rest */
        const double part = tqt_random_uniform(&r, .6, 1);
        for (size_t j = 0; j < JOINTS; j++) {
            for (size_t i = MOVE; i < MOVE + STAND; i++) {
                x.tau[j * n + k * (MOVE + STAND) + i] += (k % 2 == 0 ? part : -part) * coulomb;
            }
        }
    }
    return x;
}

typedef struct outcome {
    tq_static_residual row[JOINTS];
    tq_static_residual_payload payload;
    tq_verdict_report report;
} outcome;

/* before sample `gap` the clock jumps */
static outcome judge(tqt_fit_bench *b, const tqt_excited *x, size_t gap)
{
    const size_t mark = tq_scratch_mark(&b->scratch);
    double *memory = tqt_doubles(4 * x->nv * TQ_BLOCK), t[TQ_BLOCK];
    const tq_static_check_plan plan = {.period = 1.0 / (double)RATE, .moving = .01, .least = LEAST};
    tq_static_check *s = NULL;
    outcome ret = {0};
    cr_assert(eq(int, tq_static_check_begin(b->fit, &b->scratch, &s, NULL), TQ_OK));
    cr_assert(le(sz, b->scratch.used - mark, tq_static_check_size(b->fit)));
    cr_assert(eq(int, tq_static_check_next(s, b->solution.value, &plan, NULL), TQ_OK));
    for (size_t k = 0; k < tq_block_count(x->n_sample); k++) {
        const tq_experiment_block block = tqt_excited_block(x, k, memory);
        for (size_t i = 0; i < block.n_sample; i++) {
            t[i] = (double)(k * TQ_BLOCK + i) / (double)RATE + (k * TQ_BLOCK + i >= gap ? 1 : 0);
        }
        cr_assert(eq(int, tq_static_check_push(s, &block, t, NULL), TQ_OK));
    }
    cr_assert(eq(int, tq_static_check_end(s, NULL), TQ_OK));
    for (size_t r = 0; r < JOINTS; r++) {
        ret.row[r] = tq_static_check_of(s, r);
    }
    ret.payload = tq_static_check_payload(s);
    tq_static_check_judge(s, &ret.report);
    tq_scratch_rewind(&b->scratch, mark);
    free(memory);
    return ret;
}

static const tq_reason *reason(const outcome *o, tq_reason_kind kind)
{
    for (size_t k = 0; k < o->report.n_reason; k++) {
        if (o->report.reasons[k].kind == kind) {
            return &o->report.reasons[k];
        }
    }
    return NULL;
}

/* fitted to motion of the arm */
static tqt_fit_bench fitted(tq_model *model)
{
    tqt_fit_bench b = tqt_fit_open(model);
    tq_fit_options options = tq_fit_defaults();
    options.method = TQ_FIT_WLS;
    tqt_fit_build(&b, &options, 1);
    tqt_excited x = tqt_excited_new(b.subject, 5, 2000, RATE, 4);
    tqt_fit_read(b.fit, 0, &x, &b.scratch);
    tqt_fit_solve(&b);
    tqt_excited_free(&x);
    return b;
}

static uint32_t last_link(const tq_model *model)
{
    return model->joints[model->order[JOINTS - 1]].child;
}

Test(static_check, the_right_model_holds_all_poses)
{
    tqt_fit_bench b = fitted(arm());
    tqt_excited x = stops(b.model, 1, 2);
    const outcome o = judge(&b, &x, SIZE_MAX);
    for (size_t r = 0; r < JOINTS; r++) {
        cr_expect(eq(sz, o.row[r].n_pose, POSES));
        cr_expect(eq(sz, o.row[r].n_outside, 0));
        /* the residual is friction only: 0.6 to 1 of 2 N m, and pairs halve the difference */
        cr_expect(epsilon_eq(dbl, o.row[r].band, 2, 1e-6));
        cr_expect(gt(dbl, o.row[r].rmse, 1.2));
        cr_expect(lt(dbl, o.row[r].worst, 2));
        cr_expect(eq(sz, o.row[r].n_pair, POSES / 2));
        cr_expect(lt(dbl, o.row[r].pair_rmse, .4));
        cr_expect(eq(dbl, o.row[r].excess, 0));
    }
    cr_expect(eq(sz, o.report.n_reason, 0));
    cr_expect(eq(int, (int)o.report.verdict, TQ_VERDICT_USABLE));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* the arm carries a payload: its mass is found with and without friction */
Test(static_check, an_unstated_payload_is_found)
{
    for (int k = 0; k < 2; k++) {
        tqt_fit_bench b = fitted(arm());
        tq_model *loaded = arm();
        tq_link *link = &loaded->links[last_link(loaded)];
        link->inertia.mass += 3;
        tqt_excited x = stops(loaded, 2, k == 0 ? 0 : 2);
        const outcome o = judge(&b, &x, SIZE_MAX);
        const tq_reason *payload = reason(&o, TQ_REASON_PAYLOAD);
        const tq_reason *gravity = reason(&o, TQ_REASON_GRAVITY);
        cr_assert(payload != NULL && gravity != NULL);
        cr_expect(eq(u32, (uint32_t)payload->index, last_link(loaded)));
        cr_expect(eq(dbl, payload->value, o.payload.mass));
        /* without friction: accuracy by rounding and the assumed position; with 2 N m at half a
         * metre: by the stated deviation */
        const double sure = k == 0 ? .02 : 4 * o.payload.deviation;
        cr_expect(epsilon_eq(dbl, o.payload.mass, 3, sure), "%g +- %g", o.payload.mass,
                  o.payload.deviation);
        cr_expect(lt(dbl, o.payload.deviation, 1));
        cr_expect(gt(dbl, o.row[gravity->index].relative, .05));
        tqt_excited_free(&x);
        tqt_model_free(loaded);
        tqt_fit_close(&b);
    }
}

/* a robot that returns to the same few poses all day, each joint from the same side, stops with the
 * same part of friction each time: these are not independent observations */
Test(static_check, repeated_poses_are_not_independent)
{
    enum { PLACES = 5, ROUNDS = 20 };
    tqt_fit_bench b = fitted(arm());
    for (uint64_t seed = 1; seed <= 20; seed++) {
        tqt_random r = tqt_random_seed(seed);
        double pose[PLACES][JOINTS], part[PLACES][JOINTS];
        for (size_t k = 0; k < PLACES; k++) {
            for (size_t j = 0; j < JOINTS; j++) {
                pose[k][j] = tqt_random_uniform(&r, -2, 2);
                part[k][j] = tqt_random_uniform(&r, -.9, .9);
            }
        }
        const size_t n = (size_t)PLACES * ROUNDS * STAND;
        tqt_excited x = {.n_sample = n, .nv = JOINTS, .rate = RATE};
        x.q = tqt_doubles(JOINTS * n), x.qd = tqt_doubles(JOINTS * n);
        x.qdd = tqt_doubles(JOINTS * n), x.tau = tqt_doubles(JOINTS * n);
        for (size_t i = 0; i < JOINTS * n; i++) { /* moves at once, without samples between */
            x.q[i] = pose[i % n / STAND % PLACES][i / n];
        }
        tqt_excited_torque(b.subject, &x);
        for (size_t i = 0; i < JOINTS * n; i++) {
            x.tau[i] += 2 * part[i % n / STAND % PLACES][i / n];
        }
        const outcome o = judge(&b, &x, SIZE_MAX);
        for (size_t j = 0; j < JOINTS; j++) {
            cr_expect(eq(sz, o.row[j].n_outside, 0));
        }
        cr_expect(reason(&o, TQ_REASON_PAYLOAD) == NULL, "seed %d: %g +- %g kg", (int)seed,
                  o.payload.mass, o.payload.deviation);
        tqt_excited_free(&x);
    }
    tqt_fit_close(&b);
}

Test(static_check, a_wrong_mass_is_reported)
{
    tqt_fit_bench b = fitted(arm());
    tq_model *other = arm();
    other->links[other->joints[other->order[1]].child].inertia.mass += 8;
    tqt_excited x = stops(other, 3, 2);
    const outcome o = judge(&b, &x, SIZE_MAX);
    const tq_reason *gravity = reason(&o, TQ_REASON_GRAVITY);
    cr_assert(gravity != NULL);
    cr_expect(le(sz, gravity->index, 1), "a joint that carries it");
    cr_expect(eq(dbl, o.row[gravity->index].relative, gravity->value));
    cr_expect(gt(sz, o.row[gravity->index].n_outside, 0));
    /* later joints do not carry it */
    cr_expect(eq(sz, o.row[3].n_outside, 0));
    tqt_excited_free(&x);
    tqt_model_free(other);
    tqt_fit_close(&b);
}

/* friction of 2 N m hides 1.8 N m of gravity error in half of the poses, but not in pairs, where it
 * leaves less than half */
Test(static_check, pairs_of_approaches_cancel_friction)
{
    tqt_fit_bench b = fitted(arm());
    tqt_excited x = stops(b.model, 4, 2);
    cr_expect(lt(dbl, judge(&b, &x, SIZE_MAX).row[2].relative, 1e-9));
    for (size_t i = 0; i < x.n_sample; i++) {
        x.tau[2 * x.n_sample + i] += 1.8;
    }
    const outcome o = judge(&b, &x, SIZE_MAX);
    cr_expect(eq(sz, o.row[2].n_outside, POSES / 2));
    cr_expect(epsilon_eq(dbl, o.row[2].pair_rmse, 1.8, .2));
    /* 0.8 above half of friction */
    cr_expect(gt(dbl, o.row[2].relative, .6 / sqrt(2 * o.row[2].torque * o.row[2].torque)));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(static_check, samples_in_motion_are_no_pose)
{
    tqt_fit_bench b = fitted(arm());
    tqt_excited x = tqt_excited_new(b.subject, 6, 1000, RATE, 4);
    const outcome o = judge(&b, &x, SIZE_MAX);
    cr_expect(eq(sz, o.row[0].n_pose, 0));
    cr_expect(isnan(o.row[0].relative) && isnan(o.payload.mass));
    cr_expect(eq(sz, o.report.n_reason, 0));
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

/* a jump of the clock within the first pose splits it in two; the second part, and parts that are
 * too short, form no pair */
Test(static_check, gaps_end_a_pose)
{
    tqt_fit_bench b = fitted(arm());
    tqt_excited x = stops(b.model, 1, 2);
    const outcome o = judge(&b, &x, MOVE + STAND / 2);
    cr_expect(eq(sz, o.row[0].n_pose, POSES + 1));
    cr_expect(eq(sz, o.row[0].n_pair, POSES / 2));
    const outcome edge = judge(&b, &x, MOVE + 1);
    cr_expect(eq(sz, edge.row[0].n_pose, POSES));
    cr_expect(eq(sz, edge.row[0].n_pair, POSES / 2 - 1), "from where is forgotten");
    tqt_excited_free(&x);
    tqt_fit_close(&b);
}

Test(static_check, plans_and_memory_are_checked)
{
    tqt_fit_bench b = fitted(arm());
    static const tq_static_check_plan bad[] = {
        {.period = 0, .moving = .01, .least = 1},
        {.period = .01, .moving = 0, .least = 1},
        {.period = .01, .moving = .01, .least = 0},
    };
    tq_static_check *s = NULL;
    tq_error error = {0};
    const size_t mark = tq_scratch_mark(&b.scratch);
    cr_assert(eq(int, tq_static_check_begin(b.fit, &b.scratch, &s, NULL), TQ_OK));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        cr_expect(
            eq(int, tq_static_check_next(s, b.solution.value, &bad[k], &error), TQ_ERR_RANGE));
    }
    tq_scratch_rewind(&b.scratch, mark);
    tq_scratch small = b.scratch;
    small.size = small.used + tq_static_check_size(b.fit) / 2;
    cr_expect(eq(int, tq_static_check_begin(b.fit, &small, &s, &error), TQ_ERR_SCRATCH));
    tqt_fit_close(&b);
}
