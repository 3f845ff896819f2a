/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/kinematics/test_jacobian.c - the Jacobian of a point and its rate
 * against the motion of frames. */
#include "core/dynamics/kinematics/configuration.h"
#include "tests/support/motion.h"
#include "tests/support/random.h"
#include "tests/support/random_robot.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { N_SEED = 120, BYTES = 8 << 20 };

/* J qd and J qdd + dJ/dt qd are velocity and acceleration of the centre of mass by moving frames */
Test(jacobian, accelerates_the_point)
{
    void *memory = aligned_alloc(64, BYTES);
    cr_assert(ne(ptr, memory, NULL));
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        const tqt_robot_options options = {1 + (uint32_t)(seed * 37 % 24), TQT_KINDS_ALL,
                                           TQT_WITH_ALL};
        tq_model *model = tqt_random_robot(seed, options);
        tqt_states states = tqt_random_states(seed, model, 1);
        tqt_random r = tqt_random_seed(seed);
        const size_t nv = model->nv;
        double *q = tqt_doubles(model->nq), *qd = tqt_doubles(nv), *qdd = tqt_doubles(nv);
        double *jacobian = tqt_doubles(6 * nv), *rate = tqt_doubles(6 * nv);
        tqt_link_motion *links = calloc(model->n_link, sizeof *links);
        cr_assert(ne(ptr, links, NULL));
        tqt_sample(states.q, model->nq, states.stride, 0, q);
        tqt_sample(states.qd, nv, states.stride, 0, qd);
        tqt_sample(states.qdd, nv, states.stride, 0, qdd);
        tqt_move(model, &(tqt_state){q, qd, qdd}, links);
        tq_scratch scratch;
        tq_configuration at;
        tq_scratch_init(&scratch, memory, BYTES);
        cr_assert(tq_configuration_compute(model, q, qd, &scratch, &at, NULL) == TQ_OK);
        const uint32_t l = tqt_random_below(&r, model->n_link);
        tq_configuration_jacobian(&at, l, model->links[l].inertia.com, TQ_JACOBIAN_WORLD_ALIGNED,
                                  jacobian, rate);
        for (size_t row = 0; row < 6; row++) {
            double v = 0.0, a = 0.0, size = 1.0;
            for (size_t c = 0; c < nv; c++) {
                const double j = jacobian[row * nv + c], d = rate[row * nv + c];
                v += j * qd[c];
                a += j * qdd[c] + d * qd[c];
                size += fabs(j * qd[c]) + fabs(j * qdd[c]) + fabs(d * qd[c]);
            }
            const double unit = 100.0 * DBL_EPSILON * (double)model->n_joint * size;
            const double want_v = (double)(row < 3 ? links[l].com_v[row] : links[l].omega[row - 3]);
            const double want_a =
                (double)(row < 3 ? links[l].com_a[row] : links[l].omega_dot[row - 3]);
            cr_expect(fabs(v - want_v) <= unit, "seed %d: %g, not %g", (int)seed, v, want_v);
            cr_expect(fabs(a - want_a) <= unit, "seed %d: %g, not %g", (int)seed, a, want_a);
        }
        free(links);
        free(rate);
        free(jacobian);
        free(qdd);
        free(qd);
        free(q);
        tqt_states_free(&states);
        tqt_model_free(model);
    }
    free(memory);
}
