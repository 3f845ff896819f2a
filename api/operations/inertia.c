/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/inertia.c - POST /v1/inertia: inertia of joined bodies in any frame, with checks.
   */
#include "core/model/inertia.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"

#include <math.h>

#include "api/call/call.h"
#include "api/request/inertia_fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/spatial/frame.h"

enum { BODIES_MAX = TQA_RANGE_INERTIA_REQUEST_BODIES_N_MOST };

static const char *const fields[] = {TQA_FIELDS_INERTIA_REQUEST, NULL};
static const char *const body_fields[] = {TQA_FIELDS_INERTIA_REQUEST_BODIES, NULL};

static double cost_us(const tqa_tree *tree)
{
    return 10.0 + (double)json_array_size(json_object_get(tree->root, "bodies"));
}

static bool read_body(const tqa_value *part, tq_inertia *sum)
{
    tq_inertia inertia;
    bool subtract = false;
    if (!tqa_value_object(part, body_fields) || !tqa_value_inertia(part, &inertia)) {
        return false;
    }
    const tqa_value pose = tqa_value_field(part, "pose");
    const tqa_value hole = tqa_value_field(part, "subtract");
    if (hole.value != NULL && !tqa_value_flag(&hole, &subtract)) {
        return false;
    }
    if (pose.value != NULL) {
        tq_pose placed;
        if (!tqa_value_pose(&pose, &placed)) {
            return false;
        }
        inertia = tq_inertia_move(&inertia, &placed);
    }
    if (subtract) {
        inertia.mass = -inertia.mass;
        for (unsigned k = 0; k < 6; k++) {
            inertia.about_com[k] = -inertia.about_com[k];
        }
    }
    *sum = tq_inertia_add(sum, &inertia);
    return true;
}

static bool read(tqa_tree *tree, tq_inertia *sum)
{
    const tqa_value root = tqa_value_root(tree);
    const tqa_value bodies = tqa_value_field(&root, "bodies");
    const tqa_value from = tqa_value_field(&root, "frame");
    size_t n = 0;
    *sum = (tq_inertia){0};
    if (!tqa_value_need(&bodies, "add \"bodies\": [{\"mass\": 1, \"shape\": \"sphere\", \"size\": "
                                 "[0.1]}]") ||
        !tqa_value_some(&bodies, 1, BODIES_MAX, &n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const tqa_value item = tqa_value_item(&bodies, i);
        if (!read_body(&item, sum)) {
            return false;
        }
    }
    if (from.value != NULL) {
        tq_pose pose;
        if (!tqa_value_pose(&from, &pose)) {
            return false;
        }
        pose = tq_pose_inverse(&pose);
        *sum = tq_inertia_move(sum, &pose);
    }
    return true;
}

static bool put_about(tqa_tree *tree, const tq_inertia *inertia)
{
    const tqa_value root = tqa_value_root(tree);
    const tqa_value about = tqa_value_field(&root, "about");
    tqa_writer *answer = tree->answer;
    double point[3];
    double tensor[6];
    tq_inertia_about_origin(inertia, tensor);
    tqa_writer_symmetric(answer, "inertia_about_origin", tensor);
    if (about.value == NULL) {
        return true;
    }
    if (!tqa_value_numbers(&about, 3, point)) {
        return false;
    }
    tq_inertia shifted = *inertia;
    for (unsigned k = 0; k < 3; k++) {
        shifted.com[k] -= point[k];
    }
    tq_inertia_about_origin(&shifted, tensor);
    tqa_writer_vector(answer, "about", point, 3);
    tqa_writer_symmetric(answer, "inertia_about_point", tensor);
    return true;
}

static bool put_consistency(tqa_tree *tree, const tq_inertia *inertia)
{
    const tqa_value root = tqa_value_root(tree);
    const tqa_value floor_part = tqa_value_field(&root, "floor");
    const tqa_value mass_part = tqa_value_field(&root, "mass_floor");
    tqa_writer *answer = tree->answer;
    tq_consistency found;
    double least = 0.0;
    double least_mass = TQA_RANGE_INERTIA_REQUEST_MASS_FLOOR_DEFAULT;
    if ((floor_part.value != NULL && !tqa_value_number(&floor_part, &least)) ||
        (mass_part.value != NULL && !tqa_value_positive(&mass_part, &least_mass))) {
        return false;
    }
    tq_inertia_check(inertia, &found);
    tqa_writer_object(answer, "principal");
    tqa_writer_vector(answer, "moments", found.principal, 3);
    tqa_writer_matrix(answer, "axes", found.axes, 3, 3);
    tqa_writer_end(answer);
    /* a thin body has a margin of 0 within rounding */
    const bool consistent = found.mass_positive && found.triangle && found.margin > -1e-12;
    tqa_writer_object(answer, "consistency");
    tqa_writer_flag(answer, "consistent", consistent);
    tqa_writer_flag(answer, "mass_positive", found.mass_positive);
    tqa_writer_flag(answer, "definite", found.definite);
    tqa_writer_flag(answer, "triangle", found.triangle);
    if (isfinite(found.margin)) {
        tqa_writer_number(answer, "margin", found.margin);
    } else {
        tqa_writer_none(answer, "margin", "the body has no second moments");
    }
    tqa_writer_end(answer);
    tq_inertia nearest;
    tq_error error = {0};
    const tq_status status = tq_inertia_nearest(inertia, least, least_mass, &nearest, &error);
    if (status == TQ_ERR_NOT_FINITE) {
        return tqa_value_refuse(&root, "overflow", "smaller numbers, or other units",
                                "an inertia is too large for a number");
    }
    if (status != TQ_OK) {
        return tqa_value_refuse(&floor_part, "range",
                                "0 keeps what is consistent; for example 0.001",
                                "expected a number from 0 to below 1/3, got %g", least);
    }
    tqa_writer_object(answer, "nearest_consistent");
    tqa_writer_inertia(answer, &nearest);
    tqa_writer_end(answer);
    return true;
}

static bool run(tqa_tree *tree)
{
    tq_inertia inertia;
    double spatial[36];
    double pseudo[16];
    if (!read(tree, &inertia)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tqa_writer_inertia(answer, &inertia);
    if (!put_about(tree, &inertia)) {
        return false;
    }
    tq_inertia_spatial(&inertia, spatial);
    tq_inertia_pseudo(&inertia, pseudo);
    tqa_writer_matrix(answer, "spatial_inertia", spatial, 6, 6);
    tqa_writer_matrix(answer, "pseudo_inertia", pseudo, 4, 4);
    return put_consistency(tree, &inertia);
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_inertia_methods = {.tree = &methods};
