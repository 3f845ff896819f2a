/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/search.h - where a number lies among ascending ones, by bisection. */
#ifndef TQ_BASE_SEARCH_H
#define TQ_BASE_SEARCH_H

#include <stddef.h>

/* Number of the n ascending x that are at most `at`. Cost: O(log n). */
static inline size_t tq_count_until(const double *x, size_t n, double at)
{
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x[middle] <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The interval k below n with x[k] <= at < x[k + 1]; the first or the last one outside of all. */
static inline size_t tq_interval_of(const double *x, size_t n, double at)
{
    const size_t k = tq_count_until(x, n, at);
    return k > 0 ? k - 1 : 0;
}

#endif
