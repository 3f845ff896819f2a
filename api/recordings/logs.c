/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/logs.c - several recordings of one request: read, surveyed, checked. */
#include "api/recordings/logs.h"

#include <string.h>

#include "api/recordings/parts.h"

bool tqa_logs_read(const tqa_recording_request *request, const tqa_value *array, size_t n,
                   const char *const *known, tqa_recording *ret)
{
    for (size_t i = 0; i < n; i++) {
        const tqa_value part = tqa_value_item(array, i);
        if ((json_is_object(part.value) && !tqa_value_object(&part, known)) ||
            !tqa_recording_read(request, &part, &ret[i])) {
            return false;
        }
    }
    return true;
}

bool tqa_recordings_overlap(const tqa_recording *a, const tqa_recording *b)
{
    bool any = a->n_window == 0 || b->n_window == 0;
    for (size_t i = 0; i < a->n_window; i++) {
        for (size_t k = 0; k < b->n_window; k++) {
            any = any || (a->windows[i].first < b->windows[k].end &&
                          b->windows[k].first < a->windows[i].end);
        }
    }
    for (size_t q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        any = any && strcmp(a->source[q], b->source[q]) == 0;
    }
    return any;
}

bool tqa_logs_are_news(const tqa_recording *logs, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (tqa_recordings_overlap(&logs[i], &logs[k])) {
            return tqa_value_refuse(&logs[i].part, "invalid-value",
                                    "leave it out, or choose other \"rows\" of it",
                                    "rows of \"%.60s\" are there twice: they add no information, "
                                    "and intervals would be too narrow",
                                    logs[i].name);
        }
    }
    return true;
}

size_t tqa_log_expected(const tqa_recording *log, double *ret_period)
{
    const tq_recording *s = &log->signal;
    const bool is_cut = s->moves && log->n_window == 0;
    const double rows =
        is_cut ? (double)(s->last_moving - s->first_moving) + 1.0 : (double)s->n_chosen;
    *ret_period = s->step * (double)log->request->options.filter.decimate;
    return (size_t)(rows * s->period / *ret_period) + 1;
}

bool tqa_logs_survey(tqa_recording_request *request, tqa_recording *logs, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        request->options.n_cached = n;
        if (!tqa_recording_inspect(&logs[i])) {
            return false;
        }
    }
    if (!tqa_recording_find_braked(request, logs, n, n)) {
        return false;
    }
    tqa_recording_choose_cutoff(request, logs, n, n);
    for (size_t i = 0; i < n; i++) {
        double period = 0.0;
        sum += (double)tqa_log_expected(&logs[i], &period);
    }
    tqa_recording_choose_decimation(request, logs, n, sum);
    return request->tree->problem->status == 0;
}

/* Ranges of rows or short segments may leave no sample. */
bool tqa_recording_has_samples(const tqa_recording *log)
{
    if (log->signal.n_sample == 0 && 2 * log->signal.n_braked > log->signal.n_chosen) {
        return tqa_value_refuse(
            &log->part, "invalid-value",
            "leave the log out, or record it while the motors hold the arm",
            "nothing is left of the %llu rows of \"%.60s\": %llu are without "
            "torque, at rest where gravity pulls: brakes hold, or drives are off",
            (unsigned long long)log->signal.n_chosen, log->name,
            (unsigned long long)log->signal.n_braked);
    }
    static const struct {
        const char *field, *hint;
    } of[] = {
        [TQ_SMOOTHING_BUTTERWORTH] = {"cutoff_hz",
                                      "record longer, or raise \"filter\": {\"cutoff_hz\": ...}"},
        [TQ_SMOOTHING_SAVITZKY_GOLAY] = {"window",
                                         "record longer, or shorten \"filter\": {\"window\": ...}"},
        [TQ_SMOOTHING_FIRST_ORDER] = {"tau_f_s",
                                      "record longer, or shorten \"filter\": {\"tau_f_s\": ...}"},
        [TQ_SMOOTHING_NONE] = {"kind", "record longer"},
    };
    const tq_recording_filter *filter = &log->request->options.filter;
    /* so few samples lower the automatic cut-off: its filter needs longer stretches */
    const bool is_thinned = filter->is_auto && filter->has_decimate && filter->decimate > 1;
    const bool is_filters = log->n_window == 0 && log->signal.n_border > log->signal.n_chosen / 2;
    const char *field = is_thinned ? "decimate" : of[filter->kind].field;
    const tqa_value where = is_filters ? tqa_recording_place(log, "filter", field) : log->part;
    return log->signal.n_sample > 0 ||
           tqa_value_refuse(&where, "wrong-length",
                            is_thinned ? "keep more of the samples, or say \"cutoff_hz\" as well"
                                       : of[filter->kind].hint,
                            "nothing is left of the %llu rows of \"%.60s\": %llu samples are at "
                            "rest, %llu too near to the ends of a stretch for the filter",
                            (unsigned long long)log->signal.n_chosen, log->name,
                            (unsigned long long)log->signal.n_rest,
                            (unsigned long long)log->signal.n_border);
}
