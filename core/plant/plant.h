/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/plant.h - the plant of a simulation: a robot, and all effects that act on it or
 * observe it. */
#ifndef TQ_PLANT_PLANT_H
#define TQ_PLANT_PLANT_H

#include <stddef.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/forward.h"
#include "core/model/mechanism.h"

struct tq_constraints;
struct tq_contacts;

/* One time and state of a block of trajectories, the input of an effect. Everything is borrowed for
 * the call. */
typedef struct tq_instant {
    double t; /* s */
    size_t n_sample, stride;
    const double *q, *qd;      /* (nq x stride), (nv x stride) */
    const double *z;           /* the effect's own auxiliary states (n_z x stride) */
    const double *held;        /* the effect's own held values (n_held x stride) */
    const double *tau;         /* observe: (nv x stride) of all effects; else NULL */
    const double *wrench;      /* observe: (6 n_wrench x stride) of all effects; else NULL */
    const double *qdd;         /* observe: (nv x stride); else NULL */
    const double *multipliers; /* observe, of a plant with constraints: (n_row x stride) */
} tq_instant;

/* Output of an effect's act. */
typedef struct tq_action {
    double *tau;    /* (nv x stride) sum of preceding effects: add to it, or replace it */
    double *wrench; /* (6 n_wrench x stride) likewise */
    double *zd;     /* (n_z x stride) rates of its own auxiliary states */
} tq_action;

/* Anything that acts on the robot or observes it: a torque table, a controller, drives, a
 * disturbance, an audit. Functions may be NULL. They may run on many threads at once, each with a
 * block of its own: state that changes along a trajectory is in z or held, never in ctx. Only
 * samples below n_sample must be written; the plant pads. A status other than TQ_OK ends the run.
 */
typedef struct tq_effect {
    void *ctx;
    size_t n_z;          /* auxiliary continuous states: currents, integrators, energies */
    const double *z_abs; /* (n_z) absolute tolerance of each; NULL: that of the solver */
    size_t n_held;       /* values that change only at samples */
    double sample_time;  /* s between samples: at 0, Ts, 2 Ts ...; 0: not sampled */
    size_t scratch_size; /* bytes: maximum scratch of any callback for TQ_BLOCK samples, released
                            on return */

    tq_status (*act)(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr);

    /* Rates of z that depend on the total torque, accelerations or constraint forces: power, work,
     * sensor signals. Called after every act; ret_zd holds the values written by the effect's own
     * act. */
    tq_status (*observe)(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_zd,
                         tq_error *reterr);

    /* Writes the held values at a sample; at->held are the previous ones (0 before the first). No
     * step crosses a sample. */
    tq_status (*sample)(void *ctx, const tq_instant *at, tq_scratch *scratch, double *ret_held,
                        tq_error *reterr);

    /* An impulse at a joint limit dissipated `loss` J: changes z (n_z x stride). */
    void (*impact)(void *ctx, size_t stride, double loss, double *z);

    /* Next time after t at which the effect is not smooth (INFINITY: none), and its order: 0 the
     * value jumps, 1 its first derivative, 2 its second ... Steps end there. */
    double (*next_break)(void *ctx, double t, unsigned *ret_order);

    int timeless; /* act and observe do not depend on t */
} tq_effect;

/* The plant. Borrowed. */
typedef struct tq_plant {
    const tq_mechanism *mechanism;
    const double *gravity; /* 3; NULL: the model's */
    unsigned without;      /* TQ_WITHOUT_... */

    /* effects in the order of evaluation: a controller before the drives that execute its commands,
     * an audit last */
    const tq_effect *effects;
    size_t n_effect;

    /* points at which effects apply wrenches: link, axes and point; rows are ignored */
    const tq_external_wrench *wrenches;
    size_t n_wrench;

    /* NULL: none. Otherwise accelerations are those of tq_constrained_forward */
    const struct tq_constraints *constraints;

    /* NULL: none. Otherwise steps are those of tq_contact_step: rates are without contact forces */
    const struct tq_contacts *contacts;
} tq_plant;

/* States of a block of trajectories, in the caller's memory. z and held: rows of all effects, in
 * order. */
typedef struct tq_trajectories {
    size_t n_sample, stride;
    double *q, *qd;          /* (nq x stride), (nv x stride) */
    double *z, *held;        /* (tq_plant_n_z x stride), (tq_plant_n_held x stride); NULL if 0 */
    const signed char *mode; /* (n_joint) TQ_MODE_... of each joint (core/plant/stiction.h), for
                                one sample; NULL: all free */
    const double *varied;    /* as in tq_forward_input, without constraints and modes; or NULL */
    const double *times;     /* (n_sample) s, if trajectories are at different times; NULL: all
                                at t */
} tq_trajectories;

/* Rates of a block of states, in the caller's memory; the same stride. */
typedef struct tq_rates {
    double *q;           /* (nq x stride) */
    double *qd;          /* (nv x stride), the accelerations */
    double *z;           /* (n_z x stride); NULL if 0 */
    double *tau;         /* (nv x stride) of all effects; NULL: not required */
    double *wrench;      /* (6 n_wrench x stride) of all effects; NULL: not required */
    double *hold;        /* ((nv + n_tendon) x stride) holding torques of the held joints, tensions
                            of the held tendons; NULL: not required */
    double *multipliers; /* (n_row x stride) of constraints; NULL: not required */
} tq_rates;

/* Number of auxiliary states, and of held values, of all effects. */
size_t tq_plant_n_z(const tq_plant *plant);
size_t tq_plant_n_held(const tq_plant *plant);

/**
 * Compute the rates of a block of states: the right-hand side of every integrator.
 *
 * Shapes   state: quaternions may deviate from unit length by an integrator's error; rates are
 *          those of the normalised ones. Padding up to the stride is computed too, except for a
 *          single trajectory.
 * Memory   tq_plant_scratch_size(plant, stride) bytes of `scratch`, all released.
 * Bits     A trajectory has the same bits alone and in any block, if the effects do.
 * Returns  TQ_OK, the status of tq_forward_dynamics or of an effect; index: the trajectory.
 *          TQ_ERR_STOPPED: cancelled by tq_scratch_work, as is every later call.
 * Cost     One evaluation of tq_forward_dynamics, and the effects.
 * Checked  tests/property/core/plant/test_plant.c
 */
tq_status tq_plant_rate(const tq_plant *plant, double t, const tq_trajectories *state,
                        tq_scratch *scratch, const tq_rates *ret, tq_error *reterr);
size_t tq_plant_scratch_size(const tq_plant *plant, size_t stride);

/* Projects a state after a step: quaternions to unit length; onto the constraints by the least
 * motion (tq_constraints_project, to 1e-10 and better). Memory as tq_plant_rate. */
tq_status tq_plant_project(const tq_plant *plant, const tq_trajectories *state, tq_scratch *scratch,
                           tq_error *reterr);

/* Samples effect k at time t: writes its held values in state->held. Memory as tq_plant_rate. */
tq_status tq_plant_sample(const tq_plant *plant, size_t k, double t, const tq_trajectories *state,
                          tq_scratch *scratch, tq_error *reterr);

/* Next time after t at which some effect is not smooth to the given order (a lower derivative
 * jumps), or INFINITY. ret_order: the lowest order that jumps there; may be NULL. */
double tq_plant_next_break(const tq_plant *plant, double t, unsigned order, unsigned *ret_order);

#endif
