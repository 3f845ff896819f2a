/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/merge.c - canonical form, step 1: bodies from links, elementary joints from joints. */
#include <assert.h>

#include "core/model/canonical.h"
#include "core/model/model.h"

int32_t tq_canonical_count_freedoms(const tq_model *model)
{
    int32_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        n += (int32_t)tq_joint_kind_nv(model->joints[j].kind);
    }
    return n;
}

int32_t tq_canonical_count(const tq_model *model)
{
    int32_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        switch (model->joints[j].kind) {
        case TQ_JOINT_FIXED:
            break;
        case TQ_JOINT_PLANAR:
            n += 3;
            break;
        case TQ_JOINT_REVOLUTE:
        case TQ_JOINT_CONTINUOUS:
        case TQ_JOINT_PRISMATIC:
        case TQ_JOINT_SPHERICAL:
        case TQ_JOINT_FLOATING:
            n += 1;
            break;
        }
    }
    return n;
}

/* Appends one body; the caller sets row numbers, kind and axis. */
static tq_canonical_joint *append(tq_canonical *c, tq_joint_frame_draft *limbs, int32_t parent,
                                  tq_pose at)
{
    const int32_t i = c->n_body++;
    c->joints[i] = (tq_canonical_joint){
        .parent = parent,
        .ball = -1,
        .multiplier = 1.0,
        .depth = parent < 0 ? 0 : c->joints[parent].depth + 1,
    };
    limbs[i] = (tq_joint_frame_draft){.at = at};
    return &c->joints[i];
}

static void append_planar(tq_canonical *c, tq_joint_frame_draft *limbs, int32_t parent, tq_pose at,
                          const tq_joint *joint)
{
    double z[9];
    tq_mat_third_column(joint->axis, z);
    for (int k = 0; k < 3; k++) {
        tq_canonical_joint *part = append(c, limbs, parent, k == 0 ? at : tq_pose_identity);
        part->kind = k < 2 ? TQ_CANONICAL_PRISMATIC : TQ_CANONICAL_REVOLUTE;
        part->q_row = (int32_t)joint->q_index + k;
        part->v_row = (int32_t)joint->v_index + k;
        parent = c->n_body - 1;
        for (int row = 0; row < 3; row++) {
            limbs[parent].axis[row] = z[3 * row + k];
        }
    }
}

static void append_single(tq_canonical *c, tq_joint_frame_draft *limbs, int32_t parent, tq_pose at,
                          const tq_joint *joint)
{
    tq_canonical_joint *part = append(c, limbs, parent, at);
    const _Bool slides = joint->kind == TQ_JOINT_PRISMATIC;
    part->kind = slides ? TQ_CANONICAL_PRISMATIC : TQ_CANONICAL_REVOLUTE;
    part->q_row = (int32_t)joint->q_index;
    part->v_row = (int32_t)joint->v_index;
    part->rotor = joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
    if (joint->mimic != TQ_NONE) {
        part->is_mimic = 1;
        part->multiplier = joint->mimic_multiplier;
        *(slides ? &part->d : &part->q0) = joint->mimic_offset;
        c->has_mimic = 1;
    }
    for (int k = 0; k < 3; k++) {
        limbs[c->n_body - 1].axis[k] = joint->axis[k];
    }
}

static void append_ball(tq_canonical *c, tq_joint_frame_draft *limbs, int32_t parent, tq_pose at,
                        const tq_joint *joint)
{
    tq_canonical_joint *part = append(c, limbs, parent, at);
    part->kind = joint->kind == TQ_JOINT_SPHERICAL ? TQ_CANONICAL_SPHERICAL : TQ_CANONICAL_FLOATING;
    part->q_row = (int32_t)joint->q_index;
    part->v_row = (int32_t)joint->v_index;
    part->ball = c->n_ball++;
}

/* Numbers dofs, finds ends of subtrees and neighbours, and which joints share a row with a later
 * body. */
static void link_bodies(tq_canonical *c)
{
    for (int32_t i = 0; i < c->n_body; i++) {
        tq_canonical_joint *k = &c->joints[i];
        k->dof = c->n_dof;
        for (int32_t f = 0; f < tq_canonical_freedoms(k->kind); f++) {
            c->dof_rows[c->n_dof] = k->v_row + f;
            c->dof_factors[c->n_dof++] = k->multiplier;
        }
    }
    for (int32_t i = c->n_body - 1; i >= 0; i--) {
        tq_canonical_joint *k = &c->joints[i];
        k->last = k->last > i ? k->last : i;
        k->parent_is_previous = k->parent >= 0 && k->parent == i - 1;
        k->next_is_child = i + 1 < c->n_body && c->joints[i + 1].parent == i;
        if (k->parent >= 0) {
            tq_canonical_joint *parent = &c->joints[k->parent];
            parent->last = parent->last > k->last ? parent->last : k->last;
            parent->has_branch = parent->has_branch || !k->parent_is_previous;
        }
    }
    for (int32_t i = 0; c->has_mimic && i < c->n_body; i++) {
        for (int32_t later = i + 1; later < c->n_body && !c->joints[i].accumulates_tau; later++) {
            c->joints[i].accumulates_tau = c->joints[later].v_row == c->joints[i].v_row;
        }
    }
}

/* Properties of the robot as a whole for kernels of matrices over all dofs. */
static void judge_columns(tq_canonical *c)
{
    enum { SIDE = 8, WORTH = 2 }; /* minimum average of columns per vector for side_by_side */
    int64_t n_column = 0, n_group = 0;
    c->rows_ascend = 1;
    for (int32_t i = 0; i < c->n_body; i++) {
        const tq_canonical_joint *k = &c->joints[i], *last = &c->joints[k->last];
        if (k->parent < 0) {
            continue;
        }
        const tq_canonical_joint *up = &c->joints[k->parent];
        const int32_t before = up->dof + tq_canonical_freedoms(up->kind) - 1;
        const int32_t last_dof = last->dof + tq_canonical_freedoms(last->kind) - 1;
        c->rows_ascend = c->rows_ascend && c->dof_rows[before] < c->dof_rows[k->dof];
        n_column += last_dof - k->dof + 1;
        n_group += last_dof / SIDE - k->dof / SIDE + 1;
    }
    c->side_by_side = n_column > WORTH * n_group;
}

void tq_canonical_merge(const tq_model *model, tq_canonical *c, tq_joint_frame_draft *limbs)
{
    c->links[model->root] =
        (tq_canonical_link){.body = -1, .column = -1, .in_body = tq_pose_identity};
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[model->order[k]];
        const tq_canonical_link *parent = &c->links[joint->parent];
        const tq_pose at = tq_pose_multiply(&parent->in_body, &joint->origin);
        switch (joint->kind) {
        case TQ_JOINT_FIXED:
            c->links[joint->child] =
                (tq_canonical_link){.body = parent->body, .column = (int32_t)k, .in_body = at};
            continue;
        case TQ_JOINT_PLANAR:
            append_planar(c, limbs, parent->body, at, joint);
            break;
        case TQ_JOINT_SPHERICAL:
        case TQ_JOINT_FLOATING:
            append_ball(c, limbs, parent->body, at, joint);
            break;
        case TQ_JOINT_REVOLUTE:
        case TQ_JOINT_CONTINUOUS:
        case TQ_JOINT_PRISMATIC:
            append_single(c, limbs, parent->body, at, joint);
            break;
        }
        c->bodies[c->n_body - 1].joint = model->order[k];
        c->links[joint->child] = (tq_canonical_link){
            .body = c->n_body - 1, .column = (int32_t)k, .in_body = tq_pose_identity};
    }
    assert(c->n_body == tq_canonical_count(model));
    link_bodies(c);
    judge_columns(c);
}
