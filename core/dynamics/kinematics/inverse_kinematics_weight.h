/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/kinematics/inverse_kinematics_weight.h - task errors in the unit of coordinates. */
#ifndef TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_WEIGHT_H
#define TQ_DYNAMICS_KINEMATICS_INVERSE_KINEMATICS_WEIGHT_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"

enum { TQ_IK_TASK_MAX = 6 }; /* rows of a task */

/* W = (J J^T)^(-1/2) of a task Jacobian J (n_task x nv). |W e| is the least step that makes up for
 * an error e, so a descent of it sees an error of a fine thread as large as the turn that it takes.
 * Directions that no coordinate moves have the weight of the one that is moved most. */
typedef struct tq_ik_weight {
    size_t n_task;
    double w[TQ_IK_TASK_MAX * TQ_IK_TASK_MAX]; /* symmetric */
} tq_ik_weight;

/* Overwrites rows (n_task x nv) and work (6 nv). tq_svd_scratch_size(nv, n_task) bytes. */
tq_status tq_ik_weight_set(tq_ik_weight *weight, size_t n_task, size_t nv, double *rows,
                           double *work, tq_scratch *scratch, tq_error *reterr);

/* x = W x, n columns, row k of which begins at x + k n */
void tq_ik_weigh(const tq_ik_weight *weight, size_t n, double *x);

#endif
