/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/nominal.c - nominal sizes of parameters from the robot's masses and lengths. */
#include "core/identify/nominal.h"

#include <float.h>
#include <math.h>

#include "core/identify/regression/fit_private.h"

static const double usual_mass = 1.0;      /* kg, of a link without a known mass */
static const double least_reach = 0.05;    /* m */
static const double usual_friction = 0.05; /* of the gravity torque */
static const double usual_loss = 0.3;      /* load-dependent loss of a gear that is noticeable */
static const double usual_gravity = 9.81;
static const double usual_acceleration = 5.0; /* rad/s^2 */
static const double usual_share = 0.2;        /* fraction of a torque that is friction */

static bool is_beyond(const tq_model *model, uint32_t link, uint32_t root)
{
    while (link != root) {
        if (model->links[link].joint == TQ_NONE) {
            return false;
        }
        link = model->joints[model->links[link].joint].parent;
    }
    return true;
}

static double length3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* path length along the joints from `root` to the link's centre of mass */
static double reach_of(const tq_model *model, uint32_t link, uint32_t root)
{
    double reach = length3(model->links[link].inertia.com);
    for (; link != root; link = model->joints[model->links[link].joint].parent) {
        reach += length3(model->joints[model->links[link].joint].origin.p);
    }
    return reach;
}

void tq_nominal_link(const tq_model *model, uint32_t link, double *ret_mass, double *ret_reach)
{
    double mass = 0.0;
    double reach = least_reach;
    size_t n = 0;
    for (uint32_t k = 0; k < model->n_link; k++) {
        if (is_beyond(model, k, link)) {
            mass += fabs(model->links[k].inertia.mass);
            reach = fmax(reach, reach_of(model, k, link));
            n += model->links[k].joint != TQ_NONE &&
                 model->joints[model->links[k].joint].kind != TQ_JOINT_FIXED;
        }
    }
    *ret_mass = mass > 0.0 ? mass : usual_mass * (double)(n > 0 ? n : 1);
    *ret_reach = reach;
}

static double of_joint(const tq_model *model, uint32_t joint, unsigned lengths)
{
    double mass = 0.0;
    double reach = 0.0;
    tq_nominal_link(model, model->joints[joint].child, &mass, &reach);
    const double arm = model->joints[joint].kind == TQ_JOINT_PRISMATIC ? 1.0 : reach;
    return lengths == 2 ? mass * arm * arm : mass * usual_gravity * arm;
}

static double of_parameter(const tq_model *model, const tq_parameter *parameter)
{
    if (parameter->link != TQ_NONE) {
        double mass = 0.0;
        double reach = 0.0;
        tq_nominal_link(model, parameter->link, &mass, &reach);
        return parameter->kind == TQ_PARAMETER_MASS ? mass
               : parameter->kind < TQ_PARAMETER_IXX ? mass * reach
                                                    : mass * reach * reach;
    }
    return parameter->kind == TQ_PARAMETER_ROTOR
               ? of_joint(model, parameter->joint, 2)
               : usual_friction * of_joint(model, parameter->joint, 1);
}

static double of_column(const tq_model *model, const tq_column *column)
{
    switch (column->kind) {
    case TQ_COLUMN_PARAMETER:
        return of_parameter(model, &column->parameter);
    case TQ_COLUMN_INERTIA:
    case TQ_COLUMN_COUPLED_ROTOR:
        return of_joint(model, column->joint, 2);
    case TQ_COLUMN_GRAVITY:
    case TQ_COLUMN_COS:
    case TQ_COLUMN_SIN:
        return of_joint(model, column->joint, 1);
    case TQ_COLUMN_STRIBECK:
    case TQ_COLUMN_COUPLED_VISCOUS:
    case TQ_COLUMN_COUPLED_COULOMB:
        return usual_friction * of_joint(model, column->joint, 1);
    case TQ_COLUMN_LOAD:
        return usual_loss;
    case TQ_COLUMN_KP:
    case TQ_COLUMN_KD:
    case TQ_COLUMN_KI:
        break;
    }
    return 1.0;
}

/* a gain of the same joint stands for one that begins at 0: their units differ by seconds */
static double of_gain(const tq_fit_model *model, size_t k)
{
    double size = fabs(model->gains[k].start + model->gains[k].change);
    for (size_t other = 0; size == 0.0 && other < model->n_gain; other++) {
        if (model->gains[other].row == model->gains[k].row) {
            size = fabs(model->gains[other].start + model->gains[other].change);
        }
    }
    return size > 0.0 ? size : 1.0;
}

void tq_nominal_sizes(tq_fit *fit)
{
    const tq_model *model = &fit->mechanism->model;
    for (size_t c = 0; c < fit->n_column; c++) {
        const tq_column *column = &fit->columns[c];
        fit->nominal[c] = tq_column_is_gain(column->kind)
                              ? of_gain(&fit->options.model, column->gain)
                              : of_column(model, column);
    }
}

/* torque per unit of a column in typical motion */
static double usual_torque(const tq_model *model, const tq_column *column)
{
    if (column->kind != TQ_COLUMN_PARAMETER) {
        return column->kind == TQ_COLUMN_INERTIA || column->kind == TQ_COLUMN_COUPLED_ROTOR
                   ? usual_acceleration
               : column->kind == TQ_COLUMN_GRAVITY || column->kind == TQ_COLUMN_COS ||
                       column->kind == TQ_COLUMN_SIN
                   ? 1.0
                   : 1.0 / usual_share;
    }
    if (column->parameter.link == TQ_NONE) {
        return column->parameter.kind == TQ_PARAMETER_ROTOR ? usual_acceleration
                                                            : 1.0 / usual_share;
    }
    double mass = 0.0;
    double reach = 0.0;
    tq_nominal_link(model, column->parameter.link, &mass, &reach);
    return column->parameter.kind == TQ_PARAMETER_MASS ? usual_gravity * reach
           : column->parameter.kind < TQ_PARAMETER_IXX ? usual_gravity
                                                       : usual_acceleration;
}

void tq_nominal_raise(tq_fit *fit, const double *row_rms)
{
    const tq_model *model = &fit->mechanism->model;
    tq_nominal_sizes(fit);
    for (size_t c = 0; c < fit->n_column; c++) {
        const tq_column *column = &fit->columns[c];
        double torque = DBL_MAX;
        for (size_t r = 0; r < fit->n_row; r++) {
            for (size_t k = 0; k < fit->rows[r].n; k++) {
                if (fit->rows[r].column[k] == c) {
                    /* the row with the least torque is the most sensitive to the column */
                    torque = fmin(torque, row_rms[r]);
                }
            }
        }
        if (column->kind != TQ_COLUMN_LOAD && !tq_column_is_gain(column->kind) &&
            torque < DBL_MAX) {
            fit->nominal[c] = fmax(fit->nominal[c], torque / usual_torque(model, column));
        }
    }
}
