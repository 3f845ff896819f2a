/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path.c - the straight lines between points on links that a tendon follows.
 */
#include "core/dynamics/passive/path.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/joint_motion.h"
#include "core/spatial/screw.h"

enum { FREEDOMS = 6 };

/* One sample. */
typedef struct moment {
    const tq_model *model;
    size_t stride;
    const double *q;
} moment;

/* From end 0 to end 1, in the frame of the link that carries both. */
typedef struct line {
    tq_pose pose[2]; /* of the links of the ends */
    double at[2][3];
    double unit[3]; /* all 0: the ends coincide */
    double length;
} line;

/* Freedoms of a joint in that frame: a direction, or an axis through `through`. */
typedef struct motions {
    uint32_t n;
    double axis[FREEDOMS][3];
    bool turns[FREEDOMS];
    double through[3];
} motions;

static tq_pose pose_from(const moment *at, uint32_t link, uint32_t carrier)
{
    const tq_model *model = at->model;
    tq_pose ret = tq_pose_identity;
    while (link != carrier) {
        const tq_joint *joint = &model->joints[model->links[link].joint];
        const tq_pose own = tq_joint_place(joint, at->stride, at->q);
        ret = tq_pose_multiply(&own, &ret);
        link = joint->parent;
    }
    return ret;
}

/* The line that begins at `from`. */
static void draw(const moment *at, const tq_tendon_point *from, line *ret)
{
    double square = 0.0;
    for (int e = 0; e < 2; e++) {
        ret->pose[e] = pose_from(at, from[e].link, from->meet);
        tq_mat_vec(ret->pose[e].r, from[e].at, ret->at[e]);
        for (int k = 0; k < 3; k++) {
            ret->at[e][k] += ret->pose[e].p[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        ret->unit[k] = ret->at[1][k] - ret->at[0][k];
        square += ret->unit[k] * ret->unit[k];
    }
    ret->length = sqrt(square);
    for (int k = 0; k < 3; k++) {
        ret->unit[k] = ret->length < TQ_PATH_LEAST ? 0.0 : ret->unit[k] / ret->length;
    }
}

/* of the joint whose child is at `child` and its parent at `parent` */
static void motions_of(const tq_joint *joint, const tq_pose *child, const tq_pose *parent,
                       motions *ret)
{
    double plane[9], inside[3];
    ret->n = tq_joint_kind_nv(joint->kind);
    memcpy(ret->through, child->p, sizeof ret->through);
    for (uint32_t k = 0; k < ret->n; k++) {
        for (int c = 0; c < 3; c++) { /* of a ball: the child's own axes */
            ret->axis[k][c] = child->r[3 * (size_t)c + k % 3];
        }
        ret->turns[k] = ret->n != 6 || k >= 3;
    }
    if (ret->n == 1) {
        tq_mat_vec(child->r, joint->axis, ret->axis[0]);
        ret->turns[0] = joint->kind != TQ_JOINT_PRISMATIC;
    } else if (joint->kind == TQ_JOINT_PLANAR) {
        tq_mat_third_column(joint->axis, plane);
        for (uint32_t k = 0; k < 3; k++) {
            const double own[3] = {plane[k], plane[3 + k], plane[6 + k]};
            tq_mat_vec(joint->origin.r, own, inside);
            tq_mat_vec(parent->r, inside, ret->axis[k]);
            ret->turns[k] = k == 2;
        }
    }
}

/* growth of the line by freedom k, of which the end at `end` feels `sign` */
static double growth(const motions *by, uint32_t k, const double *end, const double *unit,
                     double sign)
{
    double arm[3], moved[3];
    if (!by->turns[k]) {
        return sign * tq_dot3(unit, by->axis[k]);
    }
    for (int c = 0; c < 3; c++) {
        arm[c] = end[c] - by->through[c];
    }
    tq_vec_cross(by->axis[k], arm, moved);
    return sign * tq_dot3(unit, moved);
}

/* Adds to *rate (qd not NULL) what the line adds to it, and to tau (not NULL) what `tension` pulls
 * along it. */
static void follow(const moment *at, const tq_tendon_point *from, const double *qd, double *rate,
                   double tension, double *tau)
{
    const tq_model *model = at->model;
    line l;
    draw(at, from, &l);
    for (int e = 0; e < 2; e++) {
        tq_pose child = l.pose[e];
        for (uint32_t link = from[e].link; link != from->meet;) {
            const tq_joint *joint = &model->joints[model->links[link].joint];
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            tq_pose parent = tq_joint_place(joint, at->stride, at->q);
            motions by;
            parent = tq_pose_inverse(&parent);
            parent = tq_pose_multiply(&child, &parent);
            motions_of(joint, &child, &parent, &by);
            for (uint32_t k = 0; k < by.n; k++) {
                const size_t row = (joint->v_index + k) * at->stride;
                const double slope =
                    from->weight * factor * growth(&by, k, l.at[e], l.unit, e == 0 ? -1.0 : 1.0);
                if (qd != NULL) {
                    *rate += slope * qd[row];
                }
                if (tau != NULL) {
                    tau[row] += slope * tension;
                }
            }
            child = parent;
            link = joint->parent;
        }
    }
}

double tq_path_length(const tq_model *model, const tq_tendon *tendon, size_t stride,
                      const double *q)
{
    const moment at = {.model = model, .stride = stride, .q = q};
    double length = 0.0;
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const tq_tendon_point *from = &model->points[tendon->first_point + k];
        line l;
        if (from->weight > 0.0) {
            draw(&at, from, &l);
            length += from->weight * l.length;
        }
    }
    return length;
}

double tq_path_rate(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    const double *qd)
{
    const moment at = {.model = model, .stride = stride, .q = q};
    double rate = 0.0;
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const tq_tendon_point *from = &model->points[tendon->first_point + k];
        if (from->weight > 0.0) {
            follow(&at, from, qd, &rate, 0.0, NULL);
        }
    }
    return rate;
}

void tq_path_pull(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                  double tension, double *tau)
{
    const moment at = {.model = model, .stride = stride, .q = q};
    for (uint32_t k = 0; k + 1 < tendon->n_point && tension != 0.0; k++) {
        const tq_tendon_point *from = &model->points[tendon->first_point + k];
        if (from->weight > 0.0) {
            follow(&at, from, NULL, NULL, tension, tau);
        }
    }
}

bool tq_path_forces(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    uint32_t k, double tension, tq_path_force ret[2])
{
    const moment at = {.model = model, .stride = stride, .q = q};
    const tq_tendon_point *from = &model->points[tendon->first_point + k];
    line l;
    if (!(from->weight > 0.0)) {
        return false;
    }
    draw(&at, from, &l);
    for (int e = 0; e < 2; e++) {
        const double pull = (e == 0 ? 1.0 : -1.0) * from->weight * tension;
        const double force[3] = {pull * l.unit[0], pull * l.unit[1], pull * l.unit[2]};
        ret[e].link = from[e].link;
        memcpy(ret[e].at, from[e].at, sizeof ret[e].at);
        tq_mat_tvec(l.pose[e].r, force, ret[e].force);
    }
    return true;
}
