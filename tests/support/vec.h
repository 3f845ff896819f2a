/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/vec.h - 3-vectors and 3x3 matrices (row by row) of 80-bit numbers. */
#ifndef TQT_VEC_H
#define TQT_VEC_H

#include <math.h>

static inline long double tqt_dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline long double tqt_length(const long double a[3])
{
    return sqrtl(tqt_dot(a, a));
}

static inline void tqt_cross(const long double a[3], const long double b[3], long double ret_c[3])
{
    ret_c[0] = a[1] * b[2] - a[2] * b[1];
    ret_c[1] = a[2] * b[0] - a[0] * b[2];
    ret_c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void tqt_rotate(const long double r[9], const long double a[3], long double ret_b[3])
{
    for (int i = 0; i < 3; i++) {
        ret_b[i] = tqt_dot(&r[3 * i], a);
    }
}

static inline void tqt_multiply(const long double a[9], const long double b[9],
                                long double ret_c[9])
{
    for (int i = 0; i < 9; i++) {
        const int row = i / 3 * 3;
        const int col = i % 3;
        ret_c[i] = a[row] * b[col] + a[row + 1] * b[col + 3] + a[row + 2] * b[col + 6];
    }
}

/* a b^T */
static inline void tqt_multiply_transposed(const long double a[9], const long double b[9],
                                           long double ret_c[9])
{
    for (int i = 0; i < 9; i++) {
        ret_c[i] = tqt_dot(&a[i / 3 * 3], &b[i % 3 * 3]);
    }
}

/* Frobenius' norm */
static inline long double tqt_norm(const long double a[9])
{
    return sqrtl(tqt_dot(a, a) + tqt_dot(a + 3, a + 3) + tqt_dot(a + 6, a + 6));
}

#endif
