/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/own/own_rows.c - the motion of joints with a cut-off of their own within a window. */
#include <string.h>

#include "core/signal/differentiate.h"
#include "core/signal/pass_private.h"

static bool is_own(const tq_pass *p, size_t r)
{
    const tq_recording_filter *filter = &p->options->filter;
    return filter->own[r] < filter->cutoff;
}

/* Everything else of the window, torque, friction and their rates, passes the filter of all: so
 * nothing but q, qd and qdd of these joints changes. A window that does not end its segment is
 * longer than all borders, and a segment that is too short for this one has the filter of all. */
void tq_own_keep(tq_pass *p, uint64_t lowest, size_t m, bool ends)
{
    double *to = p->own;
    p->uses_own =
        p->plan.n_own > 0 && (!ends || tq_emit_border(p, lowest + m) == p->plan.own_border);
    for (size_t r = 0; p->uses_own && r < p->options->model->nv; r++) {
        for (tq_quantity q = TQ_QUANTITY_Q; is_own(p, r) && q <= TQ_QUANTITY_QDD; q++) {
            if (tq_pass_has(p, q)) {
                memcpy(to, tq_pass_channel(p, q, r), m * sizeof *to);
            }
            to += p->n_uniform;
        }
    }
}

/* The row of a quantity to replace: recorded, or a derivative of positions. */
static double *row_of(const tq_pass *p, tq_quantity quantity, size_t r)
{
    const size_t derived = quantity == TQ_QUANTITY_QDD ? p->options->model->nv + r : r;
    return tq_pass_has(p, quantity) ? tq_pass_channel(p, quantity, r)
                                    : p->derived + derived * p->n_uniform;
}

void tq_own_put(tq_pass *p, size_t m)
{
    const tq_recording_filter *of = &p->options->filter;
    const double h = p->recording->step;
    double *from = p->own;
    for (size_t r = 0; p->uses_own && r < p->options->model->nv; r++) {
        tq_filter filter;
        const double *before = NULL;
        if (!is_own(p, r) ||
            tq_filter_butterworth(of->order, of->own[r], 1.0 / h, &filter, NULL) != TQ_OK) {
            continue;
        }
        for (tq_quantity q = TQ_QUANTITY_Q; q <= TQ_QUANTITY_QDD; q++, from += p->n_uniform) {
            double *row = row_of(p, q, r);
            if (tq_pass_has(p, q)) {
                tq_filter_pass(p, &filter, tq_filter_ends_of(p, q), m, 1, from);
                memcpy(row, from, m * sizeof *from);
            } else if (before != NULL) {
                tq_difference(m, before, h, row);
            }
            before = row;
        }
    }
}
