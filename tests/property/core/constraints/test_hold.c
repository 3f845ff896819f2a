/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/constraints/test_hold.c - dry friction at standstill under constraints: held
 * rows do not accelerate, slipping rows have the full friction against their motion. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/constraints/hold.h"
#include "core/linalg/dense.h"
#include "tests/support/constrained_robot.h"
#include "tests/support/random.h"

static const char *const robots[] = {"four-bar", "parallel-2dof", "rolling-disk",
                                     "arm-on-sphere-rolling"};
enum { N_ROBOT = sizeof robots / sizeof robots[0], TRIALS = 60 };

typedef struct trial {
    tqt_robot_state s;
    double v[TQT_NV], target[TQT_ROWS], largest[TQT_NV], hold[TQT_NV];
    uint32_t rows[TQT_NV];
    tq_holds holds;
    double size; /* size of the accelerations without holds */
} trial;

/* a robot at rest on its constraints, pushed at random; some joints have dry friction */
static void draw(trial *t, tqt_random *r)
{
    tqt_robot_state *s = &t->s;
    for (size_t k = 0; k < s->nv; k++) {
        s->q[k] = s->robot->assembled[k] + tqt_random_uniform(r, -0.2, 0.2);
        s->qd[k] = 0.0;
    }
    tqt_project(s);
    tqt_factor(s);
    t->holds = (tq_holds){.rows = t->rows, .largest = t->largest};
    for (uint32_t k = 0; k < s->nv; k++) {
        t->v[k] = tqt_random_uniform(r, -1.0, 1.0);
        if (tqt_random_uniform(r, 0.0, 1.0) < 0.7) {
            t->rows[t->holds.n] = k;
            t->largest[t->holds.n++] = exp(tqt_random_uniform(r, -4.0, 0.5));
        }
    }
    cr_assert(tq_cholesky_solve(s->nv, 1, s->state.l, s->nv, t->v, s->nv, NULL) == TQ_OK);
    memset(t->target, 0, sizeof t->target);
    double loose[TQT_NV];
    memcpy(loose, t->v, sizeof loose);
    cr_assert(tq_constrained_nearest(&s->state, t->target, TQ_CONTRADICTION_REFUSE, &s->scratch,
                                     loose, NULL, NULL) == TQ_OK);
    t->size = 0.0;
    for (size_t k = 0; k < s->nv; k++) {
        t->size = fmax(t->size, fabs(loose[k]));
    }
}

/* scratch of exactly the stated size */
static tq_scratch exact_scratch(trial *t)
{
    static _Alignas(64) unsigned char memory[1 << 18];
    tq_scratch scratch;
    const size_t size = tq_hold_scratch_size(t->s.nv, t->s.n_row);
    cr_assert(size <= sizeof memory);
    tq_scratch_init(&scratch, memory, size);
    return scratch;
}

/* the optimality conditions, which are sufficient for a convex function */
static void check(trial *t, size_t *n_stuck, size_t *n_slip)
{
    tqt_robot_state *s = &t->s;
    double force[TQT_NV] = {0.0}, qdd[TQT_NV];
    tq_scratch scratch = exact_scratch(t);
    cr_assert(tq_constrained_stick(&s->state, &t->holds, t->target, &scratch, t->v, t->hold,
                                   NULL) == TQ_OK);
    for (size_t k = 0; k < t->holds.n; k++) {
        force[t->rows[k]] = fmin(fmax(t->hold[k], -t->largest[k]), t->largest[k]);
    }
    cr_assert(tq_cholesky_solve(s->nv, 1, s->state.l, s->nv, force, s->nv, NULL) == TQ_OK);
    for (size_t k = 0; k < s->nv; k++) {
        qdd[k] = t->v[k] + force[k];
    }
    cr_assert(tq_constrained_nearest(&s->state, t->target, TQ_CONTRADICTION_REFUSE, &s->scratch,
                                     qdd, NULL, NULL) == TQ_OK);
    for (size_t k = 0; k < t->holds.n; k++) {
        const double a = qdd[t->rows[k]];
        /* normal equations of up to 6 rows, regularised at 1e-12: at least half of the digits are
         * correct */
        if (fabs(t->hold[k]) <= t->largest[k] * (1.0 + 1e-9)) {
            cr_expect(fabs(a) < 1e-8 * t->size, "held, but goes at %g of %g", a, t->size);
            *n_stuck += 1;
        } else {
            cr_expect(t->hold[k] * a < 0.0, "%g pushes where %g goes", t->hold[k], a);
            *n_slip += 1;
        }
    }
}

Test(hold, held_joints_rest_and_slipping_joints_decelerate)
{
    size_t n_stuck = 0, n_slip = 0;
    for (size_t i = 0; i < N_ROBOT; i++) {
        static trial t;
        tqt_random r = tqt_random_seed(41);
        tqt_open(&t.s, robots[i]);
        for (int k = 0; k < TRIALS; k++) {
            draw(&t, &r);
            if (t.holds.n > 0) {
                check(&t, &n_stuck, &n_slip);
            }
        }
        tqt_close(&t.s);
    }
    cr_expect(n_stuck > 100 && n_slip > 100, "%zu, %zu", n_stuck, n_slip);
}

/* The four-bar has one dof t: it is held as long as |t f| <= sum |t_j| largest_j, however its
 * joints share the load (statics leave two of three holds undetermined). */
Test(hold, a_loop_is_held_by_all_of_its_joints)
{
    static const double parts[] = {0.2, 0.9, 0.999, 1.001, 1.1, 3.0};
    static trial t;
    tqt_random r = tqt_random_seed(42);
    tqt_open(&t.s, "four-bar");
    for (int k = 0; k < TRIALS; k++) {
        double force[3], power = 0.0, hold = 0.0;
        tq_elimination e;
        draw(&t, &r);
        cr_assert(tq_constraint_eliminate(&t.s.state, &t.s.scratch, &e, NULL) == TQ_OK);
        t.holds.n = 3;
        for (uint32_t j = 0; j < 3; j++) {
            t.rows[j] = j;
            t.largest[j] = exp(tqt_random_uniform(&r, -3.0, 1.0));
            force[j] = tqt_random_uniform(&r, -1.0, 1.0);
            power += e.t[j] * force[j];
            hold += fabs(e.t[j]) * t.largest[j];
        }
        const double part = parts[(size_t)k % (sizeof parts / sizeof parts[0])];
        for (size_t j = 0; j < 3; j++) {
            t.v[j] = force[j] * part * hold / fabs(power);
        }
        cr_assert(tq_cholesky_solve(3, 1, t.s.state.l, 3, t.v, 3, NULL) == TQ_OK);
        tq_scratch scratch = exact_scratch(&t);
        cr_assert(tq_constrained_stick(&t.s.state, &t.holds, t.target, &scratch, t.v, t.hold,
                                       NULL) == TQ_OK);
        for (size_t j = 0; j < 3; j++) {
            const bool slips = fabs(t.hold[j]) > t.largest[j] * (1.0 + 1e-9);
            cr_expect(slips == (part > 1.0), "joint %zu at %g of what holds", j, part);
        }
    }
    tqt_close(&t.s);
}

/* held rows and rows coupled to them do not accelerate; multipliers are those of the motion */
Test(hold, held_rows_do_not_accelerate)
{
    static trial t;
    tqt_random r = tqt_random_seed(43);
    tqt_open(&t.s, "parallel-2dof");
    for (int k = 0; k < TRIALS; k++) {
        double qdd[TQT_NV], multipliers[TQT_ROWS];
        draw(&t, &r);
        t.holds.n = 1 + (size_t)k % 6; /* more than two rows hold the whole robot */
        for (uint32_t j = 0; j < 6; j++) {
            t.rows[j] = j;
        }
        memcpy(qdd, t.v, sizeof qdd);
        tq_scratch scratch = exact_scratch(&t);
        cr_assert(tq_constrained_hold(&t.s.state, &t.holds, t.target, &scratch, qdd, multipliers,
                                      NULL) == TQ_OK);
        cr_expect(eq(sz, scratch.used, 0));
        for (size_t row = 0; row < t.s.n_row; row++) {
            double sum = 0.0;
            for (size_t j = 0; j < 6; j++) {
                sum += t.s.state.a[row * 6 + j] * qdd[j];
            }
            cr_expect(fabs(sum) < 1e-9 * t.size, "A qdd is %g", sum);
        }
        for (size_t j = 0; j < 6; j++) {
            cr_expect(j >= t.holds.n || qdd[j] == 0.0);
            cr_expect(t.holds.n <= 2 || fabs(qdd[j]) < 1e-8 * t.size);
        }
    }
    tqt_close(&t.s);
}

/* arrays of nv + 1 numbers, and scratch that is not cleared: the number after the joints is
 * unchanged */
Test(hold, nothing_is_written_after_the_joints)
{
    static _Alignas(64) double memory[1 << 15];
    static trial t;
    tqt_random r = tqt_random_seed(44);
    tqt_open(&t.s, "parallel-2dof");
    draw(&t, &r);
    t.holds.n = 1;
    t.rows[0] = 2;
    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++) {
        memory[k] = 3.0;
    }
    double qdd[TQT_NV + 1];
    for (size_t k = 0; k <= TQT_NV; k++) {
        qdd[k] = k < t.s.nv ? t.v[k] : 7.0;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(tq_constrained_hold(&t.s.state, &t.holds, t.target, &scratch, qdd, NULL, NULL) ==
              TQ_OK);
    for (size_t k = t.s.nv; k <= TQT_NV; k++) {
        cr_expect(eq(dbl, qdd[k], 7.0), "%zu", k);
    }
    tqt_close(&t.s);
}

/* any smaller scratch than the stated size is refused by name, and not used */
Test(hold, too_little_scratch_is_refused)
{
    static _Alignas(64) unsigned char memory[1 << 18];
    static trial t;
    tqt_random r = tqt_random_seed(45);
    tqt_open(&t.s, "four-bar");
    draw(&t, &r);
    t.holds.n = 2;
    t.rows[0] = 0, t.rows[1] = 2;
    const size_t most = tq_hold_scratch_size(t.s.nv, t.s.n_row);
    cr_assert(le(sz, most, sizeof memory));
    bool enough = false;
    for (size_t size = 0; size <= most; size += 64) {
        double qdd[TQT_NV];
        tq_scratch scratch;
        tq_error error = {0};
        memcpy(qdd, t.v, sizeof qdd);
        tq_scratch_init(&scratch, memory, size);
        const tq_status status =
            tq_constrained_stick(&t.s.state, &t.holds, t.target, &scratch, t.v, t.hold, &error);
        cr_assert(status == TQ_OK || (status == TQ_ERR_SCRATCH && !enough), "%zu bytes: %d", size,
                  (int)status);
        enough = status == TQ_OK;
    }
    cr_expect(enough, "what it says is enough");
    tqt_close(&t.s);
}
