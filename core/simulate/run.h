/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run.h - simulation of one trajectory over time: methods, samples, discontinuities,
 * outputs, checkpoints. */
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
    TQ_RUN_RK4,           /* fixed steps, order 4 */
    TQ_RUN_SEMI_IMPLICIT, /* fixed steps, order 1 */
    TQ_RUN_MIDPOINT,      /* fixed steps, order 2, symplectic (coordinates and momenta): no energy
                        drift; robots without quaternions only */
    TQ_RUN_MOREAU, /* fixed steps cut at impacts: plants with contacts; all before it: without */
    TQ_RUN_METHODS,
} tq_run_method;

/* True if a method controls its steps by rtol and atol, false if it uses `step`. */
int tq_run_is_adaptive(tq_run_method method);

typedef struct tq_run_options {
    tq_run_method method;
    double rtol, atol;        /* adaptive: for q, qd and z; z may have its own, see tq_effect */
    double max_step;          /* s, adaptive; 0: none */
    double step;              /* s, fixed-step methods: maximum; intervals between stops have equal
                          steps */
    double end;               /* s; the last time that will be requested */
    uint64_t max_evaluations; /* 0: unlimited */

    /* Events to detect; joints with dry friction without smoothing stick and slip automatically.
     * Under constraints nothing bounces. */
    const tq_event_rule *rules; /* (n_rule) */
    size_t n_rule;
    void (*on_event)(void *ctx, const tq_event *event); /* NULL: events are not reported */

    /* Called about every TICK_STEPS steps; a non-zero result stops the run. NULL: never. */
    int (*tick)(void *ctx, double t);

    /* Called within tq_run_to at the end of every accepted step, at run->t. NULL: never. */
    void (*on_step)(void *ctx);

    /* Called within tq_run_to after each restart of the method without history (as with `anew`),
     * some hundred steps apart; restarts happen with or without this callback. tq_run_save is
     * allowed. */
    void (*on_rest)(void *ctx);
    void *ctx;
} tq_run_options;

/* Reason for the end of a run. */
typedef enum tq_run_end {
    TQ_RUN_GOES_ON = 0,
    TQ_RUN_EVENT,     /* an event with TQ_EVENT_STOP */
    TQ_RUN_RUNAWAY,   /* a velocity above any physical one: `joint` */
    TQ_RUN_TOO_SMALL, /* the step required by the tolerance underflows relative to t */
    TQ_RUN_REFUSED,   /* accelerations are undefined at this state, or an effect failed: `error`; or
                         TQ_ERR_MEMORY */
    TQ_RUN_TOO_MUCH,  /* max_evaluations was reached */
    TQ_RUN_STOPPED,   /* cancelled by tick, or by tq_scratch_work within a step */
} tq_run_end;

typedef struct tq_run_private tq_run_private;

/* Read by the caller, written by the functions below. Rows of one sample (stride TQ_BLOCK_PAD). */
typedef struct tq_run {
    double t;                     /* s */
    const tq_trajectories *state; /* at t */
    tq_run_end end;
    uint32_t joint;   /* the joint of `end`, or TQ_NONE */
    tq_status status; /* of the last rate that failed */
    tq_error error;   /* location of that error */
    tq_ode_stats stats;
    tq_run_private *own;
} tq_run;

/**
 * Open a run.
 *
 * Memory   In `scratch`, tq_run_scratch_size bytes, until it is closed.
 * Returns  TQ_OK; TQ_ERR_SCRATCH; TQ_ERR_SHAPE "n": too many states for an implicit method, or
 *          "joint" `index`: a quaternion, which TQ_RUN_MIDPOINT excludes, or "bounce" `index`:
 *          a rule that the plant excludes.
 * Checked  tests/property/core/simulate/test_run.c
 */
tq_status tq_run_open(const tq_plant *plant, const tq_run_options *options, tq_scratch *scratch,
                      tq_run **ret, tq_error *reterr);
size_t tq_run_scratch_size(const tq_plant *plant, const tq_run_options *options);
void tq_run_close(tq_run *run);

/* Sets the initial state: q (nq), qd (nv), z (n_z; NULL: 0), and samples every sampled effect whose
 * sample is due. The status is that of the first rate. */
tq_status tq_run_start(tq_run *run, double t, const double *q, const double *qd, const double *z);

/**
 * Integrate to time t, unless the run ends before: then run->end is the reason, and run->t and
 * run->state are the last valid ones.
 *
 * Steps end exactly at samples and breaks; outputs have the requested tolerance. With `anew` the
 * method restarts at t without history: from there on the run depends only on the state that
 * tq_run_save writes. A run has the same bits only if `anew` is set at the same times, whether it
 * is saved or not, since a multistep method restarts with small steps.
 *
 * Returns  1: at t; 0: ended.
 */
int tq_run_to(tq_run *run, double t, int anew);

/* Rates, torques included, at run->t: after the samples and breaks of that time. */
tq_status tq_run_rates(tq_run *run, const tq_rates *ret, tq_error *reterr);

/* Checkpoint of a run at a time reached with `anew`, or in on_rest, as bytes for another process of
 * this version: the continuation has the same bits. tq_run_load: 0 if the bytes are of another run.
 */
size_t tq_run_save_size(const tq_run *run);
void tq_run_save(const tq_run *run, unsigned char *ret);
int tq_run_load(tq_run *run, const unsigned char *bytes, size_t n);

#endif
