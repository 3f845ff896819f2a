/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/tendons.c - tendons of a robot document: read, and printed. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/robots/document/parts.h"

/* columns of the lines of the root, and of the members of its lists */
enum { ROOT = 1, MEMBER = 4 };

static const char *const nothing[] = {NULL};

/* one number, or [lower, upper] */
static void read_rest(const tqa_json_at *at, tq_tendon *ret)
{
    double both[2];
    if (at->value == NULL) {
        return;
    }
    if (!json_is_array(at->value)) {
        if (tqa_json_number(at, &ret->lower)) {
            ret->upper = ret->lower;
        }
    } else if (tqa_json_numbers(at, 2, both)) {
        ret->lower = both[0];
        ret->upper = both[1];
        if (both[0] > both[1]) {
            tqa_draft_fault(at->draft, "range", at->pointer,
                            "write the lengths between which the spring is slack, least first",
                            "%g is above %g", both[0], both[1]);
        }
    }
}

static void read_shares(const tqa_json_at *at, tqa_tendon_parts *ret)
{
    tqa_draft *draft = at->draft;
    if (!tqa_json_is_object(at)) {
        return;
    }
    const size_t n = json_object_size(at->value);
    if (n == 0 || n > TQ_TENDON_SHARE_MAX) {
        tqa_draft_fault(draft, n == 0 ? "invalid-value" : "too-large", at->pointer,
                        "write {\"joint1\": 0.5, \"joint2\": 0.5}", "a tendon of %zu joints", n);
        return;
    }
    tq_tendon_share *shares = tqa_arena_take(draft->arena, n, sizeof *shares, 16);
    if (tqa_draft_is_spent(at->draft)) {
        return;
    }
    const char *key = NULL;
    json_t *value = NULL;
    uint32_t k = 0;
    json_object_foreach(at->value, key, value)
    {
        const tqa_json_at item = tqa_json_field(at, key);
        const uint32_t joint = tqa_names_find(&draft->joints, key, strlen(key));
        if (joint == TQ_NONE || tq_joint_kind_nv(draft->model.joints[joint].kind) != 1) {
            tqa_draft_fault(draft, joint == TQ_NONE ? "unknown-name" : "invalid-value",
                            item.pointer, "name joints of one freedom",
                            joint == TQ_NONE ? "there is no joint \"%.80s\""
                                             : "joint \"%.80s\" has no single coordinate",
                            key);
            return;
        }
        shares[k].joint = joint;
        if (!tqa_json_number(&item, &shares[k].coefficient)) {
            return;
        }
        k++;
    }
    *ret = (tqa_tendon_parts){.shares = shares, .n_share = k};
}

/* "radius", "axis" and "side" of a solid that the path wraps around */
static void read_solid(const tqa_json_at *at, tq_tendon_point *ret)
{
    static const char *const known[] = {TQA_FIELDS_TENDON_SIDE, NULL};
    tqa_draft *draft = at->draft;
    const tqa_json_at radius = tqa_json_field(at, "radius"), axis = tqa_json_field(at, "axis");
    const tqa_json_at side = tqa_json_field(at, "side"), weight = tqa_json_field(at, "weight");
    if (radius.value == NULL) {
        if (axis.value != NULL || side.value != NULL) {
            tqa_draft_fault(draft, "missing-field", radius.pointer, "add \"radius\"",
                            "a point has neither \"axis\" nor \"side\"");
        }
        return;
    }
    if (!tqa_json_number(&radius, &ret->radius) ||
        (axis.value != NULL && !tqa_json_numbers(&axis, 3, ret->axis))) {
        return;
    }
    const double *a = ret->axis;
    if (!(ret->radius > 0.0) || weight.value != NULL) {
        tqa_draft_fault(draft, "range", weight.value != NULL ? weight.pointer : radius.pointer,
                        "a radius above 0; the weight is that of the point before it",
                        weight.value != NULL ? "a solid has no weight of its own"
                                             : "%g is no radius",
                        ret->radius);
    } else if (axis.value != NULL && a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0) {
        tqa_draft_fault(draft, "range", axis.pointer, "leave it out: a sphere has none",
                        "the axis of the cylinder is 0");
    }
    ret->has_side = side.value != NULL;
    if (ret->has_side && tqa_json_is_object(&side)) {
        const tqa_json_at link = tqa_json_field(&side, "link");
        const tqa_json_at position = tqa_json_field(&side, "position");
        tqa_json_fields(&side, known, nothing);
        ret->side_link = tqa_document_resolve(&link, &draft->links, "the name of a link");
        if (position.value != NULL) {
            (void)tqa_json_numbers(&position, 3, ret->side);
        }
    }
}

static void read_point(const tqa_json_at *at, tq_tendon_point *ret)
{
    static const char *const known[] = {TQA_FIELDS_TENDON_POINT, NULL};
    tqa_draft *draft = at->draft;
    const tqa_json_at link = tqa_json_field(at, "link");
    const tqa_json_at position = tqa_json_field(at, "position");
    const tqa_json_at weight = tqa_json_field(at, "weight");
    *ret = (tq_tendon_point){.weight = 1.0};
    tqa_json_fields(at, known, nothing);
    ret->link = tqa_document_resolve(&link, &draft->links, "the name of a link");
    if (position.value != NULL) {
        (void)tqa_json_numbers(&position, 3, ret->at);
    }
    tqa_json_optional(at, "weight", &ret->weight);
    if (ret->weight < 0.0) {
        tqa_draft_fault(draft, "range", weight.pointer,
                        "1 along a rope, 1 / divisor behind a pulley, 0 where the path ends",
                        "%g is negative", ret->weight);
    }
    read_solid(at, ret);
}

/* A solid is between two points of one branch. */
static void check_solid(const tqa_json_at *at, const tq_tendon_point *points, size_t k, size_t n)
{
    if (points[k].radius > 0.0 && (k == 0 || k + 1 == n || points[k - 1].radius > 0.0 ||
                                   points[k + 1].radius > 0.0 || points[k - 1].weight == 0.0)) {
        tqa_draft_fault(at->draft, "invalid-value", tqa_json_item(at, k).pointer,
                        "a point before it, of a weight above 0, and one behind it",
                        "a path wraps around a solid between two points");
    }
}

static void read_points(const tqa_json_at *at, tqa_tendon_parts *ret)
{
    tqa_draft *draft = at->draft;
    if (!tqa_json_is_array(at)) {
        return;
    }
    const size_t n = json_array_size(at->value);
    if (n < 2 || n > TQ_TENDON_POINT_MAX) {
        tqa_draft_fault(draft, n < 2 ? "invalid-value" : "too-large", at->pointer,
                        "write [{\"link\": \"a\", \"position\": [0, 0, 0]}, {\"link\": \"b\"}]",
                        "a path of %zu points", n);
        return;
    }
    tq_tendon_point *points = tqa_arena_take(draft->arena, n, sizeof *points, 16);
    if (tqa_draft_is_spent(at->draft)) {
        return;
    }
    bool any = false;
    for (size_t k = 0; k < n && draft->problem->status == 0; k++) {
        const tqa_json_at item = tqa_json_item(at, k);
        if (tqa_json_is_object(&item)) {
            read_point(&item, &points[k]);
            any = any || (k + 1 < n && points[k].weight > 0.0);
        }
    }
    for (size_t k = 0; k < n && draft->problem->status == 0; k++) {
        check_solid(at, points, k, n);
    }
    if (draft->problem->status == 0 && !any) {
        tqa_draft_fault(draft, "invalid-value", at->pointer, "leave a weight out: it is 1",
                        "every weight is 0: the tendon has no length");
    }
    *ret = (tqa_tendon_parts){.points = points, .n_point = (uint32_t)n};
}

/* "coefficients" or "points", at least one of them where the tendon has neither yet */
static void read_parts(const tqa_json_at *at, tqa_tendon_parts *ret)
{
    const tqa_json_at coefficients = tqa_json_field(at, "coefficients");
    const tqa_json_at points = tqa_json_field(at, "points");
    if (points.value != NULL && coefficients.value != NULL) {
        tqa_draft_fault(at->draft, "invalid-value", points.pointer, "keep one of the two",
                        "a tendon along a path has no \"coefficients\"");
    } else if (points.value != NULL) {
        read_points(&points, ret);
    } else if (coefficients.value != NULL || (ret->n_share == 0 && ret->n_point == 0)) {
        read_shares(&coefficients, ret);
    }
}

void tqa_document_tendon(const tqa_json_at *at, tq_tendon *ret, tqa_tendon_parts *parts)
{
    static const char *const known_friction[] = {TQA_FIELDS_TENDON_FRICTION, NULL};
    const tqa_json_at rest = tqa_json_field(at, "rest");
    const tqa_json_at friction = tqa_json_field(at, "friction");
    read_parts(at, parts);
    tqa_json_optional(at, "stiffness", &ret->stiffness);
    tqa_json_optional(at, "damping", &ret->friction.viscous);
    read_rest(&rest, ret);
    if (json_is_number(friction.value)) {
        ret->friction.coulomb = json_number_value(friction.value);
    } else if (friction.value != NULL && tqa_json_is_object(&friction)) {
        tqa_json_fields(&friction, known_friction, nothing);
        tqa_json_optional(&friction, "coulomb", &ret->friction.coulomb);
        tqa_json_optional(&friction, "smoothing", &ret->friction.smoothing);
    }
    const double least[] = {ret->stiffness, ret->friction.viscous, ret->friction.coulomb,
                            ret->friction.smoothing};
    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
        if (least[k] < 0.0) {
            tqa_draft_fault(at->draft, "range", at->pointer,
                            "stiffness, damping and friction are zero or more", "%g is negative",
                            least[k]);
            return;
        }
    }
}

void tqa_document_tendons(const tqa_json_at *root)
{
    static const char *const known[] = {TQA_FIELDS_TENDON, NULL};
    tqa_draft *draft = root->draft;
    const tqa_json_at array = tqa_json_field(root, "tendons");
    if (array.value == NULL || !tqa_json_is_array(&array)) {
        return;
    }
    const size_t n = json_array_size(array.value);
    for (size_t t = 0; t < n && draft->problem->status == 0; t++) {
        const tqa_json_at at = tqa_json_item(&array, t);
        tq_tendon tendon = {.stiffness = 0.0};
        tqa_tendon_parts parts = {.n_share = 0};
        const char *name = NULL;
        if (!tqa_json_is_object(&at)) {
            return;
        }
        tqa_json_fields(&at, known, nothing);
        const tqa_json_at label = tqa_json_field(&at, "name");
        if (label.value != NULL && !tqa_json_name(&label, &name)) {
            return;
        }
        tqa_document_tendon(&at, &tendon, &parts);
        if (draft->problem->status == 0) {
            (void)tqa_draft_tendon(draft, name, &tendon, &parts);
        }
    }
}

static void put_friction(tqa_writer *to, const tq_friction *friction)
{
    if (friction->coulomb != 0.0) {
        tqa_writer_object(to, "friction");
        tqa_writer_number(to, "coulomb", friction->coulomb);
        tqa_writer_number(to, "smoothing", friction->smoothing);
        tqa_writer_end(to);
    }
}

static void put_solid(tqa_writer *to, const tqa_robot *robot, const tq_tendon_point *solid)
{
    tqa_writer_number(to, "radius", solid->radius);
    if (solid->axis[0] != 0.0 || solid->axis[1] != 0.0 || solid->axis[2] != 0.0) {
        tqa_writer_vector(to, "axis", solid->axis, 3);
    }
    if (solid->has_side) {
        tqa_writer_object(to, "side");
        tqa_writer_string(to, "link", robot->link_names[solid->side_link]);
        tqa_writer_vector(to, "position", solid->side, 3);
        tqa_writer_end(to);
    }
}

static void put_path(tqa_writer *to, const tqa_robot *robot, const tq_tendon *tendon)
{
    tqa_writer_list(to, "points");
    for (uint32_t k = 0; k < tendon->n_point; k++) {
        const tq_tendon_point *point = &robot->model->points[tendon->first_point + k];
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "link", robot->link_names[point->link]);
        tqa_writer_vector(to, "position", point->at, 3);
        if (point->radius > 0.0) {
            put_solid(to, robot, point);
        } else if (point->weight != 1.0 && k + 1 < tendon->n_point) {
            tqa_writer_number(to, "weight", point->weight);
        }
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
}

static void put_sum(tqa_writer *to, const tqa_robot *robot, const tq_tendon *tendon)
{
    tqa_writer_object(to, "coefficients");
    for (uint32_t k = 0; k < tendon->n_share; k++) {
        const tq_tendon_share *share = &robot->model->shares[tendon->first + k];
        tqa_writer_number(to, robot->joint_names[share->joint], share->coefficient);
    }
    tqa_writer_end(to);
}

void tqa_document_put_tendons(tqa_writer *to, const tqa_robot *robot)
{
    const tq_model *model = robot->model;
    if (model->n_tendon == 0) {
        return;
    }
    tqa_writer_line(to, ROOT);
    tqa_writer_list(to, "tendons");
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        tqa_writer_line(to, MEMBER);
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "name", robot->tendon_names[t]);
        (tendon->n_point > 0 ? put_path : put_sum)(to, robot, tendon);
        tqa_writer_number(to, "stiffness", tendon->stiffness);
        tqa_writer_vector(to, "rest", (const double[2]){tendon->lower, tendon->upper}, 2);
        tqa_writer_number(to, "damping", tendon->friction.viscous);
        put_friction(to, &tendon->friction);
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
}
