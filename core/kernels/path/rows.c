/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/path/rows.c - the limits of an interval as bounds on u = sddot, linear in x. */
#include "core/kernels/path/path.h"
#include "core/kernels/symbols.h"
#include "core/lanes/real.h"

static const double no_u = 1e-13; /* |p| over |r|: a row without u, as at zero-inertia points */

/* Rows low <= p u + r x <= high without u bound x. */
static __attribute__((noinline)) void bound_x(const real *p, const real *r, const real *low,
                                              const real *high, tq_path_rows *ret, long at)
{
    double of[4][TQ_LANES];
    store(of[0], *p);
    store(of[1], *r);
    store(of[2], *low);
    store(of[3], *high);
    for (long k = 0; k < TQ_LANES; k++) {
        const double by = of[1][k];
        if (__builtin_fabs(of[0][k]) > no_u * __builtin_fabs(by)) {
            continue;
        }
        ret->upper[at + k] = __builtin_inf();
        ret->lower[at + k] = -__builtin_inf();
        ret->beta[at + k] = 0.0;
        if (by != 0.0) {
            const double x[2] = {of[by > 0.0 ? 2 : 3][k] / by, of[by > 0.0 ? 3 : 2][k] / by};
            ret->floor = x[0] > ret->floor ? x[0] : ret->floor;
            ret->cap = x[1] < ret->cap ? x[1] : ret->cap;
        } else if (of[2][k] > 0.0 || of[3][k] < 0.0) {
            ret->cap = -1.0; /* 0 is outside [low, high]: empty */
        }
    }
}

TQ_INLINE void put(real p, real r, real low, real high, tq_path_rows *ret, long at)
{
    const real by = splat(1.0) / p;
    const real first = high * by;
    const real second = low * by;
    store(ret->upper + at, where_signed(bits_of(p), second, first));
    store(ret->lower + at, where_signed(bits_of(p), first, second));
    store(ret->beta + at, -r * by);
    if (__builtin_expect(not_above(magnitude(p), splat(no_u) * magnitude(r)) != 0, 0)) {
        bound_x(&p, &r, &low, &high, ret, at);
    }
}

/* least v^2 / q'^2 over the joints */
static double most_x(const tq_path_interval *in, long at)
{
    real most[TQ_PATH_LANES / TQ_LANES];
    double of[TQ_PATH_LANES];
    for (long l = 0; l < TQ_PATH_LANES / TQ_LANES; l++) {
        most[l] = splat(__builtin_inf());
    }
    for (long j = 0; j < in->n_row; j += TQ_PATH_LANES) {
        for (long l = 0; l < TQ_PATH_LANES / TQ_LANES; l++) {
            const long k = j + l * TQ_LANES;
            const real v = load(in->velocity + k) * (splat(1.0) - load(in->margin + k));
            const real slope = load(in->slope + at + k);
            most[l] = least_of(most[l], (v * v) / (slope * slope));
        }
    }
    for (long l = 0; l < TQ_PATH_LANES / TQ_LANES; l++) {
        store(of + l * TQ_LANES, most[l]);
    }
    for (long l = 1; l < TQ_PATH_LANES; l++) {
        of[0] = of[l] < of[0] ? of[l] : of[0];
    }
    return of[0];
}

/* p u + r x + rest of node k, for torque: p = a + reach r */
static long put_effort(const tq_path_interval *in, long k, double reach, tq_path_rows *ret,
                       long row)
{
    const double x = in->last[0] + (in->last[1] - in->last[0]) * (double)k / (double)TQ_PATH_PARTS;
    const double *margin = in->margin + 2 * in->n_row;
    for (long j = 0; j < in->n_row; j += TQ_LANES, row += TQ_LANES) {
        const long at = k * in->n_row + j;
        const real per = load(in->per + at);
        const real r = load(in->b + at) + per;
        const real p = tq_fma(splat(reach), r, load(in->a + at));
        const real rest = tq_fnma(splat(x), per, load(in->c + at) + load(in->force + at));
        const real limit = load(in->effort + j) * (splat(1.0) - load(margin + j));
        put(p, r, -limit - rest - load(in->least + at), limit - rest - load(in->most + at), ret,
            row);
    }
    return row;
}

static long put_acceleration(const tq_path_interval *in, long k, double reach, tq_path_rows *ret,
                             long row)
{
    const double *margin = in->margin + in->n_row;
    for (long j = 0; j < in->n_row; j += TQ_LANES, row += TQ_LANES) {
        const long at = k * in->n_row + j;
        const real r = load(in->bend + at);
        const real limit = load(in->acceleration + j) * (splat(1.0) - load(margin + j));
        put(tq_fma(splat(reach), r, load(in->slope + at)), r, -limit, limit, ret, row);
    }
    return row;
}

void TQ_KERNEL(tq_path_rows_of)(const tq_path_interval *in, tq_path_rows *ret)
{
    long row = 0;
    long last = 0;
    double velocity[TQ_PATH_NODES];
    double reaches[TQ_PATH_NODES];
    for (long k = 0; k < TQ_PATH_NODES; k += TQ_PATH_EVERY) {
        const double reach = 2.0 * in->step * (double)k / (double)TQ_PATH_PARTS;
        const double most = most_x(in, k * in->n_row);
        if (k == 0) {
            ret->cap = most < ret->cap ? most : ret->cap;
        } else {
            velocity[last] = most;
            reaches[last++] = reach;
        }
        row = in->effort != (const double *)0 ? put_effort(in, k, reach, ret, row) : row;
        row =
            in->acceleration != (const double *)0 ? put_acceleration(in, k, reach, ret, row) : row;
    }
    for (long k = 0; k < TQ_PATH_LANES; k++, row++) { /* x + reach u <= most */
        ret->upper[row] = k < last ? velocity[k] / reaches[k] : __builtin_inf();
        ret->lower[row] = -__builtin_inf();
        ret->beta[row] = k < last ? -1.0 / reaches[k] : 0.0;
    }
    ret->n = row;
}
