/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/notes.c - arrays that were left out and so are zero, fields that were not read, angles
 * that are probably degrees. */
#include "api/call/notes.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/call/compute_early.h"
#include "api/request/off_constraints.h"
#include "api/request/refuse.h"
#include "api/request/robot_fields.h"

tqa_writer *tqa_notes_next(tqa_call *call)
{
    if (call->n_note++ == 0) {
        call->notes = (tqa_writer){.cbor = call->accept == TQA_MEDIA_CBOR};
        tqa_writer_members(&call->notes);
    }
    return &call->notes;
}

static void name_fields(tqa_call *call, const char *key, uint32_t fields)
{
    if (fields == 0) {
        return;
    }
    tqa_writer *notes = tqa_notes_next(call);
    tqa_writer_list(notes, key);
    for (uint32_t left = fields; left != 0; left &= left - 1) {
        tqa_writer_string(notes, NULL, call->request.schema->fields[__builtin_ctz(left)].name);
    }
    tqa_writer_end(notes);
}

static void put_far_items(tqa_writer *to, const tqa_robot *robot, const tqa_far *far, size_t n,
                          bool in_degrees)
{
    for (size_t k = 0; k < n; k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_far_text(robot, &far[k], in_degrees, text);
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "joint", robot->joint_names[far[k].joint]);
        tqa_writer_count(to, "sample", far[k].sample);
        tqa_writer_string(to, "text", text);
        tqa_writer_end(to);
    }
}

void tqa_notes_put_far(tqa_writer *to, const tqa_robot *robot, const tqa_far *far, size_t n,
                       bool in_degrees)
{
    tqa_writer_list(to, "warnings");
    put_far_items(to, robot, far, n, in_degrees);
    tqa_writer_end(to);
}

void tqa_notes_put_warnings(tqa_writer *to, const tqa_tree *control)
{
    if (control->n_far + control->n_remark == 0) {
        return;
    }
    tqa_writer_list(to, "warnings");
    put_far_items(to, control->robot, control->far, control->n_far, control->in_degrees);
    for (size_t k = 0; k < control->n_remark; k++) {
        const uint32_t joint = control->remarks[k].joint;
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "joint", joint != TQ_NONE ? control->robot->joint_names[joint] : "");
        tqa_writer_count(to, "sample", 0);
        tqa_writer_string(to, "text", control->remarks[k].text);
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
}

/* Sample by sample: rarely run. */
static void put_far(tqa_call *call)
{
    const tqa_blocks *q = &call->request.motion[TQA_MOTION_Q];
    tqa_far found[TQA_FAR_MAX];
    size_t n = 0;
    for (size_t i = 0; i < call->request.n_sample; i++) {
        if (!tqa_overlap_has_q(call, i / TQ_BLOCK)) {
            i |= TQ_BLOCK - 1; /* none of its samples is */
            continue;
        }
        const double *at = tqa_blocks_sample(q, i);
        if (tqa_far_one(call->robot, at, q->stride)) {
            tqa_far_note(call->robot, at, q->stride, i, found, &n);
        }
    }
    if (n > 0) {
        tqa_notes_put_far(tqa_notes_next(call), call->robot, found, n, call->request.in_degrees);
    }
}

/* The same for robots with constraints, whose dynamics cost more. */
static void put_off(tqa_call *call)
{
    tqa_off_search search;
    const tqa_blocks *q = &call->request.motion[TQA_MOTION_Q];
    if (!tqa_off_begin(&search, call->robot)) {
        return;
    }
    const size_t step = tqa_off_step(call->request.n_sample);
    for (size_t i = 0; i < call->request.n_sample; i += step) {
        tqa_off_note(&search, tqa_blocks_sample(q, i), q->stride, i);
    }
    tqa_off_end(&search, search.n > 0 ? tqa_notes_next(call) : NULL);
}

bool tqa_notes_put_unnamed(tqa_writer *to, const tqa_robot *robot, const json_t *named,
                           const char *key)
{
    bool any = false;
    for (uint32_t j = 0; json_is_object(named) && j < robot->model->n_joint; j++) {
        if (robot->model->joints[j].nq > 0 &&
            json_object_get(named, robot->joint_names[j]) == NULL) {
            char text[TQA_PROBLEM_TEXT];
            any = true;
            (void)snprintf(text, sizeof text, "%s.%.200s", key, robot->joint_names[j]);
            if (to != NULL) {
                tqa_writer_string(to, NULL, text);
            }
        }
    }
    return any;
}

/* arrays, and joints of those by name, that were left out */
static void put_assumed(tqa_call *call)
{
    const tqa_request *request = &call->request;
    const json_t *root = request->by_name != 0 ? request->tree->root : NULL;
    bool any = request->assumed != 0;
    for (size_t f = 0; f < request->schema->n_field && request->by_name != 0; f++) {
        const tqa_field *field = &request->schema->fields[f];
        any = any || (tqa_field_is_motion(field) &&
                      tqa_notes_put_unnamed(NULL, call->robot, json_object_get(root, field->name),
                                            field->name));
    }
    if (!any) {
        return;
    }
    tqa_writer *notes = tqa_notes_next(call);
    tqa_writer_list(notes, "assumed_zero");
    for (size_t f = 0; f < request->schema->n_field; f++) {
        const tqa_field *field = &request->schema->fields[f];
        if ((request->assumed >> f & 1u) != 0) {
            tqa_writer_string(notes, NULL, field->name);
        } else if (tqa_field_is_motion(field) && root != NULL) {
            (void)tqa_notes_put_unnamed(notes, call->robot, json_object_get(root, field->name),
                                        field->name);
        }
    }
    tqa_writer_end(notes);
}

bool tqa_notes_end(tqa_call *call)
{
    const tqa_request *request = &call->request;
    if (!tqa_notes_fit(call)) {
        return true;
    }
    put_assumed(call);
    if (request->tree != NULL && tqa_wording_any(request->tree)) {
        tqa_wording_put(request->tree, tqa_notes_next(call));
    }
    name_fields(call, "not_used", request->seen & request->schema->unused);
    if (request->in_degrees) {
        tqa_writer_string(tqa_notes_next(call), "angles", "deg");
    }
    if (atomic_load_explicit(&call->is_far, memory_order_relaxed)) {
        put_far(call);
    }
    put_off(call);
    if (call->n_note == 0) {
        return true;
    }
    size_t n = 0;
    char *text = tqa_writer_take(&call->notes, &n);
    if (!tqa_call_keep_text(call, text)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    tqa_result_add_notes(&call->result, text, n, call->n_note);
    return true;
}
