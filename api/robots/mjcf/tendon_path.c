/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/tendon_path.c - the path of a <spatial> tendon: straight from site to site, in
 * branches behind pulleys. Geoms that it would wrap around are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"
#include "core/base/scratch.h"
#include "core/dynamics/kinematics/configuration.h"

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

/* Poses of all links where the springs of the joints rest; NULL: memory is short, or there is no
 * tree, which is reported later. */
static tq_pose *rest_poses(tqa_mjcf *m)
{
    tq_model tree;
    tq_configuration at;
    tq_scratch scratch;
    if (!tqa_mjcf_copy_tree(m, &tree)) {
        return NULL;
    }
    const size_t bytes = tq_configuration_scratch_size(&tree);
    const double *q = tqa_mjcf_coordinates(m, &tree, m->spring_references);
    tq_pose *ret = tqa_arena_take(m->draft->arena, tree.n_link, sizeof *ret, 16);
    void *memory = aligned_alloc(TQ_SCRATCH_ALIGN, bytes);
    if (memory == NULL || q == NULL || ret == NULL) {
        free(memory);
        return NULL;
    }
    tq_scratch_init(&scratch, memory, bytes);
    if (tq_configuration_compute(&tree, q, NULL, &scratch, &at, NULL) == TQ_OK) {
        memcpy(ret, at.pose, tree.n_link * sizeof *ret);
    } else {
        ret = NULL;
    }
    tq_scratch_release(memory, bytes);
    free(memory);
    return ret;
}

/* The site of that name; TQ_NONE with a fault. */
static uint32_t find_site(tqa_mjcf *m, uint32_t i)
{
    const char *name = tqa_mjcf_get(m, i, "site");
    m->cost += m->n_node;
    if (m->cost > TQA_MJCF_COST_MAX) {
        tqa_mjcf_fault(m, i, "too-large", "fewer or shorter tendons",
                       "the paths of tendons have too many sites");
        return TQ_NONE;
    }
    for (uint32_t k = 1; k < m->n_node && name != NULL; k++) {
        const uint32_t owner = m->nodes[k].owner;
        const char *own = owner != TQ_NONE && is(m, k, "site") ? tqa_mjcf_get(m, k, "name") : NULL;
        if (own != NULL && strcmp(own, name) == 0 && m->nodes[owner].link != TQ_NONE) {
            return k;
        }
    }
    tqa_mjcf_fault(m, i, "unknown-name", "name a <site> of a body", "there is no site \"%.80s\"",
                   name != NULL ? name : "");
    return TQ_NONE;
}

/* fromto: a site is in the middle */
static bool add_site(tqa_mjcf *m, uint32_t i, double weight, tqa_tendon_parts *ret)
{
    const uint32_t site = find_site(m, i);
    double ends[6], middle[3];
    tq_pose pose;
    if (site == TQ_NONE) {
        return false;
    }
    tqa_mjcf_pose(m, site, &pose);
    if (tqa_mjcf_numbers(m, site, "fromto", 6, 6, ends) == 6) {
        for (int k = 0; k < 3; k++) {
            pose.p[k] = 0.5 * (ends[k] + ends[3 + k]);
        }
    }
    tq_tendon_point *point = &ret->points[ret->n_point++];
    *point = (tq_tendon_point){.link = m->nodes[m->nodes[site].owner].link, .weight = weight};
    tq_mat_vec(m->nodes[site].at.r, pose.p, middle);
    for (int k = 0; k < 3; k++) {
        point->at[k] = m->nodes[site].at.p[k] + middle[k];
    }
    return true;
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

static void refuse_step(tqa_mjcf *m, uint32_t i)
{
    if (is(m, i, "geom")) {
        tqa_mjcf_fault(m, i, "invalid-value",
                       "lead the path through sites, or take the tendon's spring, damper and "
                       "friction out",
                       "a tendon that wraps around a geom is not read, and numbers would differ "
                       "from MuJoCo's");
    } else {
        tqa_mjcf_fault(m, i, "invalid-value", "lead the path through sites",
                       "<%.40s> in the path of a tendon", m->nodes[i].name);
    }
}

static double length_at(const tqa_tendon_parts *path, const tq_pose *poses)
{
    double length = 0.0;
    for (uint32_t k = 0; k + 1 < path->n_point; k++) {
        const tq_tendon_point *from = &path->points[k];
        const tq_pose *pose[2] = {&poses[from[0].link], &poses[from[1].link]};
        double at[2][3], square = 0.0;
        for (int e = 0; e < 2; e++) {
            tq_mat_vec(pose[e]->r, from[e].at, at[e]);
        }
        for (int c = 0; c < 3; c++) {
            const double d = at[1][c] + pose[1]->p[c] - at[0][c] - pose[0]->p[c];
            square += d * d;
        }
        length += from->weight * sqrt(square);
    }
    return length;
}

bool tqa_mjcf_tendon_path(tqa_mjcf *m, uint32_t tendon, tq_pose **poses, tqa_tendon_parts *ret,
                          double *ret_rest)
{
    uint32_t n = 0;
    double weight = 1.0;
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k = m->nodes[k].end) {
        n++;
    }
    ret->points = tqa_arena_take(m->draft->arena, (size_t)n + 1, sizeof *ret->points, 16);
    *poses = *poses != NULL ? *poses : rest_poses(m);
    if (ret->points == NULL || *poses == NULL) {
        tqa_mjcf_fault(m, tendon, "invalid-robot", "make the tree of bodies valid",
                       "the length of the tendon cannot be measured");
        return false;
    }
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k = m->nodes[k].end) {
        bool read = false;
        if (is(m, k, "site")) {
            read = add_site(m, k, weight, ret);
        } else if (is(m, k, "pulley")) {
            read = add_pulley(m, k, &weight, ret);
        } else {
            refuse_step(m, k);
        }
        if (!read) {
            return false;
        }
    }
    if (ret->n_point < 2) {
        tqa_mjcf_fault(m, tendon, "invalid-robot", "add <site site=\"...\"/> twice or more",
                       "a path of %u sites", ret->n_point);
        return false;
    }
    *ret_rest = length_at(ret, *poses);
    return true;
}
