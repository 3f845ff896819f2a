/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/core/dynamics/test_packed_rows.c - wide robots have the same bits at every stride.
 */
#include "core/dynamics/forward.h"
#include "core/dynamics/inverse.h"
#include "tests/support/random_robot.h"
#include "tests/support/subject.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

/* 52 joints: rows 256 apart map to the same cache sets and are copied close together; rows 264
 * apart are not. 100 samples are four runs, the last not full. */
enum { JOINTS = 52, N = 100, NEAR = TQ_BLOCK, FAR = TQ_BLOCK_STRIDE };

static double *at_stride(const tqt_states *s, const double *from, size_t n_row, size_t stride)
{
    double *to = tqt_doubles(n_row * stride);
    for (size_t r = 0; r < n_row; r++) {
        memcpy(to + r * stride, from + r * s->stride, s->stride * sizeof *to);
    }
    return to;
}

/* tau, or qdd from it, is the same at both strides; rates may be absent */
static void compare(bool is_forward, bool has_rates)
{
    tq_model *model = tqt_random_robot(7, (tqt_robot_options){JOINTS, TQT_KINDS_ONE, 0});
    tqt_subject *subject = tqt_subject_new(model, 0);
    const tqt_states s = tqt_random_states(7, model, N);
    const size_t strides[2] = {NEAR, FAR}, nv = model->nv;
    cr_assert(ge(sz, nv, 48));
    double *out[2];
    tq_error error = {0};
    for (int k = 0; k < 2; k++) {
        double *q = at_stride(&s, s.q, model->nq, strides[k]);
        double *qd = has_rates ? at_stride(&s, s.qd, nv, strides[k]) : NULL;
        double *third = at_stride(&s, s.qdd, nv, strides[k]);
        out[k] = tqt_doubles(nv * strides[k]);
        const size_t size = is_forward ? tq_forward_scratch_size(subject->mechanism, 0)
                                       : tq_inverse_scratch_size(subject->mechanism, 0);
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        tq_scratch scratch;
        tq_scratch_init(&scratch, memory, size);
        if (is_forward) {
            const tq_forward_input in = {
                .n_sample = N, .stride = strides[k], .q = q, .qd = qd, .tau = third};
            cr_assert(eq(int,
                         tq_forward_dynamics(subject->mechanism, &in, &scratch, out[k], &error),
                         TQ_OK));
        } else {
            const tq_inverse_input in = {
                .n_sample = N, .stride = strides[k], .q = q, .qd = qd, .qdd = third};
            cr_assert(eq(int,
                         tq_inverse_dynamics(subject->mechanism, &in, &scratch, out[k], &error),
                         TQ_OK));
        }
        free(memory), free(q), free(qd), free(third);
    }
    for (size_t r = 0; r < nv; r++) {
        cr_expect(memcmp(out[0] + r * NEAR, out[1] + r * FAR, N * sizeof(double)) == 0, "row %zu",
                  r);
    }
    free(out[0]), free(out[1]);
    tqt_states_free((tqt_states *)&s);
    tqt_subject_free(subject);
    tqt_model_free(model);
}

Test(packed_rows, torques_of_a_wide_robot)
{
    compare(false, true);
    compare(false, false);
}

Test(packed_rows, accelerations_of_a_wide_robot)
{
    compare(true, true);
    compare(true, false);
}
