/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_inverse.c - inverse dynamics against virtual work, and the laws
 * that its header states. */
#include "core/dynamics/inverse.h"
#include "core/lanes/table.h"
#include "tests/support/lagrange.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |error| <= 100 eps n terms, in units of eps n terms: tests/property/README.md */
#define LIMIT 100.0
enum { N_SEED = 200, JOINT_MAX = 64, N_WRENCH_MAX = 4 };

/* A random robot with states and wrenches, and the torques to be compared. */
typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    tq_external_wrench wrenches[N_WRENCH_MAX];
    size_t n_wrench;
    double *rows; /* of all wrenches: 6 x stride each */
    double *tau;
    tqt_sum *want;
    double *x[3]; /* one sample of q, qd, qdd */
} trial;

static trial open_trial(uint64_t seed, tqt_robot_options options, size_t n_sample)
{
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, N_WRENCH_MAX);
    t.states = tqt_random_states(seed, t.model, n_sample);
    t.rows = tqt_doubles(N_WRENCH_MAX * 6 * t.states.stride);
    t.tau = tqt_doubles(t.model->nv * t.states.stride);
    t.want = calloc((size_t)t.model->nv + 1, sizeof *t.want);
    cr_assert(ne(ptr, t.want, NULL));
    t.x[0] = tqt_doubles(t.model->nq);
    t.x[1] = tqt_doubles(t.model->nv);
    t.x[2] = tqt_doubles(t.model->nv);
    return t;
}

static void close_trial(trial *t)
{
    for (int i = 0; i < 3; i++) {
        free(t->x[i]);
    }
    free(t->want);
    free(t->tau);
    free(t->rows);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* wrenches on any links (the root too), in either frame, at any point, constant or one per sample
 */
static void draw_wrenches(trial *t, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed ^ 0xabcdu);
    const size_t stride = t->states.stride;
    t->n_wrench = 1 + tqt_random_below(&r, N_WRENCH_MAX);
    for (size_t i = 0; i < 6 * N_WRENCH_MAX * stride; i++) {
        t->rows[i] = tqt_random_uniform(&r, -50.0, 50.0);
    }
    for (size_t i = 0; i < t->n_wrench; i++) {
        t->wrenches[i] = (tq_external_wrench){
            .link = tqt_random_below(&r, t->model->n_link),
            .expressed_in = tqt_random_chance(&r, 0.5) ? TQ_FRAME_WORLD : TQ_FRAME_LINK,
            .rows = &t->rows[i * 6 * stride],
            .row_stride = stride,
            .sample_step = tqt_random_below(&r, 2)};
        for (int k = 0; k < 3; k++) {
            t->wrenches[i].at[k] = tqt_random_uniform(&r, -0.5, 0.5);
        }
    }
}

static tq_inverse_input input_of(const trial *t)
{
    return (tq_inverse_input){.n_sample = t->states.n_sample,
                              .stride = t->states.stride,
                              .q = t->states.q,
                              .qd = t->states.qd,
                              .qdd = t->states.qdd,
                              .wrenches = t->wrenches,
                              .n_wrench = t->n_wrench};
}

static void compute(trial *t, const tq_inverse_input *in)
{
    tq_error fault = {0};
    const tq_status status =
        tq_inverse_dynamics(t->subject->mechanism, in, &t->subject->scratch, t->tau, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
}

/* largest error of sample i in units of eps n terms */
static double worst_of(trial *t, const tq_inverse_input *in, size_t i)
{
    tqt_wrench wrenches[N_WRENCH_MAX];
    const tq_model *model = t->model;
    for (size_t w = 0; w < in->n_wrench; w++) {
        const tq_external_wrench *from = &in->wrenches[w];
        wrenches[w] = (tqt_wrench){.link = from->link, .expressed_in = from->expressed_in};
        memcpy(wrenches[w].at, from->at, sizeof from->at);
        tqt_sample(from->rows, 6, from->row_stride, i * from->sample_step, wrenches[w].value);
    }
    tqt_problem problem = {.model = model,
                           .state = {.q = t->x[0]},
                           .wrenches = wrenches,
                           .n_wrench = in->n_wrench,
                           .gravity = in->gravity,
                           .without = in->without};
    tqt_sample(in->q, model->nq, in->stride, i, t->x[0]);
    if (in->qd != NULL) {
        tqt_sample(in->qd, model->nv, in->stride, i, t->x[1]);
        problem.state.qd = t->x[1];
    }
    if (in->qdd != NULL) {
        tqt_sample(in->qdd, model->nv, in->stride, i, t->x[2]);
        problem.state.qdd = t->x[2];
    }
    tqt_inverse_dynamics(&problem, t->want);
    double *tau = tqt_doubles(model->nv);
    tqt_sample(t->tau, model->nv, in->stride, i, tau);
    const double worst = tqt_worst(model, tau, t->want, model->nv);
    free(tau);
    return worst;
}

static tqt_robot_options any_robot(uint64_t seed)
{
    return (tqt_robot_options){1 + (uint32_t)(seed * 37 % JOINT_MAX), TQT_KINDS_ALL, TQT_WITH_ALL};
}

Test(inverse, random_trees_match_virtual_work)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, any_robot(seed), 3);
        const tq_inverse_input in = input_of(&t);
        compute(&t, &in);
        for (size_t i = 0; i < 3; i++) {
            const double error = worst_of(&t, &in, i);
            cr_expect(error <= LIMIT, "seed %d, %u joints: %g", (int)seed, t.model->n_joint, error);
            worst = error > worst ? error : worst;
        }
        close_trial(&t);
    }
    cr_log_info("worst error %g eps n terms", worst);
}

/* each kind of joint alone, in chains of maximum length, so that none hides errors of another */
Test(inverse, chains_of_one_kind_match_virtual_work)
{
    for (unsigned kind = TQ_JOINT_FIXED; kind <= TQ_JOINT_FLOATING; kind++) {
        for (uint64_t seed = 0; seed < 8; seed++) {
            const uint32_t n_joint = 1u << (seed % 6);
            trial t = open_trial(seed,
                                 (tqt_robot_options){n_joint, 1u << kind,
                                                     TQT_WITH_ALL & ~(unsigned)TQT_WITH_BRANCHES},
                                 1);
            const tq_inverse_input in = input_of(&t);
            compute(&t, &in);
            const double error = worst_of(&t, &in, 0);
            cr_expect(error <= LIMIT, "kind %u seed %d: %g", kind, (int)seed, error);
            close_trial(&t);
        }
    }
}

Test(inverse, external_wrenches_match_virtual_work)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, any_robot(seed / 4), 3);
        draw_wrenches(&t, seed);
        const double sideways[3] = {3.0, -7.0, 0.5};
        tq_inverse_input in = input_of(&t);
        in.gravity = seed % 2 == 0 ? sideways : NULL;
        compute(&t, &in);
        for (size_t i = 0; i < 3; i++) {
            const double error = worst_of(&t, &in, i);
            cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        }
        close_trial(&t);
    }
}

Test(inverse, any_terms_may_be_left_out)
{
    for (uint64_t seed = 0; seed < 128; seed++) {
        trial t = open_trial(
            seed, (tqt_robot_options){1 + (uint32_t)(seed % 16), TQT_KINDS_ALL, TQT_WITH_ALL}, 1);
        draw_wrenches(&t, seed);
        tq_inverse_input in = input_of(&t);
        in.without = (unsigned)seed;
        compute(&t, &in);
        const double error = worst_of(&t, &in, 0);
        cr_expect(error <= LIMIT, "without %x: %g", (unsigned)seed, error);
        close_trial(&t);
    }
}

Test(inverse, absent_rates_are_zero)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        trial t = open_trial(seed, any_robot(seed), 1);
        tq_inverse_input in = input_of(&t);
        in.qd = seed % 2 == 0 ? NULL : in.qd;
        in.qdd = seed % 3 == 0 ? NULL : in.qdd;
        compute(&t, &in);
        const double error = worst_of(&t, &in, 0);
        cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        close_trial(&t);
    }
}

/* any number of revolutions: the canonical form adds a constant to each angle, which may change an
 * angle by half a unit in the last place; the tolerance includes that */
Test(inverse, many_turns_match_virtual_work)
{
    const unsigned with = TQT_WITH_ALL & ~(unsigned)TQT_WITH_MIMIC;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const double reach = pow(10.0, (double)(seed % 9));
        trial t = open_trial(seed, (tqt_robot_options){6, 1u << TQ_JOINT_CONTINUOUS, with}, 1);
        tqt_random r = tqt_random_seed(seed);
        for (size_t k = 0; k < t.model->nq; k++) {
            t.states.q[k * t.states.stride] = tqt_random_uniform(&r, -reach, reach);
        }
        tq_block_pad(t.states.q, t.model->nq, t.states.stride, 1);
        const tq_inverse_input in = input_of(&t);
        compute(&t, &in);
        const double error = worst_of(&t, &in, 0);
        cr_expect(error <= LIMIT + 0.5 * reach, "seed %d: %g", (int)seed, error);
        close_trial(&t);
    }
}

/* a quaternion whose length is wrong by less than 1e-6 is normalised */
Test(inverse, quaternions_count_by_direction)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const unsigned kinds = 1u << TQ_JOINT_SPHERICAL | 1u << TQ_JOINT_FLOATING;
        trial t = open_trial(seed, (tqt_robot_options){3, kinds, TQT_WITH_ALL}, 1);
        for (uint32_t j = 0; j < t.model->n_joint; j++) {
            const tq_joint *joint = &t.model->joints[j];
            for (uint32_t k = joint->nq - 4; k < joint->nq; k++) {
                t.states.q[(joint->q_index + k) * t.states.stride] *= 1.0 + 9e-7;
            }
        }
        tq_block_pad(t.states.q, t.model->nq, t.states.stride, 1);
        const tq_inverse_input in = input_of(&t);
        compute(&t, &in);
        const double error = worst_of(&t, &in, 0);
        cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        close_trial(&t);
    }
}

/* negative control: a mass that is wrong in its tenth digit is detected on every robot of several
 * joints */
Test(inverse, a_wrong_mass_is_seen)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        trial t = open_trial(seed, (tqt_robot_options){8, TQT_KINDS_ONE, TQT_WITH_FRICTION}, 1);
        const tq_inverse_input in = input_of(&t);
        compute(&t, &in);
        t.model->links[8].inertia.mass *= 1.0 + 1e-9;
        cr_expect(worst_of(&t, &in, 0) > LIMIT, "seed %d", (int)seed);
        close_trial(&t);
    }
}

/* tau is the sum of its terms, and M qdd is linear */
Test(inverse, terms_add_up)
{
    enum { N_PART = 7 };
    for (uint64_t seed = 0; seed < 60; seed++) {
        trial t = open_trial(
            seed, (tqt_robot_options){1 + (uint32_t)(seed % 30), TQT_KINDS_ALL, TQT_WITH_ALL}, 1);
        draw_wrenches(&t, seed);
        tq_inverse_input in = input_of(&t);
        const size_t n = t.model->nv * t.states.stride;
        double *sum = tqt_doubles(n);
        for (int part = 0; part < N_PART; part++) {
            in.without = ((1u << N_PART) - 1u) & ~(1u << part);
            compute(&t, &in);
            for (size_t k = 0; k < n; k++) {
                sum[k] += t.tau[k];
            }
        }
        in.without = 0;
        memcpy(t.tau, sum, n * sizeof *sum);
        const double error = worst_of(&t, &in, 0);
        cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        for (size_t k = 0; k < t.model->nv * t.states.stride; k++) {
            t.states.qdd[k] *= 2.0; /* exact */
        }
        in.without = ~(unsigned)TQ_WITHOUT_INERTIA;
        compute(&t, &in);
        memcpy(sum, t.tau, n * sizeof *sum);
        for (size_t k = 0; k < t.model->nv * t.states.stride; k++) {
            t.states.qdd[k] *= 0.5;
        }
        compute(&t, &in);
        for (size_t k = 0; k < t.model->nv; k++) {
            cr_expect(sum[k * t.states.stride] == 2.0 * t.tau[k * t.states.stride]);
        }
        free(sum);
        close_trial(&t);
    }
}

static void expect_same_bits(const trial *t, const double *want, size_t n_sample, const char *what)
{
    for (size_t k = 0; k < t->model->nv; k++) {
        cr_assert(memcmp(&t->tau[k * t->states.stride], &want[k * t->states.stride],
                         n_sample * sizeof *want) == 0,
                  "%s: row %zu", what, k);
    }
}

/* Bits: the same at every lane width */
Test(inverse, lane_widths_give_the_same_bits)
{
    cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
    const unsigned widest = tq_lanes_widest();
    for (uint64_t seed = 0; seed < 30; seed++) {
        trial t = open_trial(seed, any_robot(seed), 37);
        draw_wrenches(&t, seed);
        const tq_inverse_input in = input_of(&t);
        cr_assert(eq(int, (int)tq_lanes_select(1), TQ_OK));
        compute(&t, &in);
        double *alone = tqt_doubles(t.model->nv * t.states.stride);
        memcpy(alone, t.tau, t.model->nv * t.states.stride * sizeof *alone);
        for (unsigned width = 2; width <= widest; width *= 2) {
            cr_assert(eq(int, (int)tq_lanes_select(width), TQ_OK));
            cr_assert(eq(uint, tq_lanes_width(), width));
            compute(&t, &in);
            expect_same_bits(&t, alone, 37, "width");
        }
        cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
        free(alone);
        close_trial(&t);
    }
    cr_log_info("widest lanes here: %u", widest);
}

/* Bits: the same alone and in any block */
Test(inverse, alone_and_in_a_block_are_the_same_bits)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        trial t = open_trial(seed, any_robot(seed), seed % 2 == 0 ? TQ_BLOCK : 137);
        draw_wrenches(&t, seed);
        const tq_inverse_input in = input_of(&t);
        compute(&t, &in);
        trial one = open_trial(seed, any_robot(seed), 1);
        for (size_t i = 0; i < t.states.n_sample; i += 17) {
            double *block[3] = {t.states.q, t.states.qd, t.states.qdd};
            double *single[3] = {one.states.q, one.states.qd, one.states.qdd};
            for (int a = 0; a < 3; a++) {
                const size_t n_row = a == 0 ? t.model->nq : t.model->nv;
                for (size_t k = 0; k < n_row; k++) {
                    single[a][k * one.states.stride] = block[a][k * t.states.stride + i];
                }
                tq_block_pad(single[a], n_row, one.states.stride, 1);
            }
            for (size_t w = 0; w < t.n_wrench; w++) {
                one.wrenches[w] = t.wrenches[w];
                one.wrenches[w].rows += i * t.wrenches[w].sample_step;
            }
            one.n_wrench = t.n_wrench;
            const tq_inverse_input in_one = input_of(&one);
            compute(&one, &in_one);
            for (size_t k = 0; k < t.model->nv; k++) {
                cr_assert(memcmp(&one.tau[k * one.states.stride], &t.tau[k * t.states.stride + i],
                                 sizeof *t.tau) == 0,
                          "seed %d sample %zu row %zu", (int)seed, i, k);
            }
        }
        close_trial(&one);
        close_trial(&t);
    }
}
