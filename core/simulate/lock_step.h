/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/lock_step.h - a run in control periods: the caller sets the torque of each period,
 * and reads states and sensors; earlier states can be restored. */
#ifndef TQ_SIMULATE_LOCK_STEP_H
#define TQ_SIMULATE_LOCK_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "core/simulate/run.h"

/* Torque that is held until the next write (zero-order hold). */
typedef struct tq_held_torque {
    size_t nv;
    double *tau; /* (nv) N m or N */
} tq_held_torque;

/* The effect that adds it; it borrows `held`, its ctx. */
tq_effect tq_held_torque_effect(tq_held_torque *held);

typedef enum tq_sensor_kind {
    TQ_SENSOR_Q,   /* coordinates */
    TQ_SENSOR_QD,  /* velocities */
    TQ_SENSOR_TAU, /* torque that acted during the period before the reading; at the start 0 */
    TQ_SENSORS,
} tq_sensor_kind;

/* A sensor. With x(k) the true value at step k, and n(k) independent standard normal numbers:
 *
 *     y(k) = r floor((x(max(k - delay, 0)) + noise n(k)) / r + 1/2)
 *
 * n(k) depends on seed, row and k only. Noise of a joint with quaternions is a rotation and a
 * translation in its own axes; such a joint has no resolution. Borrows everything it points to. */
typedef struct tq_sensor {
    const double *noise;      /* (nv) standard deviation, >= 0; NULL: none */
    const double *resolution; /* (nv) r, 0: none; NULL: none */
    uint32_t delay;           /* periods */
} tq_sensor;

/* Borrows everything it points to. */
typedef struct tq_lock_step_options {
    double period;           /* s, > 0 */
    size_t history;          /* steps back that tq_lock_step_rewind reaches */
    const double *limit;     /* (nv) largest torque, > 0 or INFINITY; NULL: none */
    uint32_t actuator_delay; /* periods between a command and its torque; torque is 0 before the
                                first */
    uint64_t seed;
    tq_sensor sensors[TQ_SENSORS];
} tq_lock_step_options;

/* Read by the caller, written by the functions below. */
typedef struct tq_lock_step {
    tq_run *run;          /* started at t = 0 */
    tq_held_torque *held; /* the effect of held torque in the run's plant */
    const tq_model *model;
    tq_lock_step_options options;
    uint64_t step;   /* periods so far: run->t = step * period until the run has ended */
    uint64_t oldest; /* first step of the ring */

    size_t n_saved;           /* bytes of tq_run_save */
    size_t record_size;       /* bytes of a record: q, qd, command, torque, then the saved run */
    size_t n_record;          /* records of the ring; step k is in record k modulo n_record */
    unsigned char *ring;      /* (n_record) records */
    unsigned char *beginning; /* the record of step 0 */
} tq_lock_step;

/**
 * Open on a run that has been started at time 0, with its torques held at 0.
 *
 * Memory   `memory`: tq_lock_step_size bytes, aligned to 8, as long as `ret` is used; `ret`
 *          borrows the run and `held`.
 * Cost     O(nq + nv) a step beside that of tq_run_to.
 * Checked  tests/property/core/simulate/test_lock_step.c
 */
void tq_lock_step_open(tq_run *run, tq_held_torque *held, const tq_model *model,
                       const tq_lock_step_options *options, void *memory, tq_lock_step *ret);
size_t tq_lock_step_size(const tq_run *run, const tq_model *model,
                         const tq_lock_step_options *options);

/**
 * Make one step: commands tau (nv) for one period. Delay and limit act on it in this order.
 *
 * Returns  1: the run is at the next multiple of the period. 0: the run has ended within the step,
 *          which is counted: run->end is the reason, run->t and run->state are the last valid ones.
 *          Only tq_lock_step_rewind may follow.
 * Bits     Those of a run over the whole time whose torques are held from one multiple of the
 *          period to the next.
 */
int tq_lock_step_advance(tq_lock_step *of, const double *tau);

/* The oldest step that tq_lock_step_rewind can restore, other than step 0. */
uint64_t tq_lock_step_least(const tq_lock_step *of);

/* Restores a step and discards later ones; the same commands then lead to the same bits. Returns 0
 * if the step is not in the history. */
int tq_lock_step_rewind(tq_lock_step *of, uint64_t step);

/* Fork: copies `step` of another lock step with the same plant, options and memory size. Returns 0
 * if the step is not in its history. */
int tq_lock_step_copy(tq_lock_step *to, const tq_lock_step *from, uint64_t step);

/* Present reading of a sensor: nq numbers for TQ_SENSOR_Q, else nv. */
void tq_lock_step_read(const tq_lock_step *of, tq_sensor_kind kind, double *ret);

/* Torque (nv) that acted in the last period; 0 at step 0. */
const double *tq_lock_step_torque(const tq_lock_step *of);

/* Commands in the actuators' delay line: the one from `ago` periods before the last, for ago below
 * the delay; 0 before the start. */
void tq_lock_step_pending(const tq_lock_step *of, uint32_t ago, double *ret_tau);

#endif
