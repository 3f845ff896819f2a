/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path.c - the straight lines between points on links that a tendon follows.
 */
#include "core/dynamics/passive/path.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/joint_motion.h"
#include "core/dynamics/passive/wrap.h"
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

/* The straight lines from one point of the path to the next, or around a solid to the one behind
 * it: two lines that end where they touch it, and an arc between them. */
typedef struct stretch {
    unsigned n;
    const tq_tendon_point *lines[2]; /* each followed by its other end */
    tq_tendon_point room[2][2];
    double arc;
} stretch;

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

/* A point on link l in the frame of link `to`; `meet` carries both. */
static void seen_from(const moment *m, uint32_t to, uint32_t meet, uint32_t l, const double at[3],
                      double ret[3])
{
    const tq_pose pose = pose_from(m, l, meet), frame = pose_from(m, to, meet);
    double d[3];
    tq_mat_vec(pose.r, at, d);
    for (int k = 0; k < 3; k++) {
        d[k] += pose.p[k] - frame.p[k];
    }
    tq_mat_tvec(frame.r, d, ret);
}

/* From `from` around the solid behind it. */
static void lead_around(const moment *m, const tq_tendon_point *from, stretch *ret)
{
    const tq_tendon_point *solid = from + 1;
    double end[2][3], side[3];
    tq_wrap wrap;
    for (int e = 0; e < 2; e++) {
        seen_from(m, solid->link, from[e].meet, from[2 * e].link, from[2 * e].at, end[e]);
    }
    if (solid->has_side) {
        seen_from(m, solid->link, solid->meet_side, solid->side_link, solid->side, side);
    }
    tq_wrap_solve(solid, end, solid->has_side ? side : NULL, &wrap);
    ret->arc = wrap.arc;
    ret->lines[0] = ret->room[0];
    ret->lines[1] = ret->room[1];
    ret->room[0][0] = from[0];
    if (wrap.kind == TQ_WRAP_NONE) {
        ret->n = 1;
        ret->room[0][0].meet = solid->meet_ends;
        ret->room[0][1] = from[2];
        return;
    }
    ret->n = 2;
    ret->room[0][1] = ret->room[1][0] = *solid; /* whose `meet` is with the point behind it */
    ret->room[1][1] = from[2];
    memcpy(ret->room[0][1].at, wrap.touch[0], sizeof wrap.touch[0]);
    memcpy(ret->room[1][0].at, wrap.touch[1], sizeof wrap.touch[1]);
}

/* The stretch that begins at point k. False: none does. */
static bool lead(const moment *m, const tq_tendon *tendon, uint32_t k, stretch *ret)
{
    const tq_tendon_point *from = &m->model->points[tendon->first_point + k];
    if (!(from->weight > 0.0) || from->radius > 0.0) {
        return false;
    }
    if (from[1].radius > 0.0) {
        lead_around(m, from, ret);
    } else {
        ret->n = 1;
        ret->arc = 0.0;
        ret->lines[0] = from;
    }
    return true;
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
    stretch s;
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        if (!lead(&at, tendon, k, &s)) {
            continue;
        }
        double own = s.arc;
        for (unsigned i = 0; i < s.n; i++) {
            line l;
            draw(&at, s.lines[i], &l);
            own += l.length;
        }
        length += s.lines[0]->weight * own;
    }
    return length;
}

double tq_path_rate(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                    const double *qd)
{
    const moment at = {.model = model, .stride = stride, .q = q};
    double rate = 0.0;
    stretch s;
    for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
        const bool any = lead(&at, tendon, k, &s);
        for (unsigned i = 0; any && i < s.n; i++) {
            follow(&at, s.lines[i], qd, &rate, 0.0, NULL);
        }
    }
    return rate;
}

void tq_path_pull(const tq_model *model, const tq_tendon *tendon, size_t stride, const double *q,
                  double tension, double *tau)
{
    const moment at = {.model = model, .stride = stride, .q = q};
    stretch s;
    for (uint32_t k = 0; k + 1 < tendon->n_point && tension != 0.0; k++) {
        const bool any = lead(&at, tendon, k, &s);
        for (unsigned i = 0; any && i < s.n; i++) {
            follow(&at, s.lines[i], NULL, NULL, tension, tau);
        }
    }
}

static void put_forces(const moment *m, const tq_tendon_point *from, double tension,
                       tq_path_force ret[2])
{
    line l;
    draw(m, from, &l);
    for (int e = 0; e < 2; e++) {
        const double pull = (e == 0 ? 1.0 : -1.0) * from->weight * tension;
        const double force[3] = {pull * l.unit[0], pull * l.unit[1], pull * l.unit[2]};
        ret[e].link = from[e].link;
        memcpy(ret[e].at, from[e].at, sizeof ret[e].at);
        tq_mat_tvec(l.pose[e].r, force, ret[e].force);
    }
}

unsigned tq_path_forces(const tq_model *model, const tq_tendon *tendon, size_t stride,
                        const double *q, uint32_t k, double tension, tq_path_force ret[4])
{
    const moment at = {.model = model, .stride = stride, .q = q};
    stretch s;
    if (!lead(&at, tendon, k, &s)) {
        return 0;
    }
    for (size_t i = 0; i < s.n; i++) {
        put_forces(&at, s.lines[i], tension, ret + 2 * i);
    }
    return 2 * s.n;
}
