/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/tendons.c - checks of the tendons of a model, and where their points' carriers meet.
 */
#include <math.h>

#include "core/model/finish.h"
#include "core/model/model.h"

static uint32_t carrier_of(const tq_model *model, uint32_t link)
{
    return model->joints[model->links[link].joint].parent;
}

static uint32_t depth_of(const tq_model *model, uint32_t link)
{
    uint32_t depth = 0;
    for (; model->links[link].joint != TQ_NONE; link = carrier_of(model, link)) {
        depth++;
    }
    return depth;
}

/* The last link that carries both; *ret_n: the joints between them. */
static uint32_t meeting(const tq_model *model, uint32_t a, uint32_t b, uint32_t *ret_n)
{
    uint32_t deep_a = depth_of(model, a), deep_b = depth_of(model, b);
    *ret_n = 0;
    while (a != b) {
        if (deep_a >= deep_b) {
            a = carrier_of(model, a);
            deep_a--;
        } else {
            b = carrier_of(model, b);
            deep_b--;
        }
        ++*ret_n;
    }
    return a;
}

static tq_status check_numbers(const tq_tendon *tendon, size_t t, tq_error *reterr)
{
    const tq_friction *f = &tendon->friction;
    const double terms[] = {tendon->stiffness, tendon->lower,        tendon->upper,
                            f->viscous,        f->coulomb,           f->breakaway,
                            f->smoothing,      f->stribeck_velocity, f->offset};
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        if (!isfinite(terms[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "tendon", t, terms[k]);
        }
    }
    return tendon->lower > tendon->upper ? tq_fail(reterr, TQ_ERR_RANGE, "tendon", t, tendon->lower)
                                         : TQ_OK;
}

static tq_status check_shares(const tq_model *model, size_t t, tq_error *reterr)
{
    const tq_tendon *tendon = &model->tendons[t];
    if (tendon->first > model->n_share || tendon->n_share > model->n_share - tendon->first) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "tendon", t, tendon->n_share);
    }
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &model->shares[tendon->first + k];
        if (!isfinite(share->coefficient)) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "tendon", t, share->coefficient);
        }
        if (share->joint >= model->n_joint ||
            tq_joint_kind_nv(model->joints[share->joint].kind) != 1) {
            return tq_fail(reterr, TQ_ERR_RANGE, "tendon", t, share->joint);
        }
    }
    return TQ_OK;
}

static tq_status check_point(const tq_model *model, const tq_tendon_point *point, size_t t,
                             tq_error *reterr)
{
    const double *at = point->at, *axis = point->axis, *side = point->side;
    const double numbers[] = {at[0],   at[1],   at[2],   point->weight, point->radius, axis[0],
                              axis[1], axis[2], side[0], side[1],       side[2]};
    for (size_t c = 0; c < sizeof numbers / sizeof *numbers; c++) {
        if (!isfinite(numbers[c])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "tendon", t, numbers[c]);
        }
    }
    if (point->link >= model->n_link || point->weight < 0.0 || point->radius < 0.0 ||
        (point->has_side && point->side_link >= model->n_link)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "tendon", t, point->link);
    }
    return TQ_OK;
}

/* Axis of unit length; weight and meeting links of point k, which is a solid. *n_path: as below */
static tq_status finish_solid(const tq_model *model, size_t t, uint32_t k, uint32_t *n_path,
                              tq_error *reterr)
{
    const tq_tendon *tendon = &model->tendons[t];
    tq_tendon_point *p = &model->points[tendon->first_point + k];
    const bool between = k > 0 && k + 1 < tendon->n_point && p[-1].radius == 0.0 &&
                         p[1].radius == 0.0 && p[-1].weight > 0.0;
    double largest = 0.0, square = 0.0;
    uint32_t n = 0;
    if (!between) {
        return tq_fail(reterr, TQ_ERR_RANGE, "tendon", t, k);
    }
    p->weight = p[-1].weight;
    for (int c = 0; c < 3; c++) {
        largest = fmax(largest, fabs(p->axis[c]));
    }
    for (int c = 0; c < 3 && largest > 0.0; c++) {
        square += p->axis[c] / largest * (p->axis[c] / largest);
    }
    /* an axis of unit length keeps its bits, however often this is called */
    const double length = largest * sqrt(square);
    for (int c = 0; c < 3 && largest > 0.0 && fabs(length - 1.0) > 1e-15; c++) {
        p->axis[c] /= length;
    }
    p->meet_ends = meeting(model, p[-1].link, p[1].link, &n);
    *n_path += n;
    if (p->has_side) {
        p->meet_side = meeting(model, p->link, p->side_link, &n);
        *n_path += n;
    }
    return TQ_OK;
}

/* *n_path: joints between points so far */
static tq_status check_points(const tq_model *model, size_t t, uint32_t *n_path, tq_error *reterr)
{
    const tq_tendon *tendon = &model->tendons[t];
    if (tendon->first_point > model->n_point ||
        tendon->n_point > model->n_point - tendon->first_point) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "tendon", t, tendon->n_point);
    }
    tq_tendon_point *points = model->points + tendon->first_point;
    tq_status status = TQ_OK;
    for (uint32_t k = 0; k < tendon->n_point && status == TQ_OK; k++) {
        status = check_point(model, &points[k], t, reterr);
    }
    for (uint32_t k = 0; k < tendon->n_point && status == TQ_OK; k++) {
        points[k].meet = points[k].link;
        if (points[k].radius > 0.0) {
            status = finish_solid(model, t, k, n_path, reterr);
        }
        if (k > 0 && points[k - 1].weight > 0.0) {
            uint32_t n = 0;
            points[k - 1].meet = meeting(model, points[k - 1].link, points[k].link, &n);
            *n_path += n;
        }
        if (*n_path > TQ_TENDON_PATH_MAX && status == TQ_OK) {
            status = tq_fail(reterr, TQ_ERR_SHAPE, "tendon", t, *n_path);
        }
    }
    return status;
}

tq_status tq_tendons_check(tq_model *model, tq_error *reterr)
{
    if (model->n_tendon > TQ_TENDON_MAX || model->n_share > TQ_TENDON_SHARE_MAX ||
        model->n_point > TQ_TENDON_POINT_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "tendon", 0, model->n_tendon);
    }
    tq_status status = TQ_OK;
    uint32_t n_path = 0;
    for (uint32_t t = 0; t < model->n_tendon && status == TQ_OK; t++) {
        status = check_numbers(&model->tendons[t], t, reterr);
        if (status == TQ_OK) {
            status = check_shares(model, t, reterr);
        }
        if (status == TQ_OK) {
            status = check_points(model, t, &n_path, reterr);
        }
    }
    return status;
}
