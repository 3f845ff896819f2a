/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/columns.c - columns of a model, and the rows in which each occurs. */
#include "core/identify/regression/columns.h"

#include <math.h>
#include <string.h>

#include "core/identify/regression/columns_private.h"

static const double parallel_tolerance = 1e-9; /* of the cosine of two axes */

static bool has_terms(const tq_joint *joint, const tq_fit_model *fit)
{
    return tq_joint_kind_nv(joint->kind) == 1 && joint->mimic == TQ_NONE &&
           (fit->row_is_used == NULL || fit->row_is_used[joint->v_index]);
}

static bool turns(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS;
}

bool tq_row_moves_link(const tq_model *model, size_t row, uint32_t link)
{
    for (uint32_t at = link; model->links[at].joint != TQ_NONE;) {
        const tq_joint *joint = &model->joints[model->links[at].joint];
        const uint32_t nv = tq_joint_kind_nv(joint->kind);
        if (row >= joint->v_index && row < (size_t)joint->v_index + nv) {
            return true;
        }
        at = joint->parent;
    }
    return false;
}

/* the axis of a joint in the world at q = 0 */
static void axis_at_zero(const tq_model *model, uint32_t number, double ret_axis[3])
{
    memcpy(ret_axis, model->joints[number].axis, 3 * sizeof(double));
    for (uint32_t at = number; at != TQ_NONE; at = model->links[model->joints[at].parent].joint) {
        const double *r = model->joints[at].origin.r;
        const double x = ret_axis[0], y = ret_axis[1], z = ret_axis[2];
        for (unsigned i = 0; i < 3; i++) {
            ret_axis[i] = r[3 * i] * x + r[3 * i + 1] * y + r[3 * i + 2] * z;
        }
    }
}

/* the preceding joint with a parallel revolute axis, with its sign, or TQ_NONE: fixed and prismatic
 * joints between do not rotate anything */
static uint32_t parallel_before(const tq_model *model, uint32_t number, double *ret_sign)
{
    double own[3];
    double axis[3];
    axis_at_zero(model, number, own);
    uint32_t at = model->links[model->joints[number].parent].joint;
    while (at != TQ_NONE && (model->joints[at].kind == TQ_JOINT_FIXED ||
                             model->joints[at].kind == TQ_JOINT_PRISMATIC)) {
        at = model->links[model->joints[at].parent].joint;
    }
    if (at == TQ_NONE || !turns(&model->joints[at])) {
        return TQ_NONE;
    }
    axis_at_zero(model, at, axis);
    const double cosine = own[0] * axis[0] + own[1] * axis[1] + own[2] * axis[2];
    if (fabs(cosine) < 1.0 - parallel_tolerance) {
        return TQ_NONE;
    }
    *ret_sign = cosine > 0.0 ? 1.0 : -1.0;
    return at;
}

static bool moves_in_parallel(const tq_model *model, uint32_t joint, uint32_t other)
{
    double sign = 1.0;
    for (uint32_t at = other; at != TQ_NONE; at = parallel_before(model, at, &sign)) {
        if (at == joint) {
            return true;
        }
    }
    return false;
}

void tq_parallel_angle(const tq_model *model, uint32_t joint, uint32_t other, size_t n,
                       size_t stride, const double *q, double *ret_angle)
{
    memset(ret_angle, 0, n * sizeof *ret_angle);
    double sign = 1.0;
    double of_joint = 1.0;
    for (uint32_t at = other; at != TQ_NONE;) {
        const tq_joint *j = &model->joints[at];
        const double *row = q + j->q_index * stride;
        const double factor = j->mimic != TQ_NONE ? j->mimic_multiplier : 1.0;
        const double offset = j->mimic != TQ_NONE ? j->mimic_offset : 0.0;
        for (size_t i = 0; i < n; i++) {
            ret_angle[i] += sign * (factor * row[i] + offset);
        }
        of_joint = at == joint ? sign : of_joint;
        double step = 1.0;
        at = parallel_before(model, at, &step);
        sign *= step;
    }
    for (size_t i = 0; i < n; i++) {
        ret_angle[i] *= of_joint; /* the angle increases with `joint` */
    }
}

typedef struct column_list {
    tq_column *columns; /* NULL: only counted */
    size_t n;
} column_list;

static void add(column_list *list, tq_column_kind kind, uint32_t joint, uint32_t other)
{
    if (list->columns != NULL) {
        list->columns[list->n] =
            (tq_column){kind, {TQ_PARAMETER_MASS, TQ_NONE, TQ_NONE}, joint, other, TQ_NONE};
    }
    list->n++;
}

static void add_gain(column_list *list, const tq_unknown_gain *gain, uint32_t k)
{
    add(list, (tq_column_kind)((int)TQ_COLUMN_KP + (int)gain->kind), gain->joint, TQ_NONE);
    if (list->columns != NULL) {
        list->columns[list->n - 1].gain = k;
    }
}

static void add_parameter(column_list *list, tq_parameter_kind kind, uint32_t joint)
{
    if (list->columns != NULL) {
        list->columns[list->n] =
            (tq_column){TQ_COLUMN_PARAMETER, {kind, TQ_NONE, joint}, TQ_NONE, TQ_NONE, TQ_NONE};
    }
    list->n++;
}

static void add_gravity(column_list *list, const tq_model *model, tq_fit_gravity gravity,
                        uint32_t joint)
{
    if (gravity == TQ_FIT_GRAVITY_CONSTANT || !turns(&model->joints[joint])) {
        add(list, TQ_COLUMN_GRAVITY, joint, TQ_NONE);
        return;
    }
    for (uint32_t other = 0; other < model->n_joint; other++) {
        if (turns(&model->joints[other]) && moves_in_parallel(model, joint, other)) {
            add(list, TQ_COLUMN_COS, joint, other);
            if (gravity == TQ_FIT_GRAVITY_SIN_COS) {
                add(list, TQ_COLUMN_SIN, joint, other);
            }
        }
    }
}

void tq_columns_of_joints(const tq_model *model, const tq_fit_model *fit, tq_column *ret_columns,
                          size_t *ret_n)
{
    static const struct {
        unsigned bit;
        tq_parameter_kind kind;
    } kinds[] = {{TQ_REGRESS_VISCOUS, TQ_PARAMETER_VISCOUS},
                 {TQ_REGRESS_COULOMB, TQ_PARAMETER_COULOMB},
                 {TQ_REGRESS_OFFSET, TQ_PARAMETER_OFFSET},
                 {TQ_REGRESS_STIFFNESS, TQ_PARAMETER_STIFFNESS}};
    column_list list = {ret_columns, 0};
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (!has_terms(&model->joints[j], fit)) {
            continue;
        }
        add(&list, TQ_COLUMN_INERTIA, j, TQ_NONE);
        for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            /* a constant gravity torque and an offset are the same column */
            const bool same =
                kinds[k].kind == TQ_PARAMETER_OFFSET &&
                (fit->gravity == TQ_FIT_GRAVITY_CONSTANT || !turns(&model->joints[j]));
            if ((fit->with & kinds[k].bit) != 0 && !same) {
                add_parameter(&list, kinds[k].kind, j);
            }
        }
        add_gravity(&list, model, fit->gravity, j);
    }
    *ret_n = list.n;
}

void tq_columns_extra(const tq_model *model, const tq_fit_model *fit, tq_column *ret_columns,
                      size_t *ret_n)
{
    column_list list = {ret_columns, 0};
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (has_terms(&model->joints[j], fit)) {
            if ((fit->extra & TQ_FIT_STRIBECK) != 0) {
                add(&list, TQ_COLUMN_STRIBECK, j, TQ_NONE);
            }
            if ((fit->extra & TQ_FIT_LOAD) != 0) {
                add(&list, TQ_COLUMN_LOAD, j, TQ_NONE);
            }
        }
    }
    for (size_t k = 0; k < fit->n_gain; k++) {
        const tq_unknown_gain *gain = &fit->gains[k];
        if (!gain->is_held && has_terms(&model->joints[gain->joint], fit)) {
            add_gain(&list, gain, (uint32_t)k);
        }
    }
    for (size_t k = 0; k < fit->n_coupling; k++) {
        const tq_fit_coupling *pair = &fit->couplings[k];
        if ((fit->with & TQ_REGRESS_ROTOR) != 0) {
            add(&list, TQ_COLUMN_COUPLED_ROTOR, pair->joint, pair->other);
        }
        if ((fit->with & TQ_REGRESS_VISCOUS) != 0) {
            add(&list, TQ_COLUMN_COUPLED_VISCOUS, pair->joint, pair->other);
        }
        if ((fit->with & TQ_REGRESS_COULOMB) != 0) {
            add(&list, TQ_COLUMN_COUPLED_COULOMB, pair->joint, pair->other);
        }
    }
    *ret_n = list.n;
}

void tq_terms_of_columns(const tq_model *model, const tq_column *columns, size_t n_column,
                         tq_fit_term *ret_terms, size_t *ret_n)
{
    size_t n = 0;
    for (size_t c = 0; c < n_column; c++) {
        const tq_column *column = &columns[c];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.joint == TQ_NONE) {
            continue;
        }
        const bool coupled = column->kind >= TQ_COLUMN_COUPLED_ROTOR;
        const uint32_t joint =
            column->kind == TQ_COLUMN_PARAMETER ? column->parameter.joint : column->joint;
        for (unsigned side = 0; side < (coupled ? 2u : 1u); side++) {
            const uint32_t own = side == 0 ? joint : column->other;
            if (ret_terms != NULL) {
                ret_terms[n] = (tq_fit_term){.column = (uint32_t)c,
                                             .row = model->joints[own].v_index,
                                             .joint = own,
                                             .other = side == 0 ? column->other : joint,
                                             .gain = column->gain,
                                             .kind = column->kind};
            }
            n++;
        }
    }
    *ret_n = n;
}
