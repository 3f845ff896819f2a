/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/motor.h - a DC motor and its gear: torque-speed line, step response, reflected
 * inertia. */
#ifndef TQ_DRIVES_MOTOR_H
#define TQ_DRIVES_MOTOR_H

#include <stdbool.h>

#include "core/drives/drive.h"

/* Operating point at a speed, all on the motor's shaft. */
typedef struct tq_motor_point {
    double speed;      /* rad/s */
    double torque;     /* K_m i, N m, before the motor's own friction */
    double current;    /* A */
    double voltage;    /* at the motor: reduced if the current is limited */
    double electrical; /* W, voltage current */
    double copper;     /* W, R i^2 */
    bool held;         /* the current limit is active */
} tq_motor_point;

/* Torque-speed line at a voltage and speed, K_m (V - K_m w)/R, current limited to -`reverse` ..
 * `forward`. Steady state: without inductance. */
void tq_motor_at(const tq_motor *motor, double voltage, double speed, double forward,
                 double reverse, tq_motor_point *ret);

typedef struct tq_motor_line {
    double stall_torque;  /* K_m V / R; stall voltage of a torque: R tau / K_m */
    double no_load_speed; /* V / K_m */
    double free_speed;    /* with the motor's own friction: K_m V / (K_m^2 + R b_m) */
    double held_torque;   /* K_m times the limit, INFINITY without one */
    double held_below;    /* rad/s: below this speed the current limit is active; -INFINITY:
                             nowhere */
    double largest_power; /* W, at half of the no-load speed, without limits */
    double stall_current; /* A */
    double slope;         /* -K_m^2/R, N m s/rad */
} tq_motor_line;

void tq_motor_line_at(const tq_motor *motor, double voltage, double current_limit,
                      tq_motor_line *ret);

/* Load of a shaft: kg m^2 (or kg), N m s/rad (or N s/m) on the joint's side of the gear. */
typedef struct tq_shaft {
    double inertia, viscous;
} tq_shaft;

/* Total inertia and damping reflected to either side: (I_m + I/eta^2, b_m + b/eta^2), and eta^2
 * times that. */
void tq_seen_by_motor(const tq_drive *drive, const tq_shaft *load, tq_shaft *ret);
void tq_seen_by_load(const tq_drive *drive, const tq_shaft *load, tq_shaft *ret);

/* Step response: current and motor speed at time t after a voltage step from rest. `reduced`
 * neglects the inductance; so does L = 0. Exact (matrix exponential). */
void tq_motor_step(const tq_drive *drive, const tq_shaft *load, double voltage, bool reduced,
                   double t, double *ret_current, double *ret_speed);

/* Errors of neglecting the inductance. */
typedef struct tq_reduction {
    double electrical_time; /* L/R, s */
    double mechanical_time; /* J R/(K_m^2 + R b), s: the only one of the reduced model */
    double corner_hz;       /* R/(2 pi L); INFINITY without inductance */
    double poles[2][2];     /* of the full model, 1/s: real and imaginary part, slower first */
    double reduced_pole;    /* 1/s */
    double speed_error;     /* largest difference of speed after a step, over the final speed */
    double speed_error_at;  /* s */
    double current_error;   /* the same for the current after both rise times, over the stall
                               current: at t >= 5 L/R */
} tq_reduction;

/**
 * Compare the motor with and without its inductance.
 *
 * Units    SI.
 * Cost     4,000 exponentials.
 * Source   Taghirad, Robotics, ch. 5, with L/R = 1e-2 ... 1e-3 s being 16 ... 159 Hz (T19).
 * Checked  tests/golden/test_seeds_drives.c
 */
void tq_motor_reduction(const tq_drive *drive, const tq_shaft *load, tq_reduction *ret);

#endif
