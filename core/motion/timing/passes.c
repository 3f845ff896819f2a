/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/passes.c - controllable sets from the end, largest u from the start. */
#include <math.h>

#include "core/motion/timing/optimal_private.h"

static const double unlimited = 1e12; /* 1/s^2: of x where no velocity limit is given */

static tq_path_rows rows_of(const tq_stretch *p, size_t i)
{
    double *at = p->rows + 3 * i * p->n_bound;
    return (tq_path_rows){.n = (long)p->n_bound,
                          .floor = p->floor[i],
                          .cap = p->cap[i],
                          .upper = at,
                          .lower = at + p->n_bound,
                          .beta = at + 2 * p->n_bound};
}

static void build(tq_stretch *p, size_t i)
{
    const tq_path_interval interval = tq_stretch_interval(p, i);
    tq_path_rows rows = rows_of(p, i);
    rows.floor = 0.0;
    rows.cap = unlimited;
    p->kernels->path_rows(&interval, &rows);
    p->floor[i] = rows.floor;
    p->cap[i] = rows.cap;
}

/* The set of x at grid point i from which u leads into that of point i + 1. */
static int control(tq_stretch *p, size_t i)
{
    const double twice = 2.0 * (p->grid[i + 1] - p->grid[i]);
    tq_path_rows rows = rows_of(p, i);
    double range[2];
    rows.upper[rows.n - 1] = p->high[i + 1] / twice;
    rows.lower[rows.n - 1] = p->low[i + 1] / twice;
    rows.beta[rows.n - 1] = -1.0 / twice;
    if (!p->kernels->path_range(&rows, p->high[i + 1], range)) {
        return 0;
    }
    p->moved[i] = range[0] != p->low[i] || range[1] != p->high[i];
    p->low[i] = range[0];
    p->high[i] = range[1];
    return 1;
}

static int backward(tq_stretch *p, size_t *ret_at)
{
    const size_t n = p->n_grid;
    p->low[n] = p->high[n] = 0.0;
    p->moved[n] = 0;
    for (size_t i = n; i-- > 0;) {
        *ret_at = i;
        p->moved[i] = 0;
        if (p->stale[i]) {
            build(p, i);
        }
        if ((p->stale[i] || p->moved[i + 1]) && !control(p, i)) {
            return 0;
        }
    }
    return 1;
}

int tq_stretch_solve(tq_stretch *p, size_t *ret_at)
{
    const size_t n = p->n_grid;
    if (!backward(p, ret_at)) {
        return 0;
    }
    *ret_at = 0;
    if (p->low[0] > 0.0) {
        return 0;
    }
    int moves = p->x[0] != 0.0; /* of x[i] */
    p->x[0] = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (!moves && !p->stale[i] && !p->moved[i + 1]) {
            continue;
        }
        const double twice = 2.0 * (p->grid[i + 1] - p->grid[i]);
        const tq_path_rows rows = rows_of(p, i);
        const double u =
            fmin(p->kernels->path_upper(&rows, p->x[i]), (p->high[i + 1] - p->x[i]) / twice);
        const double x = fmax(fmin(p->x[i] + twice * u, p->high[i + 1]), p->low[i + 1]);
        p->touched[i] = p->touched[i] || moves || x != p->x[i + 1];
        moves = x != p->x[i + 1];
        p->x[i + 1] = x;
        p->u[i] = (x - p->x[i]) / twice;
        p->stale[i] = 0;
        if (!(p->x[i] + x > 0.0)) { /* it cannot leave rest */
            *ret_at = i;
            return 0;
        }
    }
    return 1;
}
