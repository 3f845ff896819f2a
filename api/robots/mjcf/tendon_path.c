/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/tendon_path.c - the path of a <spatial> tendon: from site to site, around spheres
 * and cylinders between them, in branches behind pulleys. */
#include <string.h>

#include "api/robots/mjcf/parts.h"
#include "core/dynamics/passive/tendons.h"

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

/* The site or geom of that name, in a body; TQ_NONE with a fault. */
static uint32_t find(tqa_mjcf *m, uint32_t i, const char *element, const char *name)
{
    m->cost += m->n_node;
    if (m->cost > TQA_MJCF_COST_MAX) {
        tqa_mjcf_fault(m, i, "too-large", "fewer or shorter tendons",
                       "the paths of tendons have too many sites");
        return TQ_NONE;
    }
    for (uint32_t k = 1; k < m->n_node && name != NULL; k++) {
        const uint32_t owner = m->nodes[k].owner;
        const char *own = owner != TQ_NONE && is(m, k, element) ? tqa_mjcf_get(m, k, "name") : NULL;
        if (own != NULL && strcmp(own, name) == 0 && m->nodes[owner].link != TQ_NONE) {
            return k;
        }
    }
    tqa_mjcf_fault(m, i, "unknown-name",
                   element[0] == 's' ? "name a <site> of a body" : "name a <geom> of a body",
                   "there is no %s \"%.80s\"", element, name != NULL ? name : "");
    return TQ_NONE;
}

/* From the frames around an element into that of its link. */
static void into_link(const tqa_mjcf *m, uint32_t i, const double at[3], uint32_t *ret_link,
                      double ret[3])
{
    *ret_link = m->nodes[m->nodes[i].owner].link;
    tq_mat_vec(m->nodes[i].at.r, at, ret);
    for (int k = 0; k < 3; k++) {
        ret[k] += m->nodes[i].at.p[k];
    }
}

/* fromto: a site is in the middle */
static bool read_site(tqa_mjcf *m, uint32_t i, const char *key, uint32_t *ret_link, double ret[3])
{
    const uint32_t site = find(m, i, "site", tqa_mjcf_get(m, i, key));
    double half = 0.0;
    tq_pose pose;
    if (site == TQ_NONE) {
        return false;
    }
    tqa_mjcf_pose(m, site, &pose);
    (void)tqa_mjcf_ends(m, site, &pose, &half);
    into_link(m, site, pose.p, ret_link, ret);
    return true;
}

static bool add_site(tqa_mjcf *m, uint32_t i, double weight, tqa_tendon_parts *ret)
{
    tq_tendon_point *point = &ret->points[ret->n_point++];
    *point = (tq_tendon_point){.weight = weight};
    return read_site(m, i, "site", &point->link, point->at);
}

/* Where the path is before a geom: at a site, behind which no pulley ends it. */
static bool is_between_sites(tqa_mjcf *m, uint32_t i, const tqa_tendon_parts *path)
{
    const uint32_t next = m->nodes[i].end;
    const tq_tendon_point *before = path->n_point > 0 ? &path->points[path->n_point - 1] : NULL;
    const bool between = before != NULL && before->radius == 0.0 && before->weight > 0.0 &&
                         next < m->nodes[m->nodes[i].parent].end && is(m, next, "site");
    if (!between) {
        tqa_mjcf_fault(m, i, "invalid-robot", "write a <site> before and behind it",
                       "a geom that the tendon wraps around must be between two sites");
    }
    return between;
}

static bool add_geom(tqa_mjcf *m, uint32_t i, double weight, tqa_tendon_parts *ret)
{
    const uint32_t geom =
        is_between_sites(m, i, ret) ? find(m, i, "geom", tqa_mjcf_get(m, i, "geom")) : TQ_NONE;
    tq_tendon_point *point = &ret->points[ret->n_point];
    double size[3] = {0.0}, half = 0.0;
    tq_pose pose;
    if (geom == TQ_NONE) {
        return false;
    }
    const char *type = tqa_mjcf_get(m, geom, "type");
    const bool sphere = type == NULL || strcmp(type, "sphere") == 0;
    *point = (tq_tendon_point){.weight = weight};
    (void)tqa_mjcf_numbers(m, geom, "size", 1, 3, size);
    if (!(sphere || strcmp(type, "cylinder") == 0) || tqa_mjcf_get(m, geom, "mesh") != NULL ||
        !(size[0] > 0.0)) {
        tqa_mjcf_fault(m, i, "invalid-value", "name a sphere or a cylinder, with its size",
                       "a tendon does not wrap around geom \"%.80s\"", tqa_mjcf_get(m, i, "geom"));
        return false;
    }
    tqa_mjcf_pose(m, geom, &pose);
    (void)tqa_mjcf_ends(m, geom, &pose, &half);
    into_link(m, geom, pose.p, &point->link, point->at);
    point->radius = size[0];
    if (!sphere) {
        const double axis[3] = {pose.r[2], pose.r[5], pose.r[8]};
        tq_mat_vec(m->nodes[geom].at.r, axis, point->axis);
    }
    point->has_side = tqa_mjcf_get(m, i, "sidesite") != NULL;
    ret->n_point++;
    return !point->has_side || read_site(m, i, "sidesite", &point->side_link, point->side);
}

/* What follows has 1 / divisor of its length, and begins anew. */
static bool add_pulley(tqa_mjcf *m, uint32_t i, double *weight, tqa_tendon_parts *ret)
{
    double divisor = 0.0;
    (void)tqa_mjcf_numbers(m, i, "divisor", 1, 1, &divisor);
    if (!(divisor > 0.0)) {
        tqa_mjcf_fault(m, i, "range", "write divisor=\"2\" or another number above 0",
                       "a pulley of divisor %g", divisor);
        return false;
    }
    *weight = 1.0 / divisor;
    if (ret->n_point > 0) {
        ret->points[ret->n_point - 1].weight = 0.0;
    }
    return true;
}

static bool make_rest(tqa_mjcf *m, tqa_mjcf_rest *ret)
{
    if (ret->q == NULL && tqa_mjcf_copy_tree(m, &ret->tree)) {
        ret->q = tqa_mjcf_coordinates(m, &ret->tree, m->spring_references);
    }
    return ret->q != NULL;
}

/* Of a path that the checks of all formats refuse 0. */
static double length_at(tqa_mjcf_rest *rest, const tqa_tendon_parts *path)
{
    tq_tendon tendon = {.n_point = path->n_point};
    tq_model *tree = &rest->tree;
    tree->n_tendon = 1;
    tree->tendons = &tendon;
    tree->n_point = path->n_point;
    tree->points = path->points;
    return tq_model_finish(tree, NULL) == TQ_OK ? tq_tendon_length(tree, &tendon, 1, rest->q) : 0.0;
}

static bool add_step(tqa_mjcf *m, uint32_t i, double *weight, tqa_tendon_parts *ret)
{
    if (is(m, i, "site")) {
        return add_site(m, i, *weight, ret);
    }
    if (is(m, i, "geom")) {
        return add_geom(m, i, *weight, ret);
    }
    if (is(m, i, "pulley")) {
        return add_pulley(m, i, weight, ret);
    }
    tqa_mjcf_fault(m, i, "invalid-value", "lead the path through sites and around geoms",
                   "<%.40s> in the path of a tendon", m->nodes[i].name);
    return false;
}

bool tqa_mjcf_tendon_path(tqa_mjcf *m, uint32_t tendon, tqa_mjcf_rest *rest, tqa_tendon_parts *ret,
                          double *ret_rest)
{
    uint32_t n = 0;
    double weight = 1.0;
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k = m->nodes[k].end) {
        n++;
    }
    ret->points = tqa_arena_take(m->draft->arena, (size_t)n + 1, sizeof *ret->points, 16);
    if (ret->points == NULL || !make_rest(m, rest)) {
        tqa_mjcf_fault(m, tendon, "invalid-robot", "make the tree of bodies valid",
                       "the length of the tendon cannot be measured");
        return false;
    }
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k = m->nodes[k].end) {
        if (!add_step(m, k, &weight, ret)) {
            return false;
        }
    }
    if (ret->n_point < 2) {
        tqa_mjcf_fault(m, tendon, "invalid-robot", "add <site site=\"...\"/> twice or more",
                       "a path of %u sites", ret->n_point);
        return false;
    }
    *ret_rest = length_at(rest, ret);
    return true;
}
