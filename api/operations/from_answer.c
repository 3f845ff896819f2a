/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/from_answer.c - `log` and `residual` in an answer whose motion is a recording. */
#include "api/operations/from_answer.h"

#include <math.h>

#include "api/codec/writer.h"
#include "api/recordings/from.h"
#include "api/request/refuse.h"

/* `"key": {`, to be followed by n_member members, the array that closes the object included */
static tqa_writer open_object(const tqa_call *call, const char *key, size_t n_member)
{
    tqa_writer object = {.cbor = call->accept == TQA_MEDIA_CBOR};
    tqa_writer_members(&object);
    tqa_writer_object_of(&object, key, n_member);
    return object;
}

static bool add_object(tqa_call *call, tqa_writer *object, tqa_result_array array)
{
    char *before = tqa_writer_take_open(object, &array.n_before);
    if (!tqa_call_keep_text(call, before)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    array.before = before;
    array.closes = true;
    tqa_result_add_array(&call->result, &array);
    return true;
}

static bool add_log(tqa_call *call)
{
    tqa_from *from = call->request.from;
    tqa_writer members = open_object(call, "log", from->has_law ? 5 : 3);
    if (from->has_law) {
        tqa_writer_string(&members, "friction", "along_log");
        tqa_writer_number(&members, "delay_s", from->request.options.delay);
    }
    tqa_writer_object(&members, "source");
    tqa_recording_report(&members, &from->recording);
    tqa_writer_end(&members);
    tqa_writer_object(&members, "filter");
    tqa_recording_report_filter(&members, &from->request);
    tqa_writer_end(&members);
    return add_object(
        call, &members,
        (tqa_result_array){.key = "t", .blocks = &from->t, .n_row = 1, .scalar = true});
}

static void put_joint(tqa_writer *answer, const tqa_from *from, size_t v)
{
    double sum = 0.0, sum_sq = 0.0, left = 0.0, worst = 0.0, mean_left = 0.0;
    for (size_t i = 0; i < from->n; i++) {
        const double tau = tqa_blocks_sample(&from->measured, i)[v * from->measured.stride];
        const double e = tqa_blocks_sample(&from->residual, i)[v * from->residual.stride];
        sum += tau;
        left += e * e;
        mean_left += e;
        worst = fmax(worst, fabs(e));
    }
    const double n = (double)from->n;
    for (size_t i = 0; i < from->n; i++) {
        const double tau = tqa_blocks_sample(&from->measured, i)[v * from->measured.stride];
        sum_sq += (tau - sum / n) * (tau - sum / n);
    }
    tqa_writer_number(answer, "rmse", sqrt(left / n));
    tqa_writer_number(answer, "mean", mean_left / n);
    tqa_writer_number(answer, "worst", worst);
    if (sum_sq > 0.0) {
        tqa_writer_number(answer, "relative_error", sqrt(left / sum_sq));
    } else {
        tqa_writer_none(answer, "relative_error", "the logged torque is constant");
    }
}

static bool add_residual(tqa_call *call)
{
    tqa_from *from = call->request.from;
    const tqa_robot *robot = call->robot;
    if (!tqa_blocks_reserve(&from->residual, from->n)) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    for (size_t i = 0; i < from->n; i++) {
        const double *tau = tqa_blocks_sample(&from->measured, i);
        const double *model = tqa_blocks_sample(&call->tau, i);
        double *to = tqa_blocks_sample(&from->residual, i);
        for (size_t r = 0; r < from->order.nv; r++) {
            to[r * from->residual.stride] =
                tau[r * from->measured.stride] - model[r * call->tau.stride];
        }
    }
    tqa_writer members = open_object(call, "residual", 2);
    tqa_writer_list(&members, "by_joint");
    for (size_t r = 0; r < from->order.nv; r++) {
        const uint32_t v = from->order.v[r];
        for (uint32_t j = 0; j < robot->model->n_joint; j++) {
            const tq_joint *joint = &robot->model->joints[j];
            if (v >= joint->v_index && v < joint->v_index + joint->nv) {
                tqa_writer_object(&members, NULL);
                tqa_writer_string(&members, "joint", robot->joint_names[j]);
                put_joint(&members, from, v);
                tqa_writer_end(&members);
            }
        }
    }
    tqa_writer_end(&members);
    const uint32_t *map = call->request.reordered ? call->request.v_map : NULL;
    tqa_result_add(&call->result, "tau_measured", &from->measured, map);
    return add_object(
        call, &members,
        (tqa_result_array){
            .key = "tau", .blocks = &from->residual, .n_row = from->order.nv, .map = map});
}

bool tqa_from_add(tqa_call *call)
{
    if (call->accept == TQA_MEDIA_NPY) {
        return true; /* one array: the torque of the model */
    }
    return add_log(call) && (!call->request.from->has_tau || add_residual(call));
}
