/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/torque_table.c - a torque table that acts on a plant. */
#include "core/plant/torque_table.h"

#include <math.h>

#include "core/base/search.h"

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_table *table = ctx;
    const size_t n = table->points.n_coordinate;
    const size_t mark = tq_scratch_mark(scratch);
    double *now = tq_scratch_take(scratch, n, sizeof *now);
    if (now == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_scratch_cost(n, sizeof(double)));
    }
    tq_table_at(table, at->t, now, 1);
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            to->tau[r * at->stride + i] += now[r];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

double tq_table_next_break(void *table, double t, unsigned *ret_order)
{
    const tq_table *of = table;
    const tq_waypoints *w = &of->points;
    *ret_order = of->interpolation == TQ_INTERPOLATE_HOLD     ? 0
                 : of->interpolation == TQ_INTERPOLATE_LINEAR ? 1
                                                              : 3;
    const size_t low = tq_count_until(w->t, w->n_point, t); /* the first point after t */
    if (low == w->n_point) {
        return (double)INFINITY;
    }
    if (low == 0 || low + 1 == w->n_point) { /* first or last point: the slope jumps */
        *ret_order = *ret_order < 1 ? 0 : 1;
    }
    return w->t[low];
}

tq_effect tq_torque_table(tq_table *table)
{
    return (tq_effect){
        .ctx = table,
        .scratch_size = tq_scratch_cost(table->points.n_coordinate, sizeof(double)),
        .act = act,
        .next_break = tq_table_next_break,
    };
}
