/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/trust.c - errors carried along a run by its linearisations. */
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/simulate/exponential.h"
#include "core/simulate/verdict.h"

/* carried errors beyond this say only that everything is lost */
static const double lost = 1e12;

/* ------------------------------------------------------------------------------------------------
 * Torque between points
 */

void tq_table_error_at(const tq_table *table, double t, double *ret_tau)
{
    const tq_waypoints *w = &table->points;
    const size_t n = w->n_coordinate;
    const size_t last = w->n_point - 1;
    memset(ret_tau, 0, n * sizeof *ret_tau);
    if (t < w->t[0] || t > w->t[last]) {
        return;
    }
    size_t k = 0;
    size_t high = last;
    while (high - k > 1) {
        const size_t middle = (k + high) / 2;
        if (t >= w->t[middle]) {
            k = middle;
        } else {
            high = middle;
        }
    }
    /* a smooth f less what runs through its points, on average over a stretch of even points:
       h f' / 2, -h^2 f'' / 12, h^4 f'''' / 720 */
    const double *x = w->x;
    const size_t order = table->interpolation == TQ_INTERPOLATE_HOLD     ? 1
                         : table->interpolation == TQ_INTERPOLATE_LINEAR ? 2
                                                                         : 4;
    if (last < order) {
        return;
    }
    size_t from = k >= order / 2 ? k - order / 2 : 0;
    from = from + order <= last ? from : last - order;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + from * n + i;
        ret_tau[i] = order == 1 ? 0.5 * (p[n] - p[0])
                     : order == 2
                         ? (p[0] - 2.0 * p[n] + p[2 * n]) / -12.0
                         : (p[0] - 4.0 * p[n] + 6.0 * p[2 * n] - 4.0 * p[3 * n] + p[4 * n]) / 720.0;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Errors carried along
 */

size_t tq_trust_carried(size_t n_v)
{
    return 2 * n_v * (2 * n_v + 2);
}

size_t tq_trust_matrix(size_t n_v)
{
    return 4 * n_v * n_v;
}

size_t tq_trust_scratch_size(size_t n_v)
{
    const size_t m = 2 * n_v + 2;
    return 3 * tq_scratch_cost(m * m, sizeof(double)) +
           tq_scratch_cost(tq_trust_carried(n_v), sizeof(double));
}

static void begin(tq_trust *trust)
{
    const size_t n = 2 * trust->n_v;
    memset(trust->carried, 0, tq_trust_carried(trust->n_v) * sizeof(double));
    for (size_t k = 0; k < n; k++) {
        trust->carried[k * n + k] = 1.0;
    }
    trust->has_point = true;
    trust->gain = 1.0;
}

/* largest displacement of a joint by each source */
static void weigh(tq_trust *trust, double tolerance)
{
    const size_t n = 2 * trust->n_v;
    double gain = 0.0;
    double of[2] = {0.0, 0.0};
    bool bad = trust->is_lost;
    for (size_t r = 0; r < trust->n_v; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < n; c++) {
            sum += trust->carried[c * n + r] * trust->carried[c * n + r];
        }
        gain = fmax(gain, sqrt(sum));
        bad = bad || !isfinite(sum);
        for (size_t s = 0; s < 2; s++) {
            of[s] = fmax(of[s], fabs(trust->carried[(n + s) * n + r]));
            bad = bad || !isfinite(trust->carried[(n + s) * n + r]);
        }
    }
    trust->gain = gain;
    trust->error[TQ_ERROR_INTEGRATOR] = tolerance * fmax(1.0, gain);
    trust->error[TQ_ERROR_INPUT] = of[0];
    trust->error[TQ_ERROR_MODEL] = of[1];
    trust->is_lost = bad || !(gain < lost && of[0] < lost && of[1] < lost);
}

tq_status tq_trust_step(tq_trust *trust, double t, const double *matrix, const double *push,
                        double tolerance, tq_scratch *scratch, tq_error *reterr)
{
    const size_t nv = trust->n_v;
    const size_t n = 2 * nv;
    const size_t m = n + 2;
    const size_t mark = tq_scratch_mark(scratch);
    double *x = tq_scratch_take(scratch, m * m, sizeof *x);
    double *rooms[2] = {tq_scratch_take(scratch, m * m, sizeof(double)),
                        tq_scratch_take(scratch, m * m, sizeof(double))};
    double *was = tq_scratch_take(scratch, tq_trust_carried(nv), sizeof *was);
    if (x == NULL || rooms[0] == NULL || rooms[1] == NULL || was == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_trust_scratch_size(nv));
    }
    if (tq_find_not_finite(matrix, n * n) < n * n || tq_find_not_finite(push, n) < n) {
        trust->is_lost = true;
    }
    if (!trust->has_point) {
        begin(trust);
    } else if (!trust->is_lost) {
        const double h = t - trust->t;
        memset(x, 0, m * m * sizeof *x);
        for (size_t c = 0; c < n; c++) {
            for (size_t r = 0; r < n; r++) {
                x[c * m + r] = 0.5 * h * (trust->matrix[r * n + c] + matrix[r * n + c]);
            }
        }
        for (size_t s = 0; s < 2; s++) {
            for (size_t r = 0; r < nv; r++) {
                x[(n + s) * m + nv + r] = 0.5 * h * (trust->push[s * nv + r] + push[s * nv + r]);
            }
        }
        tq_exponential(m, x, rooms[0], rooms[1]);
        memcpy(was, trust->carried, tq_trust_carried(nv) * sizeof *was);
        for (size_t c = 0; c < m; c++) {
            for (size_t r = 0; r < n; r++) {
                double sum = c >= n ? x[c * m + r] : 0.0; /* what was pushed meanwhile */
                for (size_t k = 0; k < n; k++) {
                    sum += x[k * m + r] * was[c * n + k];
                }
                trust->carried[c * n + r] = sum;
            }
        }
    }
    memcpy(trust->matrix, matrix, n * n * sizeof *matrix);
    memcpy(trust->push, push, 2 * nv * sizeof *push);
    trust->t = t;
    weigh(trust, tolerance);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
