/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate.h - what a simulation was asked for, and what it keeps. */
#ifndef TQA_OPERATIONS_SIMULATE_H
#define TQA_OPERATIONS_SIMULATE_H

#include "api/operations/control_robot.h"
#include "core/simulate/fixed_step.h"
#include "core/simulate/torque_table.h"

/* A simulation from its request on. Everything lives in the control's memory. */
typedef struct tqa_simulation {
    tqa_control *control;
    tqa_order order;
    double *q, *qd; /* initial, (nq), (nv) in the robot's order */

    size_t n_output;
    double interval; /* s; 0: at `times` */
    double *times;   /* (n_output), the first is 0 */
    double step;     /* s: the largest; each output interval has equal ones */
    tq_fixed_method method;

    bool has_torque;
    tq_table torque; /* in the robot's order */
    double gravity[3];
    unsigned without;
    bool want_qdd;

    /* rows of t, q, qd, qdd, tau as far as they are computed */
    size_t n_row, n_column;
    double *rows; /* (n_output x n_column) */
    uint64_t n_step;
    unsigned char *saved; /* room for a checkpoint, once one was needed */
    const char *ended;    /* NULL: ran to its end; else why it did not */
    uint32_t ended_at;    /* joint, or TQ_NONE */
} tqa_simulation;

/* Reads the request. False: the problem is set. */
bool tqa_simulation_read(tqa_simulation *simulation);

/* Time of output k, s. */
double tqa_simulation_time(const tqa_simulation *simulation, size_t k);

/* Number of steps in all, as asked. */
double tqa_simulation_steps(const tqa_simulation *simulation);

/* A saved run: its rows so far. False: there is nothing to go on from. */
bool tqa_simulation_load(tqa_simulation *simulation);
void tqa_simulation_save(tqa_simulation *simulation);

#endif
