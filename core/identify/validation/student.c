/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/student.c - Student's t by the incomplete beta function. */
#include "core/identify/validation/student.h"

#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"

enum { FRACTION_MAX = 500, BISECTION_MAX = 200 };

/* the continued fraction of the incomplete beta function, by Lentz's method */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m <= FRACTION_MAX; m++) {
        const double k = m;
        const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1.0) < 4 * DBL_EPSILON) {
            break;
        }
    }
    return f;
}

/* log of the gamma function for x > 0: Lanczos approximation (Numerical Recipes: g = 7, nine
 * terms). Not lgamma, which writes a global sign */
static double log_gamma(double x)
{
    static const double c[9] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                                771.32342877765313,   -176.61502916214059,   12.507343278686905,
                                -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    const double t = x + 6.5;
    double sum = c[0];
    for (int i = 1; i < 9; i++) {
        sum += c[i] / (x - 1.0 + i);
    }
    return 0.5 * tq_log(2.0 * M_PI) + (x - 0.5) * tq_log(t) - t + tq_log(sum);
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0.0 || x >= 1.0) {
        return x <= 0.0 ? 0.0 : 1.0;
    }
    const double front =
        tq_exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * tq_log(x) + b * tq_log1p(-x));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double tq_student_within(double t, double freedom)
{
    return 1.0 - incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
}

double tq_student_quantile(double confidence, double freedom)
{
    if (!(confidence > 0.0 && confidence < 1.0 && freedom > 0.0)) {
        return (double)NAN;
    }
    double low = 0.0;
    double high = 1.0;
    while (tq_student_within(high, freedom) < confidence && high < DBL_MAX / 2) {
        low = high;
        high *= 2.0;
    }
    for (int k = 0; k < BISECTION_MAX && high - low > 4 * DBL_EPSILON * high; k++) {
        const double middle = 0.5 * (low + high);
        if (tq_student_within(middle, freedom) < confidence) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}
