/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/report.c - members of an answer about its recordings: findings, repairs. */
#include "api/codec/writer.h"
#include "api/recordings/parts.h"

const char *const tqa_recording_repair_names[TQ_REPAIRS] = {
    "not-finite",   "absurd",   "spike",     "outlier",   "repeated-time",
    "out-of-order", "set-back", "bridged",   "split",     "unwrapped",
    "braked",       "unpaired", "too-short", "saturated", "not-unit",
};

static const char *const meanings[TQ_REPAIRS] = {
    "rows left out: a number is NaN or infinite",
    "rows left out: a number beyond the range of any robot",
    "rows left out: outliers, far from their neighbours",
    "rows with outliers replaced from their neighbours, since there are many",
    "rows left out: the time of another row",
    "rows sorted by time",
    "the clock was set back: a new segment begins",
    "gaps that were interpolated",
    "gaps that begin a new segment",
    "angles that jumped by a whole revolution",
    "standstills left out: no torque although gravity pulls; brakes hold, or drives are off",
    "rows left out: another file of the recording has ended",
    "segments of a few rows, left out",
    "rows left out: the controller's law is at the limit of a joint's effort",
    "rows left out: the length of a quaternion is off 1 by 1 % and more",
};

static void report_repair(tqa_writer *answer, const tqa_recording *recording, tq_repair repair)
{
    const tq_repair_count *count = &recording->signal.repairs[repair];
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "kind", tqa_recording_repair_names[repair]);
    tqa_writer_string(answer, "meaning", meanings[repair]);
    tqa_writer_count(answer, "count", count->n);
    if (repair == TQ_REPAIR_BRIDGED) {
        tqa_writer_number(answer, "longest_s", recording->signal.longest_gap);
    }
    if (repair == TQ_REPAIR_BRAKED) {
        tqa_writer_count(answer, "rows", recording->signal.n_braked);
    }
    tqa_writer_list(answer, "first_rows");
    for (size_t k = 0; k < count->n && k < TQ_REPAIR_ROWS; k++) {
        tqa_writer_count(answer, NULL, count->rows[k]);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

/* the names of the columns of each quantity, in the order of the request's joints */
static void report_columns(tqa_writer *answer, const tqa_recording *recording)
{
    if (recording->layout != NULL) {
        tqa_writer_string(answer, "layout", recording->layout);
    }
    tqa_writer_object(answer, "columns");
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        if (recording->n_name[q] > 0) {
            tqa_writer_list(answer, tqa_recording_quantity_names[q]);
            for (size_t r = 0; r < recording->n_name[q]; r++) {
                tqa_writer_string(answer, NULL, recording->names[q][r]);
            }
            tqa_writer_end(answer);
        }
    }
    tqa_writer_end(answer);
}

void tqa_recording_report(tqa_writer *answer, const tqa_recording *recording)
{
    tqa_writer_string(answer, "name", recording->name);
    report_columns(answer, recording);
    tqa_writer_count(answer, "rows", recording->signal.n_row);
    tqa_writer_count(answer, "rows_chosen", recording->signal.n_chosen);
    tqa_writer_count(answer, "samples", recording->signal.n_sample);
    tqa_writer_count(answer, "segments", recording->signal.n_segment);
    tqa_writer_string(answer, "clock", recording->signal.is_even ? "even" : "resampled");
    tqa_writer_number(answer, "period_s", recording->signal.period);
    tqa_writer_number(answer, "step_s", recording->signal.step);
    tqa_writer_flag(answer, "truncated_last_line", recording->cut_last_line);
    tqa_writer_count(answer, "samples_at_rest_left_out", recording->signal.n_rest);
    tqa_writer_count(answer, "samples_at_borders_left_out", recording->signal.n_border);
    if (recording->signal.n_short_segment > 0) {
        tqa_writer_count(answer, "short_segments", recording->signal.n_short_segment);
    }
    tqa_writer_list(answer, "repairs");
    for (tq_repair k = 0; k < TQ_REPAIRS; k++) {
        if (recording->signal.repairs[k].n > 0) {
            report_repair(answer, recording, k);
        }
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "bandwidth");
    tqa_writer_number(answer, "motion_hz", recording->signal.bandwidth.motion);
    tqa_writer_number(answer, "noise_hz", recording->signal.bandwidth.noise);
    if (recording->signal.cutoff.cutoff > 0.0) {
        tqa_writer_flag(answer, "cutoff_above_10_motion", recording->signal.cutoff.above_motion);
        tqa_writer_flag(answer, "cutoff_below_a_tenth_of_noise",
                        recording->signal.cutoff.below_noise);
    }
    tqa_writer_end(answer);
}

void tqa_recording_report_filter(tqa_writer *answer, const tqa_recording_request *request)
{
    static const char *const kinds[] = {"butterworth", "savitzky-golay", "first-order", "none"};
    const tq_recording_filter *filter = &request->options.filter;
    tqa_writer_string(answer, "kind", kinds[filter->kind]);
    switch (filter->kind) {
    case TQ_SMOOTHING_BUTTERWORTH:
        tqa_writer_count(answer, "order", filter->order);
        tqa_writer_number(answer, "cutoff_hz", filter->cutoff);
        tqa_writer_flag(answer, "from_spectra", filter->is_auto);
        if (filter->own != NULL) {
            tqa_writer_list(answer, "cutoffs_hz");
            for (size_t r = 0; r < request->order->nv; r++) {
                tqa_writer_number(answer, NULL, filter->own[request->order->v[r]]);
            }
            tqa_writer_end(answer);
        }
        break;
    case TQ_SMOOTHING_SAVITZKY_GOLAY:
        tqa_writer_number(answer, "cutoff_hz", request->options.half_gain);
        tqa_writer_count(answer, "window", filter->window);
        tqa_writer_count(answer, "degree", filter->degree);
        break;
    case TQ_SMOOTHING_FIRST_ORDER:
        tqa_writer_number(answer, "cutoff_hz", request->options.half_gain);
        tqa_writer_number(answer, "tau_f_s", filter->tau_f);
        break;
    case TQ_SMOOTHING_NONE:
        break;
    }
    tqa_writer_count(answer, "decimate", filter->decimate);
    tqa_writer_flag(answer, "decimate_from_length", filter->thins);
}

void tqa_recording_report_all(tqa_writer *answer, const tqa_recording_request *request,
                              const tqa_recording *recordings, size_t n_first,
                              const char *first_for, size_t n, const char *rest_for)
{
    tqa_writer_list(answer, "datasets");
    for (size_t i = 0; i < n; i++) {
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "used_for", i < n_first ? first_for : rest_for);
        tqa_recording_report(answer, &recordings[i]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "filter");
    tqa_recording_report_filter(answer, request);
    tqa_writer_end(answer);
}
