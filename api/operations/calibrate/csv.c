/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/csv.c - parameters, and torques measured and predicted, as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/json/text.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"

/* a cell of text, in quotes where it needs them */
static void put_word(tqa_json_text *text, const char *word)
{
    if (strpbrk(word, ",\"\r\n") == NULL) {
        tqa_json_text_raw(text, word);
        return;
    }
    tqa_json_text_raw(text, "\"");
    for (; *word != '\0'; word++) {
        tqa_json_text_bytes(text, word, 1);
        tqa_json_text_bytes(text, word, *word == '"' ? 1 : 0);
    }
    tqa_json_text_raw(text, "\"");
}

/* nothing where it is not finite */
static void put_cell(tqa_json_text *text, double x)
{
    tqa_json_text_raw(text, ",");
    if (isfinite(x)) {
        tqa_json_text_number(text, x);
    }
}

static void put_owner(tqa_json_text *text, const tqa_robot *robot, const tq_column *column)
{
    const bool is_parameter = column->kind == TQ_COLUMN_PARAMETER;
    if (is_parameter && column->parameter.link != TQ_NONE) {
        put_word(text, robot->link_names[column->parameter.link]);
        tqa_json_text_raw(text, ",");
        return;
    }
    tqa_json_text_raw(text, ",");
    put_word(text, robot->joint_names[is_parameter ? column->parameter.joint : column->joint]);
}

char *tqa_calibration_parameters_csv(const tqa_calibration *c, size_t *ret_n)
{
    const tqa_robot *robot = c->tree->robot;
    tqa_json_text text = {0};
    tqa_json_text_raw(&text, "name,kind,link,joint,unit,value,standard_deviation,low,high,"
                             "relative_deviation,effect,verdict\n");
    for (size_t k = 0; k < c->found->n_column; k++) {
        const tq_column *column = &c->found->columns[k];
        const tq_estimate *e = &c->found->solution.estimate[k];
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(robot->model, column, name);
        put_word(&text, name);
        tqa_json_text_raw(&text, ",");
        put_word(&text, tqa_column_kind(column));
        tqa_json_text_raw(&text, ",");
        put_owner(&text, robot, column);
        tqa_json_text_raw(&text, ",");
        put_word(&text, tqa_column_unit(robot->model, column));
        put_cell(&text, e->value);
        put_cell(&text, e->deviation);
        put_cell(&text, e->low);
        put_cell(&text, e->high);
        put_cell(&text, e->relative);
        put_cell(&text, e->effect);
        tqa_json_text_raw(&text, ",");
        put_word(&text, tqa_grade_slug(e->grade));
        tqa_json_text_raw(&text, "\n");
    }
    return tqa_json_text_take(&text, ret_n);
}

char *tqa_calibration_bounds_csv(const tqa_calibration *c, size_t *ret_n)
{
    tqa_json_text text = {0};
    tqa_json_text_raw(&text, "link,quantity,end,unit,bound,value,without_bounds,price_percent\n");
    for (size_t k = 0; k < c->found->solution.n_active; k++) {
        const tqa_calibration_bound bound = tqa_calibration_bound_of(c, k);
        const char *const words[] = {bound.link, bound.quantity, bound.end, bound.unit};
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            tqa_json_text_raw(&text, i > 0 ? "," : "");
            put_word(&text, words[i]);
        }
        put_cell(&text, bound.bound);
        put_cell(&text, bound.value);
        put_cell(&text, bound.without);
        put_cell(&text, bound.price);
        tqa_json_text_raw(&text, "\n");
    }
    return tqa_json_text_take(&text, ret_n);
}

static void put_names(tqa_json_text *text, const tqa_calibration *c, const char *word)
{
    for (size_t r = 0; r < c->order.nv; r++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%s_%s", word,
                       c->tree->robot->joint_names[tqa_calibration_joint(c, c->order.v[r])]);
        tqa_json_text_raw(text, ",");
        put_word(text, name);
    }
}

char *tqa_calibration_prediction_csv(const tqa_calibration *c, size_t *ret_n)
{
    const size_t nv = c->order.nv;
    tqa_json_text text = {0};
    tqa_json_text_raw(&text, "log,used_in_fit,t");
    put_names(&text, c, "tau_measured");
    put_names(&text, c, "tau_predicted");
    put_names(&text, c, "residual");
    tqa_json_text_raw(&text, "\n");
    for (size_t i = 0; i < c->n_log; i++) {
        const tq_identify_series *s = &c->found->series[i];
        for (size_t k = 0; k < s->n; k++) {
            const double *measured = s->measured + k * nv;
            const double *predicted = s->predicted + k * nv;
            put_word(&text, c->logs[i].name);
            tqa_json_text_raw(&text,
                              i < c->n_fitted && c->options.validation != TQ_VALIDATE_LEAVE_ONE_OUT
                                  ? ",1"
                                  : ",0");
            put_cell(&text, s->t[k]);
            for (size_t r = 0; r < nv; r++) {
                put_cell(&text, measured[c->order.v[r]]);
            }
            for (size_t r = 0; r < nv; r++) {
                put_cell(&text, predicted[c->order.v[r]]);
            }
            for (size_t r = 0; r < nv; r++) {
                put_cell(&text, measured[c->order.v[r]] - predicted[c->order.v[r]]);
            }
            tqa_json_text_raw(&text, "\n");
        }
    }
    return tqa_json_text_take(&text, ret_n);
}
