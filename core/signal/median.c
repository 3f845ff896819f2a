/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/median.c - medians, and outliers (spikes) of a signal. */
#include "core/signal/median.h"

#include <assert.h>
#include <math.h>

#include "core/kernels/table.h"

enum { STRETCH = 128 }; /* samples tested together */

/* Hoare's quickselect: x[k] becomes the k-th smallest */
static double select_nth(size_t n, double *x, size_t k)
{
    size_t lo = 0;
    size_t hi = n - 1;
    while (lo < hi) {
        const double pivot = x[lo + (hi - lo) / 2];
        size_t i = lo;
        size_t j = hi;
        for (;;) {
            while (x[i] < pivot) {
                i++;
            }
            while (x[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            const double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (k <= j) {
            hi = j;
        } else {
            lo = j + 1;
        }
    }
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
