/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/demand.h - requirements of a motion on a drive. */
#ifndef TQ_DRIVES_DEMAND_H
#define TQ_DRIVES_DEMAND_H

#include <stdbool.h>

#include "core/drives/drive.h"

/* At one instant; uses are fractions of a limit, 0 without one, > 1 beyond it. */
typedef struct tq_drive_demand {
    double motor_torque;   /* K_m i, N m */
    double motor_speed;    /* rad/s */
    double current;        /* A */
    double voltage;        /* R i + K_m eta qd: without L di/dt */
    double duty;           /* of PWM; of a linear amplifier (1 + v/reach)/2; 1/2 without a supply */
    double power;          /* W from the supply, v i; negative: regenerated */
    double current_use;    /* of the peak in this direction */
    double continuous_use; /* of the continuous current */
    double voltage_use;    /* of the amplifier's maximum */
    bool feasible;         /* neither peak nor voltage is exceeded */
} tq_drive_demand;

/* Requirements at a joint torque (of inverse dynamics: rotor inertia and motor friction included)
 * and a joint speed. */
void tq_drive_demand_at(const tq_drive *drive, double joint_torque, double qd,
                        tq_drive_demand *ret);

#endif
