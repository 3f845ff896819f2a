/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/mass_matrix/test_mass_matrix.c - the mass matrix against energies
 * of links. */
#include "core/dynamics/inverse.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/lanes/table.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |error| <= 100 eps n terms: tests/property/README.md */
#define LIMIT 100.0
enum { N_SEED = 200, JOINT_MAX = 64, N_SAMPLE = 3 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    size_t n; /* entries of M */
    tq_scratch scratch;
    double *memory, *m;
} trial;

static trial open_robot(uint64_t seed, tqt_robot_options options, size_t n_sample)
{
    trial t = {.model = tqt_random_robot(seed, options)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, n_sample);
    t.n = (size_t)t.model->nv * t.model->nv;
    t.m = tqt_doubles(t.n * t.states.stride);
    const size_t need = tq_mass_matrix_scratch_size(t.subject->mechanism);
    t.memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch_init(&t.scratch, t.memory, need);
    return t;
}

static trial open_trial(uint64_t seed, unsigned with, size_t n_sample)
{
    const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % JOINT_MAX), TQT_KINDS_ALL, with};
    return open_robot(seed, options, n_sample);
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->m);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

static void compute(trial *t, unsigned without)
{
    tq_error fault = {0};
    const tq_status status =
        tq_mass_matrix(t->subject->mechanism, t->states.n_sample, t->states.stride, t->states.q,
                       without, &t->scratch, t->m, &fault);
    cr_assert(status == TQ_OK, "%s: %s %zu", tq_status_slug(status), fault.what, fault.index);
}

/* one sample's M against the reference */
static double worst_of(const trial *t, size_t i, double *ret_m)
{
    double *q = tqt_doubles(t->model->nq);
    tqt_sum *want = calloc(t->n + 1, sizeof *want);
    cr_assert(ne(ptr, want, NULL));
    tqt_sample(t->states.q, t->model->nq, t->states.stride, i, q);
    tqt_sample(t->m, t->n, t->states.stride, i, ret_m);
    tqt_mass_matrix(t->model, q, want);
    const double worst = tqt_worst(t->model, ret_m, want, t->n);
    free(want);
    free(q);
    return worst;
}

Test(mass_matrix, random_trees_match_link_energies)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_WITH_ALL, N_SAMPLE);
        double *m = tqt_doubles(t.n);
        compute(&t, 0);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            const double error = worst_of(&t, i, m);
            cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
            worst = error > worst ? error : worst;
            for (uint32_t k = 0; k < t.n; k++) {
                const uint32_t mirror = k % t.model->nv * t.model->nv + k / t.model->nv;
                cr_assert(m[k] == m[mirror], "seed %d: M is not symmetric", (int)seed);
            }
        }
        free(m);
        close_trial(&t);
    }
    cr_log_info("worst error %g eps n terms", worst);
}

/* Computes into an array that was filled before and then modified in its lower triangle and in all
 * entries that motion changes: on and above the diagonal the bits are the same. */
static void check_again(trial *t, int seed)
{
    const size_t nv = t->model->nv, stride = t->states.stride, n_sample = t->states.n_sample;
    double *again = tqt_doubles(t->n * stride);
    compute(t, 0);
    for (size_t k = 0; k < t->n * stride; k++) {
        const size_t row = k / stride / nv, column = k / stride % nv;
        const _Bool zero = t->m[k] == 0.0 && row < column;
        again[k] = zero ? 0.0 : -7.0;
    }
    tqt_spoil(&t->scratch);
    cr_assert(tq_mass_matrix_again(t->subject->mechanism, n_sample, stride, t->states.q, 0,
                                   &t->scratch, again, NULL) == TQ_OK);
    for (size_t k = 0; k < t->n * stride; k++) {
        const size_t row = k / stride / nv, column = k / stride % nv;
        cr_expect(row > column || k % stride >= n_sample || again[k] == t->m[k],
                  "seed %d: entry %zu, %zu", seed, row, column);
    }
    free(again);
}

/* in any order of the joints */
Test(mass_matrix, again_gives_the_upper_triangle)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_WITH_ALL, N_SAMPLE);
        check_again(&t, (int)seed);
        close_trial(&t);
    }
}

/* Columns of a floating root are written directly into its rows: every kind of joint on it, one
 * sample and several, joints listed from the root outwards. */
Test(mass_matrix, again_fills_the_rows_of_a_floating_root)
{
    const unsigned kinds = 1u << TQ_JOINT_FLOATING | 1u << TQ_JOINT_SPHERICAL |
                           1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_PRISMATIC;
    int floating = 0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        const tqt_robot_options options = {2 + (uint32_t)(seed % 7), kinds, TQT_WITH_BRANCHES};
        trial t = open_robot(seed, options, seed % 2 == 0 ? 1 : N_SAMPLE);
        floating += t.model->joints[0].kind == TQ_JOINT_FLOATING;
        check_again(&t, (int)seed);
        close_trial(&t);
    }
    cr_assert(floating >= N_SEED / 10, "only %d robots float", floating);
}

/* the smallest pivot of Cholesky's factorisation in 80 bits, each relative to its diagonal entry */
static long double smallest_pivot(const double *m, uint32_t n)
{
    long double *l = calloc((size_t)n * n + 1, sizeof *l);
    cr_assert(ne(ptr, l, NULL));
    long double smallest = 1.0L;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            long double sum = (long double)m[i * n + j];
            for (uint32_t k = 0; k < j; k++) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if (i == j) {
                const long double pivot = sum / (long double)m[i * n + i];
                smallest = pivot < smallest ? pivot : smallest;
                l[i * n + i] = sqrtl(sum > 0.0L ? sum : 1.0L);
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    }
    free(l);
    return smallest;
}

/* every link has mass and extent, so every motion has kinetic energy */
Test(mass_matrix, is_positive_definite)
{
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        trial t = open_trial(seed, TQT_WITH_BRANCHES | TQT_WITH_SHUFFLE | TQT_WITH_MIMIC, 1);
        double *m = tqt_doubles(t.n);
        compute(&t, 0);
        tqt_sample(t.m, t.n, t.states.stride, 0, m);
        const long double pivot = smallest_pivot(m, t.model->nv);
        cr_expect(pivot > 0.0L, "seed %d: pivot %Lg", (int)seed, pivot);
        free(m);
        close_trial(&t);
    }
}

Test(mass_matrix, rotors_may_be_left_out)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        trial t = open_trial(seed, TQT_WITH_ALL, 1);
        double *m = tqt_doubles(t.n);
        for (uint32_t j = 0; j < t.model->n_joint; j++) {
            t.model->joints[j].rotor.inertia = 0.0; /* in the reference; the mechanism has a copy */
        }
        compute(&t, TQ_WITHOUT_ROTOR);
        const double error = worst_of(&t, 0, m);
        cr_expect(error <= LIMIT, "seed %d: %g", (int)seed, error);
        free(m);
        close_trial(&t);
    }
}

/* NaN as the angle of a revolute joint after a prismatic one: it does not appear on the diagonal */
Test(mass_matrix, angles_that_are_no_numbers)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int by_slide = 0; by_slide < 2; by_slide++) {
        trial t = {.model = tqt_model_new(3), .n = by_slide ? 4 : 49};
        t.model->joints[0].kind = by_slide ? TQ_JOINT_PRISMATIC : TQ_JOINT_FLOATING;
        t.model->joints[1].parent = 1;
        for (int link = 1; link <= 2; link++) {
            t.model->links[link].inertia = (tq_inertia){
                .mass = 1.0, .com = {0.1, 0.2, 0.3}, .about_com = {0.1, 0.0, 0.0, 0.1, 0.0, 0.1}};
        }
        t.model->joints[1].axis[0] = 1.0;
        t.model->joints[1].axis[2] = 0.0;
        cr_assert(eq(int, (int)tq_model_finish(t.model, NULL), TQ_OK));
        t.subject = tqt_subject_new(t.model, 0);
        t.states = tqt_random_states(1, t.model, 11);
        t.m = tqt_doubles(t.n * t.states.stride);
        const size_t need = tq_mass_matrix_scratch_size(t.subject->mechanism);
        t.memory = tqt_doubles(need / sizeof(double) + 1);
        tq_scratch_init(&t.scratch, t.memory, need);
        compute(&t, 0);
        double *angle = &t.states.q[t.model->joints[1].q_index * t.states.stride + 9];
        const double kept = *angle;
        for (size_t e = 0; e < 2 * sizeof bad / sizeof *bad; e++) {
            tq_error fault = {0};
            *angle = bad[e / 2];
            const tq_status status = (e % 2 != 0 ? tq_mass_matrix_again : tq_mass_matrix)(
                t.subject->mechanism, 11, t.states.stride, t.states.q, 0, &t.scratch, t.m, &fault);
            cr_expect(eq(int, (int)status, TQ_ERR_OVERFLOW), "%d %zu", by_slide, e);
            cr_expect(eq(sz, fault.index, 9));
        }
        *angle = kept;
        compute(&t, 0); /* later calls are not affected */
        close_trial(&t);
    }
}

/* Bits: the same at every lane width, alone and in a block */
Test(mass_matrix, same_bits_everywhere)
{
    cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
    for (uint64_t seed = 0; seed < 20; seed++) {
        trial t = open_trial(seed, TQT_WITH_ALL, 19);
        const size_t size = t.n * t.states.stride;
        double *first = tqt_doubles(size);
        cr_assert(eq(int, (int)tq_lanes_select(1), TQ_OK));
        compute(&t, 0);
        memcpy(first, t.m, size * sizeof *first);
        for (unsigned width = 2; width <= tq_lanes_widest(); width *= 2) {
            cr_assert(eq(int, (int)tq_lanes_select(width), TQ_OK));
            compute(&t, 0);
            for (size_t k = 0; k < t.n; k++) {
                const size_t row = k * t.states.stride;
                cr_assert(memcmp(&t.m[row], &first[row], 19 * sizeof *first) == 0,
                          "seed %d width %u entry %zu", (int)seed, width, k);
            }
        }
        cr_assert(eq(int, (int)tq_lanes_select(0), TQ_OK));
        trial one = open_trial(seed, TQT_WITH_ALL, 1);
        for (size_t i = 0; i < 19; i += 6) {
            for (size_t k = 0; k < t.model->nq; k++) {
                one.states.q[k * one.states.stride] = t.states.q[k * t.states.stride + i];
            }
            tq_block_pad(one.states.q, t.model->nq, one.states.stride, 1);
            compute(&one, 0);
            for (size_t k = 0; k < t.n; k++) {
                cr_assert(memcmp(&one.m[k * one.states.stride], &first[k * t.states.stride + i],
                                 sizeof *first) == 0);
            }
        }
        close_trial(&one);
        free(first);
        close_trial(&t);
    }
}
