/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/actuation.c - least-squares distribution of torques over the actuated joints. */
#include "core/constraints/actuation.h"

#include <string.h>

#include "core/linalg/dense.h"

/* relative singular value below which actuated joints are dependent, as for constraint rows */
static const double rcond = 1e-9;

size_t tq_count_actuated(const tq_constraints *constraints, size_t nv)
{
    size_t n = 0;
    for (size_t k = 0; k < nv; k++) {
        n += constraints->actuated == NULL || constraints->actuated[k];
    }
    return n;
}

size_t tq_actuate_scratch_size(size_t nv)
{
    return tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_lstsq_scratch_size(nv, nv);
}

tq_status tq_constraint_actuate(const tq_constrained *state, const double *needed,
                                tq_scratch *scratch, double *ret_tau, size_t *ret_rank,
                                tq_error *reterr)
{
    const tq_constrained *s = state;
    const size_t nv = s->nv;
    const size_t n_actuated = tq_count_actuated(s->constraints, nv);
    const bool *actuated = s->constraints->actuated;
    const size_t mark = tq_scratch_mark(scratch);
    *ret_rank = 0;
    memset(ret_tau, 0, nv * sizeof *ret_tau);
    if (n_actuated == 0) {
        return TQ_OK;
    }
    double *m = tq_scratch_take(scratch, nv * n_actuated, sizeof *m);
    double *x = tq_scratch_take(scratch, nv, sizeof *x);
    tq_status status = m == NULL || x == NULL ? TQ_ERR_SCRATCH : TQ_OK;
    if (status == TQ_OK) {
        memset(m, 0, nv * n_actuated * sizeof *m);
        memcpy(x, needed, nv * sizeof *x);
        size_t column = 0;
        for (size_t k = 0; k < nv; k++) {
            if (actuated == NULL || actuated[k]) {
                m[column++ * nv + k] = 1.0;
            }
        }
        status = tq_constrained_unload(s, n_actuated, m, reterr);
    }
    if (status == TQ_OK) {
        status = tq_constrained_unload(s, 1, x, reterr);
    }
    if (status == TQ_OK) {
        status = tq_lstsq(nv, n_actuated, m, x, rcond, scratch, ret_rank, reterr);
    }
    size_t row = 0;
    for (size_t k = 0; status == TQ_OK && k < nv; k++) {
        const bool drives = actuated == NULL || actuated[k];
        ret_tau[k] = drives ? x[row] : 0.0;
        row += drives;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
