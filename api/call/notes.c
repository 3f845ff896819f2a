/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/notes.c - arrays that were left out and so are zero, fields that were not read, angles
 * that are probably degrees. */
#include "api/call/notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/call/compute_early.h"
#include "api/call/floating.h"
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

static void put_warning(tqa_writer *to, const char *joint, size_t sample, const char *text)
{
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "joint", joint);
    tqa_writer_count(to, "sample", sample);
    tqa_writer_string(to, "text", text);
    tqa_writer_end(to);
}

static void put_far_items(tqa_writer *to, const tqa_robot *robot, const tqa_far *far, size_t n,
                          bool in_degrees)
{
    for (size_t k = 0; k < n; k++) {
        char text[TQA_PROBLEM_TEXT];
        tqa_far_text(robot, &far[k], in_degrees, text);
        put_warning(to, robot->joint_names[far[k].joint], far[k].sample, text);
    }
}

void tqa_notes_put_warnings(tqa_writer *to, const tqa_tree *tree)
{
    if (tree->n_far + tree->n_remark == 0) {
        return;
    }
    tqa_writer_list(to, "warnings");
    put_far_items(to, tree->robot, tree->far, tree->n_far, tree->in_degrees);
    for (size_t k = 0; k < tree->n_remark; k++) {
        const uint32_t joint = tree->remarks[k].joint;
        put_warning(to, joint != TQ_NONE ? tree->robot->joint_names[joint] : "", 0,
                    tree->remarks[k].text);
    }
    tqa_writer_end(to);
}

/* Sample by sample: rarely run. The number of joints. */
static size_t find_far(const tqa_call *call, tqa_far found[TQA_FAR_MAX])
{
    const tqa_blocks *q = &call->request.motion[TQA_MOTION_Q];
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
    return n;
}

/* The largest torque of joints that nothing drives, of a tree: as inverse dynamics has it. 0: it is
 * rounding. */
static double find_undriven(const tqa_call *call, size_t *ret_sample)
{
    static const double least = 1e-6; /* N m or N, and of the largest torque */
    const tqa_blocks *tau = &call->tau;
    const bool is_transposed = call->result.arrays[0].is_transposed;
    const size_t step = is_transposed ? 1 : tau->stride;
    double most = 0.0, size = 1.0;
    for (size_t i = 0; i < call->request.n_sample; i++) {
        const double *sample =
            tqa_blocks_block(tau, i / TQ_BLOCK) + i % TQ_BLOCK * (is_transposed ? tau->n_row : 1);
        for (size_t r = 0; r < tau->n_row; r++) {
            const double x = fabs(sample[r * step]);
            size = fmax(size, x);
            if (!call->robot->actuated[r] && x > most) {
                most = x;
                *ret_sample = i;
            }
        }
    }
    return most > least * size ? most : 0.0;
}

/* The sample whose torque the driven joints can produce least, and how much is missing; 0: none. */
static double find_missing(const tqa_call *call, size_t *ret_sample)
{
    double most = 0.0;
    if (call->operation->methods == &tqa_inverse_dynamics_methods &&
        call->robot->constraints == NULL && call->robot->actuated != NULL) {
        return find_undriven(call, ret_sample);
    }
    for (size_t i = 0; call->missing.n_row > 0 && i < call->request.n_sample; i++) {
        const double x = *tqa_blocks_sample(&call->missing, i);
        if (x > most) {
            most = x;
            *ret_sample = i;
        }
    }
    return most;
}

static void put_warnings(tqa_call *call)
{
    tqa_far far[TQA_FAR_MAX];
    size_t sample = 0;
    const bool is_far = atomic_load_explicit(&call->is_far, memory_order_relaxed);
    const size_t n = is_far ? find_far(call, far) : 0;
    const double missing = find_missing(call, &sample);
    const bool is_forward = call->operation->methods == &tqa_forward_dynamics_methods;
    const double on_base = is_forward ? tqa_floating_most(call) : 0.0;
    if (n == 0 && missing == 0.0 && on_base == 0.0) {
        return;
    }
    tqa_writer *to = tqa_notes_next(call);
    tqa_writer_list(to, "warnings");
    put_far_items(to, call->robot, far, n, call->request.in_degrees);
    if (missing > 0.0) {
        char text[TQA_PROBLEM_TEXT];
        (void)snprintf(text, sizeof text,
                       "the joints of \"actuated\" cannot produce this motion: up to %.6g N m or N "
                       "are missing, which \"tau\" %s; \"include\": [\"actuation\"] "
                       "has them for each sample",
                       missing,
                       call->robot->constraints != NULL ? "does not have"
                                                        : "has at the joints without a motor");
        put_warning(to, "", sample, text);
    }
    if (on_base > 0.0) {
        const uint32_t joint = tqa_floating_undriven(call->robot, 0);
        char text[TQA_PROBLEM_TEXT];
        tqa_floating_text(call->robot, joint, on_base, text);
        put_warning(to, call->robot->joint_names[joint], 0, text);
    }
    tqa_writer_end(to);
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
    put_warnings(call);
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
