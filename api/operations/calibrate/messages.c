/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/messages.c - reasons, directions and grades in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"

const char *tqa_grade_slug(tq_fit_grade grade)
{
    static const char *const slugs[] = {TQA_WORDS_CALIBRATE_PARAMETER_VERDICT};
    return slugs[grade];
}

void tqa_calibration_direction(const tqa_calibration *c, size_t k, char text[TQA_PROBLEM_TEXT])
{
    const double *x = c->found->solution.unidentified[k].direction;
    const tq_model *model = c->tree->robot->model;
    size_t n = 0;
    size_t before = SIZE_MAX; /* the term before: larger, or as large and earlier */
    text[0] = '\0';
    for (size_t term = 0; term < 6; term++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < c->found->n_column; i++) {
            bool is_left = before == SIZE_MAX;
            if (!is_left) {
                const double gap = fabs(x[before]) - fabs(x[i]);
                is_left = gap > 0.0 || (gap == 0.0 && i > before);
            }
            if (is_left && (best == SIZE_MAX || fabs(x[i]) > fabs(x[best]))) {
                best = i;
            }
        }
        if (best == SIZE_MAX || fabs(x[best]) < 0.1) {
            break;
        }
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(model, &c->found->columns[best], name);
        before = best;
        char factor[16] = "";
        if (fabs(x[best]) < 0.995) {
            (void)snprintf(factor, sizeof factor, "%.2f ", fabs(x[best]));
        }
        n += (size_t)snprintf(text + n, TQA_PROBLEM_TEXT - n, "%s%s%s",
                              term == 0       ? (x[best] < 0.0 ? "-" : "")
                              : x[best] < 0.0 ? " - "
                                              : " + ",
                              factor, name);
    }
}

static const char *joint_of_row(const tqa_calibration *c, size_t row)
{
    return c->tree->robot->joint_names[tqa_calibration_joint(c, row)];
}

/* Autocorrelation below a tenth at lags of one and ten samples. */
static bool is_noise(const tqa_calibration *c, size_t row)
{
    const tq_identify_residuals *judged =
        c->options.validation != TQ_VALIDATE_NONE ? &c->found->validated : &c->found->fitted;
    const tq_residual_stats *all = &judged->parts[TQ_RESIDUALS_ALL][row];
    return fabs(all->lag_one) < 0.1 && fabs(all->lag_ten) < 0.1;
}

/* Reasons from a joint's residual. */
static void reason_of_joint(const tqa_calibration *c, const tq_reason *reason,
                            char text[TQA_PROBLEM_TEXT])
{
    char what[TQA_PROBLEM_TEXT] = "";
    const size_t size = sizeof what;
    switch ((int)reason->kind) {
    case TQ_REASON_RELATIVE_ERROR:
        (void)snprintf(what, size,
                       is_noise(c, reason->index)
                           ? "the model misses %.0f %% of the torque, by white noise: "
                             "let it move where it takes more torque"
                           : "the model misses %.0f %% of the torque",
                       100.0 * reason->value);
        break;
    case TQ_REASON_STANDING:
        (void)snprintf(what, size,
                       "at standstill its torque exceeds gravity and friction by %.1f times the "
                       "residual in motion: add static friction (breakaway, Stribeck)",
                       reason->value);
        break;
    case TQ_REASON_SLOW_FRICTION:
        (void)snprintf(what, size, "the residual depends on slow speed: add \"stribeck\" friction");
        break;
    case TQ_REASON_LOAD_FRICTION:
        (void)snprintf(what, size, "the residual depends on the load: add \"load\" friction");
        break;
    case TQ_REASON_POSITION:
        (void)snprintf(what, size,
                       "the residual depends on position: add \"springs\", or check the cables");
        break;
    case TQ_REASON_GRAVITY:
        (void)snprintf(what, size,
                       "at standstill its torque differs by %.2g %% from what gravity and friction "
                       "explain: check masses, payload, mounting",
                       100.0 * reason->value);
        break;
    default:
        (void)snprintf(what, size,
                       "%.3g s forward simulation: error %.1f times that of a constant-velocity "
                       "prediction",
                       TQ_IDENTIFY_HORIZON, reason->value);
        break;
    }
    (void)snprintf(text, TQA_PROBLEM_TEXT, "joint \"%.80s\": %.150s",
                   joint_of_row(c, reason->index), what);
}

static void reason_in_words(const tqa_calibration *c, const tq_reason *reason,
                            char text[TQA_PROBLEM_TEXT])
{
    const tqa_robot *robot = c->tree->robot;
    char name[TQA_SYMBOL_MAX] = "";
    char direction[TQA_PROBLEM_TEXT] = "";
    const size_t size = TQA_PROBLEM_TEXT;
    switch ((int)reason->kind) {
    case TQ_REASON_UNIDENTIFIED:
        tqa_calibration_direction(c, reason->index, direction);
        (void)snprintf(text, size, "the motion does not excite %.200s", direction);
        break;
    case TQ_REASON_INCONSISTENT:
        tqa_column_name(robot->model, &c->found->columns[reason->index], name);
        if (reason->value > 1.5) {
            (void)snprintf(text, size, "%s is not significantly different from 0", name);
            break;
        }
        (void)snprintf(text, size,
                       c->n_fitted > 1 ? "%s differs between experiments by %.0f %% of its mean"
                                       : "%s is known to %.0f %% of its value only",
                       name, 100.0 * reason->value);
        break;
    case TQ_REASON_NEGATIVE:
        tqa_column_name(robot->model, &c->found->columns[reason->index], name);
        (void)snprintf(text, size, "%s came out as %.4g, which cannot be negative", name,
                       reason->value);
        break;
    case TQ_REASON_PSEUDO_INERTIA:
        (void)snprintf(text, size,
                       "no body of positive density has the inertia found for link \"%.80s\"",
                       robot->link_names[reason->index]);
        break;
    case TQ_REASON_MASS_MATRIX:
        (void)snprintf(text, size, "the mass matrix is not definite at %.0f of %zu poses",
                       reason->value, reason->index);
        break;
    case TQ_REASON_NOISE_BIAS:
        tqa_column_name(robot->model, &c->found->columns[reason->index], name);
        (void)snprintf(text, size,
                       "noise of position biases least squares: %s would come out as %.4g, %.0f "
                       "standard deviations off: stay with instruments, or lower the cut-off",
                       name, c->found->solution.estimate[reason->index].least_squares,
                       reason->value);
        break;
    case TQ_REASON_DRAWN:
        tqa_column_name(robot->model, &c->found->columns[reason->index], name);
        (void)snprintf(text, size,
                       "noise of position draws %s by about %.2g, %.2g standard deviations: say "
                       "\"method\": \"feasible-iv\", or lower the cut-off",
                       name, c->found->bias[reason->index], reason->value);
        break;
    case TQ_REASON_TOTAL:
        tqa_column_name(robot->model, &c->found->columns[reason->index], name);
        (void)snprintf(
            text, size,
            "total least squares takes columns to be noisy by %.2g of their size and puts "
            "%s %.2g standard deviations off what the logs' noise explains: say "
            "\"column_noise\", or \"feasible-iv\"",
            c->options.fit.column_noise, name, reason->value);
        break;
    case TQ_REASON_PAYLOAD:
        (void)snprintf(text, size,
                       "at standstill, link \"%.80s\" behaves as if it carried %.3g kg %s than the "
                       "model: weigh what is mounted there",
                       robot->link_names[reason->index], fabs(reason->value),
                       reason->value < 0.0 ? "less" : "more");
        break;
    default:
        reason_of_joint(c, reason, text);
        break;
    }
}

/* Names of the joints that hardly move; how many. */
static size_t list_still(const tqa_calibration *c, char text[TQA_PROBLEM_TEXT])
{
    size_t n = 0;
    size_t length = 0;
    text[0] = '\0';
    for (size_t r = 0; r < c->order.nv; r++) {
        const size_t v = c->order.v[r];
        const tq_residual_stats *all = &c->found->fitted.parts[TQ_RESIDUALS_ALL][v];
        if (all->n_sample == 0 || all->fastest >= TQ_IDENTIFY_MOVING) {
            continue;
        }
        if (length < 120) {
            length += (size_t)snprintf(text + length, TQA_PROBLEM_TEXT - length, "%s%.40s",
                                       n > 0 ? ", " : "", joint_of_row(c, v));
        } else if (length < 124) {
            length += (size_t)snprintf(text + length, TQA_PROBLEM_TEXT - length, ", ...");
        }
        n++;
    }
    return n;
}

/* The lack of excitation, in a sentence. */
static void lack_of_motion(const tqa_calibration *c, char text[TQA_PROBLEM_TEXT])
{
    char still[TQA_PROBLEM_TEXT];
    const size_t n_still = list_still(c, still);
    if (n_still == c->order.nv) {
        (void)snprintf(text, TQA_PROBLEM_TEXT,
                       "no joint moves: standstill identifies gravity and offsets at best");
    } else if (n_still > 0) {
        (void)snprintf(text, TQA_PROBLEM_TEXT,
                       "%.130s do%s not move: move all joints at once, far and fast", still,
                       n_still == 1 ? "es" : "");
    } else {
        (void)snprintf(text, TQA_PROBLEM_TEXT,
                       "the motion leaves %zu combination%s of the %zu parameters open: move all "
                       "joints at once, further, faster and longer",
                       c->found->solution.n_unidentified,
                       c->found->solution.n_unidentified == 1 ? "" : "s", c->found->n_column);
    }
}

/* The first reason of a lack of motion, which a sentence on the whole precedes; SIZE_MAX: none. */
static size_t first_unidentified(const tqa_calibration *c)
{
    for (size_t k = 0; k < c->verdict.n_reason; k++) {
        if (c->verdict.reasons[k].kind == TQ_REASON_UNIDENTIFIED) {
            return k;
        }
    }
    return SIZE_MAX;
}

size_t tqa_calibration_reason_count(const tqa_calibration *c)
{
    return c->verdict.n_reason + (first_unidentified(c) != SIZE_MAX ? 1 : 0);
}

void tqa_calibration_reason(const tqa_calibration *c, size_t k, char text[TQA_PROBLEM_TEXT])
{
    const size_t lack = first_unidentified(c);
    if (k == lack) {
        lack_of_motion(c, text);
        return;
    }
    const tq_reason *reason = &c->verdict.reasons[k > lack ? k - 1 : k];
    if (reason->kind == TQ_REASON_FINDING) {
        tqa_calibration_finding(c, &c->found->findings[reason->index], text);
    } else if (reason->kind == TQ_REASON_BOUNDS) {
        tqa_calibration_bound_reason(c, reason, text);
    } else {
        reason_in_words(c, reason, text);
    }
}
