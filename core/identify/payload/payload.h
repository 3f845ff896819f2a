/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/payload.h - the body that a robot of known parameters carries, from motion
 * or from poses. */
#ifndef TQ_IDENTIFY_PAYLOAD_PAYLOAD_H
#define TQ_IDENTIFY_PAYLOAD_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/identify/regression/fit.h"
#include "core/model/model.h"
#include "core/signal/experiment.h"

enum { TQ_PAYLOAD_TEN = 10, TQ_PAYLOAD_FRICTIONS = 3 };

/* Friction of each joint that is fitted together with the payload, as changes from the model's. */
enum {
    TQ_PAYLOAD_VISCOUS = 1u << 0,
    TQ_PAYLOAD_COULOMB = 1u << 1,
    TQ_PAYLOAD_OFFSET = 1u << 2,
};

typedef enum tq_payload_source {
    TQ_PAYLOAD_AUTO,   /* motion if joints move in at least 1 of 20 samples, else poses */
    TQ_PAYLOAD_MOTION, /* all ten parameters */
    TQ_PAYLOAD_POSES,  /* mass and centre of mass: data at rest contain no inertia */
} tq_payload_source;

typedef struct tq_payload_plan {
    uint32_t link;      /* the carrying link; a joint must move it */
    size_t n_recording; /* > 0 */
    unsigned friction;  /* TQ_PAYLOAD_VISCOUS ...: fitted with motion only */
    double confidence;  /* confidence level of the intervals, in (0, 1) */
    tq_payload_source source;
} tq_payload_plan;

typedef struct tq_payload tq_payload;

/* The link with the most moving joints before it, TQ_NONE without joints; true if a joint moves it.
 */
uint32_t tq_payload_last_link(const tq_model *model);
bool tq_payload_is_moved(const tq_model *model, uint32_t link);

/* Options of the fit for tq_payload_begin: they name the columns, and the friction regressors that
 * blocks must contain. */
tq_fit_options tq_payload_fit_options(const tq_model *model);

/**
 * Begin; then for each recording: next, its blocks, end; then solve.
 *
 *     tau - model(q, qd, qdd) = Y(q, qd, qdd) (p + k) + friction,   p = 0 if nothing is carried
 *
 * Y the carrier's ten columns, p the payload's parameters. k, the model's own error at the carrier,
 * is fitted only if there are recordings without payload. Samples of a joint slower than 0.01 rad/s
 * or m/s are left out of its row: at rest any torque within the friction band is possible.
 *
 * Memory   begin takes tq_payload_size(fit, plan) bytes of `memory` until the caller rewinds it.
 *          The fit (one experiment, tq_payload_fit_options) must live as long.
 * Returns  TQ_OK; TQ_ERR_RANGE "link": no joint moves it; TQ_ERR_SCRATCH; push and end: statuses of
 *          the regressor.
 * Cost     A regressor and 200 flops for each row of every sample.
 * Source   J. Swevers, W. Verdonck, J. De Schutter, Dynamic model identification for industrial
 *          robots, IEEE Control Systems 27(5), 2007; W. Khalil, M. Gautier, P. Lemoine,
 *          Identification of the payload inertial parameters of industrial manipulators, ICRA 2007.
 * Checked  tests/contract/test_payload.py
 */
tq_status tq_payload_begin(const tq_fit *fit, const tq_payload_plan *plan, tq_scratch *memory,
                           tq_payload **ret_payload, tq_error *reterr);
size_t tq_payload_size(const tq_fit *fit, const tq_payload_plan *plan);
/* Starts a recording of about n_sample samples, `period` s apart. `carries` false: the robot
 * carries no payload in this recording. */
tq_status tq_payload_next(tq_payload *payload, size_t n_sample, double period, bool carries,
                          tq_error *reterr);
/* t: (n_sample) s. */
tq_status tq_payload_push(tq_payload *payload, const tq_experiment_block *block, const double *t,
                          tq_error *reterr);
tq_status tq_payload_end(tq_payload *payload, tq_error *reterr);

/* NaN: not identifiable from these data. */
typedef struct tq_payload_number {
    double value, deviation, low, high;
} tq_payload_number;

typedef enum tq_payload_state {
    TQ_PAYLOAD_FOUND,
    TQ_PAYLOAD_NONE, /* 0 kg lies within the interval of the mass */
    TQ_PAYLOAD_LESS, /* a negative mass: the robot carries less than its model assumes */
    TQ_PAYLOAD_OPEN, /* the mass is not identifiable from these data */
} tq_payload_state;

typedef struct tq_payload_result {
    tq_payload_state state;
    bool from_poses;
    size_t n_sample, n_pose, n_segment;
    double freedom; /* degrees of freedom of the intervals */
    /* The ten parameters about the carrier's origin, in its frame, in the order of
     * tq_parameter_kind: the unconstrained estimate. kg, kg m, kg m^2. */
    tq_payload_number ten[TQ_PAYLOAD_TEN];
    /* Mass, kg; centre of mass in the carrier's frame, m; inertia tensor about it, along the
     * carrier's axes, xx xy xz yy yz zz, kg m^2. With TQ_PAYLOAD_FOUND values are those of `body`;
     * intervals are those of the unconstrained estimate, cut to what a body of positive density can
     * have. */
    tq_payload_number mass, com[3], inertia[6];
    tq_inertia body; /* positive density; with TQ_PAYLOAD_FOUND */
    bool is_whole;   /* the data determine all of `body`; false: a compact body supplies the rest */
    double *without,
        *with;        /* (nv) rms residual of the recordings with payload, N m or N; NaN: none */
    double *friction; /* (nv x 3) changes of viscous, Coulomb, offset; NaN: not fitted */
} tq_payload_result;

/**
 * Solve. Intervals are by the jackknife over segments of time (Student's t); from poses by the
 * width of each joint's friction band, or by the residual if that is larger.
 *
 * Memory   ret_result's arrays are in the payload's memory.
 * Returns  TQ_OK; TQ_ERR_SHAPE "samples": motion: no joint moves, poses: fewer than five; the
 *          statuses of tq_feasible_solve.
 */
tq_status tq_payload_solve(tq_payload *payload, tq_payload_result *ret_result, tq_error *reterr);

#endif
