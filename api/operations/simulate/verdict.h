/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/verdict.h - results of a run beside its motion: audit, tracking, growth
   of errors. */
#ifndef TQA_OPERATIONS_SIMULATE_VERDICT_H
#define TQA_OPERATIONS_SIMULATE_VERDICT_H

#include "api/request/robot_fields.h"
#include "core/plant/audit.h"
#include "core/plant/operational_controller.h"
#include "core/plant/run_balance.h"
#include "core/stability/error_growth.h"

/* Names of `include` that add arrays after the simulation's own. Bits of tqa_run_verdict_read. */
enum {
    TQA_RUN_VERDICT_ENERGY = 1u << 0,
    TQA_RUN_VERDICT_MOMENTUM = 1u << 1,
    TQA_RUN_VERDICT_BASE = 1u << 2,
    TQA_RUN_VERDICT_TRACKING = 1u << 3,
};

/* Balance of a whole run. */
typedef struct tqa_energy_balance {
    tq_run_balance all;
    const char *why_not; /* NULL: it is known */
} tqa_energy_balance;

/* How well a point and the joints followed. */
typedef struct tqa_tracking_error {
    double *max, *square, *final; /* (nv), the robot's order */
    tqa_point point;
    double point_max, point_square, point_final; /* m */
    double length;                               /* of the point's reference path, m */
    double last[3];                              /* where the reference was */
    double *force[4]; /* (n_row) largest, sum of squares and last error of multipliers, and room for
                         one row of them; NULL: they have no goals */
    double task[3][TQ_TASK_AXES]; /* the same of the axes of a point that a controller moves */
    size_t n;
} tqa_tracking_error;

/* Some states of a run, from its start to its end: t, q, qd, qdd, wrench. */
typedef struct tqa_points {
    double *rows; /* (most + 1) x width; NULL: not needed */
    size_t n, most, width;
    double apart; /* s, at least: grows when there are too many */
} tqa_points;

/* Growth of errors along a run. */
typedef struct tqa_error_growth {
    const char *why_not; /* NULL: it is known */
    bool is_closed;
    tq_error_growth found;
} tqa_error_growth;

typedef struct tqa_run_verdict {
    unsigned include;
    double tolerated;   /* rad or m: tolerated error */
    double uncertainty; /* of inertial parameters, as a part of them */
    tq_audit audit;     /* borrowed by its effect */
    size_t z_first;     /* row of the plant's z where the audit's begin */
    tq_balance balance; /* of the row that is being filled */
    size_t balanced;    /* rows before that; its cache is good for one */
    size_t first_point; /* where in a row hidden numbers begin: z, qdd, wrench */
    tqa_energy_balance audited;
    tqa_tracking_error tracked;
    tqa_points points;
    tqa_error_growth grown;
} tqa_run_verdict;

#endif
