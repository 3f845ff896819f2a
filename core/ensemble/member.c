/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/member.c - the start, the robot, the controller and the disturbances of one member
 * of an ensemble. */
#include "core/ensemble/member.h"

#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/varied.h"
#include "core/model/inertia.h"

void tq_members_initial(const tq_variations *all, size_t first, const tq_member_starts *starts)
{
    const size_t stride = starts->stride;
    for (size_t i = 0; i < stride; i++) {
        const size_t member = first + (i < starts->n ? i : starts->n - 1);
        const uint64_t id = tq_variations_id(all, member);
        for (size_t r = 0; r < starts->nq; r++) {
            starts->q[r * stride + i] = starts->q0[r];
        }
        for (size_t r = 0; r < starts->nv; r++) {
            starts->qd[r * stride + i] = starts->qd0[r];
        }
        size_t offset = starts->z_offset;
        for (size_t v = 0; v < all->n; v++) {
            const tq_variation *x = &all->items[v];
            if (x->varied >= TQ_VARIED_MASS) {
                continue;
            }
            const double value = tq_variation_value(all, v, id);
            if (x->varied == TQ_VARIED_Q) {
                starts->q[x->row * stride + i] += value;
            } else if (x->varied == TQ_VARIED_QD) {
                starts->qd[x->row * stride + i] += value;
            } else {
                starts->z[offset++ * stride + i] = value;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Another robot
 */

static void change(tq_model *model, const tq_variation *x, double value)
{
    if (x->varied == TQ_VARIED_MASS) {
        tq_inertia *inertia = &model->links[x->row].inertia;
        inertia->mass *= value;
        model->links[x->row].carried_mass *= value;
        for (unsigned k = 0; k < 6; k++) {
            inertia->about_com[k] *= value;
        }
    } else if (x->varied == TQ_VARIED_PAYLOAD) {
        tq_inertia body = {.mass = value};
        memcpy(body.com, x->at, sizeof body.com);
        tq_inertia *inertia = &model->links[x->row].inertia;
        *inertia = tq_inertia_add(inertia, &body);
    } else if (x->varied == TQ_VARIED_VISCOUS) {
        model->joints[x->row].friction.viscous *= value;
    } else if (x->varied == TQ_VARIED_COULOMB) {
        model->joints[x->row].friction.coulomb *= value;
        model->joints[x->row].friction.breakaway *= value;
    }
}

size_t tq_member_mechanism_size(const tq_mechanism *base)
{
    const tq_model *model = tq_mechanism_model(base);
    return tq_scratch_cost(model->n_link, sizeof(tq_link)) +
           tq_scratch_cost(model->n_joint, sizeof(tq_joint)) +
           tq_scratch_cost(tq_mechanism_size(model), 1);
}

tq_status tq_member_mechanism(const tq_variations *all, const tq_mechanism *base, uint64_t id,
                              tq_scratch *scratch, const tq_mechanism **ret, tq_error *reterr)
{
    tq_model model = *tq_mechanism_model(base);
    tq_link *links = tq_scratch_take(scratch, model.n_link, sizeof *links);
    tq_joint *joints = tq_scratch_take(scratch, model.n_joint, sizeof *joints);
    const size_t size = tq_mechanism_size(&model);
    void *home = tq_scratch_take(scratch, size, 1);
    if (links == NULL || joints == NULL || home == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_member_mechanism_size(base));
    }
    memcpy(links, model.links, model.n_link * sizeof *links);
    memcpy(joints, model.joints, model.n_joint * sizeof *joints);
    model.links = links;
    model.joints = joints;
    for (size_t v = 0; v < all->n; v++) {
        if (tq_varied_is_of_model(all->items[v].varied)) {
            change(&model, &all->items[v], tq_variation_value(all, v, id));
        }
    }
    return tq_mechanism_build(&model, home, size, ret, reterr);
}

tq_status tq_members_vary(const tq_variations *all, const tq_mechanism *base, size_t first,
                          size_t n, size_t stride, tq_scratch *scratch, double *ret_varied,
                          tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (size_t i = 0; i < n && status == TQ_OK; i++) {
        const size_t mark = tq_scratch_mark(scratch);
        const tq_mechanism *own = NULL;
        status =
            tq_member_mechanism(all, base, tq_variations_id(all, first + i), scratch, &own, reterr);
        if (status == TQ_OK) {
            tq_varied_put(own, stride, i, ret_varied);
        }
        tq_scratch_rewind(scratch, mark);
    }
    tq_block_pad(ret_varied, tq_varied_rows(base), stride, n);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Another controller, other disturbances
 */

static size_t nv_of(const tq_plant *plant)
{
    return tq_mechanism_model(plant->mechanism)->nv;
}

static size_t row_count(const tq_plant *plant, const tq_disturbance *d)
{
    return d->is_wrench ? 6 : nv_of(plant);
}

size_t tq_member_effects_size(const tq_variations *all, const tq_plant *plant)
{
    size_t n = tq_scratch_cost(plant->n_effect, sizeof(tq_effect)) +
               tq_scratch_cost(1, sizeof(tq_controller)) +
               tq_scratch_cost(TQ_VARIED_GAINS * nv_of(plant), sizeof(double));
    for (size_t v = 0; v < all->n; v++) {
        const tq_variation *x = &all->items[v];
        if (x->varied >= TQ_VARIED_SEED) {
            n += tq_scratch_cost(1, sizeof(tq_disturbance)) +
                 tq_scratch_cost(row_count(plant, plant->effects[x->row].ctx), sizeof(double));
        }
    }
    return n;
}

/* a controller of other gains; false: the scratch is too small */
static bool tune(const tq_variations *all, const tq_plant *plant, const tq_controller *controller,
                 uint64_t id, tq_scratch *scratch, tq_effect *effects)
{
    const size_t nv = nv_of(plant);
    tq_controller *own = tq_scratch_take(scratch, 1, sizeof *own);
    double *gains = tq_scratch_take(scratch, TQ_VARIED_GAINS * nv, sizeof *gains);
    if (own == NULL || gains == NULL) {
        return false;
    }
    *own = *controller;
    const double **to[TQ_VARIED_GAINS] = {&own->kp, &own->kd, &own->ki, &own->lambda};
    for (unsigned g = 0; g < TQ_VARIED_GAINS; g++) {
        if (*to[g] != NULL) {
            memcpy(gains + g * nv, *to[g], nv * sizeof *gains);
            *to[g] = gains + g * nv;
        }
    }
    for (size_t v = 0; v < all->n; v++) {
        const tq_variation *x = &all->items[v];
        if (x->varied < TQ_VARIED_KP || x->varied > TQ_VARIED_LAMBDA) {
            continue;
        }
        double *row = gains + (size_t)(x->varied - TQ_VARIED_KP) * nv;
        const double factor = tq_variation_value(all, v, id);
        for (size_t r = 0; r < nv; r++) {
            row[r] *= x->row == TQ_NONE || x->row == r ? factor : 1.0;
        }
    }
    for (size_t k = 0; k < plant->n_effect; k++) {
        effects[k].ctx = effects[k].ctx == controller ? own : effects[k].ctx;
    }
    return true;
}

/* a disturbance of another size, or other noise; false: the scratch is too small */
static bool disturb(const tq_variations *all, const tq_plant *plant, size_t v, uint64_t id,
                    tq_scratch *scratch, tq_effect *effect)
{
    const tq_disturbance *was = effect->ctx; /* an earlier variation may have changed it */
    const size_t n = row_count(plant, was);
    tq_disturbance *d = tq_scratch_take(scratch, 1, sizeof *d);
    double *size = tq_scratch_take(scratch, n, sizeof *size);
    if (d == NULL || size == NULL) {
        return false;
    }
    const double value = tq_variation_value(all, v, id);
    *d = *was;
    effect->ctx = d;
    if (all->items[v].varied == TQ_VARIED_SEED) {
        d->seed = (uint64_t)value;
        return true;
    }
    for (size_t r = 0; r < n; r++) {
        size[r] = was->size[r] * value;
    }
    d->size = size;
    return true;
}

tq_status tq_member_effects(const tq_variations *all, const tq_plant *plant,
                            const tq_controller *controller, uint64_t id, tq_scratch *scratch,
                            const tq_effect **ret, tq_error *reterr)
{
    const size_t n = plant->n_effect;
    tq_effect *effects = tq_scratch_take(scratch, n, sizeof *effects);
    bool made = effects != NULL;
    if (made) {
        memcpy(effects, plant->effects, n * sizeof *effects);
        made = tune(all, plant, controller, id, scratch, effects);
    }
    for (size_t v = 0; v < all->n && made; v++) {
        if (all->items[v].varied >= TQ_VARIED_SEED) {
            made = disturb(all, plant, v, id, scratch, &effects[all->items[v].row]);
        }
    }
    *ret = effects;
    return made ? TQ_OK
                : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                          (double)tq_member_effects_size(all, plant));
}
