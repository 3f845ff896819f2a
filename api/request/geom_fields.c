/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/geom_fields.c - solids of a request, checked against the robot's links. */
#include "api/request/geom_fields.h"

#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/problems/nearest.h"
#include "api/request/robot_fields.h"
#include "core/geometry/hull.h"

enum { NAME_MAX = 128 };

static const char *const geom_fields[] = {TQA_FIELDS_COLLISION_SHAPE, NULL};
static const char *const kinds[] = {TQA_WORDS_COLLISION_SHAPE_SHAPE, NULL};

static bool read_size(const tqa_value *item, tq_geom_kind kind, double size[3])
{
    static const char *const hints[] = {
        [TQ_GEOM_SPHERE] = "\"size\": [radius] in m",
        [TQ_GEOM_CAPSULE] = "\"size\": [radius, length of the cylinder along z] in m",
        [TQ_GEOM_BOX] = "\"size\": [x, y, z], the whole lengths in m",
        [TQ_GEOM_HALF_SPACE] = "leave \"size\" out: it is all below z = 0 of its pose",
        [TQ_GEOM_HULL] = "leave \"size\" out: it is the hull of \"points\""};
    const tqa_value part = tqa_value_field(item, "size");
    const unsigned n = tq_geom_n_size(kind);
    if (n == 0) {
        return part.value == NULL || tqa_value_refuse(&part, "invalid-value", hints[kind],
                                                      "a %s has no size", kinds[kind]);
    }
    if (n == 1 && json_is_number(part.value)) {
        return tqa_value_positive(&part, &size[0]);
    }
    if (!tqa_value_need(&part, hints[kind]) || !tqa_value_vector(&part, n, hints[kind], size)) {
        return false;
    }
    for (unsigned k = 0; k < n; k++) {
        const tqa_value number = tqa_value_item(&part, k);
        if (!tqa_value_positive(&number, &size[k])) {
            return false;
        }
    }
    return true;
}

/* "points" of a hull, which other shapes do not have; *ret: NULL, or the hull */
static bool read_points(const tqa_value *item, tq_geom_kind kind, const tq_hull **ret)
{
    static const char hint[] = "\"points\": [[x, y, z], ...], 4 to 1024 of them, such as the "
                               "vertices of a mesh, in m";
    const tqa_value part = tqa_value_field(item, "points");
    size_t n = 0;
    *ret = NULL;
    if (kind != TQ_GEOM_HULL) {
        return part.value == NULL ||
               tqa_value_refuse(&part, "invalid-value", "for a \"hull\" alone",
                                "a %s has no points", kinds[kind]);
    }
    if (!tqa_value_need(&part, hint) || !tqa_value_array(&part, 4, TQ_HULL_POINTS_MAX, &n)) {
        return false;
    }
    double *points = tqa_tree_take(part.tree, 3 * n, sizeof *points);
    tq_hull *hull = tqa_tree_take(part.tree, 1, sizeof *hull);
    bool good = points != NULL && hull != NULL;
    for (size_t k = 0; k < n && good; k++) {
        const tqa_value point = tqa_value_item(&part, k);
        good = tqa_value_vector(&point, 3, hint, points + 3 * k);
    }
    if (!good) {
        return false;
    }
    *ret = hull;
    tq_error error = {.what = ""};
    const tq_status status = tq_hull_of(n, points, hull, &error);
    if (status == TQ_ERR_SHAPE) {
        return tqa_value_refuse(&part, "too-large", "a coarser mesh, or several shapes",
                                "the hull of these %zu points has more than %d corners", n,
                                TQ_HULL_VERTICES_MAX);
    }
    return status == TQ_OK ||
           tqa_value_refuse(&part, "invalid-value", "points that are not in one plane",
                            "the hull of these %zu points has no volume", n);
}

/* "world", unless a link has this name */
static bool read_link(const tqa_value *part, uint32_t *ret)
{
    *ret = TQ_NONE;
    if (part->value == NULL) {
        return true;
    }
    const char *text = json_string_value(part->value);
    if (text != NULL && strcmp(text, "world") == 0 &&
        tqa_robot_link(part->tree->robot, text, strlen(text)) == TQ_NONE) {
        return true;
    }
    return tqa_value_link(part, ret);
}

static bool read_name(const tqa_value *item, tqa_geoms *geoms, size_t i)
{
    const tqa_value part = tqa_value_field(item, "name");
    const uint32_t link = geoms->geoms[i].link;
    geoms->link_names[i] = link == TQ_NONE ? "world" : item->tree->robot->link_names[link];
    if (part.value == NULL) {
        geoms->names[i] = tqa_arena_format(item->tree->arena, "%.100s %s %zu", geoms->link_names[i],
                                           kinds[geoms->geoms[i].kind], i);
        return geoms->names[i] != NULL ||
               tqa_problem_set(item->tree->problem, "busy", "there is no memory now");
    }
    if (!tqa_value_text(&part, "a name of the shape", &geoms->names[i])) {
        return false;
    }
    if (strlen(geoms->names[i]) > NAME_MAX) {
        return tqa_value_refuse(&part, "too-large", "a shorter name", "it is longer than %d bytes",
                                NAME_MAX);
    }
    for (size_t k = 0; k < i; k++) {
        if (strcmp(geoms->names[i], geoms->names[k]) == 0) {
            return tqa_value_refuse_twice(&part, geoms->names[i]);
        }
    }
    return true;
}

static bool read_geom(const tqa_value *item, tqa_geoms *geoms, size_t i)
{
    unsigned kind = 0;
    double size[3] = {0.0};
    if (!tqa_value_object(item, geom_fields)) {
        return false;
    }
    const tqa_value shape = tqa_value_field(item, "shape");
    const tqa_value link = tqa_value_field(item, "link");
    const tqa_value pose = tqa_value_field(item, "pose");
    const tq_hull *hull = NULL;
    if (!tqa_value_need(&shape, "add \"shape\": \"sphere\", \"capsule\", \"box\", \"hull\" or "
                                "\"half-space\"") ||
        !tqa_value_choice(&shape, kinds, &kind) || !read_size(item, (tq_geom_kind)kind, size) ||
        !read_points(item, (tq_geom_kind)kind, &hull)) {
        return false;
    }
    geoms->geoms[i] = tq_geom_of((tq_geom_kind)kind, size);
    geoms->geoms[i].hull = hull;
    return read_link(&link, &geoms->geoms[i].link) &&
           (pose.value == NULL || tqa_value_pose(&pose, &geoms->geoms[i].pose)) &&
           read_name(item, geoms, i);
}

bool tqa_value_geoms(const tqa_value *part, tqa_geoms *ret)
{
    if (!tqa_value_need(part, "add \"shapes\": [{\"link\", \"shape\", \"size\"}, ...]") ||
        !tqa_value_array(part, 1, TQ_GEOMS_MAX, &ret->n)) {
        return false;
    }
    ret->geoms = tqa_tree_take(part->tree, ret->n, sizeof *ret->geoms);
    ret->names = tqa_tree_take(part->tree, ret->n, sizeof *ret->names);
    ret->link_names = tqa_tree_take(part->tree, ret->n, sizeof *ret->link_names);
    bool good = ret->geoms != NULL && ret->names != NULL && ret->link_names != NULL;
    for (size_t i = 0; good && i < ret->n; i++) {
        const tqa_value item = tqa_value_item(part, i);
        good = read_geom(&item, ret, i);
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------
 * Pairs
 */

static bool has_name(const tqa_geoms *geoms, size_t i, const char *name)
{
    return strcmp(geoms->names[i], name) == 0 || strcmp(geoms->link_names[i], name) == 0;
}

static bool read_excluded_name(const tqa_value *part, const tqa_geoms *geoms, const char **ret)
{
    if (!tqa_value_text(part, "the name of a shape or of a link", ret)) {
        return false;
    }
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, *ret, strlen(*ret));
    for (size_t i = 0; i < geoms->n; i++) {
        if (has_name(geoms, i, *ret)) {
            return true;
        }
        tqa_nearest_offer(&nearest, geoms->names[i]);
        tqa_nearest_offer(&nearest, geoms->link_names[i]);
    }
    return tqa_value_refuse(part, "unknown-name", tqa_nearest_hint(&nearest),
                            "no shape, and no link with a shape, is called \"%.64s\"", *ret);
}

bool tqa_value_excluded(const tqa_value *part, const tqa_geoms *geoms, bool *ret_marks)
{
    size_t n = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_array(part, 0, TQ_GEOMS_MAX * TQ_GEOMS_MAX, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value pair = tqa_value_item(part, k);
        const char *names[2];
        size_t two = 0;
        if (!tqa_value_array(&pair, 2, 2, &two)) {
            return false;
        }
        for (size_t side = 0; side < 2; side++) {
            const tqa_value name = tqa_value_item(&pair, side);
            if (!read_excluded_name(&name, geoms, &names[side])) {
                return false;
            }
        }
        for (size_t i = 0; i < geoms->n * geoms->n; i++) {
            const size_t a = i / geoms->n, b = i % geoms->n;
            if (has_name(geoms, a, names[0]) && has_name(geoms, b, names[1])) {
                ret_marks[a * geoms->n + b] = true;
                ret_marks[b * geoms->n + a] = true;
            }
        }
    }
    return true;
}

/* the link at the root of the rigid body that has `link`; TQ_NONE: the world */
static uint32_t body_of(const tq_model *model, uint32_t link)
{
    while (link != TQ_NONE && model->links[link].joint != TQ_NONE &&
           model->joints[model->links[link].joint].kind == TQ_JOINT_FIXED) {
        link = model->joints[model->links[link].joint].parent;
    }
    return link == model->root ? TQ_NONE : link;
}

static bool is_parent(const tq_model *model, uint32_t parent, uint32_t child)
{
    return child != TQ_NONE && parent != TQ_NONE &&
           body_of(model, model->joints[model->links[child].joint].parent) == parent;
}

tqa_pair_state tqa_geom_pair(const tqa_robot *robot, const tqa_geoms *geoms, const bool *marks,
                             bool with_adjacent, size_t i, size_t j)
{
    const tq_model *model = robot->model;
    const tq_geom *first = &geoms->geoms[i], *second = &geoms->geoms[j];
    const uint32_t a = body_of(model, first->link), b = body_of(model, second->link);
    if (a == b) {
        return TQA_PAIR_SAME_BODY;
    }
    if (first->kind == TQ_GEOM_HALF_SPACE && second->kind == TQ_GEOM_HALF_SPACE) {
        return TQA_PAIR_PLANES;
    }
    if (marks != NULL && marks[i * geoms->n + j]) {
        return TQA_PAIR_EXCLUDED;
    }
    /* the root link is adjacent to its children; a shape of the world itself is not */
    const uint32_t near_a = first->link != TQ_NONE && a == TQ_NONE ? model->root : a;
    const uint32_t near_b = second->link != TQ_NONE && b == TQ_NONE ? model->root : b;
    const bool adjacent =
        is_parent(model, a, b) || is_parent(model, b, a) ||
        (near_a == model->root && b != TQ_NONE &&
         body_of(model, model->joints[model->links[b].joint].parent) == TQ_NONE) ||
        (near_b == model->root && a != TQ_NONE &&
         body_of(model, model->joints[model->links[a].joint].parent) == TQ_NONE);
    return adjacent && !with_adjacent ? TQA_PAIR_ADJACENT : TQA_PAIR_FREE;
}
