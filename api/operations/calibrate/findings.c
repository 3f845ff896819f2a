/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/findings.c - faults of the logs in words: where, how large, the cure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"

static const double degree = 57.295779513082321;

static const char *joint_name(const tqa_calibration *c, uint32_t joint)
{
    return joint == TQ_NONE ? "all joints" : c->tree->robot->joint_names[joint];
}

static bool is_named(const tq_finding *f, size_t log)
{
    return log >= TQ_FINDING_RUNS || (f->runs >> log & 1) != 0;
}

/* `" in run1, run3"`; empty: all logs */
static void list_logs(const tqa_calibration *c, const tq_finding *f, char text[TQA_PROBLEM_TEXT])
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; f->runs != 0 && i < c->n_fitted && n < 60; i++) {
        if (is_named(f, i)) {
            n += (size_t)snprintf(text + n, TQA_PROBLEM_TEXT - n, "%s%.30s", n == 0 ? " in " : ", ",
                                  c->logs[i].name);
        }
    }
}

static const char *unit_of(double factor)
{
    const double size = factor > 1.0 ? factor : 1.0 / factor;
    return size < 2.5                      ? "a torque constant, or a gear's ratio?"
           : size > 700.0 && size < 1400.0 ? factor > 1.0 ? "mN m, mm or kN?" : "kN m?"
           : factor < 1.0                  ? "amperes, or the motor's side of the gear?"
                                           : "the gear's ratio twice, or a percentage?";
}

/* faults of columns */
static void of_columns(const tqa_calibration *c, const tq_finding *f, const char *logs,
                       char text[TQA_PROBLEM_TEXT])
{
    const char *joint = joint_name(c, f->joint);
    const size_t size = TQA_PROBLEM_TEXT;
    switch ((int)f->kind) {
    case TQ_FINDING_TORQUE_SIGN:
        if (f->joint == TQ_NONE) {
            (void)snprintf(text, size,
                           "all torques count against the positions%.60s: turn their signs by "
                           "\"scale\": {\"tau\": -1}, times the gains, if any",
                           logs);
            break;
        }
        (void)snprintf(
            text, size,
            "joint \"%.50s\": its torque counts against its position%.60s: turn its sign "
            "by \"scale\": -1 there",
            joint, logs);
        break;
    case TQ_FINDING_TORQUE_SWAP:
    case TQ_FINDING_POSITION_SWAP:
        (void)snprintf(
            text, size,
            "the %s of joints \"%.40s\" and \"%.40s\" are exchanged%.60s: exchange them in "
            "\"columns\"",
            f->kind == TQ_FINDING_TORQUE_SWAP ? "torques" : "positions", joint,
            joint_name(c, f->other), logs);
        break;
    case TQ_FINDING_TORQUE_SCALE:
        (void)snprintf(
            text, size,
            c->logs[0].is_commanded
                ? "torque of %.50s is %.3g times what the %s (%s): multiply its gains in "
                  "\"controller\" by %.4g"
                : "torque of %.50s is %.3g times what the %s (%s): state \"units\", or \"scale\" "
                  "it by %.4g",
            joint, f->size,
            f->joint == TQ_NONE ? "robot's masses take" : "other joints' torques imply",
            unit_of(f->size), 1.0 / f->size);
        break;
    default:
        (void)snprintf(text, size,
                       "joint \"%.40s\": its %s does not change from %.4g to %.4g s%.40s%.40s: "
                       "choose \"rows\" without that, or mend the column",
                       joint, f->kind == TQ_FINDING_TORQUE_STUCK ? "torque" : "position", f->from,
                       f->to, logs,
                       f->kind == TQ_FINDING_TORQUE_STUCK ? " while it moves"
                       : f->is_gross                      ? ", and stops within a row"
                                                          : " (if it is not meant to rest)");
        break;
    }
}

void tqa_calibration_finding(const tqa_calibration *c, const tq_finding *f,
                             char text[TQA_PROBLEM_TEXT])
{
    char logs[TQA_PROBLEM_TEXT];
    const size_t size = TQA_PROBLEM_TEXT;
    list_logs(c, f, logs);
    switch ((int)f->kind) {
    case TQ_FINDING_GRAVITY:
        (void)snprintf(text, size,
                       "gravity is tilted by %.2g degrees from the robot's: the base is not level. "
                       "Set \"gravity\" along [%.3f, %.3f, %.3f]",
                       degree * f->size, f->vector[0], f->vector[1], f->vector[2]);
        break;
    case TQ_FINDING_PAYLOAD:
        (void)snprintf(text, size,
                       "the last link carries %.3g kg more%.70s, at [%.3f, %.3f, %.3f] m: fit logs "
                       "of one load together, or take it off",
                       f->size, logs, f->vector[0], f->vector[1], f->vector[2]);
        break;
    case TQ_FINDING_FRICTION:
        (void)snprintf(
            text, size,
            "%.60s: viscous friction at the end of a log is %.2g times that at its start: "
            "warm up before recording",
            joint_name(c, f->joint), f->size);
        break;
    case TQ_FINDING_FRICTION_OF_RUN:
        (void)snprintf(
            text, size,
            "joint \"%.50s\": viscous friction%.60s is %.2g times that of the other logs: "
            "warm up before recording",
            joint_name(c, f->joint), logs, f->size);
        break;
    case TQ_FINDING_RUN:
        (void)snprintf(
            text, size,
            "the logs disagree: residuals%.80s are %.2g times as large in a common fit as "
            "in its own: was the robot another one there?",
            logs, f->size);
        break;
    case TQ_FINDING_OUTLIERS:
        (void)snprintf(text, size,
                       "%.2g %% of the rows%.80s had outliers, replaced from their neighbours: "
                       "look for lost or repeated packets",
                       100.0 * f->size, logs);
        break;
    case TQ_FINDING_TORQUE_LAG:
        (void)snprintf(
            text, size,
            "torque has passed a low-pass of about %.2g Hz that the motion has not (%.3g "
            "ms late): record it before that filter, or filter q, qd and qdd alike",
            f->size, 1000.0 / (2.0 * M_PI * f->size));
        break;
    default:
        of_columns(c, f, logs, text);
        break;
    }
}

static void put_finding(const tqa_calibration *c, const tq_finding *f)
{
    static const char *const kinds[] = {TQA_WORDS_CALIBRATE_FINDING_KIND};
    tqa_writer *answer = c->tree->answer;
    char text[TQA_PROBLEM_TEXT];
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "kind", kinds[f->kind]);
    tqa_calibration_finding(c, f, text);
    tqa_writer_string(answer, "text", text);
    tqa_writer_flag(answer, "gross", f->is_gross);
    tqa_writer_number(answer, "explained", f->explained);
    if (f->joint != TQ_NONE) {
        tqa_writer_string(answer, "joint", joint_name(c, f->joint));
    }
    if (f->other != TQ_NONE) {
        tqa_writer_string(answer, "other_joint", joint_name(c, f->other));
    }
    if (f->runs != 0) {
        tqa_writer_list(answer, "datasets");
        for (size_t i = 0; i < c->n_fitted; i++) {
            if (is_named(f, i)) {
                tqa_writer_string(answer, NULL, c->logs[i].name);
            }
        }
        tqa_writer_end(answer);
    }
    if (f->kind == TQ_FINDING_TORQUE_STUCK || f->kind == TQ_FINDING_POSITION_STUCK) {
        tqa_writer_number(answer, "from_s", f->from);
        tqa_writer_number(answer, "to_s", f->to);
    } else if (isfinite(f->size) && f->size != 0.0) {
        tqa_writer_number(answer, "size", f->size);
    }
    if (f->kind == TQ_FINDING_GRAVITY || f->kind == TQ_FINDING_PAYLOAD) {
        tqa_writer_list(answer, "vector");
        for (unsigned k = 0; k < 3; k++) {
            tqa_writer_number(answer, NULL, f->vector[k]);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

/* where silence is no acquittal */
static const char *why_not_searched(const tqa_calibration *c)
{
    for (size_t k = 0; k < c->found->n_finding; k++) {
        const tq_finding_kind kind = c->found->findings[k].kind;
        if (kind == TQ_FINDING_TORQUE_STUCK || kind == TQ_FINDING_POSITION_STUCK) {
            return "a stuck column spoils every comparison: other faults are searched for once it "
                   "is mended";
        }
    }
    if (c->options.n_gain > 0) {
        return "with unknown gains of a controller a torque of the wrong sign or scale is a gain: "
               "only stuck columns, outliers and a lag of the torque are searched for";
    }
    return c->chosen.model.kind == TQ_FIT_PER_JOINT
               ? "joint by joint, only stuck columns, outliers and a lag of the torque are "
                 "searched for: no other fault is excluded"
               : "of robots of more than 8 joints, or with joints of several freedoms, only stuck "
                 "columns, outliers and a lag of the torque are searched for: no other fault is "
                 "excluded";
}

void tqa_calibration_put_findings(const tqa_calibration *c)
{
    tqa_writer_list(c->tree->answer, "findings");
    for (size_t k = 0; k < c->found->n_finding; k++) {
        put_finding(c, &c->found->findings[k]);
    }
    tqa_writer_end(c->tree->answer);
    if (!c->found->is_diagnosed) {
        tqa_writer_string(c->tree->answer, "findings_limit", why_not_searched(c));
    }
}
