/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/operational_task.h - where a point is to be, where it is, and its inertia along the
 * axes of its task: private to operational control. */
#ifndef TQ_PLANT_OPERATIONAL_TASK_H
#define TQ_PLANT_OPERATIONAL_TASK_H

#include "core/plant/operational_law.h"

/* The pose that a point shall have, in the world, and the rates of it. */
typedef struct tq_task_goal {
    tq_pose pose; /* of the link's axes and the point */
    double v[TQ_TASK_AXES], a[TQ_TASK_AXES];
} tq_task_goal;

/* The task of one robot at one state, its axes those of the controller. */
typedef struct tq_task {
    double e[TQ_TASK_AXES], ed[TQ_TASK_AXES], xd[TQ_TASK_AXES];
    double a[TQ_TASK_AXES];    /* acceleration of the goal */
    double bias[TQ_TASK_AXES]; /* dJ/dt qd */
    double *jacobian;          /* (6 x nv), row by row */
    unsigned axis[TQ_TASK_AXES];
    size_t n;                              /* axes of motion or force: axis[0] .. */
    double l[TQ_TASK_AXES * TQ_TASK_AXES]; /* (n x n) Cholesky factor of lambda^-1 */
} tq_task;

/* The goal at coordinates `desired` (3 nq: of the reference, with their rates); not used if the
 * controller has one of its own. */
tq_status tq_task_goal_at(const tq_operational_controller *c, const double *desired,
                          tq_scratch *scratch, tq_task_goal *ret, tq_error *reterr);

/* Everything but l, from q (nq) and qd (nv; NULL: at rest). room (6 nv) of ret->jacobian: given. */
tq_status tq_task_at(const tq_operational_controller *c, const tq_task_goal *goal, const double *q,
                     const double *qd, tq_scratch *scratch, tq_task *ret, tq_error *reterr);

/* l, at q (nq). TQ_ERR_SINGULAR "task"; the statuses of tq_mass_matrix_flat. */
tq_status tq_task_factor(const tq_operational_controller *c, const double *q, tq_scratch *scratch,
                         tq_task *task, tq_error *reterr);

/* Forces (n) of the damping `ratio` at velocity errors task->ed, added to `force`. */
tq_status tq_task_add_damping(const tq_operational_controller *c, const tq_task *task,
                              tq_scratch *scratch, double *force, tq_error *reterr);

/* Bytes of scratch that each of them needs. */
size_t tq_task_scratch_size(const tq_operational_controller *c);

#endif
