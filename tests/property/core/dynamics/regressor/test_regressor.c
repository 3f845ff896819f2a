/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/regressor/test_regressor.c - Y times the parameters is the
 * torque. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

#include "core/dynamics/regressor/regressor.h"
#include "tests/support/lagrange.h"
#include "tests/support/random_robot.h"

enum { BYTES = 4 << 20, ALL = 31 };

Test(regressor, times_parameters_is_torque)
{
    void *memory = aligned_alloc(64, BYTES);
    for (uint64_t seed = 0; seed < 80; seed++) {
        const tqt_robot_options options = {
            .n_joint = 1 + (uint32_t)(seed % 14), .kinds = TQT_KINDS_ALL, .with = TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        for (uint32_t j = 0; j < model->n_joint; j++) {
            model->joints[j].friction.stribeck_velocity = 0.0; /* not linear: has no column */
        }
        const size_t n = tq_parameter_count(model, ALL);
        tqt_states states = tqt_random_states(seed, model, 1);
        double *q = tqt_doubles(model->nq), *qd = tqt_doubles(model->nv);
        double *qdd = tqt_doubles(model->nv), *y = tqt_doubles(model->nv * n);
        double *value = tqt_doubles(n), *tau = tqt_doubles(model->nv);
        tqt_sum *want = calloc(model->nv + 1, sizeof *want);
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tqt_sample(states.qd, model->nv, states.stride, 0, qd);
        tqt_sample(states.qdd, model->nv, states.stride, 0, qdd);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, BYTES);
        tq_parameter_values(model, ALL, value);
        const tq_regressor_input in = {.q = q, .qd = qd, .qdd = qdd};
        cr_assert(eq(int, tq_regressor(model, ALL, &in, &scratch, y, NULL), TQ_OK));
        cr_assert(eq(sz, scratch.used, 0));
        for (size_t i = 0; i < model->nv; i++) {
            tau[i] = 0.0;
            for (size_t k = 0; k < n; k++) {
                tau[i] += y[i * n + k] * value[k];
            }
        }
        const tqt_problem problem = {.model = model, .state = {.q = q, .qd = qd, .qdd = qdd}};
        tqt_inverse_dynamics(&problem, want);
        /* tensors about the origin exceed those about the centre of mass */
        cr_assert(lt(dbl, tqt_worst(model, tau, want, model->nv), 4000.0), "seed %d", (int)seed);
        free(q), free(qd), free(qdd), free(y), free(value), free(tau), free(want);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}

Test(regressor, columns_are_named_in_order)
{
    tq_model *model = tqt_random_robot(
        5, (tqt_robot_options){.n_joint = 3, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = 0});
    tq_parameter list[36];
    const unsigned with = TQ_REGRESS_VISCOUS | TQ_REGRESS_OFFSET;
    cr_assert(eq(sz, tq_parameter_count(model, with), 36));
    tq_parameter_list(model, with, list);
    cr_assert(eq(int, (int)list[0].kind, TQ_PARAMETER_MASS));
    cr_assert(eq(int, (int)list[19].kind, TQ_PARAMETER_IZZ));
    cr_assert(eq(int, (int)list[30].kind, TQ_PARAMETER_VISCOUS));
    cr_assert(eq(int, (int)list[31].kind, TQ_PARAMETER_OFFSET));
    cr_assert(eq(int, (int)list[35].joint, 2));
    tqt_model_free(model);
}
