/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_compensation.c - forces that carry a share of the weight of
 * links: against Jacobians of their centres of mass, external wrenches, and differences. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/derivatives/second_batch.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/reactions.h"
#include "core/dynamics/regressor/regressor_batch.h"
#include "tests/support/expect.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { SEEDS = 60, BYTES = 32 << 20, N = 5 };

static const unsigned gravity_alone = ~(unsigned)TQ_WITHOUT_GRAVITY;

typedef struct trial {
    tq_model *model;
    tqt_subject *subject, *plain; /* plain: without compensation */
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    size_t nv;
    double *share; /* (n_link) */
} trial;

/* two links of three are carried: some float, some are pushed up or down */
static trial open_trial(uint64_t seed)
{
    const tqt_robot_options options = {.n_joint = 6,
                                       .kinds = TQT_KINDS_ALL,
                                       .with = TQT_WITH_BRANCHES | TQT_WITH_MIMIC |
                                               TQT_WITH_FRICTION | TQT_WITH_SPRING |
                                               TQT_WITH_SHUFFLE};
    trial t = {.model = tqt_random_robot(seed, options)};
    tqt_random r = tqt_random_seed(seed + 277);
    tq_error e = {0};
    t.plain = tqt_subject_new(t.model, 0);
    t.share = tqt_doubles(t.model->n_link);
    for (uint32_t l = 0; l < t.model->n_link; l++) {
        t.share[l] = l % 3 == 2 ? 0.0 : l % 3 == 1 ? 1.0 : tqt_random_uniform(&r, -1.0, 2.0);
        t.model->links[l].gravity_compensation = t.share[l];
    }
    for (unsigned k = 0; k < 3; k++) {
        t.model->gravity[k] = tqt_random_uniform(&r, -10.0, 10.0);
    }
    cr_assert(eq(int, tq_model_finish(t.model, &e), TQ_OK));
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
    free(t->memory), free(t->share);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_subject_free(t->plain);
    tqt_model_free(t->model);
}

/* -J^T (1 - share) m g at each centre of mass, J along the axes of the world */
static void by_jacobians(const trial *t, const double *q, double *ret)
{
    tq_scratch scratch = t->scratch;
    tq_configuration p;
    tq_error e = {0};
    double *jacobian = tqt_doubles(6 * t->nv);
    memset(ret, 0, t->nv * sizeof *ret);
    cr_assert(eq(int, tq_configuration_compute(t->model, q, NULL, &scratch, &p, &e), 0));
    for (uint32_t l = 0; l < t->model->n_link; l++) {
        const tq_inertia *body = &t->model->links[l].inertia;
        tq_configuration_jacobian(&p, l, body->com, TQ_JACOBIAN_WORLD_ALIGNED, jacobian, NULL);
        for (size_t r = 0; r < t->nv; r++) {
            for (size_t k = 0; k < 3; k++) {
                ret[r] -= jacobian[k * t->nv + r] * (1.0 - t->share[l]) * body->mass *
                          t->model->gravity[k];
            }
        }
    }
    free(jacobian);
}

static double energy_of(trial *t, const double *q)
{
    double *rows = tqt_doubles((size_t)t->model->nq * TQ_BLOCK_PAD), out[2 * TQ_BLOCK_PAD];
    tq_error e = {0};
    for (size_t r = 0; r < (size_t)t->model->nq * TQ_BLOCK_PAD; r++) {
        rows[r] = q[r / TQ_BLOCK_PAD];
    }
    const tq_inverse_input in = {.n_sample = 1, .stride = TQ_BLOCK_PAD, .q = rows};
    cr_assert(eq(int, tq_energy(t->subject->mechanism, &in, &t->scratch, out, &e), 0));
    free(rows);
    return out[TQ_BLOCK_PAD];
}

Test(compensation, torque)
{
    static const double h = 1e-5;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed);
        double *q = tqt_doubles(t.model->nq), *moved = tqt_doubles(t.model->nq);
        double *want = tqt_doubles(t.nv), *tau = tqt_doubles(t.nv), *step = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            tq_scratch scratch = t.scratch;
            tq_configuration p;
            tq_error e = {0};
            tqt_sample(t.s.q, t.model->nq, t.s.stride, i, q);
            by_jacobians(&t, q, want);
            tqt_torque(t.subject, q, NULL, NULL, gravity_alone, tau);
            tqt_near(tau, want, t.nv, 1e-12, "gravity alone", seed);
            cr_assert(eq(int, tq_configuration_compute(t.model, q, NULL, &scratch, &p, &e), 0));
            tq_lagrangian_gravity(&p, t.model->gravity, tau);
            tqt_near(tau, want, t.nv, 1e-12, "by the Lagrangian", seed);
            const double potential = tq_lagrangian_potential(&p, t.model->gravity, q);
            const double found = energy_of(&t, q); /* overwrites p */
            tqt_near(&found, &potential, 1, 1e-11, "energy", seed);
            /* the slope of the potential energy, springs included */
            tqt_torque(t.subject, q, NULL, NULL,
                       ~(unsigned)(TQ_WITHOUT_GRAVITY | TQ_WITHOUT_SPRING), want);
            for (size_t k = 0; k < t.nv; k++) {
                double energy[2];
                for (int side = 0; side < 2; side++) {
                    memset(step, 0, t.nv * sizeof *step);
                    step[k] = side == 0 ? h : -h;
                    tq_configuration_integrate(t.model, q, step, moved);
                    energy[side] = energy_of(&t, moved);
                }
                tau[k] = (energy[0] - energy[1]) / (2.0 * h);
            }
            /* h^2 of the third derivative, and rounding of the energy (1e-16 of 1e3 J) by h */
            tqt_near(tau, want, t.nv, 1e-7, "potential", seed);
        }
        free(q), free(moved), free(want), free(tau), free(step);
        close_trial(&t);
    }
}

/* The robot without compensation, with the same forces as external wrenches, has the same torques
 * along any motion, and accelerations invert them. */
Test(compensation, whole_motion)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed);
        const size_t n = t.model->n_link, rows = t.nv * t.s.stride;
        double *tau = tqt_doubles(rows), *want = tqt_doubles(rows), *qdd = tqt_doubles(rows);
        double *values = tqt_doubles(6 * n), *a = tqt_doubles(t.nv), *b = tqt_doubles(t.nv);
        tq_external_wrench *w = calloc(n, sizeof *w);
        for (size_t l = 0; l < n; l++) {
            const tq_inertia *body = &t.model->links[l].inertia;
            w[l] =
                (tq_external_wrench){.link = (uint32_t)l, .rows = values + 6 * l, .row_stride = 1};
            memcpy(w[l].at, body->com, sizeof w[l].at);
            for (size_t k = 0; k < 3; k++) {
                values[6 * l + k] = -t.share[l] * body->mass * t.model->gravity[k];
            }
        }
        tq_inverse_input in = {.n_sample = N,
                               .stride = t.s.stride,
                               .q = t.s.q,
                               .qd = t.s.qd,
                               .qdd = t.s.qdd,
                               .gravity = t.model->gravity};
        tq_error e = {0};
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, tau, &e), 0));
        in.wrenches = w;
        in.n_wrench = n;
        cr_assert(eq(int, tq_inverse_dynamics(t.plain->mechanism, &in, &t.scratch, want, &e), 0));
        tq_forward_input back = {.n_sample = N,
                                 .stride = t.s.stride,
                                 .q = t.s.q,
                                 .qd = t.s.qd,
                                 .tau = tau,
                                 .gravity = t.model->gravity};
        cr_assert(
            eq(int, tq_forward_dynamics(t.subject->mechanism, &back, &t.scratch, qdd, &e), 0));
        for (size_t i = 0; i < N; i++) {
            tqt_sample(tau, t.nv, t.s.stride, i, a);
            tqt_sample(want, t.nv, t.s.stride, i, b);
            tqt_near(a, b, t.nv, 1e-13, "torque", seed);
            tqt_sample(qdd, t.nv, t.s.stride, i, a);
            tqt_sample(t.s.qdd, t.nv, t.s.stride, i, b);
            tqt_near(a, b, t.nv, 1e-6, "acceleration",
                     seed); /* mass matrices of condition up to 1e9 */
        }
        /* both kinds of force at once, and neither */
        back.wrenches = w;
        back.n_wrench = n;
        back.without = TQ_WITHOUT_GRAVITY | TQ_WITHOUT_EXTERNAL;
        in.without = back.without;
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, tau, &e), 0));
        cr_assert(eq(int, tq_inverse_dynamics(t.plain->mechanism, &in, &t.scratch, want, &e), 0));
        cr_assert(eq(int, memcmp(tau, want, (t.nv - 1) * t.s.stride * sizeof *tau), 0));
        free(tau), free(want), free(qdd), free(values), free(a), free(b), free(w);
        close_trial(&t);
    }
}

/* term by term, whatever is left out; at the base, the whole weight less what is carried */
Test(compensation, ledger_and_reactions)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed);
        const size_t nv = t.nv, n_joint = t.model->n_joint;
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(nv), *qdd = tqt_doubles(nv);
        double *tau = tqt_doubles(nv), *sum = tqt_doubles(nv);
        double *entries = tqt_doubles(TQ_LEDGER_COUNT * nv);
        double *wrench = tqt_doubles(6 * (n_joint + 1));
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
            tq_ledger_total(nv, entries, sum);
            tqt_near(sum, tau, nv, 1e-11, "ledger", seed);
        }
        tqt_reactions(t.subject, q, NULL, NULL, wrench);
        double weight[3] = {0};
        for (uint32_t l = 0; l < t.model->n_link; l++) {
            for (size_t k = 0; k < 3; k++) {
                weight[k] -=
                    (1.0 - t.share[l]) * t.model->links[l].inertia.mass * t.model->gravity[k];
            }
        }
        tqt_near(wrench + 6 * n_joint, weight, 3, 1e-11, "base", seed);
        cr_assert(lt(dbl, fabs(tq_compensated_mass(t.model)), 1e6));
        tqt_torque(t.subject, q, NULL, NULL,
                   TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR, tau);
        for (uint32_t j = 0; j < n_joint; j++) {
            const tq_joint *joint = &t.model->joints[j];
            const double *part =
                wrench + 6 * (size_t)j + (joint->kind == TQ_JOINT_PRISMATIC ? 0 : 3);
            bool alone = tq_joint_kind_nv(joint->kind) == 1 && joint->mimic == TQ_NONE;
            for (uint32_t k = 0; k < n_joint; k++) {
                alone = alone && t.model->joints[k].mimic != j;
            }
            const double along =
                joint->axis[0] * part[0] + joint->axis[1] * part[1] + joint->axis[2] * part[2];
            if (alone) {
                tqt_near(&along, &tau[joint->v_index], 1, 1e-10, "along its axis", seed);
            }
        }
        free(q), free(qd), free(qdd), free(tau), free(sum), free(entries), free(wrench);
        close_trial(&t);
    }
}

/* d tau/dq of blocks and of one sample against central differences of the torque, second
 * derivatives against those of the first */
Test(compensation, slopes)
{
    static const double h = 1e-5;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed);
        const size_t nv = t.nv, stride = t.s.stride, square = nv * nv, pad = TQ_BLOCK_PAD;
        double *q = tqt_doubles(t.model->nq), *step = tqt_doubles(nv);
        double *rows = tqt_doubles((size_t)t.model->nq * pad), *moved = tqt_doubles(t.model->nq);
        double *d = tqt_doubles(2 * square * stride), *one = tqt_doubles(2 * square);
        double *second = tqt_doubles(4 * square * nv * stride);
        double *tau[2] = {tqt_doubles(nv), tqt_doubles(nv)};
        double *side[2] = {tqt_doubles(2 * square * pad), tqt_doubles(2 * square * pad)};
        tqt_sample(t.s.q, t.model->nq, stride, 0, q);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .without = gravity_alone};
        const tq_sample sample = {.q = q, .gravity = t.model->gravity, .without = gravity_alone};
        tq_scratch scratch = t.scratch;
        tq_configuration p;
        tq_error e = {0};
        const tq_mechanism *m = t.subject->mechanism;
        cr_assert(eq(int, tq_derivatives_batch(m, &in, &t.scratch, d, &e), 0));
        cr_assert(eq(int, tq_derivatives_batch_again(m, &in, &t.scratch, d, &e), 0));
        cr_assert(eq(int, tq_second_derivatives_batch(m, &in, &t.scratch, second, &e), 0));
        cr_assert(eq(int, tq_configuration_compute(t.model, q, NULL, &scratch, &p, &e), 0));
        cr_assert(eq(int, tq_inverse_derivatives(&p, &sample, &scratch, one, one + square, &e), 0));
        double scale = 1.0, scale2 = 1.0;
        for (size_t k = 0; k < square; k++) {
            scale = fmax(scale, fabs(one[k]));
        }
        for (size_t k = 0; k < square * nv; k++) {
            scale2 = fmax(scale2, fabs(second[k * stride]));
        }
        for (size_t k = 0; k < nv; k++) {
            for (int s = 0; s < 2; s++) {
                memset(step, 0, nv * sizeof *step);
                step[k] = s == 0 ? h : -h;
                tq_configuration_integrate(t.model, q, step, moved);
                tqt_torque(t.subject, moved, NULL, NULL, gravity_alone, tau[s]);
                for (size_t r = 0; r < (size_t)t.model->nq * pad; r++) {
                    rows[r] = moved[r / pad];
                }
                const tq_inverse_input at = {
                    .n_sample = 1, .stride = pad, .q = rows, .without = gravity_alone};
                cr_assert(eq(int, tq_derivatives_batch(m, &at, &t.scratch, side[s], &e), 0));
            }
            for (size_t r = 0; r < nv; r++) {
                const double slope = (tau[0][r] - tau[1][r]) / (2.0 * h);
                const double found = one[r * nv + k];
                cr_assert(lt(dbl, fabs(slope - found), 1e-7 * scale),
                          "seed %d, row %zu by %zu: %g for %g", seed, r, k, found, slope);
                cr_assert(lt(dbl, fabs(d[(r * nv + k) * stride] - found), 1e-12 * scale),
                          "seed %d, row %zu, %zu in a block", seed, r, k);
                for (size_t j = 0; j < nv; j++) {
                    const size_t entry = (r * nv + j) * pad;
                    const double bend = (side[0][entry] - side[1][entry]) / (2.0 * h);
                    const double value = second[((r * nv + j) * nv + k) * stride];
                    cr_assert(lt(dbl, fabs(bend - value), 1e-6 * scale2),
                              "seed %d, row %zu by %zu and %zu: %g for %g", seed, r, j, k, value,
                              bend);
                }
            }
        }
        free(q), free(step), free(rows), free(moved), free(d), free(one), free(second);
        free(tau[0]), free(tau[1]), free(side[0]), free(side[1]);
        close_trial(&t);
    }
}

/* torque = Y parameters, by the kernel and one sample at a time; again gives the same bits */
Test(compensation, regressor)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t = open_trial((uint64_t)seed);
        const size_t n = tq_parameter_count(t.model, 0), stride = t.s.stride;
        double *values = tqt_doubles(n), *y = tqt_doubles(t.nv * n * stride);
        double *again = tqt_doubles(t.nv * n * stride), *one = tqt_doubles(t.nv * n);
        double *q = tqt_doubles(t.model->nq), *qd = tqt_doubles(t.nv), *qdd = tqt_doubles(t.nv);
        double *tau = tqt_doubles(t.nv), *sum = tqt_doubles(t.nv);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        tq_error e = {0};
        const tq_mechanism *m = t.subject->mechanism;
        tq_parameter_values(t.model, 0, values);
        cr_assert(eq(int, tq_regressor_batch(m, &in, &t.scratch, y, &e), 0));
        memcpy(again, y, t.nv * n * stride * sizeof *y);
        cr_assert(eq(int, tq_regressor_batch_again(m, &in, &t.scratch, again, &e), 0));
        for (size_t i = 0; i < N; i++) {
            tqt_sample(t.s.q, t.model->nq, stride, i, q);
            tqt_sample(t.s.qd, t.nv, stride, i, qd);
            tqt_sample(t.s.qdd, t.nv, stride, i, qdd);
            const tq_regressor_input at = {.q = q, .qd = qd, .qdd = qdd};
            cr_assert(eq(int, tq_regressor(t.model, 0, &at, &t.scratch, one, &e), 0));
            tqt_torque(t.subject, q, qd, qdd,
                       TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR, tau);
            double scale = 1.0;
            for (size_t k = 0; k < t.nv * n; k++) {
                scale = fmax(scale, fabs(one[k]));
            }
            for (size_t k = 0; k < t.nv * n; k++) {
                cr_assert(lt(dbl, fabs(one[k] - y[k * stride + i]), 1e-12 * scale),
                          "seed %d, entry %zu: %g for %g", seed, k, y[k * stride + i], one[k]);
                cr_assert(eq(dbl, again[k * stride + i], y[k * stride + i]));
            }
            for (size_t r = 0; r < t.nv; r++) {
                sum[r] = 0.0;
                for (size_t c = 0; c < n; c++) {
                    sum[r] += y[(r * n + c) * stride + i] * values[c];
                }
            }
            tqt_near(sum, tau, t.nv, 1e-11, "parameters", seed);
        }
        free(values), free(y), free(again), free(one), free(q), free(qd), free(qdd), free(tau);
        free(sum);
        close_trial(&t);
    }
}

enum { TORQUE, ACCELERATION, ENERGY, SLOPES, BENDS, COLUMNS, N_KIND };

static size_t rows_of(int kind, const trial *t)
{
    const size_t nv = t->nv;
    const size_t rows[N_KIND] = {
        nv, nv, 2, 2 * nv * nv, 4 * nv * nv * nv, nv * tq_parameter_count(t->model, 0)};
    return rows[kind];
}

static size_t scratch_of(int kind, const tq_mechanism *m)
{
    const size_t sizes[N_KIND] = {
        tq_inverse_scratch_size(m, 0),   tq_forward_scratch_size(m, 0),
        tq_energy_scratch_size(m),       tq_derivatives_batch_scratch_size(m),
        tq_second_batch_scratch_size(m), tq_regressor_batch_scratch_size(m)};
    return sizes[kind];
}

/* accelerations are those of torques that are `qdd` in number */
static tq_status ask(int kind, const tq_mechanism *m, const tqt_states *s, tq_scratch *scratch,
                     double *ret)
{
    tq_error e = {0};
    const tq_inverse_input in = {
        .n_sample = s->n_sample, .stride = s->stride, .q = s->q, .qd = s->qd, .qdd = s->qdd};
    const tq_forward_input back = {
        .n_sample = s->n_sample, .stride = s->stride, .q = s->q, .qd = s->qd, .tau = s->qdd};
    switch (kind) {
    case TORQUE:
        return tq_inverse_dynamics(m, &in, scratch, ret, &e);
    case ACCELERATION:
        return tq_forward_dynamics(m, &back, scratch, ret, &e);
    case ENERGY:
        return tq_energy(m, &in, scratch, ret, &e);
    case SLOPES:
        return tq_derivatives_batch(m, &in, scratch, ret, &e);
    case BENDS:
        return tq_second_derivatives_batch(m, &in, scratch, ret, &e);
    default:
        return tq_regressor_batch(m, &in, scratch, ret, &e);
    }
}

/* sample i of n_row rows, as often as a vector of samples is long */
static void repeat(const double *rows, size_t n_row, size_t stride, size_t i, double *ret)
{
    for (size_t r = 0; r < n_row * TQ_BLOCK_PAD; r++) {
        ret[r] = rows[r / TQ_BLOCK_PAD * stride + i];
    }
}

static void expect_same_alone(const trial *t, int kind, const tqt_states *s, const double *block)
{
    enum { PAD = TQ_BLOCK_PAD };
    const size_t rows = rows_of(kind, t), nq = t->model->nq;
    double *alone = tqt_doubles(rows * PAD);
    const tqt_states one = {1, PAD, tqt_doubles(nq * PAD), tqt_doubles(t->nv * PAD),
                            tqt_doubles(t->nv * PAD)};
    tq_scratch scratch = t->scratch;
    for (size_t i = 0; i < s->n_sample; i++) {
        repeat(s->q, nq, s->stride, i, one.q);
        repeat(s->qd, t->nv, s->stride, i, one.qd);
        repeat(s->qdd, t->nv, s->stride, i, one.qdd);
        cr_assert(eq(int, ask(kind, t->subject->mechanism, &one, &scratch, alone), 0));
        for (size_t r = 0; r < rows; r++) {
            cr_assert(eq(dbl, alone[r * PAD], block[r * s->stride + i]), "kind %d, sample %zu",
                      kind, i);
        }
    }
    free(one.q), free(one.qd), free(one.qdd), free(alone);
}

/* The same bits alone and in a block of several runs; scratch is what the size function says. */
Test(compensation, blocks)
{
    enum { LONG = 75, STEPS = 40 };
    for (int seed = 0; seed < 10; seed++) {
        trial t = open_trial((uint64_t)seed);
        const tq_mechanism *m = t.subject->mechanism;
        tqt_states s = tqt_random_states((uint64_t)seed + 9, t.model, LONG);
        for (int kind = 0; kind < N_KIND; kind++) {
            const size_t size = scratch_of(kind, m);
            double *block = tqt_doubles(rows_of(kind, &t) * s.stride);
            tq_scratch few;
            tq_scratch_init(&few, t.memory, size);
            cr_assert(eq(int, ask(kind, m, &s, &few, block), 0));
            expect_same_alone(&t, kind, &s, block);
            for (size_t less = 0; less < size; less += (size / STEPS / 64 + 1) * 64) {
                tq_scratch_init(&few, t.memory, less);
                const tq_status status = ask(kind, m, &s, &few, block);
                /* parts that follow each other are in the sum of all but the torque's */
                cr_assert(status == TQ_ERR_SCRATCH || (status == TQ_OK && kind != TORQUE),
                          "kind %d with %zu of %zu bytes: %d", kind, less, size, (int)status);
                cr_assert(status == TQ_ERR_SCRATCH || less > 0);
            }
            cr_assert(le(sz, scratch_of(kind, t.plain->mechanism), size), "kind %d", kind);
            free(block);
        }
        tqt_states_free(&s);
        close_trial(&t);
    }
}
