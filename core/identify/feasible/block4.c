/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/block4.c - products, factors, singular values and eigenvalues of 4x4
 * matrices. */
#include "core/identify/feasible/block4.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 40 };
static const double rounding = 1e-15;
static const unsigned row_of[TQ_SVEC4] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
static const unsigned col_of[TQ_SVEC4] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};

void tq_svec4(const tq_block4 a, double ret[TQ_SVEC4])
{
    for (unsigned k = 0; k < TQ_SVEC4; k++) {
        ret[k] = a[4 * row_of[k] + col_of[k]] * (row_of[k] == col_of[k] ? 1.0 : M_SQRT2);
    }
}

void tq_smat4(const double v[TQ_SVEC4], tq_block4 ret)
{
    for (unsigned k = 0; k < TQ_SVEC4; k++) {
        const double x = v[k] * (row_of[k] == col_of[k] ? 1.0 : M_SQRT1_2);
        ret[4 * row_of[k] + col_of[k]] = x;
        ret[4 * col_of[k] + row_of[k]] = x;
    }
}

void tq_mul4(const tq_block4 a, const tq_block4 b, tq_block4 ret)
{
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            ret[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j] +
                             a[4 * i + 3] * b[12 + j];
        }
    }
}

void tq_tmul4(const tq_block4 a, const tq_block4 b, tq_block4 ret)
{
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            ret[4 * i + j] =
                a[i] * b[j] + a[4 + i] * b[4 + j] + a[8 + i] * b[8 + j] + a[12 + i] * b[12 + j];
        }
    }
}

void tq_mult4(const tq_block4 a, const tq_block4 b, tq_block4 ret)
{
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            ret[4 * i + j] = a[4 * i] * b[4 * j] + a[4 * i + 1] * b[4 * j + 1] +
                             a[4 * i + 2] * b[4 * j + 2] + a[4 * i + 3] * b[4 * j + 3];
        }
    }
}

bool tq_cholesky4(const tq_block4 a, tq_block4 ret_l)
{
    memset(ret_l, 0, 16 * sizeof(double));
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j <= i; j++) {
            double sum = a[4 * i + j];
            for (unsigned k = 0; k < j; k++) {
                sum -= ret_l[4 * i + k] * ret_l[4 * j + k];
            }
            if (i != j) {
                ret_l[4 * i + j] = sum / ret_l[5 * j];
            } else if (sum > 0.0) {
                ret_l[5 * i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

/* rotates columns p and q of a by (c, s) */
static void turn_columns(tq_block4 a, unsigned p, unsigned q, double c, double s)
{
    for (unsigned k = 0; k < 4; k++) {
        const double x = a[4 * k + p];
        const double y = a[4 * k + q];
        a[4 * k + p] = c * x - s * y;
        a[4 * k + q] = s * x + c * y;
    }
}

/* cosine and sine of the Jacobi rotation that makes two columns with products alpha, beta, gamma
 * orthogonal */
static void rotation(double alpha, double beta, double gamma, double *ret_c, double *ret_s)
{
    const double zeta = (beta - alpha) / (2.0 * gamma);
    const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    *ret_c = 1.0 / sqrt(1.0 + t * t);
    *ret_s = *ret_c * t;
}

void tq_svd4(const tq_block4 a, tq_block4 ret_u, double ret_s[4], tq_block4 ret_v)
{
    tq_block4 b;
    memcpy(b, a, sizeof b);
    for (unsigned i = 0; i < 16; i++) {
        ret_v[i] = i % 5 == 0 ? 1.0 : 0.0;
    }
    double off = 1.0;
    for (unsigned sweep = 0; sweep < SWEEPS_MAX && off > rounding; sweep++) {
        off = 0.0;
        for (unsigned pair = 0; pair < 6; pair++) {
            static const unsigned first[6] = {0, 0, 0, 1, 1, 2};
            static const unsigned second[6] = {1, 2, 3, 2, 3, 3};
            const unsigned p = first[pair];
            const unsigned q = second[pair];
            double alpha = 0.0;
            double beta = 0.0;
            double gamma = 0.0;
            for (unsigned k = 0; k < 4; k++) {
                alpha += b[4 * k + p] * b[4 * k + p];
                beta += b[4 * k + q] * b[4 * k + q];
                gamma += b[4 * k + p] * b[4 * k + q];
            }
            const double size = fabs(gamma) / sqrt(alpha * beta);
            off = fmax(off, size);
            if (size > rounding) {
                double c = 1.0;
                double s = 0.0;
                rotation(alpha, beta, gamma, &c, &s);
                turn_columns(b, p, q, c, s);
                turn_columns(ret_v, p, q, c, s);
            }
        }
    }
    for (unsigned j = 0; j < 4; j++) {
        double sum = 0.0;
        for (unsigned k = 0; k < 4; k++) {
            sum += b[4 * k + j] * b[4 * k + j];
        }
        ret_s[j] = sqrt(sum);
        for (unsigned k = 0; k < 4; k++) {
            ret_u[4 * k + j] = b[4 * k + j] / ret_s[j];
        }
    }
}

double tq_least_eigen4(const tq_block4 a)
{
    tq_block4 b;
    memcpy(b, a, sizeof b);
    for (unsigned sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double off = 0.0;
        double size = 0.0;
        for (unsigned p = 0; p < 4; p++) {
            size += fabs(b[5 * p]);
            for (unsigned q = p + 1; q < 4; q++) {
                off += fabs(b[4 * p + q]);
            }
        }
        if (off <= rounding * size) {
            break;
        }
        for (unsigned p = 0; p < 3; p++) {
            for (unsigned q = p + 1; q < 4; q++) {
                if (b[4 * p + q] == 0.0) {
                    continue;
                }
                double c = 1.0;
                double s = 0.0;
                rotation(b[5 * p], b[5 * q], b[4 * p + q], &c, &s);
                turn_columns(b, p, q, c, s);
                for (unsigned k = 0; k < 4; k++) { /* and the rows */
                    const double x = b[4 * p + k];
                    const double y = b[4 * q + k];
                    b[4 * p + k] = c * x - s * y;
                    b[4 * q + k] = s * x + c * y;
                }
            }
        }
    }
    return fmin(fmin(b[0], b[5]), fmin(b[10], b[15]));
}
