/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/motion/test_optimal.c - time-optimal motion: bang-bang in closed form, limits
 * at every instant, time reversal, errors. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/motion/timing/optimal.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { N_MAX = 8, POINTS = 5 };
static _Alignas(64) unsigned char memory[1 << 25];

typedef struct course {
    tq_reference reference;
    tq_geometric_path path;
    double s[POINTS], x[POINTS * N_MAX], curvature[POINTS * N_MAX];
} course;

/* the not-a-knot spline through n_point rows of n, or lines with a stop at each point */
static void lay(course *c, size_t n_point, size_t n, int lines, tq_scratch *scratch)
{
    for (size_t k = 0; k < n_point; k++) {
        c->s[k] = (double)k;
    }
    c->reference =
        (tq_reference){.kind = lines ? TQ_REFERENCE_WAYPOINTS : TQ_REFERENCE_TABLE,
                       .n_coordinate = n,
                       .waypoints = {.n_point = n_point, .n_coordinate = n, .t = c->s, .x = c->x},
                       .law = TQ_TIMING_LINEAR,
                       .curvature = c->curvature};
    c->path = (tq_geometric_path){.reference = &c->reference};
    if (lines) {
        c->path.n_stop = n_point;
        c->path.stop = c->s;
        return;
    }
    cr_assert(eq(int, tq_table_fit(&c->reference.waypoints, scratch, c->curvature, NULL), TQ_OK));
    c->path.n_knot = n_point;
    c->path.knot = c->s;
    c->path.n_stop = 2;
    c->s[POINTS - 1] = (double)(POINTS - 1);
}

static const double ends[2] = {0, POINTS - 1};

static double duration_of(const tq_timed_path *timed)
{
    return timed->t[timed->n_interval];
}

/* One joint without gravity: tau = m qdd, rest to rest over h in 2 sqrt(h m / f), or with a
 * velocity limit h / v + v m / f (Siciliano et al., Robotics, 2009, 4.2.1). */
Test(optimal, double_integrator_is_bang_bang)
{
    tq_model *model = tqt_model_new(2);
    model->joints[0].kind = TQ_JOINT_PRISMATIC;
    model->joints[0].parent = 0;
    model->joints[0].child = 1;
    model->links[1].inertia.mass = 3.0;
    memset(model->gravity, 0, sizeof model->gravity);
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    tqt_subject *subject = tqt_subject_new(model, 0);
    static course c;
    tq_scratch scratch;
    const double effort = 12.0, slow = 1.5, acceleration = 2.0;
    const struct {
        tq_motion_limits limits;
        double duration;
    } cases[] = {
        {{.effort = &effort}, 2.0 * sqrt(2.0 * 3.0 / 12.0)},
        {{.effort = &effort, .velocity = &slow}, 2.0 / 1.5 + 1.5 * 3.0 / 12.0},
        {{.acceleration = &acceleration}, 2.0 * sqrt(2.0 / 2.0)},
        {{.acceleration = &acceleration, .effort = &effort, .velocity = &slow},
         2.0 / 1.5 + 1.5 / 2.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tq_scratch_init(&scratch, memory, sizeof memory);
        c.x[0] = -0.5, c.x[1] = 1.5;
        lay(&c, 2, 1, 1, &scratch);
        tq_timed_path timed;
        tq_infeasible fault;
        tq_error error = {0};
        cr_assert(eq(int,
                     tq_time_optimal(subject->mechanism, &c.path, &cases[k].limits, 400, &scratch,
                                     &timed, &fault, &error),
                     TQ_OK),
                  "%s", error.what);
        /* grid points at the switch of u: within the width of an interval, 1 / 400 of the motion */
        cr_assert(epsilon_eq(dbl, duration_of(&timed), cases[k].duration, 1e-5 * cases[k].duration),
                  "case %zu: %.9g, %.9g", k, duration_of(&timed), cases[k].duration);
        double q, qd, qdd, work[2];
        tq_timed_path_at(&timed, &c.reference, duration_of(&timed), work, &q, &qd, &qdd);
        cr_assert(all(epsilon_eq(dbl, q, 1.5, 1e-12), epsilon_eq(dbl, qd, 0.0, 1e-9)));
    }
    tqt_subject_free(subject);
    tqt_model_free(model);
}

/* largest torque over its limit on an independent resampling, by inverse dynamics */
static double most_use(tqt_subject *subject, const course *c, const tq_motion_limits *limits,
                       const tq_timed_path *timed, double *ret_least)
{
    enum { SAMPLES = 5003 };
    const size_t n = c->reference.n_coordinate;
    double worst = 0.0;
    double low = 0.0;
    for (int k = 1; k < SAMPLES; k++) {
        double q[N_MAX], qd[N_MAX], qdd[N_MAX], tau[N_MAX], work[2 * N_MAX], use = 0.0;
        tq_timed_path_at(timed, &c->reference, duration_of(timed) * k / (double)SAMPLES, work, q,
                         qd, qdd);
        tqt_torque(subject, q, qd, qdd, 0, tau);
        for (size_t j = 0; j < n; j++) {
            use = fmax(use, fabs(tau[j]) / limits->effort[j]);
            use = fmax(use, fabs(qd[j]) / limits->velocity[j]);
            use = fmax(use, fabs(qdd[j]) / limits->acceleration[j]);
        }
        worst = fmax(worst, use);
        low += use < 0.99 ? 1.0 / (double)SAMPLES : 0.0;
    }
    *ret_least = low;
    return worst;
}

static void random_course(course *c, tqt_random *r, size_t n, int lines, tq_scratch *scratch)
{
    for (size_t k = 0; k < POINTS * n; k++) {
        c->x[k] = tqt_random_uniform(r, -1.5, 1.5);
    }
    lay(c, POINTS, n, lines, scratch);
    if (!lines) {
        c->path.stop = ends;
    }
}

/* limits that hold the arm with a margin at all points of the path */
static void random_limits(tqt_subject *subject, const course *c, tqt_random *r, double *v,
                          double *a, double *f)
{
    const size_t n = c->reference.n_coordinate;
    for (size_t j = 0; j < n; j++) {
        v[j] = tqt_random_uniform(r, 0.5, 4.0);
        a[j] = tqt_random_uniform(r, 2.0, 40.0);
        f[j] = 0.1;
    }
    static const double rates[] = {-0.3, -0.1, -0.03, -1e-9, 1e-9, 0.03, 0.1, 0.3};
    for (int k = 0; k <= 400 * 8; k++) { /* friction at several speeds, either way */
        double q[N_MAX], xd[N_MAX], xdd[N_MAX], tau[N_MAX];
        tq_reference_at(&c->reference, 4.0 * (k / 8) / 400, q, xd, xdd);
        for (size_t j = 0; j < n; j++) {
            xd[j] *= rates[k % 8];
        }
        tqt_torque(subject, q, xd, NULL, 0, tau);
        for (size_t j = 0; j < n; j++) {
            f[j] = fmax(f[j], 1.3 * fabs(tau[j]));
        }
    }
    for (size_t j = 0; j < n; j++) {
        f[j] *= tqt_random_uniform(r, 1.0, 3.0);
    }
}

static void expect_limits(unsigned with, tq_friction friction, uint64_t seed, int n_trial,
                          size_t n_grid)
{
    for (int trial = 0; trial < n_trial; trial++) {
        tqt_random r = tqt_random_seed(seed + (uint64_t)trial);
        const uint32_t n = 1 + tqt_random_below(&r, 7);
        tq_model *model = tqt_random_arm(seed + (uint64_t)trial, n, with, friction);
        tqt_subject *subject = tqt_subject_new(model, 0);
        static course c;
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, sizeof memory);
        random_course(&c, &r, n, trial % 3 == 0, &scratch);
        double v[N_MAX], a[N_MAX], f[N_MAX], idle = 0.0;
        random_limits(subject, &c, &r, v, a, f);
        const tq_motion_limits limits = {.velocity = v, .acceleration = a, .effort = f};
        tq_timed_path timed;
        tq_infeasible fault = {0};
        tq_error error = {0};
        const tq_status status = tq_time_optimal(subject->mechanism, &c.path, &limits, n_grid,
                                                 &scratch, &timed, &fault, &error);
        cr_assert(eq(int, status, TQ_OK), "trial %d: %s, s %g, joint %zu: %g of %g", trial,
                  error.what, fault.s, fault.joint, fault.needed, fault.bound);
        const double use = most_use(subject, &c, &limits, &timed, &idle);
        cr_assert(le(dbl, use, 1.0 + 1e-6), "trial %d of %u joints: %.9f", trial, n, use);
        /* u is constant in an interval: in one with a switch of u, or along a curved limit of x, a
         * limit is active in a part of the interval only; that time is proportional to the length
         * of the intervals */
        cr_assert(lt(dbl, idle, n_grid >= 1600 ? 0.04 : 0.5), "trial %d: no limit is met %g of it",
                  trial, idle);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
}

Test(optimal, limits_are_kept_between_grid_points_and_one_binds_at_nearly_every_instant)
{
    expect_limits(0, (tq_friction){0}, 100, 24, 200);
    expect_limits(0, (tq_friction){0}, 130, 8, 1600);
}

Test(optimal, limits_are_kept_with_coulomb_and_viscous_friction)
{
    expect_limits(TQT_WITH_ROTOR, (tq_friction){.coulomb = 0.8, .viscous = 0.5}, 200, 24, 200);
}

Test(optimal, limits_are_kept_with_stribeck_friction)
{
    expect_limits(0,
                  (tq_friction){.coulomb = 0.5,
                                .viscous = 0.2,
                                .breakaway = 0.8,
                                .stribeck_velocity = 0.1,
                                .smoothing = 0.01,
                                .offset = 0.1},
                  300, 24, 200);
}

/* Without friction tau(q, -qd, qdd) = tau(q, qd, qdd): the reversed path takes the same time. */
Test(optimal, the_reversed_path_takes_the_same_time)
{
    for (int trial = 0; trial < 12; trial++) {
        tqt_random r = tqt_random_seed(400 + (uint64_t)trial);
        const uint32_t n = 2 + tqt_random_below(&r, 6);
        tq_model *model = tqt_random_arm(400 + (uint64_t)trial, n, 0, (tq_friction){0});
        tqt_subject *subject = tqt_subject_new(model, 0);
        static course c;
        tq_scratch scratch;
        double v[N_MAX], a[N_MAX], f[N_MAX], duration[2];
        double points[POINTS * N_MAX];
        for (int way = 0; way < 2; way++) {
            tq_scratch_init(&scratch, memory, sizeof memory);
            if (way == 0) {
                random_course(&c, &r, n, 0, &scratch);
                random_limits(subject, &c, &r, v, a, f);
                memcpy(points, c.x, sizeof points);
            } else {
                for (size_t k = 0; k < POINTS; k++) {
                    memcpy(c.x + k * n, points + (POINTS - 1 - k) * n, n * sizeof(double));
                }
                lay(&c, POINTS, n, 0, &scratch);
                c.path.stop = ends;
            }
            const tq_motion_limits limits = {.velocity = v, .acceleration = a, .effort = f};
            tq_timed_path timed;
            tq_infeasible fault;
            cr_assert(eq(int,
                         tq_time_optimal(subject->mechanism, &c.path, &limits, 400, &scratch,
                                         &timed, &fault, NULL),
                         TQ_OK));
            duration[way] = duration_of(&timed);
        }
        /* both are within one interval of every switch, 1 / 400 of the path */
        cr_assert(epsilon_eq(dbl, duration[0], duration[1], 2e-3 * duration[0]),
                  "trial %d: %.9g, %.9g", trial, duration[0], duration[1]);
        tqt_subject_free(subject);
        tqt_model_free(model);
    }
}

/* A pendulum of m = 2 kg at 0.5 m, level at q = 0: gravity torque 2 * 9.81 * 0.5 cos q. */
Test(optimal, gravity_above_the_torque_limit_is_named)
{
    tq_model *model = tqt_model_new(2);
    model->joints[0].kind = TQ_JOINT_REVOLUTE;
    model->joints[0].parent = 0;
    model->joints[0].child = 1;
    model->joints[0].axis[0] = 0, model->joints[0].axis[1] = -1, model->joints[0].axis[2] = 0;
    model->links[1].inertia.mass = 2.0;
    model->links[1].inertia.com[0] = 0.5;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    tqt_subject *subject = tqt_subject_new(model, 0);
    static course c;
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, sizeof memory);
    c.x[0] = 0.0, c.x[1] = 1.0;
    lay(&c, 2, 1, 1, &scratch);
    const double weak = 5.0, strong = 20.0;
    const tq_motion_limits limits = {.effort = &weak};
    tq_timed_path timed;
    tq_infeasible fault = {0};
    tq_error error = {0};
    cr_assert(eq(int,
                 tq_time_optimal(subject->mechanism, &c.path, &limits, 100, &scratch, &timed,
                                 &fault, &error),
                 TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "torque"));
    cr_assert(all(eq(sz, fault.joint, 0), eq(dbl, fault.bound, 5.0)));
    cr_assert(epsilon_eq(dbl, fault.needed, 9.81 * cos(fault.s), 1e-9), "%g at %g", fault.needed,
              fault.s);
    const tq_motion_limits enough = {.effort = &strong};
    cr_assert(eq(
        int,
        tq_time_optimal(subject->mechanism, &c.path, &enough, 5, &scratch, &timed, &fault, &error),
        TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)error.what, "grid"));
    tq_scratch_init(&scratch, memory, 4096);
    cr_assert(eq(int,
                 tq_time_optimal(subject->mechanism, &c.path, &enough, 100, &scratch, &timed,
                                 &fault, &error),
                 TQ_ERR_SCRATCH));
    const size_t size = tq_time_optimal_scratch_size(subject->mechanism, 2, 100);
    tq_scratch_init(&scratch, memory, size);
    cr_assert(eq(int,
                 tq_time_optimal(subject->mechanism, &c.path, &enough, 100, &scratch, &timed,
                                 &fault, &error),
                 TQ_OK));
    cr_assert(le(sz, scratch.peak, size));
    tqt_subject_free(subject);
    tqt_model_free(model);
}
