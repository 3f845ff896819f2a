/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/drive.h - drive of one joint: motor, gear, amplifier. */
#ifndef TQ_DRIVES_DRIVE_H
#define TQ_DRIVES_DRIVE_H

#include "core/base/status.h"

/* A permanent-magnet DC motor, on its own shaft. In SI units the torque constant (N m/A) equals the
 * back-emf constant (V s/rad): tau w = e i. */
typedef struct tq_motor {
    double constant;   /* K_m, N m/A = V s/rad, > 0 */
    double resistance; /* R, ohm, > 0 */
    double inductance; /* L, H; 0: neglected */
    double inertia;    /* I_m of the rotor, kg m^2 */
    double viscous;    /* b_m, N m s/rad */
} tq_motor;

/* theta_m = ratio theta. `efficiency` is the fraction of the motor's power that reaches the joint,
 * and of the joint's power that reaches the motor when the joint drives it. Rotor inertia and motor
 * friction are without loss: on the joint side they are parts of M and friction. */
typedef struct tq_gear {
    double ratio;      /* motor turns per joint turn, not 0; rad/m for a prismatic joint */
    double efficiency; /* in (0, 1]; 1: ideal */
} tq_gear;

typedef enum tq_amplifier_kind {
    TQ_AMPLIFIER_PWM,    /* v = (2 D - 1) V_s, D the duty */
    TQ_AMPLIFIER_LINEAR, /* v proportional, up to V_s - dropout */
} tq_amplifier_kind;

/* Limits may be INFINITY. A motor takes `peak_...` amperes temporarily and `continuous`
 * permanently: the mean square of the current over `foldback_time` must not exceed that of
 * `continuous`. With a foldback time the peaks must be finite. */
typedef struct tq_amplifier {
    tq_amplifier_kind kind;
    double supply;    /* V_s, V, > 0 */
    double dead_band; /* PWM: no voltage for |D - 1/2| up to this; subtracted beyond */
    double frequency; /* PWM: Hz, half a period of dead time in the loops; 0: none */
    double dropout;   /* linear: V lost of the supply */
    double bandwidth; /* linear: Hz, one pole in the loops; 0: none */
    double continuous, peak_forward, peak_reverse; /* A, > 0 */
    double foldback_time;                          /* s; 0: `continuous` is not enforced */
    double current_p, current_i; /* V/A, V/(A s): gains of the current loop; both 0: ideal */
    double compensation;         /* fraction of the back-emf added to the voltage, 0 to 1 */
} tq_amplifier;

/* Velocity loop around a current loop: i_ref = gain (1 + a T s)/(1 + T s) (w_ref - w'), w' the
 * motor speed through a tachometer with one time constant. */
typedef struct tq_velocity_loop {
    double gain;       /* A s/rad; 0: no loop */
    double lead;       /* a; 1: no lead */
    double lead_time;  /* T, s; 0: no lead */
    double tacho_time; /* s; 0: ideal */
} tq_velocity_loop;

typedef struct tq_drive {
    tq_motor motor;
    tq_gear gear;
    tq_amplifier amplifier;
    tq_velocity_loop velocity;
} tq_drive;

/* No supply or current limits, an ideal gear of ratio 1, no loops. */
void tq_drive_init(tq_drive *drive);

/**
 * Check the parameters of a drive.
 *
 * Returns  TQ_OK
 *          TQ_ERR_NOT_FINITE, TQ_ERR_RANGE   `what` names the field ("motor.resistance", ...),
 *                                            value = that of the field
 * Checked  tests/unit/core/drives/test_drive.c
 */
tq_status tq_drive_check(const tq_drive *drive, tq_error *reterr);

#endif
