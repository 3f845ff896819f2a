/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/finite.h - guards against NaN and infinities. */
#ifndef TQ_BASE_FINITE_H
#define TQ_BASE_FINITE_H

#include <stddef.h>

/* Index of the first of n numbers that is NaN or infinite; n when all are finite. */
static inline size_t tq_find_not_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!__builtin_isfinite(x[i])) {
            return i;
        }
    }
    return n;
}

#endif
