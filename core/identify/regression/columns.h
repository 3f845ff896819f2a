/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/columns.h - what the fitted torque is a linear function of. */
#ifndef TQ_IDENTIFY_REGRESSION_COLUMNS_H
#define TQ_IDENTIFY_REGRESSION_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/regressor/regressor.h"
#include "core/identify/experiment.h"
#include "core/identify/regression/base.h"
#include "core/model/mechanism.h"

typedef enum tq_column_kind {
    TQ_COLUMN_PARAMETER, /* `parameter`; an inertial one stands for its base combination */
    TQ_COLUMN_INERTIA,   /* per joint: inertia seen by the joint, times its own qdd; kg m^2 or kg */
    TQ_COLUMN_GRAVITY,   /* per joint: constant torque, N m or N (instead of an offset) */
    TQ_COLUMN_COS,       /* per joint: times the cosine of the angle of `other`'s link, see below */
    TQ_COLUMN_SIN,
    TQ_COLUMN_STRIBECK,        /* extra torque at low speed, times s(qd) exp(-(qd/speed)^2) */
    TQ_COLUMN_LOAD,            /* friction by load: times s(qd) |torque of bodies|; no unit */
    TQ_COLUMN_COUPLED_ROTOR,   /* qdd of `other` in the row of `joint`, and the reverse */
    TQ_COLUMN_COUPLED_VISCOUS, /* qd, likewise */
    TQ_COLUMN_COUPLED_COULOMB, /* s(qd of joint + qd of other) in both rows */
} tq_column_kind;

/* One column. The angle of a cosine is the sum of the coordinates from `joint` to `other` and of
 * the joints before it whose axes are parallel, each with the sign of its axis: cos(q1 + q2) for
 * the second joint of a planar arm. */
typedef struct tq_column {
    tq_column_kind kind;
    tq_parameter parameter; /* of TQ_COLUMN_PARAMETER */
    uint32_t joint;         /* of the others, else TQ_NONE */
    uint32_t other;         /* of cosines and coupled joints, else TQ_NONE */
} tq_column;

typedef enum tq_fit_kind {
    TQ_FIT_BASE,      /* the whole arm: base parameters and joint terms */
    TQ_FIT_PER_JOINT, /* every joint by itself: inertia, gravity and joint terms */
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

/* Two joints whose motors drive through each other, as in many wrists. */
typedef struct tq_fit_coupling {
    uint32_t joint, other;
} tq_fit_coupling;

typedef struct tq_fit_model {
    tq_fit_kind kind;
    tq_fit_gravity gravity; /* TQ_FIT_PER_JOINT only */
    unsigned with;          /* TQ_REGRESS_...: terms of every joint of one freedom */
    unsigned extra;         /* TQ_FIT_STRIBECK, TQ_FIT_LOAD */
    double smoothing; /* s(v) = tanh(v / smoothing), rad/s or m/s; 0: sign; < 0: joints' own */
    /* rad or m, > 0: instead, s is the state of Dahl's friction along the way x of the joint,
     * ds/dx = (1 - s sign(v)) / presliding: where a joint turns back its gears yield before they
     * slip (P. Dahl, A solid friction model, Aerospace Corp. TOR-158, 1968) */
    double presliding;
    /* s, > 0: a joint that stands forgets s with this time: its gears and their grease creep, as
     * Maxwell's spring and damper in series do */
    double relaxation;
    double stribeck_speed;            /* rad/s or m/s; <= 0: joints' own, or searched */
    const tq_fit_coupling *couplings; /* (n_coupling) */
    size_t n_coupling;
} tq_fit_model;

#endif
