/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_rows.c - friction regressors along the windows of a pass, with the state
 * of joints at rest carried from window to window. */
#include "core/identify/friction_rows.h"

#include <math.h>
#include <string.h>

#include "core/identify/friction_regressor.h"
#include "core/identify/regression/fit_private.h"

typedef struct friction_rows {
    const tq_fit *fit;
    const tq_model *model;
    size_t nv, stride;
    double *signs;       /* (nv x stride) the first rows before any filter */
    double *state;       /* (nv) signs before the first sample; NaN: there is none */
    uint64_t signs_from; /* index of the sample at which signs begin */
    size_t n_sign;       /* number of samples with signs; 0: no state yet */
    bool follows;        /* signs belong to the present segment, else to the one before */
} friction_rows;

static size_t size_of(const void *of, size_t stride)
{
    const tq_fit *fit = of;
    const size_t nv = fit->n_row;
    const size_t n_sign = tq_friction_regressor_remember(fit) ? nv : 0;
    return tq_scratch_cost(1, sizeof(friction_rows)) +
           tq_scratch_cost(n_sign * stride + 1, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(double));
}

static void *begin(const void *of, size_t stride, tq_scratch *memory)
{
    const tq_fit *fit = of;
    const size_t nv = fit->n_row;
    const size_t n_sign = tq_friction_regressor_remember(fit) ? nv : 0;
    friction_rows *s = tq_scratch_take(memory, 1, sizeof *s);
    double *signs = tq_scratch_take(memory, n_sign * stride + 1, sizeof *signs);
    double *state = tq_scratch_take(memory, nv, sizeof *state);
    if (s == NULL || signs == NULL || state == NULL) {
        return NULL;
    }
    *s = (friction_rows){.fit = fit,
                         .model = tq_mechanism_model(fit->mechanism),
                         .nv = nv,
                         .stride = stride,
                         .signs = signs,
                         .state = state};
    return s;
}

static void begin_segment(void *state)
{
    friction_rows *s = state;
    s->follows = false;
}

/* The signs before the first sample of the window: those of the window before, else the last signs
 * of the segment before, the only information about joints at rest. */
static void find_state(friction_rows *s, uint64_t lowest)
{
    for (size_t r = 0; r < s->nv; r++) {
        const double *signs = s->signs + r * s->stride;
        if (s->n_sign == 0) {
            s->state[r] = (double)NAN;
        } else if (!s->follows || lowest >= s->signs_from + s->n_sign) {
            s->state[r] = signs[s->n_sign - 1];
        } else if (lowest > s->signs_from) {
            s->state[r] = signs[lowest - 1 - s->signs_from];
        } /* else the same window is read again, with more samples after it */
    }
}

/* displacement of each step as a difference of q, if the pass has none */
static void find_displacement(const friction_rows *s, size_t m, const double *q, double *ret)
{
    for (uint32_t j = 0; j < s->model->n_joint; j++) {
        const tq_joint *joint = &s->model->joints[j];
        if (joint->nq != 1 || joint->nv != 1) {
            continue;
        }
        const double *x = q + joint->q_index * s->stride;
        double *way = ret + joint->v_index * s->stride;
        way[0] = 0.0;
        for (size_t i = 1; i < m; i++) {
            way[i] = x[i] - x[i - 1];
        }
    }
}

/* -e, -e' or -s of unknown gains, 0 where the recording has torque of its own */
static void put_gains(const friction_rows *s, const tq_parallel_window *window, double *ret)
{
    for (size_t t = 0; t < s->fit->n_term; t++) {
        const tq_fit_term *term = &s->fit->terms[t];
        double *row = ret + (s->nv + term->friction_row) * s->stride;
        for (size_t i = 0; tq_column_is_gain(term->kind) && i < window->n; i++) {
            row[i] = term->gain < window->n_gain ? -window->gains[term->gain * s->stride + i] : 0.0;
        }
    }
}

static void compute(void *state, const tq_parallel_window *window, double *ret)
{
    friction_rows *s = state;
    put_gains(s, window, ret);
    tq_stretch stretch = {.n_sample = window->n,
                          .stride = s->stride,
                          .qd = window->qd,
                          .way = window->way,
                          .period = window->step};
    if (!tq_friction_regressor_remember(s->fit)) {
        tq_friction_regressor_compute(s->fit, &stretch, NULL, ret);
        return;
    }
    if (window->way == NULL) {
        find_displacement(s, window->n, window->q, ret);
        stretch.way = ret;
    }
    find_state(s, window->lowest);
    tq_friction_regressor_compute(s->fit, &stretch, s->state, ret);
    for (size_t r = 0; r < s->nv; r++) {
        memcpy(s->signs + r * s->stride, ret + r * s->stride, window->n * sizeof *s->signs);
    }
    s->signs_from = window->lowest;
    s->n_sign = window->n;
    s->follows = true;
}

tq_parallel_rows tq_friction_rows(const tq_fit *fit)
{
    return (tq_parallel_rows){.of = fit,
                              .n = tq_friction_row_count(fit),
                              .size = size_of,
                              .begin = begin,
                              .segment = begin_segment,
                              .compute = compute};
}
