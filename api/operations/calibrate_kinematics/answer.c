/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/answer.c - the result of a kinematic calibration as members
 * of an answer. */
#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate_kinematics/calibrate_kinematics.h"
#include "api/response/robot_writer.h"
#include "core/elementary/elementary.h"
#include "core/spatial/frame.h"

enum { PARTS_MOST = 12, WEAKEST_MOST = 6, COVARIANCE_MOST = 200 };
static const double part_least = 1e-6, component_least = 1e-3;

/* ------------------------------------------------------------------------------------------------
 * Parameters
 */

static bool is_angle(const tqa_kinematic *c, const tq_kinematic_parameter *p)
{
    return p->part == TQ_KINEMATIC_ZERO
               ? c->problem.model->joints[p->index].kind != TQ_JOINT_PRISMATIC
               : p->axis >= 3;
}

static void put_parameter(const tqa_kinematic *c, size_t k)
{
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_parameter *p = &c->found.list[k];
    const tq_kinematic_estimate *e = &c->found.estimate[k];
    const bool in_degrees = c->tree->in_degrees && !c->tree->in_radians &&
                            p->part == TQ_KINEMATIC_ZERO && is_angle(c, p);
    const double unit = in_degrees ? 1.0 / tqa_radians_of_degree : 1.0;
    const double interval[2] = {unit * e->low, unit * e->high};
    char name[TQA_KINEMATIC_NAME];
    tqa_kinematic_name(c, k, name);
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "name", name);
    tqa_writer_string(answer, "joint", c->tree->robot->joint_names[p->index]);
    tqa_writer_string(answer, "of",
                      p->part == TQ_KINEMATIC_ZERO ? "zero" : tqa_kinematic_axes[p->axis]);
    tqa_writer_string(answer, "unit", in_degrees ? "deg" : is_angle(c, p) ? "rad" : "m");
    tqa_writer_number(answer, "value", unit * e->value);
    tqa_writer_finite(answer, "standard_deviation", unit * e->deviation, "it is at its limit");
    if (isfinite(e->deviation)) {
        tqa_writer_vector(answer, "interval", interval, 2);
    }
    tqa_writer_end(answer);
}

static void put_parameters(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    tqa_writer_list(answer, "parameters");
    for (size_t k = 0; k < found->n; k++) {
        if (found->list[k].part >= TQ_KINEMATIC_ZERO &&
            found->estimate[k].role == TQ_KINEMATIC_ESTIMATED) {
            put_parameter(c, k);
        }
    }
    tqa_writer_end(answer);
}

static void put_not_identified(const tqa_kinematic *c)
{
    static const char *const becauses[] = {
        TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_NOT_IDENTIFIED_BECAUSE, NULL};
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    tqa_writer_list(answer, "not_identified");
    for (size_t k = 0; k < found->n; k++) {
        char text[TQA_PROBLEM_TEXT];
        const double *part = found->part + k * found->n;
        if (found->estimate[k].role == TQ_KINEMATIC_ESTIMATED) {
            continue;
        }
        tqa_writer_object(answer, NULL);
        tqa_kinematic_name(c, k, text);
        tqa_writer_string(answer, "name", text);
        tqa_writer_string(answer, "because",
                          becauses[found->estimate[k].role == TQ_KINEMATIC_NO_POSE]);
        tqa_kinematic_why_not(c, k, text);
        tqa_writer_string(answer, "text", text);
        tqa_writer_list(answer, "parts");
        size_t at = tqa_kinematic_next(part, found->n, SIZE_MAX, part_least);
        for (unsigned i = 0; i < PARTS_MOST && at != SIZE_MAX; i++) {
            tqa_kinematic_name(c, at, text);
            tqa_writer_object(answer, NULL);
            tqa_writer_string(answer, "name", text);
            tqa_writer_number(answer, "factor", part[at]);
            tqa_writer_end(answer);
            at = tqa_kinematic_next(part, found->n, at, part_least);
        }
        tqa_writer_end(answer);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

/* ------------------------------------------------------------------------------------------------
 * Base, tool, planes
 */

/* standard_deviation of the columns of one part and index, in their order */
static void put_deviations(const tqa_kinematic *c, tq_kinematic_part part, uint32_t index)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "standard_deviation");
    for (size_t k = 0; k < c->found.n; k++) {
        if (c->found.list[k].part == part && c->found.list[k].index == index) {
            tqa_writer_number_or_null(answer, NULL, c->found.estimate[k].deviation);
        }
    }
    tqa_writer_end(answer);
}

static void put_pose(const tqa_kinematic *c, const char *key, tq_kinematic_part part)
{
    tqa_writer *answer = c->tree->answer;
    const bool is_base = part == TQ_KINEMATIC_BASE;
    const tq_pose *pose = is_base ? &c->found.state.base : &c->found.state.tool;
    const bool is_known = is_base ? c->problem.knows_base : c->problem.knows_tool;
    double quaternion[4];
    tqa_writer_object(answer, key);
    tqa_writer_vector(answer, "position", pose->p, 3);
    if (is_base || c->problem.kind == TQ_KINEMATIC_POSES) {
        tq_quaternion_of_mat(pose->r, quaternion);
        tqa_writer_vector(answer, "quaternion_wxyz", quaternion, 4);
    }
    tqa_writer_flag(answer, "known", is_known);
    if (!is_known) {
        put_deviations(c, part, 0);
    }
    tqa_writer_end(answer);
}

static void put_outer(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const bool has_planes = c->problem.kind == TQ_KINEMATIC_PLANES;
    if (has_planes) {
        tqa_writer_none(answer, "base", "there is no tracker: planes are in the root's frame");
    } else {
        put_pose(c, "base", TQ_KINEMATIC_BASE);
    }
    put_pose(c, "tool", TQ_KINEMATIC_TOOL);
    if (!has_planes) {
        return;
    }
    tqa_writer_list(answer, "planes");
    for (uint32_t i = 0; i < c->problem.n_plane; i++) {
        const double *plane = c->found.state.plane + 4 * (size_t)i;
        tqa_writer_object(answer, NULL);
        tqa_writer_count(answer, "plane", i);
        tqa_writer_vector(answer, "normal", plane, 3);
        tqa_writer_number(answer, "distance_m", plane[3]);
        put_deviations(c, TQ_KINEMATIC_PLANE, i);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

/* ------------------------------------------------------------------------------------------------
 * Observability, covariance
 */

static void put_indices(tqa_writer *answer, const double *s, size_t n, double poses)
{
    double logs = 0.0;
    double inverses = 0.0;
    for (size_t i = 0; i < n; i++) {
        logs += tq_log(s[i]);
        inverses += 1.0 / s[i];
    }
    const double first = s[0], last = s[n - 1];
    tqa_writer_finite(answer, "condition_number", first / last, "the smallest is 0");
    tqa_writer_number(answer, "o1", last > 0.0 ? tq_exp(logs / (double)n) / sqrt(poses) : 0.0);
    tqa_writer_number(answer, "o2", last / first);
    tqa_writer_number(answer, "o3", last);
    tqa_writer_number(answer, "o4", last * last / first);
    tqa_writer_number(answer, "o5", last > 0.0 ? 1.0 / inverses : 0.0);
}

static void put_observability(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_kinematic_result *found = &c->found;
    const size_t n = found->n_active;
    const double poses = (double)found->n_equation / (double)tq_kinematic_rows_of(c->problem.kind);
    tqa_writer_object(answer, "observability");
    tqa_writer_vector(answer, "singular_values", found->singular, n);
    put_indices(answer, found->singular, n, poses);
    tqa_writer_list(answer, "weakest");
    size_t at = tqa_kinematic_next(found->weakest, n, SIZE_MAX, component_least);
    for (unsigned i = 0; i < WEAKEST_MOST && at != SIZE_MAX; i++) {
        char name[TQA_KINEMATIC_NAME];
        tqa_kinematic_name(c, found->active[at], name);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "name", name);
        tqa_writer_number(answer, "component", found->weakest[at]);
        tqa_writer_end(answer);
        at = tqa_kinematic_next(found->weakest, n, at, component_least);
    }
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

static void put_covariance(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const size_t n = c->found.n_active;
    if (n <= COVARIANCE_MOST) {
        tqa_writer_matrix(answer, "covariance", c->found.covariance, n, n);
    } else {
        tqa_writer_none(answer, "covariance", "more than 200 unknowns");
    }
    tqa_writer_list(answer, "covariance_of");
    for (size_t a = 0; a < n; a++) {
        char name[TQA_KINEMATIC_NAME];
        tqa_kinematic_name(c, c->found.active[a], name);
        tqa_writer_string(answer, NULL, name);
    }
    tqa_writer_end(answer);
}

static void put_noise(const tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const bool is_stated = c->problem.sigma[0] > 0.0;
    tqa_writer_object(answer, "noise");
    tqa_writer_flag(answer, "stated", is_stated);
    tqa_writer_number(answer, "position_m", c->found.sigma[0]);
    if (c->problem.kind == TQ_KINEMATIC_POSES) {
        tqa_writer_number(answer, "rotation_rad", c->found.sigma[1]);
    }
    if (is_stated) {
        tqa_writer_number(answer, "over_stated", sqrt(c->found.variance_factor));
    }
    tqa_writer_end(answer);
}

static void put_verdict(const tqa_kinematic *c)
{
    static const char *const verdicts[] = {TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_VERDICT, NULL};
    static const char *const measured[] = {TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_MEASURED, NULL};
    tqa_writer *answer = c->tree->answer;
    tqa_writer_string(answer, "verdict", verdicts[c->found.verdict]);
    tqa_writer_list(answer, "reasons");
    for (size_t i = 0; i < c->found.n_reason; i++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_kinematic_reason_text(c, i, text);
        tqa_writer_string(answer, NULL, text);
    }
    tqa_writer_end(answer);
    tqa_writer_string(answer, "measured", measured[c->problem.kind]);
}

bool tqa_kinematic_answer(tqa_kinematic *c)
{
    tqa_writer *answer = c->tree->answer;
    const tqa_robot *robot = c->tree->robot;
    put_verdict(c);
    tqa_writer_object(answer, "frame");
    tqa_writer_point(answer, robot, &c->point);
    tqa_writer_end(answer);
    tqa_writer_joints(answer, robot, &c->order);
    tqa_writer_count(answer, "poses", c->problem.n_pose);
    tqa_writer_count(answer, "equations", c->found.n_equation);
    tqa_writer_count(answer, "unknowns", c->found.n_active);
    tqa_writer_number(answer, "degrees_of_freedom", c->found.freedom);
    tqa_writer_number(answer, "confidence", c->problem.confidence);
    put_parameters(c);
    put_not_identified(c);
    put_outer(c);
    put_noise(c);
    tqa_kinematic_put_errors(c);
    put_observability(c);
    tqa_kinematic_put_outliers(c);
    put_covariance(c);
    return tqa_kinematic_put_poses(c) && tqa_kinematic_put_robot(c);
}
