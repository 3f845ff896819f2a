/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/braked.h - standstills on brakes: torque is zero although gravity acts, and does not
 * follow the model. */
#ifndef TQ_SIGNAL_BRAKED_H
#define TQ_SIGNAL_BRAKED_H

#include "core/signal/recording.h"

/* Standstills of a survey: add takes good rows [at, end), then close classifies them. The caller
 * gives `wants` bytes before it pushes rows; 0: none are needed. close returns TQ_OK or
 * TQ_ERR_SCRATCH. */
bool tq_standstills_begin(tq_recording *recording, tq_scratch *memory);
size_t tq_standstills_size(const tq_recording *recording);
size_t tq_standstills_wants(const tq_recording *recording);
void tq_standstills_give(tq_recording *recording, void *memory);
void tq_standstills_add(tq_recording *recording, const tq_raw_rows *rows, size_t at, size_t end);
tq_status tq_standstills_close(tq_recording *recording, uint64_t first, uint64_t last, bool moves,
                               tq_error *reterr);

/**
 * Find braked standstills after the surveys: at least 0.25 s long, each rms torque below 5 % of the
 * rms torque of the first n recordings in motion, and the gravity torque of some joint above 20 %
 * of it. Passes leave their rows out.
 *
 * Shapes   recordings (n_all), of one mechanism.
 * Memory   tq_recording_braked_size(mechanism) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH
 * Checked  tests/unit/core/signal/test_braked.c
 */
tq_status tq_recording_find_braked(tq_recording *const *recordings, size_t n, size_t n_all,
                                   tq_scratch *scratch, tq_error *reterr);
size_t tq_recording_braked_size(const tq_mechanism *mechanism);

/* True if row i belongs to a braked standstill; inout_brake: index of the next standstill. */
bool tq_recording_is_braked(const tq_recording *recording, size_t *inout_brake,
                            const tq_raw_rows *rows, size_t i);
/* Number of the n rows from `at` on that lie well before the standstill. */
size_t tq_recording_before_brake(const tq_recording *recording, size_t brake,
                                 const tq_raw_rows *rows, size_t at, size_t n);

#endif
