/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/delay.c - how much later than torque the logs tell of the motion. */
#include <math.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "core/elementary/elementary.h"
#include "core/identify/high_frequency_inertia.h"

/* Controllers estimate velocity and stamp it when it comes: what torque answers to has been some
 * milliseconds before. What shakes faster than the filter lets through tells of it, and of nothing
 * else: torque and acceleration must then be in step. (A sign of friction that is late says so too,
 * but so does a wrong law of friction.) One delay for all logs and joints is tried at half samples,
 * downhill, then where a parabola has its least. On nine logs of an UR10e it is 6 ms: beyond the
 * cut-off the first joints' torque is then their rotors' inertia times acceleration, which takes 12
 * 7 8 11 9 8 % off the errors, each log predicted by a fit of the others. */

enum { SAMPLES = 30000, FARTHEST = 8 }; /* of all logs, at most; half samples */
static const double worse_off = 0.04;   /* of the same of the filtered torque */
static const double gain_least = 0.04;  /* of the logarithm of the square that is left, a joint */

typedef struct search {
    tqa_calibration *c;
    tq_high_frequency_inertia_sums *sums; /* (nv) */
    size_t left;                          /* samples to read; then it is enough */
    bool is_enough;
    double step;
} search;

static bool add_block(void *ctx, const tqa_recording_block *block)
{
    search *s = ctx;
    const size_t nv = s->c->order.nv;
    const tq_experiment_block *data = &block->data;
    const size_t stride = data->stride;
    if (s->left == 0) {
        s->is_enough = true;
        return false;
    }
    for (size_t r = 0; r < nv; r++) {
        tq_high_frequency_inertia_add(&s->sums[r], data->n_sample, data->fast + r * stride,
                                      data->fast + (nv + r) * stride, data->tau + r * stride,
                                      data->tau_raw + r * stride);
    }
    s->left -= data->n_sample < s->left ? data->n_sample : s->left;
    return true;
}

/* ret: the sum of the joints' logarithms of the share that is left */
static bool misfit_at(search *s, double halves, double *ret)
{
    tqa_calibration *c = s->c;
    memset(s->sums, 0, c->order.nv * sizeof *s->sums);
    s->left = SAMPLES;
    s->is_enough = false;
    c->request.options.delay = 0.5 * halves * s->step;
    for (size_t i = 0; s->left > 0 && i < c->n_fitted; i++) {
        if (!tqa_calibration_tell(c, TQA_STAGE_FIT, 0.0, 1, "align") ||
            (!tqa_recording_pass(&c->logs[i], add_block, s) && !s->is_enough)) {
            return false;
        }
    }
    *ret = 0.0;
    for (size_t r = 0; r < c->order.nv; r++) {
        *ret += tq_log(tq_high_frequency_inertia_left_in_step(&s->sums[r]));
    }
    return true;
}

/* ret: half samples. misfits at (at - way, at, at + way) are left, here, right: here the least */
static double least_of_parabola(double at, double way, double left, double here, double right)
{
    const double bend = left - 2.0 * here + right;
    return bend > 0.0 ? at + 0.5 * way * (left - right) / bend : at;
}

static bool find(search *s, double *ret_halves)
{
    double none = 0.0;
    double left = 0.0; /* misfits at `at` - way, `at`, `at` + way */
    double here = 0.0;
    double right = 0.0;
    double at = 0.0;
    double way = 1.0;
    if (!misfit_at(s, 0.0, &none) || !misfit_at(s, 1.0, &right) || !misfit_at(s, -1.0, &left)) {
        return false;
    }
    here = none;
    if (left < right) { /* the other way */
        const double behind = right;
        right = left;
        left = behind;
        way = -1.0;
    }
    while (right < here && fabs(at + way) < (double)FARTHEST) {
        at += way;
        left = here;
        here = right;
        if (!misfit_at(s, at + way, &right)) {
            return false;
        }
    }
    if (right < here) { /* still downhill where the search ends: no least was found */
        *ret_halves = 0.0;
        s->c->finds_delay = false; /* what is answered is not from the data */
        return true;
    }
    at = least_of_parabola(at, way, left, here, right);
    *ret_halves = none - here > gain_least * (double)s->c->order.nv ? at : 0.0;
    return true;
}

bool tqa_calibration_find_delay(tqa_calibration *c)
{
    search s = {.c = c, .step = (double)INFINITY};
    double halves = 0.0;
    for (size_t i = 0; i < c->n_fitted; i++) {
        s.step = fmin(s.step, c->logs[i].signal.step);
    }
    s.sums = tqa_tree_take(c->control, c->order.nv, sizeof *s.sums);
    if (s.sums == NULL || !find(&s, &halves)) {
        return false;
    }
    c->request.options.delay = 0.5 * halves * s.step;
    return true;
}

/* What is left of the filtered torque, by the best of the laws of friction's sign. */
static bool misfit_of_filtered(tqa_calibration *c, double delay, double *usual, double *ret)
{
    const tq_fit_model model = c->options.model;
    *ret = (double)INFINITY;
    c->request.options.delay = delay;
    const double laws[][2] = {
        {0.0, 0.0}, {model.presliding, 0.0}, {model.presliding, model.relaxation}};
    const unsigned n_law = model.presliding == 0.0 ? 1 : model.relaxation == 0.0 ? 2 : 3;
    for (unsigned k = 0; k < n_law; k++) {
        tq_fit_set_sign(c->fit, model.smoothing, laws[k][0], laws[k][1]);
        if (!tqa_calibration_pass(c)) {
            return false;
        }
        *ret = fmin(*ret, tqa_calibration_misfit(c, usual));
    }
    c->options.model = model;
    return true;
}

/* Steps of friction beyond the cut-off look like acceleration at another time. What is left of the
 * filtered torque tells: it cannot be much worse off with the motion where it belongs. On UR10E
 * runs, each alone, it is by 2 % at most; where such steps had made a delay up, by 6.6 % at least.
 * The first pass is not compared: its load is the measured torque, which knows friction. */
bool tqa_calibration_confirm_delay(tqa_calibration *c)
{
    const double found = c->request.options.delay;
    const tq_fit_model *model = &c->options.model;
    double with = 0.0;
    double without = 0.0;
    double *usual = tqa_tree_take(c->control, c->order.nv + 1, sizeof *usual);
    if (!c->finds_delay || found == 0.0 || usual == NULL) {
        return usual != NULL;
    }
    tq_fit_set_search(c->fit, true);
    if (!tqa_calibration_pass(c) || !misfit_of_filtered(c, 0.0, usual, &without) ||
        !misfit_of_filtered(c, found, usual, &with)) {
        return false;
    }
    const bool is_worse = with - without > worse_off * (double)c->order.nv;
    c->request.options.delay = is_worse ? 0.0 : found;
    tq_fit_set_sign(c->fit, model->smoothing, model->presliding, model->relaxation);
    tq_fit_set_search(c->fit, false);
    return true;
}
