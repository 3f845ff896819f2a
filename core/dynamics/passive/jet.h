/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/jet.h - numbers with their mixed derivatives by three variables; private to
 * the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_JET_H
#define TQ_DYNAMICS_PASSIVE_JET_H

#include <math.h>

/* c[m] is the derivative of the value c[0] once by each variable whose bit is set in m: x_i is c[1
 * << i]. Truncated Taylor arithmetic with e_i^2 = 0; Griewank & Walther, Evaluating Derivatives,
 * 2008, 13.1. */
typedef struct tq_jet {
    double c[8];
} tq_jet;

static inline tq_jet tq_jet_number(double x)
{
    return (tq_jet){.c = {x}};
}

/* a + s b */
static inline tq_jet tq_jet_add(const tq_jet *a, double s, const tq_jet *b)
{
    tq_jet ret;
    for (unsigned m = 0; m < 8; m++) {
        ret.c[m] = a->c[m] + s * b->c[m];
    }
    return ret;
}

static inline tq_jet tq_jet_multiply(const tq_jet *a, const tq_jet *b)
{
    tq_jet ret;
    for (unsigned m = 0; m < 8; m++) {
        double sum = 0.0;
        for (unsigned s = m;; s = (s - 1) & m) { /* subsets of m */
            sum += a->c[s] * b->c[m ^ s];
            if (s == 0) {
                break;
            }
        }
        ret.c[m] = sum;
    }
    return ret;
}

/* g(x), whose value and first three derivatives at x->c[0] are g[0..3]; Faa di Bruno */
static inline tq_jet tq_jet_apply(const tq_jet *x, const double g[4])
{
    const double *c = x->c;
    return (tq_jet){.c = {g[0], g[1] * c[1], g[1] * c[2], g[1] * c[3] + g[2] * c[1] * c[2],
                          g[1] * c[4], g[1] * c[5] + g[2] * c[1] * c[4],
                          g[1] * c[6] + g[2] * c[2] * c[4],
                          g[1] * c[7] + g[2] * (c[1] * c[6] + c[2] * c[5] + c[4] * c[3]) +
                              g[3] * c[1] * c[2] * c[4]}};
}

static inline tq_jet tq_jet_divide(const tq_jet *a, const tq_jet *b)
{
    const double x = 1.0 / b->c[0];
    const tq_jet inverse =
        tq_jet_apply(b, (const double[4]){x, -x * x, 2.0 * x * x * x, -6.0 * x * x * x * x});
    return tq_jet_multiply(a, &inverse);
}

/* Of 0, which has no derivative, 0 without one. */
static inline tq_jet tq_jet_sqrt(const tq_jet *x)
{
    const double root = sqrt(x->c[0]);
    const double s = x->c[0] > 0.0 ? 1.0 / x->c[0] : 0.0;
    return tq_jet_apply(
        x, (const double[4]){root, 0.5 * root * s, -0.25 * root * s * s, 0.375 * root * s * s * s});
}

#endif
