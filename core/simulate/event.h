/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/event.h - what a run looks out for, and what it does then. */
#ifndef TQ_SIMULATE_EVENT_H
#define TQ_SIMULATE_EVENT_H

#include <stdint.h>

typedef enum tq_event_kind {
    TQ_EVENT_LOWER,   /* joint `joint` goes below `level` */
    TQ_EVENT_UPPER,   /* above */
    TQ_EVENT_Q,       /* row `row` of q passes `level` */
    TQ_EVENT_QD,      /* of qd */
    TQ_EVENT_TAU,     /* of the torques of all effects */
    TQ_EVENT_KINETIC, /* kinetic energy, J */
    TQ_EVENT_ENERGY,  /* kinetic and potential energy, J */
    TQ_EVENT_STICK,   /* told only: dry friction holds joint `joint` from now on */
    TQ_EVENT_SLIP,    /* told only: it does not hold it any more */
    TQ_EVENT_REST,    /* told only: the joint lies on its limit */
    TQ_EVENT_LEAVE,   /* told only: it leaves its limit */
} tq_event_kind;

typedef enum tq_event_action {
    TQ_EVENT_REPORT, /* tell it and go on */
    TQ_EVENT_STOP,   /* the run ends there */
    TQ_EVENT_BOUNCE, /* limits only: the joint's velocity turns round by an impulse, times
                        `restitution`; what bounces no more rests on the limit */
} tq_event_action;

/* One thing to look out for. LOWER, UPPER and BOUNCE are for joints of one freedom. */
typedef struct tq_event_rule {
    tq_event_kind kind;
    tq_event_action action;
    uint32_t joint, row;
    double level;
    int direction;      /* 1: upwards, -1: downwards, 0: both; LOWER and UPPER have their own */
    double restitution; /* 0 .. 1 */
} tq_event_rule;

/* One event, told when it has happened. */
typedef struct tq_event {
    double t;
    tq_event_kind kind;
    uint32_t joint; /* or TQ_NONE */
    uint32_t rule;  /* or TQ_NONE: dry friction */
    double value; /* limits: the velocity that arrives; SLIP, STICK: what holds, N m or N; else what
                       passed its level */
} tq_event;

enum { TQ_EVENT_RULES_MAX = 4096 };

#endif
