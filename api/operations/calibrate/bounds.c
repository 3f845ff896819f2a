/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/bounds.c - bounds of masses and centres of mass in the request. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/calibrate/calibrate.h"
#include "core/spatial/frame.h"

static const char *const fields[] = {TQA_FIELDS_CALIBRATE_REQUEST_BOUNDS, NULL};
static const char *const link_fields[] = {TQA_FIELDS_CALIBRATE_LINK_BOUNDS, NULL};
static const double mass_least = 1e-9, mass_most = 1e9; /* kg */
static const double com_most = 1e6;                     /* m */

/* [from, to], where null is no bound. */
static bool read_range(const tqa_value *part, double least, double most, double range[2])
{
    size_t two = 0;
    if (!tqa_value_array(part, 2, 2, &two)) {
        return false;
    }
    for (size_t k = 0; k < 2; k++) {
        const tqa_value end = tqa_value_item(part, k);
        if (!json_is_null(end.value) &&
            !tqa_value_within(&end, k == 0 && least > 0.0 ? 0.0 : least, most, &range[k])) {
            return false;
        }
    }
    return range[0] <= range[1] ||
           tqa_value_refuse(part, "invalid-value", "[the least, the most]; null: no bound",
                            "no number is at least %g and at most %g", range[0], range[1]);
}

static bool read_com(const tqa_value *part, tq_link_bounds *ret)
{
    size_t three = 0;
    if (!tqa_value_array(part, 3, 3, &three)) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        const tqa_value range = tqa_value_item(part, k);
        if (!json_is_null(range.value) && !read_range(&range, -com_most, com_most, ret->com[k])) {
            return false;
        }
    }
    return true;
}

/* The next link on the way to the root that a joint moves, the link itself included; TQ_NONE: none
 * does. */
static uint32_t moved_with(const tq_model *model, uint32_t link)
{
    while (model->links[link].joint != TQ_NONE) {
        const tq_joint *joint = &model->joints[model->links[link].joint];
        if (joint->kind != TQ_JOINT_FIXED) {
            return link;
        }
        link = joint->parent;
    }
    return TQ_NONE;
}

/* Adds the mass and first moment of a link, that is fixed to `moved`, in the frame of that. */
static void add_link(const tq_model *model, uint32_t moved, uint32_t link, double with[4])
{
    const tq_inertia *own = &model->links[link].inertia;
    double com[3] = {own->com[0], own->com[1], own->com[2]};
    for (uint32_t at = link; at != moved;) {
        const tq_joint *joint = &model->joints[model->links[at].joint];
        tq_mat_vec(joint->origin.r, com, com);
        for (size_t k = 0; k < 3; k++) {
            com[k] += joint->origin.p[k];
        }
        at = joint->parent;
    }
    with[0] += own->mass;
    for (size_t k = 0; k < 3; k++) {
        with[1 + k] += own->mass * com[k];
    }
}

static double mass_fixed_to(const tq_model *model, uint32_t moved)
{
    double sum = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        sum += l != moved && moved_with(model, l) == moved ? model->links[l].inertia.mass : 0.0;
    }
    return sum;
}

/* The fit changes the link that a joint moves; what is fixed to it keeps its values. */
static bool check_link(const tqa_value *part, const char *name, uint32_t link)
{
    const tqa_robot *robot = part->tree->robot;
    if (link == TQ_NONE) {
        return tqa_value_refuse_link(part, name);
    }
    const uint32_t moved = moved_with(robot->model, link);
    if (moved == link) {
        return true;
    }
    if (moved == TQ_NONE) {
        return tqa_value_refuse(part, "invalid-value", "leave it out",
                                "no joint moves \"%.64s\": the fit has no mass of it", name);
    }
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint,
                   "bound \"%.64s\" less the %.4g kg that are fixed to it, or all together by "
                   "\"mass_within_percent\"",
                   robot->link_names[moved], mass_fixed_to(robot->model, moved));
    return tqa_value_refuse(
        part, "invalid-value", hint,
        "\"%.64s\" is fixed to \"%.64s\": the fit keeps its mass of the robot's file", name,
        robot->link_names[moved]);
}

static bool read_link(const tqa_value *part, const char *name, tq_link_bounds *all)
{
    const tqa_robot *robot = part->tree->robot;
    const uint32_t link = tqa_robot_link(robot, name, strlen(name));
    if (!check_link(part, name, link) || !tqa_value_object(part, link_fields)) {
        return false;
    }
    const tqa_value mass = tqa_value_field(part, "mass_kg");
    const tqa_value com = tqa_value_field(part, "com_m");
    return (mass.value == NULL || read_range(&mass, mass_least, mass_most, all[link].mass)) &&
           (com.value == NULL || read_com(&com, &all[link]));
}

static bool is_open(const double range[2])
{
    return isinf(range[0]) && isinf(range[1]);
}

static bool is_bounded(const tq_link_bounds *b)
{
    return !is_open(b->mass) || !is_open(b->com[0]) || !is_open(b->com[1]) || !is_open(b->com[2]);
}

/* Around the robot's file: a link with all that is fixed to it, since the fit changes the sum. */
static void set_within(const tq_model *model, uint32_t link, double part, double off,
                       tq_link_bounds *ret)
{
    const tq_inertia *own = &model->links[link].inertia;
    const double mass = own->mass + ret->with[0];
    if (!(mass > 0.0)) {
        return;
    }
    if (isfinite(part)) {
        ret->mass[0] = mass * (1.0 - 0.01 * part);
        ret->mass[1] = mass * (1.0 + 0.01 * part);
    }
    for (size_t k = 0; k < 3 && isfinite(off); k++) {
        const double centre = (own->mass * own->com[k] + ret->with[1 + k]) / mass;
        ret->com[k][0] = centre - off;
        ret->com[k][1] = centre + off;
    }
}

static bool read_within(const tqa_value *bounds, tq_link_bounds *all)
{
    const tq_model *model = bounds->tree->robot->model;
    const tqa_value mass = tqa_value_field(bounds, "mass_within_percent");
    const tqa_value com = tqa_value_field(bounds, "com_within_m");
    double part = (double)INFINITY, off = (double)INFINITY;
    if ((mass.value != NULL &&
         !tqa_value_within(&mass, TQA_RANGE_CALIBRATE_REQUEST_BOUNDS_MASS_WITHIN_PERCENT_LEAST,
                           TQA_RANGE_CALIBRATE_REQUEST_BOUNDS_MASS_WITHIN_PERCENT_MOST, &part)) ||
        (com.value != NULL &&
         !tqa_value_within(&com, TQA_RANGE_CALIBRATE_REQUEST_BOUNDS_COM_WITHIN_M_LEAST,
                           TQA_RANGE_CALIBRATE_REQUEST_BOUNDS_COM_WITHIN_M_MOST, &off))) {
        return false;
    }
    if (mass.value == NULL && com.value == NULL) {
        return true;
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        const uint32_t moved = moved_with(model, l);
        if (moved != TQ_NONE && moved != l && !is_bounded(&all[moved])) {
            add_link(model, moved, l, all[moved].with);
        }
    }
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (moved_with(model, l) == l && !is_bounded(&all[l])) {
            set_within(model, l, part, off, &all[l]);
        }
    }
    return true;
}

static bool read_links(const tqa_value *bounds, tq_link_bounds *all)
{
    const tqa_value links = tqa_value_field(bounds, "links");
    const char *name = NULL;
    json_t *value = NULL;
    if (links.value == NULL) {
        return true;
    }
    if (!json_is_object(links.value)) {
        return tqa_value_refuse(&links, "wrong-type",
                                "{\"name of a link\": {\"mass_kg\": [1.8, 2.4]}, ...}",
                                "expected bounds of links by their names");
    }
    json_object_foreach(links.value, name, value)
    {
        const tqa_value part = tqa_value_field(&links, name);
        if (!read_link(&part, name, all)) {
            return false;
        }
    }
    return true;
}

/* Bodies are what a feasible fit has, and nothing else. */
static bool has_bodies(const tqa_calibration *c, const tqa_value *part)
{
    const tq_fit_method method = c->options.fit.method;
    if (c->options.fit.model.kind == TQ_FIT_PER_JOINT) {
        return tqa_value_refuse(part, "invalid-value", "leave them out, or say \"kind\": \"base\"",
                                "\"per-joint\" has no bodies that bounds could hold for");
    }
    return method == TQ_FIT_FEASIBLE || method == TQ_FIT_FEASIBLE_IV ||
           tqa_value_refuse(
               part, "invalid-value", "leave them out, or say \"method\": \"feasible\"",
               "\"%s\" has no constraints: bounds need the feasible fit", tqa_method_slug(method));
}

bool tqa_calibration_read_bounds(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "bounds");
    const size_t n_link = c->tree->robot->model->n_link;
    const double open[2] = {-(double)INFINITY, (double)INFINITY};
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, fields) || !has_bodies(c, &part)) {
        return false;
    }
    tq_link_bounds *all = tqa_tree_take(c->tree, n_link, sizeof *all);
    if (all == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n_link; l++) {
        all[l].link = l;
        memcpy(all[l].mass, open, sizeof open);
        for (size_t k = 0; k < 3; k++) {
            memcpy(all[l].com[k], open, sizeof open);
        }
    }
    if (!read_links(&part, all) || !read_within(&part, all)) {
        return false;
    }
    size_t n = 0;
    for (uint32_t l = 0; l < n_link; l++) {
        if (is_bounded(&all[l])) {
            all[n++] = all[l];
        }
    }
    c->has_bounds = true;
    c->options.fit.bounds = all;
    c->options.fit.n_bound = n;
    return true;
}
