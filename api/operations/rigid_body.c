/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/rigid_body.c - POST /v1/rigid-body: one rigid body: points, momentum, energy,
 * frames. */
#include "core/dynamics/rigid_body.h"

#include <string.h>

#include "api/call/call.h"
#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/request/inertia_fields.h"
#include "api/request/robot_fields.h"
#include "core/model/inertia.h"
#include "core/spatial/frame.h"

enum { TWIST = 6 };

static const char *const fields[] = {TQA_FIELDS_RIGID_BODY_REQUEST, NULL};

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 20.0;
}

/* A vector that may be left out: then zero. */
static bool optional(const tqa_value *object, const char *key, size_t n, double *ret)
{
    const tqa_value part = tqa_value_field(object, key);
    memset(ret, 0, n * sizeof *ret);
    return part.value == NULL || tqa_value_numbers(&part, n, ret);
}

static bool put_axis(tqa_tree *tree, const tqa_value *part)
{
    static const char *const known[] = {TQA_FIELDS_RIGID_BODY_REQUEST_AXIS_MOTION, NULL};
    static const tqa_needed needed[] = {{"axis", "add \"axis\": [x, y, z] of unit length"},
                                        {"rate_rad_s", "add \"rate_rad_s\": 1"},
                                        {NULL, NULL}};
    double axis[3], axis_rate[3], w[3], wd[3], rate = 0.0, acceleration = 0.0;
    if (!tqa_value_fields(part, known, needed)) {
        return false;
    }
    const tqa_value unit = tqa_value_field(part, "axis");
    const tqa_value rate_part = tqa_value_field(part, "rate_rad_s");
    const tqa_value acceleration_part = tqa_value_field(part, "acceleration");
    if (!tqa_value_numbers(&unit, 3, axis) || !optional(part, "axis_rate", 3, axis_rate) ||
        !tqa_value_number(&rate_part, &rate) ||
        (acceleration_part.value != NULL && !tqa_value_number(&acceleration_part, &acceleration))) {
        return false;
    }
    const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    const double along = axis[0] * axis_rate[0] + axis[1] * axis_rate[1] + axis[2] * axis_rate[2];
    if (!(square > 1.0 - 2e-6 && square < 1.0 + 2e-6)) {
        return tqa_value_refuse(&unit, "range", "divide it by its length",
                                "the axis must be of unit length, its square is %.9g", square);
    }
    if (along > 1e-6 || along < -1e-6) {
        const tqa_value turning = tqa_value_field(part, "axis_rate");
        return tqa_value_refuse(&turning, "range", "take away its part along the axis",
                                "an axis of unit length turns at right angles to itself");
    }
    tq_axis_angle_motion(axis, axis_rate, rate, acceleration, w, wd);
    tqa_writer_object(tree->answer, "axis_motion");
    tqa_writer_vector(tree->answer, "angular_velocity", w, 3);
    tqa_writer_vector(tree->answer, "angular_acceleration", wd, 3);
    tqa_writer_end(tree->answer);
    return true;
}

static bool put_point(tqa_tree *tree, const tqa_value *part)
{
    static const char *const known[] = {TQA_FIELDS_RIGID_BODY_REQUEST_POINT_MOTION, NULL};
    tq_point_motion m;
    tq_point_acceleration a;
    double v[3];
    bool turned = false;
    if (!tqa_value_object(part, known) || !tqa_value_rotation(part, m.r, &turned) ||
        !optional(part, "origin_velocity", 3, m.origin_velocity) ||
        !optional(part, "origin_acceleration", 3, m.origin_acceleration) ||
        !optional(part, "angular_velocity", 3, m.w) ||
        !optional(part, "angular_acceleration", 3, m.wd) ||
        !optional(part, "position", 3, m.position) || !optional(part, "velocity", 3, m.velocity) ||
        !optional(part, "acceleration", 3, m.acceleration)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tq_point_velocity(&m, v);
    tq_point_acceleration_of(&m, &a);
    tqa_writer_object(answer, "point_motion");
    tqa_writer_string(answer, "expressed_in", "fixed frame");
    tqa_writer_vector(answer, "velocity", v, 3);
    tqa_writer_object(answer, "acceleration");
    tqa_writer_vector(answer, "origin", a.origin, 3);
    tqa_writer_vector(answer, "relative", a.relative, 3);
    tqa_writer_vector(answer, "euler", a.euler, 3);
    tqa_writer_vector(answer, "centripetal", a.centripetal, 3);
    tqa_writer_vector(answer, "coriolis", a.coriolis, 3);
    tqa_writer_vector(answer, "total", a.total, 3);
    tqa_writer_end(answer);
    tqa_writer_end(answer);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * A body
 */

typedef struct body {
    tq_inertia inertia;
    tq_pose pose;
    bool moves, accelerates;
    double twist[TWIST], twist_rate[TWIST]; /* in the body frame */
} body;

static bool read_motion(const tqa_value *part, body *b)
{
    static const char *const frames[] = {TQA_WORDS_RIGID_BODY_REQUEST_BODY_EXPRESSED_IN, NULL};
    const tqa_value twist = tqa_value_field(part, "twist");
    const tqa_value rate = tqa_value_field(part, "twist_rate");
    const tqa_value expressed = tqa_value_field(part, "expressed_in");
    unsigned frame = 0;
    double given[TWIST];
    b->moves = twist.value != NULL;
    b->accelerates = rate.value != NULL;
    if (!b->moves) {
        return !b->accelerates ||
               tqa_value_need(&twist,
                              "add \"twist\": [vx, vy, vz, wx, wy, wz] of the body's frame");
    }
    if (!tqa_value_numbers(&twist, TWIST, given) ||
        !tqa_value_need(&expressed,
                        "add \"expressed_in\": \"world\" or \"body\" (axes of twist)") ||
        !tqa_value_choice(&expressed, frames, &frame) ||
        (b->accelerates && !tqa_value_numbers(&rate, TWIST, b->twist_rate))) {
        return false;
    }
    memcpy(b->twist, given, sizeof given);
    if (frame == 1) {
        return true;
    }
    tq_mat_tvec(b->pose.r, given, b->twist);
    tq_mat_tvec(b->pose.r, given + 3, b->twist + 3);
    return !b->accelerates || tqa_value_refuse(&expressed, "invalid-value", "use \"body\"",
                                               "a twist's rate is taken in the body's own axes");
}

static void put_momentum(tqa_writer *answer, const body *b, const double spatial[36])
{
    double world[TWIST];
    tq_body_momentum momentum;
    tq_mat_vec(b->pose.r, b->twist, world);
    tq_mat_vec(b->pose.r, b->twist + 3, world + 3);
    tq_body_momentum_of(&b->inertia, &b->pose, world, &momentum);
    tqa_writer_symmetric(answer, "inertia_world", momentum.inertia_world);
    if (!b->moves) {
        return;
    }
    tqa_writer_object(answer, "momentum");
    tqa_writer_string(answer, "expressed_in", "world");
    tqa_writer_vector(answer, "linear", momentum.linear, 3);
    tqa_writer_vector(answer, "angular_about_com", momentum.angular_com, 3);
    tqa_writer_vector(answer, "angular_about_origin", momentum.angular_point, 3);
    tqa_writer_end(answer);
    tqa_writer_number(answer, "kinetic_energy", momentum.kinetic);
    tqa_writer_number(answer, "kinetic_energy_by_generalised_inertia",
                      tq_generalised_energy(spatial, b->twist));
    if (b->accelerates) {
        double wrench[TWIST];
        tq_newton_euler(spatial, b->twist, b->twist_rate, wrench);
        tqa_writer_object(answer, "newton_euler");
        tqa_writer_string(answer, "expressed_in", "body");
        tqa_writer_string(answer, "applied_to", "body");
        tqa_writer_string(answer, "at", "origin");
        tqa_writer_vector(answer, "force", wrench, 3);
        tqa_writer_vector(answer, "moment", wrench + 3, 3);
        tqa_writer_end(answer);
    }
}

/* The same body from a frame that is fixed to it elsewhere. */
static bool put_other_frame(tqa_writer *answer, const tqa_value *part, const body *b,
                            const double spatial[36])
{
    const tqa_value other = tqa_value_field(part, "frame");
    double moved[36], twist[TWIST], lever[3], v[3];
    tq_pose pose;
    if (other.value == NULL) {
        return true;
    }
    if (!tqa_value_pose(&other, &pose)) {
        return false;
    }
    tq_generalised_inertia_move(spatial, &pose, moved);
    tqa_writer_object(answer, "frame");
    tqa_writer_matrix(answer, "generalised_inertia", moved, TWIST, TWIST);
    if (b->moves) {
        /* V2 = Ad^-1 V1: the velocity of the other origin, in its axes */
        tq_vec_cross(b->twist + 3, pose.p, lever);
        for (unsigned k = 0; k < 3; k++) {
            v[k] = b->twist[k] + lever[k];
        }
        tq_mat_tvec(pose.r, v, twist);
        tq_mat_tvec(pose.r, b->twist + 3, twist + 3);
        tqa_writer_vector(answer, "twist", twist, TWIST);
        tqa_writer_number(answer, "kinetic_energy", tq_generalised_energy(moved, twist));
    }
    tqa_writer_end(answer);
    return true;
}

static bool put_body(tqa_tree *tree, const tqa_value *part)
{
    static const char *const known[] = {TQA_FIELDS_RIGID_BODY_REQUEST_BODY, NULL};
    tqa_writer *answer = tree->answer;
    body b = {.pose = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    double spatial[36];
    if (!tqa_value_object(part, known) || !tqa_value_inertia(part, &b.inertia)) {
        return false;
    }
    const tqa_value pose = tqa_value_field(part, "pose");
    if ((pose.value != NULL && !tqa_value_pose(&pose, &b.pose)) || !read_motion(part, &b)) {
        return false;
    }
    tq_inertia_spatial(&b.inertia, spatial);
    tqa_writer_object(answer, "body");
    tqa_writer_matrix(answer, "generalised_inertia", spatial, TWIST, TWIST);
    put_momentum(answer, &b, spatial);
    if (!put_other_frame(answer, part, &b, spatial)) {
        return false;
    }
    tqa_writer_end(answer);
    return true;
}

static bool put_bracket(tqa_tree *tree, const tqa_value *part)
{
    static const char *const known[] = {TQA_FIELDS_RIGID_BODY_REQUEST_LIE_BRACKET, NULL};
    static const tqa_needed needed[] = {{"a", "add \"a\": a twist [v, w], 6 numbers"},
                                        {"b", "add \"b\": a twist [v, w], 6 numbers"},
                                        {NULL, NULL}};
    double a[TWIST], b[TWIST], bracket[TWIST];
    if (!tqa_value_fields(part, known, needed)) {
        return false;
    }
    const tqa_value first = tqa_value_field(part, "a"), second = tqa_value_field(part, "b");
    if (!tqa_value_numbers(&first, TWIST, a) || !tqa_value_numbers(&second, TWIST, b)) {
        return false;
    }
    tq_lie_bracket(a, b, bracket);
    tqa_writer_vector(tree->answer, "lie_bracket", bracket, TWIST);
    return true;
}

static bool run(tqa_tree *tree)
{
    static bool (*const put_part[])(tqa_tree *, const tqa_value *) = {put_axis, put_point, put_body,
                                                                      put_bracket};
    const tqa_value root = tqa_value_root(tree);
    bool any = false;
    for (size_t k = 0; fields[k] != NULL; k++) {
        const tqa_value part = tqa_value_field(&root, fields[k]);
        if (part.value != NULL) {
            any = true;
            if (!put_part[k](tree, &part)) {
                return false;
            }
        }
    }
    const tqa_value body_part = tqa_value_field(&root, "body");
    return any ||
           tqa_value_need(&body_part, "add \"body\": {\"mass\": 1, \"shape\": \"point\"}; or "
                                      "\"point_motion\", \"axis_motion\", \"lie_bracket\"");
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_rigid_body_methods = {.tree = &methods};
