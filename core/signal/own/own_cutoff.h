/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/own/own_cutoff.h - cut-offs of joints that move slowly where others move fast. */
#ifndef TQ_SIGNAL_OWN_OWN_CUTOFF_H
#define TQ_SIGNAL_OWN_OWN_CUTOFF_H

#include "core/signal/recording.h"

/**
 * Measure what a low-pass of each joint's own position would have to pass, recording->needs, after
 * bandwidths and noise: ten times its bandwidth, and three times the frequency up to which its
 * acceleration has more motion than noise, as a joint that others shake has. And
 * recording->shares.
 *
 * Shapes   even->n >= 64 unfiltered samples.
 * Memory   tq_recording_own_size(even->n) bytes of scratch.
 * Returns  TQ_OK or TQ_ERR_SCRATCH
 * Cost     A spectrum of each joint, where some have less than half of the widest bandwidth.
 * Source   core/identify/DECISIONS.md, "A cut-off for each joint"
 * Checked  tests/unit/core/signal/own/test_own_cutoff.c
 */
tq_status tq_recording_measure_own(tq_recording *recording, const tq_uniform *even,
                                   tq_scratch *scratch, tq_error *reterr);
size_t tq_recording_own_size(size_t n);

/* After tq_recording_choose_cutoff, for a cut-off that the spectra chose. own (nv) Hz: of joints
 * whose noise matters, and that need less than half of that cut-off in each of the n recordings,
 * what they need; else the cut-off itself. False: no joint is such, or noise of the others is as
 * grave. */
bool tq_recording_choose_own(const tq_recording_options *options, tq_recording *const *recordings,
                             size_t n, double *own);

#endif
