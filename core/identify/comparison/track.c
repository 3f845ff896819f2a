/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/comparison/track.c - simulated motion and its friction over whole windows, filtered
 * as the recording was. */
#include "core/identify/comparison/track.h"

#include <math.h>
#include <string.h>

#include "core/identify/friction_regressor.h"
#include "core/identify/regression/fit_private.h"
#include "core/signal/filter.h"

enum { LANES = TQ_FOLD_RUN };
static const double edge_periods = 3.0; /* of the cut-off */

struct tq_track {
    const tq_fit *fit;
    tq_filter filter;
    size_t n_step, stride, nv;
    size_t n_filtered, n_row;      /* of a window: q, qd, qdd, friction rows; then integrals */
    double *x;                     /* (n_row x LANES x stride), steps in order */
    tq_experiment_block *measured; /* (n_step) of all windows, a column for each */
    size_t n_window;
    const tq_feedback *feedback;
    double bend;     /* of a rate's second difference, what its central difference is more */
    double *rates;   /* (friction rows x LANES) friction rows of a step */
    double *block;   /* (4 nv + 2 friction rows x LANES) */
    double *scratch; /* of the filter */
    size_t scratch_size;
};

static bool has_integral(const tq_fit *fit)
{
    for (size_t t = 0; t < fit->n_term; t++) {
        if (fit->terms[t].kind == TQ_COLUMN_KI) {
            return true;
        }
    }
    return false;
}

static size_t filtered_rows(const tq_fit *fit)
{
    return 3 * fit->n_row + tq_friction_row_count(fit);
}

static size_t all_rows(const tq_fit *fit)
{
    return filtered_rows(fit) + (has_integral(fit) ? fit->n_row : 0);
}

static size_t stride_of(size_t n_step)
{
    return (n_step + TQ_BLOCK_PAD - 1) / TQ_BLOCK_PAD * TQ_BLOCK_PAD;
}

static size_t block_rows(const tq_fit *fit)
{
    return 4 * fit->n_row + 2 * tq_friction_row_count(fit);
}

size_t tq_track_size(const tq_fit *fit, size_t n_step)
{
    return tq_scratch_cost(1, sizeof(tq_track)) +
           tq_scratch_cost(all_rows(fit) * LANES * stride_of(n_step), sizeof(double)) +
           tq_scratch_cost(n_step, sizeof(tq_experiment_block)) +
           tq_scratch_cost(tq_friction_row_count(fit) * LANES, sizeof(double)) +
           tq_scratch_cost(block_rows(fit) * LANES, sizeof(double)) +
           tq_scratch_cost(tq_filter_zero_phase_size(n_step, n_step), 1);
}

size_t tq_track_edge(const tq_recording_filter *filter, double period, size_t n_step)
{
    const double n = ceil(edge_periods / (filter->cutoff * period));
    const size_t most = n_step / 4;
    return n < (double)most ? (size_t)n : most;
}

static bool take(tq_track *track, tq_scratch *scratch)
{
    const size_t n_friction = tq_friction_row_count(track->fit);
    track->scratch_size = tq_filter_zero_phase_size(track->n_step, track->n_step);
    track->x = tq_scratch_take(scratch, track->n_row * LANES * track->stride, sizeof *track->x);
    track->measured = tq_scratch_take(scratch, track->n_step, sizeof *track->measured);
    track->rates = tq_scratch_take(scratch, n_friction * LANES, sizeof *track->rates);
    track->block = tq_scratch_take(scratch, block_rows(track->fit) * LANES, sizeof *track->block);
    track->scratch = tq_scratch_take(scratch, track->scratch_size, 1);
    return track->x != NULL && track->measured != NULL && track->rates != NULL &&
           track->block != NULL && track->scratch != NULL;
}

tq_status tq_track_begin(const tq_fit *fit, const tq_track_plan *plan, tq_scratch *scratch,
                         tq_track **ret, tq_error *reterr)
{
    const tq_recording_filter *filter = plan->filter;
    const double rows = plan->difference / plan->period;
    tq_filter made;
    if (filter->kind != TQ_SMOOTHING_BUTTERWORTH) {
        return tq_fail(reterr, TQ_ERR_RANGE, "filter", 0, 0.0);
    }
    const tq_status status =
        tq_filter_butterworth(filter->order, filter->cutoff, 1.0 / plan->period, &made, reterr);
    if (status != TQ_OK) {
        return status;
    }
    tq_track *track = tq_scratch_take(scratch, 1, sizeof *track);
    if (track != NULL) {
        *track = (tq_track){.fit = fit,
                            .filter = made,
                            .feedback = plan->feedback,
                            .n_step = plan->n_step,
                            .stride = stride_of(plan->n_step),
                            .nv = fit->n_row,
                            .n_filtered = filtered_rows(fit),
                            .n_row = all_rows(fit),
                            .bend = rows * rows / 6.0};
    }
    if (track == NULL || !take(track, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_track_size(fit, plan->n_step));
    }
    *ret = track;
    return TQ_OK;
}

static double *signal_of(const tq_track *track, size_t row, size_t window)
{
    return track->x + (row * LANES + window) * track->stride;
}

static void keep(const tq_track *track, size_t first, size_t n_row, size_t k, const double *from)
{
    for (size_t row = 0; row < n_row; row++) {
        for (size_t i = 0; i < track->n_window; i++) {
            signal_of(track, first + row, i)[k] = from[row * LANES + i];
        }
    }
}

/* what friction is a function of, at simulated rates; of gains 0 */
static void find_friction(const tq_track *track, const tq_rollout_sample *sample)
{
    const tq_fit *fit = track->fit;
    const size_t nv = track->nv;
    memcpy(track->rates, sample->sign, nv * LANES * sizeof *track->rates);
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        double *ret = track->rates + (nv + term->friction_row) * LANES;
        const size_t row = (size_t)fit->mechanism->model.joints[term->joint].v_index * LANES;
        if (term->kind == TQ_COLUMN_STRIBECK) {
            tq_stribeck_row(fit->speed[term->joint], sample->n, sample->qd + row,
                            sample->sign + row, ret);
        } else if (term->kind == TQ_COLUMN_COUPLED_COULOMB) {
            tq_coupled_row(fit, term, sample->n, LANES, sample->qd, ret);
        } else if (tq_column_is_gain(term->kind)) {
            memset(ret, 0, LANES * sizeof *ret);
        }
    }
}

void tq_track_keep(tq_track *track, const tq_rollout_sample *sample)
{
    const size_t nv = track->nv;
    track->n_window = sample->n;
    track->measured[sample->k] = sample->measured;
    find_friction(track, sample);
    keep(track, 0, nv, sample->k, sample->q);
    keep(track, nv, nv, sample->k, sample->qd);
    keep(track, 2 * nv, nv, sample->k, sample->qdd);
    keep(track, 3 * nv, tq_friction_row_count(track->fit), sample->k, track->rates);
    keep(track, track->n_filtered, track->n_row - track->n_filtered, sample->k, sample->integral);
}

tq_status tq_track_filter(tq_track *track, tq_error *reterr)
{
    tq_scratch scratch;
    const size_t settle = tq_filter_settling_length(&track->filter);
    tq_scratch_init(&scratch, track->scratch, track->scratch_size);
    return tq_filter_zero_phase_rows(
        &track->filter, settle < track->n_step ? settle : track->n_step - 1, track->n_step,
        track->n_filtered * LANES, track->x, track->stride, &scratch, reterr);
}

/* A recorded rate of error's central difference, over rows of the recording, less the rate: of -e'
 * in row `at` of a window's friction rows. */
static double more_rate(const tq_track *track, size_t at, size_t k)
{
    if (k == 0 || k + 1 >= track->n_step) {
        return 0.0;
    }
    const tq_experiment_block *block = &track->measured[k];
    const double bend =
        block[1].friction_rows[at] - 2.0 * block[0].friction_rows[at] + block[-1].friction_rows[at];
    return track->bend * bend;
}

static void put_torque(const tq_track *track, size_t window, size_t k, size_t n, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        const double *tau = track->measured[k + i].tau + window;
        for (size_t row = 0; row < track->nv; row++) {
            ret[row * LANES + i] = tau[row * LANES];
        }
    }
}

/* -e of the recording, and of the simulation: -e - (q - q_s), likewise rate and integral */
static void put_gains(const tq_track *track, size_t window, size_t k, size_t n, double *tau,
                      double *rows, double *beside)
{
    const tq_fit *fit = track->fit;
    const size_t nv = track->nv;
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        const size_t at = (nv + term->friction_row) * LANES;
        const size_t first = term->kind == TQ_COLUMN_KP   ? 0
                             : term->kind == TQ_COLUMN_KD ? nv
                                                          : track->n_filtered;
        if (!tq_column_is_gain(term->kind)) {
            continue;
        }
        const double *simulated = signal_of(track, first + term->row, window) + k;
        for (size_t i = 0; i < n; i++) {
            const tq_experiment_block *block = &track->measured[k + i];
            const size_t of = term->row * LANES + window;
            const double off = term->kind == TQ_COLUMN_KP   ? block->q[of] - simulated[i]
                               : term->kind == TQ_COLUMN_KD ? block->qd[of] - simulated[i]
                                                            : simulated[i];
            rows[at + i] = block->friction_rows[at + window];
            beside[at + i] = rows[at + i] - off;
            if (term->kind == TQ_COLUMN_KD) {
                const double more = more_rate(track, at + window, k + i);
                rows[at + i] -= more;
                tau[term->row * LANES + i] += track->feedback->kd[term->row] * more;
            }
        }
    }
}

tq_experiment_block tq_track_block(tq_track *track, size_t window, size_t k, size_t n,
                                   tq_experiment_block *ret_instruments)
{
    const size_t nv = track->nv;
    const size_t n_friction = tq_friction_row_count(track->fit);
    double *motion = track->block;
    double *tau = motion + 3 * nv * LANES;
    double *rows = tau + nv * LANES;
    double *beside = rows + n_friction * LANES;
    for (size_t row = 0; row < track->n_filtered; row++) { /* friction rows after tau */
        double *ret = row < 3 * nv ? motion + row * LANES : rows + (row - 3 * nv) * LANES;
        memcpy(ret, signal_of(track, row, window) + k, n * sizeof *ret);
    }
    put_torque(track, window, k, n, tau);
    memcpy(beside, rows, n_friction * LANES * sizeof *beside);
    put_gains(track, window, k, n, tau, rows, beside);
    const tq_experiment_block block = {.n_sample = n,
                                       .stride = LANES,
                                       .q = motion,
                                       .qd = motion + nv * LANES,
                                       .qdd = motion + 2 * nv * LANES,
                                       .tau = tau,
                                       .friction_rows = rows};
    if (ret_instruments != NULL) {
        *ret_instruments = block;
        ret_instruments->friction_rows = beside;
    }
    return block;
}
