/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_drag.c - drag of a medium on links: against forces at the
 * boxes' centres by Jacobians, power, and differences. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/reactions.h"
#include "tests/support/expect.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 60, BYTES = 16 << 20, N = 5 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    size_t nv;
} trial;

static void random_pose(tqt_random *r, tq_pose *ret)
{
    double quaternion[4];
    for (unsigned k = 0; k < 4; k++) {
        quaternion[k] = tqt_random_uniform(r, -1.0, 1.0) + (k == 0 ? 2.0 : 0.0);
    }
    tq_mat_of_quaternion(quaternion, ret->r);
    for (unsigned k = 0; k < 3; k++) {
        ret->p[k] = tqt_random_uniform(r, -0.3, 0.3);
    }
}

/* two links of three have a box; the medium moves where `flows` */
static trial open_trial(uint64_t seed, bool flows)
{
    const tqt_robot_options options = {.n_joint = 6,
                                       .kinds = TQT_KINDS_ALL,
                                       .with = TQT_WITH_BRANCHES | TQT_WITH_MIMIC |
                                               TQT_WITH_FRICTION | TQT_WITH_SPRING |
                                               TQT_WITH_SHUFFLE};
    trial t = {.model = tqt_random_robot(seed, options)};
    tqt_random r = tqt_random_seed(seed + 177);
    t.model->medium = (tq_medium){.density = tqt_random_uniform(&r, 1.0, 900.0),
                                  .viscosity = tqt_random_uniform(&r, 0.0, 5.0)};
    for (unsigned k = 0; flows && k < 3; k++) {
        t.model->medium.velocity[k] = tqt_random_uniform(&r, -2.0, 2.0);
    }
    for (uint32_t l = 0; l < t.model->n_link; l++) {
        tq_drag_box *box = &t.model->links[l].drag;
        random_pose(&r, &box->at);
        for (unsigned k = 0; k < 3; k++) {
            box->size[k] = l % 3 == 2 ? 0.0 : tqt_random_uniform(&r, 0.02, 0.6);
        }
    }
    tq_error fault = {0};
    cr_assert(eq(int, tq_model_finish(t.model, &fault), TQ_OK));
    t.subject = tqt_subject_new(t.model, 0);
    t.s = tqt_random_states(seed + 5, t.model, N);
    t.nv = t.model->nv;
    t.memory = aligned_alloc(64, BYTES);
    tq_scratch_init(&t.scratch, t.memory, BYTES);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_release(t->memory, BYTES);
    free(t->memory);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* Stokes' drag of a sphere of the mean edge, and pressure on the faces */
static double law(const tq_medium *m, const double b[3], unsigned row, double speed)
{
    const double d = (b[0] + b[1] + b[2]) / 3.0;
    const double x = b[row % 3], y = b[(row + 1) % 3], z = b[(row + 2) % 3];
    if (row < 3) {
        return (3.0 * acos(-1.0) * d * m->viscosity + 0.5 * m->density * y * z * fabs(speed)) *
               speed;
    }
    return (acos(-1.0) * pow(d, 3) * m->viscosity +
            m->density * x * (pow(y, 4) + pow(z, 4)) / 64.0 * fabs(speed)) *
           speed;
}

/* J^T f at the centre of each box, J in the link's axes */
static void by_jacobians(const trial *t, const double *q, const double *qd, double *ret)
{
    const tq_medium *medium = &t->model->medium;
    tq_scratch scratch = t->scratch;
    tq_configuration p;
    tq_error e = {0};
    double *jacobian = tqt_doubles(6 * t->nv);
    memset(ret, 0, t->nv * sizeof *ret);
    cr_assert(eq(int, tq_configuration_compute(t->model, q, qd, &scratch, &p, &e), 0));
    for (uint32_t l = 0; l < t->model->n_link; l++) {
        const tq_drag_box *box = &t->model->links[l].drag;
        double flow[3], velocity[6], seen[6], effort[6], turned[6];
        tq_configuration_jacobian(&p, l, box->at.p, TQ_JACOBIAN_LINK, jacobian, NULL);
        tq_configuration_velocity(&p, l, box->at.p, TQ_JACOBIAN_LINK, velocity);
        tq_mat_tvec(p.pose[l].r, medium->velocity, flow);
        for (unsigned k = 0; k < 3; k++) {
            velocity[k] -= flow[k];
        }
        tq_mat_tvec(box->at.r, velocity, seen);
        tq_mat_tvec(box->at.r, velocity + 3, seen + 3);
        for (unsigned k = 0; k < 6; k++) {
            effort[k] = box->size[0] > 0.0 ? law(medium, box->size, k, seen[k]) : 0.0;
        }
        tq_mat_vec(box->at.r, effort, turned);
        tq_mat_vec(box->at.r, effort + 3, turned + 3);
        for (size_t r = 0; r < t->nv; r++) {
            for (size_t k = 0; k < 6; k++) {
                ret[r] += jacobian[k * t->nv + r] * turned[k];
            }
        }
    }
    free(jacobian);
}

Test(drag, by_jacobians)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, seed % 2 == 0);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(t.nv), *want = tqt_doubles(t.nv);
        double *tau = tqt_doubles(t.nv), *bare = tqt_doubles(t.nv), *one = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            tqt_sample(t.s.qd, t.nv, t.s.stride, i, qd);
            by_jacobians(&t, q, qd, want);
            tqt_torque(t.subject, q, qd, NULL, ~(unsigned)TQ_WITHOUT_DRAG, tau);
            tqt_near(tau, want, t.nv, 1e-12, "drag alone", seed);
            tqt_torque(t.subject, q, qd, NULL, 0, tau);
            tqt_torque(t.subject, q, qd, NULL, TQ_WITHOUT_DRAG, bare);
            for (size_t r = 0; r < t.nv; r++) {
                one[r] = tau[r] - bare[r];
            }
            tqt_near(one, want, t.nv, 1e-11, "drag in all", seed);
            /* at rest only the medium's own velocity pulls */
            memset(qd, 0, t.nv * sizeof *qd);
            by_jacobians(&t, q, qd, want);
            tqt_torque(t.subject, q, NULL, NULL, ~(unsigned)TQ_WITHOUT_DRAG, tau);
            tqt_near(tau, want, t.nv, 1e-12, "at rest", seed);
        }
        free(q), free(qd), free(want), free(tau), free(bare), free(one);
        close_trial(&t);
    }
}

/* a medium at rest takes energy, whatever the motion, unless no box moves */
Test(drag, takes_energy)
{
    unsigned moved = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, false);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(t.nv), *tau = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            double power = 0.0, size = 0.0;
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            tqt_sample(t.s.qd, t.nv, t.s.stride, i, qd);
            tqt_torque(t.subject, q, qd, NULL, ~(unsigned)TQ_WITHOUT_DRAG, tau);
            for (size_t r = 0; r < t.nv; r++) {
                power += tau[r] * qd[r];
                size += fabs(tau[r]);
            }
            cr_assert(size == 0.0 || power > 0.0, "seed %d: %g W", seed, power);
            moved += power > 0.0;
        }
        free(q), free(qd), free(tau);
        close_trial(&t);
    }
    cr_assert(gt(uint, moved, 9 * SEEDS * N / 10));
}

Test(drag, forward_dynamics_is_the_inverse)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        double *tau = tqt_doubles(t.nv * t.s.stride), *qdd = tqt_doubles(t.nv * t.s.stride);
        double *one = tqt_doubles(t.nv), *want = tqt_doubles(t.nv);
        const tq_inverse_input in = {
            .n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        const tq_forward_input back = {
            .n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd, .tau = tau};
        tq_error e = {0};
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, tau, &e), 0));
        cr_assert(
            eq(int, tq_forward_dynamics(t.subject->mechanism, &back, &t.scratch, qdd, &e), 0));
        for (size_t i = 0; i < N; i++) {
            tqt_sample(qdd, t.nv, t.s.stride, i, one);
            tqt_sample(t.s.qdd, t.nv, t.s.stride, i, want);
            tqt_near(one, want, t.nv, 1e-6, "qdd", seed);
        }
        free(tau), free(qdd), free(one), free(want);
        close_trial(&t);
    }
}

/* its terms one by one, whatever is left out; and the share of each joint's wrench along its axis
 */
Test(drag, every_way_to_it_agrees)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        const size_t nv = t.nv;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *qdd = tqt_doubles(nv);
        double *tau = tqt_doubles(nv), *sum = tqt_doubles(nv);
        double *entries = tqt_doubles(TQ_LEDGER_COUNT * nv);
        double *wrench = tqt_doubles(6 * ((size_t)t.model->n_joint + 1));
        tqt_sample(t.s.q, t.model->nq, t.s.stride, 0, q);
        tqt_sample(t.s.qd, nv, t.s.stride, 0, qd);
        tqt_sample(t.s.qdd, nv, t.s.stride, 0, qdd);
        tq_scratch scratch = t.scratch;
        tq_configuration p;
        tq_error e = {0};
        cr_assert(eq(int, tq_configuration_compute(t.model, q, qd, &scratch, &p, &e), 0));
        for (unsigned bit = 0; bit <= 8; bit++) {
            const unsigned without = bit == 8 ? 0 : 1u << bit;
            const tq_sample sample = {
                .q = q, .qd = qd, .qdd = qdd, .gravity = t.model->gravity, .without = without};
            cr_assert(eq(int, tq_ledger(&p, &sample, &scratch, entries, &e), 0));
            tqt_torque(t.subject, q, qd, qdd, without, tau);
            for (size_t r = 0; r < nv; r++) {
                sum[r] = 0.0;
                for (size_t k = 0; k < TQ_LEDGER_COUNT; k++) {
                    sum[r] += entries[k * nv + r];
                }
            }
            tqt_near(sum, tau, nv, 1e-11, "ledger", seed);
        }
        tqt_reactions(t.subject, q, qd, qdd, wrench);
        tqt_torque(t.subject, q, qd, qdd,
                   TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR, tau);
        memset(sum, 0, nv * sizeof *sum);
        for (uint32_t j = 0; j < t.model->n_joint; j++) {
            const tq_joint *joint = &t.model->joints[j];
            const double *w = wrench + 6 * (size_t)j;
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            const double *part = joint->kind == TQ_JOINT_PRISMATIC ? w : w + 3;
            const uint32_t rows = tq_joint_kind_nv(joint->kind);
            if (rows == 1) {
                sum[joint->v_index] +=
                    factor * (joint->axis[0] * part[0] + joint->axis[1] * part[1] +
                              joint->axis[2] * part[2]);
            }
            for (uint32_t k = 0; k < rows && rows > 1; k++) {
                sum[joint->v_index + k] = joint->kind == TQ_JOINT_FLOATING ? w[k]
                                          : joint->kind == TQ_JOINT_SPHERICAL
                                              ? w[3 + k]
                                              : tau[joint->v_index + k];
            }
        }
        tqt_near(sum, tau, nv, 1e-11, "reactions", seed);
        free(q), free(qd), free(qdd), free(tau), free(sum), free(entries), free(wrench);
        close_trial(&t);
    }
}

/* d tau/dq and d tau/dqd, of blocks and of one sample, against central differences of drag */
Test(drag, slopes)
{
    static const double h = 1e-5;
    const unsigned alone = ~(unsigned)TQ_WITHOUT_DRAG;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        const size_t nv = t.nv, stride = t.s.stride, square = nv * nv;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *step = tqt_doubles(nv);
        double *moved = tqt_doubles(t.model->nq), *plus = tqt_doubles(nv), *minus = tqt_doubles(nv);
        double *d = tqt_doubles(2 * square * stride), *one = tqt_doubles(2 * square);
        tqt_sample(t.s.q, t.model->nq, stride, 0, q);
        tqt_sample(t.s.qd, nv, stride, 0, qd);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .without = alone};
        const tq_sample sample = {.q = q, .qd = qd, .gravity = t.model->gravity, .without = alone};
        tq_scratch scratch = t.scratch;
        tq_configuration p;
        tq_error e = {0};
        cr_assert(eq(int, tq_derivatives_batch(t.subject->mechanism, &in, &t.scratch, d, &e), 0));
        cr_assert(eq(int, tq_configuration_compute(t.model, q, NULL, &scratch, &p, &e), 0));
        cr_assert(eq(int, tq_inverse_derivatives(&p, &sample, &scratch, one, one + square, &e), 0));
        double scale = 1.0;
        for (size_t k = 0; k < 2 * square; k++) {
            scale = fmax(scale, fabs(one[k]));
        }
        for (size_t k = 0; k < nv; k++) {
            for (int by_rate = 0; by_rate < 2; by_rate++) {
                double *const both[2] = {plus, minus};
                for (int side = 0; side < 2; side++) {
                    const double by = side == 0 ? h : -h;
                    memset(step, 0, nv * sizeof *step);
                    step[k] = by_rate ? 0.0 : by;
                    tq_configuration_integrate(t.model, q, step, moved);
                    qd[k] += by_rate ? by : 0.0;
                    tqt_torque(t.subject, moved, qd, NULL, alone, both[side]);
                    qd[k] -= by_rate ? by : 0.0;
                }
                for (size_t r = 0; r < nv; r++) {
                    const double slope = (plus[r] - minus[r]) / (2.0 * h);
                    const size_t at = (size_t)by_rate * square + r * nv + k;
                    cr_assert(lt(dbl, fabs(slope - one[at]), 2e-5 * scale),
                              "seed %d, row %zu by %s %zu: %g for %g", seed, r,
                              by_rate ? "qd" : "q", k, one[at], slope);
                    cr_assert(lt(dbl, fabs(d[at * stride] - one[at]), 1e-12 * scale),
                              "seed %d, row %zu, %zu in a block", seed, r, k);
                }
            }
        }
        free(q), free(qd), free(step), free(moved), free(plus), free(minus), free(d), free(one);
        close_trial(&t);
    }
}

/* the same bits alone and in a block; nothing without a medium or boxes */
Test(drag, blocks)
{
    for (int seed = 0; seed < 10; seed++) {
        trial t = open_trial((uint64_t)seed, true);
        double *block = tqt_doubles(t.nv * t.s.stride), *one = tqt_doubles(t.nv * TQ_BLOCK_PAD);
        double *q = tqt_doubles((size_t)t.model->nq * TQ_BLOCK_PAD);
        double *qd = tqt_doubles(t.nv * TQ_BLOCK_PAD);
        tq_error e = {0};
        cr_assert(eq(int,
                     tq_drag_add(t.model, &(tq_drag_samples){N, t.s.stride, t.s.q, t.s.qd}, 1.0,
                                 &t.scratch, block, &e),
                     0));
        for (size_t i = 0; i < N; i++) {
            for (size_t r = 0; r < t.model->nq; r++) {
                q[r * TQ_BLOCK_PAD] = t.s.q[r * t.s.stride + i];
            }
            for (size_t r = 0; r < t.nv; r++) {
                qd[r * TQ_BLOCK_PAD] = t.s.qd[r * t.s.stride + i];
                one[r * TQ_BLOCK_PAD] = 0.0;
            }
            cr_assert(eq(int,
                         tq_drag_add(t.model, &(tq_drag_samples){1, TQ_BLOCK_PAD, q, qd}, 1.0,
                                     &t.scratch, one, &e),
                         0));
            for (size_t r = 0; r < t.nv; r++) {
                cr_assert(eq(dbl, one[r * TQ_BLOCK_PAD], block[r * t.s.stride + i]));
            }
        }
        tq_scratch none;
        tq_scratch_init(&none, t.memory, 64);
        cr_assert(eq(
            int,
            tq_drag_add(t.model, &(tq_drag_samples){1, TQ_BLOCK_PAD, q, qd}, 1.0, &none, one, &e),
            TQ_ERR_SCRATCH));
        t.model->medium.density = t.model->medium.viscosity = 0.0;
        cr_assert(not(tq_model_has_drag(t.model)));
        cr_assert(eq(sz, tq_drag_scratch_size(t.model), 0));
        free(block), free(one), free(q), free(qd);
        close_trial(&t);
    }
}
