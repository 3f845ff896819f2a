/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/mass_matrix/mass_matrix_state.c - inverse and eigenvalues of the mass matrix of one
 * state. */
#include "core/dynamics/mass_matrix/mass_matrix_state.h"

#include "core/linalg/dense.h"

size_t tq_mass_matrix_state_scratch_size(const tq_mechanism *mechanism)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    return tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_larger(tq_mass_matrix_flat_scratch_size(mechanism),
                     tq_eigen_symmetric_scratch_size(nv));
}

static tq_status short_of_scratch(const tq_mechanism *mechanism, tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_mass_matrix_state_scratch_size(mechanism));
}

tq_status tq_mass_matrix_inverse_flat(const tq_mechanism *mechanism, const double *q,
                                      tq_scratch *scratch, double *ret_inverse, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
    if (m == NULL) {
        tq_scratch_rewind(scratch, mark);
        return short_of_scratch(mechanism, reterr);
    }
    tq_status status = tq_mass_matrix_flat(mechanism, q, 0, scratch, m, reterr);
    if (status == TQ_OK && nv > 0) {
        const size_t row = tq_mass_matrix_factor(nv, m);
        if (row < nv) {
            status = tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
        } else {
            tq_mass_matrix_invert(nv, m, ret_inverse);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_mass_matrix_eigenvalue_range(const tq_mechanism *mechanism, const double *q,
                                          tq_scratch *scratch, double ret[2], tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
    double *values = tq_scratch_take(scratch, nv, sizeof *values);
    ret[0] = ret[1] = 0.0;
    if (m == NULL || values == NULL) {
        tq_scratch_rewind(scratch, mark);
        return short_of_scratch(mechanism, reterr);
    }
    tq_status status = tq_mass_matrix_flat(mechanism, q, 0, scratch, m, reterr);
    if (status == TQ_OK && nv > 0) {
        status = tq_eigenvalues_symmetric(nv, m, nv, scratch, values, reterr);
    }
    if (status == TQ_OK && nv > 0) {
        ret[0] = values[0];
        ret[1] = values[nv - 1];
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
