/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run.h - one trajectory over time: methods, samples, breaks, outputs, restarts. */
#ifndef TQ_SIMULATE_RUN_H
#define TQ_SIMULATE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "core/integrate/ode.h"
#include "core/plant/plant.h"
#include "core/simulate/event.h"

typedef enum tq_run_method {
    TQ_RUN_DOPRI87,       /* adaptive, explicit, order 8: the default */
    TQ_RUN_DOPRI45,       /* adaptive, explicit, order 5 */
    TQ_RUN_SDIRK,         /* adaptive, implicit Runge-Kutta, order 5 */
    TQ_RUN_BDF,           /* adaptive, implicit, multistep */
    TQ_RUN_RK4,           /* steps of one size, order 4 */
    TQ_RUN_SEMI_IMPLICIT, /* steps of one size, order 1 */
    TQ_RUN_MIDPOINT, /* steps of one size, order 2, in coordinates and momenta: no energy drift;
                             robots without quaternions only */
    TQ_RUN_METHODS,
} tq_run_method;

/* Whether a method chooses its steps by rtol and atol, or takes `step`. */
int tq_run_is_adaptive(tq_run_method method);

typedef struct tq_run_options {
    tq_run_method method;
    double rtol, atol; /* adaptive: of q, qd and z; z may have its own, see tq_effect */
    double max_step;   /* s, adaptive; 0: none */
    double step;       /* s, the others: the largest; stretches between stops have equal ones */
    double end;        /* s: the last time that will be asked for */
    uint64_t max_evaluations; /* 0: no bound */

    /* What to look out for; joints with dry friction that is not smoothed stick and slip by
     * themselves. Nothing bounces under constraints. */
    const tq_event_rule *rules; /* (n_rule) */
    size_t n_rule;
    void (*on_event)(void *ctx, const tq_event *event); /* NULL: nobody wants to know */

    /* Called now and then between steps; not 0: stop here. NULL: never. */
    int (*tick)(void *ctx, double t);

    /* Called within tq_run_to at the end of every accepted step, at run->t. NULL: never. */
    void (*on_step)(void *ctx);

    /* Called within tq_run_to whenever the run has forgotten its past, as with `anew`: some hundred
     * steps after it did so last, whether this is there or not. tq_run_save may be called. */
    void (*on_rest)(void *ctx);
    void *ctx;
} tq_run_options;

/* Why a run went no further. */
typedef enum tq_run_end {
    TQ_RUN_GOES_ON = 0,
    TQ_RUN_EVENT,     /* an event that ends it */
    TQ_RUN_RUNAWAY,   /* a velocity above anything that is built: `joint` */
    TQ_RUN_TOO_SMALL, /* the step that the tolerance asks for is lost against t */
    TQ_RUN_REFUSED,   /* a state without accelerations, or an effect that gave up: `error`; or
                       * TQ_ERR_MEMORY */
    TQ_RUN_TOO_MUCH,  /* max_evaluations */
    TQ_RUN_STOPPED,   /* tick said so, or tq_scratch_work within a step */
} tq_run_end;

typedef struct tq_run_private tq_run_private;

/* Read by the caller, written by the functions below. Rows of one number (stride TQ_BLOCK_PAD, as
 * blocks of one sample). */
typedef struct tq_run {
    double t;                     /* s */
    const tq_trajectories *state; /* at t */
    tq_run_end end;
    uint32_t joint;   /* of the end, or TQ_NONE */
    tq_status status; /* why a rate was refused last */
    tq_error error;   /* and where */
    tq_ode_stats stats;
    tq_run_private *own;
} tq_run;

/**
 * Make a run ready.
 *
 * Memory   Lives in `scratch`, tq_run_scratch_size bytes, until it is closed.
 * Returns  TQ_OK; TQ_ERR_SCRATCH; TQ_ERR_SHAPE "n": too many states for an implicit method, or
 *          "joint" `index`: a quaternion, which TQ_RUN_MIDPOINT does not take, or "bounce" `index`:
 *          a rule that the plant does not take.
 * Checked  tests/property/core/simulate/test_run.c
 */
tq_status tq_run_open(const tq_plant *plant, const tq_run_options *options, tq_scratch *scratch,
                      tq_run **ret, tq_error *reterr);
size_t tq_run_scratch_size(const tq_plant *plant, const tq_run_options *options);
void tq_run_close(tq_run *run);

/* Puts the run at a state: q (nq), qd (nv), z (n_z; NULL: all 0), and samples every sampled effect
 * whose sample is due. The status is that of the first rate. */
tq_status tq_run_start(tq_run *run, double t, const double *q, const double *qd, const double *z);

/**
 * Go on to time t, unless the run ends before: then run->end says why, and run->t and run->state
 * are the last that mean something.
 *
 * Steps land on samples and breaks; outputs are told at the tolerance asked for. With `anew` the
 * method forgets the past at t: from there on the run depends on nothing but the state that
 * tq_run_save writes. Whether a run is saved or not, `anew` must be given at the same times, since
 * a multistep method starts small again.
 *
 * Returns  1: at t; 0: ended.
 */
int tq_run_to(tq_run *run, double t, int anew);

/* Rates, torques included, at run->t: after the samples and breaks of that time. */
tq_status tq_run_rates(tq_run *run, const tq_rates *ret, tq_error *reterr);

/* The state of a run that came to its time with `anew`, or is in on_rest, as bytes for another
 * process of this version: the same bits follow. tq_run_load: 0 when these bytes are of another
 * run. */
size_t tq_run_save_size(const tq_run *run);
void tq_run_save(const tq_run *run, unsigned char *ret);
int tq_run_load(tq_run *run, const unsigned char *bytes, size_t n);

#endif
