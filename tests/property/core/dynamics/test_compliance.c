/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_compliance.c - static loads: J^T F, geometric stiffness by
 * differences, items 135 to 138. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/compliance.h"
#include "tests/support/random_robot.h"

enum { BYTES = 1 << 20, TASK = 6 };
static _Alignas(64) unsigned char memory[BYTES];

Test(compliance, geometric_stiffness_is_the_derivative_of_the_torque)
{
    for (uint64_t seed = 0; seed < 80; seed++) {
        const tqt_robot_options options = {
            .n_joint = 1 + (uint32_t)(seed % 9),
            .kinds = TQT_KINDS_ONE | 1u << TQ_JOINT_PLANAR | 1u << TQ_JOINT_FIXED,
            .with = TQT_WITH_BRANCHES | TQT_WITH_MIMIC | TQT_WITH_SHUFFLE};
        tq_model *model = tqt_random_robot(seed, options);
        const size_t nv = model->nv;
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        const tq_load load = {.link = (uint32_t)(seed % model->n_link),
                              .at = {0.1, -0.3, 0.2},
                              .wrench = {3, -5, 7, 0.4, 0.2, -0.9}};
        tq_scratch scratch;
        tq_configuration p;
        tq_scratch_init(&scratch, memory, sizeof memory);
        double *g = tqt_doubles(nv * nv);
        double *side[2] = {tqt_doubles(nv), tqt_doubles(nv)};
        cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
        tq_geometric_stiffness(&p, &load, g);
        const double h = 1e-6;
        for (size_t j = 0; j < nv; j++) {
            for (int s = 0; s < 2; s++) {
                tq_configuration moved;
                const double kept = q[j];
                q[j] += s == 0 ? -h : h;
                const size_t mark = tq_scratch_mark(&scratch);
                cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &moved, NULL),
                             TQ_OK));
                tq_static_torque(&moved, &load, side[s]);
                tq_scratch_rewind(&scratch, mark);
                q[j] = kept;
            }
            for (size_t i = 0; i < nv; i++) {
                /* the holding torque is minus J^T w */
                const double want = -(side[1][i] - side[0][i]) / (2 * h);
                cr_assert(epsilon_eq(dbl, g[i * nv + j], want,
                                     1e-6 * (1 + fabs(want) + fabs(side[0][i]))),
                          "seed %d row %zu column %zu", (int)seed, i, j);
            }
        }
        free(g);
        free(side[0]);
        free(side[1]);
        free(q);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
}

/* the planar arm of items 136 and 137: l = (0.8, 0.6) in the x-y plane */
static tq_model *planar_arm(void)
{
    tq_model *model = tqt_model_new(3);
    for (uint32_t j = 0; j < 2; j++) {
        model->joints[j].kind = TQ_JOINT_REVOLUTE;
        model->joints[j].parent = j;
        model->joints[j].child = j + 1;
    }
    model->joints[1].origin.p[0] = 0.8;
    cr_assert(eq(int, tq_model_finish(model, NULL), TQ_OK));
    return model;
}

Test(seeds, item_135_136_static_torque)
{
    tq_model *model = planar_arm();
    const double q[2] = {0.5, -0.9};
    /* F = (10, -5) acts on the environment, so that the opposite force acts on the robot */
    const tq_load load = {.link = 2, .at = {0.6, 0, 0}, .wrench = {-10, 5, 0, 0, 0, 0}};
    tq_scratch scratch;
    tq_configuration p;
    double tau[2];
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
    tq_static_torque(&p, &load, tau);
    cr_assert(epsilon_eq(dbl, tau[0], -7.772407484552, 1e-12), "item 136, twelve printed digits");
    cr_assert(epsilon_eq(dbl, tau[1], -0.426672928157, 1e-12));
    tqt_model_free(model);
}

Test(seeds, item_137_138_compliance_and_stiffness)
{
    tq_model *model = planar_arm();
    const double q[2] = {0.5, -0.9}, at[3] = {0.6, 0, 0}, spring[4] = {1000, 0, 0, 500};
    double j[12], c[36], k[36], rigid[36];
    tq_scratch scratch;
    tq_configuration p;
    tq_scratch_init(&scratch, memory, sizeof memory);
    cr_assert(eq(int, tq_configuration_compute(model, q, NULL, &scratch, &p, NULL), TQ_OK));
    tq_configuration_jacobian(&p, 2, at, TQ_JACOBIAN_WORLD_ALIGNED, j, NULL);
    tq_compliance_result result = {.compliance = c, .stiffness = k, .rigid = rigid};
    cr_assert(eq(int, tq_compliance_compute(2, 2, j, spring, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(sz, result.rank, 2));
    cr_assert(epsilon_eq(dbl, c[0], 1.316524245e-4, 1e-13));
    cr_assert(epsilon_eq(dbl, c[1], 7.018153396e-5, 1e-14));
    cr_assert(epsilon_eq(dbl, c[3], 2.185093145e-3, 1e-12));
    cr_assert(epsilon_eq(dbl, 10 * c[0] - 5 * c[1], 0.000965616575, 1e-12));
    cr_assert(epsilon_eq(dbl, 10 * c[2] - 5 * c[3], -0.010223650386, 1e-12));
    cr_assert(epsilon_eq(dbl, k[0], 7728.076134, 1e-6));
    cr_assert(epsilon_eq(dbl, k[1], -248.212869, 1e-6));
    cr_assert(epsilon_eq(dbl, k[3], 465.618577, 1e-6));
    /* all six directions: a planar arm of two joints is rigid in four (item 138) */
    cr_assert(eq(int, tq_compliance_compute(TASK, 2, j, spring, &scratch, &result, NULL), TQ_OK));
    cr_assert(eq(sz, result.rank, 2));
    for (size_t r = 0; r < 4; r++) {
        for (size_t i = 0; i < TASK; i++) {
            double given = 0;
            for (size_t m = 0; m < TASK; m++) {
                given += c[i * TASK + m] * rigid[r * TASK + m];
            }
            cr_assert(epsilon_eq(dbl, given, 0.0, 1e-15), "no give in a rigid direction");
        }
    }
    cr_assert(eq(sz, scratch.used, tq_configuration_scratch_size(model)));
    const double none[4] = {1000, 0, 0, 0};
    tq_error error;
    cr_assert(
        eq(int, tq_compliance_compute(2, 2, j, none, &scratch, &result, &error), TQ_ERR_SINGULAR));
    cr_assert(eq(str, (char *)error.what, "joint_stiffness"));
    tqt_model_free(model);
}
