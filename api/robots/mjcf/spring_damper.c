/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/spring_damper.c - springs and dampers given by a time constant and a damping
 * ratio: MuJoCo's compiler makes them of the inertia that a joint feels at the reference pose. */
#include <stdlib.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"
#include "core/base/scratch.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/model/mechanism.h"

enum { FREEDOMS_MAX = 512 }; /* M at the reference pose is dense */

static bool is_body(const tqa_mjcf *m, uint32_t i)
{
    return m->nodes[i].owner != TQ_NONE && strcmp(m->nodes[i].name, "body") == 0;
}

bool tqa_mjcf_copy_tree(const tqa_mjcf *m, tq_model *ret)
{
    const tq_model *model = &m->draft->model;
    tqa_arena *arena = m->draft->arena;
    tq_error error = {.what = NULL};
    *ret = *model;
    ret->links = tqa_arena_take(arena, model->n_link, sizeof *ret->links, 16);
    ret->joints = tqa_arena_take(arena, (size_t)model->n_joint + 1, sizeof *ret->joints, 16);
    ret->order = tqa_arena_take(arena, (size_t)model->n_joint + 1, sizeof *ret->order, 16);
    if (ret->links == NULL || ret->joints == NULL || ret->order == NULL) {
        return false;
    }
    memcpy(ret->links, model->links, model->n_link * sizeof *ret->links);
    memcpy(ret->joints, model->joints, model->n_joint * sizeof *ret->joints);
    return tq_model_finish(ret, &error) == TQ_OK;
}

double *tqa_mjcf_coordinates(tqa_mjcf *m, const tq_model *tree, const double *singles)
{
    double *q = tqa_arena_take(m->draft->arena, (size_t)tree->nq + 1, sizeof *q, 16);
    for (uint32_t j = 0; q != NULL && j < tree->n_joint; j++) {
        const tq_joint *joint = &tree->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            q[joint->q_index + k] = joint->nq == 1 ? singles[j] : 0.0;
        }
        if (joint->nq > joint->nv) {
            q[joint->q_index + joint->nq - 4] = 1.0;
        }
    }
    for (uint32_t i = 1; q != NULL && i < m->n_node; i++) {
        const uint32_t link = is_body(m, i) ? m->nodes[i].link : TQ_NONE;
        const uint32_t j = link < tree->n_link ? tree->links[link].joint : TQ_NONE;
        if (j != TQ_NONE && tree->joints[j].kind == TQ_JOINT_FLOATING) {
            const tq_pose pose = tqa_mjcf_body_pose(m, i);
            memcpy(q + tree->joints[j].q_index, pose.p, sizeof pose.p);
            tq_quaternion_of_mat(pose.r, q + tree->joints[j].q_index + 3);
        }
    }
    return q;
}

/* Freedoms of a joint over the trace of its block of M^-1: MuJoCo's dof_invweight0. */
static double felt_inertia(const tq_joint *joint, size_t nv, const double *inverse)
{
    double trace = 0.0;
    for (size_t r = joint->v_index; r < joint->v_index + joint->nv; r++) {
        trace += inverse[r * nv + r];
    }
    return (double)joint->nv / trace;
}

/* stiffness = inertia / (time ratio)^2, damping = 2 inertia / time */
static void apply(tqa_mjcf *m, const tq_model *model, const double *inverse)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const double time = m->spring_dampers[2 * j], ratio = m->spring_dampers[2 * j + 1];
        tq_joint *joint = &m->chain.joints[j];
        if (time > 0.0 && ratio > 0.0) {
            const double inertia = felt_inertia(&model->joints[j], model->nv, inverse);
            joint->spring.stiffness =
                m->set.no_spring ? 0.0 : inertia / (time * time * ratio * ratio);
            joint->friction.viscous = m->set.no_damper ? 0.0 : 2.0 * inertia / time;
        }
    }
}

/* Status TQ_OK: springs and dampers are those of the reference pose. */
static tq_status convert(tqa_mjcf *m, const tq_model *model, const double *q, tq_error *error)
{
    const size_t nv = model->nv, size = tq_mechanism_size(model);
    const tq_mechanism *mechanism = NULL;
    void *home = tqa_arena_take(m->draft->arena, size, 1, 64);
    tq_status status =
        home != NULL ? tq_mechanism_build(model, home, size, &mechanism, error) : TQ_ERR_SCRATCH;
    if (status != TQ_OK) {
        return status;
    }
    const size_t matrix = tq_scratch_cost(nv * nv + 1, sizeof(double));
    const size_t bytes = 2 * matrix + tq_mass_matrix_flat_scratch_size(mechanism);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, bytes);
    if (memory == NULL) {
        return TQ_ERR_SCRATCH;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, bytes);
    double *factor = tq_scratch_take(&scratch, nv * nv + 1, sizeof *factor);
    double *inverse = tq_scratch_take(&scratch, nv * nv + 1, sizeof *inverse);
    status = tq_mass_matrix_flat(mechanism, q, 0, &scratch, factor, error);
    if (status == TQ_OK && tq_mass_matrix_factor(nv, factor) < nv) {
        status = TQ_ERR_SINGULAR;
    }
    if (status == TQ_OK) {
        tq_mass_matrix_invert(nv, factor, inverse);
        apply(m, model, inverse);
    }
    tq_scratch_release(memory, bytes);
    free(memory);
    return status;
}

void tqa_mjcf_convert_spring_dampers(tqa_mjcf *m)
{
    const uint32_t first = m->spring_damper;
    tq_error error = {.what = NULL};
    tq_model model;
    if (first == 0 || !tqa_mjcf_copy_tree(m, &model)) {
        return;
    }
    const double *q = tqa_mjcf_coordinates(m, &model, m->references);
    if (model.nv > FREEDOMS_MAX) {
        tqa_mjcf_fault(m, first, "too-large", "write stiffness and damping instead",
                       "springdamper: read for up to %d freedoms, there are %u", FREEDOMS_MAX,
                       model.nv);
    } else if (q != NULL && convert(m, &model, q, &error) == TQ_ERR_SINGULAR) {
        tqa_mjcf_fault(m, first, "invalid-value", "write stiffness and damping instead",
                       "springdamper: a joint feels no inertia at the reference pose");
    }
}
