/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_rows.c - friction's shapes along the windows of a log, which remember
 * what
 * standing joints hold. */
#include <math.h>
#include <string.h>

#include "core/signal/pass_private.h"
#include "core/identify/friction_regressor.h"

bool tqa_friction_rows_open(tqa_friction_rows *s, const tqa_recording *log, size_t stride,
                            tqa_buffer_pools *rooms)
{
    const tqa_recording_request *request = log->request;
    const bool filters = request->filter.kind != TQA_RECORDING_NO_FILTER;
    const size_t nv = request->order->nv;
    *s = (tqa_friction_rows){
        .nv = nv, .stride = stride, .gives_way = tqa_recording_gives_displacement(log)};
    if (request->fit == NULL || !filters) {
        return true; /* blocks' own rates and ways tell them */
    }
    const size_t n_sign = tq_friction_regressor_remember(request->fit) ? nv : 0;
    s->fit = request->fit;
    s->model = request->control->robot->model;
    s->n = tq_shape_count(request->fit);
    s->gives_way = false;
    s->rows = tqa_buffer_pool_take(rooms, s->n * stride * sizeof *s->rows);
    s->signs = tqa_buffer_pool_take(rooms, (n_sign * stride + 1) * sizeof *s->signs);
    s->state = tqa_buffer_pool_take(rooms, nv * sizeof *s->state);
    return s->rows != NULL && s->signs != NULL && s->state != NULL;
}

void tqa_friction_rows_close(tqa_friction_rows *s, tqa_buffer_pools *rooms)
{
    tqa_buffer_pool_give(rooms, s->rows);
    tqa_buffer_pool_give(rooms, s->signs);
    tqa_buffer_pool_give(rooms, s->state);
}

/* The signs before the first sample of the window: out of the window before, or the last of the
 * segment before, which is all that is known of what standing joints hold. */
static void find_state(tqa_friction_rows *s, uint64_t lowest)
{
    for (size_t r = 0; r < s->nv; r++) {
        const double *signs = s->signs + r * s->stride;
        if (s->n_sign == 0) {
            s->state[r] = (double)NAN;
        } else if (!s->follows || lowest >= s->signs_from + s->n_sign) {
            s->state[r] = signs[s->n_sign - 1];
        } else if (lowest > s->signs_from) {
            s->state[r] = signs[lowest - 1 - s->signs_from];
        } /* else the same window again, with more behind it */
    }
}

/* the way of each step by its coordinate, for lack of a better one */
static void find_way(const tqa_friction_rows *s, size_t m, const double *q)
{
    for (uint32_t j = 0; j < s->model->n_joint; j++) {
        const tq_joint *joint = &s->model->joints[j];
        if (joint->nq != 1 || joint->nv != 1) {
            continue;
        }
        const double *x = q + joint->q_index * s->stride;
        double *way = s->rows + joint->v_index * s->stride;
        way[0] = 0.0;
        for (size_t i = 1; i < m; i++) {
            way[i] = x[i] - x[i - 1];
        }
    }
}

void tqa_friction_rows_find(tqa_friction_rows *s, uint64_t lowest, size_t m, double step,
                            const double *q, const double *qd, const double *way)
{
    tq_stretch stretch = {.n_sample = m, .stride = s->stride, .qd = qd, .way = way, .period = step};
    if (!tq_friction_regressor_remember(s->fit)) {
        tq_friction_regressor_compute(s->fit, &stretch, NULL, s->rows);
        return;
    }
    if (way == NULL) {
        find_way(s, m, q);
        stretch.way = s->rows;
    }
    find_state(s, lowest);
    tq_friction_regressor_compute(s->fit, &stretch, s->state, s->rows);
    for (size_t r = 0; r < s->nv; r++) {
        memcpy(s->signs + r * s->stride, s->rows + r * s->stride, m * sizeof *s->signs);
    }
    s->signs_from = lowest;
    s->n_sign = m;
    s->follows = true;
}
