/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/amplifier.h - from a command to motor torque: amplifier, limits, loops, over time. */
#ifndef TQ_DRIVES_AMPLIFIER_H
#define TQ_DRIVES_AMPLIFIER_H

#include <stdbool.h>

#include "core/drives/drive.h"

/* Largest voltage at the motor. */
double tq_amplifier_reach(const tq_amplifier *amplifier);

/* Voltage of a duty (PWM), 0 to 1: (2 D - 1) V_s, less the dead band; held within 0 and 1. */
double tq_pwm_voltage(const tq_amplifier *amplifier, double duty);

/* Duty that gives a voltage; beyond 0 and 1 where the supply does not reach. */
double tq_pwm_duty(const tq_amplifier *amplifier, double voltage);

/* What a drive may be told. */
typedef enum tq_drive_mode {
    TQ_DRIVE_VOLTAGE,  /* V */
    TQ_DRIVE_DUTY,     /* 0 to 1, PWM only */
    TQ_DRIVE_CURRENT,  /* A */
    TQ_DRIVE_VELOCITY, /* rad/s or m/s of the joint; needs a velocity loop */
    TQ_DRIVE_TORQUE,   /* N m or N at the joint: the current that gives it, losses aside */
} tq_drive_mode;

/* Continuous states of a drive while time goes by; all 0 at rest. */
enum {
    TQ_DRIVE_I,        /* current, A; only with inductance */
    TQ_DRIVE_INTEGRAL, /* of the current loop's error, A s */
    TQ_DRIVE_LEAD,     /* of the lead network, rad/s of the motor */
    TQ_DRIVE_TACHO,    /* rad/s of the motor, as the tachometer sees it */
    TQ_DRIVE_HEAT,     /* mean square of the current, A^2 */
    TQ_DRIVE_N_STATE,
};

/* A drive at work. */
typedef struct tq_drive_flow {
    double torque;  /* at the joint, N m or N: eta K_m i, less the gear's loss */
    double current; /* A */
    double voltage; /* V at the motor */
    double wanted;  /* A that the loop asks for, after limits; NAN with a voltage or duty */
    double limit;   /* A that the foldback lets pass at this time, in this direction */
    bool limited;   /* voltage or current is held by a limit */
} tq_drive_flow;

/* Amperes that may flow: the peak while it is cool, the continuous current once the mean square
 * has come to that of the continuous current, in between over the last twentieth of the way. */
double tq_foldback_limit(const tq_amplifier *amplifier, double heat, bool forward);

/**
 * What a drive does at a command, a joint speed and its states, and how the states go on.
 *
 *     L di/dt = v - R i - K_m eta qd;   L = 0 or `reduced`: i = (v - K_m eta qd)/R
 *     v = k_p (i* - i) + k_i integral(i* - i) + c K_m eta qd, held within the supply
 *     i* = the command, held within the foldback limit;  heat' = (i^2 - heat)/T
 *
 * The integral stands while the voltage is held and the error would push it on. A voltage or duty
 * passes the current limit too: the amplifier lowers the voltage so that no more than the limit
 * flows once the current has risen. With gains 0 the current loop is ideal: i = i*, as far as the
 * supply reaches. Rotor inertia and motor friction are the joint's.
 *
 * Shapes   z, ret_zd (TQ_DRIVE_N_STATE).
 * Source   Taghirad, Robotics, ch. 5, slides 52 to 62.
 * Checked  tests/unit/core/drives/test_amplifier.c, tests/golden/test_seeds_drives.c
 */
void tq_drive_rate(const tq_drive *drive, tq_drive_mode mode, bool reduced, double command,
                   double qd, const double *z, double *ret_zd, tq_drive_flow *ret);

/* Torque at the joint of a motor torque: eta tau, times the efficiency when the motor drives and
 * over it when the joint does. And back. */
double tq_gear_to_joint(const tq_gear *gear, double motor_torque, double qd);
double tq_gear_to_motor(const tq_gear *gear, double joint_torque, double qd);

#endif
