/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_regressor.c - signs of velocities and displacements, Stribeck terms. */
#include "core/identify/friction_regressor.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/log_law.h"
#include "core/elementary/elementary.h"
#include "core/identify/regression/fit_private.h"

static const double saturates = 20.0; /* beyond it tanh(x) == 1 in double precision */
static const double forgets = 40.0;   /* beyond it exp(-x) is below eps relative to 1 */

size_t tq_friction_row_count(const tq_fit *fit)
{
    return fit->n_row + fit->n_friction_row;
}

bool tq_friction_regressor_remember(const tq_fit *fit)
{
    return fit->options.model.presliding > 0.0;
}

double tq_smoothing_of(const tq_fit *fit, uint32_t joint)
{
    return fit->options.model.smoothing >= 0.0
               ? fit->options.model.smoothing
               : fit->mechanism->model.joints[joint].friction.smoothing;
}

bool tq_is_rubbing(const tq_joint *joint)
{
    return tq_joint_kind_nv(joint->kind) == 1 && joint->mimic == TQ_NONE;
}

void tq_signs_of_rates(double smoothing, size_t n, const double *rate, double *ret_sign)
{
    const double enough = saturates * smoothing;
    for (size_t i = 0; i < n; i++) {
        const double v = rate[i];
        ret_sign[i] = fabs(v) < enough ? tq_tanh(v / smoothing)
                      : v > 0.0        ? 1.0
                      : v < 0.0        ? -1.0
                                       : 0.0;
    }
}

void tq_signs_of_displacement(const tq_fit_model *model, double period, size_t n, const double *way,
                              double start, double *last, double *ret_sign)
{
    const double creep = model->relaxation > 0.0 ? period / model->relaxation : 0.0;
    for (size_t i = 0; i < n; i++) {
        *last = isnan(*last) ? start : tq_dahl_state(way[i] / model->presliding, creep, *last);
        ret_sign[i] = *last;
    }
}

void tq_stribeck_row(double speed, size_t n, const double *rate, const double *sign,
                     double *ret_rows)
{
    /* tested before the division: most velocities are far above the Stribeck velocity */
    const double far = sqrt(forgets) * speed;
    for (size_t i = 0; i < n; i++) {
        const double ratio = fabs(rate[i]) < far ? rate[i] / speed : 0.0;
        ret_rows[i] = fabs(rate[i]) < far ? sign[i] * tq_exp(-ratio * ratio) : 0.0;
    }
}

void tq_coupled_row(const tq_fit *fit, const tq_fit_term *term, size_t n, size_t stride,
                    const double *qd, double *ret_rows)
{
    const tq_model *model = &fit->mechanism->model;
    const double *of_own = qd + (size_t)model->joints[term->joint].v_index * stride;
    const double *of_other = qd + (size_t)model->joints[term->other].v_index * stride;
    for (size_t i = 0; i < n; i++) {
        ret_rows[i] = of_own[i] + of_other[i];
    }
    tq_signs_of_rates(tq_smoothing_of(fit, term->joint), n, ret_rows, ret_rows);
}

static void signs_of_joint(const tq_fit *fit, const tq_stretch *stretch, uint32_t number,
                           const double *state, double *ret_sign)
{
    const size_t row = fit->mechanism->model.joints[number].v_index;
    const double *rate = stretch->qd + row * stretch->stride;
    const double smoothing = tq_smoothing_of(fit, number);
    if (!tq_friction_regressor_remember(fit)) {
        tq_signs_of_rates(smoothing, stretch->n_sample, rate, ret_sign);
        return;
    }
    double start = 0.0;
    double last = state[row];
    tq_signs_of_rates(smoothing, 1, rate, &start);
    tq_signs_of_displacement(&fit->options.model, stretch->period, stretch->n_sample,
                             stretch->way + row * stretch->stride, start, &last, ret_sign);
}

void tq_friction_regressor_compute(const tq_fit *fit, const tq_stretch *stretch,
                                   const double *state, double *ret_rows)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t n = stretch->n_sample;
    const size_t stride = stretch->stride;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const size_t row = model->joints[j].v_index;
        if (tq_is_rubbing(&model->joints[j])) {
            signs_of_joint(fit, stretch, j, state, ret_rows + row * stride);
        }
        const uint32_t nv = tq_joint_kind_nv(model->joints[j].kind);
        for (uint32_t k = 0; nv > 1 && k < nv; k++) { /* spherical and floating joints have no
                                                         sign */
            memset(ret_rows + (row + k) * stride, 0, n * sizeof *ret_rows);
        }
    }
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        double *ret = ret_rows + (fit->n_row + term->friction_row) * stride;
        if (term->kind == TQ_COLUMN_STRIBECK) {
            const size_t row = model->joints[term->joint].v_index;
            tq_stribeck_row(fit->speed[term->joint], n, stretch->qd + row * stride,
                            ret_rows + row * stride, ret);
        } else if (term->kind == TQ_COLUMN_COUPLED_COULOMB) {
            tq_coupled_row(fit, term, n, stride, stretch->qd, ret);
        }
    }
}
