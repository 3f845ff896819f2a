/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/rollout_private.h - the state of a rollout: private to its two files. */
#ifndef TQ_IDENTIFY_VALIDATION_ROLLOUT_PRIVATE_H
#define TQ_IDENTIFY_VALIDATION_ROLLOUT_PRIVATE_H

#include "core/identify/regression/fit_private.h"
#include "core/identify/validation/rollout.h"

/* windows simulated in parallel */
enum { TQ_ROLLOUT_LANES = TQ_FOLD_RUN };

typedef struct tq_rollout_sums {
    size_t n;
    double square_q, square_qd, coasting, worst, worst_t;
} tq_rollout_sums;

struct tq_rollout {
    const tq_fit *fit;
    const double *value;
    tq_rollout_plan plan;
    tq_fit_run run;
    tq_scratch *scratch;

    /* ((n_step + 1) x n_kept x TQ_ROLLOUT_LANES): q, qd, tau of every step of every window; of one
     * that follows also qdd and friction rows */
    double *grid;
    size_t n_kept;
    double *between; /* (2 x n_kept x TQ_ROLLOUT_LANES) points between two of the recording */
    bool has_rows;   /* blocks have friction rows */
    tq_rollout_sink *sink;
    void *sink_ctx;
    double start[TQ_ROLLOUT_LANES];
    double last_start; /* of the last complete window */
    size_t n_lane;     /* complete windows */
    size_t n_point;    /* of the current window */
    size_t wait;       /* samples before the next point */
    double before;     /* time of the last sample; NaN: none */
    size_t n_window, n_lost;

    /* of the lanes: (nv x TQ_ROLLOUT_LANES), m (nv x nv x TQ_ROLLOUT_LANES) */
    double *q, *v, *q2, *v2, *k1, *k2, *rest, *bodies, *damping, *pull, *q_rate, *m;
    double *integral;            /* of q measured - q since the window's start */
    double *integral_before;     /* before the step at hand */
    double *gain;                /* (3 nv) kp, kd, ki of `feedback` */
    tq_feedback feedback;        /* of the plan, with the values of unknown gains */
    double *q_before, *v_before; /* of the step at hand */
    double *sign_before;         /* likewise */
    double *acceleration;        /* likewise, where it is watched; a step's own is damped */
    double *m_kept;              /* as m; only where a simulation is drawn to the recording */
    unsigned char lost[TQ_ROLLOUT_LANES];
    tq_rollout_sums *sums; /* (nv) */
};

/* Measured values at step k of all windows: q, qd, tau (nv x TQ_ROLLOUT_LANES); qdd, and friction
 * rows from ROWS on. */
enum { TQ_ROLLOUT_Q, TQ_ROLLOUT_QD, TQ_ROLLOUT_TAU, TQ_ROLLOUT_QDD, TQ_ROLLOUT_ROWS };
static inline double *tq_rollout_point(const tq_rollout *r, size_t k, unsigned what)
{
    return r->grid + (k * r->n_kept + what * r->fit->n_row) * TQ_ROLLOUT_LANES;
}

static inline size_t tq_rollout_parts(const tq_rollout_plan *plan)
{
    return plan->parts > 1 ? plan->parts : 1;
}

/* the simulation is drawn to the recording */
static inline bool tq_rollout_is_drawn(const tq_rollout_plan *plan)
{
    return plan->follow > 0.0 || plan->feedback != NULL;
}

/* Advances q and v of the first n lanes from step k to the next. Lanes whose M is not positive
 * definite are marked. */
tq_status tq_rollout_step(tq_rollout *r, size_t k, size_t n, tq_error *reterr);

/* Lanes that diverge, velocities `most` or more from those measured at point k or coordinates not
 * finite, are lost: they continue from measured values, so that the other lanes can be computed. */
void tq_rollout_rescue(tq_rollout *r, size_t k, size_t n, double most, double *q, double *v);

#endif
