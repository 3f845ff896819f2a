/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/wrenches.c - recorded external wrenches: their generalised forces are added to the
 * torque of each row. */
#include "api/recordings/wrenches.h"

#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/recordings/finder.h"
#include "core/dynamics/inverse.h"

enum { RUN = TQ_RAW_ROWS, WRENCH = 6 };
static const char *const parts[] = {"force", "moment"};

struct tqa_wrench_rows {
    size_t nq, nv, n;
    tq_external_wrench *list; /* (n) over rows of `values` */
    double *values;           /* (6 n x RUN) of the run */
    double *motion;           /* (nq + nv) x TQ_BLOCK_STRIDE: q, and -J^T w */
    tq_scratch scratch;
};

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
    const size_t n = request->n_wrench;
    if (n == 0) {
        return true;
    }
    const tq_model *model = request->options.model;
    const size_t n_motion = (model->nq + model->nv) * TQ_BLOCK_STRIDE * sizeof(double);
    const size_t scratch = tq_inverse_scratch_size(request->options.mechanism, n);
    tqa_wrench_rows *w = calloc(1, sizeof *w);
    rows->wrenches = w;
    if (w != NULL) {
        *w = (tqa_wrench_rows){.nq = model->nq, .nv = model->nv, .n = n};
        w->list = calloc(n, sizeof *w->list);
        w->values = calloc(WRENCH * n * RUN, sizeof *w->values);
        w->motion = aligned_alloc(64, (n_motion + scratch + 127) / 64 * 64);
    }
    if (w == NULL || w->list == NULL || w->values == NULL || w->motion == NULL) {
        return tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    memset(w->motion, 0, n_motion);
    tq_scratch_init(&w->scratch, (char *)w->motion + (n_motion + 63) / 64 * 64, scratch);
    for (size_t k = 0; k < n; k++) {
        const tqa_recording_wrench *from = &request->wrenches[k];
        w->list[k] =
            (tq_external_wrench){.link = from->link,
                                 .expressed_in = from->in_link ? TQ_FRAME_LINK : TQ_FRAME_WORLD,
                                 .rows = w->values + WRENCH * k * RUN,
                                 .row_stride = RUN,
                                 .sample_step = 1};
        memcpy(w->list[k].at, from->at, sizeof from->at);
    }
    return true;
}

void tqa_wrench_rows_close(tqa_recording_rows *rows)
{
    tqa_wrench_rows *w = rows->wrenches;
    if (w != NULL) {
        free(w->list);
        free(w->values);
        free(w->motion);
        free(w);
    }
    rows->wrenches = NULL;
}

void tqa_wrench_rows_convert(tqa_recording_rows *rows, const double *cells, size_t n, size_t pitch)
{
    tqa_wrench_rows *w = rows->wrenches;
    const tqa_recording *recording = rows->recording;
    for (size_t k = 0; w != NULL && k < WRENCH * w->n; k++) {
        const uint32_t column = recording->wrench_column[k];
        const double sign = recording->request->wrenches[k / WRENCH].sign;
        double *to = w->values + k * RUN + rows->n_run;
        for (size_t i = 0; column != TQ_NONE && i < n; i++) {
            to[i] = sign * cells[column + i * pitch];
        }
        tq_rows_check(TQ_QUANTITY_TAU, n, to, rows->run.state + rows->n_run);
    }
}

/* q of the run; rows that are left out may hold anything, and get that of another row */
static bool copy_motion(const tqa_recording_rows *rows)
{
    const tqa_wrench_rows *w = rows->wrenches;
    const size_t first = rows->recording->signal.channels.first[TQ_QUANTITY_Q];
    size_t good = 0;
    while (good < rows->n_run && rows->run.state[good] != TQ_ROW_GOOD) {
        good++;
    }
    if (good == rows->n_run) {
        return false;
    }
    for (size_t k = 0; k < w->nq; k++) {
        const double *from = rows->run.values + (first + k) * RUN;
        double *to = w->motion + k * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < rows->n_run; i++) {
            to[i] = from[rows->run.state[i] == TQ_ROW_GOOD ? i : good];
        }
    }
    for (size_t k = 0; k < WRENCH * w->n; k++) {
        for (size_t i = 0; i < rows->n_run; i++) {
            double *x = &w->values[k * RUN + i];
            *x = rows->run.state[i] == TQ_ROW_GOOD ? *x : 0.0;
        }
    }
    return true;
}

bool tqa_wrench_rows_add(const tqa_recording_rows *rows)
{
    static const double weightless[3] = {0.0, 0.0, 0.0};
    tqa_wrench_rows *w = rows->wrenches;
    const tqa_recording *recording = rows->recording;
    const bool *used = tqa_recording_used(recording);
    tq_error error = {0};
    if (w == NULL || rows->n_run == 0 || !copy_motion(rows)) {
        return true;
    }
    double *tau = w->motion + w->nq * TQ_BLOCK_STRIDE;
    const tq_inverse_input in = {
        .n_sample = rows->n_run,
        .stride = TQ_BLOCK_STRIDE,
        .q = w->motion,
        .wrenches = w->list,
        .n_wrench = w->n,
        .gravity = weightless,
        .without = (unsigned)(TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_DRAG)};
    const tq_status status =
        tq_inverse_dynamics(recording->request->options.mechanism, &in, &w->scratch, tau, &error);
    if (status != TQ_OK) {
        return tqa_recording_fail(recording, status, NULL, &error);
    }
    const size_t first = recording->signal.channels.first[TQ_QUANTITY_TAU];
    for (size_t r = 0; r < w->nv; r++) {
        double *to = rows->run.values + (first + r) * RUN;
        for (size_t i = 0; (used == NULL || used[r]) && i < rows->n_run; i++) {
            to[i] -= tau[r * TQ_BLOCK_STRIDE + i];
        }
    }
    return true;
}
