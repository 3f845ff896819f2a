/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/exponential.c - scaling and squaring: Taylor series of x / 2^s, squared s times. */
#include "core/linalg/exponential.h"

#include <math.h>
#include <string.h>

/* c = a b, square, of order m, by columns */
static void multiply(size_t m, const double *a, const double *b, double *c)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < m; i++) {
            c[j * m + i] = 0.0;
        }
        for (size_t k = 0; k < m; k++) {
            const double x = b[j * m + k];
            for (size_t i = 0; x != 0.0 && i < m; i++) {
                c[j * m + i] += a[k * m + i] * x;
            }
        }
    }
}

void tq_exponential(size_t m, double *x, double *term, double *room)
{
    enum { TERMS = 14 }; /* 0.5^14 / 14! is 7e-16 */
    double norm = 0.0;
    for (size_t j = 0; j < m; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < m; i++) {
            sum += fabs(x[j * m + i]);
        }
        norm = fmax(norm, sum);
    }
    int halvings = 0;
    (void)frexp(norm, &halvings);
    halvings = halvings + 1 > 0 ? (halvings + 1 < 60 ? halvings + 1 : 60) : 0;
    const double scale = ldexp(1.0, -halvings);
    /* Horner: E + x (E + x/2 (E + x/3 ...)) */
    for (size_t k = 0; k < m * m; k++) {
        x[k] *= scale;
        term[k] = k % (m + 1) == 0 ? 1.0 : 0.0;
    }
    for (unsigned n = TERMS; n > 0; n--) {
        multiply(m, x, term, room);
        for (size_t k = 0; k < m * m; k++) {
            term[k] = room[k] / (double)n + (k % (m + 1) == 0 ? 1.0 : 0.0);
        }
    }
    for (int h = 0; h < halvings; h++) {
        multiply(m, term, term, room);
        memcpy(term, room, m * m * sizeof *term);
    }
    memcpy(x, term, m * m * sizeof *x);
}
