/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/differentiate.c - derivatives of uniformly sampled signals. */
#include "core/signal/differentiate.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/elementary/elementary.h"

void tq_difference(size_t n, const double *x, double h, double *ret)
{
    assert(n >= 3 && x != ret);
    const double each = 0.5 / h;
    ret[0] = each * (4.0 * x[1] - 3.0 * x[0] - x[2]);
    for (size_t k = 1; k + 1 < n; k++) {
        ret[k] = each * (x[k + 1] - x[k - 1]);
    }
    ret[n - 1] = each * (3.0 * x[n - 1] - 4.0 * x[n - 2] + x[n - 3]);
}

/* Gram polynomials of degree 0 .. degree over -m .. m and their derivative s at i:
 * P_k = c1 (i P_k-1 + s P_k-1^(s-1)) - c2 P_k-2; all orders up to s, column by column */
static void gram(double i, double m, unsigned degree, unsigned s_max,
                 double ret[3][TQ_SMOOTH_DEGREE_MAX + 1])
{
    for (unsigned s = 0; s <= s_max; s++) {
        for (unsigned k = 0; k <= degree; k++) {
            if (k == 0) {
                ret[s][k] = s == 0 ? 1.0 : 0.0;
                continue;
            }
            const double kk = (double)k;
            const double c1 = (4.0 * kk - 2.0) / (kk * (2.0 * m - kk + 1.0));
            const double c2 = (kk - 1.0) * (2.0 * m + kk) / (kk * (2.0 * m - kk + 1.0));
            const double lower = s > 0 ? (double)s * ret[s - 1][k - 1] : 0.0;
            const double before = k > 1 ? ret[s][k - 2] : 0.0;
            ret[s][k] = c1 * (i * ret[s][k - 1] + lower) - c2 * before;
        }
    }
}

/* n (n-1) ... (n-k+1) */
static double falling(double n, unsigned k)
{
    double product = 1.0;
    for (unsigned j = 0; j < k; j++) {
        product *= n - (double)j;
    }
    return product;
}

/* weights of the window's samples for the derivative at its sample t, -m .. m */
static void weigh(const tq_window *window, double t, double *ret)
{
    const double m = 0.5 * (double)(window->length - 1);
    const unsigned degree = window->degree;
    double here[3][TQ_SMOOTH_DEGREE_MAX + 1];
    double there[3][TQ_SMOOTH_DEGREE_MAX + 1];
    gram(t, m, degree, window->derivative, here);
    for (size_t k = 0; k < window->length; k++) {
        gram((double)k - m, m, degree, 0, there);
        double sum = 0.0;
        for (unsigned d = 0; d <= degree; d++) {
            sum += (2.0 * (double)d + 1.0) * falling(2.0 * m, d) /
                   falling(2.0 * m + (double)d + 1.0, d + 1) * there[0][d] *
                   here[window->derivative][d];
        }
        ret[k] = sum;
    }
}

static double weighted(size_t n, const double *w, const double *x)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += w[k] * x[k];
    }
    return sum;
}

size_t tq_smooth_scratch_size(size_t length)
{
    return tq_scratch_cost(length, sizeof(double));
}

tq_status tq_smooth(const tq_window *window, size_t n, const double *x, double *ret,
                    tq_scratch *scratch, tq_error *reterr)
{
    assert(x != ret && scratch != NULL);
    const size_t length = window->length;
    if (length % 2 == 0 || length < 3 || length > TQ_SMOOTH_WINDOW_MAX || length > n) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "window", 0, (double)length);
    }
    if (window->degree >= length || window->degree > TQ_SMOOTH_DEGREE_MAX ||
        window->derivative > 2 || window->derivative > window->degree) {
        return tq_fail(reterr, TQ_ERR_RANGE, "degree", 0, (double)window->degree);
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *w = tq_scratch_take(scratch, length, sizeof *w);
    if (w == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_smooth_scratch_size(length));
    }
    const size_t m = length / 2;
    const double each = tq_pow(window->h, -(double)window->derivative);
    for (size_t k = 0; k < m; k++) {
        const double t = (double)k - (double)m;
        weigh(window, t, w);
        ret[k] = each * weighted(length, w, x);
        weigh(window, -t, w);
        ret[n - 1 - k] = each * weighted(length, w, x + n - length);
    }
    weigh(window, 0.0, w);
    for (size_t k = m; k + m < n; k++) {
        ret[k] = each * weighted(length, w, x + k - m);
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

size_t tq_smooth_half_gain_size(size_t length)
{
    return 2 * tq_scratch_cost(2 * length + 1, sizeof(double)) + tq_smooth_scratch_size(length);
}

/* gain of a symmetric window around sample `middle` */
static double gain_at(const double *weight, size_t length, size_t middle, double frequency)
{
    double gain = weight[middle];
    for (size_t k = 1; k <= length / 2; k++) {
        gain += 2.0 * weight[middle + k] * tq_cos(2.0 * M_PI * frequency * (double)k);
    }
    return gain;
}

tq_status tq_smooth_half_gain(const tq_window *window, tq_scratch *scratch, double *ret,
                              tq_error *reterr)
{
    const size_t n = 2 * window->length + 1;
    const size_t mark = tq_scratch_mark(scratch);
    double *pulse = tq_scratch_take(scratch, n, sizeof *pulse);
    double *weight = tq_scratch_take(scratch, n, sizeof *weight);
    if (pulse == NULL || weight == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_smooth_half_gain_size(window->length));
    }
    memset(pulse, 0, n * sizeof *pulse);
    pulse[window->length] = 1.0;
    const tq_status status = tq_smooth(window, n, pulse, weight, scratch, reterr);
    double low = 0.0; /* a lobe of the gain is wider than a quarter of 1 / length */
    double high = 0.0;
    while (status == TQ_OK && high < 0.5 &&
           gain_at(weight, window->length, window->length, high) > 0.5) {
        low = high;
        high = fmin(high + 0.25 / (double)window->length, 0.5);
    }
    for (unsigned k = 0; status == TQ_OK && k < 50; k++) {
        const double middle = 0.5 * (low + high);
        const bool is_above = gain_at(weight, window->length, window->length, middle) > 0.5;
        low = is_above ? middle : low;
        high = is_above ? high : middle;
    }
    *ret = 0.5 * (low + high);
    tq_scratch_rewind(scratch, mark);
    return status;
}
