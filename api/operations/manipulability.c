/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/manipulability.c - POST .../manipulability: the velocity ellipsoid of a point. */
#include "core/dynamics/kinematics/manipulability.h"

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/kinematics/configuration.h"

enum { AXES = 6 };

static const char *const fields[] = {TQA_FIELDS_MANIPULABILITY_REQUEST, NULL};
static const char *const axis_names[] = {TQA_WORDS_AXES, NULL};

typedef struct ellipsoid {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    tqa_point point;
    unsigned axes[AXES]; /* (n_task) rows of the Jacobian */
    size_t n_task;
    tq_manipulability is;
} ellipsoid;

static double cost_us(const tqa_tree *tree)
{
    /* a decomposition of 6 x nv: 20 us at nv = 7 */
    return 10.0 + 3.0 * (double)tree->robot->model->n_joint;
}

static bool read(ellipsoid *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value frame = tqa_value_field(&root, "frame");
    const tqa_value axes = tqa_value_field(&root, "axes");
    unsigned bits = (1u << AXES) - 1u;
    if (!tqa_tree_order(e->tree, &e->order) ||
        !tqa_tree_states(e->tree, &e->order, TQA_NEED_Q, TQA_NEED_Q, 0, &e->states) ||
        !tqa_value_need(&frame, "add \"frame\": the name of a link, or {\"link\", \"at\"}") ||
        !tqa_value_point(&frame, &e->point) ||
        (axes.value != NULL && !tqa_value_choices(&axes, axis_names, &bits))) {
        return false;
    }
    for (unsigned k = 0; k < AXES; k++) {
        if ((bits >> k & 1u) != 0) {
            e->axes[e->n_task++] = k;
        }
    }
    const tqa_value q = tqa_value_field(&root, "q");
    return (e->n_task > 0 ||
            tqa_value_refuse(&axes, "wrong-length", "for example [\"x\", \"y\", \"z\"]",
                             "at least one axis is needed")) &&
           (e->states.flat || tqa_value_refuse(&q, "wrong-length", "send one flat array of numbers",
                                               "one configuration is taken, not a batch"));
}

static bool compute(ellipsoid *e)
{
    const tq_model *model = e->tree->robot->model;
    const size_t nv = e->order.nv, n = e->n_task < nv ? e->n_task : nv;
    double *whole = tqa_tree_take(e->tree, AXES * nv, sizeof *whole);
    double *rows = tqa_tree_take(e->tree, e->n_task * nv, sizeof *rows);
    e->is.s = tqa_tree_take(e->tree, n, sizeof(double));
    e->is.u = tqa_tree_take(e->tree, n * e->n_task, sizeof(double));
    e->is.v = tqa_tree_take(e->tree, n * nv, sizeof(double));
    tq_scratch scratch;
    if (whole == NULL || rows == NULL || e->is.s == NULL || e->is.u == NULL || e->is.v == NULL ||
        !tqa_tree_scratch(e->tree,
                          tq_configuration_scratch_size(model) +
                              tq_manipulability_scratch_size(e->n_task, nv),
                          &scratch)) {
        return false;
    }
    tq_configuration posture;
    tq_error error = {0};
    tq_status status =
        tq_configuration_compute(model, e->states.q, NULL, &scratch, &posture, &error);
    if (status != TQ_OK) {
        return tqa_states_fail(e->tree, &e->states, 0, status, &error);
    }
    tq_configuration_jacobian(&posture, e->point.link, e->point.at, TQ_JACOBIAN_WORLD_ALIGNED,
                              whole, NULL);
    for (size_t i = 0; i < e->n_task; i++) {
        for (size_t c = 0; c < nv; c++) {
            rows[i * nv + c] = whole[e->axes[i] * nv + e->order.v[c]];
        }
    }
    status = tq_manipulability_compute(e->n_task, nv, rows, &scratch, &e->is, &error);
    return status == TQ_OK || tqa_tree_fail(e->tree, "/q", status, &error);
}

static bool run(tqa_tree *tree)
{
    ellipsoid e = {.tree = tree};
    if (!read(&e) || !compute(&e)) {
        return false;
    }
    const size_t n = e.n_task < e.order.nv ? e.n_task : e.order.nv;
    tqa_writer *answer = tree->answer;
    tqa_writer_joints(answer, tree->robot, &e.order);
    tqa_writer_string(answer, "expressed_in", "world");
    tqa_writer_object(answer, "frame");
    tqa_writer_point(answer, tree->robot, &e.point);
    tqa_writer_end(answer);
    tqa_writer_list(answer, "axes");
    for (size_t k = 0; k < e.n_task; k++) {
        tqa_writer_string(answer, NULL, axis_names[e.axes[k]]);
    }
    tqa_writer_end(answer);
    tqa_writer_vector(answer, "singular_values", e.is.s, n);
    tqa_writer_matrix(answer, "directions", e.is.u, n, e.n_task);
    tqa_writer_matrix(answer, "joint_directions", e.is.v, n, e.order.nv);
    tqa_writer_count(answer, "rank", e.is.rank);
    tqa_writer_number(answer, "manipulability", e.is.measure);
    if (e.is.rank < e.n_task) {
        tqa_writer_none(answer, "condition", "the point cannot move along every one of the axes");
    } else {
        tqa_writer_number(answer, "condition", e.is.s[0] / e.is.s[n - 1]);
    }
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_manipulability_methods = {.tree = &methods};
