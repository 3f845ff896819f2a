/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/base.c - independent columns of the regressor, and the combinations
 * of the others. */
#include "core/identify/regression/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/identify/regression/tsqr.h"

/* Pivots of columns scaled to length 1. Arithmetic rounds by 1e-13, a right angle written with five
 * digits by 4e-6, and axes of calibrated robots are off square by 1e-4 to 5e-3, with pivots of
 * their squares and cubes as well: the pivots show no gap. A column whose independent part is below
 * the last tolerance counts as a combination of the others; the error of torque is below that
 * fraction of the column. Columns of large pivots are chosen first: combinations have coefficients
 * of 1 / pivot. */
static const double rank_tolerance[] = {3e-2, 2e-3, 1e-4};
enum { ROUNDS = sizeof rank_tolerance / sizeof rank_tolerance[0] };
static const double zero_length = 1e-9;
static const double zero_coefficient = 1e-9; /* coefficients of a combination below this are
                                                rounding */

enum { STATE_FACTOR = 3, STATE_EXTRA = 20 };

/* order in which the ten of a link are tried: those that regroup onto others last */
static const unsigned tried[TQ_PARAMETERS_OF_LINK] = {
    TQ_PARAMETER_MX,  TQ_PARAMETER_MY,  TQ_PARAMETER_IXX, TQ_PARAMETER_IXY, TQ_PARAMETER_IXZ,
    TQ_PARAMETER_IYZ, TQ_PARAMETER_IZZ, TQ_PARAMETER_IYY, TQ_PARAMETER_MZ,  TQ_PARAMETER_MASS};

size_t tq_base_scratch_size(const tq_model *model, unsigned with)
{
    const size_t n = tq_parameter_count(model, with);
    return 2 * tq_scratch_cost(n * n, sizeof(double)) +
           tq_scratch_cost(model->nv * n, sizeof(double)) +
           tq_scratch_cost(model->nq + 2 * model->nv, sizeof(double)) +
           2 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(n, sizeof(uint32_t)) +
           tq_regressor_scratch_size(model);
}

static void random_state(const tq_model *model, uint64_t *state, double *q, double *qd, double *qdd)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            q[joint->q_index + k] =
                (joint->kind == TQ_JOINT_PRISMATIC ? 1.0 : 3.0) * tq_random_unit(state);
        }
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            double *w = q + joint->q_index + joint->nq - 4;
            w[0] += 4.0; /* so that a length is not near zero */
            const double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
            for (unsigned k = 0; k < 4; k++) {
                w[k] /= length;
            }
        }
    }
    for (uint32_t k = 0; k < model->nv; k++) {
        qd[k] = 3.0 * tq_random_unit(state);
        qdd[k] = 10.0 * tq_random_unit(state);
    }
}

static void order_columns(const tq_model *model, size_t n, uint32_t *order)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        for (unsigned c = 0; c < TQ_PARAMETERS_OF_LINK; c++) {
            order[next++] = (uint32_t)TQ_PARAMETERS_OF_LINK * k + tried[c];
        }
    }
    /* joint parameters first: friction and rotors remain separate columns instead of being
     * regrouped into inertias */
    const uint32_t n_link = (uint32_t)TQ_PARAMETERS_OF_LINK * model->n_joint;
    const uint32_t n_joint = (uint32_t)n - n_link;
    memmove(order + n_joint, order, n_link * sizeof *order);
    for (uint32_t k = 0; k < n_joint; k++) {
        order[k] = n_link + k;
    }
}

static bool is_stopped(const tq_base_options *options)
{
    return options->stop != NULL && options->stop(options->stop_ctx);
}

static tq_status stopped(tq_error *reterr)
{
    return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stop", 0, 0.0);
}

/* triangle of the stacked regressor with columns in `order` */
static tq_status stack(const tq_model *model, unsigned with, const tq_base_options *options,
                       const uint32_t *order, tq_scratch *scratch, tq_tsqr *tsqr, tq_error *reterr)
{
    uint64_t random = options->seed;
    const size_t n = tsqr->n;
    double *y = tq_scratch_take(scratch, model->nv * n, sizeof *y);
    double *state = tq_scratch_take(scratch, model->nq + 2 * model->nv, sizeof *state);
    double *row = tq_scratch_take(scratch, n, sizeof *row);
    if (y == NULL || state == NULL || row == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_base_scratch_size(model, with));
    }
    const bool *used = options->row_is_used, *columns = options->column_is_used;
    size_t n_used = 0;
    for (size_t i = 0; i < model->nv; i++) {
        n_used += used == NULL || used[i];
    }
    const size_t n_state = n_used > 0 ? STATE_FACTOR * n / n_used + STATE_EXTRA : 0;
    double *qd = state + model->nq;
    double *qdd = qd + model->nv;
    for (size_t s = 0; s < n_state; s++) {
        if (is_stopped(options)) {
            return stopped(reterr);
        }
        random_state(model, &random, state, qd, qdd);
        const tq_regressor_input in = {.q = state,
                                       .qd = options->at_rest ? NULL : qd,
                                       .qdd = options->at_rest ? NULL : qdd,
                                       .gravity = options->gravity};
        const tq_status status = tq_regressor(model, with, &in, scratch, y, reterr);
        if (status != TQ_OK) {
            return status;
        }
        size_t to = 0;
        for (size_t i = 0; i < model->nv; i++) {
            if (used != NULL && !used[i]) {
                continue;
            }
            memcpy(row, y + i * n, n * sizeof *row);
            for (size_t k = 0; k < n; k++) {
                y[to * n + k] = columns == NULL || columns[order[k]] ? row[order[k]] : 0.0;
            }
            to++;
        }
        tq_tsqr_fold(tsqr, n_used, y);
    }
    return TQ_OK;
}

static double column_length(const double *r, size_t n, size_t k)
{
    double sum = 0.0;
    for (size_t i = 0; i <= k; i++) {
        sum += r[i * n + k] * r[i * n + k];
    }
    return sqrt(sum);
}

/* Gram-Schmidt: removes the components along the basis; two passes are enough for orthogonality */
static void remove_parts(const double *basis, size_t n_base, size_t n, double *x)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t b = 0; b < n_base; b++) {
            double part = 0.0;
            for (size_t i = 0; i < n; i++) {
                part += basis[b * n + i] * x[i];
            }
            for (size_t i = 0; i < n; i++) {
                x[i] -= part * basis[b * n + i];
            }
        }
    }
}

/* Adds the columns of R whose independent part exceeds the tolerance to the independent set. False:
 * stopped. */
static bool select_columns(const double *r, double tolerance, const tq_base_options *options,
                           double *basis, double *x, tq_base_set *base)
{
    const size_t n = base->n_parameter;
    const size_t n_left = base->n_dependent;
    double kept = base->n_base > 0 ? base->gap : DBL_MAX;
    double dropped = DBL_MIN;
    base->n_dependent = 0;
    for (size_t d = 0; d < n_left; d++) {
        const size_t k = base->dependent[d];
        if (is_stopped(options)) {
            return false;
        }
        const double length = column_length(r, n, k);
        for (size_t i = 0; i < n; i++) {
            x[i] = i <= k ? r[i * n + k] / length : 0.0;
        }
        remove_parts(basis, base->n_base, n, x);
        double left = 0.0;
        for (size_t i = 0; i < n; i++) {
            left += x[i] * x[i];
        }
        left = sqrt(left);
        if (left > tolerance) {
            kept = fmin(kept, left);
            for (size_t i = 0; i < n; i++) {
                basis[base->n_base * n + i] = x[i] / left;
            }
            base->independent[base->n_base++] = (uint32_t)k;
        } else {
            dropped = fmax(dropped, left);
            base->dependent[base->n_dependent++] = (uint32_t)k;
        }
    }
    base->gap = tolerance > rank_tolerance[ROUNDS - 1] ? kept
                : base->n_base > 0                     ? kept / dropped
                                                       : 0.0;
    return true;
}

static bool select_all(const double *r, const uint32_t *order, const tq_base_options *options,
                       double *basis, double *x, tq_base_set *base)
{
    for (size_t k = 0; k < base->n_parameter; k++) {
        if (column_length(r, base->n_parameter, k) < zero_length) { /* columns have lengths of 1 to
                                                                       100 */
            base->without[base->n_without++] = order[k];
        } else {
            base->dependent[base->n_dependent++] = (uint32_t)k;
        }
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        if (!select_columns(r, rank_tolerance[round], options, basis, x, base)) {
            return false;
        }
    }
    return true;
}

/* Base columns in the order of the columns, with their rows of k. */
static void sort_base(tq_base_set *base)
{
    const size_t width = base->n_dependent;
    for (size_t b = 1; b < base->n_base; b++) {
        for (size_t a = b; a > 0 && base->independent[a - 1] > base->independent[a]; a--) {
            const uint32_t before = base->independent[a - 1];
            base->independent[a - 1] = base->independent[a];
            base->independent[a] = before;
            for (size_t d = 0; d < width; d++) {
                const double entry = base->k[(a - 1) * width + d];
                base->k[(a - 1) * width + d] = base->k[a * width + d];
                base->k[a * width + d] = entry;
            }
        }
    }
}

/* entry (b, column) of basis^T R */
static double entry_of(const double *r, const double *basis, size_t n, size_t b, size_t column)
{
    double sum = 0.0;
    for (size_t i = 0; i <= column; i++) {
        sum += basis[b * n + i] * r[i * n + column];
    }
    return sum;
}

/* Each dependent column as a combination of the independent ones: back substitution on basis^T R
 * for all right-hand sides at once, so that its n_base^2 / 2 entries of n products are computed
 * once. False: stopped. */
static bool combine(const double *r, const double *basis, const tq_base_options *options,
                    tq_base_set *base)
{
    const size_t n = base->n_parameter;
    const size_t n_right = base->n_dependent;
    for (size_t b = base->n_base; b-- > 0;) {
        if (is_stopped(options)) {
            return false;
        }
        double *row = base->k + b * n_right;
        for (size_t d = 0; d < n_right; d++) {
            row[d] = entry_of(r, basis, n, b, base->dependent[d]);
        }
        for (size_t c = b + 1; n_right > 0 && c < base->n_base; c++) {
            const double entry = entry_of(r, basis, n, b, base->independent[c]);
            for (size_t d = 0; d < n_right; d++) {
                row[d] -= entry * base->k[c * n_right + d];
            }
        }
        const double diagonal = entry_of(r, basis, n, b, base->independent[b]);
        for (size_t d = 0; d < n_right; d++) {
            const double value = row[d] / diagonal;
            row[d] = fabs(value) < zero_coefficient ? 0.0 : value;
        }
    }
    return true;
}

static tq_status find(const tq_model *model, unsigned with, const tq_base_options *options,
                      tq_scratch *scratch, tq_base_set *base, tq_error *reterr)
{
    const size_t n = base->n_parameter;
    double *r = tq_scratch_take(scratch, n * n, sizeof *r);
    double *basis = tq_scratch_take(scratch, n * n, sizeof *basis);
    double *x = tq_scratch_take(scratch, n, sizeof *x);
    uint32_t *order = tq_scratch_take(scratch, n, sizeof *order);
    if (r == NULL || basis == NULL || x == NULL || order == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_base_scratch_size(model, with));
    }
    tq_tsqr tsqr;
    tq_tsqr_init(&tsqr, n, r);
    order_columns(model, n, order);
    const tq_status status = stack(model, with, options, order, scratch, &tsqr, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (!select_all(r, order, options, basis, x, base)) {
        return stopped(reterr);
    }
    if (!combine(r, basis, options, base)) {
        return stopped(reterr);
    }
    sort_base(base);
    for (size_t k = 0; k < base->n_base; k++) {
        base->independent[k] = order[base->independent[k]];
    }
    for (size_t k = 0; k < base->n_dependent; k++) {
        base->dependent[k] = order[base->dependent[k]];
    }
    return TQ_OK;
}

tq_status tq_base_find(const tq_model *model, unsigned with, const tq_base_options *options,
                       tq_scratch *scratch, tq_base_set *ret_base, tq_error *reterr)
{
    if (model->nv == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, 0.0);
    }
    ret_base->n_parameter = tq_parameter_count(model, with);
    ret_base->n_base = ret_base->n_dependent = ret_base->n_without = 0;
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = find(model, with, options, scratch, ret_base, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

void tq_base_values(const tq_base_set *base, const double *values, double *ret_beta)
{
    for (size_t b = 0; b < base->n_base; b++) {
        ret_beta[b] = values[base->independent[b]];
        for (size_t d = 0; d < base->n_dependent; d++) {
            ret_beta[b] += base->k[b * base->n_dependent + d] * values[base->dependent[d]];
        }
    }
}
