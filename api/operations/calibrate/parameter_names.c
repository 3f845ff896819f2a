/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/parameter_names.c - names and units of parameters and of fitted
 * columns. */
#include "api/operations/calibrate/parameter_names.h"

#include <math.h>
#include <stdio.h>

/* Symbol of each kind, its unit at a joint that turns and at one that slides, and the word for it.
 */
typedef struct naming {
    const char *symbol, *unit, *linear_unit, *kind;
} naming;

static const naming parameters[] = {
    [TQ_PARAMETER_MASS] = {"m", "kg", "kg", "mass"},
    [TQ_PARAMETER_MX] = {"mx", "kg m", "kg m", "moment"},
    [TQ_PARAMETER_MY] = {"my", "kg m", "kg m", "moment"},
    [TQ_PARAMETER_MZ] = {"mz", "kg m", "kg m", "moment"},
    [TQ_PARAMETER_IXX] = {"Ixx", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_IXY] = {"Ixy", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_IXZ] = {"Ixz", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_IYY] = {"Iyy", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_IYZ] = {"Iyz", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_IZZ] = {"Izz", "kg m^2", "kg m^2", "inertia"},
    [TQ_PARAMETER_ROTOR] = {"Ia", "kg m^2", "kg", "rotor"},
    [TQ_PARAMETER_VISCOUS] = {"fv", "N m s/rad", "N s/m", "viscous"},
    [TQ_PARAMETER_COULOMB] = {"fc", "N m", "N", "coulomb"},
    [TQ_PARAMETER_OFFSET] = {"fo", "N m", "N", "offset"},
    [TQ_PARAMETER_STIFFNESS] = {"k", "N m/rad", "N/m", "stiffness"},
};

static const naming columns[] = {
    [TQ_COLUMN_INERTIA] = {"I", "kg m^2", "kg", "inertia"},
    [TQ_COLUMN_GRAVITY] = {"g", "N m", "N", "gravity"},
    [TQ_COLUMN_COS] = {"gc", "N m", "N", "cos"},
    [TQ_COLUMN_SIN] = {"gs", "N m", "N", "sin"},
    [TQ_COLUMN_STRIBECK] = {"fs", "N m", "N", "stribeck"},
    [TQ_COLUMN_LOAD] = {"fl", "1", "1", "load"},
    [TQ_COLUMN_KP] = {"kp", "N m/rad", "N/m", "gain-kp"},
    [TQ_COLUMN_KD] = {"kd", "N m s/rad", "N s/m", "gain-kd"},
    [TQ_COLUMN_KI] = {"ki", "N m/(rad s)", "N/(m s)", "gain-ki"},
    [TQ_COLUMN_COUPLED_ROTOR] = {"Ia", "kg m^2", "kg", "coupled-rotor"},
    [TQ_COLUMN_COUPLED_VISCOUS] = {"fv", "N m s/rad", "N s/m", "coupled-viscous"},
    [TQ_COLUMN_COUPLED_COULOMB] = {"fc", "N m", "N", "coupled-coulomb"},
};

static unsigned number_of_link(const tq_model *model, uint32_t link)
{
    for (uint32_t k = 0; k < model->n_joint; k++) {
        if (model->joints[model->order[k]].child == link) {
            return k + 1;
        }
    }
    return 0;
}

static unsigned number_of_joint(const tq_model *model, uint32_t joint)
{
    return number_of_link(model, model->joints[joint].child);
}

static bool slides(const tq_model *model, uint32_t joint)
{
    return joint != TQ_NONE && model->joints[joint].kind == TQ_JOINT_PRISMATIC;
}

void tqa_parameter_name(const tq_model *model, const tq_parameter *parameter,
                        char name[TQA_SYMBOL_MAX])
{
    (void)snprintf(name, TQA_SYMBOL_MAX, "%s_%u", parameters[parameter->kind].symbol,
                   parameter->link != TQ_NONE ? number_of_link(model, parameter->link)
                                              : number_of_joint(model, parameter->joint));
}

const char *tqa_parameter_unit(const tq_model *model, const tq_parameter *parameter)
{
    const naming *named = &parameters[parameter->kind];
    return slides(model, parameter->joint) ? named->linear_unit : named->unit;
}

void tqa_parameter_expression(const tq_model *model, const tq_base_set *base,
                              const tq_parameter *list, size_t b, char text[TQA_EXPRESSION_MAX])
{
    char name[TQA_SYMBOL_MAX];
    tqa_parameter_name(model, &list[base->independent[b]], name);
    size_t n = (size_t)snprintf(text, TQA_EXPRESSION_MAX, "%s", name);
    for (size_t d = 0; d < base->n_dependent && n + 64 < TQA_EXPRESSION_MAX; d++) {
        const double k = base->k[b * base->n_dependent + d];
        if (k == 0.0) {
            continue;
        }
        char factor[32] = "";
        if (fabs(fabs(k) - 1.0) > 5e-7) {
            (void)snprintf(factor, sizeof factor, "%.6g ", fabs(k));
        }
        tqa_parameter_name(model, &list[base->dependent[d]], name);
        n += (size_t)snprintf(text + n, TQA_EXPRESSION_MAX - n, " %s %s%s", k < 0.0 ? "-" : "+",
                              factor, name);
    }
}

void tqa_column_name(const tq_model *model, const tq_column *column, char name[TQA_SYMBOL_MAX])
{
    if (column->kind == TQ_COLUMN_PARAMETER) {
        tqa_parameter_name(model, &column->parameter, name);
        return;
    }
    const unsigned joint = number_of_joint(model, column->joint);
    if (column->kind >= TQ_COLUMN_COUPLED_ROTOR) {
        (void)snprintf(name, TQA_SYMBOL_MAX, "%s_%u_%u", columns[column->kind].symbol, joint,
                       number_of_joint(model, column->other));
        return;
    }
    (void)snprintf(name, TQA_SYMBOL_MAX, "%s_%u", columns[column->kind].symbol, joint);
}

const char *tqa_column_unit(const tq_model *model, const tq_column *column)
{
    if (column->kind == TQ_COLUMN_PARAMETER) {
        return tqa_parameter_unit(model, &column->parameter);
    }
    const naming *named = &columns[column->kind];
    return slides(model, column->joint) ? named->linear_unit : named->unit;
}

const char *tqa_column_kind(const tq_column *column)
{
    return column->kind == TQ_COLUMN_PARAMETER ? parameters[column->parameter.kind].kind
                                               : columns[column->kind].kind;
}
