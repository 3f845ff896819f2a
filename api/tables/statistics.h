/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/statistics.h - statistics of a column of numbers, without storing it. */
#ifndef TQA_TABLES_STATISTICS_H
#define TQA_TABLES_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised. */
typedef struct tqa_statistics {
    uint64_t n_finite;
    uint64_t n_not_finite; /* NaN, infinities, empty cells */
    double least, most;    /* of the finite ones, valid when there are any */
    double sum, carry;     /* compensated: the sum is sum + carry */
} tqa_statistics;

/* Takes n more values. */
void tqa_statistics_add(tqa_statistics *statistics, const double *values, size_t n);

/* NaN when there is no finite value. */
double tqa_statistics_mean(const tqa_statistics *statistics);

#endif
