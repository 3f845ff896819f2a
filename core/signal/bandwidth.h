/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/bandwidth.h - bandwidth and noise of a recording; cut-off and decimation for all
 * recordings of a fit. */
#ifndef TQ_SIGNAL_BANDWIDTH_H
#define TQ_SIGNAL_BANDWIDTH_H

#include "core/signal/recording.h"

/**
 * Measure a stretch of motion: bandwidth, coherence of torque with position, noise of velocity, and
 * the noise density of the signal from which accelerations are computed.
 *
 * Shapes   even->n >= 64 unfiltered samples.
 * Memory   tq_recording_measure_size(recording, even->n) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH
 * Source   core/identify/DECISIONS.md, "Short logs", "Noise of any colour"
 * Checked  tests/unit/core/signal/test_bandwidth.c
 */
tq_status tq_recording_measure(tq_recording *recording, const tq_uniform *even, tq_scratch *scratch,
                               tq_error *reterr);
size_t tq_recording_measure_size(const tq_recording *recording, size_t n);

/* Chooses options->filter.cutoff by the bandwidths of the first n recordings, unless the request
 * sets it; checks it against each of the first n_judged. Takes tq_recording_choose_cutoff_size
 * bytes. */
void tq_recording_choose_cutoff(tq_recording_options *options, tq_recording *const *recordings,
                                size_t n, size_t n_judged, tq_scratch *scratch);
size_t tq_recording_choose_cutoff_size(const tq_recording_options *options);

/* Decimates if n_sample samples are more than a fit benefits from, down to a rate of five times the
 * cut-off, unless the request sets the number. */
void tq_recording_choose_decimation(tq_recording_options *options, tq_recording *const *recordings,
                                    size_t n, double n_sample);

#endif
