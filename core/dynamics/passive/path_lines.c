/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_lines.c - one line of a tendon's path in world axes, and the freedoms
 * that move its ends. */
#include "core/dynamics/passive/path_lines.h"

#include <math.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/passive/path.h"
#include "core/spatial/screw.h"

bool tq_path_draw(const tq_configuration *p, const tq_tendon_point *from, tq_path_line *ret)
{
    double square = 0.0;
    for (int e = 0; e < 2; e++) {
        const tq_pose *pose = &p->pose[from[e].link];
        tq_mat_vec(pose->r, from[e].at, ret->at[e]);
        for (int k = 0; k < 3; k++) {
            ret->at[e][k] += pose->p[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        ret->unit[k] = ret->at[1][k] - ret->at[0][k];
        square += ret->unit[k] * ret->unit[k];
    }
    ret->length = sqrt(square);
    ret->weight = from->weight;
    if (ret->length < TQ_PATH_LEAST) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        ret->unit[k] /= ret->length;
    }
    return true;
}

size_t tq_path_movers(const tq_configuration *p, const tq_tendon_point *from, const tq_path_line *l,
                      tq_path_mover *ret)
{
    const tq_model *model = p->model;
    size_t n = 0;
    for (uint32_t e = 0; e < 2; e++) {
        uint32_t up = 0;
        for (uint32_t link = from[e].link; link != from->meet; up++) {
            const uint32_t joint = model->links[link].joint;
            for (uint32_t k = 0; k < p->count[joint]; k++) {
                tq_path_mover *m = &ret[n++];
                *m = (tq_path_mover){
                    .freedom = &p->freedom[p->first[joint] + k], .number = k, .end = e, .up = up};
                tq_vec_cross(m->freedom->screw + 3, l->at[e], m->moved);
                for (int c = 0; c < 3; c++) {
                    m->moved[c] += m->freedom->screw[c];
                }
                m->growth = (e == 0 ? -1.0 : 1.0) * tq_dot3(l->unit, m->moved);
            }
            link = model->joints[joint].parent;
        }
    }
    return n;
}

/* Whether `by` moves the direction in which `what` moves the same end. */
static bool carries(const tq_model *model, const tq_path_mover *by, const tq_path_mover *what)
{
    return by->freedom->joint == what->freedom->joint
               ? tq_freedom_carries(&model->joints[by->freedom->joint], by->number, what->number)
               : by->up > what->up;
}

double tq_path_bend(const tq_model *model, const tq_path_line *l, const tq_path_mover *row,
                    const tq_path_mover *column)
{
    const double sign = row->end == column->end ? 1.0 : -1.0;
    double ret =
        (sign * tq_dot3(row->moved, column->moved) - row->growth * column->growth) / l->length;
    if (row->end == column->end) {
        double turned[3];
        const bool carried = carries(model, column, row);
        const tq_path_mover *outer = carried ? column : row, *inner = carried ? row : column;
        tq_vec_cross(outer->freedom->screw + 3, inner->moved, turned);
        ret += (row->end == 0 ? -1.0 : 1.0) * tq_dot3(l->unit, turned);
    }
    return ret;
}
