/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/momentum/test_centroidal.c - the centroidal momentum matrix against
 * sums over links, its rate against differences, the regressor against both. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/kinematics/integrate.h"
#include "core/dynamics/momentum/centroidal.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/model/inertia.h"
#include "tests/support/motion.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

enum { BYTES = 4 << 20, ROBOTS = 60 };

typedef struct subject {
    tq_model *model;
    tqt_states states;
    double *q, *qd, *moved;
    double *matrix, *rate, *before, *after, *unused;
    void *memory;
    tq_scratch scratch;
    tq_configuration posture;
} subject;

static subject make(uint64_t seed)
{
    const tqt_robot_options options = {
        .n_joint = 1 + (uint32_t)(seed % 12), .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ALL};
    subject s = {.model = tqt_random_robot(seed, options), .memory = aligned_alloc(64, BYTES)};
    const size_t nv = s.model->nv;
    s.states = tqt_random_states(seed, s.model, 1);
    s.q = tqt_doubles(s.model->nq);
    s.moved = tqt_doubles(s.model->nq);
    s.qd = tqt_doubles(nv);
    s.matrix = tqt_doubles(6 * nv);
    s.rate = tqt_doubles(6 * nv);
    s.before = tqt_doubles(6 * nv);
    s.after = tqt_doubles(6 * nv);
    s.unused = tqt_doubles(6 * nv);
    tqt_sample(s.states.q, s.model->nq, s.states.stride, 0, s.q);
    tqt_sample(s.states.qd, nv, s.states.stride, 0, s.qd);
    return s;
}

static void drop(subject *s)
{
    double *arrays[] = {s->q, s->moved, s->qd, s->matrix, s->rate, s->before, s->after, s->unused};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        free(arrays[k]);
    }
    free(s->memory);
    tqt_states_free(&s->states);
    tqt_model_free(s->model);
}

static void at(subject *s, const double *q, double *ret_matrix, double *ret_rate, double bias[6])
{
    tq_scratch_init(&s->scratch, s->memory, BYTES);
    cr_assert(eq(int, tq_configuration_compute(s->model, q, s->qd, &s->scratch, &s->posture, NULL),
                 TQ_OK));
    tq_centroidal_momentum(&s->posture, s->qd, ret_matrix, ret_rate, bias);
}

static void moved(subject *s, double time)
{
    double *step = tqt_doubles(s->model->nv);
    for (size_t k = 0; k < s->model->nv; k++) {
        step[k] = time * s->qd[k];
    }
    tq_configuration_integrate(s->model, s->q, step, s->moved);
    free(step);
}

Test(centroidal, times_the_rates_is_the_momentum)
{
    for (uint64_t seed = 0; seed < ROBOTS; seed++) {
        subject s = make(seed);
        double bias[6];
        tq_momentum all;
        at(&s, s.q, s.matrix, s.rate, bias);
        tq_momentum_compute(&s.posture, &all);
        for (size_t r = 0; r < 6; r++) {
            double sum = 0.0, terms = 1.0;
            for (size_t k = 0; k < s.model->nv; k++) {
                sum += s.matrix[r * s.model->nv + k] * s.qd[k];
                terms += fabs(s.matrix[r * s.model->nv + k] * s.qd[k]);
            }
            const double want = r < 3 ? all.linear[r] : all.angular_com[r - 3];
            const double size = terms + fabs(want) + fabs(all.angular_origin[r % 3]);
            cr_assert(epsilon_eq(dbl, sum, want, 1e-12 * size), "seed %d, row %zu", (int)seed, r);
        }
        drop(&s);
    }
}

/* along q(t) with constant qd, of a joint with a quaternion about its own axes */
Test(centroidal, rate_is_the_difference_of_the_matrix)
{
    const double h = 1e-5;
    for (uint64_t seed = 0; seed < ROBOTS; seed++) {
        subject s = make(seed);
        const size_t n = 6 * (size_t)s.model->nv;
        double bias[6], ignored[6];
        at(&s, s.q, s.matrix, s.rate, bias);
        moved(&s, -h);
        at(&s, s.moved, s.before, s.unused, ignored);
        moved(&s, h);
        at(&s, s.moved, s.after, s.unused, ignored);
        double size = 1.0;
        for (size_t k = 0; k < n; k++) {
            size = fmax(size, fmax(fabs(s.matrix[k]), fabs(s.rate[k])));
        }
        for (size_t k = 0; k < n; k++) {
            /* h^2 of the third derivative, eps / h of the values */
            cr_assert(
                epsilon_eq(dbl, s.rate[k], (s.after[k] - s.before[k]) / (2.0 * h), 2e-7 * size),
                "seed %d, entry %zu", (int)seed, k);
        }
        for (size_t r = 0; r < 6; r++) {
            double sum = 0.0;
            for (size_t k = 0; k < s.model->nv; k++) {
                sum += s.rate[r * s.model->nv + k] * s.qd[k];
            }
            cr_assert(epsilon_eq(dbl, bias[r], sum, 1e-12 * (1.0 + fabs(sum))));
        }
        drop(&s);
    }
}

Test(centroidal, regressor_times_the_parameters_is_the_momentum)
{
    for (uint64_t seed = 0; seed < ROBOTS; seed++) {
        subject s = make(seed);
        double bias[6];
        double sum[6] = {0}, terms = 1.0;
        tq_momentum all;
        at(&s, s.q, s.matrix, s.rate, bias);
        tq_momentum_compute(&s.posture, &all);
        double *y = tqt_doubles((size_t)s.model->n_link * 6 * TQ_PARAMETERS_OF_LINK);
        tq_momentum_regressor(&s.posture, y);
        for (uint32_t l = 0; l < s.model->n_link; l++) {
            const tq_inertia *i = &s.model->links[l].inertia;
            double p[TQ_PARAMETERS_OF_LINK] = {i->mass, i->mass * i->com[0], i->mass * i->com[1],
                                               i->mass * i->com[2]};
            tq_inertia_about_origin(i, p + 4);
            for (size_t r = 0; r < 6; r++) {
                for (size_t k = 0; k < TQ_PARAMETERS_OF_LINK; k++) {
                    const double term = y[(l * 6 + r) * TQ_PARAMETERS_OF_LINK + k] * p[k];
                    sum[r] += term;
                    terms += fabs(term);
                }
            }
        }
        for (size_t r = 0; r < 6; r++) {
            const double want = r < 3 ? all.linear[r] : all.angular_origin[r - 3];
            cr_assert(epsilon_eq(dbl, sum[r], want, 1e-12 * terms), "seed %d, row %zu", (int)seed,
                      r);
        }
        free(y);
        drop(&s);
    }
}
