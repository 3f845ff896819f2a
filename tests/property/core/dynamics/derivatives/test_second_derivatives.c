/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/derivatives/test_second_derivatives.c - closed-form second
 * derivatives against differences of the first ones, on trees of every joint kind with every term.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/lagrangian.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/wrapping.h"

enum { SEEDS = 60, BYTES = 16 << 20, TENDONS = 3, POINTS = 4, SHARES = 2, WRENCHES = 3 };

/* what a trial has beside rigid bodies and the terms of joints */
enum { WITH_BALLS = 1, WITH_DRAG = 2, WITH_TENDONS = 4, WITH_WRENCHES = 8, WITH_SOLIDS = 16 };

typedef struct trial {
    tq_model *model;
    size_t nq, nv;
    double *q, *qd, *qdd;
    tq_scratch scratch;
    void *memory;
    tq_tendon tendons[TENDONS];
    tq_tendon_point points[TENDONS * POINTS];
    tq_tendon_share shares[SHARES];
    tq_point_wrench wrenches[WRENCHES];
    size_t n_wrench;
    double tolerance;
    tq_second_derivatives exact, differences; /* four arrays (nv x nv x nv) each */
} trial;

static void fill_random(tqt_random *r, double size, double *ret, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        ret[k] = tqt_random_uniform(r, -size, size);
    }
}

/* friction that a step of differences does not see as a jump; springs of balls */
static void shape_joints(trial *t, tqt_random *r, unsigned with)
{
    for (uint32_t j = 0; j < t->model->n_joint; j++) {
        tq_joint *joint = &t->model->joints[j];
        joint->friction.smoothing = fmax(joint->friction.smoothing, 0.5);
        if (joint->friction.stribeck_velocity > 0.0) {
            joint->friction.stribeck_velocity = fmax(joint->friction.stribeck_velocity, 0.5);
        }
        if (joint->kind >= TQ_JOINT_SPHERICAL && (with & WITH_BALLS) != 0) {
            joint->friction.viscous = tqt_random_uniform(r, 0.1, 2.0);
            joint->spring.stiffness = tqt_random_uniform(r, 1.0, 9.0);
            joint->rotor = (tq_rotor){.inertia = tqt_random_uniform(r, 0.1, 1.0), .ratio = 2.0};
            joint->spring.pose[3] = 1.0;
            if (joint->kind == TQ_JOINT_FLOATING) {
                fill_random(r, 1.0, joint->spring.pose, 3);
            }
        }
    }
}

static void add_drag(trial *t, tqt_random *r)
{
    t->model->medium = (tq_medium){.density = tqt_random_uniform(r, 1.0, 900.0),
                                   .viscosity = tqt_random_uniform(r, 0.0, 5.0)};
    fill_random(r, 2.0, t->model->medium.velocity, 3);
    for (uint32_t l = 0; l < t->model->n_link; l++) {
        tq_drag_box *box = &t->model->links[l].drag;
        double quaternion[4] = {2.0, 0.0, 0.0, 0.0};
        fill_random(r, 1.0, quaternion + 1, 3);
        tq_mat_of_quaternion(quaternion, box->at.r);
        fill_random(r, 0.3, box->at.p, 3);
        for (unsigned k = 0; k < 3 && l % 3 != 2; k++) {
            box->size[k] = tqt_random_uniform(r, 0.05, 0.6);
        }
    }
}

/* Of points alone, of points in two branches with dry friction, and of points and coordinates. */
static void add_tendons(trial *t, tqt_random *r, bool solids)
{
    tq_model *model = t->model;
    model->tendons = t->tendons;
    model->points = t->points;
    model->shares = t->shares;
    model->n_tendon = TENDONS;
    model->n_point = TENDONS * POINTS;
    for (uint32_t j = 0; j < model->n_joint && model->n_share < SHARES; j++) {
        if (tq_joint_kind_nv(model->joints[j].kind) == 1) {
            t->shares[model->n_share++] = (tq_tendon_share){.joint = j, .coefficient = 0.7};
        }
    }
    for (uint32_t k = 0; k < TENDONS; k++) {
        const double lower = tqt_random_uniform(r, 0.1, 1.5);
        t->tendons[k] = (tq_tendon){.first_point = k * POINTS,
                                    .n_point = POINTS,
                                    .n_share = k == 2 ? model->n_share : 0,
                                    .stiffness = tqt_random_uniform(r, 1.0, 40.0),
                                    .lower = lower,
                                    .upper = lower + (k == 0 ? 1.0 : 0.0)};
        t->tendons[k].friction = (tq_friction){.viscous = tqt_random_uniform(r, 0.1, 4.0),
                                               .coulomb = k > 0 ? 1.5 : 0.0,
                                               .smoothing = k > 0 ? 1.0 : 0.0};
        for (uint32_t n = 0; n < POINTS; n++) {
            tq_tendon_point *point = &t->points[k * POINTS + n];
            *point = (tq_tendon_point){.link = tqt_random_below(r, model->n_link),
                                       .weight = k != 1 ? 1.0 : (n == 1 ? 0.0 : 0.4)};
            fill_random(r, 0.5, point->at, 3);
        }
        if (solids && k != 1) {
            tqt_wrapping_solid(r, model, 0.4, &t->points[k * POINTS + 1]);
        }
    }
}

static void add_wrenches(trial *t, tqt_random *r)
{
    t->n_wrench = WRENCHES;
    for (size_t w = 0; w < WRENCHES; w++) {
        tq_point_wrench *wrench = &t->wrenches[w];
        wrench->link = tqt_random_below(r, t->model->n_link);
        wrench->expressed_in = w == 0 ? TQ_FRAME_LINK : TQ_FRAME_WORLD;
        fill_random(r, 0.5, wrench->at, 3);
        fill_random(r, 20.0, wrench->value, 6);
    }
}

static void take_arrays(trial *t, tq_second_derivatives *ret)
{
    const size_t n = t->nv * t->nv * t->nv;
    *ret = (tq_second_derivatives){.dq_dq = tqt_doubles(n),
                                   .dqd_dqd = tqt_doubles(n),
                                   .dqd_dq = tqt_doubles(n),
                                   .dqdd_dq = tqt_doubles(n)};
}

static void free_arrays(const tq_second_derivatives *arrays)
{
    free(arrays->dq_dq), free(arrays->dqd_dqd), free(arrays->dqd_dq), free(arrays->dqdd_dq);
}

static void open_trial(trial *t, uint64_t seed, uint32_t n_joint, unsigned kinds, unsigned with)
{
    const tqt_robot_options options = {.n_joint = n_joint, .kinds = kinds, .with = TQT_WITH_ALL};
    tqt_random r = tqt_random_seed(seed + 4100);
    tq_error fault = {0};
    memset(t, 0, sizeof *t);
    t->model = tqt_random_robot(seed + 900, options);
    shape_joints(t, &r, with);
    if ((with & WITH_DRAG) != 0) {
        add_drag(t, &r);
    }
    if ((with & WITH_TENDONS) != 0) {
        add_tendons(t, &r, (with & WITH_SOLIDS) != 0);
    }
    if ((with & WITH_WRENCHES) != 0) {
        add_wrenches(t, &r);
    }
    cr_assert(eq(int, tq_model_finish(t->model, &fault), TQ_OK), "%s", fault.what);
    t->tolerance = (with & WITH_SOLIDS) != 0 ? 1e-7 : 2e-9;
    t->nq = t->model->nq;
    t->nv = t->model->nv;
    tqt_states states = tqt_random_states(seed + 17, t->model, 1);
    t->q = tqt_doubles(t->nq);
    t->qd = tqt_doubles(t->nv);
    t->qdd = tqt_doubles(t->nv);
    tqt_sample(states.q, t->nq, states.stride, 0, t->q);
    tqt_sample(states.qd, t->nv, states.stride, 0, t->qd);
    tqt_sample(states.qdd, t->nv, states.stride, 0, t->qdd);
    tqt_states_free(&states);
    t->memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, t->memory, NULL));
    tq_scratch_init(&t->scratch, t->memory, BYTES);
    take_arrays(t, &t->exact);
    take_arrays(t, &t->differences);
}

static size_t at(const trial *t, size_t i, size_t j, size_t k)
{
    return (i * t->nv + j) * t->nv + k;
}

static void close_trial(trial *t)
{
    free_arrays(&t->exact);
    free_arrays(&t->differences);
    free(t->memory), free(t->q), free(t->qd), free(t->qdd);
    tqt_model_free(t->model);
}

static tq_sample sample_at(const trial *t, const double *q, const double *qd, unsigned without)
{
    return (tq_sample){.q = q,
                       .qd = qd,
                       .qdd = t->qdd,
                       .gravity = t->model->gravity,
                       .wrenches = t->wrenches,
                       .n_wrench = t->n_wrench,
                       .without = without};
}

static void configure(trial *t, const double *q, const double *qd, unsigned without,
                      tq_configuration *ret)
{
    const bool still = (without & TQ_WITHOUT_VELOCITY) != 0;
    tq_error e = {0};
    cr_assert(eq(int,
                 tq_configuration_compute(t->model, q, still ? NULL : qd, &t->scratch, ret, &e),
                 TQ_OK));
}

/* dtau/dq, dtau/dqd and M, one after the other */
static void first_derivatives(trial *t, const double *q, const double *qd, unsigned without,
                              double *ret)
{
    const size_t square = t->nv * t->nv, mark = tq_scratch_mark(&t->scratch);
    const tq_sample sample = sample_at(t, q, qd, without);
    tq_configuration p;
    tq_error e = {0};
    configure(t, q, qd, without, &p);
    cr_assert(eq(int, tq_inverse_derivatives(&p, &sample, &t->scratch, ret, ret + square, &e), 0));
    cr_assert(eq(int, tq_lagrangian_mass_matrix(&p, &t->scratch, ret + 2 * square, &e), 0));
    tq_scratch_rewind(&t->scratch, mark);
}

/* Richardson's extrapolation of central differences by coordinate k: D(h) + (D(h) - D(2h)) / 3 */
static void difference(trial *t, size_t k, bool by_rate, unsigned without)
{
    static const double h = 1e-4, weights[4] = {4.0 / 6e-4, -4.0 / 6e-4, -1.0 / 12e-4, 1.0 / 12e-4};
    static const double steps[4] = {1.0, -1.0, 2.0, -2.0};
    const size_t square = t->nv * t->nv;
    double *moved = tqt_doubles(t->nq), *by = tqt_doubles(t->nv), *rates = tqt_doubles(t->nv);
    double *first = tqt_doubles(3 * square);
    for (unsigned s = 0; s < 4; s++) {
        memcpy(rates, t->qd, t->nv * sizeof *rates);
        by[k] = by_rate ? 0.0 : h * steps[s];
        rates[k] += by_rate ? h * steps[s] : 0.0;
        tq_configuration_integrate(t->model, t->q, by, moved);
        first_derivatives(t, moved, rates, without, first);
        for (size_t e = 0; e < square; e++) {
            if (by_rate) {
                t->differences.dqd_dqd[e * t->nv + k] += weights[s] * first[square + e];
            } else {
                t->differences.dq_dq[e * t->nv + k] += weights[s] * first[e];
                t->differences.dqd_dq[e * t->nv + k] += weights[s] * first[square + e];
                t->differences.dqdd_dq[e * t->nv + k] += weights[s] * first[2 * square + e];
            }
        }
    }
    free(moved), free(by), free(rates), free(first);
}

static void near(const trial *t, const double *got, const double *want, const char *what,
                 uint64_t seed)
{
    const size_t nv = t->nv;
    double scale = 1.0;
    for (size_t e = 0; e < nv * nv * nv; e++) {
        scale = fmax(scale, fabs(want[e]));
    }
    /* rounding of the first derivatives, 1e-15 of their terms, over 1e-4; and h^4 times fifth
     * derivatives, 1e-16 of them: where a path only just wraps, these are large */
    for (size_t e = 0; e < nv * nv * nv; e++) {
        cr_assert(lt(dbl, fabs(got[e] - want[e]), t->tolerance * scale),
                  "seed %d, %s [%zu][%zu][%zu]: %.15g, not %.15g (of %g)", (int)seed, what,
                  e / nv / nv, e / nv % nv, e % nv, got[e], want[e], scale);
    }
}

static void compute(trial *t, unsigned without)
{
    const size_t mark = tq_scratch_mark(&t->scratch);
    const tq_sample sample = sample_at(t, t->q, t->qd, without);
    tq_configuration p;
    tq_scratch inner;
    tq_error e = {0};
    configure(t, t->q, t->qd, without, &p);
    /* in no more than what it says */
    const size_t size = tq_second_derivatives_scratch_size(t->model);
    void *room = tq_scratch_take(&t->scratch, size + 64, 1);
    tq_scratch_init(&inner, room, size);
    cr_assert(eq(int, tq_inverse_second_derivatives(&p, &sample, &inner, &t->exact, &e), TQ_OK),
              "%s", e.what);
    tq_scratch_rewind(&t->scratch, mark);
}

static void compare(trial *t, uint64_t seed, unsigned without)
{
    compute(t, without);
    for (size_t k = 0; k < t->nv; k++) {
        difference(t, k, false, without);
        difference(t, k, true, without);
    }
    near(t, t->exact.dq_dq, t->differences.dq_dq, "q q", seed);
    near(t, t->exact.dqd_dqd, t->differences.dqd_dqd, "qd qd", seed);
    near(t, t->exact.dqd_dq, t->differences.dqd_dq, "qd q", seed);
    near(t, t->exact.dqdd_dq, t->differences.dqdd_dq, "qdd q", seed);
}

static void compare_all(uint64_t n_seed, unsigned kinds, unsigned with, unsigned without)
{
    for (uint64_t seed = 0; seed < n_seed; seed++) {
        trial t;
        open_trial(&t, seed, 1 + (uint32_t)(seed % 7), kinds, with);
        compare(&t, seed, without);
        close_trial(&t);
    }
}

Test(second_derivatives, of_rigid_bodies_and_joints)
{
    compare_all(SEEDS, TQT_KINDS_ONE, 0, 0);
    compare_all(SEEDS, TQT_KINDS_ALL, 0, 0);
}

/* one kind alone, so that none is left out by chance */
Test(second_derivatives, of_every_kind_of_joint)
{
    for (unsigned kind = TQ_JOINT_REVOLUTE; kind <= TQ_JOINT_FLOATING; kind++) {
        compare_all(4, 1u << kind, WITH_BALLS | WITH_WRENCHES, 0);
    }
}

Test(second_derivatives, of_ball_terms)
{
    compare_all(SEEDS, TQT_KINDS_ALL, WITH_BALLS, 0);
}

Test(second_derivatives, of_tendons_around_solids)
{
    compare_all(SEEDS, TQT_KINDS_ALL, WITH_TENDONS | WITH_SOLIDS, 0);
}

Test(second_derivatives, of_drag)
{
    compare_all(SEEDS, TQT_KINDS_ALL, WITH_DRAG, 0);
}

Test(second_derivatives, of_tendons)
{
    compare_all(SEEDS, TQT_KINDS_ALL, WITH_TENDONS, 0);
}

Test(second_derivatives, of_wrenches)
{
    compare_all(SEEDS, TQT_KINDS_ALL, WITH_WRENCHES, 0);
}

/* with each term left out, and all of them present */
Test(second_derivatives, without_what_is_named)
{
    for (unsigned bit = 0; bit <= 8; bit++) {
        compare_all(7, TQT_KINDS_ALL, WITH_BALLS | WITH_DRAG | WITH_TENDONS | WITH_WRENCHES,
                    bit == 8 ? 0 : 1u << bit);
    }
}

/* dM_ij/dq_k = Gamma_ijk + Gamma_jik; and d2tau_i/dqd_j dqd_k = Gamma_ijk + Gamma_ikj where nothing
 * else depends on qd: symbols by composites at unit rates */
Test(second_derivatives, of_rates_and_of_mass_are_christoffel_symbols)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, seed, 1 + (uint32_t)(seed % 7), TQT_KINDS_ALL, WITH_BALLS);
        double *gamma = tqt_doubles(t.nv * t.nv * t.nv), scale = 1.0;
        tq_configuration p;
        tq_error e = {0};
        compute(&t, TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG);
        configure(&t, t.q, t.qd, 0, &p);
        cr_assert(eq(int, tq_lagrangian_christoffel(&p, &t.scratch, gamma, &e), TQ_OK));
        for (size_t n = 0; n < t.nv * t.nv * t.nv; n++) {
            scale = fmax(scale, fabs(gamma[n]));
        }
        for (size_t i = 0; i < t.nv; i++) {
            for (size_t j = 0; j < t.nv; j++) {
                for (size_t k = 0; k < t.nv; k++) {
                    const double one = gamma[at(&t, i, j, k)];
                    const double mass = t.exact.dqdd_dq[at(&t, i, j, k)];
                    const double rates = t.exact.dqd_dqd[at(&t, i, j, k)];
                    cr_assert(lt(dbl, fabs(mass - one - gamma[at(&t, j, i, k)]), 1e-12 * scale));
                    cr_assert(lt(dbl, fabs(rates - one - gamma[at(&t, i, k, j)]), 1e-12 * scale),
                              "seed %d", (int)seed);
                }
            }
        }
        free(gamma);
        close_trial(&t);
    }
}

/* [e_k, e_j] of two displacements of one joint, in its rows: of a ball w_k x w_j, and of shifts v
 * w_k x v_j + v_k x w_j; 0 of any others */
static void bracket(const tq_joint *joint, size_t k, size_t j, double ret[6])
{
    const size_t turns = joint->kind == TQ_JOINT_FLOATING ? 3 : 0;
    double by[2][6] = {{0}}, part[3];
    memset(ret, 0, 6 * sizeof *ret);
    if (joint->kind < TQ_JOINT_SPHERICAL) {
        return;
    }
    by[0][3 + k - turns] = 1.0; /* v, w */
    by[1][3 + j - turns] = 1.0;
    tq_vec_cross(by[0] + 3, by[1] + 3, ret + turns);
    for (unsigned side = 0; turns == 3 && side < 2; side++) {
        tq_vec_cross(by[side] + 3, by[1 - side], part);
        for (unsigned c = 0; c < 3; c++) {
            ret[c] += side == 0 ? part[c] : -part[c];
        }
    }
}

/* Symmetric in what commutes: by rates, and by q but for displacements of one ball, whose
 * difference is the first derivative along their Lie bracket. */
Test(second_derivatives, symmetry)
{
    size_t n_twisted = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, seed, 1 + (uint32_t)(seed % 5), TQT_KINDS_ALL,
                   WITH_BALLS | WITH_DRAG | WITH_TENDONS | WITH_WRENCHES);
        double *first = tqt_doubles(3 * t.nv * t.nv), scale = 1.0;
        compute(&t, 0);
        first_derivatives(&t, t.q, t.qd, 0, first);
        for (size_t n = 0; n < t.nv * t.nv * t.nv; n++) {
            scale = fmax(scale, fmax(fabs(t.exact.dq_dq[n]), fabs(t.exact.dqd_dqd[n])));
        }
        for (uint32_t n = 0; n < t.model->n_joint; n++) {
            const tq_joint *joint = &t.model->joints[n];
            for (size_t j = joint->v_index; j < joint->v_index + joint->nv; j++) {
                for (size_t k = 0; k < t.nv; k++) {
                    const bool mates = k >= joint->v_index && k < joint->v_index + joint->nv;
                    double along[6] = {0};
                    if (mates) {
                        bracket(joint, k - joint->v_index, j - joint->v_index, along);
                    }
                    for (size_t i = 0; i < t.nv; i++) {
                        const double twist =
                            t.exact.dq_dq[at(&t, i, j, k)] - t.exact.dq_dq[at(&t, i, k, j)];
                        double want = 0.0;
                        for (size_t c = 0; mates && c < joint->nv; c++) {
                            want += along[c] * first[i * t.nv + joint->v_index + c];
                        }
                        n_twisted += fabs(want) > 0.01 * scale;
                        cr_assert(lt(dbl, fabs(twist - want), 1e-11 * scale),
                                  "seed %d [%zu][%zu][%zu]: %g, not %g", (int)seed, i, j, k, twist,
                                  want);
                        cr_assert(lt(dbl,
                                     fabs(t.exact.dqd_dqd[at(&t, i, j, k)] -
                                          t.exact.dqd_dqd[at(&t, i, k, j)]),
                                     1e-11 * scale));
                    }
                }
            }
        }
        free(first);
        close_trial(&t);
    }
    cr_assert(gt(sz, n_twisted, SEEDS));
}

/* log R of a spring near rest is a series there, and a closed form beyond */
Test(second_derivatives, of_a_spring_at_every_angle)
{
    static const double angles[] = {0.0, 1e-9, 1e-4, 0.0999, 0.1001, 1.0, 3.0};
    for (size_t n = 0; n < sizeof angles / sizeof angles[0]; n++) {
        trial t;
        open_trial(&t, n, 1, 1u << TQ_JOINT_SPHERICAL, WITH_BALLS);
        const double half = 0.5 * angles[n];
        const double turn[4] = {cos(half), 0.6 * sin(half), 0.0, 0.8 * sin(half)};
        memcpy(t.q, turn, sizeof turn);
        compare(&t, n, 0);
        close_trial(&t);
    }
}

Test(second_derivatives, at_rest_and_without_joints)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        trial t;
        open_trial(&t, seed, 3, seed == 0 ? 1u << TQ_JOINT_FIXED : TQT_KINDS_ALL, WITH_BALLS);
        memset(t.qd, 0, t.nv * sizeof *t.qd);
        compute(&t, 0);
        const size_t n = t.nv * t.nv * t.nv;
        double *moving = tqt_doubles(n);
        memcpy(moving, t.exact.dq_dq, n * sizeof *moving);
        tq_sample sample = sample_at(&t, t.q, NULL, 0);
        tq_configuration p;
        tq_error e = {0};
        configure(&t, t.q, NULL, 0, &p);
        cr_assert(
            eq(int, tq_inverse_second_derivatives(&p, &sample, &t.scratch, &t.exact, &e), TQ_OK));
        cr_assert(n == 0 || memcmp(moving, t.exact.dq_dq, n * sizeof *moving) == 0);
        free(moving);
        close_trial(&t);
    }
}

Test(second_derivatives, refuse_short_scratch)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        trial t;
        open_trial(&t, seed, 5, TQT_KINDS_ALL, WITH_DRAG | WITH_TENDONS);
        const size_t size = tq_second_derivatives_scratch_size(t.model);
        const tq_sample sample = sample_at(&t, t.q, t.qd, 0);
        tq_configuration p;
        configure(&t, t.q, t.qd, 0, &p);
        for (size_t part = 0; part < 5; part++) { /* it counts six dofs for each joint */
            tq_scratch none;
            tq_error e = {0};
            none = t.scratch;
            void *room = tq_scratch_take(&none, size * part / 8 / 64 * 64 + 64, 1);
            tq_scratch_init(&none, room, size * part / 8 / 64 * 64);
            cr_assert(eq(int, tq_inverse_second_derivatives(&p, &sample, &none, &t.exact, &e),
                         TQ_ERR_SCRATCH));
            cr_assert(gt(dbl, e.value, 0.0));
        }
        close_trial(&t);
    }
}
