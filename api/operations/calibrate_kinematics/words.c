/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/words.c - names of kinematic parameters, and reasons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/operations/calibrate_kinematics/calibrate_kinematics.h"

const char *const tqa_kinematic_axes[] = {"x", "y", "z", "rx", "ry", "rz", NULL};
enum { PARTS_SAID = 3 };
static const double part_least = 1e-6;
static const double said_least = 0.05; /* of the largest part */

void tqa_kinematic_name(const tqa_kinematic *c, size_t parameter, char ret[TQA_KINEMATIC_NAME])
{
    static const char *const of_plane[] = {"tilt1", "tilt2", "distance"};
    const tq_kinematic_parameter *p = &c->found.list[parameter];
    const size_t size = TQA_KINEMATIC_NAME;
    switch (p->part) {
    case TQ_KINEMATIC_BASE:
        (void)snprintf(ret, size, "base.%s", tqa_kinematic_axes[p->axis]);
        return;
    case TQ_KINEMATIC_TOOL:
        (void)snprintf(ret, size, "tool.%s", tqa_kinematic_axes[p->axis]);
        return;
    case TQ_KINEMATIC_PLANE:
        (void)snprintf(ret, size, "plane%u.%s", p->index, of_plane[p->axis]);
        return;
    case TQ_KINEMATIC_ZERO:
    case TQ_KINEMATIC_FRAME:
        (void)snprintf(ret, size, "%s.%s", c->tree->robot->joint_names[p->index],
                       p->part == TQ_KINEMATIC_ZERO ? "zero" : tqa_kinematic_axes[p->axis]);
        return;
    }
}

size_t tqa_kinematic_next(const double *x, size_t n, size_t before, double least)
{
    const double last = before < n ? fabs(x[before]) : (double)INFINITY;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const double size = fabs(x[i]);
        const bool is_left = size < last || (size == last && i > before);
        if (is_left && size > least && (best == SIZE_MAX || size > fabs(x[best]))) {
            best = i;
        }
    }
    return best;
}

void tqa_kinematic_why_not(const tqa_kinematic *c, size_t parameter, char ret[TQA_PROBLEM_TEXT])
{
    const double *part = c->found.part + parameter * c->found.n;
    const bool is_structure = c->found.estimate[parameter].role == TQ_KINEMATIC_STRUCTURE;
    char names[TQA_PROBLEM_TEXT] = "";
    double largest = 0.0;
    size_t used = 0;
    size_t at = SIZE_MAX;
    for (unsigned k = 0; k < PARTS_SAID && used < sizeof names / 2; k++) {
        char name[TQA_KINEMATIC_NAME];
        at = tqa_kinematic_next(part, c->found.n, at, part_least);
        largest = k == 0 && at != SIZE_MAX ? fabs(part[at]) : largest;
        if (at == SIZE_MAX || fabs(part[at]) < said_least * largest) {
            break;
        }
        tqa_kinematic_name(c, at, name);
        const int n =
            snprintf(names + used, sizeof names - used, "%s%.60s", k > 0 ? ", " : "", name);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used == 0) {
        (void)snprintf(ret, TQA_PROBLEM_TEXT, "%s",
                       is_structure ? "it moves nothing that is measured"
                                    : "it moves nothing that is measured in these poses");
    } else {
        (void)snprintf(ret, TQA_PROBLEM_TEXT,
                       is_structure ? "its effect is that of %.180s in every pose"
                                    : "its effect is that of %.180s in these poses: move the "
                                      "joints further, and turn the target",
                       names);
    }
}

static void reason_of_poses(const tqa_kinematic *c, size_t parameter, double count,
                            char ret[TQA_PROBLEM_TEXT])
{
    char name[TQA_KINEMATIC_NAME];
    char why[TQA_PROBLEM_TEXT];
    char others[48] = "";
    tqa_kinematic_name(c, parameter, name);
    tqa_kinematic_why_not(c, parameter, why);
    if (count > 1.0) {
        (void)snprintf(others, sizeof others, " (and %.0f more in \"not_identified\")",
                       count - 1.0);
    }
    (void)snprintf(ret, TQA_PROBLEM_TEXT, "%.60s is not identified%s: %.120s", name, others, why);
}

static void reason_of_outliers(const tqa_kinematic *c, char ret[TQA_PROBLEM_TEXT])
{
    const uint32_t worst = c->found.outlier[0];
    const double deviations = c->found.studentized[worst];
    char size[48] = "";
    if (isfinite(deviations)) {
        (void)snprintf(size, sizeof size, " (%.3g deviations)", deviations);
    }
    (void)snprintf(ret, TQA_PROBLEM_TEXT,
                   "%zu of %zu poses do not belong to the others, pose %u first%s: %s",
                   c->found.n_outlier, c->problem.n_pose, worst, size,
                   c->problem.is_robust ? "they are left out"
                                        : "look at them, or leave them out with \"robust\": true");
}

void tqa_kinematic_reason_text(const tqa_kinematic *c, size_t i, char ret[TQA_PROBLEM_TEXT])
{
    const tq_kinematic_result *found = &c->found;
    const double value = found->reasons[i].value;
    const size_t size = TQA_PROBLEM_TEXT;
    char name[TQA_KINEMATIC_NAME];
    switch (found->reasons[i].kind) {
    case TQ_KINEMATIC_REASON_NO_POSE:
        reason_of_poses(c, found->reasons[i].index, value, ret);
        return;
    case TQ_KINEMATIC_REASON_REACH:
        (void)snprintf(ret, size,
                       "all over the limits the position is predicted with a deviation of %.3g mm, "
                       "where poses left out have an error of %.3g mm without calibration: measure "
                       "more poses, further apart",
                       1e3 * value, 1e3 * found->held_before.position_rms);
        return;
    case TQ_KINEMATIC_REASON_NO_GAIN:
        (void)snprintf(ret, size,
                       "poses left out are not predicted better: %.3g mm with the parameters, %.3g "
                       "mm without",
                       1e3 * found->held_after.position_rms, 1e3 * found->held_before.position_rms);
        return;
    case TQ_KINEMATIC_REASON_MISFIT:
        (void)snprintf(
            ret, size,
            "the residual, %.3g mm, is %.2g %% of the extent of the positions: check the "
            "order of poses and joints, units (m, rad), \"frame\", and the robot",
            1e3 * found->after.position_rms, 100.0 * value);
        return;
    case TQ_KINEMATIC_REASON_LIMIT:
        tqa_kinematic_name(c, found->reasons[i].index, name);
        (void)snprintf(ret, size,
                       "%.80s is at its limit, %.4g: check the joint's zero, or widen "
                       "\"limits\"",
                       name, value);
        return;
    case TQ_KINEMATIC_REASON_NOISE:
        (void)snprintf(ret, size,
                       "the residual is %.3g times the stated noise: %sbacklash, deflection under "
                       "load, or a noise stated too small",
                       value, c->problem.with_frames ? "" : "try \"identify\": \"frames\"; else ");
        return;
    case TQ_KINEMATIC_REASON_OUTLIERS:
        reason_of_outliers(c, ret);
        return;
    }
}
