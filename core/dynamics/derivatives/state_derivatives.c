/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/state_derivatives.c - first and second partial derivatives of
 * torque and of acceleration at one state, with what the sample leaves out. */
#include "core/dynamics/derivatives/state_derivatives.h"

#include <string.h>

#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/dynamics/derivatives/second_forward.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

static size_t square(const tq_state_of_motion *state)
{
    const size_t nv = state->posture->model->nv;
    return nv * nv;
}

size_t tq_state_derivatives_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t nv = model->nv;
    size_t inner =
        tq_larger(tq_derivatives_scratch_size(model), tq_second_derivatives_scratch_size(model));
    inner += tq_configuration_scratch_size(model);
    return tq_larger(inner, tq_mass_matrix_flat_scratch_size(mechanism)) +
           tq_scratch_cost(5 * nv * nv, sizeof(double));
}

static tq_status short_of_scratch(const tq_state_of_motion *state, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_state_derivatives_scratch_size(state->mechanism));
}

/* The posture of rigid bodies: at rest where the terms of velocity are left out. */
static tq_status rigid_posture(const tq_state_of_motion *state, tq_scratch *scratch,
                               tq_configuration *ret, tq_error *reterr)
{
    *ret = *state->posture;
    return (state->sample->without & TQ_WITHOUT_VELOCITY) == 0
               ? TQ_OK
               : tq_configuration_compute(state->posture->model, state->sample->q, NULL, scratch,
                                          ret, reterr);
}

tq_status tq_state_torque_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                      double *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration posture;
    tq_status status = rigid_posture(state, scratch, &posture, reterr);
    if (status == TQ_OK) {
        status = tq_inverse_derivatives(&posture, state->sample, scratch, ret, ret + square(state),
                                        reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status == TQ_OK ? tq_mass_matrix_flat(state->mechanism, state->sample->q, 0, scratch,
                                                 ret + 2 * square(state), reterr)
                           : status;
}

tq_status tq_state_torque_second_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                             const tq_second_derivatives *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration posture;
    tq_status status = rigid_posture(state, scratch, &posture, reterr);
    if (status == TQ_OK) {
        status = tq_inverse_second_derivatives(&posture, state->sample, scratch, ret, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* the sample with all of its inertia */
static tq_sample with_inertia(const tq_state_of_motion *state)
{
    tq_sample ret = *state->sample;
    ret.without &= ~(unsigned)TQ_WITHOUT_INERTIA;
    return ret;
}

tq_status tq_state_acceleration_derivatives(const tq_state_of_motion *state, tq_scratch *scratch,
                                            double *ret, tq_error *reterr)
{
    const size_t n = square(state), mark = tq_scratch_mark(scratch);
    const tq_sample sample = with_inertia(state);
    const tq_state_of_motion whole = {state->mechanism, state->posture, &sample};
    double *m = tq_scratch_take(scratch, n, sizeof *m);
    if (m == NULL) {
        tq_scratch_rewind(scratch, mark);
        return short_of_scratch(state, reterr);
    }
    tq_status status = tq_state_torque_derivatives(&whole, scratch, ret, reterr);
    if (status == TQ_OK) {
        memcpy(m, ret + 2 * n, n * sizeof *ret);
        status =
            tq_forward_derivatives(state->posture->model->nv, m, ret, ret + n, ret + 2 * n, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_state_acceleration_second_derivatives(const tq_state_of_motion *state,
                                                   tq_scratch *scratch,
                                                   const tq_second_derivatives *ret,
                                                   tq_error *reterr)
{
    const size_t n = square(state), mark = tq_scratch_mark(scratch);
    const tq_sample sample = with_inertia(state);
    const tq_state_of_motion whole = {state->mechanism, state->posture, &sample};
    double *first = tq_scratch_take(scratch, 5 * n, sizeof *first); /* and M, and work */
    if (first == NULL) {
        tq_scratch_rewind(scratch, mark);
        return short_of_scratch(state, reterr);
    }
    tq_status status = tq_state_torque_derivatives(&whole, scratch, first, reterr);
    if (status == TQ_OK) {
        status = tq_state_torque_second_derivatives(&whole, scratch, ret, reterr);
    }
    if (status == TQ_OK) {
        status = tq_forward_second_derivatives(state->posture->model->nv, first + 2 * n, first,
                                               first + n, first + 3 * n, ret, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
