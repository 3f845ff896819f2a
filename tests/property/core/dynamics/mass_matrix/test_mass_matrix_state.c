/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/mass_matrix/test_mass_matrix_state.c - inverse and eigenvalues of M
 * at one state: closed form of two bars, M of virtual work, quotients of Rayleigh. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/mass_matrix/mass_matrix_state.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"
#include "tests/support/seed_robots.h"
#include "tests/support/subject.h"

typedef struct room {
    void *memory;
    tq_scratch scratch;
} room;

static room room_for(const tqt_subject *s)
{
    const size_t size = tq_mass_matrix_state_scratch_size(s->mechanism);
    room r = {.memory = aligned_alloc(TQ_SCRATCH_ALIGN, (size + 63) / 64 * 64)};
    tq_scratch_init(&r.scratch, r.memory, size);
    tqt_spoil(&r.scratch);
    return r;
}

static void leave(room *r)
{
    cr_expect(eq(sz, tq_scratch_mark(&r->scratch), (size_t)0));
    tq_scratch_release(r->memory, r->scratch.size);
    free(r->memory);
}

/* Two bars: M11 = I1 + I2 + m1 c1^2 + m2 (l1^2 + c2^2 + 2 l1 c2 cos q2),
 * M12 = I2 + m2 (c2^2 + l1 c2 cos q2), M22 = I2 + m2 c2^2; Spong, Hutchinson & Vidyasagar, 2006,
 * 7.3.2 */
Test(mass_matrix_state, two_bars)
{
    const tqt_bar b[2] = {{.length = 1.0, .mass = 2.0, .com = 0.4, .inertia = 0.2},
                          {.length = 0.7, .mass = 1.0, .com = 0.3, .inertia = 0.1}};
    tq_model *model = tqt_planar_arm(b, 2, 9.81);
    tqt_subject *s = tqt_subject_new(model, 0);
    room r = room_for(s);
    const double q[2] = {0.3, 1.1}, c = cos(q[1]);
    const double m22 = b[1].inertia + b[1].mass * b[1].com * b[1].com;
    const double side = b[1].mass * b[0].length * b[1].com * c, m12 = m22 + side;
    const double m11 = b[0].inertia + b[0].mass * b[0].com * b[0].com + m22 +
                       b[1].mass * b[0].length * b[0].length + 2 * side;
    const double det = m11 * m22 - m12 * m12, half = (m11 + m22) / 2;
    const double root = sqrt(half * half - det);
    double inverse[4], range[2];
    cr_assert(
        eq(int, tq_mass_matrix_inverse_flat(s->mechanism, q, &r.scratch, inverse, NULL), TQ_OK));
    cr_assert(
        eq(int, tq_mass_matrix_eigenvalue_range(s->mechanism, q, &r.scratch, range, NULL), TQ_OK));
    const double want[4] = {m22 / det, -m12 / det, -m12 / det, m11 / det};
    for (int k = 0; k < 4; k++) {
        cr_expect(epsilon_eq(dbl, inverse[k], want[k], 1e-13), "%d", k);
    }
    cr_expect(epsilon_eq(dbl, range[0], half - root, 1e-14));
    cr_expect(epsilon_eq(dbl, range[1], half + root, 1e-14));
    leave(&r);
    tqt_subject_free(s);
    tqt_model_free(model);
}

Test(mass_matrix_state, random_trees)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        tq_model *model = tqt_random_robot(
            seed,
            (tqt_robot_options){.n_joint = 6, .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ROTOR});
        tqt_subject *s = tqt_subject_new(model, 0);
        room r = room_for(s);
        const size_t nv = model->nv;
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *m = tqt_doubles(nv * nv), *x = tqt_doubles(nv * nv);
        double range[2];
        tqt_random random = tqt_random_seed(seed);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tqt_mass(s, q, m);
        cr_assert(
            eq(int, tq_mass_matrix_inverse_flat(s->mechanism, q, &r.scratch, x, NULL), TQ_OK));
        cr_assert(eq(int, tq_mass_matrix_eigenvalue_range(s->mechanism, q, &r.scratch, range, NULL),
                     TQ_OK));
        for (size_t i = 0; i < nv; i++) {
            for (size_t j = 0; j < nv; j++) {
                double sum = 0.0, terms = 1.0;
                for (size_t k = 0; k < nv; k++) {
                    sum += m[i * nv + k] * x[k * nv + j];
                    terms += fabs(m[i * nv + k] * x[k * nv + j]);
                }
                cr_expect(fabs(sum - (i == j)) < 1e-11 * terms, "seed %d", (int)seed);
            }
        }
        for (int k = 0; k < 20 && nv > 0; k++) { /* between both eigenvalues */
            double v[64] = {0}, square = 0.0, energy = 0.0;
            for (size_t i = 0; i < nv; i++) {
                v[i] = tqt_random_uniform(&random, -1, 1);
                square += v[i] * v[i];
            }
            for (size_t i = 0; i < nv * nv; i++) {
                energy += v[i / nv] * m[i] * v[i % nv];
            }
            cr_expect(energy >= range[0] * square * (1 - 1e-9) - 1e-9 * range[1] &&
                          energy <= range[1] * square * (1 + 1e-9),
                      "seed %d", (int)seed);
        }
        free(q);
        free(m);
        free(x);
        tqt_states_free(&states);
        leave(&r);
        tqt_subject_free(s);
        tqt_model_free(model);
    }
}

Test(mass_matrix_state, a_joint_without_inertia_is_named)
{
    tq_model *model = tqt_model_new(2);
    model->joints[0].kind = TQ_JOINT_REVOLUTE, model->joints[0].parent = 0;
    model->joints[0].child = 1;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    tqt_subject *s = tqt_subject_new(model, 0);
    room r = room_for(s);
    const double q[1] = {0.0};
    double inverse[1];
    tq_error error = {0};
    cr_expect(eq(int, tq_mass_matrix_inverse_flat(s->mechanism, q, &r.scratch, inverse, &error),
                 TQ_ERR_SINGULAR));
    cr_expect(eq(str, (char *)error.what, "mass_matrix"));
    leave(&r);
    tqt_subject_free(s);
    tqt_model_free(model);
}
