/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/definite.c - mass matrices by the regressor, which does not require
 * physical bodies. */
#include "core/identify/feasible/definite.h"
#include "core/base/random.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/regressor/regressor_batch.h"
#include "core/elementary/elementary.h"
#include "core/identify/feasible/block4.h"
#include "core/identify/regression/bodies.h"
#include "core/linalg/dense.h"

enum { POSES = 10000, POSES_LEAST = 512, FREEDOMS_FOR_ALL = 12, RUN = TQ_FOLD_RUN };

static size_t pose_count(size_t nv)
{
    if (nv <= FREEDOMS_FOR_ALL) {
        return POSES;
    }
    const double n = (double)POSES * tq_pow((double)FREEDOMS_FOR_ALL / (double)nv, 3);
    return n < (double)POSES_LEAST ? (size_t)POSES_LEAST : (size_t)n;
}

size_t tq_definite_size(const tq_fit *fit)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t nv = model->nv;
    return tq_scratch_cost((model->nq + nv) * RUN, sizeof(double)) +
           tq_scratch_cost(nv * fit->n_link_column * RUN, sizeof(double)) +
           tq_scratch_cost(nv * nv * RUN, sizeof(double)) +
           tq_scratch_cost(nv * nv, sizeof(double)) +
           tq_regressor_batch_scratch_size(fit->mechanism);
}

static double random_unit(uint64_t *state)
{
    return (double)(tq_random_bits(state) >> 11) * 0x1p-53;
}

static void random_poses(const tq_model *model, uint64_t *state, double *q)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double wide = joint->kind == TQ_JOINT_PRISMATIC ? 1.0 : M_PI;
        const bool bounded = joint->nq == 1 && isfinite(joint->limits.lower + joint->limits.upper);
        const double low = bounded ? joint->limits.lower : -wide;
        const double high = bounded ? joint->limits.upper : wide;
        double *rows = q + (size_t)joint->q_index * RUN;
        for (size_t k = 0; k < (size_t)joint->nq * RUN; k++) {
            rows[k] = low + (high - low) * random_unit(state);
        }
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            double *w = rows + (size_t)(joint->nq - 4) * RUN;
            for (size_t i = 0; i < RUN; i++) {
                double square = 0.0;
                for (unsigned k = 0; k < 4; k++) {
                    square += w[k * RUN + i] * w[k * RUN + i];
                }
                for (unsigned k = 0; k < 4; k++) {
                    w[k * RUN + i] /= sqrt(square);
                }
            }
        }
    }
}

/* rotor inertias: on the diagonal; coupled ones off it */
static void add_rotors(const tq_fit *fit, const double *value, double *m)
{
    const size_t nv = fit->n_row;
    const tq_model *model = &fit->mechanism->model;
    for (size_t t = 0; t < fit->n_term; t++) {
        const tq_fit_term *term = &fit->terms[t];
        const tq_column *column = &fit->columns[term->column];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_ROTOR) {
            m[(size_t)term->row * (nv + 1)] += value[term->column];
        } else if (column->kind == TQ_COLUMN_COUPLED_ROTOR) {
            m[(size_t)term->row * nv + model->joints[term->other].v_index] += value[term->column];
        }
    }
}

/* y (n_row * n_link_column rows): column `freedom` of the matrices of RUN poses */
static void add_column(const tq_fit *fit, const double *y, const double *full, size_t freedom,
                       double *m)
{
    enum { AT_ONCE = 64 }; /* columns */
    const size_t nv = fit->n_row;
    const tq_kernels *kernels = tq_kernels_for(RUN);
    int64_t offset[AT_ONCE];
    for (size_t c = 0; c < AT_ONCE; c++) {
        offset[c] = (int64_t)(c * RUN);
    }
    for (size_t r = 0; r < nv; r++) {
        double *entry = m + (freedom * nv + r) * RUN;
        const double *row = y + r * fit->n_link_column * RUN;
        memset(entry, 0, RUN * sizeof *entry);
        for (size_t c = 0; c < fit->n_link_column; c += AT_ONCE) {
            const size_t left = fit->n_link_column - c;
            kernels->contract((long)(left < AT_ONCE ? left : (size_t)AT_ONCE), offset, full + c,
                              row + c * RUN, entry);
        }
    }
}

static size_t count_bad(const tq_fit *fit, const double *value, const double *m, double *one)
{
    const size_t nv = fit->n_row;
    size_t n = 0;
    for (size_t i = 0; i < RUN; i++) {
        for (size_t e = 0; e < nv * nv; e++) {
            one[e] = m[e * RUN + i];
        }
        add_rotors(fit, value, one);
        n += tq_cholesky_factor(nv, one, nv, NULL) != TQ_OK;
    }
    return n;
}

tq_status tq_definite_count(const tq_fit *fit, const double *full, const double *value,
                            tq_scratch *scratch, size_t *ret_n_pose, size_t *ret_n_bad,
                            tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *q = tq_scratch_take(scratch, (model->nq + nv) * RUN, sizeof *q);
    double *y = tq_scratch_take(scratch, nv * fit->n_link_column * RUN, sizeof *y);
    double *m = tq_scratch_take(scratch, nv * nv * RUN, sizeof *m);
    double *one = tq_scratch_take(scratch, nv * nv, sizeof *one);
    if (q == NULL || y == NULL || m == NULL || one == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_definite_size(fit));
    }
    double *qdd = q + (size_t)model->nq * RUN;
    uint64_t state = fit->options.seed;
    const size_t n_run = pose_count(nv) / RUN + 1;
    size_t n_bad = 0;
    tq_status status = TQ_OK;
    for (size_t k = 0; status == TQ_OK && k < n_run; k++) {
        random_poses(model, &state, q);
        for (size_t f = 0; status == TQ_OK && f < nv; f++) {
            memset(qdd, 0, nv * RUN * sizeof *qdd);
            for (size_t i = 0; i < RUN; i++) {
                qdd[f * RUN + i] = 1.0;
            }
            const tq_inverse_input in = {
                .n_sample = RUN, .stride = RUN, .q = q, .qdd = qdd, .without = TQ_WITHOUT_GRAVITY};
            status = tq_regressor_batch(fit->mechanism, &in, scratch, y, reterr);
            add_column(fit, y, full, f, m);
        }
        n_bad += status == TQ_OK ? count_bad(fit, value, m, one) : 0;
    }
    *ret_n_pose = n_run * RUN;
    *ret_n_bad = n_bad;
    tq_scratch_rewind(scratch, mark);
    return status;
}

bool tq_inertial_params_is_definite(const double ten[TQ_PARAMETERS_OF_LINK], double *ret_ratio)
{
    tq_block4 p;
    tq_pseudo_of_ten(ten, p);
    const double moments = p[0] + p[5] + p[10];
    const double length = ten[0] > 0.0 && moments > 0.0 ? sqrt(moments / ten[0]) : 1.0;
    for (unsigned i = 0; i < 16; i++) {
        p[i] /= (i % 4 < 3 ? length : 1.0) * (i / 4 < 3 ? length : 1.0);
    }
    const double trace = p[0] + p[5] + p[10] + p[15];
    *ret_ratio = trace != 0.0 ? tq_least_eigen4(p) / fabs(trace) : -1.0;
    return *ret_ratio > 0.0;
}
