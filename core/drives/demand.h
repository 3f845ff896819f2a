/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/demand.h - what a motion asks of a drive, and what decoupling the joints neglects. */
#ifndef TQ_DRIVES_DEMAND_H
#define TQ_DRIVES_DEMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/drives/drive.h"

/* At one moment; uses are parts of a limit, 0 where there is none, above 1 beyond it. */
typedef struct tq_drive_demand {
    double motor_torque;   /* K_m i, N m */
    double motor_speed;    /* rad/s */
    double current;        /* A */
    double voltage;        /* R i + K_m eta qd: without L di/dt */
    double duty;           /* of PWM; of a linear amplifier (1 + v/reach)/2; 1/2 without a supply */
    double power;          /* W out of the supply, v i; negative: given back */
    double current_use;    /* of the peak in this direction */
    double continuous_use; /* of the continuous current */
    double voltage_use;    /* of what the amplifier reaches */
    bool feasible;         /* neither peak nor voltage is exceeded */
} tq_drive_demand;

/* For the joint's torque (inverse dynamics: rotor inertia and motor friction are in it) and speed.
 */
void tq_drive_demand_at(const tq_drive *drive, double joint_torque, double qd,
                        tq_drive_demand *ret);

/**
 * What the approximations that treat each joint alone get wrong, approximate torque less exact
 * torque.
 *
 *     inertia_diagonal   M_ii qdd_i for (M qdd)_i
 *     inertia_rotor      eta^2 I_m qdd_i for (M qdd)_i
 *     decoupled          M_ii qdd_i for (M qdd)_i + (C qd)_i: gravity and friction kept
 *     decoupled_rotor    eta^2 I_m qdd_i for (M qdd)_i + (C qd)_i
 *
 * Shapes   m (n x n, column-major), both triangles, rotors in; rotor, velocity = C qd and qdd (n);
 *          ret (4 x n), one behind the other.
 * Source   Taghirad, Robotics, ch. 5: worth trying from a ratio of 100 on.
 * Checked  tests/golden/test_seeds_drives.c
 */
void tq_decoupling_errors(size_t n, const double *m, const double *rotor, const double *velocity,
                          const double *qdd, double *ret);

#endif
