/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/points.c - where solids touch or come nearest. */
#include "core/contact/points.h"

#include <math.h>
#include <string.h>

#include "core/geometry/bound.h"
#include "core/geometry/distance.h"

static const tq_geom *not_plane(const tq_geom *a, const tq_geom *b)
{
    return a->kind == TQ_GEOM_HALF_SPACE ? b : b->kind == TQ_GEOM_HALF_SPACE ? a : NULL;
}

/* Number of points of a pair, at most. */
static unsigned most_of(const tq_geom *a, const tq_geom *b)
{
    const tq_geom *solid = not_plane(a, b);
    double corners[TQ_GEOM_CORNERS_MAX][3];
    if (solid != NULL) {
        return tq_geom_corners(solid, &tq_pose_identity, corners);
    }
    return tq_geom_has_manifold(a, b) ? tq_geom_manifold_max(a, b) : 1u;
}

/* Points of all pairs, at most. */
static size_t total_of(const tq_contacts *contacts)
{
    size_t n = 0;
    for (size_t k = 0; k < contacts->n_pair; k++) {
        n +=
            most_of(&contacts->geoms[contacts->pairs[k].a], &contacts->geoms[contacts->pairs[k].b]);
    }
    return n;
}

size_t tq_contact_room(const tq_contacts *contacts)
{
    const size_t n = total_of(contacts), most = contacts->n_pair + TQ_CONTACT_NEAR_MAX;
    return n < most ? n : most;
}

size_t tq_contact_room_active(const tq_contacts *contacts)
{
    const size_t n = total_of(contacts);
    return n < TQ_CONTACT_ACTIVE_MAX ? n : TQ_CONTACT_ACTIVE_MAX;
}

static tq_pose pose_of(const tq_geom *geom, const tq_configuration *at)
{
    return geom->link == TQ_NONE ? geom->pose
                                 : tq_pose_multiply(&at->pose[geom->link], &geom->pose);
}

/* The two solids of a pair. */
typedef struct two {
    const tq_geom *a, *b;
    tq_pose pose_a, pose_b;
} two;

static two two_of(const tq_contacts *contacts, const tq_configuration *at, size_t pair)
{
    two r = {.a = &contacts->geoms[contacts->pairs[pair].a],
             .b = &contacts->geoms[contacts->pairs[pair].b]};
    r.pose_a = pose_of(r.a, at);
    r.pose_b = pose_of(r.b, at);
    return r;
}

static void set_point(const tq_proximity *is, tq_contact_point *ret)
{
    ret->gap = is->distance;
    memcpy(ret->at, is->b, sizeof ret->at);
    tq_mat_third_column(is->normal, ret->frame);
}

/* Of the features in ret->touch. */
static void set_touch(const two *of, tq_contact_point *ret)
{
    tq_proximity is;
    tq_geom_touch(&ret->touch, of->a, &of->pose_a, of->b, &of->pose_b, &is);
    set_point(&is, ret);
}

/* A corner of one solid and the plane z = 0 of the half-space, which is `a` or not. */
static tq_touch corner_touch(bool is_a, const double corner[3])
{
    static const double z[3] = {0.0, 0.0, 1.0};
    tq_touch touch = {.kind = is_a ? TQ_TOUCH_FACE_A : TQ_TOUCH_FACE_B, .weight = 1.0};
    memcpy(is_a ? touch.dir_a : touch.dir_b, z, sizeof z);
    memcpy(is_a ? touch.at_b : touch.at_a, corner, sizeof z);
    return touch;
}

/* Corners of the core of the solid beside a half-space, in its frame. */
static unsigned corners_of(const two *of, double ret[TQ_GEOM_CORNERS_MAX][3])
{
    return tq_geom_corners(not_plane(of->a, of->b), &tq_pose_identity, ret);
}

/* Least gap of all corners. */
static double corner_gap(const two *of)
{
    const bool is_a = of->a->kind == TQ_GEOM_HALF_SPACE;
    double corners[TQ_GEOM_CORNERS_MAX][3];
    const unsigned n = corners_of(of, corners);
    double least = (double)INFINITY;
    for (unsigned k = 0; k < n; k++) {
        const tq_touch touch = corner_touch(is_a, corners[k]);
        tq_proximity is;
        tq_geom_touch(&touch, of->a, &of->pose_a, of->b, &of->pose_b, &is);
        least = fmin(least, is.distance);
    }
    return least;
}

/* Of a pair that is far apart. */
static unsigned set_far(double gap, tq_contact_point *ret)
{
    ret->kind = TQ_CONTACT_NEAREST;
    ret->touch.weight = 1.0;
    ret->gap = gap;
    return 1;
}

/* Every corner of the core against the half-space, unless all are far. */
static unsigned find_corners(const two *of, bool in_full, tq_contact_point *ret)
{
    const bool is_a = of->a->kind == TQ_GEOM_HALF_SPACE;
    const double gap = in_full ? 0.0 : corner_gap(of);
    if (gap > TQ_CONTACT_FAR) {
        return set_far(gap, ret);
    }
    double corners[TQ_GEOM_CORNERS_MAX][3];
    const unsigned n = corners_of(of, corners);
    for (unsigned k = 0; k < n; k++) {
        ret[k].kind = TQ_CONTACT_TOUCH;
        ret[k].touch = corner_touch(is_a, corners[k]);
        set_touch(of, &ret[k]);
    }
    return n;
}

/* While they touch, the points of their manifold; else their nearest. */
static unsigned find_nearest(const two *of, bool in_full, tq_contact_point *ret)
{
    const double apart = in_full ? 0.0 : tq_geom_apart(of->a, &of->pose_a, of->b, &of->pose_b);
    if (apart > TQ_CONTACT_FAR) {
        return set_far(apart, ret);
    }
    tq_touch touches[TQ_MANIFOLD_MAX];
    tq_proximity is;
    tq_geom_distance(of->a, &of->pose_a, of->b, &of->pose_b, &is);
    if (!tq_geom_has_manifold(of->a, of->b) || is.distance > TQ_CONTACT_CLOSED_GAP) {
        ret->kind = TQ_CONTACT_NEAREST;
        ret->touch.weight = 1.0;
        set_point(&is, ret);
        return 1;
    }
    const unsigned n = tq_geom_manifold(of->a, &of->pose_a, of->b, &of->pose_b, &is,
                                        TQ_CONTACT_CLOSED_GAP, touches);
    for (unsigned k = 0; k < n; k++) {
        ret[k].kind = TQ_CONTACT_TOUCH;
        ret[k].touch = touches[k];
        ret[k].apart = is.distance;
        set_touch(of, &ret[k]);
    }
    return n;
}

unsigned tq_contact_find_pair(const tq_contacts *contacts, const tq_configuration *at, size_t pair,
                              bool in_full, tq_contact_point *ret)
{
    const two of = two_of(contacts, at, pair);
    const unsigned most = most_of(of.a, of.b);
    in_full |= contacts->exhaustive;
    for (unsigned i = 0; i < most; i++) {
        ret[i] = (tq_contact_point){.pair = (uint32_t)pair, .number = i};
    }
    return not_plane(of.a, of.b) != NULL ? find_corners(&of, in_full, ret)
                                         : find_nearest(&of, in_full, ret);
}

size_t tq_contact_find(const tq_contacts *contacts, const tq_configuration *at, size_t room,
                       tq_contact_point *ret)
{
    size_t n = 0;
    for (size_t k = 0; k < contacts->n_pair; k++) {
        const tq_contact_pair *pair = &contacts->pairs[k];
        if (n + most_of(&contacts->geoms[pair->a], &contacts->geoms[pair->b]) > room) {
            return room + 1;
        }
        n += tq_contact_find_pair(contacts, at, k, false, ret + n);
    }
    return n;
}

/* The frame whose normal is n: that of `from` by the least rotation. */
static void carry_frame(const double *from, const double n[3], double *ret)
{
    double t[3];
    double dot = 0.0;
    for (unsigned i = 0; i < 3; i++) {
        dot += from[3 * i] * n[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        t[i] = from[3 * i] - dot * n[i];
    }
    const double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    if (!(length > 0.5)) { /* the normal turned by more than 60 degrees */
        tq_mat_third_column(n, ret);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        ret[3 * i] = t[i] / length;
        ret[3 * i + 1] = (n[j] * t[k] - n[k] * t[j]) / length;
        ret[3 * i + 2] = n[i];
    }
}

void tq_contact_follow(const tq_contacts *contacts, const tq_configuration *at,
                       const tq_contact_point *from, tq_contact_point *ret)
{
    *ret = *from;
    const two of = two_of(contacts, at, from->pair);
    tq_proximity is;
    if (from->kind == TQ_CONTACT_TOUCH) {
        tq_geom_touch(&from->touch, of.a, &of.pose_a, of.b, &of.pose_b, &is);
    } else {
        tq_geom_distance(of.a, &of.pose_a, of.b, &of.pose_b, &is);
    }
    ret->gap = is.distance;
    memcpy(ret->at, is.b, sizeof ret->at);
    carry_frame(from->frame, is.normal, ret->frame);
}

double tq_contact_apart(const tq_contacts *contacts, const tq_configuration *at, size_t pair)
{
    const two of = two_of(contacts, at, pair);
    return not_plane(of.a, of.b) != NULL ? corner_gap(&of)
           : contacts->exhaustive        ? -(double)INFINITY
                                         : tq_geom_apart(of.a, &of.pose_a, of.b, &of.pose_b);
}

double tq_contact_distance(const tq_contacts *contacts, const tq_configuration *at, size_t pair)
{
    const two of = two_of(contacts, at, pair);
    tq_proximity is;
    if (not_plane(of.a, of.b) != NULL) {
        return corner_gap(&of);
    }
    tq_geom_distance(of.a, &of.pose_a, of.b, &of.pose_b, &is);
    return is.distance;
}

/* rows += sign * frame^T (velocity Jacobian of the link's point) */
static void add_link(const tq_configuration *at, uint32_t link, const tq_contact_point *point,
                     double sign, double *work, double *rows)
{
    if (link == TQ_NONE) {
        return;
    }
    const size_t nv = at->model->nv;
    const tq_pose *pose = &at->pose[link];
    const double d[3] = {point->at[0] - pose->p[0], point->at[1] - pose->p[1],
                         point->at[2] - pose->p[2]};
    double local[3];
    tq_mat_tvec(pose->r, d, local);
    tq_configuration_jacobian(at, link, local, TQ_JACOBIAN_WORLD_ALIGNED, work, NULL);
    static const unsigned column[3] = {2, 0, 1}; /* normal first */
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < nv; c++) {
            double sum = 0.0;
            for (size_t i = 0; i < 3; i++) {
                sum += point->frame[3 * i + column[r]] * work[i * nv + c];
            }
            rows[r * nv + c] += sign * sum;
        }
    }
}

void tq_contact_rows(const tq_contacts *contacts, const tq_configuration *at,
                     const tq_contact_point *point, double *work, double *ret)
{
    const tq_contact_pair *pair = &contacts->pairs[point->pair];
    memset(ret, 0, 3 * (size_t)at->model->nv * sizeof *ret);
    add_link(at, contacts->geoms[pair->b].link, point, 1.0, work, ret);
    add_link(at, contacts->geoms[pair->a].link, point, -1.0, work, ret);
}

static void add_turn(const tq_configuration *at, uint32_t link, double sign, double *work,
                     double *rows)
{
    static const double origin[3] = {0.0};
    const size_t nv = at->model->nv;
    if (link == TQ_NONE) {
        return;
    }
    tq_configuration_jacobian(at, link, origin, TQ_JACOBIAN_WORLD_ALIGNED, work, NULL);
    for (size_t k = 0; k < 3 * nv; k++) {
        rows[k] += sign * work[3 * nv + k];
    }
}

void tq_contact_turns(const tq_contacts *contacts, const tq_configuration *at,
                      const tq_contact_point *point, double *work, double *ret)
{
    const tq_contact_pair *pair = &contacts->pairs[point->pair];
    memset(ret, 0, 3 * (size_t)at->model->nv * sizeof *ret);
    add_turn(at, contacts->geoms[pair->b].link, 1.0, work, ret);
    add_turn(at, contacts->geoms[pair->a].link, -1.0, work, ret);
}

static double size_of(const tq_geom *geom)
{
    const double *half = geom->hull != NULL ? geom->hull->half : geom->half;
    return geom->kind == TQ_GEOM_HALF_SPACE
               ? (double)INFINITY
               : geom->radius + sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

double tq_contact_reach(const tq_contacts *contacts, size_t pair)
{
    const tq_contact_pair *is = &contacts->pairs[pair];
    return fmin(size_of(&contacts->geoms[is->a]), size_of(&contacts->geoms[is->b]));
}

void tq_contact_to_world(const tq_contact_point *point, const double local[3], double ret[3])
{
    for (size_t i = 0; i < 3; i++) {
        const double *row = point->frame + 3 * i;
        ret[i] = row[2] * local[0] + row[0] * local[1] + row[1] * local[2];
    }
}

size_t tq_contact_gap_scratch_size(const tq_model *model)
{
    return tq_configuration_scratch_size(model) +
           tq_scratch_cost(TQ_CONTACT_PAIR_POINTS, sizeof(tq_contact_point));
}

tq_status tq_contact_gaps(const tq_contacts *contacts, const tq_model *model, const double *q,
                          tq_scratch *scratch, double *ret_gap, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_contact_point *points = tq_scratch_take(scratch, TQ_CONTACT_PAIR_POINTS, sizeof *points);
    tq_configuration at;
    if (points == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_contact_gap_scratch_size(model));
    }
    const tq_status status = tq_configuration_compute(model, q, NULL, scratch, &at, reterr);
    for (size_t k = 0; status == TQ_OK && k < contacts->n_pair; k++) {
        const unsigned n = tq_contact_find_pair(contacts, &at, k, true, points);
        ret_gap[k] = points[0].gap;
        for (unsigned i = 1; i < n; i++) {
            ret_gap[k] = fmin(ret_gap[k], points[i].gap);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The effect
 */

static size_t n_state(const tq_contacts *contacts)
{
    return TQ_CONTACT_SUMS + TQ_CONTACT_OF_PAIR * contacts->n_pair +
           TQ_CONTACT_OF_POINT * tq_contact_room_active(contacts);
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_contacts *contacts = ctx;
    const size_t n = n_state(contacts);
    memset(to->zd, 0, n * at->stride * sizeof *to->zd);
    return TQ_OK;
}

tq_effect tq_contact_effect(tq_contacts *contacts)
{
    return (tq_effect){.ctx = contacts, .n_z = n_state(contacts), .act = act, .timeless = 1};
}

size_t tq_contact_z(const tq_plant *plant)
{
    size_t z = 0;
    for (size_t k = 0; k < plant->n_effect && plant->effects[k].act != act; k++) {
        z += plant->effects[k].n_z;
    }
    return z;
}
