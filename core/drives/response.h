/* SPDX-License-Identifier: Apache-2.0 */
/* core/drives/response.h - frequency responses of a drive and its loops: Bode data, margins. */
#ifndef TQ_DRIVES_RESPONSE_H
#define TQ_DRIVES_RESPONSE_H

#include <stdbool.h>

#include "core/drives/motor.h"

/* Input and output of a response. Speeds are the motor's. */
typedef enum tq_response {
    TQ_RESPONSE_SPEED,         /* rad/s of the motor for a volt */
    TQ_RESPONSE_SPEED_REDUCED, /* the same without inductance */
    TQ_RESPONSE_ADMITTANCE,    /* A for a volt, with the back-emf */
    TQ_RESPONSE_CURRENT_OPEN,  /* the current loop, open */
    TQ_RESPONSE_CURRENT,       /* current for a current set-point */
    TQ_RESPONSE_EMF,           /* A for a volt of external back-emf, loop closed */
    TQ_RESPONSE_VELOCITY_OPEN, /* the velocity loop, open */
    TQ_RESPONSE_VELOCITY,      /* speed for a speed set-point */
    TQ_RESPONSE_COUNT,
} tq_response;

/* A drive with its load. */
typedef struct tq_driven {
    const tq_drive *drive;
    tq_shaft load;
    bool locked; /* locked rotor: no back-emf */
} tq_driven;

/**
 * Value of a response at the angular frequency w, rad/s: real and imaginary part.
 *
 *     Y(s) = (J s + b) / ((L s + R)(J s + b) + K^2 (1 - c A(s)))       ampere for a volt
 *     A(s) = exp(-s/(2 f))  PWM,   1/(1 + s/(2 pi f))  linear;   1 without f
 *     current loop: (k_p + k_i/s) A Y around the current;  ideal (gains 0): its closed form is 1
 *     velocity loop: gain (1 + a T s)/(1 + T s) T_i K/(J s + b) / (1 + s T_tacho)
 *
 * J, b reflected to the motor; c the compensation. A closed velocity response is speed for the
 * reference, with the tachometer in the feedback path.
 *
 * Source   G. Franklin, J. Powell, A. Emami-Naeini, Feedback Control of Dynamic Systems, ch. 6.
 * Checked  tests/unit/core/drives/test_response.c, tests/golden/test_seeds_drives.c
 */
void tq_response_at(const tq_driven *driven, tq_response response, double w, double ret[2]);

/* Stability margins and bandwidth of a loop; absent values are INFINITY (margins, bandwidth) or 0
 * (crossings). */
typedef struct tq_loop_margins {
    double crossover;      /* rad/s where the open-loop gain falls through 1 */
    double phase_margin;   /* rad, the smallest of all crossovers */
    double phase_crossing; /* rad/s where the open-loop phase falls through -180 degrees */
    double gain_margin;    /* factor to instability, at the nearest such crossing */
    double bandwidth;      /* rad/s of the last crossing of the closed-loop gain through 1/sqrt 2 */
    double peak;           /* largest gain of the closed loop */
    double peak_at;        /* rad/s */
    double low_gain;       /* gain of the closed loop at 1e-3 rad/s */
} tq_loop_margins;

/**
 * Margins of the current loop or (`velocity`) the velocity loop, by a scan of 200 points a decade
 * from 1e-3 to 1e7 rad/s and bisection to the last bit.
 *
 * Cost     4,000 responses.
 * Checked  tests/unit/core/drives/test_response.c
 */
void tq_loop_margins_find(const tq_driven *driven, bool velocity, tq_loop_margins *ret);

/* Stability of the closed loop by the Nyquist criterion: winding of 1 + open loop around 0 along
 * the scan, the open loops having no unstable poles. For the velocity loop the inner current loop
 * must be stable too. */
bool tq_loop_is_stable(const tq_driven *driven, bool velocity);

#endif
