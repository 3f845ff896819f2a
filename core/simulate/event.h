/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/event.h - events of a run: conditions and actions. */
#ifndef TQ_SIMULATE_EVENT_H
#define TQ_SIMULATE_EVENT_H

#include <stdint.h>

typedef enum tq_event_kind {
    TQ_EVENT_LOWER,   /* joint `joint` falls below `level` */
    TQ_EVENT_UPPER,   /* rises above */
    TQ_EVENT_Q,       /* row `row` of q crosses `level` */
    TQ_EVENT_QD,      /* of qd */
    TQ_EVENT_TAU,     /* of the total torque of all effects */
    TQ_EVENT_KINETIC, /* kinetic energy, J */
    TQ_EVENT_ENERGY,  /* kinetic and potential energy, J */
    TQ_EVENT_STICK,   /* reported only: dry friction holds joint `joint` from now on (stiction) */
    TQ_EVENT_SLIP,    /* reported only: the joint breaks away */
    TQ_EVENT_REST,    /* reported only: the joint comes to rest on its limit */
    TQ_EVENT_LEAVE,   /* reported only: the joint leaves its limit */
    TQ_EVENT_TOUCH,   /* reported only: pair `rule` of the plant's contacts closes */
    TQ_EVENT_LIFT,    /* reported only: it opens */
} tq_event_kind;

typedef enum tq_event_action {
    TQ_EVENT_REPORT, /* reports it and continues */
    TQ_EVENT_STOP,   /* the run ends there */
    TQ_EVENT_BOUNCE, /* limits only: an impulse reverses the joint's velocity times
                        `restitution`; below a minimum speed the joint rests on the limit */
} tq_event_action;

/* One condition. LOWER, UPPER and BOUNCE apply to one-dof joints. */
typedef struct tq_event_rule {
    tq_event_kind kind;
    tq_event_action action;
    uint32_t joint, row;
    double level;
    int direction;      /* 1: rising, -1: falling, 0: both; LOWER and UPPER have their own */
    double restitution; /* 0 .. 1 */
} tq_event_rule;

/* One event that has happened. */
typedef struct tq_event {
    double t;
    tq_event_kind kind;
    uint32_t joint;  /* or TQ_NONE */
    uint32_t rule;   /* or TQ_NONE: dry friction; of contacts, the pair */
    uint32_t tendon; /* or TQ_NONE: STICK and SLIP of a tendon */
    double value;    /* limits: the velocity on arrival; SLIP, STICK: the holding torque, N m or N;
                     TOUCH: the speed of approach, m/s; LIFT: 0; others: the quantity that crossed
                       its level */
} tq_event;

enum { TQ_EVENT_RULES_MAX = 4096 };

#endif
