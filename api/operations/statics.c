/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/statics.c - POST .../statics: holding torque of a load, reactions of joints,
 * compliance. */
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/unmodelled.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/compliance.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/reactions.h"
#include "core/spatial/frame.h"

enum { TASK = 6, WRENCH = 6, SPRINGS_MAX = 16 };

static const char *const fields[] = {TQA_FIELDS_STATICS_REQUEST, NULL};

static const char *const axis_names[] = {TQA_WORDS_AXES, NULL};

typedef struct statics {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    tqa_load given;
    tq_load load; /* in world axes */
    double gravity[3];
    bool has_stiffness, geometric;
    double *stiffness; /* (nv) */
    unsigned axes;     /* directions of compliance: bits of axis_names */
    tq_configuration posture;
    tq_scratch scratch;
    double *tau, *gravity_torque; /* (nv) */
    double *reactions;            /* (6 (n_joint + 1)) */
} statics;

static double cost_us(const tqa_tree *tree)
{
    const double nv = (double)tree->robot->model->nv;
    return 20.0 + 3.0 * (double)tree->robot->model->n_joint + 0.01 * nv * nv * nv;
}

static bool are_positive(const tqa_value *row, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(row, k);
        double ignored = 0.0;
        if (!tqa_value_positive(&item, &ignored)) {
            return false;
        }
    }
    return true;
}

/* Springs in series, such as of a drive's loop, its gear and its shaft: their
 * compliances add. */
static bool read_series(const statics *s, const tqa_value *stiffness)
{
    static const char *const known[] = {TQA_FIELDS_STATICS_REQUEST_JOINT_STIFFNESS, NULL};
    const tqa_value series = tqa_value_field(stiffness, "series");
    const size_t nv = s->order.nv;
    size_t n = 0;
    double *row = tqa_tree_take(s->tree, nv, sizeof *row);
    if (row == NULL || !tqa_value_object(stiffness, known) ||
        !tqa_value_array(&series, 1, SPRINGS_MAX, &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value springs = tqa_value_item(&series, i);
        if (!tqa_value_row(&springs, &s->order, TQA_ROW_OTHER, row) ||
            !are_positive(&springs, nv)) {
            return false;
        }
        for (size_t k = 0; k < nv; k++) {
            s->stiffness[k] += 1.0 / row[k];
        }
    }
    for (size_t k = 0; k < nv; k++) {
        s->stiffness[k] = 1.0 / s->stiffness[k];
    }
    return true;
}

static bool read_stiffness(statics *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value stiffness = tqa_value_field(&root, "joint_stiffness");
    const tqa_value geometric = tqa_value_field(&root, "geometric");
    const tqa_value axes = tqa_value_field(&root, "axes");
    s->has_stiffness = stiffness.value != NULL;
    s->axes = (1u << TASK) - 1u;
    if (!s->has_stiffness) {
        static const char hint[] = "add \"joint_stiffness\": one number for each of qd";
        return (geometric.value == NULL && axes.value == NULL) || tqa_value_need(&stiffness, hint);
    }
    s->stiffness = tqa_tree_take(s->tree, s->order.nv, sizeof(double));
    if (s->stiffness == NULL ||
        !(json_is_object(stiffness.value)
              ? read_series(s, &stiffness)
              : tqa_value_row(&stiffness, &s->order, TQA_ROW_OTHER, s->stiffness) &&
                    are_positive(&stiffness, s->order.nv)) ||
        (geometric.value != NULL && !tqa_value_flag(&geometric, &s->geometric)) ||
        (axes.value != NULL && !tqa_value_choices(&axes, axis_names, &s->axes))) {
        return false;
    }
    return s->axes != 0 ||
           tqa_value_refuse(&axes, "wrong-length", "for example [\"x\", \"y\", \"z\"]",
                            "name one axis at least");
}

static bool read(statics *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value wrench = tqa_value_field(&root, "endpoint_wrench");
    const tqa_value gravity = tqa_value_field(&root, "gravity");
    if (!tqa_tree_order(s->tree, &s->order) ||
        !tqa_tree_states(s->tree, &s->order, TQA_NEED_Q, TQA_NEED_Q, 0, &s->states)) {
        return false;
    }
    if (!s->states.flat) {
        const tqa_value q = tqa_value_field(&root, "q");
        return tqa_value_refuse(&q, "wrong-type", "send one request for each posture",
                                "expected one sample, got a batch");
    }
    memcpy(s->gravity, s->tree->robot->model->gravity, sizeof s->gravity);
    const double *wind = s->tree->robot->model->medium.velocity;
    if ((wind[0] != 0.0 || wind[1] != 0.0 || wind[2] != 0.0) &&
        !tqa_all_modelled(&root, "the loads")) {
        return false; /* at rest only a medium that moves pulls */
    }
    return tqa_value_load(&wrench, &s->given) &&
           (gravity.value == NULL || tqa_value_gravity(&gravity, s->gravity)) && read_stiffness(s);
}

/* ------------------------------------------------------------------------------------------------
 * Torques and joint loads
 */

static bool place(statics *s)
{
    const tq_model *model = s->tree->robot->model;
    tq_error error = {0};
    const size_t nv = s->order.nv;
    const size_t size = tq_configuration_scratch_size(model) +
                        tq_inverse_scratch_size(s->tree->robot->mechanism, 1) +
                        tq_reactions_scratch_size(s->tree->robot->mechanism) +
                        tq_compliance_scratch_size(TASK, nv);
    if (!tqa_tree_scratch(s->tree, size, &s->scratch)) {
        return false;
    }
    const tq_status status =
        tq_configuration_compute(model, s->states.q, NULL, &s->scratch, &s->posture, &error);
    if (status != TQ_OK) {
        return tqa_states_fail(s->tree, &s->states, 0, status, &error);
    }
    s->load.link = s->given.point.link;
    memcpy(s->load.at, s->given.point.at, sizeof s->load.at);
    memcpy(s->load.wrench, s->given.wrench, sizeof s->load.wrench);
    if (s->given.in_link) {
        const double *r = s->posture.pose[s->load.link].r;
        tq_mat_vec(r, s->given.wrench, s->load.wrench);
        tq_mat_vec(r, s->given.wrench + 3, s->load.wrench + 3);
    }
    return true;
}

/* one sample as a block: each row TQ_BLOCK_PAD times the same number */
static double *spread(tqa_tree *tree, const double *x, size_t n)
{
    double *rows = tqa_tree_take(tree, n * TQ_BLOCK_PAD, sizeof *rows);
    for (size_t k = 0; rows != NULL && k < n * TQ_BLOCK_PAD; k++) {
        rows[k] = x[k / TQ_BLOCK_PAD];
    }
    return rows;
}

static void pick(const double *rows, size_t n, double *ret)
{
    for (size_t k = 0; k < n; k++) {
        ret[k] = rows[k * TQ_BLOCK_PAD];
    }
}

static bool find_torques(statics *s)
{
    const tqa_robot *robot = s->tree->robot;
    const size_t nv = s->order.nv;
    const size_t n_reaction = (size_t)WRENCH * (robot->model->n_joint + 1);
    s->tau = tqa_tree_take(s->tree, nv, sizeof(double));
    s->gravity_torque = tqa_tree_take(s->tree, nv, sizeof(double));
    s->reactions = tqa_tree_take(s->tree, n_reaction, sizeof(double));
    double *rows = tqa_tree_take(s->tree, (nv + n_reaction) * TQ_BLOCK_PAD, sizeof(double));
    double *q = spread(s->tree, s->states.q, s->order.nq);
    if (s->tau == NULL || s->gravity_torque == NULL || s->reactions == NULL || rows == NULL ||
        q == NULL) {
        return false;
    }
    const tq_external_wrench wrench = {
        .link = s->load.link,
        .expressed_in = TQ_FRAME_WORLD,
        .at = {s->load.at[0], s->load.at[1], s->load.at[2]},
        .rows = s->load.wrench,
        .row_stride = 1,
    };
    tq_inverse_input in = {
        .n_sample = 1,
        .stride = TQ_BLOCK_PAD,
        .q = q,
        .gravity = s->gravity,
        .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR | TQ_WITHOUT_DRAG,
    };
    tq_error error = {0};
    tq_static_torque(&s->posture, &s->load, s->tau);
    tq_status status = tq_inverse_dynamics(robot->mechanism, &in, &s->scratch, rows, &error);
    pick(rows, nv, s->gravity_torque);
    if (status == TQ_OK) {
        in.wrenches = &wrench;
        in.n_wrench = 1;
        status = tq_reactions(robot->mechanism, &in, &s->scratch, rows, &error);
        pick(rows, n_reaction, s->reactions);
    }
    return status == TQ_OK || tqa_states_fail(s->tree, &s->states, 0, status, &error);
}

/* The part of a joint's wrench along its own dof: the drive's share. */
static void own_share(const tq_joint *joint, const double wrench[6], double ret[6])
{
    const double *axis = joint->axis;
    const double force = axis[0] * wrench[0] + axis[1] * wrench[1] + axis[2] * wrench[2];
    const double moment = axis[0] * wrench[3] + axis[1] * wrench[4] + axis[2] * wrench[5];
    const bool turns = joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS ||
                       joint->kind == TQ_JOINT_PLANAR;
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = joint->kind == TQ_JOINT_PRISMATIC  ? force * axis[k]
                 : joint->kind == TQ_JOINT_PLANAR   ? wrench[k] - force * axis[k]
                 : joint->kind == TQ_JOINT_FLOATING ? wrench[k]
                                                    : 0.0;
        ret[3 + k] = turns ? moment * axis[k]
                     : joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING
                         ? wrench[3 + k]
                         : 0.0;
    }
}

static void put_joints(const statics *s)
{
    const tqa_robot *robot = s->tree->robot;
    tqa_writer *answer = s->tree->answer;
    tqa_writer_object(answer, "joint_wrenches");
    tqa_writer_string(answer, "applied_to", "child link");
    tqa_writer_string(answer, "expressed_in", "child link");
    tqa_writer_string(answer, "at", "origin");
    tqa_writer_list(answer, "joints");
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        const double *wrench = s->reactions + WRENCH * (size_t)j;
        double own[WRENCH];
        double borne[WRENCH];
        own_share(&robot->model->joints[j], wrench, own);
        for (unsigned k = 0; k < WRENCH; k++) {
            borne[k] = wrench[k] - own[k];
        }
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint", robot->joint_names[j]);
        tqa_writer_string(answer, "link", robot->link_names[robot->model->joints[j].child]);
        tqa_writer_vector(answer, "force", wrench, 3);
        tqa_writer_vector(answer, "moment", wrench + 3, 3);
        tqa_writer_vector(answer, "bearing_force", borne, 3);
        tqa_writer_vector(answer, "bearing_moment", borne + 3, 3);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    const double *base = s->reactions + WRENCH * (size_t)robot->model->n_joint;
    tqa_writer_object(answer, "base");
    tqa_writer_string(answer, "link", robot->link_names[robot->model->root]);
    tqa_writer_vector(answer, "force", base, 3);
    tqa_writer_vector(answer, "moment", base + 3, 3);
    tqa_writer_end(answer);
    tqa_writer_end(answer);
}

/* ------------------------------------------------------------------------------------------------
 * Compliance
 */

/* Springs, minus the symmetric part of the load's geometric stiffness. */
static bool joint_stiffness(const statics *s, double *k, double *geometric)
{
    const size_t nv = s->order.nv;
    for (size_t i = 0; i < nv; i++) {
        k[i * nv + i] = s->stiffness[i];
    }
    if (!s->geometric) {
        return false;
    }
    tq_geometric_stiffness(&s->posture, &s->load, geometric);
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            k[i * nv + j] -= 0.5 * (geometric[i * nv + j] + geometric[j * nv + i]);
        }
    }
    return true;
}

static void put_compliance(const statics *s, size_t n, const tq_compliance_result *result)
{
    tqa_writer *answer = s->tree->answer;
    double force[TASK];
    double give[TASK] = {0};
    size_t row = 0;
    tqa_writer_object(answer, "endpoint");
    tqa_writer_point(answer, s->tree->robot, &s->given.point);
    tqa_writer_string(answer, "expressed_in", "world");
    tqa_writer_list(answer, "axes");
    for (unsigned k = 0; k < TASK; k++) {
        if ((s->axes >> k & 1u) != 0) {
            tqa_writer_string(answer, NULL, axis_names[k]);
            force[row++] = s->load.wrench[k];
        }
    }
    tqa_writer_end(answer);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            give[i] += result->compliance[i * n + j] * force[j];
        }
    }
    tqa_writer_matrix(answer, "compliance", result->compliance, n, n);
    tqa_writer_vector(answer, "deflection", give, n);
    if (result->rank == n) {
        tqa_writer_matrix(answer, "stiffness", result->stiffness, n, n);
    } else {
        tqa_writer_none(answer, "stiffness",
                        "the endpoint cannot give way along the unbounded directions");
    }
    tqa_writer_matrix(answer, "unbounded_directions", result->rigid, n - result->rank, n);
    tqa_writer_end(answer);
}

static bool find_compliance(statics *s)
{
    const size_t nv = s->order.nv;
    tqa_tree *tree = s->tree;
    double *jacobian = tqa_tree_take(tree, 2 * TASK * nv, sizeof(double));
    double *k = tqa_tree_take(tree, 2 * nv * nv, sizeof(double));
    double room[3][TASK * TASK] = {{0}};
    if (jacobian == NULL || k == NULL) {
        return false;
    }
    double *chosen = jacobian + TASK * nv;
    size_t n = 0;
    tq_configuration_jacobian(&s->posture, s->load.link, s->load.at, TQ_JACOBIAN_WORLD_ALIGNED,
                              jacobian, NULL);
    for (unsigned axis = 0; axis < TASK; axis++) {
        if ((s->axes >> axis & 1u) != 0) {
            memcpy(chosen + n++ * nv, jacobian + axis * nv, nv * sizeof *chosen);
        }
    }
    const bool geometric = joint_stiffness(s, k, k + nv * nv);
    tq_compliance_result result = {.compliance = room[0], .stiffness = room[1], .rigid = room[2]};
    tq_error error = {0};
    const tq_status status = tq_compliance_compute(n, nv, chosen, k, &s->scratch, &result, &error);
    if (status == TQ_ERR_SINGULAR) {
        const tqa_value root = tqa_value_root(tree);
        const tqa_value stiffness = tqa_value_field(&root, "joint_stiffness");
        return tqa_value_refuse(&stiffness, "singular",
                                "stiffer springs, a smaller load, or \"geometric\": false",
                                "joint_stiffness is not positive definite under this load: the "
                                "robot buckles");
    }
    if (status != TQ_OK) {
        return tqa_tree_fail(tree, "/joint_stiffness", status, &error);
    }
    put_compliance(s, n, &result);
    if (geometric) {
        double *rows = k; /* no longer needed: columns in the user's order too */
        for (size_t i = 0; i < nv; i++) {
            for (size_t j = 0; j < nv; j++) {
                rows[i * nv + j] = k[nv * nv + s->order.v[i] * nv + s->order.v[j]];
            }
        }
        tqa_writer_matrix(tree->answer, "geometric_stiffness", rows, nv, nv);
    }
    return true;
}

static bool run(tqa_tree *tree)
{
    statics s = {.tree = tree};
    if (!read(&s) || !place(&s) || !find_torques(&s)) {
        return false;
    }
    const size_t nv = s.order.nv;
    tqa_writer *answer = tree->answer;
    double *sum = tqa_tree_take(tree, nv, sizeof *sum);
    if (sum == NULL) {
        return false;
    }
    for (size_t k = 0; k < nv; k++) {
        sum[k] = s.tau[k] + s.gravity_torque[k];
    }
    tqa_writer_joints(answer, tree->robot, &s.order);
    tqa_writer_rows(answer, "tau", s.tau, 1, true, s.order.v, nv);
    tqa_writer_rows(answer, "gravity_torque", s.gravity_torque, 1, true, s.order.v, nv);
    tqa_writer_rows(answer, "tau_with_gravity", sum, 1, true, s.order.v, nv);
    put_joints(&s);
    return !s.has_stiffness || find_compliance(&s);
}

static const tqa_needed needed[] = {
    {"q", "add \"q\": a number for each coordinate"},
    {"endpoint_wrench", "add \"endpoint_wrench\": {\"link\", \"force\", \"moment\", \"at\", "
                        "\"applied_to\", \"expressed_in\"}"},
    {NULL, NULL}};
static const tqa_tree_methods methods = {
    .fields = fields, .needed = needed, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_statics_methods = {.tree = &methods};
