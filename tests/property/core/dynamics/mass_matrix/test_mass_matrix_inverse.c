/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/mass_matrix/test_mass_matrix_inverse.c - M^-1 of heavy robots with
 * light hands, against a factorisation in 80 bits of M by virtual work. */
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "tests/support/lagrange.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROBOT = 24, ARMS = 4, REACH = 7, LINKS = 2 + ARMS * REACH, N_SAMPLE = 5 };

typedef struct trial {
    tq_model *model;
    tqt_subject *subject;
    tqt_states states;
    size_t nv;
    tq_scratch scratch;
    double *memory, *inverse;
} trial;

/* A body of that mass and size, with the principal moments of a solid of similar length and width.
 */
static void give_mass(tqt_random *r, tq_link *link, double mass, double size)
{
    link->inertia.mass = mass;
    for (unsigned k = 0; k < 3; k++) {
        link->inertia.com[k] = tqt_random_uniform(r, -0.5, 0.5) * size;
    }
    for (unsigned k = 0; k < 3; k++) {
        link->inertia.about_com[k == 0   ? 0
                                : k == 1 ? 3
                                         : 5] =
            mass * size * size * tqt_random_uniform(r, 0.3, 0.5);
    }
}

/* A floating trunk of 30 kg with four limbs whose links become lighter, down to a finger of 2 g and
 * 1 cm: entries of M range from 30 kg to 1e-7 kg m^2. The base is some metres from the origin of
 * the world. */
static tq_model *humanoid(uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed);
    tq_model *model = tqt_model_new(LINKS);
    model->joints[0].kind = TQ_JOINT_FLOATING;
    model->joints[0].parent = 0;
    model->joints[0].child = 1;
    give_mass(&r, &model->links[1], 30.0, 0.4);
    for (uint32_t j = 1; j < LINKS - 1; j++) {
        tq_joint *joint = &model->joints[j];
        const uint32_t along = (j - 1) % REACH;
        const double share = pow(10.0, -(double)along * tqt_random_uniform(&r, 0.6, 0.65));
        const double size = 0.35 * pow(10.0, -(double)along * 0.25);
        joint->kind = TQ_JOINT_REVOLUTE;
        joint->parent = along == 0 ? 1 : j;
        joint->child = j + 1;
        for (unsigned k = 0; k < 3; k++) {
            joint->origin.p[k] = tqt_random_uniform(&r, -1.0, 1.0) * 2.0 * size;
            joint->axis[k] = k == j % 3 ? 1.0 : 0.0;
        }
        give_mass(&r, &model->links[j + 1], 8.0 * share, size);
    }
    cr_assert(tq_model_finish(model, NULL) == TQ_OK);
    return model;
}

static trial open_trial(uint64_t seed)
{
    trial t = {.model = humanoid(seed)};
    t.subject = tqt_subject_new(t.model, 0);
    t.states = tqt_random_states(seed, t.model, N_SAMPLE);
    t.nv = t.model->nv;
    t.inverse = tqt_doubles(t.nv * t.nv * t.states.stride);
    const size_t need = tq_mass_matrix_inverse_scratch_size(t.subject->mechanism) +
                        tq_mass_matrix_flat_scratch_size(t.subject->mechanism);
    t.memory = tqt_doubles(need / sizeof(double) + 1);
    tq_scratch_init(&t.scratch, t.memory, need);
    return t;
}

static void close_trial(trial *t)
{
    tq_scratch_init(&t->scratch, t->memory, 0);
    free(t->memory);
    free(t->inverse);
    tqt_states_free(&t->states);
    tqt_subject_free(t->subject);
    tqt_model_free(t->model);
}

/* Gauss-Jordan with M scaled to ones on its diagonal, in 80 bits. */
static void invert(size_t n, const long double *m, long double *x)
{
    long double *a = calloc(n * n, sizeof *a);
    cr_assert(ne(ptr, a, NULL));
    for (size_t k = 0; k < n * n; k++) {
        a[k] = m[k] / sqrtl(m[k / n * (n + 1)] * m[k % n * (n + 1)]);
        x[k] = k / n == k % n;
    }
    for (size_t p = 0; p < n; p++) {
        const long double pivot = a[p * n + p];
        cr_assert(pivot > 0.0L);
        for (size_t c = 0; c < n; c++) {
            a[p * n + c] /= pivot;
            x[p * n + c] /= pivot;
        }
        for (size_t r = 0; r < n; r++) {
            const long double f = r == p ? 0.0L : a[r * n + p];
            for (size_t c = 0; c < n; c++) {
                a[r * n + c] -= f * a[p * n + c];
                x[r * n + c] -= f * x[p * n + c];
            }
        }
    }
    for (size_t k = 0; k < n * n; k++) {
        x[k] /= sqrtl(m[k / n * (n + 1)] * m[k % n * (n + 1)]);
    }
    free(a);
}

/* largest difference over the largest entry; *ret_cond: condition number of M in the infinity norm
 */
static double error_of(const trial *t, size_t i, const double *got, size_t stride, double *ret_cond)
{
    const size_t n = t->nv;
    double q[LINKS * 7];
    tqt_sum *sum = calloc(n * n, sizeof *sum);
    long double *m = calloc(n * n, sizeof *m), *x = calloc(n * n, sizeof *x);
    cr_assert(sum != NULL && m != NULL && x != NULL);
    tqt_sample(t->states.q, t->model->nq, t->states.stride, i, q);
    tqt_mass_matrix(t->model, q, sum);
    long double largest = 0.0L, wrong = 0.0L, most_m = 0.0L;
    for (size_t k = 0; k < n * n; k++) {
        m[k] = sum[k].value;
        most_m = fmaxl(most_m, fabsl(m[k]));
    }
    invert(n, m, x);
    for (size_t k = 0; k < n * n; k++) {
        largest = fmaxl(largest, fabsl(x[k]));
        wrong = fmaxl(wrong, fabsl(x[k] - (long double)got[k * stride + i]));
    }
    *ret_cond = (double)(largest * most_m); /* at most n^2 below that of the norms */
    free(sum);
    free(m);
    free(x);
    return (double)(wrong / largest);
}

/* Measured: at most 4e-16 at a condition of 5e8 to 1.4e9; any factorisation of M summed about the
 * origin of the world 1e-12 to 1e-11. */
Test(mass_matrix_inverse, light_hands_keep_their_digits)
{
    double worst = 0.0, worst_cond = 0.0;
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        trial t = open_trial(seed);
        cr_assert(tq_mass_matrix_inverse(t.subject->mechanism, N_SAMPLE, t.states.stride,
                                         t.states.q, 0, &t.scratch, t.inverse, NULL) == TQ_OK);
        for (size_t i = 0; i < N_SAMPLE; i++) {
            double cond = 0.0;
            const double error = error_of(&t, i, t.inverse, t.states.stride, &cond);
            cr_expect(error <= 1e-14, "seed %d: %g at condition %g", (int)seed, error, cond);
            worst = fmax(worst, error);
            worst_cond = fmax(worst_cond, cond);
        }
        close_trial(&t);
    }
    cr_assert(ge(dbl, worst_cond, 1e9));
    cr_log_info("worst %g, condition up to %g", worst, worst_cond);
}

/* one state and a block give the same bits; M^-1 is symmetric to the bit */
Test(mass_matrix_inverse, one_state_is_the_block_s)
{
    trial t = open_trial(3);
    const size_t n = t.nv;
    double q[LINKS * 7];
    double *m = tqt_doubles(n * n), *x = tqt_doubles(n * n);
    cr_assert(tq_mass_matrix_inverse(t.subject->mechanism, N_SAMPLE, t.states.stride, t.states.q, 0,
                                     &t.scratch, t.inverse, NULL) == TQ_OK);
    for (size_t i = 0; i < N_SAMPLE; i++) {
        tqt_sample(t.states.q, t.model->nq, t.states.stride, i, q);
        cr_assert(tq_mass_matrix_flat(t.subject->mechanism, q, 0, &t.scratch, m, NULL) == TQ_OK);
        cr_assert(eq(sz, tq_mass_matrix_factor(n, m), n));
        tq_mass_matrix_invert(n, m, x);
        for (size_t k = 0; k < n * n; k++) {
            cr_assert(x[k] == t.inverse[k * t.states.stride + i]);
            cr_assert(x[k] == x[k % n * n + k / n]);
        }
    }
    free(m);
    free(x);
    close_trial(&t);
}

/* dqdd/dtau is M^-1, and M (dqdd/dq) = -dtau/dq: for dtau/dq = M the result is -E */
Test(mass_matrix_inverse, derivatives_go_through_the_factor)
{
    for (uint64_t seed = 0; seed < N_ROBOT; seed++) {
        trial t = open_trial(seed);
        const size_t n = t.nv;
        double q[LINKS * 7];
        double *m = tqt_doubles(4 * n * n), *dq = m + n * n, *dqd = dq + n * n, *x = dqd + n * n;
        tqt_sample(t.states.q, t.model->nq, t.states.stride, 0, q);
        cr_assert(tq_mass_matrix_flat(t.subject->mechanism, q, 0, &t.scratch, m, NULL) == TQ_OK);
        memcpy(dq, m, n * n * sizeof *m);
        for (size_t k = 0; k < n * n; k++) {
            dqd[k] = k / n == k % n;
        }
        cr_assert(tq_forward_derivatives(n, m, dq, dqd, x, NULL) == TQ_OK);
        double cond = 0.0;
        cr_expect(le(dbl, error_of(&t, 0, x, 1, &cond), 1e-14));
        for (size_t k = 0; k < n * n; k++) {
            x[k] = -dqd[k];
        }
        cr_expect(le(dbl, error_of(&t, 0, x, 1, &cond), 1e-14));
        for (size_t k = 0; k < n * n; k++) {
            /* scale of an error of M^-1 times M: rows of the heavy trunk with columns of a finger
             */
            const double scale = sqrt(fabs(x[k / n * (n + 1)] / x[k % n * (n + 1)]));
            const double want = k / n == k % n ? -1.0 : 0.0;
            cr_expect(le(dbl, fabs(dq[k] - want), 1e-11 * fmax(scale, 1.0)), "seed %d", (int)seed);
        }
        free(m);
        close_trial(&t);
    }
}

/* a matrix of rank 1, one with a non-positive minor, one with NaN */
Test(mass_matrix_inverse, singular_matrices_name_their_row)
{
    double one[4] = {1.0, 2.0, 2.0, 4.0}, minor[4] = {-1.0, 0.0, 0.0, 2.0};
    double none[4] = {1.0, 0.0, 0.0, (double)NAN}, dq[4] = {0}, dqd[4] = {0}, x[4];
    tq_error error = {0};
    cr_expect(eq(sz, tq_mass_matrix_factor(2, one), 0));
    cr_expect(eq(sz, tq_mass_matrix_factor(2, minor), 0));
    cr_expect(eq(sz, tq_mass_matrix_factor(2, none), 1));
    double again[4] = {1.0, 2.0, 2.0, 4.0};
    cr_expect(tq_forward_derivatives(2, again, dq, dqd, x, &error) == TQ_ERR_SINGULAR);
    cr_expect(eq(str, (char *)error.what, "mass_matrix"));
}
