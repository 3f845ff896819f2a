/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/parameter_names.h - names of parameters of links and joints and of
   fitted columns: "Izz_2", kg m^2; base parameters as sums of these. */
#ifndef TQA_OPERATIONS_CALIBRATE_PARAMETER_NAMES_H
#define TQA_OPERATIONS_CALIBRATE_PARAMETER_NAMES_H

#include "api/robots/parsed.h"
#include "core/identify/regression/base.h"
#include "core/identify/regression/columns.h"

/* an expression fits a text that our own readers take */
enum { TQA_SYMBOL_MAX = 32, TQA_EXPRESSION_MAX = 4000 };

/* "mx_3": links are numbered by their columns, joints as their child links are, from 1. */
void tqa_parameter_name(const tq_model *model, const tq_parameter *parameter,
                        char name[TQA_SYMBOL_MAX]);
/* In words of units; constant. */
const char *tqa_parameter_unit(const tq_model *model, const tq_parameter *parameter);

/* Base parameter b: "Izz_2 + Iyy_3 - 0.1524 mz_3". Cut at a whole term when it is too long. */
void tqa_parameter_expression(const tq_model *model, const tq_base_set *base,
                              const tq_parameter *list, size_t b, char text[TQA_EXPRESSION_MAX]);

/* The same of columns of a fit. */
void tqa_column_name(const tq_model *model, const tq_column *column, char name[TQA_SYMBOL_MAX]);
const char *tqa_column_unit(const tq_model *model, const tq_column *column);
/* The word for its kind: "mx", "viscous", "cos". */
const char *tqa_column_kind(const tq_column *column);

#endif
