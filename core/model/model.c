/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/model.c - checks a robot description and computes root, order and row indices. */
#include "core/model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/model/finish.h"

/* Maximum deviation from orthonormality; files contain rounded angles, not rounded matrices. */
#define ROTATION_TOLERANCE 1e-9

static uint32_t nq_of(tq_joint_kind kind)
{
    switch (kind) {
    case TQ_JOINT_FIXED:
        return 0;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC:
        return 1;
    case TQ_JOINT_PLANAR:
        return 3;
    case TQ_JOINT_SPHERICAL:
        return 4;
    case TQ_JOINT_FLOATING:
        return 7;
    }
    return 0;
}

uint32_t tq_joint_kind_nv(tq_joint_kind kind)
{
    const uint32_t nq = nq_of(kind);
    return kind == TQ_JOINT_SPHERICAL || kind == TQ_JOINT_FLOATING ? nq - 1 : nq;
}

bool tq_model_has_drag(const tq_model *model)
{
    bool boxes = false;
    if (!(model->medium.density > 0.0) && !(model->medium.viscosity > 0.0)) {
        return false;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        const double *size = model->links[l].drag.size;
        boxes = boxes || size[0] != 0.0 || size[1] != 0.0 || size[2] != 0.0;
    }
    return boxes;
}

size_t tq_model_n_compensated(const tq_model *model)
{
    size_t n = 0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        n += model->links[l].gravity_compensation != 0.0;
    }
    return n;
}

static tq_status check_finite(const double *x, size_t n, const char *what, size_t index,
                              tq_error *reterr)
{
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(x[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, what, index, x[k]);
        }
    }
    return TQ_OK;
}

static tq_status check_joint_numbers(const tq_joint *joint, size_t j, tq_error *reterr)
{
    const tq_friction *fr = &joint->friction;
    const tq_log_law *law = &joint->log_law;
    const double terms[] = {law->friction.viscous,
                            law->friction.coulomb,
                            law->friction.breakaway,
                            law->friction.stribeck_velocity,
                            law->friction.smoothing,
                            law->friction.offset,
                            law->load,
                            law->presliding,
                            law->relaxation,
                            law->inertia,
                            law->jerk,
                            law->delay,
                            law->cutoff,
                            fr->viscous,
                            fr->coulomb,
                            fr->breakaway,
                            fr->stribeck_velocity,
                            fr->smoothing,
                            fr->offset,
                            joint->spring.stiffness,
                            joint->spring.rest,
                            joint->rotor.inertia,
                            joint->rotor.ratio};
    tq_status status = check_finite(joint->origin.r, 9, "joint.origin", j, reterr);
    if (status == TQ_OK) {
        status = check_finite(joint->origin.p, 3, "joint.origin", j, reterr);
    }
    if (status == TQ_OK) {
        status = check_finite(joint->axis, 3, "joint.axis", j, reterr);
    }
    if (status == TQ_OK) {
        status = check_finite(terms, sizeof terms / sizeof *terms, "joint.terms", j, reterr);
    }
    if (status == TQ_OK) {
        status = check_finite(joint->spring.pose, 7, "joint.terms", j, reterr);
    }
    if (status == TQ_OK && joint->mimic != TQ_NONE) {
        const double mimic[] = {joint->mimic_multiplier, joint->mimic_offset};
        status = check_finite(mimic, 2, "joint.mimic", j, reterr);
    }
    return status;
}

static tq_status check_rotation(const double *r, const char *what, size_t j, tq_error *reterr)
{
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            const double dot =
                r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2];
            const double off = dot - (a == b ? 1.0 : 0.0);
            if (!(fabs(off) <= ROTATION_TOLERANCE)) {
                return tq_fail(reterr, TQ_ERR_RANGE, what, j, off);
            }
        }
    }
    const double det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                       r[2] * (r[3] * r[7] - r[4] * r[6]);
    return det > 0.0 ? TQ_OK : tq_fail(reterr, TQ_ERR_RANGE, what, j, det);
}

/* Unit axis, without overflow or underflow. */
static tq_status scale_axis(tq_joint *joint, size_t j, tq_error *reterr)
{
    if (tq_joint_kind_nv(joint->kind) != 1 && joint->kind != TQ_JOINT_PLANAR) {
        return TQ_OK;
    }
    double *axis = joint->axis;
    /* an axis of unit length within rounding keeps its bits: a second call changes nothing */
    if (fabs(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] - 1.0) <= 1e-15) {
        return TQ_OK;
    }
    const double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (!(largest > 0.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "joint.axis", j, 0.0);
    }
    double norm = 0.0;
    for (int k = 0; k < 3; k++) {
        axis[k] /= largest;
        norm += axis[k] * axis[k];
    }
    norm = sqrt(norm);
    for (int k = 0; k < 3; k++) {
        axis[k] /= norm;
    }
    return TQ_OK;
}

static tq_status check_joints(tq_model *model, tq_error *reterr)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_joint *joint = &model->joints[j];
        if (joint->parent >= model->n_link) {
            return tq_fail(reterr, TQ_ERR_TREE, "joint.parent", j, joint->parent);
        }
        if (joint->child >= model->n_link) {
            return tq_fail(reterr, TQ_ERR_TREE, "joint.child", j, joint->child);
        }
        tq_status status = check_joint_numbers(joint, j, reterr);
        if (status == TQ_OK) {
            status = check_rotation(joint->origin.r, "joint.origin", j, reterr);
        }
        if (status == TQ_OK) {
            status = scale_axis(joint, j, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

static tq_status check_drag(const tq_drag_box *box, size_t l, tq_error *reterr)
{
    if (box->size[0] == 0.0 && box->size[1] == 0.0 && box->size[2] == 0.0) {
        return TQ_OK;
    }
    tq_status status = check_finite(box->size, 3, "link.drag", l, reterr);
    for (unsigned k = 0; k < 3 && status == TQ_OK; k++) {
        if (box->size[k] < 0.0) {
            status = tq_fail(reterr, TQ_ERR_RANGE, "link.drag", l, box->size[k]);
        }
    }
    if (status == TQ_OK) {
        status = check_finite(box->at.r, 9, "link.drag", l, reterr);
    }
    if (status == TQ_OK) {
        status = check_finite(box->at.p, 3, "link.drag", l, reterr);
    }
    return status == TQ_OK ? check_rotation(box->at.r, "link.drag", l, reterr) : status;
}

static tq_status check_medium(const tq_medium *medium, tq_error *reterr)
{
    const double x[] = {medium->density, medium->viscosity, medium->velocity[0],
                        medium->velocity[1], medium->velocity[2]};
    const tq_status status = check_finite(x, 5, "medium", 0, reterr);
    for (unsigned k = 0; k < 2 && status == TQ_OK; k++) {
        if (x[k] < 0.0) {
            return tq_fail(reterr, TQ_ERR_RANGE, "medium", 0, x[k]);
        }
    }
    return status;
}

/* what gravity compensation carries of the link */
static tq_status carry(tq_link *link, size_t l, tq_error *reterr)
{
    link->carried_mass = link->gravity_compensation * link->inertia.mass;
    memcpy(link->carried_at, link->inertia.com, sizeof link->carried_at);
    return check_finite(&link->carried_mass, 1, "link.gravity_compensation", l, reterr);
}

static tq_status check_links(const tq_model *model, tq_error *reterr)
{
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_inertia *inertia = &model->links[l].inertia;
        tq_status status = check_finite(&inertia->mass, 1, "link.mass", l, reterr);
        if (status == TQ_OK) {
            status = check_finite(inertia->com, 3, "link.com", l, reterr);
        }
        if (status == TQ_OK) {
            status = check_finite(inertia->about_com, 6, "link.inertia", l, reterr);
        }
        if (status == TQ_OK) {
            status = check_drag(&model->links[l].drag, l, reterr);
        }
        if (status == TQ_OK) {
            status = carry(&model->links[l], l, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
        if (inertia->mass < 0.0) {
            return tq_fail(reterr, TQ_ERR_INERTIA, "link.mass", l, inertia->mass);
        }
    }
    return TQ_OK;
}

/* Each link is the child of at most one joint, and exactly one link of none. */
static tq_status find_root(tq_model *model, tq_error *reterr)
{
    for (uint32_t l = 0; l < model->n_link; l++) {
        model->links[l].joint = TQ_NONE;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_link *child = &model->links[model->joints[j].child];
        if (child->joint != TQ_NONE) {
            return tq_fail(reterr, TQ_ERR_TREE, "link.joint", model->joints[j].child, j);
        }
        child->joint = j;
    }
    model->root = TQ_NONE;
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (model->links[l].joint == TQ_NONE) {
            if (model->root != TQ_NONE) {
                return tq_fail(reterr, TQ_ERR_TREE, "link.root", l, 0.0);
            }
            model->root = l;
        }
    }
    /* n_link joints for n_link links would form a loop, so with n_link - 1 joints a root exists
     * unless one link has two parents, which is an error above */
    return TQ_OK;
}

/* Depth first, children in the user's order, without recursion: the next joint from `after` on
 * whose parent is `link`. Quadratic only for a link with thousands of children. */
static uint32_t next_child(const tq_model *model, uint32_t link, uint32_t after)
{
    for (uint32_t j = after; j < model->n_joint; j++) {
        if (model->joints[j].parent == link) {
            return j;
        }
    }
    return TQ_NONE;
}

static tq_status find_order(tq_model *model, tq_error *reterr)
{
    uint32_t n = 0, link = model->root, from = 0;
    for (;;) {
        const uint32_t j = next_child(model, link, from);
        if (j != TQ_NONE) {
            model->order[n++] = j;
            link = model->joints[j].child;
            from = 0;
        } else if (link == model->root) {
            break;
        } else {
            from = model->links[link].joint + 1;
            link = model->joints[model->links[link].joint].parent;
        }
    }
    if (n == model->n_joint) {
        return TQ_OK;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        uint32_t up = l, steps = 0;
        while (up != model->root && steps++ <= model->n_joint) {
            up = model->joints[model->links[up].joint].parent;
        }
        if (up != model->root) {
            return tq_fail(reterr, TQ_ERR_TREE, "link.loop", l, 0.0);
        }
    }
    return tq_fail(reterr, TQ_ERR_TREE, "link.loop", model->root, 0.0);
}

static tq_status check_mimics(const tq_model *model, tq_error *reterr)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const uint32_t master = joint->mimic;
        if (master == TQ_NONE) {
            continue;
        }
        if (master >= model->n_joint || master == j || model->joints[master].mimic != TQ_NONE ||
            tq_joint_kind_nv(joint->kind) != 1 ||
            tq_joint_kind_nv(model->joints[master].kind) != 1) {
            return tq_fail(reterr, TQ_ERR_TREE, "joint.mimic", j, master);
        }
    }
    return TQ_OK;
}

static void assign_rows(tq_model *model)
{
    model->nq = model->nv = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_joint *joint = &model->joints[j];
        const _Bool owns = joint->mimic == TQ_NONE;
        joint->nq = owns ? nq_of(joint->kind) : 0;
        joint->nv = owns ? tq_joint_kind_nv(joint->kind) : 0;
        joint->q_index = model->nq;
        joint->v_index = model->nv;
        model->nq += joint->nq;
        model->nv += joint->nv;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_joint *joint = &model->joints[j];
        if (joint->mimic != TQ_NONE) {
            joint->q_index = model->joints[joint->mimic].q_index;
            joint->v_index = model->joints[joint->mimic].v_index;
        }
    }
}

tq_status tq_model_finish(tq_model *model, tq_error *reterr)
{
    assert(model != NULL);
    if (model->n_link == 0 || model->n_link > TQ_LINK_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_link", 0, model->n_link);
    }
    if (model->n_joint != model->n_link - 1) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_joint", 0, model->n_joint);
    }
    assert(model->links != NULL);
    assert(model->n_joint == 0 || (model->joints != NULL && model->order != NULL));
    tq_status status = check_finite(model->gravity, 3, "gravity", 0, reterr);
    if (status == TQ_OK) {
        status = check_medium(&model->medium, reterr);
    }
    if (status == TQ_OK) {
        status = check_joints(model, reterr);
    }
    if (status == TQ_OK) {
        status = check_links(model, reterr);
    }
    if (status == TQ_OK) {
        status = find_root(model, reterr);
    }
    if (status == TQ_OK) {
        status = find_order(model, reterr);
    }
    if (status == TQ_OK) {
        status = check_mimics(model, reterr);
    }
    if (status == TQ_OK) {
        status = tq_tendons_check(model, reterr);
    }
    if (status == TQ_OK) {
        assign_rows(model);
    }
    return status;
}
