/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/robot_fields.c - names become numbers, the user's order becomes the robot's. */
#include "api/request/robot_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/request/refusal.h"
#include "core/spatial/frame.h"
#include "core/spatial/rotation.h"

static const double unit_slack = 1e-6; /* as promised to users */
enum { QUOTE_MAX = 64 };
#define ADD_SIDE "add \"applied_to\": \"robot\" or \"environment\""
#define ADD_AXES "add \"expressed_in\": \"world\" or \"link\""
#define ADD_AT   "add \"at\": \"origin\", \"com\" or [x, y, z] in the link frame"

/* ------------------------------------------------------------------------------------------------
 * Order of joints
 */

static void append_joint(const tq_model *model, uint32_t j, tqa_order *order)
{
    const tq_joint *joint = &model->joints[j];
    for (uint32_t k = 0; k < joint->nq; k++) {
        order->q[order->nq++] = joint->q_index + k;
    }
    for (uint32_t k = 0; k < joint->nv; k++) {
        order->v[order->nv++] = joint->v_index + k;
    }
    if (order->joints != NULL) {
        order->joints[order->n_joint] = j;
    }
    order->n_joint++;
}

static bool is_moving(const tq_joint *joint)
{
    return joint->nq > 0;
}

static bool has_joint(const tqa_order *order, const tq_joint *joint)
{
    for (size_t r = 0; r < order->nv; r++) {
        if (order->v[r] == joint->v_index) {
            return true;
        }
    }
    return false;
}

bool tqa_value_refuse_joint(const tqa_value *part, const char *text)
{
    const tqa_robot *robot = part->tree->robot;
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, strlen(text));
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        if (is_moving(&robot->model->joints[j])) {
            tqa_nearest_offer(&nearest, robot->joint_names[j]);
        }
    }
    return tqa_value_refuse(part, "unknown-name", tqa_nearest_hint(&nearest),
                            "there is no joint \"%.*s\"", QUOTE_MAX, text);
}

static bool read_joint(const tqa_value *part, tqa_order *order)
{
    const tqa_robot *robot = part->tree->robot;
    const char *text = NULL;
    if (!tqa_value_text(part, "the name of a joint", &text)) {
        return false;
    }
    const uint32_t j = tqa_robot_joint(robot, text, strlen(text));
    if (j == TQ_NONE) {
        return tqa_value_refuse_joint(part, text);
    }
    if (!is_moving(&robot->model->joints[j])) {
        return tqa_value_refuse(part, "invalid-value", "leave it out",
                                "joint \"%.*s\" has no coordinates of its own", QUOTE_MAX, text);
    }
    if (has_joint(order, &robot->model->joints[j])) {
        return tqa_value_refuse(part, "invalid-value", "name it once",
                                "joint \"%.*s\" is named twice", QUOTE_MAX, text);
    }
    append_joint(robot->model, j, order);
    return true;
}

bool tqa_value_order(const tqa_value *part, tqa_order *ret)
{
    const tqa_robot *robot = part->tree->robot;
    size_t n = 0;
    ret->nq = ret->nv = ret->n_joint = 0;
    if (!tqa_value_list(part, "an array of names", &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(part, i);
        if (!read_joint(&item, ret)) {
            return false;
        }
    }
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        if (is_moving(joint) && !has_joint(ret, joint)) {
            return tqa_value_refuse(part, "wrong-length",
                                    "name every joint that moves, once; q of some of them is "
                                    "\"q\": {\"elbow\": [0.3, 0.4]}, the others at zero",
                                    "joint \"%.*s\" is not named", QUOTE_MAX,
                                    robot->joint_names[j]);
        }
    }
    return true;
}

bool tqa_tree_order(tqa_tree *tree, tqa_order *ret)
{
    const tq_model *model = tree->robot->model;
    const tqa_value root = tqa_value_root(tree);
    const tqa_value joints = tqa_value_field(&root, "joints");
    const tqa_value angles = tqa_value_field(&root, "angles");
    if (angles.value != NULL && !tqa_value_angles(&angles, &tree->in_degrees)) {
        return false;
    }
    *ret = (tqa_order){
        .q = tqa_tree_take(tree, model->nq, sizeof(uint32_t)),
        .v = tqa_tree_take(tree, model->nv, sizeof(uint32_t)),
        .joints = tqa_tree_take(tree, model->n_joint, sizeof(uint32_t)),
    };
    if (ret->q == NULL || ret->v == NULL || ret->joints == NULL) {
        return false;
    }
    if (joints.value != NULL) {
        return tqa_value_order(&joints, ret);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (is_moving(&model->joints[j])) {
            append_joint(model, j, ret);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Points, poses, wrenches
 */

bool tqa_value_gravity(const tqa_value *part, double ret[3])
{
    return tqa_value_vector(part, 3, "gravity is [x, y, z] in m/s^2, world frame", ret);
}

bool tqa_value_refuse_link(const tqa_value *part, const char *text)
{
    const tqa_robot *robot = part->tree->robot;
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, strlen(text));
    for (uint32_t k = 0; k < robot->model->n_link; k++) {
        tqa_nearest_offer(&nearest, robot->link_names[k]);
    }
    return tqa_value_refuse(part, "unknown-name", tqa_nearest_hint(&nearest),
                            "there is no link \"%.*s\"", QUOTE_MAX, text);
}

bool tqa_value_link(const tqa_value *part, uint32_t *ret)
{
    const tqa_robot *robot = part->tree->robot;
    const char *text = NULL;
    if (!tqa_value_text(part, "the name of a link", &text)) {
        return false;
    }
    *ret = tqa_robot_link(robot, text, strlen(text));
    return *ret != TQ_NONE || tqa_value_refuse_link(part, text);
}

/* Carries no other link, and a joint on the way to it moves. */
static bool is_end(const tq_model *model, uint32_t link)
{
    bool moves = false;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].parent == link) {
            return false;
        }
    }
    for (uint32_t at = link; at != model->root;) {
        const tq_joint *joint = &model->joints[model->links[at].joint];
        moves = moves || joint->kind != TQ_JOINT_FIXED;
        at = joint->parent;
    }
    return moves;
}

bool tqa_value_end_link(const tqa_value *part, uint32_t *ret)
{
    const tqa_robot *robot = part->tree->robot;
    char names[TQA_PROBLEM_TEXT / 2] = "";
    uint32_t n = 0;
    for (uint32_t k = 0; k < robot->model->n_link; k++) {
        if (is_end(robot->model, k)) {
            const size_t used = strlen(names);
            *ret = k;
            (void)snprintf(names + used, sizeof names - used, "%s\"%s\"", n++ > 0 ? " or " : "",
                           robot->link_names[k]);
        }
    }
    if (n == 1) {
        tqa_wording_assume(part->tree, part->pointer, robot->link_names[*ret]);
        return true;
    }
    const char *field = strrchr(part->pointer, '/') + 1;
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint, "add \"%s\": %s%s", field, names,
                   n > 0 ? ", or another link" : "the name of a link");
    return tqa_value_need(part, hint);
}

bool tqa_value_at(const tqa_value *part, uint32_t link, double ret[3])
{
    static const char *const places[] = {"origin", "com", NULL};
    unsigned place = 0;
    if (!tqa_value_need(part, ADD_AT)) {
        return false;
    }
    if (json_is_array(part->value)) {
        return tqa_value_vector(part, 3, "a point is [x, y, z] in the link frame, m", ret);
    }
    if (!json_is_string(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "for example \"at\": \"origin\"",
                                "expected \"origin\", \"com\" or 3 numbers, got %s",
                                tqa_kind_of(part->value));
    }
    if (!tqa_value_choice(part, places, &place)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = place == 0 ? 0.0 : part->tree->robot->model->links[link].inertia.com[k];
    }
    return true;
}

bool tqa_value_point(const tqa_value *part, tqa_point *ret)
{
    static const char *const fields[] = {"link", "at", NULL};
    static const tqa_needed needed[] = {{"link", "add \"link\": its name"}, {NULL, NULL}};
    *ret = (tqa_point){0};
    if (json_is_string(part->value)) {
        return tqa_value_link(part, &ret->link);
    }
    if (!tqa_value_fields(part, fields, needed)) {
        return false;
    }
    const tqa_value link = tqa_value_field(part, "link");
    const tqa_value at = tqa_value_field(part, "at");
    return tqa_value_link(&link, &ret->link) &&
           (at.value == NULL || tqa_value_at(&at, ret->link, ret->at));
}

static bool read_quaternion(const tqa_value *part, double r[9])
{
    double wxyz[4];
    if (!tqa_value_numbers(part, 4, wxyz)) {
        return false;
    }
    const double length =
        sqrt(wxyz[0] * wxyz[0] + wxyz[1] * wxyz[1] + wxyz[2] * wxyz[2] + wxyz[3] * wxyz[3]);
    if (!(fabs(length - 1.0) <= unit_slack)) {
        char hint[TQA_PROBLEM_TEXT] = "[1, 0, 0, 0] is no rotation at all";
        if (length > 0.0) {
            (void)snprintf(hint, sizeof hint, "use [%.17g, %.17g, %.17g, %.17g]", wxyz[0] / length,
                           wxyz[1] / length, wxyz[2] / length, wxyz[3] / length);
        }
        return tqa_value_refuse(part, "quaternion", hint, "its length is %.9g, not 1", length);
    }
    tq_mat_of_quaternion(wxyz, r);
    return true;
}

static bool read_matrix(const tqa_value *part, double r[9])
{
    if (!tqa_value_matrix(part, 3, 3, r)) {
        return false;
    }
    double product[9];
    double off = 0.0;
    tq_mat_tproduct(r, r, product);
    for (int k = 0; k < 9; k++) {
        off = fmax(off, fabs(product[k] - (k % 4 == 0 ? 1.0 : 0.0)));
    }
    double cross[3];
    tq_vec_cross(r, r + 3, cross);
    const double turn = cross[0] * r[6] + cross[1] * r[7] + cross[2] * r[8];
    if (!(off <= unit_slack && turn > 0.0)) {
        return tqa_value_refuse(part, "range", "its rows must be orthonormal and right-handed",
                                "this is no rotation: R^T R differs from 1 by %.3g", off);
    }
    return true;
}

/* Roll, pitch, yaw about the fixed axes x, y, z, as in URDF. */
static bool read_rpy(const tqa_value *part, const tqa_value *other, double r[9])
{
    double rpy[3];
    if (json_is_object(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "write [roll, pitch, yaw]",
                                "expected an array of 3 numbers, got an object");
    }
    if (other->value != NULL) {
        const char *name = strrchr(other->pointer, '/') + 1;
        return tqa_value_refuse(other, "invalid-value", "leave one of them out",
                                "\"%s\" and \"rpy\" are both given", name);
    }
    if (!tqa_value_numbers(part, 3, rpy)) {
        return false;
    }
    const double most = fmax(fabs(rpy[0]), fmax(fabs(rpy[1]), fabs(rpy[2])));
    if (!part->tree->in_degrees && most > 2.0 * M_PI) {
        tqa_tree_remark(part->tree, TQ_NONE,
                        "\"rpy\" turns by %.9g radians: are these degrees? say \"angles\": \"deg\"",
                        most);
    }
    for (unsigned k = 0; k < 3 && part->tree->in_degrees; k++) {
        rpy[k] *= tqa_radians_of_degree;
    }
    tq_rotation_from_rpy(rpy, r);
    return true;
}

bool tqa_value_rotation(const tqa_value *object, double ret[9], bool *ret_there)
{
    const tqa_value matrix = tqa_value_field(object, "rotation");
    const tqa_value quaternion = tqa_value_field(object, "quaternion_wxyz");
    const tqa_value angles = tqa_value_field(object, "rpy");
    *ret_there = matrix.value != NULL || quaternion.value != NULL || angles.value != NULL;
    if (angles.value != NULL) {
        const tqa_value *other = matrix.value != NULL ? &matrix : &quaternion;
        return read_rpy(&angles, other, ret);
    }
    if (matrix.value != NULL && quaternion.value != NULL) {
        return tqa_value_refuse(&matrix, "invalid-value", "leave one of them out",
                                "\"rotation\" and \"quaternion_wxyz\" are both given");
    }
    if (matrix.value != NULL) {
        return read_matrix(&matrix, ret);
    }
    if (quaternion.value != NULL) {
        return read_quaternion(&quaternion, ret);
    }
    tq_mat_identity(ret);
    return true;
}

bool tqa_value_pose(const tqa_value *part, tq_pose *ret)
{
    static const char *const fields[] = {"position", "rotation", "quaternion_wxyz", "rpy", NULL};
    bool there = false;
    *ret = (tq_pose){0};
    if (!tqa_value_object(part, fields)) {
        return false;
    }
    const tqa_value position = tqa_value_field(part, "position");
    return (position.value == NULL || tqa_value_numbers(&position, 3, ret->p)) &&
           tqa_value_rotation(part, ret->r, &there);
}

bool tqa_value_place(const tqa_value *object, tqa_load *ret, double *ret_sign)
{
    static const char *const sides[] = {"robot", "environment", NULL};
    static const char *const axes[] = {"world", "link", NULL};
    const tqa_value link = tqa_value_field(object, "link"), at = tqa_value_field(object, "at");
    const tqa_value applied = tqa_value_field(object, "applied_to");
    const tqa_value expressed = tqa_value_field(object, "expressed_in");
    unsigned side = 0;
    unsigned axis = 0;
    *ret = (tqa_load){0};
    if (!tqa_value_link(&link, &ret->point.link) ||
        !tqa_value_at(&at, ret->point.link, ret->point.at) ||
        !tqa_value_choice(&applied, sides, &side) || !tqa_value_choice(&expressed, axes, &axis)) {
        return false;
    }
    ret->in_link = axis == 1;
    *ret_sign = side == 0 ? 1.0 : -1.0;
    return true;
}

const char *const tqa_load_fields[] = {TQA_PLACE_FIELDS, "force", "moment", NULL};
const tqa_needed tqa_load_needed[TQA_LOAD_NEEDED + 1] = {
    {"link", "add \"link\": the name of a link"},
    {"at", ADD_AT},
    {"applied_to", ADD_SIDE},
    {"expressed_in", ADD_AXES},
    {"force", "add \"force\": [0, 0, 0] in N, or \"moment\": [0, 0, 0] in N m, or both"},
    {NULL, NULL},
};

const tqa_needed *tqa_load_needs(const tqa_value *part)
{
    static const tqa_needed place[TQA_PLACE_NEEDED + 1] = {
        {"link", "add \"link\": the name of a link"},
        {"at", ADD_AT},
        {"applied_to", ADD_SIDE},
        {"expressed_in", ADD_AXES},
        {NULL, NULL},
    };
    const bool any = tqa_value_field(part, "force").value != NULL ||
                     tqa_value_field(part, "moment").value != NULL;
    return any ? place : tqa_load_needed;
}

bool tqa_value_load(const tqa_value *part, tqa_load *ret)
{
    double wrench[6] = {0.0};
    double sign = 1.0;
    if (!tqa_value_fields(part, tqa_load_fields, tqa_load_needs(part))) {
        return false;
    }
    const tqa_value force = tqa_value_field(part, "force"),
                    moment = tqa_value_field(part, "moment");
    if (!tqa_value_place(part, ret, &sign) ||
        (force.value != NULL && !tqa_value_numbers(&force, 3, wrench)) ||
        (moment.value != NULL && !tqa_value_numbers(&moment, 3, wrench + 3))) {
        return false;
    }
    for (unsigned k = 0; k < 6; k++) {
        ret->wrench[k] = sign > 0.0 ? wrench[k] : 0.0 - wrench[k];
    }
    return true;
}
