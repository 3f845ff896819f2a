/* SPDX-License-Identifier: Apache-2.0 */
/* core/calibrate/clock.c - the clock of a log: its period and its faults, and values on an even
 * one. */
#include "core/calibrate/clock.h"

#include <assert.h>
#include <math.h>

static const double decades = 15.0;   /* of the bins */
static const double least_log = -9.0; /* log10 of the first bin's step, s */

static size_t bin_of(double step)
{
    const double at = (log10(step) - least_log) / decades * (double)TQ_CLOCK_BINS;
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

/* slope at sample i of the parabola through it and its neighbours; at the ends, through the three
 * there */
static double slope_at(size_t n, const double *t, const double *x, size_t i)
{
    if (n == 2) {
        return (x[1] - x[0]) / (t[1] - t[0]);
    }
    const size_t m = i == 0 ? 1 : i == n - 1 ? n - 2 : i;
    const double left = t[m] - t[m - 1];
    const double right = t[m + 1] - t[m];
    const double d_left = (x[m] - x[m - 1]) / left;
    const double d_right = (x[m + 1] - x[m]) / right;
    const double bend = (d_right - d_left) / (left + right);
    const double middle = d_left + bend * left;
    return middle + 2.0 * bend * (t[i] - t[m]);
}

void tq_resample(size_t n, const double *t, const double *x, double first, double step, size_t m,
                 double *ret)
{
    assert(n >= 2);
    size_t i = 0; /* t[i] <= now < t[i + 1], the last piece closed */
    size_t known = SIZE_MAX;
    double s0 = 0.0;
    double s1 = 0.0;
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * step;
        while (i + 2 < n && t[i + 1] <= now) {
            i++;
        }
        if (i != known) {
            s0 = slope_at(n, t, x, i);
            s1 = slope_at(n, t, x, i + 1);
            known = i;
        }
        const double h = t[i + 1] - t[i];
        const double u = (now - t[i]) / h;
        const double v = 1.0 - u;
        ret[k] = v * v * ((1.0 + 2.0 * u) * x[i] + u * h * s0) +
                 u * u * ((1.0 + 2.0 * v) * x[i + 1] - v * h * s1);
    }
}

void tq_resample_linear(size_t n, const double *t, const double *x, double first, double step,
                        size_t m, double *ret)
{
    assert(n >= 2);
    size_t i = 0;
    for (size_t k = 0; k < m; k++) {
        const double now = first + (double)k * step;
        while (i + 2 < n && t[i + 1] <= now) {
            i++;
        }
        const double u = (now - t[i]) / (t[i + 1] - t[i]);
        ret[k] = (1.0 - u) * x[i] + u * x[i + 1];
    }
}
