/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/disturbance.h - disturbances: torques and wrenches over time, as effects. */
#ifndef TQ_PLANT_DISTURBANCE_H
#define TQ_PLANT_DISTURBANCE_H

#include <stdbool.h>

#include "core/motion/table.h"
#include "core/plant/plant.h"

typedef enum tq_signal {
    TQ_SIGNAL_PULSE, /* `size` from `start` for `duration` */
    TQ_SIGNAL_SINE,  /* size sin(2 pi frequency (t - start) + phase), from `start` for `duration` */
    TQ_SIGNAL_NOISE, /* white noise: normal numbers of standard deviation `size`, each held for
                        `interval`: one-sided density 2 size^2 interval at low frequency */
    TQ_SIGNAL_TABLE, /* rows of a table over time */
} tq_signal;

/* Acts on all joints (nv rows of torque), or at one point (6 rows: force, moment). Borrows
 * everything it points to. */
typedef struct tq_disturbance {
    tq_signal signal;
    const tq_mechanism *mechanism;
    bool is_wrench;
    size_t place;           /* of a wrench: index of the plant's wrench to which it is added */
    const double *size;     /* (rows) amplitude of each row; unused for tables */
    double start, duration; /* s; duration INFINITY: without end */
    double frequency;       /* Hz, SINE */
    double phase;           /* rad, SINE */
    double interval;        /* s, NOISE, > 0 */
    uint64_t seed;          /* NOISE: each row has its own stream */
    tq_table *table;        /* TABLE: n_coordinate = rows */
} tq_disturbance;

/**
 * Create the effect of a disturbance. Steps end at its jumps; noise is drawn at samples.
 *
 * Memory   The effect borrows the disturbance, its ctx.
 * Returns  TQ_OK; TQ_ERR_RANGE "interval", "duration", "frequency" not above 0; TQ_ERR_SHAPE
 *          "table" of another width.
 * Cost     O(rows) an evaluation.
 * Checked  tests/property/core/plant/test_disturbance.c
 */
tq_status tq_disturbance_effect(tq_disturbance *disturbance, tq_effect *ret_effect,
                                tq_error *reterr);

#endif
