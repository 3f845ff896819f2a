/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/wrenches.c - recorded external wrenches: their fields, columns and memory. */
#include "api/recordings/wrenches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/recordings/finder.h"

enum { WRENCH = 6 };
static const char *const parts[] = {"force", "moment"};

/* ------------------------------------------------------------------------------------------------
 * The request, and columns
 */

static bool read_one(const tqa_value *part, tqa_recording_wrench *ret)
{
    static const char *const fields[] = {TQA_FIELDS_CALIBRATE_WRENCH, NULL};
    const tqa_value force = tqa_value_field(part, parts[0]);
    const tqa_value moment = tqa_value_field(part, parts[1]);
    const bool has_any = force.value != NULL || moment.value != NULL;
    tqa_load load;
    *ret = (tqa_recording_wrench){.part = *part};
    if (!tqa_value_object(part, fields) ||
        (!has_any &&
         !tqa_value_need(&force, "add \"force\": [\"fx\", \"fy\", \"fz\"], the names of "
                                 "its columns, or \"moment\", or both")) ||
        !tqa_value_fields(part, fields, tqa_load_needs(part)) ||
        !tqa_value_place(part, &load, &ret->sign)) {
        return false;
    }
    ret->link = load.point.link;
    ret->in_link = load.in_link;
    memcpy(ret->at, load.point.at, sizeof ret->at);
    return true;
}

bool tqa_wrench_columns_read(const tqa_value *object, tqa_recording_request *inout)
{
    const tqa_value part = tqa_value_field(object, "external_wrenches");
    size_t n = 0;
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_array(&part, 1, TQA_RECORDING_WRENCHES_MAX, &n)) {
        return false;
    }
    tqa_recording_wrench *list = tqa_tree_take(object->tree, n, sizeof *list);
    for (size_t k = 0; list != NULL && k < n; k++) {
        const tqa_value item = tqa_value_item(&part, k);
        if (!read_one(&item, &list[k])) {
            return false;
        }
    }
    inout->wrenches = list;
    inout->n_wrench = n;
    return list != NULL;
}

bool tqa_wrench_columns_find(tqa_recording *recording, const tqa_recording_source *source)
{
    const tqa_recording_request *request = recording->request;
    const size_t n = request->n_wrench;
    const tqa_finder f = {.recording = recording,
                          .request = request,
                          .table = source->table,
                          .source = recording->source[0]};
    if (n == 0) {
        return true;
    }
    if (recording->is_split || recording->is_commanded) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            recording->is_split ? "put all columns into one dataset" : "log the torques",
            "\"external_wrenches\" are columns of a dataset that has its torques");
    }
    recording->wrench_column = tqa_tree_take(request->tree, WRENCH * n, sizeof(uint32_t));
    for (size_t k = 0; recording->wrench_column != NULL && k < n; k++) {
        for (unsigned of = 0; of < 2; of++) {
            uint32_t *to = recording->wrench_column + WRENCH * k + 3 * of;
            const tqa_value part = tqa_value_field(&request->wrenches[k].part, parts[of]);
            to[0] = to[1] = to[2] = TQ_NONE;
            if (part.value != NULL &&
                !tqa_finder_read(&f, &part, TQA_RECORDING_BASE_POSITION, 3, to)) {
                return false;
            }
        }
    }
    return recording->wrench_column != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 */

bool tqa_wrench_rows_open(tqa_recording_rows *rows)
{
    const tqa_recording *recording = rows->recording;
    const tqa_recording_request *request = recording->request;
    const tq_mechanism *mechanism = request->options.mechanism;
    const size_t n = request->n_wrench;
    tq_wrench_place places[TQA_RECORDING_WRENCHES_MAX];
    if (n == 0) {
        return true;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_recording_wrench *from = &request->wrenches[k];
        places[k] = (tq_wrench_place){
            .link = from->link, .expressed_in = from->in_link ? TQ_FRAME_LINK : TQ_FRAME_WORLD};
        memcpy(places[k].at, from->at, sizeof places[k].at);
    }
    const size_t size = tq_wrench_rows_size(mechanism, n);
    tq_scratch memory;
    rows->wrench_memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    if (rows->wrench_memory == NULL) {
        return tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    tq_scratch_init(&memory, rows->wrench_memory, size);
    rows->wrenches = tq_wrench_rows_begin(mechanism, places, n, &memory);
    assert(rows->wrenches != NULL && "tq_wrench_rows_size counts all of it");
    return true;
}

void tqa_wrench_rows_close(tqa_recording_rows *rows)
{
    free(rows->wrench_memory);
    rows->wrench_memory = NULL;
    rows->wrenches = NULL;
}

void tqa_wrench_rows_convert(tqa_recording_rows *rows, const double *cells, size_t n, size_t pitch)
{
    const tqa_recording *recording = rows->recording;
    const tqa_recording_request *request = recording->request;
    for (size_t k = 0; rows->wrenches != NULL && k < WRENCH * request->n_wrench; k++) {
        const uint32_t column = recording->wrench_column[k];
        const double sign = request->wrenches[k / WRENCH].sign;
        double *to = tq_wrench_row(rows->wrenches, k / WRENCH, k % WRENCH) + rows->n_run;
        for (size_t i = 0; column != TQ_NONE && i < n; i++) {
            to[i] = sign * cells[column + i * pitch];
        }
        tq_rows_check(TQ_QUANTITY_TAU, n, to, rows->run.state + rows->n_run);
    }
}

bool tqa_wrench_rows_add(const tqa_recording_rows *rows)
{
    const tqa_recording *recording = rows->recording;
    tq_error error = {0};
    if (rows->wrenches == NULL) {
        return true;
    }
    const tq_status status =
        tq_wrench_rows_add(rows->wrenches, &recording->signal.channels,
                           tqa_recording_used(recording), &rows->run, rows->n_run, &error);
    return status == TQ_OK || tqa_recording_fail(recording, status, NULL, &error);
}
