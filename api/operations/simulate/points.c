/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/points.c - states of a run at the ends of its steps, independent of its
   outputs: points of linearisation. */
#include <math.h>
#include <string.h>

#include "api/operations/simulate/simulate.h"

enum { POINTS_MAX = 2048, POINTS_LEAST = 64, NUMBERS_MAX = 1 << 19 };

bool tqa_points_open(tqa_simulation *s)
{
    tqa_points *p = &s->judge.points;
    p->width = 1 + s->order.nq + 2 * s->order.nv + 6 * s->plant.n_wrench;
    const size_t fit = NUMBERS_MAX / p->width;
    p->most = fit > POINTS_MAX ? POINTS_MAX : fit > POINTS_LEAST ? fit : POINTS_LEAST;
    p->rows = tqa_tree_take(s->tree, (p->most + 1) * p->width, sizeof *p->rows);
    return p->rows != NULL;
}

/* every second one is enough from now on */
static void thin(tqa_points *p, double t)
{
    const size_t n = (p->n + 1) / 2;
    for (size_t k = 1; k < n; k++) {
        memcpy(p->rows + k * p->width, p->rows + 2 * k * p->width, p->width * sizeof *p->rows);
    }
    p->n = n;
    p->apart = (t - p->rows[0]) / (0.5 * (double)p->most);
}

static void note(tqa_simulation *s, bool is_last)
{
    tqa_points *p = &s->judge.points;
    const double t = s->run->t;
    if (p->rows == NULL) {
        return;
    }
    if (p->n == p->most && !is_last) {
        thin(p, t);
    }
    const double last = p->n > 0 ? p->rows[(p->n - 1) * p->width] : -(double)INFINITY;
    if (!(t > last) || (!is_last && t < last + p->apart)) {
        return;
    }
    tq_error error = {0};
    if (tq_run_rates(s->run, &s->rates, &error) != TQ_OK) {
        return; /* the run ends there */
    }
    double *to = p->rows + p->n * p->width;
    const double *from[] = {s->run->state->q, s->run->state->qd, s->rates.qd, s->rates.wrench};
    const size_t n[] = {s->order.nq, s->order.nv, s->order.nv, 6 * s->plant.n_wrench};
    *to++ = t;
    for (unsigned k = 0; k < 4; k++) {
        for (size_t r = 0; r < n[k]; r++) {
            *to++ = from[k][r * TQ_BLOCK_PAD];
        }
    }
    p->n++;
}

void tqa_points_note(void *ctx)
{
    note(ctx, false);
}

void tqa_points_end(tqa_simulation *s)
{
    note(s, true);
}
