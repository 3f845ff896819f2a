/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/error_growth.c - a run linearised at its points: growth rates, and the torque that
 * input and model miss. */
#include "core/stability/error_growth.h"

#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/inverse.h"
#include "core/stability/error_growth_private.h"

static tq_run_point point_of(const tq_error_run *run, size_t k)
{
    const tq_model *model = tq_mechanism_model(run->plant->mechanism);
    const double *row = run->points + k * run->width;
    const double *q = row + 1, *qd = q + model->nq, *qdd = qd + model->nv;
    return (tq_run_point){.t = row[0], .q = q, .qd = qd, .qdd = qdd, .wrench = qdd + model->nv};
}

static tq_status grow(const tq_error_run *run, const tq_run_point *at, tq_scratch *scratch,
                      tq_fastest_growth *ret, tq_error *reterr)
{
    const size_t nv = tq_error_run_nv(run), n_matrix = tq_error_propagation_matrix(nv);
    const double h = run->is_closed ? run->sample_time : 0.0;
    double *a = tq_scratch_take(scratch, n_matrix, sizeof *a);
    double *open = tq_scratch_take(scratch, n_matrix, sizeof *open);
    double *inverse = tq_scratch_take(scratch, nv * nv, sizeof *inverse);
    size_t n = 2 * nv;
    tq_status status = TQ_OK;
    if (a == NULL || open == NULL || inverse == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_error_growth_scratch_size(run->plant));
    }
    if (run->plant->constraints != NULL) {
        status = tq_linearise_constrained(run->plant, at, scratch, a, &n, reterr);
        return status == TQ_OK ? tq_fastest_growth_of(n, a, scratch, ret, reterr) : status;
    }
    if (h > 0.0) { /* between samples the loop is open */
        status = tq_linearise(run->plant, at, false, scratch, open, inverse, reterr);
    }
    if (status == TQ_OK) {
        status = tq_linearise(run->plant, at, run->is_closed, scratch, a, inverse, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    return h > 0.0 ? tq_fastest_growth_sampled(n, open, a, h, scratch, ret, reterr)
                   : tq_fastest_growth_of(n, a, scratch, ret, reterr);
}

tq_status tq_error_growth_at(const tq_error_run *run, size_t k, tq_scratch *scratch,
                             tq_fastest_growth *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_run_point at = point_of(run, k);
    const tq_status status = grow(run, &at, scratch, ret, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * What input and model miss
 */

/* M^-1 times torque */
static void accelerate(size_t nv, const double *inverse, const double *tau, double *ret)
{
    for (size_t i = 0; i < nv; i++) {
        ret[i] = 0.0;
        for (size_t k = 0; k < nv; k++) {
            ret[i] += inverse[i * nv + k] * tau[k];
        }
    }
}

/* torque of the inertial parameters at a point: its relative error is that of a wrong model */
static bool inertial_torque(const tq_plant *plant, const tq_run_point *at, tq_scratch *scratch,
                            double *ret)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    const double *from[3] = {at->q, at->qd, at->qdd};
    double *rows[4];
    bool good = true;
    for (unsigned p = 0; p < 4; p++) {
        const size_t n = p == 0 ? model->nq : model->nv;
        rows[p] = tq_scratch_take(scratch, (n + 1) * TQ_BLOCK_PAD, sizeof(double));
        good = good && rows[p] != NULL;
        for (size_t k = 0; good && p < 3 && k < n * TQ_BLOCK_PAD; k++) {
            rows[p][k] = from[p][k / TQ_BLOCK_PAD];
        }
    }
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = TQ_BLOCK_PAD,
                                 .q = rows[0],
                                 .qd = rows[1],
                                 .qdd = rows[2],
                                 .gravity = plant->gravity,
                                 .without = plant->without | TQ_WITHOUT_FRICTION |
                                            TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR};
    good = good && tq_inverse_dynamics(plant->mechanism, &in, scratch, rows[3], NULL) == TQ_OK;
    for (size_t k = 0; good && k < model->nv; k++) {
        ret[k] = rows[3][k * TQ_BLOCK_PAD];
    }
    tq_scratch_rewind(scratch, mark);
    return good;
}

tq_status tq_error_run_linearise(const tq_error_run *run, size_t k, tq_scratch *scratch,
                                 double *ret_matrix, double *ret_push, tq_error *reterr)
{
    const size_t nv = tq_error_run_nv(run);
    const size_t mark = tq_scratch_mark(scratch);
    const tq_run_point at = point_of(run, k);
    double *inverse = tq_scratch_take(scratch, nv * nv, sizeof *inverse);
    double *tau = tq_scratch_take(scratch, nv, sizeof *tau);
    if (inverse == NULL || tau == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_error_growth_scratch_size(run->plant));
    }
    tq_status status =
        tq_linearise(run->plant, &at, run->is_closed, scratch, ret_matrix, inverse, reterr);
    if (status == TQ_OK) {
        memset(ret_push, 0, 2 * nv * sizeof *ret_push);
        if (run->table != NULL) {
            tq_table_error_at(run->table, at.t, tau);
            accelerate(nv, inverse, tau, ret_push);
        }
        if (run->uncertainty > 0.0 && inertial_torque(run->plant, &at, scratch, tau)) {
            for (size_t r = 0; r < nv; r++) {
                tau[r] *= run->uncertainty;
            }
            accelerate(nv, inverse, tau, ret_push + nv);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The whole run
 */

size_t tq_error_growth_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv, n_matrix = tq_error_propagation_matrix(nv);
    size_t most =
        tq_larger(tq_linearise_scratch_size(plant), tq_fastest_growth_scratch_size(2 * nv));
    most = tq_larger(most, tq_fastest_growth_sampled_scratch_size(2 * nv));
    most = tq_larger(most, tq_error_propagation_scratch_size(nv));
    most = tq_larger(most, tq_inverse_scratch_size(plant->mechanism, 0) +
                               tq_scratch_cost((model->nq + 1) * TQ_BLOCK_PAD, sizeof(double)) +
                               3 * tq_scratch_cost((nv + 1) * TQ_BLOCK_PAD, sizeof(double)));
    if (plant->constraints != NULL) {
        most = tq_larger(most, tq_linearise_constrained_scratch_size(plant));
    }
    return most + 2 * tq_scratch_cost(n_matrix, sizeof(double)) +
           tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(TQ_ERROR_PLACES_MAX * (n_matrix + 2 * nv), sizeof(double)) +
           tq_scratch_cost(tq_error_propagation_carried(nv), sizeof(double));
}

tq_status tq_error_growth_compute(const tq_error_run *run, tq_scratch *scratch,
                                  tq_error_growth *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    *ret = (tq_error_growth){0};
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        ret->horizon[k] = (double)INFINITY;
    }
    const tq_status status = tq_error_run_propagate(run, scratch, ret, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
