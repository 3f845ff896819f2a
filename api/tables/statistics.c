/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/statistics.c - statistics of a column of numbers, without storing it. */
#include "api/tables/statistics.h"

#include <math.h>

void tqa_statistics_add(tqa_statistics *statistics, const double *values, size_t n)
{
    tqa_statistics s = *statistics;
    for (size_t i = 0; i < n; i++) {
        const double x = values[i];
        if (x - x != 0.0) {
            s.n_not_finite++;
            continue;
        }
        if (s.n_finite == 0) {
            s.least = s.most = x;
        }
        s.n_finite++;
        s.least = x < s.least ? x : s.least;
        s.most = x > s.most ? x : s.most;
        /* two-sum: the rounding error of the addition goes into the carry */
        const double total = s.sum + x;
        const double part = total - s.sum;
        s.carry += (s.sum - (total - part)) + (x - part);
        s.sum = total;
    }
    *statistics = s;
}

double tqa_statistics_mean(const tqa_statistics *statistics)
{
    if (statistics->n_finite == 0) {
        return (double)NAN;
    }
    const double n = (double)statistics->n_finite;
    const double mean = (statistics->sum + statistics->carry) / n;
    /* sums beyond the largest double: a mean of halves would need another pass */
    return isfinite(mean) ? mean : statistics->least / 2 + statistics->most / 2;
}
