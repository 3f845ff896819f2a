/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/friction_law.c - which law of the sign in friction the data tell of. */
#include <float.h>
#include <math.h>

#include "api/operations/calibrate/calibrate.h"
#include "core/elementary/elementary.h"

enum { STEPS = 4 };
static const double nothing_left = 1e-4; /* of a joint's torque: which law it is does not matter */
static const double sign_gain = 0.05;    /* of the logarithm of what is left, a joint */
static const double width_gain = 0.01;   /* of the mean square that is left */
static const double gain_least = 1e-4;   /* else the default stays */
static const double nearer[] = {0.15, 0.03}; /* of a width: the second look, the third */

/* What the joints' torque is left with, as the sum of logarithms: no joint's size matters, nor do
 * residuals of a ten-thousandth of its torque. usual: (nv) room. */
double tqa_calibration_misfit(const tqa_calibration *c, double *usual)
{
    double sum = 0.0;
    tq_fit_usual_torque(c->fit, usual);
    for (size_t r = 0; r < c->order.nv; r++) {
        const double least = fmax(nothing_left * sqrt(usual[r]), DBL_MIN);
        sum += tq_log(fmax(c->solution.sigma[r], least));
    }
    return sum;
}

/* The mean square that is left where a sign turns within exp(at). */
static bool left_at(tqa_calibration *c, double *usual, double at, double *ret_left)
{
    tq_fit_set_sign(c->fit, tq_exp(at), 0.0, 0.0);
    if (!tqa_calibration_pass(c)) {
        return false;
    }
    *ret_left = tq_exp(2.0 * tqa_calibration_misfit(c, usual) / (double)c->order.nv);
    return true;
}

/* Three widths, as logarithms, the least first, with what they leave. */
typedef struct valley {
    double at[3], left[3];
} valley;

/* Three widths about `at`, so far apart. */
static bool look_about(tqa_calibration *c, double *usual, double at, double apart, valley *ret)
{
    for (unsigned i = 0; i < 3; i++) {
        ret->at[i] = at + ((double)i - 1.0) * apart;
        if (!left_at(c, usual, ret->at[i], &ret->left[i])) {
            return false;
        }
    }
    return true;
}

/* Downhill by steps as far as they are apart, while each takes such a part off. */
static bool go_down(tqa_calibration *c, double *usual, double gain, valley *v)
{
    const unsigned side = v->left[2] < v->left[0] ? 2 : 0;
    const double way = v->at[side] - v->at[1];
    for (unsigned k = 1; k < STEPS && v->left[side] < (1.0 - gain) * v->left[1]; k++) {
        const double at = v->at[side] + way;
        double left = 0.0;
        if (!left_at(c, usual, at, &left)) {
            return false;
        }
        v->at[2 - side] = v->at[1];
        v->left[2 - side] = v->left[1];
        v->at[1] = v->at[side];
        v->left[1] = v->left[side];
        v->at[side] = at;
        v->left[side] = left;
    }
    return true;
}

/* where a parabola through the three is least, between the outer ones */
static double lowest(const valley *v)
{
    const double before = v->at[0] - v->at[1];
    const double behind = v->at[2] - v->at[1];
    const double a = (v->left[0] - v->left[1]) * behind;
    const double b = (v->left[2] - v->left[1]) * before;
    const double bend = a - b;
    if (!(bend > 0.0)) { /* a hill, or nothing at all */
        return v->at[1] + (v->left[2] < v->left[0] ? behind : before);
    }
    return v->at[1] + fmax(fmin(0.5 * (a * behind - b * before) / bend, behind), before);
}

/* Within which rates friction turns: what most robots' files do not say, and what would else be
 * fitted by everything that friction has. */
static bool find_width(tqa_calibration *c, double *usual)
{
    valley v;
    if (!look_about(c, usual, tq_log(c->options.model.smoothing), tq_log(2.0), &v)) {
        return false;
    }
    const double at_start = v.left[1];
    if (!go_down(c, usual, width_gain, &v)) {
        return false;
    }
    /* a valley is no parabola over factors of two: what that one tells may be off by more than the
     * next look is wide */
    for (unsigned k = 0; k < sizeof nearer / sizeof nearer[0]; k++) {
        if (!look_about(c, usual, lowest(&v), nearer[k], &v) || !go_down(c, usual, 0.0, &v)) {
            return false;
        }
    }
    const double least = fmin(v.left[1], fmin(v.left[0], v.left[2]));
    if (least < (1.0 - gain_least) * at_start) {
        c->options.model.smoothing = tq_exp(lowest(&v));
    }
    return true;
}

/* One pass for each law that nobody asked for but the data might tell: a smoothed sign, gears that
 * yield and remember for ever, and the default, which the others must beat clearly. The first pass
 * is by the default as well: of a load that is not the measured torque, which knows friction. Then
 * the width of a smoothed sign, where that is the law. The last is by what stays. */
bool tqa_calibration_choose_sign(tqa_calibration *c)
{
    const double width = c->options.model.smoothing;
    const double presliding = c->options.model.presliding;
    const double laws[][2] = {
        {0.0, 0.0}, {presliding, 0.0}, {presliding, c->options.model.relaxation}};
    enum { LAWS = sizeof laws / sizeof laws[0] };
    double left[LAWS];
    unsigned best = 0;
    double *usual = tqa_tree_take(c->control, c->order.nv + 1, sizeof *usual);
    if (usual == NULL || !tqa_calibration_pass(c)) {
        return false;
    }
    for (unsigned k = 0; k < LAWS; k++) {
        tq_fit_set_sign(c->fit, width, laws[k][0], laws[k][1]);
        if (!tqa_calibration_pass(c)) {
            return false;
        }
        left[k] = tqa_calibration_misfit(c, usual);
        best = left[k] < left[best] ? k : best;
    }
    if (left[best] > left[LAWS - 1] - sign_gain * (double)c->order.nv) {
        best = LAWS - 1;
    }
    c->chose_sign = true;
    c->options.model.presliding = laws[best][0];
    c->options.model.relaxation = laws[best][1];
    if (best == 0 && !find_width(c, usual)) {
        return false;
    }
    tq_fit_set_sign(c->fit, c->options.model.smoothing, laws[best][0], laws[best][1]);
    return best == LAWS - 1 || tqa_calibration_pass(c);
}
