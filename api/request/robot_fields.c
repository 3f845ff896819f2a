/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/robot_fields.c - names become numbers, the user's order becomes the robot's. */
#include "api/request/robot_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "core/spatial/frame.h"

static const double unit_slack = 1e-6; /* as promised to users */
enum { STATES_MAX = 1 << 17, QUOTE_MAX = 64 };

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
    order->joints[order->n_joint++] = j;
}

static size_t count_moving(const tq_model *model)
{
    size_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        n += model->joints[j].nq > 0;
    }
    return n;
}

static bool find_joint(const tqa_value *part, const tqa_order *order, uint32_t *ret)
{
    const tqa_robot *robot = part->control->robot;
    if (!json_is_string(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "the name of a joint in quotes",
                                "expected the name of a joint");
    }
    const char *text = json_string_value(part->value);
    *ret = tqa_robot_joint(robot, text, strlen(text));
    if (*ret == TQ_NONE || robot->model->joints[*ret].nq == 0) {
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, text, strlen(text));
        for (uint32_t j = 0; j < robot->model->n_joint; j++) {
            if (robot->model->joints[j].nq > 0) {
                tqa_nearest_offer(&nearest, robot->joint_names[j]);
            }
        }
        return tqa_value_refuse(part, "unknown-name", tqa_nearest_hint(&nearest),
                                "there is no moving joint \"%.*s\"", QUOTE_MAX, text);
    }
    for (size_t k = 0; k < order->n_joint; k++) {
        if (order->joints[k] == *ret) {
            return tqa_value_refuse(part, "invalid-value", "name each moving joint once",
                                    "\"%.*s\" stands here twice", QUOTE_MAX, text);
        }
    }
    return true;
}

bool tqa_tree_order(tqa_tree *control, tqa_order *ret)
{
    const tq_model *model = control->robot->model;
    const tqa_value root = tqa_value_root(control);
    const tqa_value joints = tqa_value_field(&root, "joints");
    const size_t n_moving = count_moving(model);
    *ret = (tqa_order){
        .q = tqa_tree_take(control, model->nq, sizeof(uint32_t)),
        .v = tqa_tree_take(control, model->nv, sizeof(uint32_t)),
        .joints = tqa_tree_take(control, model->n_joint, sizeof(uint32_t)),
    };
    if (ret->q == NULL || ret->v == NULL || ret->joints == NULL) {
        return false;
    }
    if (joints.value == NULL) {
        for (uint32_t j = 0; j < model->n_joint; j++) {
            if (model->joints[j].nq > 0) {
                append_joint(model, j, ret);
            }
        }
        return true;
    }
    size_t n = 0;
    if (!tqa_value_array(&joints, n_moving, n_moving, &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(&joints, i);
        uint32_t joint = 0;
        if (!find_joint(&item, ret, &joint)) {
            return false;
        }
        append_joint(model, joint, ret);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Samples
 */

bool tqa_value_row(const tqa_value *part, size_t n, const uint32_t *map, double *ret)
{
    double *row = tqa_tree_take(part->control, n, sizeof *row);
    if (row == NULL || !tqa_value_numbers(part, n, row)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        ret[map[k]] = row[k];
    }
    return true;
}

static bool read_rows(const tqa_value *part, size_t n, const uint32_t *map, tqa_states *states,
                      bool first, double **ret)
{
    if (!json_is_array(part->value)) {
        return tqa_value_refuse(part, "wrong-type",
                                "one sample is [number, ...]; a batch is [[number, ...], ...]",
                                "expected one sample of %zu numbers, or an array of samples", n);
    }
    const bool flat = !json_is_array(json_array_get(part->value, 0));
    const size_t n_sample = flat ? 1 : json_array_size(part->value);
    if (n_sample > STATES_MAX) {
        return tqa_value_refuse(part, "too-large", "send fewer samples at a time",
                                "at most %d samples are taken", STATES_MAX);
    }
    if (first) {
        states->flat = flat;
        states->n_sample = n_sample;
    } else if (states->flat != flat || states->n_sample != n_sample) {
        return tqa_value_refuse(part, "wrong-length", "give as many samples as of \"q\"",
                                "here are %zu samples, of \"q\" there are %zu", n_sample,
                                states->n_sample);
    }
    *ret = tqa_tree_take(part->control, n_sample * n, sizeof **ret);
    bool good = *ret != NULL;
    for (size_t i = 0; good && i < n_sample; i++) {
        const tqa_value row = flat ? *part : tqa_value_item(part, i);
        good = tqa_value_row(&row, n, map, *ret + i * n);
    }
    return good;
}

bool tqa_tree_states(tqa_tree *control, const tqa_order *order, unsigned take, unsigned need,
                     tqa_states *ret)
{
    static const char *const names[3] = {"q", "qd", "qdd"};
    const tqa_value root = tqa_value_root(control);
    double **const rows[3] = {&ret->q, &ret->qd, &ret->qdd};
    *ret = (tqa_states){0};
    for (unsigned k = 0; k < 3; k++) {
        const size_t n = k == 0 ? order->nq : order->nv;
        const tqa_value part = tqa_value_field(&root, names[k]);
        if ((take >> k & 1u) == 0 || (part.value == NULL && (need >> k & 1u) == 0)) {
            continue;
        }
        char hint[TQA_PROBLEM_TEXT];
        (void)snprintf(hint, sizeof hint,
                       "add \"%s\": an array of %zu numbers, or an array of such", names[k], n);
        if (!tqa_value_need(&part, hint)) {
            return false;
        }
        const bool first = ret->n_sample == 0;
        if (!read_rows(&part, n, k == 0 ? order->q : order->v, ret, first, rows[k])) {
            return false;
        }
    }
    return true;
}

bool tqa_states_fail(tqa_tree *control, const tqa_states *states, size_t sample, tq_status status,
                     const tq_error *error)
{
    char pointer[TQA_POINTER_TEXT] = "/q";
    if (!states->flat) {
        (void)snprintf(pointer, sizeof pointer, "/q/%zu", sample);
    }
    return tqa_tree_fail(control, pointer, status, error);
}

/* ------------------------------------------------------------------------------------------------
 * Points, poses, wrenches
 */

bool tqa_value_link(const tqa_value *part, uint32_t *ret)
{
    const tqa_robot *robot = part->control->robot;
    if (!tqa_value_need(part, "add \"link\": the name of a link")) {
        return false;
    }
    if (!json_is_string(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "the name of a link in quotes",
                                "expected the name of a link");
    }
    const char *text = json_string_value(part->value);
    *ret = tqa_robot_link(robot, text, strlen(text));
    if (*ret != TQ_NONE) {
        return true;
    }
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, strlen(text));
    for (uint32_t k = 0; k < robot->model->n_link; k++) {
        tqa_nearest_offer(&nearest, robot->link_names[k]);
    }
    return tqa_value_refuse(part, "unknown-name", tqa_nearest_hint(&nearest),
                            "there is no link \"%.*s\"", QUOTE_MAX, text);
}

bool tqa_value_at(const tqa_value *part, uint32_t link, double ret[3])
{
    static const char *const places[] = {"origin", "com", NULL};
    unsigned place = 0;
    if (!tqa_value_need(part, "add \"at\": \"origin\", \"com\" or [x, y, z] in the link frame")) {
        return false;
    }
    if (json_is_array(part->value)) {
        return tqa_value_numbers(part, 3, ret);
    }
    if (!tqa_value_choice(part, places, &place)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = place == 0 ? 0.0 : part->control->robot->model->links[link].inertia.com[k];
    }
    return true;
}

bool tqa_value_point(const tqa_value *part, tqa_point *ret)
{
    static const char *const fields[] = {"link", "at", NULL};
    *ret = (tqa_point){0};
    if (json_is_string(part->value)) {
        return tqa_value_link(part, &ret->link);
    }
    if (!tqa_value_object(part, fields)) {
        return false;
    }
    const tqa_value link = tqa_value_field(part, "link");
    const tqa_value at = tqa_value_field(part, "at");
    return tqa_value_link(&link, &ret->link) && tqa_value_at(&at, ret->link, ret->at);
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

bool tqa_value_rotation(const tqa_value *object, double ret[9], bool *ret_there)
{
    const tqa_value matrix = tqa_value_field(object, "rotation");
    const tqa_value quaternion = tqa_value_field(object, "quaternion_wxyz");
    *ret_there = matrix.value != NULL || quaternion.value != NULL;
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
    static const char *const fields[] = {"position", "rotation", "quaternion_wxyz", NULL};
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
        !tqa_value_need(&applied, "add \"applied_to\": \"robot\" or \"environment\"") ||
        !tqa_value_choice(&applied, sides, &side) ||
        !tqa_value_need(&expressed, "add \"expressed_in\": \"world\" or \"link\"") ||
        !tqa_value_choice(&expressed, axes, &axis)) {
        return false;
    }
    ret->in_link = axis == 1;
    *ret_sign = side == 0 ? 1.0 : -1.0;
    return true;
}

bool tqa_value_load(const tqa_value *part, tqa_load *ret)
{
    static const char *const fields[] = {TQA_PLACE_FIELDS, "force", "moment", NULL};
    double wrench[6];
    double sign = 1.0;
    if (!tqa_value_object(part, fields)) {
        return false;
    }
    const tqa_value force = tqa_value_field(part, "force"),
                    moment = tqa_value_field(part, "moment");
    if (!tqa_value_place(part, ret, &sign) ||
        !tqa_value_need(&force, "add \"force\": [0, 0, 0] for a pure moment, or [x, y, z] in N") ||
        !tqa_value_numbers(&force, 3, wrench) ||
        !tqa_value_need(&moment,
                        "add \"moment\": [0, 0, 0] for a pure force, or [x, y, z] in N m") ||
        !tqa_value_numbers(&moment, 3, wrench + 3)) {
        return false;
    }
    for (unsigned k = 0; k < 6; k++) {
        ret->wrench[k] = sign > 0.0 ? wrench[k] : 0.0 - wrench[k];
    }
    return true;
}
