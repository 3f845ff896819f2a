/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics_weight.c - the metric in which a task's error is the
 * least step of the coordinates that makes up for it. */
#include "core/dynamics/kinematics/inverse_kinematics_weight.h"

#include "core/linalg/dense.h"

/* of the largest singular value: below it lies rounding */
static const double least_singular = 1e-12;

tq_status tq_ik_weight_set(tq_ik_weight *weight, size_t n_task, size_t nv, double *rows,
                           double *work, tq_scratch *scratch, tq_error *reterr)
{
    double s[TQ_IK_TASK_MAX] = {0.0}, vt[TQ_IK_TASK_MAX * TQ_IK_TASK_MAX] = {0.0};
    const size_t n = n_task, rank = nv < n ? nv : n;
    /* row-major rows are the column-major nv x n_task transpose: J J^T = V S^2 V^T */
    const tq_status status = tq_svd(nv, n, rows, nv, scratch, s, work, vt, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const double least = s[0] > 0.0 ? 1.0 / s[0] : 1.0;
    weight->n_task = n;
    for (size_t k = 0; k < n; k++) {
        for (size_t l = 0; l < n; l++) {
            double sum = k == l ? least : 0.0;
            for (size_t i = 0; i < rank && s[i] > least_singular * s[0]; i++) {
                sum += (1.0 / s[i] - least) * vt[k * rank + i] * vt[l * rank + i];
            }
            weight->w[k * n + l] = sum;
        }
    }
    return TQ_OK;
}

void tq_ik_weigh(const tq_ik_weight *weight, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double sum[TQ_IK_TASK_MAX] = {0.0};
        for (size_t k = 0; k < weight->n_task; k++) {
            for (size_t l = 0; l < weight->n_task; l++) {
                sum[k] += weight->w[k * weight->n_task + l] * x[l * n + i];
            }
        }
        for (size_t k = 0; k < weight->n_task; k++) {
            x[k * n + i] = sum[k];
        }
    }
}
