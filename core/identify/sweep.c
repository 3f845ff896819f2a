/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/sweep.c - the sweep operator of least squares. */
#include "core/identify/sweep.h"

void tq_sweep(size_t n, double *a, size_t k)
{
    const double d = a[k * n + k];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (i != k && j != k) {
                a[i * n + j] -= a[i * n + k] * a[k * n + j] / d;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (i != k) {
            a[i * n + k] /= d;
            a[k * n + i] /= d;
        }
    }
    a[k * n + k] = -1.0 / d;
}
