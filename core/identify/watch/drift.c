/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/drift.c - friction of windows of time, and its trends. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/sweep.h"
#include "core/identify/validation/student.h"
#include "core/identify/watch/watch_private.h"
#include "core/model/layout.h"

enum { COLUMNS = TQ_WATCH_COLUMNS, FRICTIONS = TQ_WATCH_FRICTIONS, LEAST = 6 };
static const double moving = 0.01;    /* slower samples of a joint are left out */
static const double dependent = 1e-6; /* of a column's square: the part that is independent of the
                                         others */
static const double sure = 0.95;      /* of intervals */
static const double chance = 0.01;    /* probability of one false trend among all tests */

static double sign_of(const tq_joint *joint, double rate)
{
    return joint->friction.smoothing > 0.0 ? tq_tanh(rate / joint->friction.smoothing)
                                           : (double)(rate > 0.0) - (double)(rate < 0.0);
}

/* the joint of a row if it has friction, else NULL */
static const tq_joint *joint_of(const tq_watch *w, size_t row)
{
    const tq_model *model = &w->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1 && model->joints[j].v_index == row &&
            model->joints[j].mimic == TQ_NONE) {
            return &model->joints[j];
        }
    }
    return NULL;
}

static size_t window_of(const tq_watch *w)
{
    const size_t k = w->seen * w->used / w->expected;
    return w->first + (k < w->used ? k : w->used - 1);
}

void tq_watch_add_friction(tq_watch *w, const tq_experiment_block *block, size_t i, const double *t,
                           bool is_free)
{
    const double keeps = tq_observer_keeps(w->observer);
    const size_t at = window_of(w);
    if (is_free) {
        w->times[2 * at] += w->time + t[i];
        w->times[2 * at + 1] += 1.0;
    }
    for (size_t a = 0; a < w->nv; a++) {
        const tq_joint *joint = joint_of(w, a);
        const double rate = block->qd[a * block->stride + i];
        if (joint == NULL) {
            continue;
        }
        const double x[2] = {rate, sign_of(joint, rate)};
        double row[COLUMNS];
        for (unsigned k = 0; k < 2; k++) {
            double *lagged = &w->lagged[2 * a + k], *before = &w->before[2 * a + k];
            *lagged = w->n_since_gap <= 1
                          ? 0.0
                          : keeps * *lagged + 0.5 * (1.0 - keeps) * (x[k] + *before);
            *before = x[k];
            row[k] = *lagged;
        }
        if (!is_free || fabs(rate) < moving) {
            continue;
        }
        row[2] = 1.0;
        row[3] = -w->r[a * TQ_BLOCK_STRIDE + i]; /* friction acts against external torque */
        double *gram = w->grams + (at * w->nv + a) * TQ_WATCH_GRAM;
        for (unsigned b = 0; b < COLUMNS; b++) {
            for (unsigned c = 0; c < COLUMNS; c++) {
                gram[b * COLUMNS + c] += row[b] * row[c];
            }
        }
    }
}

/* Friction of one window: values and the diagonal of the inverse normal matrix. False: too little
 * motion in the window. */
static bool solve_window(const double *gram, double *ret_value, double *ret_inverse)
{
    double a[TQ_WATCH_GRAM];
    memcpy(a, gram, sizeof a);
    for (unsigned k = 0; k < FRICTIONS; k++) {
        if (!(a[(COLUMNS + 1) * k] > dependent * gram[(COLUMNS + 1) * k])) {
            return false;
        }
        tq_sweep(COLUMNS, a, k);
    }
    for (unsigned k = 0; k < FRICTIONS; k++) {
        ret_value[k] = a[k * COLUMNS + FRICTIONS];
        ret_inverse[k] = -a[(COLUMNS + 1) * k];
    }
    return true;
}

typedef struct line_sums {
    double n, w, x, y, xx, xy, yy;
} line_sums;

static void add_point(line_sums *s, double x, double y, double weight)
{
    s->n += 1.0;
    s->w += weight;
    s->x += weight * x;
    s->y += weight * y;
    s->xx += weight * x * x;
    s->xy += weight * x * y;
    s->yy += weight * y * y;
}

/* Weighted least-squares line through the windows; its deviation is estimated from their scatter.
 */
static tq_watch_trend trend_of(const line_sums *s, double length, double n_trend)
{
    tq_watch_trend ret = {.change = (double)NAN, .deviation = (double)NAN};
    if (s->n < (double)LEAST) {
        return ret;
    }
    const double x = s->x / s->w, y = s->y / s->w;
    const double xx = s->xx - s->w * x * x, xy = s->xy - s->w * x * y, yy = s->yy - s->w * y * y;
    if (!(xx > 0.0)) {
        return ret;
    }
    const double slope = xy / xx;
    ret.freedom = s->n - 2.0;
    const double scatter = fmax(yy - slope * xy, 0.0) / ret.freedom;
    ret.change = slope * length;
    ret.deviation = sqrt(scatter / xx) * length;
    ret.start = y - slope * x;
    const double half = tq_student_quantile(sure, ret.freedom) * ret.deviation;
    ret.low = ret.change - half;
    ret.high = ret.change + half;
    ret.is_significant =
        fabs(ret.change) > tq_student_quantile(1.0 - chance / n_trend, ret.freedom) * ret.deviation;
    return ret;
}

void tq_watch_find_trends(tq_watch *w)
{
    for (size_t a = 0; a < w->nv; a++) {
        line_sums sums[FRICTIONS] = {{0}};
        for (size_t k = 0; k < w->n_window; k++) {
            double value[FRICTIONS], inverse[FRICTIONS];
            if (w->times[2 * k + 1] > 0.0 &&
                solve_window(w->grams + (k * w->nv + a) * TQ_WATCH_GRAM, value, inverse)) {
                const double t = w->times[2 * k] / w->times[2 * k + 1];
                for (unsigned f = 0; f < FRICTIONS; f++) {
                    add_point(&sums[f], t, value[f], 1.0 / inverse[f]);
                }
            }
        }
        for (unsigned f = 0; f < FRICTIONS; f++) {
            w->rows[a].trends[f] = trend_of(&sums[f], w->time, (double)FRICTIONS * (double)w->nv);
        }
    }
}
