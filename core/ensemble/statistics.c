/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/statistics.c - moments and quantiles of one number over the members of an ensemble.
 */
#include "core/ensemble/statistics.h"

#include <math.h>

void tq_sample_statistics_of(size_t n, double *inout_x, tq_sample_statistics *ret)
{
    double sum = 0.0, squares = 0.0;
    *ret = (tq_sample_statistics){.least = (double)INFINITY, .largest = -(double)INFINITY};
    for (size_t m = 0; m < n; m++) {
        const double value = inout_x[m];
        if (!isnan(value)) {
            inout_x[ret->n++] = value;
            sum += value;
            ret->least = fmin(ret->least, value);
            ret->largest = fmax(ret->largest, value);
        }
    }
    ret->mean = ret->n > 0 ? sum / (double)ret->n : 0.0;
    for (size_t m = 0; m < ret->n; m++) {
        squares += (inout_x[m] - ret->mean) * (inout_x[m] - ret->mean);
    }
    ret->deviation = ret->n > 1 ? sqrt(squares / (double)(ret->n - 1)) : 0.0;
}

double tq_sample_quantile(const double *sorted, size_t n, double level)
{
    const double at = level * (double)(n - 1);
    const size_t low = (size_t)at;
    const size_t high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}
