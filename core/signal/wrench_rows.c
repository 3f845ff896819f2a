/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/wrench_rows.c - recorded external wrenches: their generalised forces are added to the
 * torque of each row. */
#include "core/signal/wrench_rows.h"

#include <string.h>

#include "core/base/block.h"

enum { WRENCH = 6 };
_Static_assert((int)TQ_RAW_ROWS <= (int)TQ_BLOCK, "a run of rows is a block");

struct tq_wrench_rows {
    const tq_mechanism *mechanism;
    size_t nq, nv, n;
    tq_external_wrench *list; /* (n) over rows of `values` */
    double *values;           /* (6 n x TQ_RAW_ROWS) of the run */
    double *motion;           /* (nq + nv) x TQ_BLOCK_STRIDE: q, and -J^T w */
    tq_scratch scratch;
};

static size_t motion_count(const tq_model *model)
{
    return ((size_t)model->nq + model->nv) * TQ_BLOCK_STRIDE;
}

size_t tq_wrench_rows_size(const tq_mechanism *mechanism, size_t n)
{
    return tq_scratch_cost(1, sizeof(tq_wrench_rows)) +
           tq_scratch_cost(n, sizeof(tq_external_wrench)) +
           tq_scratch_cost(WRENCH * n * TQ_RAW_ROWS, sizeof(double)) +
           tq_scratch_cost(motion_count(tq_mechanism_model(mechanism)), sizeof(double)) +
           tq_scratch_cost(tq_inverse_scratch_size(mechanism, n), 1);
}

tq_wrench_rows *tq_wrench_rows_begin(const tq_mechanism *mechanism, const tq_wrench_place *places,
                                     size_t n, tq_scratch *memory)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    const size_t size = tq_inverse_scratch_size(mechanism, n);
    tq_wrench_rows *w = tq_scratch_take(memory, 1, sizeof *w);
    tq_external_wrench *list = tq_scratch_take(memory, n, sizeof *list);
    double *values = tq_scratch_take(memory, WRENCH * n * TQ_RAW_ROWS, sizeof *values);
    double *motion = tq_scratch_take(memory, motion_count(model), sizeof *motion);
    void *inner = tq_scratch_take(memory, size, 1);
    if (w == NULL || list == NULL || values == NULL || motion == NULL || inner == NULL) {
        return NULL;
    }
    memset(values, 0, WRENCH * n * TQ_RAW_ROWS * sizeof *values);
    memset(motion, 0, motion_count(model) * sizeof *motion);
    *w = (tq_wrench_rows){.mechanism = mechanism,
                          .nq = model->nq,
                          .nv = model->nv,
                          .n = n,
                          .list = list,
                          .values = values,
                          .motion = motion};
    tq_scratch_init(&w->scratch, inner, size);
    for (size_t k = 0; k < n; k++) {
        list[k] = (tq_external_wrench){.link = places[k].link,
                                       .expressed_in = places[k].expressed_in,
                                       .rows = tq_wrench_row(w, k, 0),
                                       .row_stride = TQ_RAW_ROWS,
                                       .sample_step = 1};
        memcpy(list[k].at, places[k].at, sizeof list[k].at);
    }
    return w;
}

double *tq_wrench_row(const tq_wrench_rows *rows, size_t w, size_t k)
{
    return rows->values + (WRENCH * w + k) * TQ_RAW_ROWS;
}

/* q of the run; rows that are left out may hold anything, and get that of another row. False: no
 * row is good. */
static bool copy_motion(const tq_wrench_rows *w, const tq_channels *channels, const tq_raw_run *run,
                        size_t n)
{
    size_t good = 0;
    while (good < n && run->state[good] != TQ_ROW_GOOD) {
        good++;
    }
    if (good == n) {
        return false;
    }
    for (size_t k = 0; k < w->nq; k++) {
        const double *from = run->values + (channels->first[TQ_QUANTITY_Q] + k) * TQ_RAW_ROWS;
        double *to = w->motion + k * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < n; i++) {
            to[i] = from[run->state[i] == TQ_ROW_GOOD ? i : good];
        }
    }
    for (size_t k = 0; k < WRENCH * w->n; k++) {
        for (size_t i = 0; i < n; i++) {
            double *x = &w->values[k * TQ_RAW_ROWS + i];
            *x = run->state[i] == TQ_ROW_GOOD ? *x : 0.0;
        }
    }
    return true;
}

tq_status tq_wrench_rows_add(tq_wrench_rows *rows, const tq_channels *channels, const bool *used,
                             const tq_raw_run *run, size_t n, tq_error *reterr)
{
    static const double weightless[3] = {0.0, 0.0, 0.0};
    if (n == 0 || !copy_motion(rows, channels, run, n)) {
        return TQ_OK;
    }
    double *tau = rows->motion + rows->nq * TQ_BLOCK_STRIDE;
    const tq_inverse_input in = {
        .n_sample = n,
        .stride = TQ_BLOCK_STRIDE,
        .q = rows->motion,
        .wrenches = rows->list,
        .n_wrench = rows->n,
        .gravity = weightless,
        .without = (unsigned)(TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_DRAG)};
    const tq_status status = tq_inverse_dynamics(rows->mechanism, &in, &rows->scratch, tau, reterr);
    for (size_t r = 0; status == TQ_OK && r < rows->nv; r++) {
        double *to = run->values + (channels->first[TQ_QUANTITY_TAU] + r) * TQ_RAW_ROWS;
        for (size_t i = 0; (used == NULL || used[r]) && i < n; i++) {
            to[i] -= tau[r * TQ_BLOCK_STRIDE + i];
        }
    }
    return status;
}
