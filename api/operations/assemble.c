/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/assemble.c - POST .../assemble: a whole motion out of that of some joints. */
#include "core/constraints/assemble.h"

#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"

static const char *const fields[] = {TQA_FIELDS_ASSEMBLE_REQUEST, NULL};
static const tqa_needed needed[] = {
    {"q", "add \"q\": {\"crank\": 0.3}, the joints whose positions are given"}, {NULL, NULL}};

enum { N_ROW = 3 }; /* q, qd, qdd */
static const char *const row_names[N_ROW] = {"q", "qd", "qdd"};

typedef struct question {
    tqa_tree *tree;
    tqa_order order;
    bool *kept; /* (n_joint) */
    bool flat, moves;
    size_t n_sample, undecided;
    double *near;        /* (nq) */
    double *rows[N_ROW]; /* (n_sample x nq, nv, nv): given, then whole */
} question;

static size_t samples_of(json_t *q)
{
    const char *key = NULL;
    json_t *value = NULL;
    size_t n = 1;
    json_object_foreach(q, key, value)
    {
        n = json_array_size(value) > n ? json_array_size(value) : n;
    }
    return n;
}

static double cost_us(const tqa_tree *tree)
{
    /* a Gauss-Newton step of nv = 10: 20 us; some five of them for a sample */
    const double nv = (double)tree->robot->model->nv;
    return 20.0 + (double)samples_of(json_object_get(tree->root, "q")) *
                      (50.0 + 5.0 * nv + 0.05 * nv * nv * nv);
}

static bool read_kept(question *a, const tqa_value *q)
{
    const tqa_robot *robot = a->tree->robot;
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(q->value) || json_object_size(q->value) == 0) {
        return tqa_value_refuse(q, "wrong-type", "write {\"crank\": 0.3}",
                                "q names the joints whose positions are given");
    }
    json_object_foreach(q->value, key, value)
    {
        const uint32_t j = tqa_robot_joint(robot, key, strlen(key));
        const tqa_value at = tqa_value_field(q, key);
        if (j == TQ_NONE || robot->model->joints[j].nv != 1) {
            return j == TQ_NONE
                       ? tqa_value_refuse_joint(&at, key)
                       : tqa_value_refuse(&at, "invalid-value", "name joints of one freedom",
                                          "joint \"%.80s\" has no single coordinate of its own",
                                          key);
        }
        a->kept[j] = true;
    }
    return true;
}

/* Joints that have a rate must have a position. */
static bool check_names(const question *a, const tqa_value *part)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(part->value, key, value)
    {
        const uint32_t j = tqa_robot_joint(a->tree->robot, key, strlen(key));
        const tqa_value at = tqa_value_field(part, key);
        if (j != TQ_NONE && !a->kept[j]) {
            return tqa_value_refuse(&at, "invalid-value", "give its position in q too",
                                    "joint \"%.80s\" is not in q", key);
        }
    }
    return true;
}

/* given angles into rad */
static void to_radians(const question *a, size_t k)
{
    const tqa_robot *robot = a->tree->robot;
    const size_t nq = robot->model->nq, n = k == 0 ? nq : robot->model->nv;
    const bool *is_angle = robot->is_angle + (k == 0 ? 0 : nq);
    for (size_t i = 0; a->tree->in_degrees && i < a->n_sample * n; i++) {
        a->rows[k][i] *= is_angle[i % n] ? tqa_radians_of_degree : 1.0;
    }
}

/* One of qd and qdd, 0 where it is absent; one sample beside a batch is that of all. */
static bool read_rates(question *a, size_t k)
{
    const tqa_value root = tqa_value_root(a->tree);
    const tqa_value part = tqa_value_field(&root, row_names[k]);
    const size_t nv = a->tree->robot->model->nv;
    double *given = NULL;
    size_t n = 1;
    bool flat = true;
    a->rows[k] = tqa_tree_take(a->tree, a->n_sample * nv, sizeof(double));
    if (a->rows[k] == NULL || part.value == NULL) {
        return a->rows[k] != NULL;
    }
    a->moves = true;
    if (!json_is_object(part.value)) {
        return tqa_value_refuse(&part, "wrong-type", "write {\"crank\": 1}",
                                "%s names joints, as q does", row_names[k]);
    }
    if (!check_names(a, &part) || !tqa_value_rows_by_name(&part, TQA_ROW_RATE, &flat, &n, &given)) {
        return false;
    }
    if (n != a->n_sample && n != 1) {
        return tqa_value_refuse(&part, "wrong-length", "as many as of q, or one",
                                "%zu samples of %s for %zu of q", n, row_names[k], a->n_sample);
    }
    for (size_t i = 0; i < a->n_sample; i++) {
        memcpy(a->rows[k] + i * nv, given + (n == 1 ? 0 : i) * nv, nv * sizeof *given);
    }
    to_radians(a, k);
    return true;
}

static bool read(question *a)
{
    const tqa_robot *robot = a->tree->robot;
    const tqa_value root = tqa_value_root(a->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    const tqa_value near = tqa_value_field(&root, "near");
    const size_t nq = robot->model->nq;
    if (robot->constraints == NULL) {
        (void)tqa_value_refuse(&root, "invalid-robot",
                               "use it with a robot that has \"constraints\"",
                               "the robot has no constraints: every q satisfies them");
        return false;
    }
    a->kept = tqa_tree_take(a->tree, robot->model->n_joint + 1, sizeof *a->kept);
    a->near = tqa_tree_take(a->tree, nq, sizeof *a->near);
    if (a->kept == NULL || a->near == NULL || !tqa_tree_order(a->tree, &a->order) ||
        !read_kept(a, &q) ||
        !tqa_value_rows_by_name(&q, TQA_ROW_Q, &a->flat, &a->n_sample, &a->rows[0])) {
        return false;
    }
    if (a->n_sample > TQA_TREE_ANSWER_MAX / N_ROW / (nq + 1)) {
        return tqa_value_refuse(&q, "too-large", "send fewer samples at a time",
                                "the answer would have more than %d numbers", TQA_TREE_ANSWER_MAX);
    }
    memcpy(a->near, robot->assembled, nq * sizeof *a->near);
    to_radians(a, 0);
    return (near.value == NULL || tqa_value_row(&near, &a->order, TQA_ROW_Q, a->near)) &&
           read_rates(a, 1) && read_rates(a, 2);
}

static bool refuse_open(const question *a, size_t i, const tq_assembly *motion, tq_status status,
                        const tq_error *error)
{
    const tqa_robot *robot = a->tree->robot;
    const tqa_value root = tqa_value_root(a->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    const tqa_value qd = tqa_value_field(&root, "qd");
    if (error->what == NULL || strcmp(error->what, "constraint.row") != 0) {
        return tqa_tree_fail(a->tree, "/q", status, error);
    }
    const char *row = error->index < robot->constraints->n_row ? robot->row_names[error->index]
                                                               : "of a given joint";
    if (status == TQ_ERR_SINGULAR) {
        return tqa_value_refuse(qd.value != NULL ? &qd : &q, "singular",
                                "leave the dead point, or give the rate of another joint",
                                "sample %zu: no rates of the other joints go with the given ones: "
                                "row \"%.80s\" contradicts them",
                                i, row);
    }
    return tqa_value_refuse(&q, "no-convergence",
                            "positions that the mechanism can reach, or \"near\" on another branch",
                            "sample %zu: the constraints cannot be closed there: row \"%.80s\" is "
                            "off by %.3g; %.3g of the way from %s can be closed",
                            i, row, error->value, motion->reached,
                            i > 0 ? "the sample before" : "\"near\"");
}

static bool compute(question *a)
{
    const tqa_robot *robot = a->tree->robot;
    const size_t nq = robot->model->nq, nv = robot->model->nv;
    tq_scratch scratch;
    if (!tqa_tree_scratch(a->tree, tq_assemble_scratch_size(robot->mechanism, robot->constraints),
                          &scratch)) {
        return false;
    }
    for (size_t i = 0; i < a->n_sample; i++) {
        tq_error error = {0};
        tq_assembly motion = {.kept = a->kept,
                              .q = a->rows[0] + i * nq,
                              .qd = a->moves ? a->rows[1] + i * nv : NULL,
                              .qdd = a->moves ? a->rows[2] + i * nv : NULL};
        const tq_status status = tq_constraints_assemble(robot->mechanism, robot->constraints,
                                                         a->near, &motion, &scratch, &error);
        if (status != TQ_OK) {
            return refuse_open(a, i, &motion, status, &error);
        }
        memcpy(a->near, motion.q, nq * sizeof *a->near);
        a->undecided = motion.n_undecided > a->undecided ? motion.n_undecided : a->undecided;
    }
    return true;
}

static bool run(tqa_tree *tree)
{
    question a = {.tree = tree};
    if (!read(&a) || !compute(&a)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tqa_writer_joints(answer, tree->robot, &a.order);
    tqa_writer_list(answer, "given");
    for (uint32_t j = 0; j < tree->robot->model->n_joint; j++) {
        if (a.kept[j]) {
            tqa_writer_string(answer, NULL, tree->robot->joint_names[j]);
        }
    }
    tqa_writer_end(answer);
    for (size_t k = 0; k < (a.moves ? N_ROW : 1u); k++) {
        tqa_rows_to_user(tree, k == 0 ? TQA_ROW_Q : TQA_ROW_RATE, a.rows[k], a.n_sample);
        tqa_writer_rows(answer, row_names[k], a.rows[k], a.n_sample, a.flat,
                        k == 0 ? a.order.q : a.order.v, k == 0 ? a.order.nq : a.order.nv);
    }
    tqa_writer_count(answer, "undecided", a.undecided);
    return true;
}

static const tqa_tree_methods methods = {
    .fields = fields, .needed = needed, .finds_unnamed = true, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_assemble_methods = {.tree = &methods};
