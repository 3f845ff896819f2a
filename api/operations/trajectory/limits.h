/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/limits.h - a path whose times come from limits. */
#ifndef TQA_OPERATIONS_TRAJECTORY_LIMITS_H
#define TQA_OPERATIONS_TRAJECTORY_LIMITS_H

#include "api/operations/trajectory/reference.h"
#include "core/motion/timing/optimal.h"

/* In the robot's order; arrays are the call's. */
typedef struct tqa_by_limits {
    unsigned profile;
    bool is_spline, with_tau;
    size_t n_grid;
    const tq_mechanism *mechanism; /* with its payload */
    tq_motion_limits limits;
    double *begin;     /* (n_point) s, point to point */
    tq_phases *phases; /* (n_point - 1, nv) */
    double *lasts;     /* (n_point - 1) s */
    size_t *slowest;   /* (n_point - 1) */
    tq_timed_path timed;
    double *work; /* (2 nv) */
} tqa_by_limits;

/* Reads the root's `limits`. False: the problem is set. */
bool tqa_by_limits_read(const tqa_value *part, const tqa_order *order, tqa_by_limits *ret);

/* `payload` of the root: torques are of the robot that carries it. False: the problem is set. */
bool tqa_by_limits_carry(tqa_tree *tree, tqa_by_limits *by);

/* Computes the times of a path that was read with TQA_PATH_BY_LIMITS; its begin and end are those
 * of the motion then. False: the problem is set. */
bool tqa_by_limits_prepare(const tqa_value *part, tqa_by_limits *by, tqa_reference *path);

void tqa_by_limits_at(const tqa_by_limits *by, const tqa_reference *path, double t, double *ret_q,
                      double *ret_qd, double *ret_qdd);

/* `duration_s` and `binding` of the answer. */
void tqa_by_limits_answer(tqa_tree *tree, const tqa_by_limits *by, const tqa_reference *path);

/* tau (n_sample x nv) of samples one after another. False: the problem is set. */
bool tqa_by_limits_torque(tqa_tree *tree, const tq_mechanism *mechanism, size_t n_sample,
                          const double *q, const double *qd, const double *qdd, double *ret_tau);

#endif
