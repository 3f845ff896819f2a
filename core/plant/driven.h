/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/driven.h - drives between the commanded and the actual joint torque, as an effect. */
#ifndef TQ_PLANT_DRIVEN_H
#define TQ_PLANT_DRIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/drives/amplifier.h"
#include "core/motion/table.h"
#include "core/plant/plant.h"

/* A joint with its drive. */
typedef struct tq_driven_joint {
    uint32_t row; /* of tau and qd */
    const tq_drive *drive;
} tq_driven_joint;

/* Borrows everything it points to. */
typedef struct tq_driven_plant {
    size_t n_joint;
    const tq_driven_joint *joints; /* (n_joint) */
    tq_drive_mode mode;
    bool reduced;         /* inductances are neglected */
    tq_table *table;      /* commands, n_coordinate = n_joint; NULL: the torque of preceding effects
                        is the command, and `mode` is TQ_DRIVE_TORQUE */
    tq_drive_flow *flows; /* (n_joint) of the first sample in the last evaluation, for runs of a
                             single trajectory; NULL: not required */
} tq_driven_plant;

/**
 * Create the effect of drives: the commanded torque of a driven joint is replaced by that of its
 * drive; the torque of other joints is unchanged. Rotors and the motors' friction belong to the
 * model.
 *
 * States: those of core/drives/amplifier.h, TQ_DRIVE_N_STATE for each joint in order; at rest all
 * are 0. With inductance the equations are stiff (time constant L/R): an explicit method takes
 * steps of a few L/R, the implicit ones do not.
 *
 * Memory   The effect borrows the plant, its ctx.
 * Returns  The effect; it cannot fail.
 * Cost     O(n_joint) an evaluation.
 * Checked  tests/property/core/plant/test_driven.c
 */
tq_effect tq_driven_effect(tq_driven_plant *driven);

#endif
