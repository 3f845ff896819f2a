/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/rows.c - values of all columns over a run of samples. */
#include <math.h>
#include <string.h>

#include "core/dynamics/regressor/regressor_batch.h"
#include "core/elementary/elementary.h"
#include "core/identify/friction_regressor.h"
#include "core/identify/regression/fit_private.h"

enum { AT_ONCE = 64 }; /* columns */

size_t tq_fit_run_size(const tq_fit *fit)
{
    const size_t nq = fit->mechanism->model.nq, nv = fit->n_row;
    return tq_scratch_cost(nq * TQ_FOLD_RUN, sizeof(double)) +
           4 * tq_scratch_cost(nv * TQ_FOLD_RUN, sizeof(double)) +
           tq_scratch_cost(tq_friction_row_count(fit) * TQ_FOLD_RUN, sizeof(double)) +
           tq_scratch_cost(2 * nv, sizeof(double)) +
           tq_scratch_cost(fit->run_rows * TQ_FOLD_RUN, sizeof(double)) +
           tq_regressor_batch_scratch_size(fit->mechanism);
}

tq_status tq_fit_run_take(const tq_fit *fit, tq_scratch *scratch, tq_fit_run *ret, tq_error *reterr)
{
    const size_t nq = fit->mechanism->model.nq, nv = fit->n_row;
    *ret = (tq_fit_run){.scratch = scratch};
    ret->q = tq_scratch_take(scratch, nq * TQ_FOLD_RUN, sizeof(double));
    ret->qd = tq_scratch_take(scratch, nv * TQ_FOLD_RUN, sizeof(double));
    ret->qdd = tq_scratch_take(scratch, nv * TQ_FOLD_RUN, sizeof(double));
    ret->tau = tq_scratch_take(scratch, nv * TQ_FOLD_RUN, sizeof(double));
    ret->sign = tq_scratch_take(scratch, tq_friction_row_count(fit) * TQ_FOLD_RUN, sizeof(double));
    ret->way = tq_scratch_take(scratch, nv * TQ_FOLD_RUN, sizeof(double));
    ret->before = tq_scratch_take(scratch, 2 * nv, sizeof(double));
    ret->values = tq_scratch_take(scratch, fit->run_rows * TQ_FOLD_RUN, sizeof(double));
    if (ret->q == NULL || ret->qd == NULL || ret->qdd == NULL || ret->tau == NULL ||
        ret->sign == NULL || ret->way == NULL || ret->before == NULL || ret->values == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_run_size(fit));
    }
    ret->friction_rows = ret->sign + nv * TQ_FOLD_RUN;
    memset(ret->sign, 0, tq_friction_row_count(fit) * TQ_FOLD_RUN * sizeof(double));
    memset(ret->values, 0, fit->run_rows * TQ_FOLD_RUN * sizeof(double));
    tq_fit_run_forget(fit, ret);
    return TQ_OK;
}

void tq_fit_set_sign(tq_fit *fit, double smoothing, double presliding, double relaxation)
{
    fit->options.model.smoothing = smoothing;
    fit->options.model.presliding = presliding;
    fit->options.model.relaxation = relaxation;
    fit->n_pass = 0;
}

void tq_fit_run_forget(const tq_fit *fit, tq_fit_run *run)
{
    for (size_t r = 0; r < 2 * fit->n_row; r++) {
        run->before[r] = (double)NAN; /* no previous sample */
    }
}

static void copy_rows(size_t n_row, const double *from, size_t stride, size_t n, double *to)
{
    for (size_t r = 0; r < n_row; r++) {
        memcpy(to + r * TQ_FOLD_RUN, from + r * stride, n * sizeof *to);
    }
}

/* displacement as a difference of q, if the block has none */
static void find_displacement(const tq_fit *fit, const tq_fit_run *run, size_t at, size_t n)
{
    const tq_model *model = &fit->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!tq_is_rubbing(joint)) {
            continue;
        }
        const double *q = run->q + (size_t)joint->q_index * TQ_FOLD_RUN;
        double *way = run->way + (size_t)joint->v_index * TQ_FOLD_RUN;
        double last = at > 0 ? q[at - 1] : run->before[2 * (size_t)joint->v_index];
        for (size_t i = at; i < at + n; i++) {
            way[i] = isnan(last) ? 0.0 : q[i] - last;
            last = q[i];
        }
    }
}

void tq_fit_run_copy(const tq_fit *fit, tq_fit_run *run, size_t at,
                     const tq_experiment_block *block, size_t first, size_t n)
{
    const size_t stride = block->stride;
    copy_rows(fit->mechanism->model.nq, block->q + first, stride, n, run->q + at);
    copy_rows(fit->n_row, block->qd + first, stride, n, run->qd + at);
    copy_rows(fit->n_row, block->qdd + first, stride, n, run->qdd + at);
    copy_rows(fit->n_row, block->tau + first, stride, n, run->tau + at);
    run->period = block->period;
    run->is_given = block->friction_rows != NULL;
    if (run->is_given) {
        copy_rows(tq_friction_row_count(fit), block->friction_rows + first, stride, n,
                  run->sign + at);
        return;
    }
    for (size_t t = 0; t < fit->n_term; t++) { /* torque without them is the present gains' */
        if (tq_column_is_gain(fit->terms[t].kind)) {
            memset(run->friction_rows + fit->terms[t].friction_row * TQ_FOLD_RUN + at, 0,
                   n * sizeof(double));
        }
    }
    if (fit->options.model.presliding > 0.0 && block->way != NULL) {
        copy_rows(fit->n_row, block->way + first, stride, n, run->way + at);
    } else if (fit->options.model.presliding > 0.0) {
        find_displacement(fit, run, at, n);
    }
}

void tq_fit_run_signs(const tq_fit *fit, const tq_fit_run *run, size_t n)
{
    const tq_model *model = &fit->mechanism->model;
    const bool slides = !(fit->options.model.presliding > 0.0);
    for (uint32_t j = 0; !run->is_given && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!tq_is_rubbing(joint)) {
            continue;
        }
        const size_t row = joint->v_index;
        double *sign = run->sign + row * TQ_FOLD_RUN;
        double *before = run->before + 2 * row;
        if (slides || isnan(before[1])) {
            tq_signs_of_rates(tq_smoothing_of(fit, j), slides ? n : 1, run->qd + row * TQ_FOLD_RUN,
                              sign);
        }
        if (!slides) {
            tq_signs_of_displacement(&fit->options.model, run->period, n,
                                     run->way + row * TQ_FOLD_RUN, sign[0], &before[1], sign);
            before[0] = run->q[(size_t)joint->q_index * TQ_FOLD_RUN + n - 1];
        }
    }
}

void tq_fit_run_rate_signs(const tq_fit *fit, tq_fit_run *run, size_t n)
{
    const tq_model *model = &fit->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (tq_is_rubbing(&model->joints[j])) {
            const size_t row = (size_t)model->joints[j].v_index * TQ_FOLD_RUN;
            tq_signs_of_rates(tq_smoothing_of(fit, j), n, run->qd + row, run->sign + row);
        }
    }
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        const size_t row = (size_t)model->joints[term->joint].v_index * TQ_FOLD_RUN;
        if (term->kind == TQ_COLUMN_STRIBECK) {
            tq_stribeck_row(fit->speed[term->joint], n, run->qd + row, run->sign + row,
                            run->friction_rows + term->friction_row * TQ_FOLD_RUN);
        } else if (term->kind == TQ_COLUMN_COUPLED_COULOMB) {
            tq_coupled_row(fit, term, n, TQ_FOLD_RUN, run->qd,
                           run->friction_rows + term->friction_row * TQ_FOLD_RUN);
        }
    }
    run->is_given = true;
}

static void scale(double factor, size_t n, const double *x, double *ret)
{
    for (size_t i = 0; i < n; i++) {
        ret[i] = factor * x[i];
    }
}

/* a joint's own parameter: factor f(factor x + offset), as in core/dynamics/regressor/regressor.c
 */
static void of_parameter(const tq_fit *fit, const tq_fit_run *run, const tq_column *column,
                         size_t n, double *ret)
{
    const tq_joint *joint = &fit->mechanism->model.joints[column->parameter.joint];
    const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
    const double offset = joint->mimic != TQ_NONE ? joint->mimic_offset : 0.0;
    const double *q = run->q + (size_t)joint->q_index * TQ_FOLD_RUN;
    const double *qd = run->qd + (size_t)joint->v_index * TQ_FOLD_RUN;
    const double *qdd = run->qdd + (size_t)joint->v_index * TQ_FOLD_RUN;
    if (column->parameter.kind == TQ_PARAMETER_COULOMB) {
        memcpy(ret, run->sign + (size_t)joint->v_index * TQ_FOLD_RUN, n * sizeof *ret);
        for (size_t i = 0; i < n && factor < 0.0; i++) {
            ret[i] = -ret[i];
        }
    }
    switch ((int)column->parameter.kind) {
    case TQ_PARAMETER_ROTOR:
        scale(factor * factor, n, qdd, ret);
        break;
    case TQ_PARAMETER_VISCOUS:
        scale(factor * factor, n, qd, ret);
        break;
    case TQ_PARAMETER_COULOMB:
        scale(factor, n, ret, ret);
        break;
    case TQ_PARAMETER_OFFSET:
        for (size_t i = 0; i < n; i++) {
            ret[i] = factor;
        }
        break;
    default:
        for (size_t i = 0; i < n; i++) {
            ret[i] = factor * (factor * q[i] + offset - joint->spring.rest);
        }
        break;
    }
}

static void of_coupled(const tq_fit *fit, const tq_fit_run *run, const tq_fit_term *term, size_t n,
                       double *ret)
{
    const tq_joint *other = &fit->mechanism->model.joints[term->other];
    const size_t row = (size_t)other->v_index * TQ_FOLD_RUN;
    if (term->kind == TQ_COLUMN_COUPLED_ROTOR) {
        memcpy(ret, run->qdd + row, n * sizeof *ret);
    } else if (term->kind == TQ_COLUMN_COUPLED_VISCOUS) {
        memcpy(ret, run->qd + row, n * sizeof *ret);
    } else if (run->is_given) {
        memcpy(ret, run->friction_rows + term->friction_row * TQ_FOLD_RUN, n * sizeof *ret);
    } else {
        tq_coupled_row(fit, term, n, TQ_FOLD_RUN, run->qd, ret);
    }
}

static bool is_of(const tq_column *column, tq_fit_part part)
{
    switch (part) {
    case TQ_FIT_OF_BODIES:
        return column->kind == TQ_COLUMN_PARAMETER && column->parameter.link != TQ_NONE;
    case TQ_FIT_OF_ALL_BUT_LOAD:
        return column->kind != TQ_COLUMN_LOAD;
    case TQ_FIT_OF_ALL:
        break;
    }
    return true;
}

void tq_fit_run_torque(const tq_fit *fit, const tq_fit_run *run, size_t row, tq_fit_part part,
                       const double *value, double *ret_torque)
{
    const tq_fit_row *r = &fit->rows[row];
    const tq_kernels *kernels = tq_kernels_for(TQ_FOLD_RUN);
    memset(ret_torque, 0, TQ_FOLD_RUN * sizeof *ret_torque);
    for (size_t first = 0; first < r->n; first += AT_ONCE) {
        const size_t n = r->n - first < AT_ONCE ? r->n - first : (size_t)AT_ONCE;
        double weights[AT_ONCE];
        for (size_t c = 0; c < n; c++) {
            const uint32_t column = r->column[first + c];
            weights[c] = is_of(&fit->columns[column], part) ? value[column] : 0.0;
        }
        kernels->contract((long)n, r->offset + first, weights, run->values, ret_torque);
    }
}

/* load of a gear: the torque of the bodies it moves */
static void load_of_row(const tq_fit *fit, const tq_fit_run *run, size_t r, size_t n,
                        const double *load, double *ret)
{
    if (load == NULL) {
        memcpy(ret, run->tau + r * TQ_FOLD_RUN, n * sizeof *ret);
        return;
    }
    tq_fit_run_torque(fit, run, r, TQ_FIT_OF_BODIES, load, ret);
}

static void of_joint(const tq_fit *fit, const tq_fit_run *run, const tq_fit_term *term, size_t n,
                     const double *load, double *ret)
{
    const tq_model *model = &fit->mechanism->model;
    const tq_joint *joint = &model->joints[term->joint];
    const size_t row = (size_t)joint->v_index * TQ_FOLD_RUN;
    if (term->kind == TQ_COLUMN_COS || term->kind == TQ_COLUMN_SIN) {
        tq_parallel_angle(model, term->joint, term->other, n, TQ_FOLD_RUN, run->q, ret);
        for (size_t i = 0; i < n; i++) {
            ret[i] = term->kind == TQ_COLUMN_COS ? tq_cos(ret[i]) : tq_sin(ret[i]);
        }
        return;
    }
    if (term->kind == TQ_COLUMN_LOAD) {
        load_of_row(fit, run, joint->v_index, n, load, ret);
        for (size_t i = 0; i < n; i++) {
            ret[i] = run->sign[row + i] * fabs(ret[i]);
        }
        return;
    }
    if (run->is_given) {
        memcpy(ret, run->friction_rows + term->friction_row * TQ_FOLD_RUN, n * sizeof *ret);
        return;
    }
    tq_stribeck_row(fit->speed[term->joint], n, run->qd + row, run->sign + row, ret);
}

static void of_term(const tq_fit *fit, const tq_fit_run *run, const tq_fit_term *term, size_t n,
                    const double *load, double *ret)
{
    const tq_joint *joint = &fit->mechanism->model.joints[term->joint];
    switch (term->kind) {
    case TQ_COLUMN_PARAMETER:
        of_parameter(fit, run, &fit->columns[term->column], n, ret);
        break;
    case TQ_COLUMN_INERTIA:
        memcpy(ret, run->qdd + (size_t)joint->v_index * TQ_FOLD_RUN, n * sizeof *ret);
        break;
    case TQ_COLUMN_GRAVITY:
        for (size_t i = 0; i < n; i++) {
            ret[i] = 1.0;
        }
        break;
    case TQ_COLUMN_KP:
    case TQ_COLUMN_KD:
    case TQ_COLUMN_KI:
        memcpy(ret, run->friction_rows + term->friction_row * TQ_FOLD_RUN, n * sizeof *ret);
        break;
    case TQ_COLUMN_COS:
    case TQ_COLUMN_SIN:
    case TQ_COLUMN_STRIBECK:
    case TQ_COLUMN_LOAD:
        of_joint(fit, run, term, n, load, ret);
        break;
    case TQ_COLUMN_COUPLED_ROTOR:
    case TQ_COLUMN_COUPLED_VISCOUS:
    case TQ_COLUMN_COUPLED_COULOMB:
        of_coupled(fit, run, term, n, ret);
        break;
    }
}

/* samples after n are zero rows */
static void clear_rest(const tq_fit *fit, double *values, size_t n)
{
    for (size_t r = 0; n < TQ_FOLD_RUN && r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        for (size_t c = 0; c <= row->n; c++) {
            memset(values + row->offset[c] + n, 0, (TQ_FOLD_RUN - n) * sizeof *values);
        }
    }
}

tq_status tq_fit_run_compute(const tq_fit *fit, const tq_fit_run *run, size_t n, const double *load,
                             tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    if (fit->options.model.kind == TQ_FIT_BASE) {

        tq_block_pad(run->q, model->nq, TQ_FOLD_RUN, n);
        tq_block_pad(run->qd, model->nv, TQ_FOLD_RUN, n);
        tq_block_pad(run->qdd, model->nv, TQ_FOLD_RUN, n);

        const tq_inverse_input in = {
            .n_sample = n, .stride = TQ_FOLD_RUN, .q = run->q, .qd = run->qd, .qdd = run->qdd};
        /* structural zeros were written when the run was taken */
        const tq_status status =
            tq_regressor_batch_again(fit->mechanism, &in, run->scratch, run->values, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    double *terms = run->values + fit->n_row * fit->n_link_column * TQ_FOLD_RUN;
    for (size_t t = 0; t < fit->n_term; t++) {
        of_term(fit, run, &fit->terms[t], n, load, terms + t * TQ_FOLD_RUN);
    }
    double *tau = terms + fit->n_term * TQ_FOLD_RUN;
    for (size_t r = 0; r < fit->n_row; r++) {
        memcpy(tau + r * TQ_FOLD_RUN, run->tau + r * TQ_FOLD_RUN, n * sizeof *tau);
    }
    clear_rest(fit, run->values, n);
    return TQ_OK;
}
