/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_wraps.c - one stretch of a tendon's path around a solid in world axes,
 * and the freedoms that change its length. */
#include "core/dynamics/passive/path_wraps.h"

#include <string.h>

#include "core/spatial/screw.h"

/* stages of one joint; those of the end are behind all of the solid's */
enum { STAGES = 8, BEHIND = 2 * STAGES * TQ_LINK_MAX };

bool tq_path_has_wraps(const tq_model *model)
{
    for (uint32_t k = 0; k < model->n_point; k++) {
        if (model->points[k].radius > 0.0) {
            return true;
        }
    }
    return false;
}

static void place(const tq_pose *pose, const double at[3], double ret[3])
{
    tq_mat_vec(pose->r, at, ret);
    for (int k = 0; k < 3; k++) {
        ret[k] += pose->p[k];
    }
}

/* into the frame of the link */
static void seen_from(const tq_pose *pose, const double at[3], double ret[3])
{
    const double d[3] = {at[0] - pose->p[0], at[1] - pose->p[1], at[2] - pose->p[2]};
    tq_mat_tvec(pose->r, d, ret);
}

static tq_path_turner *find(tq_path_stretch *s, const tq_freedom *freedom)
{
    for (size_t k = 0; k < s->n_turner; k++) {
        if (s->turners[k].freedom == freedom) {
            return &s->turners[k];
        }
    }
    s->turners[s->n_turner] = (tq_path_turner){.freedom = freedom};
    return &s->turners[s->n_turner++];
}

/* The freedoms from `link` up to `meet`, which move end e at `at` (world), or the solid under it.
 */
static void add_turners(const tq_configuration *p, uint32_t link, uint32_t meet, int e,
                        const double at[3], bool reversed, tq_path_stretch *ret)
{
    const tq_model *model = p->model;
    int32_t up = 0;
    for (; link != meet; up++) {
        const uint32_t joint = model->links[link].joint;
        const bool planar = model->joints[joint].kind == TQ_JOINT_PLANAR;
        for (uint32_t k = 0; k < p->count[joint]; k++) {
            tq_path_turner *t = find(ret, &p->freedom[p->first[joint] + k]);
            const double *screw = t->freedom->screw;
            const double sign = reversed ? -1.0 : 1.0;
            const int32_t number = planar ? (int32_t)k : 0;
            double moved[3];
            tq_vec_cross(screw + 3, at, moved);
            for (int c = 0; c < 3; c++) {
                t->turning[c] = sign * screw[3 + c];
                t->end[e].moved[c] = sign * (screw[c] + moved[c]);
            }
            t->reversed = reversed;
            t->end[e].moves = true;
            t->end[e].stage = reversed ? STAGES * up - number : BEHIND - STAGES * up + number;
        }
        link = model->joints[joint].parent;
    }
}

bool tq_path_stretch_begin(const tq_configuration *posture, const tq_tendon_point *from,
                           tq_path_turner *turners, tq_path_stretch *ret,
                           tq_tendon_point ret_line[2])
{
    const tq_tendon_point *solid = from + 1;
    const tq_pose *pose = &posture->pose[solid->link];
    double centre[3], world[2][3], own[2][3], side[3];
    place(pose, solid->at, centre);
    for (int e = 0; e < 2; e++) {
        place(&posture->pose[from[2 * e].link], from[2 * e].at, world[e]);
        seen_from(pose, world[e], own[e]);
    }
    if (solid->has_side) {
        double at[3];
        place(&posture->pose[solid->side_link], solid->side, at);
        seen_from(pose, at, side);
    }
    tq_wrap_solve(solid, own, solid->has_side ? side : NULL, &ret->wrap);
    if (ret->wrap.kind == TQ_WRAP_NONE) {
        ret_line[0] = from[0];
        ret_line[1] = from[2];
        ret_line[0].meet = solid->meet_ends;
        return false;
    }
    ret->solid = solid;
    ret->weight = from->weight;
    ret->turners = turners;
    ret->n_turner = 0;
    tq_mat_vec(pose->r, solid->axis, ret->axis);
    for (int e = 0; e < 2; e++) {
        const uint32_t meet = from[e].meet;
        for (int k = 0; k < 3; k++) {
            ret->end[e][k] = world[e][k] - centre[k];
        }
        add_turners(posture, from[2 * e].link, meet, e, world[e], false, ret);
        add_turners(posture, solid->link, meet, e, world[e], true, ret);
    }
    return true;
}

/* Whether freedom number a of those that are differentiated by is nearer the solid than number b;
 * of one ball joint the last one turns the axes of the others, reversed the first one. */
static bool is_nearer(const tq_path_turner *const by[3], int e, unsigned a, unsigned b)
{
    const int32_t one = by[a]->end[e].stage, other = by[b]->end[e].stage;
    return one != other ? one < other : (by[a]->reversed ? a < b : a > b);
}

/* w_a x (w_b x D_c x), a b c being those of `mask` from the solid outward; false: 0 */
static bool moved_by(const tq_path_turner *const by[3], unsigned mask, int e, double ret[3])
{
    unsigned order[3] = {0}, n = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned at = n;
        if ((mask >> k & 1u) == 0) {
            continue;
        }
        if (by[k] == NULL || !by[k]->end[e].moves) {
            return false;
        }
        for (; at > 0 && is_nearer(by, e, k, order[at - 1]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
        n++;
    }
    memcpy(ret, by[order[n - 1]]->end[e].moved, 3 * sizeof *ret);
    for (unsigned k = n - 1; k-- > 0;) {
        tq_vec_cross(by[order[k]]->turning, ret, ret);
    }
    return true;
}

tq_jet tq_path_stretch_by(const tq_path_stretch *stretch, const tq_path_turner *const by[3])
{
    tq_jet end[2][3];
    for (int e = 0; e < 2; e++) {
        for (int k = 0; k < 3; k++) {
            end[e][k] = tq_jet_number(stretch->end[e][k]);
        }
        for (unsigned mask = 1; mask < 8; mask++) {
            double moved[3];
            const bool any = moved_by(by, mask, e, moved);
            for (int k = 0; k < 3 && any; k++) {
                end[e][k].c[mask] = moved[k];
            }
        }
    }
    return tq_wrap_length(stretch->solid, &stretch->wrap, stretch->axis, end);
}
