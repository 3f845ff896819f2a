/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_wrenches.c - second derivatives of the torque of an external
 * wrench along the world's axes. */
#include "core/dynamics/derivatives/second_wrenches.h"

#include "core/dynamics/derivatives/nested.h"
#include "core/spatial/screw.h"

/* The dofs that move the link; returns how many. */
static size_t dofs_of_link(const tq_branches *b, uint32_t link)
{
    const tq_configuration *p = b->at;
    uint32_t joint = p->model->links[link].joint;
    size_t n_mate = 0;
    while (joint != TQ_NONE && p->count[joint] == 0) {
        joint = p->model->links[p->model->joints[joint].parent].joint;
    }
    return joint == TQ_NONE ? 0
                            : tq_branches_climb(b, p->first[joint] + p->count[joint] - 1, &n_mate);
}

static tq_nested nested(const tq_branches *b, uint32_t f, const double point[3], double room[3])
{
    const double *screw = b->at->freedom[f].screw;
    tq_vec_cross(screw + 3, point, room);
    for (unsigned k = 0; k < 3; k++) {
        room[k] += screw[k];
    }
    return (tq_nested){.stage = (int32_t)b->stage[f], .screw = screw, .moved = room};
}

/* f . D_k D_j D_i x + m . D_k D_j w_i, dofs = i, j, k */
static double work_of(const tq_nested dofs[3], const double value[6])
{
    double point[3];
    tq_nested_third(dofs, point);
    double ret = tq_dot3(value, point);
    if (dofs[1].stage <= dofs[0].stage && dofs[2].stage <= dofs[0].stage) {
        const bool last = dofs[2].stage <= dofs[1].stage;
        double axis[3], moved[3];
        tq_vec_cross(dofs[last ? 1 : 2].screw + 3, dofs[0].screw + 3, axis);
        tq_vec_cross(dofs[last ? 2 : 1].screw + 3, axis, moved);
        ret += tq_dot3(value + 3, moved);
    }
    return ret;
}

void tq_second_add_wrench(const tq_branches *b, const tq_point_wrench *wrench, double *dq_dq)
{
    const tq_configuration *p = b->at;
    const tq_pose *pose = &p->pose[wrench->link];
    const size_t nv = p->model->nv, n = dofs_of_link(b, wrench->link);
    double point[3], moved[3][3];
    tq_nested dofs[3];
    tq_mat_vec(pose->r, wrench->at, point);
    for (unsigned k = 0; k < 3; k++) {
        point[k] += pose->p[k];
    }
    for (size_t i = 0; i < n; i++) {
        const tq_freedom *row = &p->freedom[b->above[i]];
        dofs[0] = nested(b, b->above[i], point, moved[0]);
        for (size_t j = 0; j < n; j++) {
            const tq_freedom *first = &p->freedom[b->above[j]];
            dofs[1] = nested(b, b->above[j], point, moved[1]);
            for (size_t k = 0; k < n; k++) {
                const tq_freedom *last = &p->freedom[b->above[k]];
                dofs[2] = nested(b, b->above[k], point, moved[2]);
                dq_dq[(row->row * nv + first->row) * nv + last->row] -=
                    row->factor * first->factor * last->factor * work_of(dofs, wrench->value);
            }
        }
    }
}
