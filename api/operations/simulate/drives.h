/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/drives.h - `drives` of a simulation: motors that produce the commanded
   torque. */
#ifndef TQA_OPERATIONS_SIMULATE_DRIVES_H
#define TQA_OPERATIONS_SIMULATE_DRIVES_H

#include "api/request/robot_fields.h"
#include "core/plant/driven.h"

/* In the call's memory: do not move it once the effect is made. */
typedef struct tqa_drives {
    tq_driven_plant driven; /* n_joint 0: the simulation has none */
    tq_driven_joint *joints;
    uint32_t *numbers; /* (n_joint) of the robot's joints */
    tq_table table;
} tqa_drives;

#endif
