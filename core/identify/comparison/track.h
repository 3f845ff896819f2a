/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/track.h - simulated motion and its friction over whole windows, filtered
 * as the recording was. */
#ifndef TQ_IDENTIFY_COMPARISON_TRACK_H
#define TQ_IDENTIFY_COMPARISON_TRACK_H

#include "core/identify/validation/rollout.h"
#include "core/signal/recording.h"

/* Torque of a recording has passed a filter F, so columns along a simulation pass it too:
 * F[tau] = Y(F[q]) pi, with F of friction's signs, as of the recording's own (parallel filtering).
 * A simulation turns back sharply where a filtered recording does not. */
typedef struct tq_track tq_track;

/* Points of a window, of n_step, at its beginning and end whose filtered values depend on what is
 * beyond: three periods of the cut-off, or a quarter of the window. period: s, of a step. */
size_t tq_track_edge(const tq_recording_filter *filter, double period, size_t n_step);

/* Windows of n_step steps, TQ_FOLD_RUN side by side. */
typedef struct tq_track_plan {
    const tq_recording_filter *filter;
    double period; /* s, of a step */
    size_t n_step;
    const tq_feedback *feedback; /* borrowed */
    double difference;           /* see tq_comparison_recording */
} tq_track_plan;

/* Memory   tq_track_size(fit, n_step) bytes of `scratch` until the caller rewinds it.
 * Returns  TQ_OK, TQ_ERR_SCRATCH, TQ_ERR_RANGE: no Butterworth filter, or its cut-off is not below
 *          half of a step's rate. */
tq_status tq_track_begin(const tq_fit *fit, const tq_track_plan *plan, tq_scratch *scratch,
                         tq_track **ret, tq_error *reterr);
size_t tq_track_size(const tq_fit *fit, size_t n_step);

/* Step sample->k, from 0 on. */
void tq_track_keep(tq_track *track, const tq_rollout_sample *sample);
/* After the last step. */
tq_status tq_track_filter(tq_track *track, tq_error *reterr);

/* Torque of a law whose rate is a difference over rows h apart is made that of the rate where its
 * gain is unknown: (e(t + h) - e(t - h)) / 2 h = e' + h^2 e''' / 6.
 *
 * Filtered motion and friction rows of one window at steps k to k + n - 1, n at most TQ_FOLD_RUN,
 * as samples of a block with its measured torque and rows of unknown gains; in the track's memory
 * until the next call. ret_instruments: the same, but that gains have the error of the simulation,
 * which has no noise of position in it; NULL: not wanted. */
tq_experiment_block tq_track_block(tq_track *track, size_t window, size_t k, size_t n,
                                   tq_experiment_block *ret_instruments);

#endif
