/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_bends.c - second derivatives of the torque of a tendon, in world axes.
 */
#include "core/dynamics/passive/path_bends.h"

#include <string.h>

#include "core/dynamics/derivatives/nested.h"
#include "core/dynamics/passive/path_lines.h"
#include "core/dynamics/passive/path_wraps.h"
#include "core/spatial/screw.h"

size_t tq_path_bends_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv;
    return tq_path_slopes_scratch_size(model) + tq_scratch_cost(2 * nv * nv, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(uint32_t)) + tq_scratch_cost(nv, sizeof(uint8_t));
}

tq_status tq_path_bends_begin(const tq_model *model, const tq_path_sample *at, tq_scratch *scratch,
                              tq_path_bends *ret, tq_error *reterr)
{
    const size_t nv = model->nv;
    ret->slope_slope = tq_scratch_take(scratch, 2 * nv * nv, sizeof *ret->slope_slope);
    ret->rows = tq_scratch_take(scratch, nv, sizeof *ret->rows);
    ret->is_row = tq_scratch_take(scratch, nv, sizeof *ret->is_row);
    if (ret->slope_slope == NULL || ret->rows == NULL || ret->is_row == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_path_bends_scratch_size(model));
    }
    ret->rate_slope = ret->slope_slope + nv * nv;
    return tq_path_slopes_begin(model, at, scratch, &ret->slopes, reterr);
}

/* of the difference of a line's ends, and of its length */
typedef struct second {
    double moved[3], growth;
} second;

static tq_nested nested(const tq_model *model, const tq_path_mover *m)
{
    const bool planar = model->joints[m->freedom->joint].kind == TQ_JOINT_PLANAR;
    return (tq_nested){.stage = (int32_t)(planar ? m->number : 0) - 8 * (int32_t)m->up,
                       .screw = m->freedom->screw,
                       .moved = m->moved};
}

static double sign_of(const tq_path_mover *m)
{
    return m->end == 0 ? -1.0 : 1.0;
}

static second second_by(const tq_model *model, const tq_path_line *l, const tq_path_mover *first,
                        const tq_path_mover *last)
{
    second ret = {.growth = tq_path_bend(model, l, first, last)};
    if (first->end == last->end) {
        const tq_nested one = nested(model, first), other = nested(model, last);
        tq_nested_second(&one, &other, ret.moved);
        for (unsigned k = 0; k < 3; k++) {
            ret.moved[k] *= sign_of(first);
        }
    }
    return ret;
}

static double third_by(const tq_model *model, const tq_path_line *l,
                       const tq_path_mover *const by[3])
{
    const second one = second_by(model, l, by[0], by[1]), two = second_by(model, l, by[0], by[2]),
                 three = second_by(model, l, by[1], by[2]);
    const double sum = sign_of(by[2]) * tq_dot3(by[2]->moved, one.moved) +
                       sign_of(by[1]) * tq_dot3(by[1]->moved, two.moved) +
                       sign_of(by[0]) * tq_dot3(by[0]->moved, three.moved) -
                       by[2]->growth * one.growth - by[1]->growth * two.growth -
                       by[0]->growth * three.growth;
    double turned = 0.0;
    if (by[0]->end == by[1]->end && by[1]->end == by[2]->end) {
        const tq_nested dofs[3] = {nested(model, by[0]), nested(model, by[1]),
                                   nested(model, by[2])};
        double moved[3];
        tq_nested_third(dofs, moved);
        turned = sign_of(by[0]) * tq_dot3(l->unit, moved);
    }
    return turned + sum / l->length;
}

static void touch(tq_path_bends *bends, uint32_t row, size_t *n)
{
    if (bends->is_row[row] == 0) {
        bends->is_row[row] = 1;
        bends->rows[(*n)++] = row;
    }
}

/* Adds the line's derivatives, and tension times its third ones. */
static void add_line(tq_path_bends *bends, const tq_tendon_point *from, double tension, size_t *n,
                     double *dq_dq)
{
    const tq_path_slopes *slopes = &bends->slopes;
    const tq_configuration *p = &slopes->at;
    const size_t nv = p->model->nv;
    tq_path_line l;
    if (!tq_path_draw(p, from, &l)) {
        return;
    }
    const size_t n_mover = tq_path_movers(p, from, &l, slopes->movers);
    for (size_t f = 0; f < n_mover; f++) {
        const tq_path_mover *row = &slopes->movers[f];
        const size_t r = row->freedom->row;
        const double by_row = l.weight * row->freedom->factor;
        touch(bends, row->freedom->row, n);
        slopes->slope[r] += by_row * row->growth;
        for (size_t k = 0; k < n_mover; k++) {
            const tq_path_mover *first = &slopes->movers[k];
            const size_t c = first->freedom->row;
            const double by_both = by_row * first->freedom->factor;
            const double bend = by_both * tq_path_bend(p->model, &l, row, first);
            bends->slope_slope[r * nv + c] += bend;
            slopes->rate[c] += bend * slopes->qd[r];
            for (size_t m = 0; m < n_mover; m++) {
                const tq_path_mover *last = &slopes->movers[m];
                const size_t e = last->freedom->row;
                const tq_path_mover *const by[3] = {row, first, last};
                const double value = by_both * last->freedom->factor * third_by(p->model, &l, by);
                dq_dq[(r * nv + c) * nv + e] += tension * value;
                bends->rate_slope[c * nv + e] += value * slopes->qd[r];
            }
        }
    }
}

static void add_around(tq_path_bends *bends, const tq_path_stretch *around, double tension,
                       size_t *n, double *dq_dq)
{
    const tq_path_slopes *slopes = &bends->slopes;
    const size_t nv = slopes->at.model->nv, n_turner = around->n_turner;
    for (size_t each = 0; each < n_turner * n_turner * n_turner; each++) {
        const tq_path_turner *const by[3] = {&around->turners[each / n_turner / n_turner],
                                             &around->turners[each / n_turner % n_turner],
                                             &around->turners[each % n_turner]};
        const size_t r = by[0]->freedom->row, c = by[1]->freedom->row, e = by[2]->freedom->row;
        const tq_jet length = tq_path_stretch_by(around, by);
        const double by_row = around->weight * by[0]->freedom->factor;
        const double by_both = by_row * by[1]->freedom->factor;
        const double third = by_both * by[2]->freedom->factor * length.c[7];
        dq_dq[(r * nv + c) * nv + e] += tension * third;
        bends->rate_slope[c * nv + e] += third * slopes->qd[r];
        if (by[2] == around->turners) { /* once for each pair */
            bends->slope_slope[r * nv + c] += by_both * length.c[3];
            slopes->rate[c] += by_both * length.c[3] * slopes->qd[r];
        }
        if (by[1] == around->turners && by[2] == around->turners) {
            touch(bends, by[0]->freedom->row, n);
            slopes->slope[r] += by_row * length.c[1];
        }
    }
}

/* of the tension, by the chain rule */
static void add_tension(const tq_path_bends *bends, size_t n, const tq_path_tension *f,
                        const tq_second_derivatives *ret)
{
    const size_t nv = bends->slopes.at.model->nv;
    const double *j = bends->slopes.slope, *r = bends->slopes.rate;
    const double *jj = bends->slope_slope, *rr = bends->rate_slope;
    for (size_t x = 0; x < n; x++) {
        const size_t i = bends->rows[x];
        for (size_t y = 0; y < n; y++) {
            const size_t k = bends->rows[y];
            for (size_t z = 0; z < n; z++) {
                const size_t m = bends->rows[z], entry = (i * nv + k) * nv + m;
                const double by_k = f->by_length * j[k] + f->by_rate * r[k];
                const double by_m = f->by_length * j[m] + f->by_rate * r[m];
                ret->dq_dq[entry] +=
                    jj[i * nv + k] * by_m + jj[i * nv + m] * by_k +
                    j[i] * (f->by_length * jj[k * nv + m] + f->by_rate * rr[k * nv + m] +
                            f->by_rate_twice * r[k] * r[m]);
                ret->dqd_dqd[entry] += j[i] * j[k] * j[m] * f->by_rate_twice;
                ret->dqd_dq[entry] += f->by_rate * (jj[i * nv + m] * j[k] + j[i] * jj[k * nv + m]) +
                                      f->by_rate_twice * j[i] * j[k] * r[m];
            }
        }
    }
}

void tq_path_bends_add(tq_path_bends *bends, const tq_tendon *tendon,
                       const tq_path_tension *tension, const tq_second_derivatives *ret)
{
    const tq_path_slopes *slopes = &bends->slopes;
    const tq_model *model = slopes->at.model;
    const size_t nv = model->nv;
    size_t n = 0;
    if (tension->value == 0.0 && tension->by_length == 0.0 && tension->by_rate == 0.0 &&
        tension->by_rate_twice == 0.0) {
        return;
    }
    memset(slopes->slope, 0, 2 * nv * sizeof *slopes->slope);               /* and the rates */
    memset(bends->slope_slope, 0, 2 * nv * nv * sizeof *bends->rate_slope); /* and theirs */
    memset(bends->is_row, 0, nv);
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const tq_tendon_point *from = &model->points[tendon->first_point + k];
        tq_tendon_point straight[2];
        tq_path_stretch around;
        if (!(from->weight > 0.0) || from->radius > 0.0) {
            continue;
        }
        if (from[1].radius == 0.0) {
            add_line(bends, from, tension->value, &n, ret->dq_dq);
        } else if (tq_path_stretch_begin(&slopes->at, from, slopes->turners, &around, straight)) {
            add_around(bends, &around, tension->value, &n, ret->dq_dq);
        } else {
            add_line(bends, straight, tension->value, &n, ret->dq_dq);
        }
    }
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &model->shares[tendon->first + k];
        const tq_joint *joint = &model->joints[share->joint];
        touch(bends, joint->v_index, &n);
        slopes->slope[joint->v_index] +=
            share->coefficient * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
    }
    add_tension(bends, n, tension, ret);
}
