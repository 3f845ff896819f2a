/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_private.h - state of a run between steps: private to this folder. */
#ifndef TQ_SIMULATE_RUN_PRIVATE_H
#define TQ_SIMULATE_RUN_PRIVATE_H

#include "core/dynamics/passive/tendons.h"
#include "core/simulate/run.h"

enum { TQ_RUN_LANE = TQ_BLOCK_PAD }; /* one trajectory, in the smallest block */

/* A block of one sample owned by the run. */
typedef struct tq_run_block {
    tq_trajectories as;
    tq_rates rates;
} tq_run_block;

struct tq_run_private {
    tq_run run;
    const tq_plant *plant;
    const tq_model *model;
    tq_run_options options;
    tq_scratch *scratch; /* remainder, for evaluations */

    size_t n, n_z, n_held; /* n: q, qd and z one after another */
    double *y;             /* (n) at run.t */
    double *atol;          /* (n) */
    tq_run_block now;      /* y as a block, at run.t */
    tq_run_block inner;    /* block of the integrator's evaluations */

    tq_ode *ode;
    int fresh;     /* the integrator must be restarted at y */
    double h;      /* size of its next step */
    double *ahead; /* (n) end of the integrator's last step, at `ahead_t` >= run.t */
    double ahead_t;
    double limit;        /* effects are evaluated for times before this one only */
    uint64_t *due;       /* (n_effect) number of the next sample */
    uint64_t n_eval;     /* evaluations by fixed steps */
    tq_ode_stats before; /* counts of the run that was loaded */
    uint64_t untold;     /* steps since the last call of tick */
    unsigned n_since;    /* steps since the last restart without history */

    /* events */
    size_t n_watch;           /* rules, then joints, then tendons; 0: no events */
    signed char *mode;        /* (n_joint + n_tendon) NULL: none ever sticks or rests */
    signed char *fresh_stuck; /* (n_joint + n_tendon) not reported yet */
    double *side;             /* (n_watch) sign of each event function; 0: inactive */
    double *gauge; /* (7 n_watch) event functions at both ends of a step, inside, and at a
                      displaced state; then slopes */
    double *spare; /* (2 n) the end of a step during a search inside it, and a displaced state */
    double *tau, *hold; /* (nv), (nv + n_tendon) blocks */
    int pending;        /* `ahead` is the state just after an event */
    int watched;        /* the first n_watch entries of `gauge` are valid at `ahead` */
    unsigned chatter;   /* number of events at the same time */
    double last_event;
};

/* y (n) to the rows of a block, and from them. */
void tq_run_spread(const tq_run_private *p, const double *y, const tq_trajectories *to);
void tq_run_gather(const tq_run_private *p, const tq_trajectories *from, double *y);

/* Time at which effects are evaluated: just before a stop, so that they have their values before
 * it. */
double tq_run_before(const tq_run_private *p, double t);

/* Callbacks of the integrator, ctx = the run: 0, or 1 with run.status and run.error. */
int tq_run_ode_rate(void *ctx, double t, const double *y, double *ret_rate);
int tq_run_project(void *ctx, double t, double *y);

/* End a run; always 0. */
int tq_run_end_at(tq_run_private *p, tq_run_end why, uint32_t joint);
int tq_run_refuse(tq_run_private *p);

/* One fixed step from run.t and y. 0: failed. */
int tq_run_fixed(tq_run_private *p, double h, double *ret_y);

/* True if dry friction may hold joint `which`, or behind the joints a tendon: it has dry friction,
 * and the plant does not omit it. Tendons slip under constraints and contacts. */
int tq_run_sticks(const tq_plant *plant, uint32_t which);

/* The number of joints and tendons. */
static inline uint32_t tq_run_stickers(const tq_model *model)
{
    return model->n_joint + model->n_tendon;
}

/* Events: modes and sides at the start; cuts the step from run.t to ahead at the first event; acts
 * on it when run.t is there. 0: the run has ended. */
int tq_run_watch_start(tq_run_private *p);
int tq_run_watch_step(tq_run_private *p);
int tq_run_watch_act(tq_run_private *p);

/* Renews the sides of rules at run.t when a step that went beyond is discarded. 0: failed. */
int tq_run_watch_anew(tq_run_private *p);

/* True if any event function changed sign in a watched direction. */
int tq_run_any_passed(const tq_run_private *p, const double *gauge);

/* The state at time t within the step from run.t, into ahead. 0: not reachable. */
int tq_run_leap(tq_run_private *p, double t);

/* Double crossing within the step to ahead: the step then ends between both crossings, and g_high
 * (n_watch) are the event functions there. g_low (n_watch) is overwritten. 0: failed. */
int tq_run_look_inside(tq_run_private *p, double *g_low, double *g_high);

/* All event functions at t and y (n_watch), rules, then joints; holding torques go to p->hold. 0:
 * rates are undefined. */
int tq_run_gauge(tq_run_private *p, double t, const double *y, double *ret);

/* rad/s or m/s: under constraints joints come to rest together, each within the accuracy of the
 * event's location */
#define TQ_RUN_REST_TOGETHER 1e-8

/* True if friction or a limit holds a joint. */
int tq_run_holds(const tq_run_private *p);

static inline double tq_run_sign(double x)
{
    return (double)(x > 0.0) - (double)(x < 0.0);
}

/* of a joint, or the rate of a tendon's length */
static inline double tq_run_velocity(const tq_run_private *p, const double *y, uint32_t which)
{
    const tq_model *model = p->model;
    return which < model->n_joint ? y[model->nq + model->joints[which].v_index]
                                  : tq_tendon_rate(model, &model->tendons[which - model->n_joint],
                                                   1, y, y + model->nq);
}

/* what holds it */
static inline double tq_run_hold(const tq_run_private *p, uint32_t which)
{
    const tq_model *model = p->model;
    const size_t row = which < model->n_joint ? model->joints[which].v_index
                                              : model->nv + (size_t)(which - model->n_joint);
    return p->hold[row * TQ_RUN_LANE];
}

static inline const tq_friction *tq_run_friction(const tq_run_private *p, uint32_t which)
{
    const tq_model *model = p->model;
    return which < model->n_joint ? &model->joints[which].friction
                                  : &model->tendons[which - model->n_joint].friction;
}

/* Actions of an event at run.t. 0: the run has ended. bounce: the joint of the rule stops at its
 * limit, or reverses. rest: a joint that is pushed onto a limit stays there; `stopped`: joints came
 * to rest, under constraints together with others. resolve: determines which joints stick and which
 * slip. */
void tq_run_tell(const tq_run_private *p, tq_event_kind kind, uint32_t which, uint32_t rule,
                 double value);
int tq_run_stop_joint(tq_run_private *p, uint32_t joint);
int tq_run_stop_tendon(tq_run_private *p, uint32_t which); /* behind the joints */
int tq_run_bounce(tq_run_private *p, const tq_event_rule *rule);
int tq_run_rest(tq_run_private *p, int stopped);
int tq_run_resolve(tq_run_private *p);

/* Continues at t with the state in p->ahead, and steps of h. */
void tq_run_restart(tq_run_private *p, double t, double h, const tq_ode_stats *before);

#endif
