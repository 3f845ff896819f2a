/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/manipulability.c - velocity ellipsoid of a Jacobian, by its singular
 * value decomposition. */
#include "core/dynamics/kinematics/manipulability.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"

size_t tq_manipulability_scratch_size(size_t n_task, size_t nv)
{
    const size_t n = tq_smaller(n_task, nv);
    return tq_scratch_cost(n_task * nv, sizeof(double)) +
           tq_scratch_cost(n * n_task, sizeof(double)) + tq_svd_scratch_size(nv, n_task);
}

/* The sign of a pair (u, v) is arbitrary: makes the largest component of u positive. */
static void orient(size_t n_task, size_t nv, double *u, double *v)
{
    size_t largest = 0;
    for (size_t i = 1; i < n_task; i++) {
        largest = fabs(u[i]) > fabs(u[largest]) ? i : largest;
    }
    if (u[largest] < 0.0) {
        for (size_t i = 0; i < n_task; i++) {
            u[i] = -u[i];
        }
        for (size_t i = 0; i < nv; i++) {
            v[i] = -v[i];
        }
    }
}

tq_status tq_manipulability_compute(size_t n_task, size_t nv, const double *jacobian,
                                    tq_scratch *scratch, tq_manipulability *result,
                                    tq_error *reterr)
{
    const size_t n = tq_smaller(n_task, nv);
    result->rank = 0;
    result->measure = 0.0;
    if (n == 0) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *a = tq_scratch_take(scratch, n_task * nv, sizeof *a);
    double *ut = tq_scratch_take(scratch, n * n_task, sizeof *ut);
    if (a == NULL || ut == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    /* J row by row is J^T = V diag(s) U^T column by column */
    memcpy(a, jacobian, n_task * nv * sizeof *a);
    const tq_status status = tq_svd(nv, n_task, a, nv, scratch, result->s, result->v, ut, reterr);
    if (status == TQ_OK) {
        const double tolerance = (double)(n_task > nv ? n_task : nv) * DBL_EPSILON * result->s[0];
        double product = n == n_task ? 1.0 : 0.0;
        for (size_t k = 0; k < n; k++) {
            for (size_t i = 0; i < n_task; i++) {
                result->u[k * n_task + i] = ut[k + n * i];
            }
            orient(n_task, nv, result->u + k * n_task, result->v + k * nv);
            result->rank += result->s[k] > tolerance;
            product *= result->s[k];
        }
        result->measure = result->rank == n_task ? product : 0.0;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
