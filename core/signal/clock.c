/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/clock.c - the clock of a recording: period, faults, and resampling to a uniform time
 * grid. */
#include "core/signal/clock.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"

static const double decades = 15.0;   /* of the histogram */
static const double least_log = -9.0; /* log10 of the first bin's step, s */

static size_t bin_of(double step)
{
    const double at = (tq_log10(step) - least_log) / decades * (double)TQ_CLOCK_BINS;
    return at <= 0.0                           ? 0
           : at >= (double)(TQ_CLOCK_BINS - 1) ? (size_t)(TQ_CLOCK_BINS - 1)
                                               : (size_t)at;
}

void tq_clock_skip(tq_clock *clock, double t)
{
    clock->first = clock->n == 0 ? t : clock->first;
    clock->latest = clock->n == 0 ? t : fmax(clock->latest, t);
    clock->last = t;
    clock->n++;
}

void tq_clock_add(tq_clock *clock, double t)
{
    if (clock->n == 0) {
        tq_clock_skip(clock, t);
        return;
    }
    const uint64_t row = clock->n++;
    const double step = t - clock->last;
    clock->last = t;
    clock->latest = fmax(clock->latest, t);
    if (step == 0.0) {
        clock->first_repeated = clock->n_repeated == 0 ? row : clock->first_repeated;
        clock->n_repeated++;
        return;
    }
    if (step < 0.0) {
        clock->first_backward = clock->n_backward == 0 ? row : clock->first_backward;
        clock->n_backward++;
        return;
    }
    if (clock->n_step == 0 || step < clock->shortest) {
        clock->shortest = step;
    }
    if (clock->n_step == 0 || step > clock->longest) {
        clock->longest = step;
        clock->longest_at = row;
    }
    clock->n_step++;
    if (!(step >= clock->bin_least && step <= clock->bin_most)) {
        const size_t bin = bin_of(step);
        const bool same = clock->n_step > 1 && bin == clock->bin;
        clock->bin_least = same ? fmin(clock->bin_least, step) : step;
        clock->bin_most = same ? fmax(clock->bin_most, step) : step;
        clock->bin = bin;
    }
    const size_t bin = clock->bin;
    clock->bins[bin] += clock->bins[bin] < UINT32_MAX ? 1 : 0;
    clock->sums[bin] += step;
}

double tq_clock_period(const tq_clock *clock)
{
    uint64_t n = 0;
    for (size_t b = 0; b < TQ_CLOCK_BINS; b++) {
        n += clock->bins[b];
    }
    uint64_t before = 0;
    for (size_t b = 0; b < TQ_CLOCK_BINS; b++) {
        before += clock->bins[b];
        if (before > 0 && 2 * before >= n) {
            return clock->sums[b] / (double)clock->bins[b];
        }
    }
    return 0.0;
}

bool tq_clock_is_even(const tq_clock *clock, double *ret_period)
{
    if (clock->n_step == 0 || clock->n_repeated + clock->n_backward > 0) {
        return false;
    }
    double sum = 0.0;
    for (size_t b = 0; b < TQ_CLOCK_BINS; b++) {
        sum += clock->sums[b];
    }
    const double mean = sum / (double)clock->n_step;
    *ret_period = mean;
    return clock->shortest >= 0.98 * mean && clock->longest <= 1.02 * mean;
}

/* Slope at sample i of the parabola through it and its neighbours (at the ends, through the three
 * end samples): weights of samples *ret_first .. *ret_first + 2. */
static void slope_at(size_t n, const double *t, size_t i, size_t *ret_first, double ret_weight[3])
{
    const size_t m = i == 0 ? 1 : i == n - 1 ? n - 2 : i;
    const double left = t[m] - t[m - 1];
    const double right = t[m + 1] - t[m];
    const double of_right = (left + 2.0 * (t[i] - t[m])) / (left + right);
    *ret_first = m - 1;
    ret_weight[0] = -(1.0 - of_right) / left;
    ret_weight[2] = of_right / right;
    ret_weight[1] = -ret_weight[0] - ret_weight[2];
}

/* the interval t[i] <= now < t[i + 1], searched from i on; the last one is closed */
static size_t piece_of(size_t n, const double *t, double now, size_t i)
{
    while (i + 2 < n && t[i + 1] <= now) {
        i++;
    }
    return i;
}

void tq_resample_cubic(size_t n, const double *t, double first, double step, size_t m,
                       tq_stencil *ret)
{
    assert(n >= TQ_STENCIL_POINTS);
    size_t i = 0;
    size_t known = SIZE_MAX;
    size_t of[2] = {0};
    double slope[2][3] = {{0.0}};
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * step;
        i = piece_of(n, t, now, i);
        if (known != SIZE_MAX && i == known + 1) {
            of[0] = of[1];
            memcpy(slope[0], slope[1], sizeof slope[0]);
            slope_at(n, t, i + 1, &of[1], slope[1]);
        } else if (i != known) {
            slope_at(n, t, i, &of[0], slope[0]);
            slope_at(n, t, i + 1, &of[1], slope[1]);
        }
        known = i;
        const double h = t[i + 1] - t[i];
        const double u = (now - t[i]) / h;
        const double v = 1.0 - u;
        const size_t begin = i == 0 ? 0 : i + 3 > n ? n - TQ_STENCIL_POINTS : i - 1;
        ret[k] = (tq_stencil){.first = begin};
        double *w = ret[k].weight;
        w[i - begin] = v * v * (1.0 + 2.0 * u);
        w[i + 1 - begin] = u * u * (1.0 + 2.0 * v);
        for (size_t p = 0; p < 3; p++) {
            w[of[0] - begin + p] += v * v * u * h * slope[0][p];
            w[of[1] - begin + p] -= u * u * v * h * slope[1][p];
        }
    }
}

void tq_resample_linear(size_t n, const double *t, double first, double step, size_t m,
                        tq_stencil *ret)
{
    assert(n >= TQ_STENCIL_POINTS);
    size_t i = 0;
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * step;
        i = piece_of(n, t, now, i);
        const double u = (now - t[i]) / (t[i + 1] - t[i]);
        ret[k] = (tq_stencil){.first = i + TQ_STENCIL_POINTS <= n ? i : n - TQ_STENCIL_POINTS};
        ret[k].weight[i - ret[k].first] = 1.0 - u;
        ret[k].weight[i + 1 - ret[k].first] = u;
    }
}

void tq_resample(size_t m, const tq_stencil *stencils, const double *x, double *ret)
{
    for (size_t k = 0; k < m; k++) {
        const double *w = stencils[k].weight;
        const double *at = x + stencils[k].first;
        ret[k] = (w[0] * at[0] + w[1] * at[1]) + (w[2] * at[2] + w[3] * at[3]);
    }
}
