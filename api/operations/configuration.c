/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/configuration.c - POST .../configuration: sums and differences of coordinates. */
#include "core/dynamics/kinematics/configuration.h"
#include <math.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/kinematics/integrate.h"

enum { FRACTIONS_MAX = 1024 };

static const char *const fields[] = {TQA_FIELDS_CONFIGURATION_REQUEST, NULL};

typedef struct sum {
    tqa_tree *tree;
    tqa_order order;
    double *q, *to, *total;    /* (nq); NULL: not given */
    double *step, *difference; /* (nv) */
    double *fractions;         /* (n_fraction) */
    double *between;           /* (n_fraction x nq) */
    size_t n_fraction;
} sum;

static double cost_us(const tqa_tree *tree)
{
    const json_t *fractions = json_object_get(tree->root, "fractions");
    const double n = fractions != NULL ? (double)json_array_size(fractions) : 0.0;
    return 5.0 + (0.3 + 0.1 * n) * (double)tree->robot->model->n_joint;
}

/* Quaternions must have length 1. */
static bool check(const sum *s, const char *pointer, const double *q)
{
    const tq_model *model = s->tree->robot->model;
    tq_configuration posture;
    tq_error error = {0};
    tq_scratch scratch;
    if (!tqa_tree_scratch(s->tree, tq_configuration_scratch_size(model), &scratch)) {
        return false;
    }
    const tq_status status = tq_configuration_compute(model, q, NULL, &scratch, &posture, &error);
    return status == TQ_OK || tqa_tree_fail(s->tree, pointer, status, &error);
}

static bool read_to(sum *s, const tqa_value *to)
{
    s->to = tqa_tree_take(s->tree, s->order.nq + 1, sizeof *s->to);
    return s->to != NULL && tqa_value_row(to, &s->order, TQA_ROW_Q, s->to) &&
           check(s, "/to", s->to);
}

static bool read_q(sum *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value q = tqa_value_field(&root, "q");
    tqa_states states;
    if (!tqa_tree_states(s->tree, &s->order, TQA_NEED_Q, TQA_NEED_Q, 0, &states)) {
        return false;
    }
    s->q = states.q;
    return (states.flat || tqa_value_refuse(&q, "wrong-length", "send one flat array of numbers",
                                            "one configuration is taken, not a batch")) &&
           check(s, "/q", s->q);
}

static bool read_fractions(sum *s, const tqa_value *to)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value fractions = tqa_value_field(&root, "fractions");
    if (fractions.value == NULL) {
        return true;
    }
    if (!tqa_value_need(to, "add \"to\": fractions are those of the way from \"q\" to it") ||
        !tqa_value_array(&fractions, 1, FRACTIONS_MAX, &s->n_fraction)) {
        return false;
    }
    s->fractions = tqa_tree_take(s->tree, s->n_fraction, sizeof *s->fractions);
    s->between = tqa_tree_take(s->tree, s->n_fraction * s->order.nq + 1, sizeof *s->between);
    return s->fractions != NULL && s->between != NULL &&
           tqa_value_numbers(&fractions, s->n_fraction, s->fractions);
}

static bool read(sum *s)
{
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value step = tqa_value_field(&root, "step");
    const tqa_value to = tqa_value_field(&root, "to");
    if (!tqa_tree_order(s->tree, &s->order) || !read_q(s)) {
        return false;
    }
    if (step.value == NULL && to.value == NULL) {
        return tqa_value_need(&step, "add \"step\", to add to q, or \"to\", to go to");
    }
    if (to.value != NULL && !read_to(s, &to)) {
        return false;
    }
    if (step.value != NULL) {
        s->step = tqa_tree_take(s->tree, s->order.nv + 1, sizeof *s->step);
        if (s->step == NULL || !tqa_value_row(&step, &s->order, TQA_ROW_RATE, s->step)) {
            return false;
        }
    }
    return read_fractions(s, &to);
}

static bool are_finite(const sum *s, const char *field, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(x[k])) {
            const tqa_value root = tqa_value_root(s->tree);
            const tqa_value part = tqa_value_field(&root, field);
            return tqa_value_refuse(&part, "overflow", "smaller numbers",
                                    "the result is beyond the range of numbers");
        }
    }
    return true;
}

static bool find_difference(sum *s)
{
    const tq_model *model = s->tree->robot->model;
    double *part = tqa_tree_take(s->tree, s->order.nv + 1, sizeof *part);
    s->difference = tqa_tree_take(s->tree, s->order.nv + 1, sizeof *s->difference);
    if (part == NULL || s->difference == NULL) {
        return false;
    }
    tq_configuration_difference(model, s->q, s->to, s->difference);
    for (size_t f = 0; f < s->n_fraction; f++) {
        for (size_t k = 0; k < s->order.nv; k++) {
            part[k] = s->fractions[f] * s->difference[k];
        }
        tq_configuration_integrate(model, s->q, part, s->between + f * s->order.nq);
    }
    return are_finite(s, "to", s->difference, s->order.nv) &&
           are_finite(s, "fractions", s->between, s->n_fraction * s->order.nq);
}

static bool add_step(sum *s)
{
    s->total = tqa_tree_take(s->tree, s->order.nq + 1, sizeof *s->total);
    if (s->total != NULL) {
        tq_configuration_integrate(s->tree->robot->model, s->q, s->step, s->total);
    }
    return s->total != NULL && are_finite(s, "step", s->total, s->order.nq);
}

static bool run(tqa_tree *tree)
{
    sum s = {.tree = tree};
    if (!read(&s) || (s.to != NULL && !find_difference(&s)) || (s.step != NULL && !add_step(&s))) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tqa_writer_joints(answer, tree->robot, &s.order);
    if (s.step != NULL) {
        tqa_rows_to_user(tree, TQA_ROW_Q, s.total, 1);
        tqa_writer_rows(answer, "sum", s.total, 1, true, s.order.q, s.order.nq);
    }
    if (s.to != NULL) {
        tqa_rows_to_user(tree, TQA_ROW_RATE, s.difference, 1);
        tqa_writer_rows(answer, "difference", s.difference, 1, true, s.order.v, s.order.nv);
    }
    if (s.n_fraction > 0) {
        tqa_rows_to_user(tree, TQA_ROW_Q, s.between, s.n_fraction);
        tqa_writer_rows(answer, "between", s.between, s.n_fraction, false, s.order.q, s.order.nq);
    }
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_configuration_methods = {.tree = &methods};
