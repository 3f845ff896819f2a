/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/mechanism.c - a model and its canonical form in one block of memory. */
#include "core/model/mechanism.h"

#include <assert.h>
#include <string.h>

#include "core/base/scratch.h"
#include "core/model/layout.h"

/* An array of at least one element, so that a robot without joints needs no special case. */
static size_t cost(size_t n, size_t each)
{
    return tq_scratch_cost(n > 0 ? n : 1, each);
}

static void *take(tq_scratch *memory, size_t n, size_t each)
{
    void *at = tq_scratch_take(memory, n > 0 ? n : 1, each);
    assert(at != NULL); /* tq_mechanism_size counts the same arrays */
    return at;
}

size_t tq_mechanism_size(const tq_model *model)
{
    const size_t n_body = (size_t)tq_canonical_count(model);
    const size_t n_dof = (size_t)tq_canonical_count_freedoms(model);
    const size_t n_carried = tq_model_n_compensated(model) > 0 ? n_body : 0;
    return cost(1, sizeof(tq_mechanism)) + cost(model->n_link, sizeof(tq_link)) +
           cost(model->n_joint, sizeof(tq_joint)) + cost(model->n_joint, sizeof(uint32_t)) +
           cost(model->n_tendon, sizeof(tq_tendon)) +
           cost(model->n_share, sizeof(tq_tendon_share)) +
           cost(model->n_point, sizeof(tq_tendon_point)) +
           cost(n_body, sizeof(tq_canonical_joint)) + cost(n_body, sizeof(tq_canonical_body)) +
           cost(model->n_link, sizeof(tq_canonical_link)) + cost(n_dof, sizeof(int32_t)) +
           cost(n_dof, sizeof(double)) + cost(n_body, sizeof(tq_joint_frame_draft)) +
           cost(n_carried, sizeof(tq_canonical_joint)) + cost(n_carried, sizeof(tq_canonical_body));
}

static void copy_model(const tq_model *model, tq_scratch *memory, tq_model *ret)
{
    *ret = *model;
    ret->links = take(memory, model->n_link, sizeof(tq_link));
    ret->joints = take(memory, model->n_joint, sizeof(tq_joint));
    ret->order = take(memory, model->n_joint, sizeof(uint32_t));
    ret->tendons = take(memory, model->n_tendon, sizeof(tq_tendon));
    ret->shares = take(memory, model->n_share, sizeof(tq_tendon_share));
    ret->points = take(memory, model->n_point, sizeof(tq_tendon_point));
    memcpy(ret->links, model->links, model->n_link * sizeof(tq_link));
    if (model->n_joint > 0) {
        memcpy(ret->joints, model->joints, model->n_joint * sizeof(tq_joint));
        memcpy(ret->order, model->order, model->n_joint * sizeof(uint32_t));
    }
    if (model->n_tendon > 0) {
        memcpy(ret->tendons, model->tendons, model->n_tendon * sizeof(tq_tendon));
    }
    if (model->n_share > 0) {
        memcpy(ret->shares, model->shares, model->n_share * sizeof(tq_tendon_share));
    }
    if (model->n_point > 0) {
        memcpy(ret->points, model->points, model->n_point * sizeof(tq_tendon_point));
    }
}

static void note_terms(tq_mechanism *mechanism)
{
    for (uint32_t j = 0; j < mechanism->model.n_joint; j++) {
        const tq_joint *joint = &mechanism->model.joints[j];
        const _Bool single = tq_joint_kind_nv(joint->kind) == 1;
        const _Bool ball = joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
        if (!single && !ball) {
            continue;
        }
        const tq_friction *f = &joint->friction;
        const _Bool dry = f->coulomb != 0.0 || f->breakaway != 0.0 || f->offset != 0.0;
        const _Bool rotor = joint->rotor.inertia * joint->rotor.ratio != 0.0;
        mechanism->has_friction = mechanism->has_friction || f->viscous != 0.0 || (single && dry);
        mechanism->has_spring = mechanism->has_spring || joint->spring.stiffness != 0.0;
        mechanism->has_rotor = mechanism->has_rotor || rotor;
        mechanism->has_ball_rotor = mechanism->has_ball_rotor || (ball && rotor);
        mechanism->has_ball_terms =
            mechanism->has_ball_terms ||
            (ball && (rotor || f->viscous != 0.0 || joint->spring.stiffness != 0.0));
    }
    for (uint32_t t = 0; t < mechanism->model.n_tendon; t++) {
        const tq_tendon *tendon = &mechanism->model.tendons[t];
        const tq_friction *f = &tendon->friction;
        mechanism->has_friction = mechanism->has_friction || f->viscous != 0.0 ||
                                  f->coulomb != 0.0 || f->breakaway != 0.0 || f->offset != 0.0;
        mechanism->has_spring = mechanism->has_spring || tendon->stiffness != 0.0;
    }
}

static void carry(tq_mechanism *mechanism, tq_scratch *memory)
{
    const tq_canonical *c = &mechanism->canonical;
    const size_t n = (size_t)c->n_body;
    tq_canonical *carried = &mechanism->carried;
    *carried = *c;
    carried->joints = take(memory, n, sizeof *carried->joints);
    carried->bodies = take(memory, n, sizeof *carried->bodies);
    if (n > 0) {
        memcpy(carried->joints, c->joints, n * sizeof *carried->joints);
        memcpy(carried->bodies, c->bodies, n * sizeof *carried->bodies);
    }
    tq_canonical_carried(&mechanism->model, carried);
}

tq_status tq_mechanism_build(const tq_model *model, void *memory, size_t size,
                             const tq_mechanism **ret_mechanism, tq_error *reterr)
{
    assert(model != NULL && memory != NULL && ret_mechanism != NULL);
    const size_t needed = tq_mechanism_size(model);
    if (size < needed) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)needed);
    }
    const size_t n_body = (size_t)tq_canonical_count(model);
    const size_t n_dof = (size_t)tq_canonical_count_freedoms(model);
    tq_scratch region;
    tq_scratch_init(&region, memory, needed);
    tq_mechanism *mechanism = take(&region, 1, sizeof *mechanism);
    *mechanism = (tq_mechanism){0};
    copy_model(model, &region, &mechanism->model);
    tq_canonical *c = &mechanism->canonical;
    *c = (tq_canonical){
        .n_link = (int32_t)model->n_link,
        .nq = (int32_t)model->nq,
        .nv = (int32_t)model->nv,
        .joints = take(&region, n_body, sizeof(tq_canonical_joint)),
        .bodies = take(&region, n_body, sizeof(tq_canonical_body)),
        .links = take(&region, model->n_link, sizeof(tq_canonical_link)),
        .dof_rows = take(&region, n_dof, sizeof(int32_t)),
        .dof_factors = take(&region, n_dof, sizeof(double)),
    };
    tq_joint_frame_draft *limbs = take(&region, n_body, sizeof(tq_joint_frame_draft));
    tq_canonical_merge(&mechanism->model, c, limbs);
    tq_canonical_gauge(c, limbs);
    tq_canonical_inertia(&mechanism->model, c, limbs);
    tq_canonical_faces(c);
    note_terms(mechanism);
    mechanism->has_drag = tq_model_has_drag(&mechanism->model);
    mechanism->n_compensated = tq_model_n_compensated(&mechanism->model);
    if (mechanism->n_compensated > 0) {
        carry(mechanism, &region);
    }
    *ret_mechanism = mechanism;
    return TQ_OK;
}

const tq_model *tq_mechanism_model(const tq_mechanism *mechanism)
{
    assert(mechanism != NULL);
    return &mechanism->model;
}
