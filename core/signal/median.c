/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/median.c - medians, and outliers (spikes) of a signal. */
#include "core/signal/median.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/kernels/table.h"

enum {
    FEW = 8,       /* values that are sorted to find their median */
    STRETCH = 128, /* samples tested together */
    ABOUT = 11,    /* samples around an outlier that is replaced: with 10 % outliers at least six
                      are good */
    ROUNDS = 4,
    HERE = 4, /* mark of an outlier in this channel */
    GOOD = 4, /* good values from which an outlier is interpolated */
};

/* Lomuto's partition of x[lo .. hi): values below (or not above) `pivot` come first; returns their
 * end. Without a branch on the values: half of such branches would be mispredicted. */
static inline size_t partition(double *x, size_t lo, size_t hi, double pivot, bool with_equal)
{
    for (size_t i = lo; i < hi; i++) {
        const double value = x[i];
        x[i] = x[lo];
        x[lo] = value;
        lo += (size_t)(with_equal ? value <= pivot : value < pivot);
    }
    return lo;
}

/* Insertion sort of x[lo .. hi). */
static void sort_few(double *x, size_t lo, size_t hi)
{
    for (size_t i = lo + 1; i < hi; i++) {
        const double value = x[i];
        size_t at = i;
        for (; at > lo && x[at - 1] > value; at--) {
            x[at] = x[at - 1];
        }
        x[at] = value;
    }
}

/* Hoare's quickselect: x[k] becomes the k-th smallest, smaller ones come before it */
static double select_nth(size_t n, double *x, size_t k)
{
    size_t lo = 0;
    size_t hi = n;
    while (hi - lo > FEW) {
        const double pivot = x[lo + (hi - lo) / 2];
        const size_t below = partition(x, lo, hi, pivot, false);
        if (k < below) {
            hi = below;
            continue;
        }
        lo = partition(x, below, hi, pivot, true);
        if (k < lo) { /* equal to the pivot */
            return pivot;
        }
    }
    sort_few(x, lo, hi);
    return x[k];
}

double tq_median(size_t n, double *x)
{
    assert(n >= 1);
    const double upper = select_nth(n, x, n / 2);
    if (n % 2 == 1) {
        return upper;
    }
    double lower = x[0];
    for (size_t k = 1; k < n / 2; k++) {
        lower = fmax(lower, x[k]);
    }
    return 0.5 * (lower + upper);
}

double tq_noise_deviation(size_t n, const double *x, size_t every, double *work)
{
    assert(n >= 3 && every >= 1);
    size_t m = 0;
    for (size_t k = 0; k + 2 < n; k += every) {
        work[m++] = fabs(x[k] - 2.0 * x[k + 1] + x[k + 2]);
    }
    /* x[k-1] - 2 x[k] + x[k+1] of white noise has sqrt(6) times its deviation; the median of |.| is
     * 0.6745 of that */
    return tq_median(m, work) / (0.6744897501960817 * 2.449489742783178);
}

size_t tq_spikes_mark(size_t n, const double *x, double noise, double factor,
                      unsigned char *ret_spike)
{
    assert(n >= 7);
    size_t n_spike = 0;
    const tq_kernels *kernels = tq_kernels_for(n);
    for (size_t k = 0; k < n; k++) {
        if (k % STRETCH == 0 && k > 0 && k + STRETCH < n &&
            kernels->steady(STRETCH + 1, x + k - 1, factor * noise)) {
            k += STRETCH - 1; /* every sample is close to its neighbours */
            continue;
        }
        const size_t first = k < 3 ? 0 : k + 4 > n ? n - 7 : k - 3;
        const double before = x[k > 0 ? k - 1 : 1];
        const double after = x[k + 1 < n ? k + 1 : n - 2];
        /* close to both neighbours: not a spike; most samples end here */
        if (fabs(x[k] - before) <= factor * noise && fabs(x[k] - after) <= factor * noise) {
            continue;
        }
        double near[7];
        double away[7];
        double steps[6];
        for (size_t i = 0; i < 6; i++) {
            steps[i] = x[first + i + 1] - x[first + i];
        }
        /* the signal may have a trend: distances are from its median slope */
        const double slope = tq_median(6, steps);
        for (size_t i = 0; i < 7; i++) {
            near[i] = x[first + i] + slope * ((double)k - (double)(first + i));
        }
        const double middle = tq_median(7, near);
        for (size_t i = 0; i < 7; i++) {
            away[i] = fabs(near[i] - middle);
        }
        const double deviation = fmax(noise, 1.4826 * tq_median(7, away));
        if (fabs(x[k] - middle) > factor * deviation) {
            ret_spike[k] = 1;
            n_spike++;
        }
    }
    return n_spike;
}

/* median of the values around x[k], without their trend; *ret_deviation: their deviation from it */
static double middle_about(size_t n, const double *x, size_t k, double *ret_deviation)
{
    double near[ABOUT], away[ABOUT], steps[ABOUT - 1];
    const size_t half = ABOUT / 2;
    const size_t first = k < half ? 0 : k + half + 1 > n ? n - ABOUT : k - half;
    for (size_t i = 0; i + 1 < ABOUT; i++) {
        steps[i] = x[first + i + 1] - x[first + i];
    }
    const double slope = tq_median(ABOUT - 1, steps);
    for (size_t i = 0; i < ABOUT; i++) {
        near[i] = x[first + i] + slope * ((double)k - (double)(first + i));
    }
    const double middle = tq_median(ABOUT, near);
    for (size_t i = 0; i < ABOUT; i++) {
        away[i] = fabs(near[i] - middle);
    }
    *ret_deviation = 1.4826 * tq_median(ABOUT, away);
    return middle;
}

/* cubic through the two good values before x[k] and the two after it, or the nearest at an end */
static double between(size_t n, const double *x, const unsigned char *mark, size_t k)
{
    size_t at[GOOD];
    size_t n_good = 0;
    for (size_t i = k; i-- > 0 && n_good < GOOD / 2;) {
        if (mark[i] != HERE) {
            at[n_good++] = i;
        }
    }
    for (size_t i = k + 1; i < n && n_good < GOOD; i++) {
        if (mark[i] != HERE) {
            at[n_good++] = i;
        }
    }
    double sum = n_good > 0 ? 0.0 : x[k];
    for (size_t a = 0; a < n_good; a++) {
        double weight = 1.0;
        for (size_t b = 0; b < n_good; b++) {
            if (b != a) {
                weight *= ((double)k - (double)at[b]) / ((double)at[a] - (double)at[b]);
            }
        }
        sum += weight * x[at[a]];
    }
    return sum;
}

size_t tq_outliers_replace(size_t n, double *x, double noise, double factor,
                           unsigned char *inout_mark, double *work)
{
    assert(n >= ABOUT);
    size_t n_replaced = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t n_now = 0;
        for (size_t k = 0; k < n; k++) {
            const double before = x[k > 0 ? k - 1 : 1], after = x[k + 1 < n ? k + 1 : n - 2];
            double deviation = 0.0;
            work[k] = x[k];
            if (fabs(before - 2.0 * x[k] + after) <= factor * noise) { /* the three values lie on a
                                                                          line */
                continue;
            }
            const double middle = middle_about(n, x, k, &deviation);
            const bool is_far = fabs(x[k] - middle) > factor * fmax(noise, deviation);
            work[k] = is_far ? middle : work[k];
            inout_mark[k] = is_far ? (unsigned char)HERE : inout_mark[k];
            n_now += is_far;
        }
        memcpy(x, work, n * sizeof *x);
        n_replaced += n_now;
        if (n_now == 0) {
            break;
        }
    }
    for (size_t k = 0; n_replaced > 0 && k < n; k++) {
        x[k] = inout_mark[k] == HERE ? between(n, x, inout_mark, k) : x[k];
    }
    for (size_t k = 0; n_replaced > 0 && k < n; k++) {
        inout_mark[k] = inout_mark[k] == HERE ? 2 : inout_mark[k];
    }
    return n_replaced;
}
