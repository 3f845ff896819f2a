/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/regressor.c - POST .../regressor: torque as a linear function of parameters, whole
 * or by base parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/regressor/regressor.h"
#include "core/identify/regression/base.h"

enum {
    FORM_BASE = 1,
    BASE_PARAMETERS_MAX = 2000, /* its triangles are squares of this: 32 MB each */
};

static const char *const fields[] = {TQA_FIELDS_REGRESSOR_REQUEST, NULL};
static const char *const forms[] = {TQA_WORDS_REGRESSOR_REQUEST_FORM, NULL};

/* Kinds that `parameters` adds to the ten of each link. */
static const char *const kinds[] = {TQA_WORDS_REGRESSOR_REQUEST_PARAMETERS, NULL};

typedef struct regression {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    double gravity[3];
    unsigned with; /* TQ_REGRESS_... */
    size_t n;      /* parameters */
    tq_parameter *list;
    double *values;
    tq_base_set base;
    bool by_base;
    size_t n_column;
    double *y; /* (n_sample x nv x n_column) rows in the user's order */
} regression;

/* In the query, or in the body, which is all that a job keeps and has one word for it. */
static bool is_by_base(const tqa_tree *tree)
{
    return tree->form == FORM_BASE || json_object_get(tree->root, "form") != NULL;
}

static double cost_us(const tqa_tree *tree)
{
    const json_t *q = json_object_get(tree->root, "q");
    const double n_sample = json_is_array(json_array_get(q, 0)) ? (double)json_array_size(q) : 1.0;
    const double n_joint = (double)tree->robot->model->n_joint;
    const double nv = (double)tree->robot->model->nv;
    /* measured: 10 columns a joint, 25 ns an entry with its print; base: random states and QR */
    const double base = is_by_base(tree) ? 10.0 * n_joint * n_joint * n_joint : 0.0;
    return 10.0 + base + 0.5 * n_sample * nv * n_joint;
}

static bool read(regression *r)
{
    const tqa_value root = tqa_value_root(r->tree);
    const tqa_value with = tqa_value_field(&root, "parameters");
    const tqa_value gravity = tqa_value_field(&root, "gravity");
    const unsigned all = TQA_NEED_Q | TQA_NEED_QD | TQA_NEED_QDD;
    const tqa_value q = tqa_value_field(&root, "q"), qd = tqa_value_field(&root, "qd");
    const tqa_value qdd = tqa_value_field(&root, "qdd");
    const tqa_value form = tqa_value_field(&root, "form");
    unsigned ignored = 0;
    if (form.value != NULL && !tqa_value_choice(&form, forms, &ignored)) {
        return false;
    }
    r->by_base = is_by_base(r->tree);
    /* the base set itself needs no state */
    const bool none = r->by_base && q.value == NULL && qd.value == NULL && qdd.value == NULL;
    memcpy(r->gravity, r->tree->robot->model->gravity, sizeof r->gravity);
    return tqa_tree_order(r->tree, &r->order) &&
           tqa_tree_states(r->tree, &r->order, all, none ? 0 : TQA_NEED_Q,
                           TQA_NEED_QD | TQA_NEED_QDD, &r->states) &&
           (with.value == NULL || tqa_value_choices(&with, kinds, &r->with)) &&
           (gravity.value == NULL || tqa_value_gravity(&gravity, r->gravity));
}

static bool list_parameters(regression *r)
{
    const tq_model *model = r->tree->robot->model;
    r->n = tq_parameter_count(model, r->with);
    r->list = tqa_tree_take(r->tree, r->n, sizeof *r->list);
    r->values = tqa_tree_take(r->tree, r->n, sizeof *r->values);
    if (r->list == NULL || r->values == NULL) {
        return false;
    }
    tq_parameter_list(model, r->with, r->list);
    tq_parameter_values(model, r->with, r->values);
    return true;
}

static bool find_base(regression *r)
{
    const tq_model *model = r->tree->robot->model;
    const tqa_value root = tqa_value_root(r->tree);
    tq_scratch scratch;
    tq_error error = {0};
    if (r->n > BASE_PARAMETERS_MAX) {
        return tqa_value_refuse(&root, "too-large",
                                "leave kinds of parameters out of \"parameters\"",
                                "base parameters are found among %d parameters at most, here are "
                                "%zu",
                                BASE_PARAMETERS_MAX, r->n);
    }
    r->base.independent = tqa_tree_take(r->tree, r->n, sizeof(uint32_t));
    r->base.dependent = tqa_tree_take(r->tree, r->n, sizeof(uint32_t));
    r->base.without = tqa_tree_take(r->tree, r->n, sizeof(uint32_t));
    r->base.k = tqa_tree_take(r->tree, r->n * r->n, sizeof(double));
    if (r->base.independent == NULL || r->base.dependent == NULL || r->base.without == NULL ||
        r->base.k == NULL ||
        !tqa_tree_scratch(r->tree, tq_base_scratch_size(model, r->with), &scratch)) {
        return false;
    }
    const tq_base_options options = {.stop = tqa_tree_stop, .stop_ctx = r->tree};
    const tq_status status = tq_base_find(model, r->with, &options, &scratch, &r->base, &error);
    return status == TQ_OK || tqa_tree_fail(r->tree, "", status, &error);
}

static bool compute(regression *r)
{
    const tq_model *model = r->tree->robot->model;
    const size_t nv = r->order.nv;
    const size_t n_entry = nv * r->n_column;
    tq_scratch scratch;
    if (n_entry > 0 && r->states.n_sample > TQA_TREE_ANSWER_MAX / n_entry) {
        const tqa_value root = tqa_value_root(r->tree);
        return tqa_value_refuse(&root, "too-large", "send fewer samples at a time",
                                "an answer has %d numbers at most", TQA_TREE_ANSWER_MAX);
    }
    double *full = tqa_tree_take(r->tree, nv * r->n, sizeof *full);
    r->y = tqa_tree_take(r->tree, r->states.n_sample * n_entry, sizeof *r->y);
    if (full == NULL || r->y == NULL ||
        !tqa_tree_scratch(r->tree, tq_regressor_scratch_size(model), &scratch)) {
        return false;
    }
    for (size_t i = 0; i < r->states.n_sample; i++) {
        tq_error error = {0};
        const tq_regressor_input in = {.q = r->states.q + i * r->order.nq,
                                       .qd = r->states.qd + i * nv,
                                       .qdd = r->states.qdd + i * nv,
                                       .gravity = r->gravity};
        const tq_status status = tq_regressor(model, r->with, &in, &scratch, full, &error);
        if (status != TQ_OK) {
            return tqa_states_fail(r->tree, &r->states, i, status, &error);
        }
        for (size_t a = 0; a < nv; a++) {
            double *to = r->y + i * n_entry + a * r->n_column;
            const double *from = full + r->order.v[a] * r->n;
            for (size_t c = 0; c < r->n_column; c++) {
                to[c] = from[r->by_base ? r->base.independent[c] : c];
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Names
 */

static void put_column(const regression *r, size_t c)
{
    const tqa_robot *robot = r->tree->robot;
    tqa_writer *answer = r->tree->answer;
    char name[TQA_SYMBOL_MAX];
    tqa_parameter_name(r->tree->robot->model, &r->list[c], name);
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "name", name);
    tqa_writer_string(answer, "unit", tqa_parameter_unit(r->tree->robot->model, &r->list[c]));
    if (r->list[c].link != TQ_NONE) {
        tqa_writer_string(answer, "link", robot->link_names[r->list[c].link]);
    } else {
        tqa_writer_string(answer, "joint", robot->joint_names[r->list[c].joint]);
    }
}

static bool put_base(const regression *r)
{
    const tq_base_set *base = &r->base;
    const tq_model *model = r->tree->robot->model;
    tqa_writer *answer = r->tree->answer;
    char *text = tqa_tree_take(r->tree, TQA_EXPRESSION_MAX, 1);
    double *beta = tqa_tree_take(r->tree, base->n_base, sizeof *beta);
    if (text == NULL || beta == NULL) {
        return false;
    }
    tqa_writer_list(answer, "columns");
    for (size_t b = 0; b < base->n_base; b++) {
        tqa_parameter_expression(model, base, r->list, b, text);
        put_column(r, base->independent[b]);
        tqa_writer_string(answer, "expression", text);
        tqa_writer_list(answer, "terms");
        for (size_t d = 0; d < base->n_dependent; d++) {
            const double k = base->k[b * base->n_dependent + d];
            char name[TQA_SYMBOL_MAX];
            if (k != 0.0) {
                tqa_parameter_name(model, &r->list[base->dependent[d]], name);
                tqa_writer_object(answer, NULL);
                tqa_writer_string(answer, "name", name);
                tqa_writer_number(answer, "factor", k);
                tqa_writer_end(answer);
            }
        }
        tqa_writer_end(answer);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tq_base_values(base, r->values, beta);
    tqa_writer_vector(answer, "parameter_values", beta, base->n_base);
    tqa_writer_list(answer, "unidentifiable");
    for (size_t k = 0; k < base->n_without; k++) {
        char name[TQA_SYMBOL_MAX];
        tqa_parameter_name(model, &r->list[base->without[k]], name);
        tqa_writer_string(answer, NULL, name);
    }
    tqa_writer_end(answer);
    tqa_writer_count(answer, "n_base", base->n_base);
    tqa_writer_count(answer, "n_full", r->n);
    tqa_writer_number(answer, "gap", base->gap);
    return true;
}

static bool run(tqa_tree *tree)
{
    regression r = {.tree = tree};
    if (!read(&r) || !list_parameters(&r) || (r.by_base && !find_base(&r))) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    r.n_column = r.by_base ? r.base.n_base : r.n;
    tqa_writer_string(answer, "form", r.by_base ? "base" : "full");
    tqa_writer_joints(answer, tree->robot, &r.order);
    if (r.states.n_sample > 0) {
        if (!compute(&r)) {
            return false;
        }
        const size_t shape[3] = {r.states.n_sample, r.order.nv, r.n_column};
        const size_t skip = r.states.flat ? 1 : 0;
        tqa_writer_array(answer, "regressor", r.y, 3 - skip, shape + skip);
    }
    if (r.by_base) {
        return put_base(&r);
    }
    tqa_writer_list(answer, "columns");
    for (size_t c = 0; c < r.n; c++) {
        put_column(&r, c);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_vector(answer, "parameter_values", r.values, r.n);
    return true;
}

static const tqa_tree_methods methods = {
    .fields = fields, .forms = forms, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_regressor_methods = {.tree = &methods};
