/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate_controller.h - `input` of a simulation when it is a controller. */
#ifndef TQA_OPERATIONS_SIMULATE_CONTROLLER_H
#define TQA_OPERATIONS_SIMULATE_CONTROLLER_H

#include "api/operations/reference.h"
#include "core/simulate/controller.h"

/* Values of `kind`, by the numbers of tq_control_law; ends with NULL. */
extern const char *const tqa_controller_kinds[];

/* What is controlled, and where it starts. Borrowed while the controller lives. */
typedef struct tqa_controlled {
    const tqa_order *order;
    const tq_mechanism *mechanism; /* with all that it carries */
    const double *q;               /* (nq) at the start */
    const double *gravity;         /* (3) */
    unsigned without;              /* TQ_WITHOUT_... of the simulation */
} tqa_controlled;

/* Lives in the call's memory: do not move it once the effect is made. */
typedef struct tqa_controller {
    tqa_reference reference;
    tq_controller core; /* what `effect` borrows */
    tq_effect effect;
} tqa_controller;

/* Reads an object whose `kind` is one of the above. False: the problem is set. */
bool tqa_part_controller(const tqa_part *input, const tqa_controlled *plant, tqa_controller *ret);

/* A mechanism of the robot as its document says, with every mass and inertia times `scale` and a
 * payload {link, mass, com, inertia?} (NULL or absent: none), in the call's memory. */
bool tqa_part_mechanism(tqa_control *control, const tqa_part *payload, double scale,
                        const tq_mechanism **ret);

#endif
