/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/columns.h - columns of the fitted torque. */
#ifndef TQ_IDENTIFY_REGRESSION_COLUMNS_H
#define TQ_IDENTIFY_REGRESSION_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/regressor/regressor.h"
#include "core/identify/regression/base.h"
#include "core/model/mechanism.h"
#include "core/signal/experiment.h"
#include "core/signal/rows.h"

typedef enum tq_column_kind {
    TQ_COLUMN_PARAMETER, /* `parameter`; an inertial one represents its base combination */
    TQ_COLUMN_INERTIA,   /* per joint: effective inertia times its own qdd; kg m^2 or kg */
    TQ_COLUMN_GRAVITY,   /* per joint: constant torque, N m or N (replaces an offset) */
    TQ_COLUMN_COS,       /* per joint: times the cosine of the angle of `other`'s link, see below */
    TQ_COLUMN_SIN,
    TQ_COLUMN_STRIBECK, /* extra torque at low speed, times s(qd) exp(-(qd/speed)^2) */
    TQ_COLUMN_LOAD,     /* load-dependent friction: times s(qd) |torque of bodies|;
                                  dimensionless */
    /* an unknown gain of the controller of which torque is made, less the present one: times -e,
     * -e' or -s */
    TQ_COLUMN_KP,
    TQ_COLUMN_KD,
    TQ_COLUMN_KI,
    TQ_COLUMN_COUPLED_ROTOR,   /* qdd of `other` in the row of `joint`, and the reverse */
    TQ_COLUMN_COUPLED_VISCOUS, /* qd, likewise */
    TQ_COLUMN_COUPLED_COULOMB, /* s(qd of joint + qd of other) in both rows */
} tq_column_kind;

/* One column of the fit. The angle of a cosine is the sum of the coordinates from `joint` to
 * `other` and of the preceding joints with parallel axes, each with the sign of its axis: cos(q1 +
 * q2) for the second joint of a planar arm. */
typedef struct tq_column {
    tq_column_kind kind;
    tq_parameter parameter; /* of TQ_COLUMN_PARAMETER */
    uint32_t joint;         /* of the others, else TQ_NONE */
    uint32_t other;         /* of cosines and coupled joints, else TQ_NONE */
    uint32_t gain;          /* of a gain: its index in the model's, else TQ_NONE */
} tq_column;

typedef enum tq_fit_kind {
    TQ_FIT_BASE,      /* the whole robot: base parameters and joint terms */
    TQ_FIT_PER_JOINT, /* every joint separately: inertia, gravity and joint terms */
} tq_fit_kind;

typedef enum tq_fit_gravity {
    TQ_FIT_GRAVITY_CONSTANT,
    TQ_FIT_GRAVITY_COS,
    TQ_FIT_GRAVITY_SIN_COS,
} tq_fit_gravity;

enum {
    TQ_FIT_STRIBECK = 1u << 0, /* joints with viscous friction also get TQ_COLUMN_STRIBECK */
    TQ_FIT_LOAD = 1u << 1,
};

/* Two joints whose motors are coupled, as in many wrists. */
typedef struct tq_fit_coupling {
    uint32_t joint, other;
} tq_fit_coupling;

typedef struct tq_fit_model {
    tq_fit_kind kind;
    tq_fit_gravity gravity; /* TQ_FIT_PER_JOINT only */
    unsigned with;          /* TQ_REGRESS_...: terms of every one-dof joint */
    unsigned extra;         /* TQ_FIT_STRIBECK, TQ_FIT_LOAD */
    unsigned added;         /* of these, what was not requested: 0 is as good a value as any */
    double smoothing; /* s(v) = tanh(v / smoothing), rad/s or m/s; 0: sign; < 0: joints' own */
    /* rad or m, > 0: s is instead the state of Dahl's friction model along the displacement x of
     * the joint, ds/dx = (1 - s sign(v)) / presliding: gears deform before they slip at a reversal
     * (P. Dahl, A solid friction model, Aerospace Corp. TOR-158, 1968) */
    double presliding;
    /* s, > 0: at standstill s decays with this time constant: creep of gears and grease, a Maxwell
     * element */
    double relaxation;
    double stribeck_speed; /* rad/s or m/s; <= 0: joints' own, or searched */
    /* (nv) rows of torque that are known; others give no equation, and joints in them have no
     * terms. NULL: all */
    const bool *row_is_used;
    const tq_fit_coupling *couplings; /* (n_coupling) */
    size_t n_coupling;
    const tq_unknown_gain *gains; /* (n_gain) borrowed; of their columns see TQ_COLUMN_KP */
    size_t n_gain;
} tq_fit_model;

/* True of a controller's gain. */
static inline bool tq_column_is_gain(tq_column_kind kind)
{
    return kind == TQ_COLUMN_KP || kind == TQ_COLUMN_KD || kind == TQ_COLUMN_KI;
}

#endif
