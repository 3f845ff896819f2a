/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/static_check.c - the static gravity check of a calibration's answer. */
#include <math.h>

#include "api/codec/writer.h"
#include "api/operations/calibrate/calibrate.h"

static void put_joint(const tqa_calibration *c, const tq_static_residual *residual, uint32_t v)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "joint", c->tree->robot->joint_names[tqa_calibration_joint(c, v)]);
    tqa_writer_number(answer, "torque", residual->torque);
    tqa_writer_number(answer, "rmse", residual->rmse);
    tqa_writer_number(answer, "worst", residual->worst);
    tqa_writer_number(answer, "friction_band", residual->band);
    tqa_writer_count(answer, "poses_outside", residual->n_outside);
    tqa_writer_number(answer, "excess", residual->excess);
    tqa_writer_count(answer, "pairs", residual->n_pair);
    if (residual->n_pair > 0) {
        tqa_writer_number(answer, "pair_rmse", residual->pair_rmse);
    } else {
        tqa_writer_none(answer, "pair_rmse", "it never came to one pose from either side");
    }
    if (isfinite(residual->relative)) {
        tqa_writer_number(answer, "relative_error", residual->relative);
    } else {
        tqa_writer_none(answer, "relative_error", "the joint carries no torque");
    }
    tqa_writer_end(answer);
}

static bool has_brakes(const tqa_calibration *c)
{
    bool any = false;
    for (size_t i = 0; i < c->n_log; i++) {
        any = any || c->logs[i].signal.repairs[TQ_REPAIR_BRAKED].n > 0;
    }
    return any;
}

void tqa_calibration_put_static_check(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const tq_static_check *check = c->found->static_check;
    const size_t n_pose = tq_static_check_of(check, 0).n_pose;
    if (n_pose == 0 && has_brakes(c)) {
        tqa_writer_none(
            answer, "gravity_check",
            "at standstill brakes hold the robot and its torque carries no information: add "
            "poses that its motors hold to \"validate\"");
        return;
    }
    if (n_pose == 0) {
        tqa_writer_none(
            answer, "gravity_check",
            "the robot is never at standstill for a quarter of a second between the ends "
            "of the logs: add poses to \"validate\"");
        return;
    }
    tqa_writer_object(answer, "gravity_check");
    tqa_writer_flag(answer, "used_in_fit", !c->found->static_check_unseen);
    tqa_writer_count(answer, "poses", n_pose);
    tqa_writer_list(answer, "by_joint");
    for (size_t r = 0; r < c->order.nv; r++) {
        if (!tqa_calibration_judges(c, c->order.v[r])) {
            continue;
        }
        const tq_static_residual residual = tq_static_check_of(check, c->order.v[r]);
        put_joint(c, &residual, c->order.v[r]);
    }
    tqa_writer_end(answer);
    const tq_static_residual_payload body = tq_static_check_payload(check);
    if (isfinite(body.mass)) {
        tqa_writer_object(answer, "payload");
        tqa_writer_string(answer, "link", c->tree->robot->link_names[body.link]);
        tqa_writer_number(answer, "mass", body.mass);
        tqa_writer_number(answer, "standard_deviation_kg", body.deviation);
        tqa_writer_end(answer);
    } else {
        static const char *const why[] = {
            [TQ_STATIC_RESIDUAL_FOUND] = "",
            [TQ_STATIC_RESIDUAL_BODILESS] =
                "joint by joint there are no bodies: fit the model \"base\"",
            [TQ_STATIC_RESIDUAL_FEW] = "too few different poses",
            [TQ_STATIC_RESIDUAL_ALIKE] = "the poses are too much alike",
        };
        tqa_writer_none(answer, "payload", why[body.fault]);
    }
    tqa_writer_end(answer);
}
