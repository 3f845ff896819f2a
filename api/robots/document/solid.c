/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/solid.c - the mass of a link given as solid shapes. */
#include <math.h>
#include <string.h>

#include "api/robots/document/parts.h"
#include "api/robots/solid.h"

static const char *const nothing[] = {NULL};

static bool read_shape(const tqa_json_at *at, tq_shape *ret)
{
    const char *word = json_string_value(at->value);
    if (word != NULL && tqa_shape_find(word, ret)) {
        return true;
    }
    tqa_draft_fault(at->draft, at->value == NULL ? "missing-field" : "invalid-value", at->pointer,
                    tqa_shape_words, "there is no shape \"%.40s\"", word != NULL ? word : "");
    return false;
}

/* By mass, or by density where the shape has a volume. */
static bool read_mass(const tqa_json_at *solid, tq_shape shape, const double size[3], double *ret)
{
    const tqa_json_at mass = tqa_json_field(solid, "mass");
    const tqa_json_at density = tqa_json_field(solid, "density");
    const double volume = tqa_shape_volume(shape, size);
    if (density.value == NULL) {
        return tqa_json_number(&mass, ret);
    }
    if (mass.value != NULL || !(volume > 0.0)) {
        tqa_draft_fault(solid->draft, "invalid-value", density.pointer, "give \"mass\" alone",
                        mass.value != NULL ? "the mass is given twice"
                                           : "this shape has no volume, so a density says nothing");
        return false;
    }
    if (!tqa_json_number(&density, ret)) {
        return false;
    }
    *ret *= volume;
    return true;
}

static void read_one(const tqa_json_at *at, tq_inertia *ret)
{
    static const char *const known[] = {"shape", "size", "mass", "density", "pose", NULL};
    *ret = (tq_inertia){.mass = 0.0};
    if (!tqa_json_is_object(at)) {
        return;
    }
    tqa_json_fields(at, known, nothing);
    const tqa_json_at shape_at = tqa_json_field(at, "shape");
    const tqa_json_at size_at = tqa_json_field(at, "size");
    const tqa_json_at pose_at = tqa_json_field(at, "pose");
    tq_shape shape = TQ_SHAPE_POINT;
    double size[3] = {0.0, 0.0, 0.0};
    double mass = 0.0;
    if (!read_shape(&shape_at, &shape)) {
        return;
    }
    const unsigned n = tq_shape_size_count(shape);
    if (n > 0 && !tqa_json_numbers(&size_at, n, size)) {
        return;
    }
    tq_pose pose;
    tqa_document_pose(&pose_at, &pose, NULL);
    if (!read_mass(at, shape, size, &mass)) {
        return;
    }
    tq_error error = {.what = ""};
    if (tq_inertia_of_shape(shape, mass, size, ret, &error) != TQ_OK) {
        const tqa_json_at fault = tqa_json_field(at, error.what);
        tqa_draft_fault(at->draft, "range", fault.pointer, "masses and sizes are zero or more",
                        "\"%s\" cannot be %g", error.what, error.value);
        *ret = (tq_inertia){.mass = 0.0};
    } else if (pose_at.value != NULL) {
        *ret = tq_inertia_move(ret, &pose);
    }
}

void tqa_document_solid(const tqa_json_at *at, tq_inertia *ret)
{
    if (!json_is_array(at->value)) {
        read_one(at, ret);
        return;
    }
    *ret = (tq_inertia){.mass = 0.0};
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const tqa_json_at item = tqa_json_item(at, i);
        tq_inertia one;
        read_one(&item, &one);
        *ret = i == 0 ? one : tq_inertia_add(ret, &one);
    }
}
