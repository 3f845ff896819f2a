/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/residuals.c - the answer's residuals: of the fit and of its
 * validation, by joint. */
#include "api/openapi/generated/fields.h"
#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"
#include "api/response/document.h"
#include "api/response/robot_writer.h"
#include <math.h>

static void put_judged(tqa_writer *answer, const char *key, const tq_residual_stats *judged)
{
    if (judged->n_sample == 0) {
        return;
    }
    tqa_writer_object(answer, key);
    tqa_writer_count(answer, "samples", judged->n_sample);
    tqa_writer_number(answer, "rmse", judged->rmse);
    tqa_writer_finite(answer, "relative_error", judged->relative_error, "the torque is constant");
    tqa_writer_number(answer, "worst", judged->worst);
    tqa_writer_number(answer, "mean", judged->mean);
    tqa_writer_finite(answer, "autocorrelation_1", judged->lag_one, "the residual is 0");
    tqa_writer_finite(answer, "autocorrelation_10", judged->lag_ten, "the residual is 0");
    tqa_writer_number(answer, "white_autocorrelation", tq_residual_white(judged));
    tqa_writer_end(answer);
}

/* Fractions of the squared residual that missing terms would explain. */
static void put_shares(tqa_writer *answer, const tq_residual_stats *judged)
{
    if (judged->n_sample == 0) {
        return;
    }
    tqa_writer_object(answer, "explained_by");
    tqa_writer_number(answer, "slow_friction", judged->by_slowness);
    tqa_writer_number(answer, "load_friction", judged->by_load);
    tqa_writer_number(answer, "position", judged->by_position);
    tqa_writer_end(answer);
}

static void put_joints(const tqa_calibration *c, const tq_identify_residuals *judged)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "by_joint");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint",
                          c->tree->robot->joint_names[tqa_calibration_joint(c, v)]);
        if (!tqa_calibration_judges(c, v)) {
            tqa_writer_end(answer);
            continue;
        }
        put_judged(answer, "all", &judged->parts[TQ_RESIDUALS_ALL][v]);
        put_judged(answer, "moving", &judged->parts[TQ_RESIDUALS_MOVING][v]);
        put_judged(answer, "standing", &judged->parts[TQ_RESIDUALS_STANDING][v]);
        put_shares(answer, &judged->parts[TQ_RESIDUALS_ALL][v]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

/* RMSE by joint; 0: none of its torques are used. */
static void put_rmse(const tqa_calibration *c, const tq_identify_residuals *judged)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "rmse");
    for (size_t r = 0; r < c->order.nv; r++) {
        const tq_residual_stats *all = &judged->parts[TQ_RESIDUALS_ALL][c->order.v[r]];
        tqa_writer_number(answer, NULL, all->n_sample > 0 ? all->rmse : 0.0);
    }
    tqa_writer_end(answer);
}

void tqa_calibration_put_residuals(const tqa_calibration *c)
{
    static const char *const kinds[] = {TQA_WORDS_CALIBRATE_RESULT_VALIDATION_KIND};
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, "fit");
    put_rmse(c, &c->found->fitted);
    put_joints(c, &c->found->fitted);
    tqa_writer_end(answer);
    tqa_writer_object(answer, "validation");
    tqa_writer_string(answer, "kind", kinds[c->options.validation]);
    if (c->options.validation != TQ_VALIDATE_NONE) {
        put_rmse(c, &c->found->validated);
        put_joints(c, &c->found->validated);
        tqa_writer_list(answer, "by_dataset");
        for (size_t i = c->options.validation == TQ_VALIDATE_SEPARATE ? c->n_fitted : 0;
             i < c->n_log; i++) {
            tqa_writer_object(answer, NULL);
            tqa_writer_string(answer, "name", c->logs[i].name);
            put_rmse(c, &c->found->recordings[i]);
            tqa_writer_end(answer);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}
