/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/header.c - results of a calibration as a header for C programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/response/html.h"
#include "api/version.h"

static void put_header_numbers(tqa_html *text, const tqa_calibration *c, bool deviations)
{
    for (size_t k = 0; k < c->found->n_column; k++) {
        const tq_estimate *e = &c->found->solution.estimate[k];
        const double x = deviations ? e->deviation : e->value;
        if (isfinite(x)) {
            tqa_html_format(text, "    %.17g,\n", x);
        } else { /* NAN needs a header, and INFINITY */
            tqa_html_raw(text, deviations ? "    1e308, /* not identified by the data */\n"
                                          : "    0, /* not identified by the data */\n");
        }
    }
}

/* The friction's sign law. */
static void put_sign(tqa_html *text, const tqa_calibration *c)
{
    const tq_fit_model *friction = &c->chosen.model;
    if (tqa_calibration_yields(c) && friction->relaxation > 0.0) {
        tqa_html_format(text, "/* s replaces sign(v): ds/dt = (v - s |v|) / %.6g - s / %.6g */\n\n",
                        friction->presliding, friction->relaxation);
    } else if (tqa_calibration_yields(c)) {
        tqa_html_format(text, "/* s replaces sign(v): ds/dt = (v - s |v|) / %.6g */\n\n",
                        friction->presliding);
    } else if (friction->smoothing > 0.0) {
        tqa_html_format(text, "/* tanh(v / %.6g) replaces sign(v) */\n\n", friction->smoothing);
    }
}

/* Link or joint of a parameter, and the combination that a base parameter is. */
static void put_header_name(tqa_html *text, const tqa_calibration *c, size_t k, char *expression)
{
    const tq_model *model = c->tree->robot->model;
    const tqa_robot *robot = c->tree->robot;
    const tq_column *column = &c->found->columns[k];
    const tq_parameter *parameter = &column->parameter;
    const bool is_own = column->kind == TQ_COLUMN_PARAMETER;
    const bool of_link = is_own && parameter->link != TQ_NONE;
    const char *owner = of_link  ? robot->link_names[parameter->link]
                        : is_own ? robot->joint_names[parameter->joint]
                                 : robot->joint_names[column->joint];
    char name[TQA_SYMBOL_MAX];
    tqa_column_name(model, column, name);
    tqa_html_format(text, "    \"%s\", /* %s, %s, ", name, tqa_column_unit(model, column),
                    tqa_column_kind(column));
    for (const char *p = owner; *p != '\0'; p++) { /* a name must not end the comment */
        const char one[2] = {*p == '*' || *p == '/' || (unsigned char)*p < ' ' ? '_' : *p, '\0'};
        tqa_html_raw(text, one);
    }
    if (expression != NULL && c->found->base != NULL && k < c->found->base->n_base) {
        tqa_parameter_expression(model, c->found->base, c->list, k, expression);
        if (strcmp(expression, name) != 0) {
            tqa_html_format(text, ": %s", expression);
        }
    }
    if (column->kind == TQ_COLUMN_STRIBECK) {
        tqa_html_format(text, ", sign(v) exp(-(v / %.6g)^2)",
                        tq_fit_stribeck_speed(c->found->fit, column->joint));
    }
    tqa_html_raw(text, " */\n");
}

char *tqa_calibration_header(const tqa_calibration *c, size_t *ret_n)
{
    tqa_html text = {0};
    char *expression = malloc(TQA_EXPRESSION_MAX);
    text.text.failed = expression == NULL;
    tqa_html_format(&text,
                    "/* Parameters found by torqued " TQA_VERSION ", verdict %s, method %s: in SI "
                    "units, in the order of the names. */\n#ifndef ROBOT_PARAMETERS_H\n"
                    "#define ROBOT_PARAMETERS_H\n\n",
                    tq_verdict_slug(c->verdict.verdict), tqa_calibration_method(c));
    put_sign(&text, c);
    tqa_html_format(&text, "enum { ROBOT_PARAMETER_COUNT = %zu };\n\n", c->found->n_column);
    tqa_html_raw(&text,
                 "/* unit, kind, whose; after the colon: the combination that it is, which torque "
                 "shows only together */\n"
                 "static const char *const robot_parameter_names[] = {\n");
    for (size_t k = 0; k < c->found->n_column; k++) {
        put_header_name(&text, c, k, expression);
    }
    tqa_html_raw(&text, "};\n\nstatic const double robot_parameters[] = {\n");
    put_header_numbers(&text, c, false);
    tqa_html_raw(&text, "};\n\n/* one standard deviation */\n"
                        "static const double robot_parameter_deviations[] = {\n");
    put_header_numbers(&text, c, true);
    tqa_html_raw(&text, "};\n\n#endif\n");
    free(expression);
    return tqa_json_text_take(&text.text, ret_n);
}
