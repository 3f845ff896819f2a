/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/chord.c - normals along the chord of a motion: what they do no work on keeps its
 * gap. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contact/step_private.h"

/* of the coordinates of a point: smaller changes of what its gap misses are rounding */
static const double rounding = 512.0 * DBL_EPSILON;
/* tilts are less where they would change velocities by more than 1 / steady of their cause */
static const double steady = 20.0;

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

static double missed(const tq_contact_work *w, size_t k, const double *vm, double h)
{
    const double change = w->end.points[w->listed[k]].gap - w->now.points[w->listed[k]].gap;
    return change / h - dot(w->nv, w->mid.rows + 3 * k * w->nv, vm);
}

/* Into w->missed of listed points `from` to before `to`, of one pair: all or none, as points of a
 * face may not contradict each other. */
static void set_missed(tq_contact_work *w, size_t from, size_t to, const double *vm, double h)
{
    bool is_other = false;
    for (size_t k = from; k < to; k++) {
        const double *at = w->mid.points[w->listed[k]].at;
        const double coordinate = fabs(at[0]) + fabs(at[1]) + fabs(at[2]);
        is_other |= fabs(missed(w, k, vm, h) - w->missed[k]) * h > rounding * coordinate;
    }
    for (size_t k = from; is_other && k < to; k++) {
        w->missed[k] = missed(w, k, vm, h);
    }
}

/* Velocities of sliding and of turning, times `reach`, at listed point k: u (5), their rows are
 * those of the tangents and `turn` (3 x nv). Returns |u|^2. */
static double slip(tq_contact_work *w, const tq_configuration *at, size_t k, const double *vm,
                   double *turn, double u[5])
{
    const size_t nv = w->nv;
    const tq_contact_point *point = &w->mid.points[w->listed[k]];
    const double *row = w->mid.rows + 3 * k * nv;
    const double reach = tq_contact_reach(w->contacts, point->pair);
    double square = 0.0;
    tq_contact_turns(w->contacts, at, point, w->jacobian, turn);
    for (size_t i = 0; i < 5; i++) {
        u[i] = i < 2 ? dot(nv, row + (1 + i) * nv, vm) : reach * dot(nv, turn + (i - 2) * nv, vm);
        square += u[i] * u[i];
    }
    return square;
}

/* The tilt of normal k: the multiple of its slip that makes (J_n + tilt) vm what J_n vm and
 * w->bend add up to; p_n times it is added to w->tilted. A force along the tangents and a couple
 * act on both bodies, with opposite signs. */
static void tilt(tq_contact_work *w, const tq_configuration *at, size_t k, const double *vm)
{
    const size_t nv = w->nv;
    const double *row = w->mid.rows + 3 * k * nv;
    const double reach = tq_contact_reach(w->contacts, w->mid.points[w->listed[k]].pair);
    double *turn = w->jacobian + 6 * nv;
    double u[5];
    const double scale = w->bend[k] / fmax(slip(w, at, k, vm, turn, u), DBL_MIN);
    for (size_t i = 0; i < 5; i++) {
        const double *by = i < 2 ? row + (1 + i) * nv : turn + (i - 2) * nv;
        const double part = w->p[3 * k] * scale * u[i] * (i < 2 ? 1.0 : reach);
        for (size_t c = 0; c < nv; c++) {
            w->tilted[c] += part * by[c];
        }
    }
    w->tilt[2 * k] = scale * u[0];
    w->tilt[2 * k + 1] = scale * u[1];
}

/* The points of one pair. Solids that hardly move against each other do not follow the chord: the
 * direction of their slip would depend on the tilt. */
static void bend_pair(tq_contact_work *w, const tq_configuration *at, size_t from, size_t to,
                      const double *vm)
{
    double part = 1.0;
    bool bends = false;
    for (size_t k = from; k < to; k++) {
        bends |= w->missed[k] != 0.0;
        w->bend[k] = w->tilt[2 * k] = w->tilt[2 * k + 1] = 0.0;
    }
    for (size_t k = from; bends && k < to; k++) {
        double u[5];
        const double square = slip(w, at, k, vm, w->jacobian + 6 * w->nv, u);
        const double most = steady * fabs(w->missed[k]) * w->push[k];
        part = fmin(part, square / fmax(square + most, DBL_MIN));
    }
    for (size_t k = from; bends && k < to; k++) {
        w->bend[k] = part * w->missed[k];
        tilt(w, at, k, vm);
    }
}

tq_status tq_contact_at_middle(tq_contact_work *w, const double *q, const double *vm, double h)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status = tq_configuration_compute(w->model, q, NULL, w->scratch, &at, w->error);
    memset(w->tilted, 0, w->nv * sizeof *w->tilted);
    for (size_t k = 0; status == TQ_OK && k < w->n_listed; k++) {
        tq_contact_point *point = &w->mid.points[w->listed[k]];
        tq_contact_follow(w->contacts, &at, &w->now.points[w->listed[k]], point);
        tq_contact_rows(w->contacts, &at, point, w->jacobian, w->mid.rows + 3 * k * w->nv);
    }
    for (size_t k = 0, to = 0; status == TQ_OK && k < w->n_listed; k = to) {
        const size_t pair = w->now.points[w->listed[k]].pair;
        while (to < w->n_listed && w->now.points[w->listed[to]].pair == pair) {
            to++;
        }
        set_missed(w, k, to, vm, h);
        bend_pair(w, &at, k, to, vm);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}
