/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_private.h - what a run keeps between its steps: private to this folder. */
#ifndef TQ_SIMULATE_RUN_PRIVATE_H
#define TQ_SIMULATE_RUN_PRIVATE_H

#include "core/simulate/run.h"

enum { TQ_RUN_LANE = TQ_BLOCK_PAD }; /* one trajectory, in the smallest block */

/* A block of one sample that belongs to the run. */
typedef struct tq_run_block {
    tq_trajectories as;
    tq_rates rates;
} tq_run_block;

struct tq_run_private {
    tq_run run;
    const tq_plant *plant;
    const tq_model *model;
    tq_run_options options;
    tq_scratch *scratch; /* what is left of it: for evaluations */

    size_t n, n_z, n_held; /* n: q, qd and z one after another */
    double *y;             /* (n) at run.t */
    double *atol;          /* (n) */
    tq_run_block now;      /* y as a block, at run.t */
    tq_run_block inner;    /* where an integrator looks */

    tq_ode *ode;
    int fresh;     /* the ode has to be started at y */
    double h;      /* size of its next step */
    double *ahead; /* (n) where a multistep method is already, at `ahead_t` >= run.t */
    double ahead_t;
    double limit;        /* effects are asked for times before this one only */
    uint64_t *due;       /* (n_effect) number of the next sample */
    uint64_t n_eval;     /* of fixed steps */
    tq_ode_stats before; /* of the run that was loaded */
    uint64_t untold;     /* steps since the last tick */
    unsigned n_since;    /* steps since the run forgot its past */

    /* events */
    size_t n_watch;           /* rules, then joints; 0: nothing to look out for */
    signed char *mode;        /* (n_joint) NULL: no joint ever sticks or rests */
    signed char *fresh_stuck; /* (n_joint) not told yet */
    double *side;             /* (n_watch) where each was; 0: it does not count */
    double *gauge; /* (7 n_watch) at both ends of a step, within, and beside; slopes likewise */
    double *spare; /* (2 n) the end of a step while its inside is looked at; and a state beside */
    double *tau, *hold; /* (nv) blocks */
    int pending;        /* ahead is just after an event */
    int watched;        /* the first n_watch of gauge are those of ahead */
    unsigned chatter;   /* events that came at once */
    double last_event;
};

/* y (n) as rows of a block, and back. */
void tq_run_spread(const tq_run_private *p, const double *y, const tq_trajectories *to);
void tq_run_gather(const tq_run_private *p, const tq_trajectories *from, double *y);

/* The time at which effects are asked: up to a stop, what holds before it. */
double tq_run_before(const tq_run_private *p, double t);

/* Callbacks of the integrator, ctx = the run: 0, or 1 and run.status, run.error. */
int tq_run_ode_rate(void *ctx, double t, const double *y, double *ret_rate);
int tq_run_settle(void *ctx, double t, double *y);

/* Ends of a run; always 0. */
int tq_run_end_at(tq_run_private *p, tq_run_end why, uint32_t joint);
int tq_run_refuse(tq_run_private *p);

/* One step of one size from run.t and y. 0: refused. */
int tq_run_fixed(tq_run_private *p, double h, double *ret_y);

/* Whether dry friction may hold the joint: there is some, and it is not left out. */
int tq_run_sticks(const tq_plant *plant, uint32_t joint);

/* Events: modes and sides at the start; cuts the step from run.t to ahead where one happens; acts
 * on it once run.t is there. 0: the run has ended. */
int tq_run_watch_start(tq_run_private *p);
int tq_run_watch_step(tq_run_private *p);
int tq_run_watch_act(tq_run_private *p);

/* The sides of rules anew at run.t, where a step that went beyond is forgotten. 0: refused. */
int tq_run_watch_anew(tq_run_private *p);

/* Whether watcher k, or any, went over to the other side, in a direction that it looks at. */
int tq_run_has_passed(const tq_run_private *p, size_t k, double gauge);
int tq_run_any_passed(const tq_run_private *p, const double *gauge);

/* The state at t within the step from run.t, into ahead. 0: it cannot be reached. */
int tq_run_leap(tq_run_private *p, double t);

/* A level that is passed and passed back within the step to ahead: then the step ends in between,
 * and g_high (n_watch) is what it is there. g_low (n_watch) is overwritten. 0: refused. */
int tq_run_look_inside(tq_run_private *p, double *g_low, double *g_high);

/* What is left of all watchers at t and y until they change (n_watch), rules first, then joints;
 * the torques that hold go to p->hold. 0: the state has no rates. */
int tq_run_gauge(tq_run_private *p, double t, const double *y, double *ret);

/* rad/s or m/s: under constraints joints come to rest together, each as well as the event is
 * located */
#define TQ_RUN_REST_TOGETHER 1e-8

/* Whether friction or a limit holds a joint. */
int tq_run_holds(const tq_run_private *p);

static inline double tq_run_sign(double x)
{
    return (double)(x > 0.0) - (double)(x < 0.0);
}

static inline double tq_run_velocity(const tq_run_private *p, const double *y, uint32_t joint)
{
    return y[p->model->nq + p->model->joints[joint].v_index];
}

/* At run.t, of an event. 0: the run has ended.
 * bounce: the joint of the rule stops at its limit, or turns round.
 * rest: who is pushed onto a limit stays there; `stopped`: joints came to rest, and under
 * constraints others with them. Then resolve: who sticks and who slips. */
void tq_run_tell(const tq_run_private *p, tq_event_kind kind, uint32_t joint, uint32_t rule,
                 double value);
void tq_run_stop_joint(tq_run_private *p, uint32_t joint);
int tq_run_bounce(tq_run_private *p, const tq_event_rule *rule);
int tq_run_rest(tq_run_private *p, int stopped);
int tq_run_resolve(tq_run_private *p);

/* Stands at t with the state that p->ahead holds, and goes on with steps of h. */
void tq_run_restart(tq_run_private *p, double t, double h, const tq_ode_stats *before);

#endif
