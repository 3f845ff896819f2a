/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/commanded.c - columns of commanded motion, memory for the law that makes torque of
 * them, and refusals of such recordings. */
#include "api/recordings/commanded.h"

#include <assert.h>
#include <stdlib.h>

bool tqa_commanded_has_feed_forward(const tqa_recording *recording)
{
    return recording->column[TQA_RECORDING_TAU_FF] != NULL;
}

bool tqa_commanded_has_rates(const tqa_recording *recording)
{
    return recording->column[TQA_RECORDING_QD] != NULL &&
           recording->column[TQA_RECORDING_QD_CMD] != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 */

bool tqa_commanded_open(tqa_recording_rows *rows)
{
    tqa_recording *recording = rows->recording;
    const tqa_recording_request *request = recording->request;
    if (!recording->is_commanded) {
        return true;
    }
    const tq_commanded_setup setup = {.mechanism = request->options.mechanism,
                                      .law = request->law,
                                      .channels = &recording->signal.channels,
                                      .has_rate = recording->column[TQA_RECORDING_QD_CMD] != NULL};
    const size_t size = tq_commanded_size(&setup);
    tq_scratch memory;
    rows->commanded_memory = aligned_alloc(TQ_SCRATCH_ALIGN, size);
    if (recording->follows == NULL) {
        recording->follows =
            tqa_tree_take(request->tree, request->order->nv, sizeof *recording->follows);
    }
    if (rows->commanded_memory == NULL || recording->follows == NULL) {
        return tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    tq_scratch_init(&memory, rows->commanded_memory, size);
    rows->commanded = tq_commanded_begin(&setup, &memory);
    assert(rows->commanded != NULL && "tq_commanded_size counts all of it");
    return true;
}

void tqa_commanded_close(tqa_recording_rows *rows)
{
    free(rows->commanded_memory);
    rows->commanded_memory = NULL;
    rows->commanded = NULL;
}

void tqa_commanded_resume(tqa_recording_rows *rows)
{
    if (rows->commanded != NULL && rows->n_run == 0) {
        rows->n_run = tq_commanded_resume(rows->commanded, &rows->run);
    }
}

void tqa_commanded_convert(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                           size_t n, size_t pitch)
{
    const tqa_recording *recording = rows->recording;
    static const struct {
        tqa_recording_quantity quantity;
        tq_command command;
        tq_quantity like;
    } commands[TQ_COMMANDS] = {{TQA_RECORDING_Q_CMD, TQ_COMMAND_Q, TQ_QUANTITY_Q},
                               {TQA_RECORDING_QD_CMD, TQ_COMMAND_QD, TQ_QUANTITY_QD},
                               {TQA_RECORDING_TAU_FF, TQ_COMMAND_TAU_FF, TQ_QUANTITY_TAU}};
    for (size_t k = 0; rows->commanded != NULL && k < TQ_COMMANDS; k++) {
        const tqa_recording_quantity q = commands[k].quantity;
        const size_t width =
            recording->column[q] != NULL && cells[q] != NULL ? recording->request->order->nv : 0;
        for (size_t r = 0; r < width; r++) {
            const double *from = cells[q] + recording->column[q][r];
            double *to = tq_commanded_row(rows->commanded, commands[k].command, r) + rows->n_run;
            for (size_t i = 0; i < n; i++) {
                to[i] = recording->factor[q][r] * from[i * pitch];
            }
            tq_rows_check(commands[k].like, n, to, rows->run.state + rows->n_run);
        }
    }
}

bool tqa_commanded_finish(tqa_recording_rows *rows, bool more)
{
    tqa_recording *recording = rows->recording;
    tq_error error = {0};
    if (rows->commanded == NULL) {
        return true;
    }
    const bool is_survey = !recording->signal.has_survey;
    const tq_status status = tq_commanded_compute(rows->commanded, &rows->run, &rows->n_run, more,
                                                  is_survey ? recording->follows : NULL, &error);
    if (is_survey) {
        recording->longest_unseen = tq_commanded_longest_step(rows->commanded);
    }
    return status == TQ_OK || tqa_recording_fail(recording, status, NULL, &error);
}

/* ------------------------------------------------------------------------------------------------
 * Checks of a surveyed recording
 */

/* A controller's integral is that of all rows since it was 0. */
static bool check_integral(const tqa_recording *recording)
{
    const tqa_recording_window *windows = recording->windows;
    const bool has_all =
        recording->n_window == 0 || (recording->n_window == 1 && windows[0].first == 0);
    if (!recording->is_commanded || recording->request->law->ki == NULL) {
        return true;
    }
    if (!has_all) {
        return tqa_value_refuse(
            &recording->part, "invalid-value", "choose one range of rows, from row 0 on",
            "\"%.60s\": the integral of \"ki\" is that of all rows before", recording->name);
    }
    return !(recording->longest_unseen > recording->signal.gap) ||
           tqa_value_refuse(&recording->part, "invalid-value",
                            "choose the \"rows\" before it, or log the controller's integral as a "
                            "part of \"tau_ff\", without \"ki\"",
                            "\"%.60s\": %.3g s without a row, in which the integral of \"ki\" "
                            "went on",
                            recording->name, recording->longest_unseen);
}

bool tqa_commanded_check(const tqa_recording *recording)
{
    const tqa_robot *robot = recording->request->tree->robot;
    const uint64_t n_saturated = recording->signal.repairs[TQ_REPAIR_SATURATED].n;
    for (uint32_t j = 0; recording->is_commanded && j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        const tq_commanded_sums *sums = &recording->follows[joint->v_index];
        double off = 0.0;
        double moving = 0.0;
        if (joint->nv == 1 && joint->mimic == TQ_NONE && sums->n > 0.0 &&
            tq_commanded_is_off(sums, &off, &moving)) {
            return tqa_value_refuse(&recording->part, "invalid-value",
                                    "choose the columns of \"q_cmd\", or say their units: "
                                    "\"units\": {\"q_cmd\": \"deg\"}",
                                    "\"%.60s\": joint \"%.60s\" is %.3g off its commanded position "
                                    "(rms) where it moves by %.3g: it does not follow it",
                                    recording->name, robot->joint_names[j], off, moving);
        }
    }
    if (recording->is_commanded && 2 * n_saturated > recording->signal.n_chosen) {
        return tqa_value_refuse(&recording->part, "invalid-value",
                                "check the gains and their units, or state the limits that hold: "
                                "\"controller\": {\"effort_limits\": [...]}",
                                "\"%.60s\": in %llu of %llu rows the controller's law is at the "
                                "limit of a joint's effort, where torque is not known",
                                recording->name, (unsigned long long)n_saturated,
                                (unsigned long long)recording->signal.n_chosen);
    }
    return check_integral(recording);
}
