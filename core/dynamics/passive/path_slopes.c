/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_slopes.c - derivatives of the torque of a tendon that has a path, in
 * world axes. */
#include "core/dynamics/passive/path_slopes.h"

#include <string.h>

#include "core/dynamics/passive/path_lines.h"
#include "core/dynamics/passive/path_wraps.h"

size_t tq_path_slopes_scratch_size(const tq_model *model)
{
    return tq_configuration_scratch_size(model) +
           tq_scratch_cost((size_t)model->nq + 3 * (size_t)model->nv + 1, sizeof(double)) +
           tq_scratch_cost(6 * (size_t)model->n_joint + 1, sizeof(tq_path_mover)) +
           (tq_path_has_wraps(model)
                ? tq_scratch_cost(6 * (size_t)model->n_joint + 1, sizeof(tq_path_turner))
                : 0);
}

tq_status tq_path_slopes_begin(const tq_model *model, const tq_path_sample *at, tq_scratch *scratch,
                               tq_path_slopes *ret, tq_error *reterr)
{
    const size_t nq = model->nq, nv = model->nv;
    ret->q = tq_scratch_take(scratch, nq + 3 * nv + 1, sizeof *ret->q);
    ret->movers = tq_scratch_take(scratch, 6 * (size_t)model->n_joint + 1, sizeof *ret->movers);
    const bool wraps = tq_path_has_wraps(model);
    ret->turners =
        wraps ? tq_scratch_take(scratch, 6 * (size_t)model->n_joint + 1, sizeof *ret->turners)
              : NULL;
    if (ret->q == NULL || ret->movers == NULL || (wraps && ret->turners == NULL)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_path_slopes_scratch_size(model));
    }
    ret->qd = ret->q + nq;
    ret->slope = ret->qd + nv;
    ret->rate = ret->slope + nv;
    for (size_t r = 0; r < nq; r++) {
        ret->q[r] = at->q[r * at->stride];
    }
    for (size_t r = 0; r < nv; r++) {
        ret->qd[r] = at->qd != NULL ? at->qd[r * at->stride] : 0.0;
    }
    return tq_configuration_compute(model, ret->q, ret->qd, scratch, &ret->at, reterr);
}

/* Adds the line's slopes, and tension times its second derivatives; dq NULL: without these. */
static void add_line(tq_path_slopes *slopes, const tq_tendon_point *from, size_t stride,
                     double tension, double *dq)
{
    const tq_configuration *p = &slopes->at;
    const size_t nv = p->model->nv;
    tq_path_line l;
    if (!tq_path_draw(p, from, &l)) {
        return;
    }
    const size_t n = tq_path_movers(p, from, &l, slopes->movers);
    for (size_t r = 0; r < n; r++) {
        const tq_path_mover *row = &slopes->movers[r];
        const double by_row = l.weight * row->freedom->factor;
        slopes->slope[row->freedom->row] += by_row * row->growth;
        for (size_t c = 0; c < n; c++) {
            const tq_path_mover *column = &slopes->movers[c];
            const double value =
                by_row * column->freedom->factor * tq_path_bend(p->model, &l, row, column);
            if (dq != NULL) {
                dq[(row->freedom->row * nv + column->freedom->row) * stride] += tension * value;
            }
            slopes->rate[column->freedom->row] += value * slopes->qd[row->freedom->row];
        }
    }
}

static void add_around(tq_path_slopes *slopes, const tq_path_stretch *around, size_t stride,
                       double tension, double *dq)
{
    const size_t nv = slopes->at.model->nv;
    for (size_t r = 0; r < around->n_turner; r++) {
        const tq_path_turner *row = &around->turners[r];
        const double by_row = around->weight * row->freedom->factor;
        for (size_t c = 0; c < around->n_turner; c++) {
            const tq_path_turner *column = &around->turners[c];
            const tq_path_turner *const by[3] = {row, column, NULL};
            const tq_jet length = tq_path_stretch_by(around, by);
            const double value = by_row * column->freedom->factor * length.c[3];
            if (dq != NULL) {
                dq[(row->freedom->row * nv + column->freedom->row) * stride] += tension * value;
            }
            slopes->rate[column->freedom->row] += value * slopes->qd[row->freedom->row];
            slopes->slope[row->freedom->row] += c == r ? by_row * length.c[1] : 0.0;
        }
    }
}

/* Slopes and rates of all lines, and tension times their second derivatives into dq; NULL: without
 * these. */
static void add_lines(tq_path_slopes *slopes, const tq_tendon *tendon, size_t stride,
                      double tension, double *dq)
{
    const tq_model *model = slopes->at.model;
    memset(slopes->slope, 0, 2 * (size_t)model->nv * sizeof *slopes->slope); /* and the rates */
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const tq_tendon_point *from = &model->points[tendon->first_point + k];
        tq_tendon_point straight[2];
        tq_path_stretch around;
        if (!(from->weight > 0.0) || from->radius > 0.0) {
            continue;
        }
        if (from[1].radius == 0.0) {
            add_line(slopes, from, stride, tension, dq);
        } else if (tq_path_stretch_begin(&slopes->at, from, slopes->turners, &around, straight)) {
            add_around(slopes, &around, stride, tension, dq);
        } else {
            add_line(slopes, straight, stride, tension, dq);
        }
    }
}

void tq_path_slopes_follow(tq_path_slopes *slopes, const tq_tendon *tendon)
{
    add_lines(slopes, tendon, 1, 0.0, NULL);
}

void tq_path_slopes_add(tq_path_slopes *slopes, const tq_tendon *tendon, const tq_path_sample *at,
                        const tq_path_tension *tension, double *dq, double *dqd)
{
    const tq_model *model = slopes->at.model;
    const size_t nv = model->nv;
    add_lines(slopes, tendon, at->stride, tension->value, dq);
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &model->shares[tendon->first + k];
        const tq_joint *joint = &model->joints[share->joint];
        slopes->slope[joint->v_index] +=
            share->coefficient * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
    }
    for (size_t r = 0; r < nv; r++) {
        for (size_t c = 0; slopes->slope[r] != 0.0 && c < nv; c++) {
            const size_t entry = (r * nv + c) * at->stride;
            dq[entry] += slopes->slope[r] * (tension->by_length * slopes->slope[c] +
                                             tension->by_rate * slopes->rate[c]);
            dqd[entry] += slopes->slope[r] * tension->by_rate * slopes->slope[c];
        }
    }
}
