/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/inertia_fields.c - a mass distribution by its tensor or by its shape. */
#include "api/request/inertia_fields.h"

#include <math.h>
#include <string.h>

#include "api/request/robot_fields.h"
#include "api/robots/solid.h"
#include "core/model/inertia.h"

static const double symmetry_slack = 1e-9; /* of the largest entry */

/* True when no principal moment is negative: some body may have it. xx xy xz yy yz zz. */
static bool is_possible(const double about_com[6])
{
    double moments[3], axes[9];
    tq_symmetric_eigen(about_com, moments, axes);
    return moments[0] >= -symmetry_slack * fabs(moments[2]);
}

/* Three rows of three that must be symmetric: xx xy xz yy yz zz. */
static bool read_symmetric(const tqa_value *part, double ret[6])
{
    double full[9];
    double largest = 0.0;
    if (!tqa_value_matrix(part, 3, 3, full)) {
        return false;
    }
    for (unsigned k = 0; k < 9; k++) {
        largest = fmax(largest, fabs(full[k]));
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (fabs(full[3 * i + j] - full[3 * j + i]) > symmetry_slack * largest) {
                return tqa_value_refuse(part, "invalid-value",
                                        "Ixy = -integral of x y dm, both times",
                                        "entries [%u][%u] and [%u][%u] differ", i, j, j, i);
            }
        }
    }
    const double s[6] = {full[0], full[1], full[2], full[4], full[5], full[8]};
    memcpy(ret, s, sizeof s);
    return true;
}

static bool read_shape(const tqa_value *object, const tqa_value *shape, double mass,
                       tq_inertia *ret)
{
    const tqa_value size = tqa_value_field(object, "size");
    const tqa_value inertia = tqa_value_field(object, "inertia");
    double sizes[3] = {0};
    unsigned kind = 0;
    tq_error error = {0};
    if (!tqa_value_choice(shape, tqa_shape_names, &kind)) {
        return false;
    }
    const tqa_value about = tqa_value_field(object, "inertia_about");
    if (inertia.value != NULL || about.value != NULL) {
        return tqa_value_refuse(inertia.value != NULL ? &inertia : &about, "invalid-value",
                                "leave one of the two out",
                                "a shape's inertia follows from its \"size\" and \"mass\"");
    }
    const unsigned n = tq_shape_size_count((tq_shape)kind);
    if ((n > 0 || size.value != NULL) && !tqa_value_numbers(&size, n, sizes)) {
        return false;
    }
    const tq_status status = tq_inertia_of_shape((tq_shape)kind, mass, sizes, ret, &error);
    if (status != TQ_OK) {
        const bool of_size = strcmp(error.what, "size") == 0;
        const tqa_value part =
            of_size ? tqa_value_item(&size, error.index) : tqa_value_field(object, "mass");
        return tqa_value_refuse(&part, "range", "0 or more",
                                "expected a number of 0 or more, got %g", error.value);
    }
    const tqa_value com = tqa_value_field(object, "com");
    return com.value == NULL || tqa_value_numbers(&com, 3, ret->com);
}

bool tqa_value_inertia(const tqa_value *object, tq_inertia *ret)
{
    static const char *const abouts[] = {"com", "origin", NULL};
    const tqa_value mass = tqa_value_field(object, "mass");
    const tqa_value com = tqa_value_field(object, "com");
    const tqa_value inertia = tqa_value_field(object, "inertia");
    const tqa_value about = tqa_value_field(object, "inertia_about");
    const tqa_value shape = tqa_value_field(object, "shape");
    double tensor[6];
    unsigned origin = 0;
    *ret = (tq_inertia){0};
    if (!tqa_value_need(&mass, "add \"mass\": 1 (kg)") || !tqa_value_number(&mass, &ret->mass)) {
        return false;
    }
    if (shape.value != NULL) {
        return read_shape(object, &shape, ret->mass, ret);
    }
    const tqa_value size = tqa_value_field(object, "size");
    if (size.value != NULL) {
        return tqa_value_refuse(&size, "invalid-value", "add \"shape\": \"box\", or leave it out",
                                "a size says nothing without a \"shape\"");
    }
    if ((com.value != NULL && !tqa_value_numbers(&com, 3, ret->com)) ||
        !tqa_value_need(&inertia, "add \"shape\": \"point\", or \"inertia\": three rows of three, "
                                  "kg m^2") ||
        !read_symmetric(&inertia, tensor) ||
        !tqa_value_need(&about, "add \"inertia_about\": \"com\" or \"origin\"") ||
        !tqa_value_choice(&about, abouts, &origin)) {
        return false;
    }
    if (origin == 1) {
        const double com_read[3] = {ret->com[0], ret->com[1], ret->com[2]};
        tq_inertia_from_origin(ret->mass, com_read, tensor, ret);
    } else {
        memcpy(ret->about_com, tensor, sizeof tensor);
    }
    return true;
}

bool tqa_value_payload(const tqa_value *object, tqa_payload *ret)
{
    static const char *const known[] = {"link", "mass", "com", "inertia", NULL};
    static const tqa_needed needed[] = {
        {"link", "add \"link\": the name of the link that carries the payload"},
        {"mass", "add \"mass\": a number, kg"},
        {"com", "add \"com\": [x, y, z], the payload's centre of mass in the link frame, m"},
        {NULL, NULL}};
    const tqa_value link = tqa_value_field(object, "link");
    const tqa_value mass = tqa_value_field(object, "mass");
    const tqa_value com = tqa_value_field(object, "com");
    const tqa_value inertia = tqa_value_field(object, "inertia");
    tq_inertia *body = &ret->body;
    *ret = (tqa_payload){0};
    if (!tqa_value_fields(object, known, needed) || !tqa_value_link(&link, &ret->link) ||
        !tqa_value_number(&mass, &body->mass) || !tqa_value_numbers(&com, 3, body->com) ||
        (inertia.value != NULL && !read_symmetric(&inertia, body->about_com))) {
        return false;
    }
    if (!(body->mass >= 0.0)) {
        return tqa_value_refuse(&mass, "range", "a mass is 0 or more",
                                "the payload has a mass of %g kg", body->mass);
    }
    return is_possible(body->about_com) ||
           tqa_value_refuse(&inertia, "inertia",
                            "POST /v1/inertia says what is wrong with it, and the nearest possible",
                            "no body has this inertia: a principal moment is negative");
}

bool tqa_value_mechanism(tqa_tree *tree, const tqa_value *payload, double scale,
                         const tq_mechanism **ret)
{
    tq_model model = *tree->robot->model;
    tq_link *links = tqa_tree_take(tree, model.n_link, sizeof *links);
    tq_joint *joints = tqa_tree_take(tree, (size_t)model.n_joint + 1, sizeof *joints);
    if (links == NULL || joints == NULL) {
        return false;
    }
    memcpy(links, model.links, model.n_link * sizeof *links);
    memcpy(joints, model.joints, model.n_joint * sizeof *joints);
    model.links = links;
    model.joints = joints;
    for (uint32_t k = 0; k < model.n_link; k++) {
        links[k].inertia.mass *= scale;
        links[k].carried_mass *= scale;
        for (unsigned i = 0; i < 6; i++) {
            links[k].inertia.about_com[i] *= scale;
        }
    }
    if (payload != NULL && payload->value != NULL) {
        tqa_payload body;
        if (!tqa_value_payload(payload, &body)) {
            return false;
        }
        tq_inertia *carrier = &links[body.link].inertia;
        *carrier = tq_inertia_add(carrier, &body.body);
    }
    const size_t size = tq_mechanism_size(&model);
    tq_scratch room;
    if (!tqa_tree_scratch(tree, size + 2 * TQ_SCRATCH_ALIGN, &room)) {
        return false;
    }
    void *home = tq_scratch_take(&room, size, 1);
    tq_error error = {0};
    const tq_status status =
        home == NULL ? TQ_ERR_SCRATCH : tq_mechanism_build(&model, home, size, ret, &error);
    return status == TQ_OK ||
           tqa_tree_fail(tree, payload != NULL ? payload->pointer : "", status, &error);
}
