/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/resample.c - rows of a window onto the uniform grid. */
#include <math.h>
#include <string.h>

#include "core/signal/pass_private.h"

enum { INSPECTED_LEAST = 64 }; /* least samples of a stretch for a spectrum */

/* the row of the file that is nearest to each uniform sample */
static void find_rows(tq_pass *p, size_t from, size_t end, double first, size_t m)
{
    size_t i = from;
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * p->recording->step;
        while (i + 1 < end && fabs(p->t[i + 1] - now) <= fabs(p->t[i] - now)) {
            i++;
        }
        p->even_row[k] = p->row[i];
    }
}

/* True if rows [from, end) already lie on the uniform grid, within a millionth of a step, and no
 * delay is to be applied. */
static bool is_on_grid(const tq_pass *p, size_t from, size_t end, size_t m)
{
    const tq_recording *recording = p->recording;
    const double off = fabs(recording->step - recording->period) * (double)recording->n_row;
    return recording->is_even && off <= 1e-6 * recording->step && p->options->delay == 0.0 &&
           end - from == m && p->row[end - 1] - p->row[from] == m - 1;
}

/* Resamples rows [from, end) to m uniform times from `first` on. */
static void resample(tq_pass *p, size_t from, size_t end, double first, size_t m)
{
    const tq_recording *recording = p->recording;
    const size_t n_motion = tq_pass_has(p, TQ_QUANTITY_TAU)
                                ? recording->channels.first[TQ_QUANTITY_TAU]
                                : recording->channels.n;
    tq_resample_cubic(end - from, p->t + from, first + p->options->delay, recording->step, m,
                      p->stencils);
    for (size_t c = 0; c < recording->channels.n; c++) {
        if (c == n_motion) { /* torque is noisy: linear interpolation; positions are not: cubic */
            tq_resample_linear(end - from, p->t + from, first, recording->step, m, p->stencils);
        }
        tq_resample(m, p->stencils, p->values + c * p->room + from, p->even + c * p->n_uniform);
    }
}

bool tq_resample_window(tq_pass *p, size_t from, size_t end, bool ends)
{
    tq_recording *recording = p->recording;
    const double h = recording->step;
    const bool inspects = p->plan.kind == TQ_PASS_INSPECT;
    if (p->has_uniform) {
        return true;
    }
    if (!p->in_segment) {
        if (!inspects && !tq_emit_block(p)) {
            return false;
        }
        p->begins = true;
        p->in_segment = true;
        p->segment_t = p->t[from];
        p->next = 0;
        if (p->parallel_state != NULL) {
            p->plan.parallel->segment(p->parallel_state);
        }
        recording->n_segment++;
    }
    const double since = (p->t[from] - p->segment_t) / h;
    const double until = (p->t[end - 1] - p->segment_t) / h;
    const uint64_t lowest = (uint64_t)ceil(since - 1e-6);
    const double count = floor(until + 1e-6) - (double)lowest + 1.0;
    if (end - from < 4 || !(count >= 4.0)) {
        return true;
    }
    const size_t m = count < (double)p->n_uniform ? (size_t)count : p->n_uniform;
    const double first = p->segment_t + (double)lowest * h;
    if (is_on_grid(p, from, end, m)) {
        for (size_t c = 0; c < recording->channels.n; c++) {
            memcpy(p->even + c * p->n_uniform, p->values + c * p->room + from, m * sizeof(double));
        }
        memcpy(p->even_row, p->row + from, m * sizeof *p->even_row);
    } else {
        resample(p, from, end, first, m);
        find_rows(p, from, end, first, m);
    }
    if (inspects) {
        p->has_uniform = m >= INSPECTED_LEAST;
        p->uniform = (tq_uniform){.n = m, .stride = p->n_uniform, .channels = p->even};
        return true;
    }
    tq_filter_window(p, lowest, m, ends);
    return tq_emit_samples(p, lowest, m, ends);
}
