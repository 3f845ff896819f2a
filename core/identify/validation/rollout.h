/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/rollout.h - rollout: forward simulation of a fitted model with the
 * recording's torque. */
#ifndef TQ_IDENTIFY_VALIDATION_ROLLOUT_H
#define TQ_IDENTIFY_VALIDATION_ROLLOUT_H

#include "core/identify/regression/fit.h"

/* Gains of the controller that moved the robot, borrowed: what it adds to the torque of a
 * recording where the simulation is elsewhere, kp (q - q_s) + kd (qd - qd_s) + ki int (q - q_s) dt
 * from the window's start on. With
 * tau = kp (q_c - q) + kd (qd_c - qd) the commanded motion need not be known, and noise of
 * position that the controller saw cancels: the sum is the controller's law at q_s. */
/* Gains that the model of the fit has as unknown are the present ones and the values fitted. */
typedef struct tq_feedback {
    const double *kp; /* (nv) N m/rad or N/m >= 0; by_mass: 1/s^2 */
    const double *kd; /* (nv) N m s/rad or N s/m >= 0; by_mass: 1/s */
    const double *ki; /* (nv) N m/(rad s) or N/(m s) >= 0; by_mass: 1/s^3; NULL: no integral */
    bool by_mass;     /* computed torque: the mass matrix times all */
} tq_feedback;

/* Windows of a recording. A window starts at a measured state and is simulated open loop with the
 * measured torque for n_step steps of `every` samples; the next window starts `skip` samples after
 * its end. An arm without its controller is unstable: only short windows are informative. */
typedef struct tq_rollout_plan {
    double period; /* of the samples, s, > 0; a time step above 1.5 periods ends a window */
    size_t every;  /* samples per step, >= 1 */
    size_t n_step; /* 1 .. TQ_ROLLOUT_STEPS_MAX */
    size_t skip;
    size_t overlap; /* points at the end of a window with which the next one begins, <= n_step;
                       0 with skip */
    size_t parts;   /* of a step, each integrated by itself, with measurements on a cubic between
                     points; 0: one */
    double follow;  /* rad/s; 0: open loop. The simulation follows the recording: it accelerates by
                      follow^2 and follow times the difference of coordinate and rate (damping of
                      one half) beside what the torque does */
    const tq_feedback *feedback; /* instead of `follow`: the recording's own controller; NULL: not
                                    known */
    bool has_friction; /* of a simulation that is watched: dry friction is that of the friction
                          rows of blocks, filtered as their torque, not of simulated rates */
} tq_rollout_plan;
enum { TQ_ROLLOUT_STEPS_MAX = 1024 };

/* Windows of about `horizon` seconds, with steps of about 4 ms or one sample if that is longer; as
 * many windows of a recording of `n_sample` samples as cost at most 16,384 steps. */
tq_rollout_plan tq_rollout_plan_for(double period, double horizon, size_t n_sample);

/* The step k of all windows: simulated state and acceleration, and what was measured there. Arrays
 * of (rows x TQ_FOLD_RUN), a column for each window; those measured stay until the last step. */
typedef struct tq_rollout_sample {
    size_t k, n;                  /* of the step; windows */
    const double *q, *qd, *qdd;   /* (nv rows) simulated */
    const double *sign;           /* (nv rows) of dry friction at qd */
    tq_experiment_block measured; /* q, qd, qdd, tau; friction_rows where pushed blocks have
                                          them */
    const double *integral;       /* (nv rows) of q measured - q since the window's start */
    const unsigned char *lost;    /* (n) 1: the window has diverged */
} tq_rollout_sample;
typedef tq_status tq_rollout_sink(void *ctx, const tq_rollout_sample *sample, tq_error *reterr);

/* One joint over all windows. Errors are simulated minus measured, at every step of a window. */
typedef struct tq_rollout_error {
    size_t n;          /* number of steps compared */
    double rmse_q;     /* rad or m */
    double rmse_qd;    /* rad/s or m/s */
    double coasting_q; /* rms error of a constant-velocity prediction, the reference without a
                          model */
    double worst;      /* largest |error of q| */
    double worst_t;    /* start time of its window, s */
} tq_rollout_error;

typedef struct tq_rollout tq_rollout;

/* True if coordinates are integrals of velocities: every joint has at most one dof. */
bool tq_rollout_can(const tq_fit *fit);

/**
 * Begin a rollout with the values (n_column, borrowed) of a fit; push a recording's blocks in
 * order; end it.
 *
 * Friction has its smoothed sign, or one of 1e-3 if it has none: a friction state
 * (presliding) is not simulated. Load-dependent friction uses the static load.
 *
 * Memory   begin takes tq_rollout_size(fit, plan) bytes of `scratch` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_SHAPE "nv" (not tq_rollout_can), TQ_ERR_RANGE "plan", TQ_ERR_SCRATCH.
 * Cost     A step: 2 (nv + 1) regressors and 2 factorisations.
 * Source   J. G. Verwer, E. J. Spee, J. G. Blom, W. Hundsdorfer, A second-order Rosenbrock method
 *          applied to photochemical dispersion problems, SIAM J. Sci. Comput. 20(4), 1999: of
 *          second order for any matrix; here the matrix is the slope of friction.
 * Checked  tests/property/core/identify/validation/test_rollout.c
 */
tq_status tq_rollout_begin(const tq_fit *fit, const double *value, const tq_rollout_plan *plan,
                           tq_scratch *scratch, tq_rollout **ret_replay, tq_error *reterr);
size_t tq_rollout_size(const tq_fit *fit, const tq_rollout_plan *plan);

/* With `follow` or `feedback`: every step is passed to `sink`; its failures end the push. */
void tq_rollout_watch(tq_rollout *replay, tq_rollout_sink *sink, void *ctx);

/* Feedback of the plan, unknown gains being the present ones and the values. NULL: none. */
const tq_feedback *tq_rollout_feedback(const tq_rollout *replay);

/* t: (n_sample) s. */
tq_status tq_rollout_push(tq_rollout *replay, const tq_experiment_block *block, const double *t,
                          tq_error *reterr);
tq_status tq_rollout_end(tq_rollout *replay, tq_error *reterr);

/* Errors of row `row`; *ret windows simulated, and diverged (steps before the divergence are
 * included).
 */
tq_rollout_error tq_rollout_of(const tq_rollout *replay, size_t row);
size_t tq_rollout_windows(const tq_rollout *replay, size_t *ret_n_lost);

/* Merges the steps of another recording. */
void tq_rollout_add(tq_rollout_error *all, const tq_rollout_error *other);

/* Error of a rollout over that of a constant-velocity prediction; NaN: the joint moved less than a
 * hundredth of a milliradian. */
double tq_rollout_drift(const tq_rollout_error *joint);

#endif
