/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/from.c - `from`: the samples of a computation out of a recording; `residual`: its
 * torque less the computed one. */
#include "api/recordings/from.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/request/refuse.h"
#include "core/dynamics/log_law.h"

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

void tqa_from_free(tqa_from *from)
{
    if (from == NULL) {
        return;
    }
    tqa_blocks_clear(&from->t);
    tqa_blocks_clear(&from->measured);
    tqa_blocks_clear(&from->residual);
    tqa_blocks_clear(&from->law);
    free(from);
}

const json_t *tqa_from_root(const tqa_from *from)
{
    return from->tree->root;
}

static bool open(tqa_request *request, const tqa_value *value)
{
    request->from = calloc(1, sizeof *request->from);
    if (request->from == NULL) {
        return tqa_refuse(request, UINT64_MAX, "busy", "try again", "there is no memory for this");
    }
    request->from->tree = value->tree;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Check
 */

static const char *const fields[] = {"dataset", "job",  "q",       "qd",      "qdd",
                                     "tau",     "time", "columns", "units",   "scale",
                                     "rate_hz", "rows", "filter",  "delay_s", NULL};

static bool set_order(const tqa_request *request, tqa_from *from)
{
    tqa_order *order = &from->order;
    order->nq = request->robot->model->nq;
    order->nv = request->robot->model->nv;
    order->q = tqa_tree_take(from->tree, order->nq + 1, sizeof(uint32_t));
    order->v = tqa_tree_take(from->tree, order->nv + 1, sizeof(uint32_t));
    if (order->q == NULL || order->v == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < order->nq; r++) {
        order->q[r] = request->reordered ? request->q_map[r] : r;
    }
    for (uint32_t r = 0; r < order->nv; r++) {
        order->v[r] = request->reordered ? request->v_map[r] : r;
    }
    return true;
}

static bool check(tqa_request *request)
{
    tqa_from *from = request->from;
    const tqa_value root = tqa_value_root(from->tree);
    const tqa_value part = tqa_value_field(&root, "from");
    for (size_t f = 0; f < request->schema->n_field; f++) {
        const tqa_field *field = &request->schema->fields[f];
        if ((request->seen & tqa_schema_columns(request->schema) & 1u << f) != 0) {
            return tqa_value_refuse(
                &part, "invalid-value", "leave one of them out",
                "the motion comes from a recording, and \"%s\" is there as well", field->name);
        }
    }
    const tq_model *model = request->robot->model;
    unsigned need = 1u << TQA_RECORDING_Q;
    need |= model->nq != model->nv ? 1u << TQA_RECORDING_QD | 1u << TQA_RECORDING_QDD : 0u;
    return tqa_value_object(&part, fields) && set_order(request, from) &&
           tqa_recording_request_read(&part, &from->order, need, &from->request) &&
           tqa_recording_read(&from->request, &part, &from->recording);
}

const tqa_receiver tqa_from_receiver = {.read = open, .finish = check};

/* ------------------------------------------------------------------------------------------------
 * The recording's samples
 */

/* appends rows of `data` to the samples that blocks already have */
static bool append(tqa_blocks *blocks, size_t at, const tqa_recording_block *block,
                   const double *data)
{
    const size_t n = block->data.n_sample;
    if (!tqa_blocks_reserve(blocks, at + n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        double *to = tqa_blocks_sample(blocks, at + i);
        for (size_t r = 0; r < blocks->n_row; r++) {
            to[r * blocks->stride] = data[r * block->data.stride + i];
        }
    }
    return true;
}

/* What joints have along recorded motion alone: it needs the samples in their order. */
static bool take_law(tqa_request *request, const tqa_recording_block *block)
{
    tqa_from *from = request->from;
    const tq_experiment_block *data = &block->data;
    const tq_log_motion motion = {.n_sample = data->n_sample,
                                  .stride = data->stride,
                                  .q = data->q,
                                  .qd = data->qd,
                                  .way = data->way,
                                  .fast = data->fast,
                                  .period = data->period,
                                  .begins = data->begins || from->n == 0};
    tq_log_law_compute(request->robot->mechanism, &motion, from->law_state, from->law_rows);
    return append(&from->law, from->n, block, from->law_rows);
}

static bool take(void *ctx, const tqa_recording_block *block)
{
    tqa_request *request = ctx;
    tqa_from *from = request->from;
    tqa_recording_block times = *block;
    times.data.stride = 0;
    bool good = append(&request->motion[TQA_MOTION_Q], from->n, block, block->data.q) &&
                append(&request->motion[TQA_MOTION_QD], from->n, block, block->data.qd) &&
                append(&request->motion[TQA_MOTION_QDD], from->n, block, block->data.qdd) &&
                append(&from->t, from->n, &times, block->t);
    if (good && block->data.tau_raw != NULL) {
        from->has_tau = true;
        good = append(&from->measured, from->n, block, block->data.tau_raw);
    }
    good = good && (!from->has_law || take_law(request, block));
    from->n += block->data.n_sample;
    return good || tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
}

/* As if the arrays had been in the request. */
static void declare(tqa_request *request)
{
    for (size_t f = 0; f < request->schema->n_field; f++) {
        const tqa_field *field = &request->schema->fields[f];
        if (tqa_field_is_motion(field) && field->motion < TQA_MOTION_TAU) {
            request->seen |= 1u << f;
            request->rows[field->motion].shape = TQA_SHAPE_BATCH;
            request->rows[field->motion].n_sample = request->from->n;
        }
    }
}

/* The law of the robot along recordings, or NULL. Constrained robots have none: their torques are
 * not those of joints. */
static const tq_log_law *law_of(const tqa_request *request)
{
    return request->robot->constraints == NULL &&
                   (request->without & (unsigned)TQ_WITHOUT_FRICTION) == 0
               ? tq_first_log_law(request->robot->model)
               : NULL;
}

/* Recordings are read as those that the law was fitted to, unless the request says how. */
static void set_delay(const tqa_request *request, tqa_from *from)
{
    static const double most = 0.05; /* s: allowed at any rate */
    const tq_log_law *law = law_of(request);
    if (law != NULL && !from->request.has_delay && fabs(law->delay) <= most) {
        from->request.options.delay = law->delay;
    }
}

static void set_cutoff(const tqa_request *request, tqa_from *from)
{
    static const double most = 0.4; /* of the rate */
    const tq_log_law *law = law_of(request);
    const tqa_value filter = tqa_value_field(&from->request.object, "filter");
    if (law != NULL && filter.value == NULL && law->cutoff > 0.0 &&
        law->cutoff * from->recording.signal.step <= most) {
        from->request.options.filter.cutoff = law->cutoff;
        from->request.options.filter.is_auto = false;
    }
}

static bool take_law_memory(const tqa_request *request, tqa_from *from)
{
    const tq_model *model = request->robot->model;
    from->has_law = law_of(request) != NULL;
    if (!from->has_law) {
        return true;
    }
    tqa_blocks_init(&from->law, 2 * model->nv, NULL, request->budget);
    from->law_state = tqa_tree_take(from->tree, 2 * model->nv, sizeof(double));
    from->law_rows = tqa_tree_take(from->tree, 2 * model->nv * TQ_BLOCK, sizeof(double));
    return from->law_state != NULL && from->law_rows != NULL;
}

bool tqa_from_read(tqa_request *request, const tqa_host *host)
{
    tqa_from *from = request->from;
    from->tree->host = host;
    set_delay(request, from);
    tqa_blocks_init(&from->t, 1, NULL, request->budget);
    tqa_blocks_init(&from->measured, from->order.nv, NULL, request->budget);
    tqa_blocks_init(&from->residual, from->order.nv, NULL, request->budget);
    if (!take_law_memory(request, from) || !tqa_recording_inspect(&from->recording)) {
        return false;
    }
    set_cutoff(request, from);
    tqa_recording_choose_cutoff(&from->request, &from->recording, 1, 1);
    if (!tqa_recording_pass(&from->recording, take, request)) {
        return false;
    }
    if (from->n == 0) {
        return tqa_value_refuse(&from->recording.part, "wrong-length",
                                "widen \"rows\" or \"rate_hz\", or send a longer recording",
                                "no sample of \"%.80s\" is left", from->recording.name);
    }
    declare(request);
    return tqa_request_arrive(request);
}
