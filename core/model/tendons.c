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

/* *n_path: joints between points so far */
static tq_status check_points(const tq_model *model, size_t t, uint32_t *n_path, tq_error *reterr)
{
    const tq_tendon *tendon = &model->tendons[t];
    if (tendon->first_point > model->n_point ||
        tendon->n_point > model->n_point - tendon->first_point) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "tendon", t, tendon->n_point);
    }
    tq_tendon_point *points = model->points + tendon->first_point;
    for (uint32_t k = 0; k < tendon->n_point; k++) {
        const double numbers[] = {points[k].at[0], points[k].at[1], points[k].at[2],
                                  points[k].weight};
        for (size_t c = 0; c < sizeof numbers / sizeof *numbers; c++) {
            if (!isfinite(numbers[c])) {
                return tq_fail(reterr, TQ_ERR_NOT_FINITE, "tendon", t, numbers[c]);
            }
        }
        if (points[k].link >= model->n_link || points[k].weight < 0.0) {
            return tq_fail(reterr, TQ_ERR_RANGE, "tendon", t, points[k].link);
        }
        points[k].meet = points[k].link;
        if (k > 0 && points[k - 1].weight > 0.0) {
            uint32_t n = 0;
            points[k - 1].meet = meeting(model, points[k - 1].link, points[k].link, &n);
            *n_path += n;
        }
        if (*n_path > TQ_TENDON_PATH_MAX) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "tendon", t, *n_path);
        }
    }
    return TQ_OK;
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
