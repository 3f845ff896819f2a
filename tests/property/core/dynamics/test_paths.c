/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_paths.c - tendons along paths on random trees: length by the
 * poses of links, torque and its slopes against differences, forces on links against wrenches. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/derivatives_batch.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/passive/path.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/reactions.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"
#include "tests/support/wrapping.h"

enum { SEEDS = 60, BYTES = 16 << 20, N = 3, TENDONS = 3, POINTS = 4, JOINTS = 7 };

typedef struct trial {
    tq_model *model, plain; /* with the tendons, and without */
    tqt_subject *subject, *other;
    tqt_states s;
    tq_scratch scratch;
    void *memory;
    size_t nq, nv;
    double *q, *qd;
    unsigned n_wrapping[TQT_WRAPPINGS]; /* of those that were measured */
    tq_tendon tendons[TENDONS];
    tq_tendon_point points[TENDONS * POINTS];
} trial;

/* Three tendons: with a dead band, with two branches of other weights, with smooth dry friction. Of
 * every other seed the first and the last wrap around a solid. */
static void add_tendons(trial *t, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed + 311);
    t->model->tendons = t->tendons;
    t->model->points = t->points;
    t->model->n_tendon = TENDONS;
    t->model->n_point = TENDONS * POINTS;
    for (uint32_t k = 0; k < TENDONS; k++) {
        const double lower = tqt_random_uniform(&r, 0.1, 1.5);
        t->tendons[k] = (tq_tendon){.first_point = k * POINTS,
                                    .n_point = POINTS,
                                    .stiffness = tqt_random_uniform(&r, 1.0, 40.0),
                                    .lower = lower,
                                    .upper = lower + (k == 0 ? 1.0 : 0.0)};
        t->tendons[k].friction.viscous = tqt_random_uniform(&r, 0.1, 4.0);
        t->tendons[k].friction.coulomb = k == 2 ? 1.5 : 0.0;
        t->tendons[k].friction.smoothing = k == 2 ? 0.3 : 0.0;
        for (uint32_t n = 0; n < POINTS; n++) {
            const double at = tqt_random_uniform(&r, 0.0, (double)t->model->n_link);
            t->points[k * POINTS + n] = (tq_tendon_point){
                .link = (uint32_t)at < t->model->n_link ? (uint32_t)at : 0,
                .at = {tqt_random_uniform(&r, -0.5, 0.5), tqt_random_uniform(&r, -0.5, 0.5),
                       tqt_random_uniform(&r, -0.5, 0.5)},
                .weight = k != 1 ? 1.0 : (n == 1 ? 0.0 : 0.4)};
        }
        if (seed % 2 == 1 && k != 1) {
            tqt_wrapping_solid(&r, t->model, 0.4, &t->points[k * POINTS + 1]);
        }
    }
}

static void open_trial(trial *t, uint64_t seed)
{
    const tqt_robot_options options = {.n_joint = JOINTS,
                                       .kinds = TQT_KINDS_ALL,
                                       .with = TQT_WITH_BRANCHES | TQT_WITH_MIMIC |
                                               TQT_WITH_FRICTION | TQT_WITH_ROTOR |
                                               TQT_WITH_SPRING | TQT_WITH_SHUFFLE};
    tq_error fault = {0};
    *t = (trial){.model = tqt_random_robot(seed, options)};
    t->plain = *t->model;
    add_tendons(t, seed);
    cr_assert(eq(int, tq_model_finish(t->model, &fault), TQ_OK), "%s", fault.what);
    t->subject = tqt_subject_new(t->model, 0);
    t->other = tqt_subject_new(&t->plain, 2 * TENDONS * POINTS);
    t->s = tqt_random_states(seed + 5, t->model, N);
    t->nq = t->model->nq;
    t->nv = t->model->nv;
    t->q = tqt_doubles(t->nq);
    t->qd = tqt_doubles(t->nv);
    t->memory = aligned_alloc(64, BYTES);
    tq_scratch_init(&t->scratch, t->memory, BYTES);
}

static void take_sample(trial *t, size_t i)
{
    tqt_sample(t->s.q, t->nq, t->s.stride, i, t->q);
    tqt_sample(t->s.qd, t->nv, t->s.stride, i, t->qd);
}

static void close_trial(trial *t)
{
    tq_scratch_release(t->memory, BYTES);
    free(t->memory), free(t->q), free(t->qd);
    tqt_states_free(&t->s);
    tqt_subject_free(t->subject);
    tqt_subject_free(t->other);
    tqt_model_free(t->model);
}

static void place(const tq_configuration *p, uint32_t link, const double at[3], double ret[3])
{
    tq_mat_vec(p->pose[link].r, at, ret);
    for (int c = 0; c < 3; c++) {
        ret[c] += p->pose[link].p[c];
    }
}

/* By the poses of all links. */
static double length_of(trial *t, uint32_t k, const double *q)
{
    tq_scratch scratch = t->scratch;
    tq_configuration p;
    tq_error e = {0};
    double length = 0.0;
    cr_assert(eq(int, tq_configuration_compute(t->model, q, NULL, &scratch, &p, &e), 0));
    for (uint32_t n = 0; n + 1 < POINTS; n++) {
        const tq_tendon_point *from = &t->points[k * POINTS + n];
        const tq_tendon_point *solid = from[1].radius > 0.0 ? &from[1] : NULL;
        double at[2][3], square = 0.0, side[3];
        tqt_wrapping kind = TQT_STRAIGHT;
        if (from->radius > 0.0) {
            continue;
        }
        place(&p, from->link, from->at, at[0]);
        place(&p, from[solid != NULL ? 2 : 1].link, from[solid != NULL ? 2 : 1].at, at[1]);
        for (int c = 0; c < 3; c++) {
            square += (at[1][c] - at[0][c]) * (at[1][c] - at[0][c]);
        }
        double own = sqrt(square);
        if (solid != NULL) {
            const tq_pose back = tq_pose_inverse(&p.pose[solid->link]);
            const tq_configuration from_world = {.pose = (tq_pose[]){back}};
            place(&from_world, 0, at[0], at[0]);
            place(&from_world, 0, at[1], at[1]);
            place(&p, solid->side_link, solid->side, side);
            place(&from_world, 0, side, side);
            own = tqt_wrapping_length(solid, at, solid->has_side ? side : NULL, &kind);
            t->n_wrapping[kind]++;
        }
        length += from->weight * own;
    }
    return length;
}

static double stretch_of(trial *t, uint32_t k, const double *q)
{
    const double l = length_of(t, k, q);
    return fmax(l - t->tendons[k].upper, 0.0) + fmin(l - t->tendons[k].lower, 0.0);
}

/* q after `by` along freedom r, or (r = nv) along qd */
static void moved(const trial *t, size_t r, double by, double *ret)
{
    double *step = tqt_doubles(t->nv);
    for (size_t k = 0; k < t->nv; k++) {
        step[k] = r == t->nv ? by * t->qd[k] : (k == r ? by : 0.0);
    }
    tq_configuration_integrate(t->model, t->q, step, ret);
    free(step);
}

static double slope_of_length(trial *t, uint32_t k, size_t r)
{
    static const double h = 1e-6;
    double *q = tqt_doubles(t->nq);
    moved(t, r, h, q);
    const double plus = length_of(t, k, q);
    moved(t, r, -h, q);
    const double minus = length_of(t, k, q);
    free(q);
    return (plus - minus) / (2.0 * h);
}

static double tension_of(trial *t, uint32_t k, bool springs, bool friction)
{
    const double rate = slope_of_length(t, k, t->nv);
    const tq_friction *f = &t->tendons[k].friction;
    const double dry = f->smoothing > 0.0 ? f->coulomb * tanh(rate / f->smoothing) : 0.0;
    return (springs ? t->tendons[k].stiffness * stretch_of(t, k, t->q) : 0.0) +
           (friction ? f->viscous * rate + dry : 0.0);
}

/* torque of one sample with the tendons' springs and friction, less that without tendons */
static void tendon_torque(const trial *t, const double *q, const double *qd, unsigned alone,
                          double *ret)
{
    double *bare = tqt_doubles(t->nv);
    tqt_torque(t->subject, q, qd, NULL, ~alone, ret);
    tqt_torque(t->other, q, qd, NULL, ~alone, bare);
    for (size_t r = 0; r < t->nv; r++) {
        ret[r] -= bare[r];
    }
    free(bare);
}

/* dL/dq and dL/dt by differences of lengths */
Test(paths, torque_is_tension_along_the_slope_of_the_length)
{
    unsigned felt = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        double *tau = tqt_doubles(t.nv);
        for (size_t i = 0; i < N; i++) {
            take_sample(&t, i);
            for (unsigned part = 0; part < 2; part++) {
                tendon_torque(&t, t.q, t.qd, part == 0 ? TQ_WITHOUT_SPRING : TQ_WITHOUT_FRICTION,
                              tau);
                for (size_t r = 0; r < t.nv; r++) {
                    double want = 0.0, size = 1.0;
                    for (uint32_t k = 0; k < TENDONS; k++) {
                        const double f = tension_of(&t, k, part == 0, part == 1);
                        want += f * slope_of_length(&t, k, r);
                        size += fabs(f);
                    }
                    felt += tau[r] != 0.0;
                    cr_assert(lt(dbl, fabs(tau[r] - want), 1e-6 * size),
                              "seed %d, row %zu, part %u: %.12g for %.12g", seed, r, part, tau[r],
                              want);
                }
            }
        }
        free(tau);
        close_trial(&t);
    }
    cr_assert(gt(uint, felt, SEEDS * N));
}

Test(paths, length_and_energy)
{
    unsigned n_wrapping[TQT_WRAPPINGS] = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        double *with = tqt_doubles(2 * t.s.stride), *bare = tqt_doubles(2 * t.s.stride);
        const tq_inverse_input in = {.n_sample = N, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd};
        tq_error e = {0};
        cr_assert(eq(int, tq_energy(t.subject->mechanism, &in, &t.scratch, with, &e), 0));
        cr_assert(eq(int, tq_energy(t.other->mechanism, &in, &t.scratch, bare, &e), 0));
        for (size_t i = 0; i < N; i++) {
            double own = 0.0;
            take_sample(&t, i);
            for (uint32_t k = 0; k < TENDONS; k++) {
                const double s = stretch_of(&t, k, t.q), l = length_of(&t, k, t.q);
                own += 0.5 * t.tendons[k].stiffness * s * s;
                const double got = tq_tendon_length(t.model, &t.tendons[k], t.s.stride, t.s.q + i);
                cr_assert(lt(dbl, fabs(got - l), 1e-12 * (1.0 + l)));
            }
            const double whole = with[t.s.stride + i];
            cr_assert(lt(dbl, fabs(whole - bare[t.s.stride + i] - own),
                         1e-11 * (1.0 + fabs(whole) + own)));
        }
        for (unsigned kind = 0; kind < TQT_WRAPPINGS; kind++) {
            n_wrapping[kind] += t.n_wrapping[kind];
        }
        free(with), free(bare);
        close_trial(&t);
    }
    cr_assert(n_wrapping[TQT_STRAIGHT] > SEEDS / 4 && n_wrapping[TQT_OUTSIDE] > SEEDS / 4 &&
                  n_wrapping[TQT_INSIDE] > SEEDS / 4,
              "%u straight, %u outside, %u inside", n_wrapping[0], n_wrapping[1], n_wrapping[2]);
}

Test(paths, every_way_to_them_agrees)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        const size_t nv = t.nv, stride = t.s.stride;
        double *tau = tqt_doubles(nv * stride), *qdd = tqt_doubles(nv * stride);
        double *acc = tqt_doubles(nv), *entries = tqt_doubles(TQ_LEDGER_COUNT * nv);
        const tq_inverse_input in = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .qdd = t.s.qdd};
        const tq_forward_input back = {
            .n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd, .tau = tau};
        tq_error e = {0};
        cr_assert(eq(int, tq_inverse_dynamics(t.subject->mechanism, &in, &t.scratch, tau, &e), 0));
        cr_assert(
            eq(int, tq_forward_dynamics(t.subject->mechanism, &back, &t.scratch, qdd, &e), 0));
        for (size_t i = 0; i < N; i++) {
            take_sample(&t, i);
            tqt_sample(t.s.qdd, nv, stride, i, acc);
            const tq_sample sample = {
                .q = t.q, .qd = t.qd, .qdd = acc, .gravity = t.model->gravity};
            tq_scratch scratch = t.scratch;
            tq_configuration p;
            cr_assert(eq(int, tq_configuration_compute(t.model, t.q, t.qd, &scratch, &p, &e), 0));
            cr_assert(eq(int, tq_ledger(&p, &sample, &scratch, entries, &e), 0));
            for (size_t r = 0; r < nv; r++) {
                double sum = 0.0, size = 1.0;
                for (size_t k = 0; k < TQ_LEDGER_COUNT; k++) {
                    sum += entries[k * nv + r];
                    size += fabs(entries[k * nv + r]);
                }
                cr_assert(lt(dbl, fabs(sum - tau[r * stride + i]), 1e-9 * size), "seed %d", seed);
                cr_assert(lt(dbl, fabs(acc[r] - qdd[r * stride + i]), 1e-6 * (10.0 + fabs(acc[r]))),
                          "seed %d, row %zu", seed, r);
            }
        }
        free(tau), free(qdd), free(acc), free(entries);
        close_trial(&t);
    }
}

/* central differences of the tendons' torque by freedom c: of the position, or of the rate */
static void difference(trial *t, size_t c, bool by_rate, double *ret)
{
    static const double h = 1e-6;
    const unsigned both = TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION;
    double *q = tqt_doubles(t->nq), *minus = tqt_doubles(t->nv);
    const double before = t->qd[c];
    for (int side = 0; side < 2; side++) {
        const double step = side == 0 ? h : -h;
        moved(t, c, by_rate ? 0.0 : step, q);
        t->qd[c] = before + (by_rate ? step : 0.0);
        tendon_torque(t, q, t->qd, both, side == 0 ? ret : minus);
        t->qd[c] = before;
    }
    for (size_t r = 0; r < t->nv; r++) {
        ret[r] = (ret[r] - minus[r]) / (2.0 * h);
    }
    free(q), free(minus);
}

Test(paths, slopes)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        const size_t nv = t.nv, stride = t.s.stride, square = nv * nv;
        double *want = tqt_doubles(nv), *one = tqt_doubles(2 * square);
        double *d = tqt_doubles(2 * square * stride), *bare = tqt_doubles(2 * square * stride);
        const tq_inverse_input in = {.n_sample = N, .stride = stride, .q = t.s.q, .qd = t.s.qd};
        tq_scratch scratch = t.scratch;
        tq_configuration p;
        tq_error e = {0};
        cr_assert(eq(int, tq_derivatives_batch(t.subject->mechanism, &in, &t.scratch, d, &e), 0));
        cr_assert(eq(int, tq_derivatives_batch(t.other->mechanism, &in, &t.scratch, bare, &e), 0));
        take_sample(&t, 0);
        const tq_sample sample = {.q = t.q, .qd = t.qd, .gravity = t.model->gravity};
        cr_assert(eq(int, tq_configuration_compute(t.model, t.q, t.qd, &scratch, &p, &e), 0));
        cr_assert(eq(int, tq_inverse_derivatives(&p, &sample, &scratch, one, one + square, &e), 0));
        for (size_t entry = 0; entry < 2 * square; entry++) {
            cr_assert(
                lt(dbl, fabs(one[entry] - d[entry * stride]), 1e-9 * (100.0 + fabs(one[entry]))),
                "seed %d: of one sample %g, of a block %g", seed, one[entry], d[entry * stride]);
        }
        for (size_t c = 0; c < 2 * nv; c++) {
            difference(&t, c % nv, c >= nv, want);
            for (size_t r = 0; r < nv; r++) {
                const size_t at = (c / nv) * square + r * nv + c % nv;
                const double got = d[at * stride] - bare[at * stride];
                cr_assert(lt(dbl, fabs(got - want[r]), 2e-5 * (10.0 + fabs(want[r]))),
                          "seed %d, row %zu by column %zu: %g for %g", seed, r, c, got, want[r]);
            }
        }
        free(want), free(one), free(d), free(bare);
        close_trial(&t);
    }
}

/* forces on links are wrenches: the same torque, and the same reactions in all joints */
Test(paths, forces_are_wrenches)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        trial t;
        open_trial(&t, (uint64_t)seed);
        const size_t n_row = 6 * ((size_t)t.model->n_joint + 1);
        double *ours = tqt_doubles(n_row * TQ_BLOCK_PAD),
               *theirs = tqt_doubles(n_row * TQ_BLOCK_PAD);
        double rows[2 * TENDONS * POINTS][6] = {{0.0}};
        tq_external_wrench wrenches[2 * TENDONS * POINTS];
        size_t n = 0;
        take_sample(&t, 0);
        for (uint32_t k = 0; k < TENDONS; k++) {
            const tq_path_sample at = {.stride = 1, .q = t.q, .qd = t.qd};
            const double f = tq_tendon_tension(t.model, &t.tendons[k], true, true, &at);
            cr_assert(lt(dbl, fabs(f - tension_of(&t, k, true, true)), 1e-5 * (1.0 + fabs(f))));
            for (uint32_t line = 0; line + 1 < POINTS; line++) {
                const tq_tendon_point *from = &t.points[k * POINTS + line];
                tq_path_force ends[4];
                const unsigned any = tq_path_forces(t.model, &t.tendons[k], 1, t.q, line, f, ends);
                cr_assert(eq(int, any != 0, from->weight > 0.0 && from->radius == 0.0));
                cr_assert(any == 2 || any == 0 || from[1].radius > 0.0);
                for (unsigned end = 0; end < any; end++, n++) {
                    memcpy(rows[n], ends[end].force, sizeof ends[end].force);
                    wrenches[n] = (tq_external_wrench){.link = ends[end].link,
                                                       .expressed_in = TQ_FRAME_LINK,
                                                       .rows = rows[n],
                                                       .row_stride = 1};
                    memcpy(wrenches[n].at, ends[end].at, sizeof wrenches[n].at);
                }
            }
        }
        const unsigned without = TQ_WITHOUT_GRAVITY | TQ_WITHOUT_VELOCITY;
        tq_inverse_input in = {
            .n_sample = 1, .stride = t.s.stride, .q = t.s.q, .qd = t.s.qd, .without = without};
        tq_error e = {0};
        double *with = tqt_doubles(n_row * t.s.stride), *bare = tqt_doubles(n_row * t.s.stride);
        cr_assert(eq(int, tq_reactions(t.subject->mechanism, &in, &t.scratch, with, &e), 0));
        in.wrenches = wrenches;
        in.n_wrench = n;
        cr_assert(eq(int, tq_reactions(t.other->mechanism, &in, &t.scratch, bare, &e), 0));
        for (size_t r = 0; r < n_row; r++) {
            cr_assert(lt(dbl, fabs(with[r * t.s.stride] - bare[r * t.s.stride]),
                         1e-9 * (1.0 + fabs(bare[r * t.s.stride]))));
        }
        /* tau overcomes what the tendons do: that of the wrenches is the same */
        in.without = without | TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING;
        cr_assert(eq(int, tq_inverse_dynamics(t.other->mechanism, &in, &t.scratch, theirs, &e), 0));
        tendon_torque(&t, t.q, t.qd, TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION, ours);
        for (size_t r = 0; r < t.nv; r++) {
            const double want = theirs[r * t.s.stride];
            cr_assert(lt(dbl, fabs(ours[r] - want), 1e-9 * (10.0 + fabs(want))),
                      "seed %d, row %zu: %g for %g", seed, r, ours[r], want);
        }
        free(ours), free(theirs), free(with), free(bare);
        close_trial(&t);
    }
}

/* Two links of 1 m, turning about y, and a spring from the base to the tip: of length 2 cos(q2/2)
 */
typedef struct pair {
    tq_model *model;
    tq_tendon tendon;
    tq_tendon_point points[2];
    tqt_subject *subject;
} pair;

static void open_pair(pair *p, double rest)
{
    tq_error e = {0};
    p->model = tqt_model_new(3);
    for (uint32_t j = 0; j < 2; j++) {
        tq_joint *joint = &p->model->joints[j];
        joint->kind = TQ_JOINT_CONTINUOUS;
        joint->parent = j;
        joint->child = j + 1;
        joint->axis[0] = joint->axis[2] = 0.0;
        joint->axis[1] = 1.0;
        joint->origin.p[0] = j == 0 ? 0.0 : 1.0;
        p->model->links[j + 1].inertia.mass = 1.0;
        p->model->links[j + 1].inertia.com[0] = 1.0;
    }
    p->points[0] = (tq_tendon_point){.link = 0, .weight = 1.0};
    p->points[1] = (tq_tendon_point){.link = 2, .at = {1.0, 0.0, 0.0}, .weight = 1.0};
    p->tendon = (tq_tendon){.n_point = 2, .stiffness = 7.0, .lower = rest, .upper = rest};
    p->tendon.friction.viscous = 2.0;
    p->model->n_tendon = 1;
    p->model->n_point = 2;
    p->model->tendons = &p->tendon;
    p->model->points = p->points;
    cr_assert(eq(int, tq_model_finish(p->model, &e), TQ_OK));
    p->subject = tqt_subject_new(p->model, 0);
}

static void close_pair(pair *p)
{
    tqt_subject_free(p->subject);
    tqt_model_free(p->model);
}

Test(paths, two_links_in_closed_form)
{
    pair p;
    open_pair(&p, 0.5);
    for (double angle = -3.0; angle < 3.1; angle += 0.37) {
        const double q[2] = {0.3 * angle, angle}, qd[2] = {1.0, 0.8};
        const double l = 2.0 * fabs(cos(angle / 2.0)), slope = -sin(angle) / l;
        const double f = 7.0 * (l - 0.5) + 2.0 * slope * qd[1];
        double tau[2];
        tqt_torque(p.subject, q, qd, NULL, ~(unsigned)(TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION),
                   tau);
        cr_assert(lt(dbl, fabs(tau[0]), 1e-12));
        cr_assert(lt(dbl, fabs(tau[1] - f * slope), 1e-12 * (1.0 + fabs(f))), "%g at %g", tau[1],
                  angle);
    }
    close_pair(&p);
}

/* folded: both ends at the origin */
Test(paths, ends_that_coincide_pull_at_nothing)
{
    static const double q[2 * TQ_BLOCK_PAD], qd[2 * TQ_BLOCK_PAD];
    pair p;
    open_pair(&p, 0.5);
    p.points[1].at[0] = -1.0; /* at q = 0 */
    tqt_subject *folded = tqt_subject_new(p.model, 0);
    double tau[2], d[8 * TQ_BLOCK_PAD];
    tqt_torque(folded, (const double[2]){0.0, 0.0}, (const double[2]){1.0, 1.0}, NULL,
               ~(unsigned)(TQ_WITHOUT_SPRING | TQ_WITHOUT_FRICTION), tau);
    cr_assert(eq(dbl, tau[0], 0.0));
    cr_assert(eq(dbl, tau[1], 0.0));
    const tq_inverse_input in = {.n_sample = 1, .stride = TQ_BLOCK_PAD, .q = q, .qd = qd};
    tq_error e = {0};
    void *memory = aligned_alloc(64, BYTES);
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, BYTES);
    cr_assert(eq(int, tq_derivatives_batch(folded->mechanism, &in, &scratch, d, &e), 0));
    tq_scratch_release(memory, BYTES);
    free(memory);
    tqt_subject_free(folded);
    close_pair(&p);
}

Test(paths, are_checked)
{
    pair p;
    tq_error e = {0};
    open_pair(&p, 0.5);
    cr_assert(eq(uint, p.points[0].meet, 0));
    p.points[1].link = 3;
    cr_assert(eq(int, tq_model_finish(p.model, &e), TQ_ERR_RANGE));
    cr_assert(eq(str, (char *)e.what, "tendon"));
    p.points[1].link = 1;
    p.points[0].weight = -1.0;
    cr_assert(eq(int, tq_model_finish(p.model, &e), TQ_ERR_RANGE));
    p.points[0].weight = (double)NAN;
    cr_assert(eq(int, tq_model_finish(p.model, &e), TQ_ERR_NOT_FINITE));
    p.points[0].weight = 1.0;
    cr_assert(eq(int, tq_model_finish(p.model, &e), TQ_OK));
    p.tendon.n_point = 3;
    cr_assert(eq(int, tq_model_finish(p.model, &e), TQ_ERR_SHAPE));
    p.tendon.n_point = 2;
    close_pair(&p);
}

/* a zigzag between the ends of a long chain: more joints than a step may cost */
Test(paths, are_bounded)
{
    enum { LINKS = 1025, STOPS = 18 };
    tq_error e = {0};
    tq_model *chain = tqt_model_new(LINKS);
    tq_tendon_point points[STOPS];
    tq_tendon tendon = {.n_point = STOPS};
    for (uint32_t j = 0; j + 1 < LINKS; j++) {
        chain->joints[j].parent = j;
        chain->joints[j].child = j + 1;
    }
    for (uint32_t k = 0; k < STOPS; k++) {
        points[k] = (tq_tendon_point){.link = k % 2 == 0 ? 0 : LINKS - 1, .weight = 1.0};
    }
    chain->n_tendon = 1;
    chain->tendons = &tendon;
    chain->points = points;
    chain->n_point = STOPS;
    cr_assert(eq(int, tq_model_finish(chain, &e), TQ_ERR_SHAPE));
    tendon.n_point = STOPS - 1;
    cr_assert(eq(int, tq_model_finish(chain, &e), TQ_OK));
    tqt_model_free(chain);
}
