/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/amplifier.h - drive: from a command to motor torque by amplifier, limits and loops,
 * over time. */
#ifndef TQ_DRIVES_AMPLIFIER_H
#define TQ_DRIVES_AMPLIFIER_H

#include <stdbool.h>

#include "core/drives/drive.h"

/* Largest voltage at the motor. */
double tq_amplifier_reach(const tq_amplifier *amplifier);

/* Voltage of a duty cycle (PWM), 0 to 1: (2 D - 1) V_s, minus the dead band; saturates at 0 and 1.
 */
double tq_pwm_voltage(const tq_amplifier *amplifier, double duty);

/* Duty cycle of a voltage; outside 0 .. 1 beyond the supply. */
double tq_pwm_duty(const tq_amplifier *amplifier, double voltage);

/* Type of a drive's command. */
typedef enum tq_drive_mode {
    TQ_DRIVE_VOLTAGE,  /* V */
    TQ_DRIVE_DUTY,     /* 0 to 1, PWM only */
    TQ_DRIVE_CURRENT,  /* A */
    TQ_DRIVE_VELOCITY, /* rad/s or m/s of the joint; needs a velocity loop */
    TQ_DRIVE_TORQUE,   /* N m or N at the joint: converted to the current, without losses */
} tq_drive_mode;

/* Continuous states of a drive; all 0 at rest. */
enum {
    TQ_DRIVE_I,        /* current, A; only with inductance */
    TQ_DRIVE_INTEGRAL, /* of the current loop's error, A s */
    TQ_DRIVE_LEAD,     /* of the lead network, rad/s of the motor */
    TQ_DRIVE_TACHO,    /* rad/s of the motor, filtered by the tachometer */
    TQ_DRIVE_HEAT,     /* mean square of the current, A^2 */
    TQ_DRIVE_N_STATE,
};

/* Instantaneous state of a drive. */
typedef struct tq_drive_flow {
    double torque;  /* at the joint, N m or N: eta K_m i, minus the gear's loss */
    double current; /* A */
    double voltage; /* V at the motor */
    double wanted;  /* A, set-point of the current loop, after limits; NAN with a voltage or duty
                       command */
    double limit;   /* A, foldback limit at this time, in this direction */
    bool limited;   /* voltage or current is saturated */
} tq_drive_flow;

/* Current limit, A: the peak while cool, the continuous current once the mean square has reached
 * its square, linear in between over the last twentieth. */
double tq_foldback_limit(const tq_amplifier *amplifier, double heat, bool forward);

/**
 * State equations of a drive at a command, a joint speed and its states.
 *
 *     L di/dt = v - R i - K_m eta qd;   L = 0 or `reduced`: i = (v - K_m eta qd)/R
 *     v = k_p (i* - i) + k_i integral(i* - i) + c K_m eta qd, held within the supply
 *     i* = the command, held within the foldback limit;  heat' = (i^2 - heat)/T
 *
 * The integral stops while the voltage saturates and the error would drive it further
 * (anti-windup). A voltage or duty is subject to the current limit too: the amplifier lowers the
 * voltage so that no more than the limit flows once the current has risen. With gains 0 the current
 * loop is ideal: i = i*, as far as the supply reaches. Rotor inertia and motor friction are the
 * joint's.
 *
 * Shapes   z, ret_zd (TQ_DRIVE_N_STATE).
 * Source   Taghirad, Robotics, ch. 5, slides 52 to 62.
 * Checked  tests/unit/core/drives/test_amplifier.c, tests/golden/test_seeds_drives.c
 */
void tq_drive_rate(const tq_drive *drive, tq_drive_mode mode, bool reduced, double command,
                   double qd, const double *z, double *ret_zd, tq_drive_flow *ret);

/* Torque at the joint of a motor torque: eta tau, times the efficiency when the motor drives and
 * divided by it when the joint does; and the inverse. */
double tq_gear_to_joint(const tq_gear *gear, double motor_torque, double qd);
double tq_gear_to_motor(const tq_gear *gear, double joint_torque, double qd);

#endif
