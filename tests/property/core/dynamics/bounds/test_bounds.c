/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/bounds/test_bounds.c - bounds on eigenvalues of M hold at random q
 * of the box, and are close to the values attained. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/dynamics/bounds/bounds.h"
#include "core/dynamics/bounds/bounds_relative.h"
#include "core/dynamics/lagrangian.h"
#include "core/linalg/dense.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/sanitized.h"

enum { N_MAX = 600, BYTES = 64 << 20 };

static tq_scratch scratch_new(void)
{
    tq_scratch scratch;
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    tq_scratch_init(&scratch, memory, BYTES);
    return scratch;
}

static void eigenvalues(const tq_model *model, const double *q, tq_scratch *scratch, double ret[2])
{
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, (size_t)model->nv * model->nv, sizeof *m);
    double *values = tq_scratch_take(scratch, model->nv, sizeof *values);
    tq_configuration posture;
    cr_assert(eq(int, tq_configuration_compute(model, q, NULL, scratch, &posture, NULL), TQ_OK));
    cr_assert(eq(int, tq_lagrangian_mass_matrix(&posture, scratch, m, NULL), TQ_OK));
    cr_assert(eq(int, tq_eigen_symmetric(model->nv, m, model->nv, scratch, values, NULL), TQ_OK));
    ret[0] = values[0];
    ret[1] = values[model->nv - 1];
    tq_scratch_rewind(scratch, mark);
}

/* trees with prismatic and mimic joints and rotors, boxes of any width: no q violates the bounds */
Test(bounds, item_041_hold_at_every_random_point_of_the_box)
{
    tq_scratch scratch = scratch_new();
    for (uint64_t seed = 0; seed < 40; seed++) {
        const tqt_robot_options options = {.n_joint = 1 + (uint32_t)(seed % 6),
                                           .kinds = TQT_KINDS_ONE,
                                           .with = TQT_WITH_ALL & ~(unsigned)TQT_WITH_MASSLESS};
        tq_model *model = tqt_random_robot(seed + 77, options);
        tqt_states middle = tqt_random_states(seed, model, 1);
        tqt_states points = tqt_random_states(seed + 5, model, 200);
        const size_t nq = model->nq;
        double *lower = tqt_doubles(nq), *upper = tqt_doubles(nq), *q = tqt_doubles(nq);
        const double half = seed % 3 == 0 ? 0.05 : seed % 3 == 1 ? 0.4 : 2.0;
        for (size_t k = 0; k < nq; k++) {
            lower[k] = middle.q[k * middle.stride] - half;
            upper[k] = middle.q[k * middle.stride] + half;
        }
        tq_eigen_bounds bounds;
        cr_assert(eq(
            int, tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &bounds, NULL),
            TQ_OK));
        cr_assert(bounds.bounded && bounds.guaranteed_smallest <= bounds.attained_smallest);
        cr_assert(bounds.guaranteed_largest >= bounds.attained_largest);
        for (size_t i = 0; i < 200; i++) {
            double values[2];
            for (size_t k = 0; k < nq; k++) {
                /* maps any number into the box */
                q[k] = lower[k] + 2 * half * fabs(sin(points.q[k * points.stride + i]));
            }
            eigenvalues(model, q, &scratch, values);
            const double slack = 100 * DBL_EPSILON * bounds.guaranteed_largest;
            cr_assert(ge(dbl, values[0], bounds.guaranteed_smallest - slack), "seed %d", (int)seed);
            cr_assert(le(dbl, values[1], bounds.guaranteed_largest + slack), "seed %d", (int)seed);
        }
        free(lower);
        free(upper);
        free(q);
        tqt_states_free(&middle);
        tqt_states_free(&points);
        tqt_model_free(model);
    }
    free(scratch.memory);
}

/* two unit links with unit masses at their ends: M11 = 3 + 2 c, M12 = 1 + c, M22 = 1. det M = 2 -
 * c^2 and the trace is 4 + 2 c, so over a turn the largest eigenvalue is that of c = 1, 3 +
 * sqrt(8), and the smallest is within 1 % of that of a fine sweep. */
static tq_model *two_links(tq_joint_kind second)
{
    tq_model *model = tqt_model_new(3);
    for (uint32_t j = 0; j < 2; j++) {
        model->joints[j].kind = j == 0 ? TQ_JOINT_CONTINUOUS : second;
        model->joints[j].parent = j;
        model->joints[j].child = j + 1;
        model->joints[j].origin.p[0] = j == 0 ? 0.0 : 1.0;
        model->links[j + 1].inertia.mass = 1.0;
        model->links[j + 1].inertia.com[0] = 1.0;
    }
    model->joints[1].axis[0] = second == TQ_JOINT_PRISMATIC ? 1.0 : 0.0;
    model->joints[1].axis[2] = second == TQ_JOINT_PRISMATIC ? 0.0 : 1.0;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    return model;
}

Test(bounds, item_041_of_the_planar_arm_come_near_the_extremes)
{
    tq_scratch scratch = scratch_new();
    tq_model *model = two_links(TQ_JOINT_CONTINUOUS);
    const double lower[2] = {-HUGE_VAL, -HUGE_VAL}, upper[2] = {HUGE_VAL, HUGE_VAL};
    double least = HUGE_VAL;
    for (int k = 0; k <= 10000; k++) {
        const double c = -1.0 + k / 5000.0, trace = 4.0 + 2.0 * c, det = 2.0 - c * c;
        least = fmin(least, 0.5 * (trace - sqrt(trace * trace - 4.0 * det)));
    }
    tq_eigen_bounds bounds;
    cr_assert(eq(
        int, tq_mass_matrix_eigen_bounds(model, lower, upper, 8 * N_MAX, &scratch, &bounds, NULL),
        TQ_OK));
    cr_assert(lt(dbl, fabs(bounds.attained_largest - (3.0 + sqrt(8.0))), 1e-9));
    cr_assert(lt(dbl, fabs(bounds.attained_smallest - least), 1e-6));
    /* the search stops at 1 % */
    cr_assert(ge(dbl, bounds.guaranteed_smallest, 0.985 * least));
    cr_assert(le(dbl, bounds.guaranteed_largest, 1.015 * (3.0 + sqrt(8.0))));
    tqt_model_free(model);
    free(scratch.memory);
}

/* a chain of n revolute joints: all after the first `n_own` mimic one of these */
static tq_model *chain(uint32_t n, uint32_t n_own, double mass)
{
    tq_model *model = tqt_model_new(n + 1);
    for (uint32_t j = 0; j < n; j++) {
        tq_joint *joint = &model->joints[j];
        joint->kind = TQ_JOINT_REVOLUTE;
        joint->parent = j;
        joint->child = j + 1;
        joint->origin.p[0] = 0.1;
        joint->axis[j % 3] = 1.0;
        if (j >= n_own) {
            joint->mimic = j % n_own;
            joint->mimic_multiplier = 0.5;
        }
        model->links[j + 1].inertia.mass = mass;
    }
    model->links[n].inertia.mass = 1.0;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    return model;
}

/* 86 mimic joints with 4 dofs: the table of such a chain took a minute */
Test(bounds, tables_of_second_derivatives_are_made_of_few_joints)
{
    const struct {
        uint32_t n, n_own;
        double mass;
        bool affordable;
    } chains[] = {{7, 7, 1.0, true},  {24, 24, 1.0, true}, {25, 25, 1.0, false},
                  {30, 4, 1.0, true}, {90, 4, 1.0, false}, {90, 4, 0.0, false},
                  {50, 4, 0.0, true}};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        tq_model *model = chain(chains[i].n, chains[i].n_own, chains[i].mass);
        cr_expect(eq(int, tq_relative_is_affordable(model), chains[i].affordable), "%zu", i);
        tqt_model_free(model);
    }
}

/* at every size below: no memory is used that is not there */
Test(bounds, refuse_short_scratch)
{
    tq_model *model = two_links(TQ_JOINT_REVOLUTE);
    const double lower[2] = {-0.1, -0.1}, upper[2] = {0.1, 0.1};
    const size_t size = tq_eigen_bounds_scratch_size(model, 4);
    tq_eigen_bounds bounds;
    for (size_t n = 0; n <= size; n += 64) {
        void *memory = aligned_alloc(64, n + 64);
        tq_scratch scratch;
        cr_assert(ne(ptr, memory, NULL));
        tq_scratch_init(&scratch, memory, n < size - 63 ? n : size);
        const tq_status status =
            tq_mass_matrix_eigen_bounds(model, lower, upper, 4, &scratch, &bounds, NULL);
        cr_assert(status == TQ_OK || status == TQ_ERR_SCRATCH, "%zu of %zu: %d", n, size, status);
        cr_assert(n >= size / 2 || status == TQ_ERR_SCRATCH, "%zu of %zu", n, size);
        cr_assert(n < size - 63 || status == TQ_OK, "%zu of %zu", n, size);
        free(memory);
    }
    tqt_model_free(model);
}

/* ERR-T15: a travel without limits leaves M unbounded */
Test(bounds, item_041_without_limits_of_travel_there_are_none)
{
    tq_scratch scratch = scratch_new();
    tq_model *model = two_links(TQ_JOINT_PRISMATIC);
    const double lower[2] = {-1.0, 0.0}, upper[2] = {1.0, HUGE_VAL};
    tq_eigen_bounds bounds;
    cr_assert(eq(int,
                 tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &bounds, NULL),
                 TQ_OK));
    cr_assert(bounds.bounded == false && isnan(bounds.guaranteed_largest));
    cr_assert(eq(u32, bounds.joint, 1));
    tq_error error;
    tq_scratch none;
    tq_scratch_init(&none, scratch.memory, 128);
    cr_assert(eq(int,
                 tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &none, &bounds, &error),
                 TQ_ERR_SCRATCH));
    model->joints[1].kind = TQ_JOINT_SPHERICAL;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    const double four[5] = {0};
    cr_assert(eq(int,
                 tq_mass_matrix_eigen_bounds(model, four, four, N_MAX, &scratch, &bounds, &error),
                 TQ_ERR_RANGE));
    tqt_model_free(model);
    free(scratch.memory);
}

/* a light wrist on a heavy arm: masses and sizes decrease by a factor from link to link */
static tq_model *tapered(uint64_t seed, uint32_t n_joint)
{
    tqt_random r = tqt_random_seed(seed);
    tq_model *model = tqt_model_new(n_joint + 1);
    for (uint32_t j = 0; j < n_joint; j++) {
        tq_joint *joint = &model->joints[j];
        tq_inertia *inertia = &model->links[j + 1].inertia;
        const double size = 0.4 * pow(0.75, j);
        joint->kind = TQ_JOINT_REVOLUTE;
        joint->parent = j;
        joint->child = j + 1;
        tqt_random_unit(&r, 3, joint->axis);
        inertia->mass = 10.0 * pow(0.65, j);
        for (unsigned k = 0; k < 3; k++) {
            joint->origin.p[k] = j == 0 ? 0.0 : tqt_random_uniform(&r, -0.6, 0.6) * size;
            inertia->com[k] = tqt_random_uniform(&r, -0.3, 0.3) * size;
            inertia->about_com[k == 0   ? 0
                               : k == 1 ? 3
                                        : 5] =
                inertia->mass * size * size * tqt_random_uniform(&r, 0.08, 0.1);
        }
    }
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    return model;
}

/* Measured over these arms: at least 0.998 of the smallest that was found in boxes of 1 mrad, 0.99
 * of 10 mrad, 0.79 of 60 mrad. Weyl's bound alone is below 0 for 7 joints at 1 mrad. */
Test(bounds, item_041_of_arms_are_positive)
{
    static const double half[] = {0.0005, 0.005, 0.03}, share[] = {0.95, 0.5, 0.0};
    tq_scratch scratch = scratch_new();
    tqt_random r = tqt_random_seed(41);
    for (uint64_t seed = 0; seed < 18; seed++) {
        const size_t n = 6 + seed % 2, width = seed / 2 % 3;
        tq_model *model = tapered(seed, (uint32_t)n);
        double lower[7], upper[7], q[7];
        for (size_t k = 0; k < n; k++) {
            const double middle = tqt_random_uniform(&r, -3.0, 3.0);
            lower[k] = middle - half[width];
            upper[k] = middle + half[width];
        }
        tq_eigen_bounds bounds;
        cr_assert(tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &bounds,
                                              NULL) == TQ_OK);
        cr_expect(gt(dbl, bounds.guaranteed_smallest, share[width] * bounds.attained_smallest),
                  "seed %d, half %g: %g of %g", (int)seed, half[width], bounds.guaranteed_smallest,
                  bounds.attained_smallest);
        cr_expect(le(dbl, bounds.guaranteed_largest,
                     (width == 0 ? 1.02 : 2.0) * bounds.attained_largest));
        for (size_t i = 0; i < 2000; i++) {
            double values[2];
            for (size_t k = 0; k < n; k++) {
                const double u = tqt_random_uniform(&r, -0.2, 1.2); /* includes corners and faces */
                q[k] = lower[k] + fmin(fmax(u, 0.0), 1.0) * (upper[k] - lower[k]);
            }
            eigenvalues(model, q, &scratch, values);
            const double slack = 100 * DBL_EPSILON * bounds.guaranteed_largest;
            cr_assert(ge(dbl, values[0], bounds.guaranteed_smallest - slack));
            cr_assert(le(dbl, values[1], bounds.guaranteed_largest + slack));
        }
        tqt_model_free(model);
    }
    free(scratch.memory);
}

/* over full revolutions, the bounds of the entries with all arms stretched are better than any
 * Lipschitz bound, and rotors bound the smallest eigenvalue from below */
Test(bounds, item_041_of_a_wide_box_are_those_of_stretched_arms_and_rotors)
{
    tq_scratch scratch = scratch_new();
    for (uint64_t seed = 0; seed < 10; seed++) {
        const tqt_robot_options options = {
            .n_joint = 7, .kinds = 1u << TQ_JOINT_CONTINUOUS, .with = 0};
        tq_model *model = tqt_random_robot(seed, options);
        double lower[7], upper[7], reach = 0.0, mass = 0.0, moment = 0.0;
        for (uint32_t j = 0; j < 7; j++) {
            const tq_inertia *inertia = &model->links[model->joints[j].child].inertia;
            const double *p = model->joints[j].origin.p, *c = inertia->com;
            model->joints[j].rotor = (tq_rotor){.inertia = 0.02, .ratio = 5.0};
            lower[j] = -HUGE_VAL;
            upper[j] = HUGE_VAL;
            reach += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) +
                     sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
            mass += inertia->mass;
            moment += inertia->about_com[0] + inertia->about_com[3] + inertia->about_com[5];
        }
        tq_eigen_bounds bounds;
        cr_assert(eq(int,
                     tq_mass_matrix_eigen_bounds(model, lower, upper, 64, &scratch, &bounds, NULL),
                     TQ_OK));
        cr_expect(ge(dbl, bounds.guaranteed_smallest, 0.5 * (1.0 - 1e-6)), "seed %d", (int)seed);
        cr_expect(le(dbl, bounds.guaranteed_smallest, bounds.attained_smallest));
        /* every entry is at most that of all masses at full reach, and a row has 7 of them */
        const double most = 7.0 * (mass * reach * reach + moment) + 0.5;
        cr_expect(le(dbl, bounds.guaranteed_largest, most), "seed %d: %g of %g", (int)seed,
                  bounds.guaranteed_largest, most);
        tqt_model_free(model);
    }
    free(scratch.memory);
}

typedef struct asker {
    unsigned asked, yes_at; /* calls of stop, and the call that returns non-zero; 0: never */
} asker;

static int stop(void *ctx)
{
    asker *a = ctx;
    return ++a->asked == a->yes_at;
}

/* cancellation in every part of the search: constants, cells, steps along coordinates */
Test(bounds, end_when_cancelled)
{
    enum { N_JOINT = 24 };
    tq_scratch scratch = scratch_new();
    tq_model *model = tqt_random_arm(3, N_JOINT, 0, (tq_friction){.viscous = 0.0});
    double lower[N_JOINT], upper[N_JOINT];
    for (size_t k = 0; k < N_JOINT; k++) {
        lower[k] = -0.1;
        upper[k] = 0.1;
    }
    asker never = {0};
    tq_eigen_bounds want, bounds;
    cr_assert(eq(int,
                 tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &want, NULL),
                 TQ_OK));
    tq_scratch_set_stop(&scratch, stop, &never);
    cr_assert(eq(int,
                 tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &bounds, NULL),
                 TQ_OK));
    cr_assert(eq(dbl, bounds.guaranteed_smallest, want.guaranteed_smallest));
    cr_assert(eq(dbl, bounds.attained_largest, want.attained_largest));
    /* work between two calls of stop: 100 n^2 + 2 n^3 for each matrix, 10 n^2 for each of n joints
     * of n links */
    const double n = N_JOINT;
    const double work = (double)want.n_evaluated * (100 * n * n + 2 * n * n * n) + 10 * n * n * n;
    cr_assert(ge(dbl, never.asked, floor(work / TQ_SCRATCH_ASK_WORK)));
    for (unsigned k = 1; k <= never.asked; k += TQT_SANITIZED ? 75 : 3) {
        asker a = {.yes_at = k};
        tq_scratch_set_stop(&scratch, stop, &a);
        const tq_status status =
            tq_mass_matrix_eigen_bounds(model, lower, upper, N_MAX, &scratch, &bounds, NULL);
        cr_assert(eq(int, status, TQ_ERR_STOPPED), "%u of %u", k, never.asked);
        cr_assert(eq(uint, a.asked, k), "it is asked no more");
        cr_assert(eq(sz, scratch.used, 0));
    }
    tqt_model_free(model);
    free(scratch.memory);
}
