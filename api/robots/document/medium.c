/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/medium.c - the fluid around a robot, and the boxes that links are to it. */
#include <string.h>

#include "api/robots/document/parts.h"

static const char *const nothing[] = {NULL};

void tqa_document_medium(const tqa_json_at *at, tq_medium *ret)
{
    static const char *const known[] = {"density", "viscosity", "velocity", NULL};
    *ret = (tq_medium){.density = 0.0};
    if (at->value == NULL || !tqa_json_is_object(at)) {
        return;
    }
    const tqa_json_at velocity = tqa_json_field(at, "velocity");
    tqa_json_fields(at, known, nothing);
    tqa_json_optional(at, "density", &ret->density);
    tqa_json_optional(at, "viscosity", &ret->viscosity);
    if (velocity.value != NULL) {
        (void)tqa_json_numbers(&velocity, 3, ret->velocity);
    }
    if (ret->density < 0.0 || ret->viscosity < 0.0) {
        tqa_draft_fault(at->draft, "range", at->pointer, "both are zero or more", "%s cannot be %g",
                        ret->density < 0.0 ? "density" : "viscosity",
                        ret->density < 0.0 ? ret->density : ret->viscosity);
    }
}

void tqa_document_drag(const tqa_json_at *link, const double com[3], tq_drag_box *ret)
{
    static const char *const known[] = {"box", TQA_DOCUMENT_PLACE, NULL};
    const tqa_json_at at = tqa_json_field(link, "drag");
    *ret = (tq_drag_box){.at = tq_pose_identity};
    if (at.value == NULL || !tqa_json_is_object(&at)) {
        return;
    }
    const tqa_json_at box = tqa_json_field(&at, "box");
    tqa_json_fields(&at, known, nothing);
    tqa_document_place(&at, &ret->at, NULL);
    if (tqa_json_field(&at, "position").value == NULL) {
        memcpy(ret->at.p, com, sizeof ret->at.p);
    }
    if (tqa_json_numbers(&box, 3, ret->size) &&
        (ret->size[0] < 0.0 || ret->size[1] < 0.0 || ret->size[2] < 0.0)) {
        tqa_draft_fault(at.draft, "range", box.pointer, "the edges along x, y and z in metres",
                        "no edge of a box is negative");
    }
}

void tqa_document_put_medium(tqa_writer *to, const tq_medium *medium)
{
    const double *u = medium->velocity;
    if (medium->density == 0.0 && medium->viscosity == 0.0) {
        return;
    }
    tqa_writer_object(to, "medium");
    tqa_writer_number(to, "density", medium->density);
    tqa_writer_number(to, "viscosity", medium->viscosity);
    if (u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0) {
        tqa_writer_vector(to, "velocity", u, 3);
    }
    tqa_writer_end(to);
}

void tqa_document_put_drag(tqa_writer *to, const tq_drag_box *box)
{
    if (box->size[0] == 0.0 && box->size[1] == 0.0 && box->size[2] == 0.0) {
        return;
    }
    tqa_writer_object(to, "drag");
    tqa_writer_vector(to, "box", box->size, 3);
    tqa_writer_vector(to, "position", box->at.p, 3);
    if (memcmp(box->at.r, tq_pose_identity.r, sizeof box->at.r) != 0) {
        tqa_writer_matrix(to, "rotation", box->at.r, 3, 3);
    }
    tqa_writer_end(to);
}
