/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/limits.c - violations of limits of position, velocity and torque: amount and
 * place. */
#include "api/operations/terms/limits.h"

#include <math.h>

#include "api/call/notes.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/terms.h"

enum { LOWER, UPPER, VELOCITY, TORQUE, N_LIMIT };

static const char *const names[] = {TQA_WORDS_TERM_PROPERTIES_LIMITS_EXCEEDED_LIMIT, NULL};

/* One coordinate over the samples: factor * row + offset. */
typedef struct series {
    const tqa_blocks *blocks;
    size_t row;
    double factor, offset;
    bool is_turned; /* sample by sample in a block */
} series;

static double value_at(const series *s, size_t i)
{
    const tqa_blocks *blocks = s->blocks;
    const double x =
        s->is_turned ? tqa_blocks_block(blocks, i / TQ_BLOCK)[i % TQ_BLOCK * blocks->n_row + s->row]
                     : tqa_blocks_sample(blocks, i)[s->row * blocks->stride];
    return s->factor * x + s->offset;
}

/* Writes the worst sample beyond a bound, if there is one. */
static void put_exceeded(tqa_call *call, tqa_writer *to, uint32_t j, unsigned limit, double bound,
                         const series *s)
{
    double worst = 0.0, value = 0.0;
    size_t at = 0, n = 0;
    for (size_t i = 0; i < call->request.n_sample; i++) {
        const double x = value_at(s, i);
        const double beyond = limit == LOWER ? bound - x : (limit == UPPER ? x : fabs(x)) - bound;
        n += beyond > 0.0;
        if (beyond > worst) {
            worst = beyond, value = x, at = i;
        }
    }
    if (n == 0) {
        return;
    }
    const bool turns = call->model->joints[j].kind != TQ_JOINT_PRISMATIC && limit != TORQUE;
    const double unit = turns && call->request.in_degrees ? tqa_radians_of_degree : 1.0;
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "joint", call->robot->joint_names[j]);
    tqa_writer_string(to, "limit", names[limit]);
    tqa_writer_number(to, "bound", bound / unit);
    tqa_writer_number(to, "worst", value / unit);
    tqa_writer_number(to, "by", worst / unit);
    tqa_writer_count(to, "sample", at);
    tqa_writer_count(to, "samples", n);
    tqa_writer_end(to);
}

/* The bound of a joint; infinite where it has none: velocities and torques of 0 are those of files
 * that do not state them. */
static double bound_of(const tq_joint *joint, unsigned limit)
{
    const tq_limits *limits = &joint->limits;
    const bool turns_on = joint->kind == TQ_JOINT_CONTINUOUS;
    switch (limit) {
    case LOWER:
        return turns_on ? -(double)INFINITY : limits->lower;
    case UPPER:
        return turns_on ? (double)INFINITY : limits->upper;
    case VELOCITY:
        return limits->velocity > 0.0 ? limits->velocity : (double)INFINITY;
    default:
        return limits->effort > 0.0 && joint->mimic == TQ_NONE ? limits->effort : (double)INFINITY;
    }
}

static bool has_limits(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE || (joint->nq == 1 && joint->nv == 1);
}

/* The series that a limit of joint j bounds; false: it is zero, and exceeds no limit. */
static bool find_series(const tqa_call *call, const tq_joint *joint, unsigned limit, series *ret)
{
    const tqa_request *request = &call->request;
    const bool follows = joint->mimic != TQ_NONE;
    const tqa_motion motion = limit <= UPPER      ? TQA_MOTION_Q
                              : limit == VELOCITY ? TQA_MOTION_QD
                                                  : TQA_MOTION_TAU;
    const bool is_answer = limit == TORQUE &&
                           request->rows[TQA_MOTION_TAU].shape == TQA_SHAPE_NONE &&
                           call->operation->methods == &tqa_inverse_dynamics_methods;
    *ret = (series){
        .blocks = is_answer ? &call->tau : &request->motion[motion],
        .row = limit <= UPPER ? joint->q_index : joint->v_index,
        .factor = follows ? joint->mimic_multiplier : 1.0,
        .offset = follows && limit <= UPPER ? joint->mimic_offset : 0.0,
        .is_turned = is_answer && call->result.arrays[0].is_turned,
    };
    const bool given = is_answer || request->rows[motion].shape != TQA_SHAPE_NONE;
    return given && isfinite(bound_of(joint, limit));
}

void tqa_limits_add(tqa_call *call)
{
    const tq_model *model = call->robot->model;
    if ((call->request.include & TQA_INCLUDE_LIMITS) == 0 || !tqa_notes_fit(call)) {
        return;
    }
    tqa_writer *to = tqa_notes_next(call);
    tqa_writer_object(to, "limits");
    tqa_writer_list(to, "exceeded");
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (unsigned limit = 0; limit < N_LIMIT && has_limits(&model->joints[j]); limit++) {
            series s;
            if (find_series(call, &model->joints[j], limit, &s)) {
                put_exceeded(call, to, j, limit, bound_of(&model->joints[j], limit), &s);
            }
        }
    }
    tqa_writer_end(to);
    tqa_writer_list(to, "unlimited");
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (unsigned limit = 0; limit < N_LIMIT && has_limits(&model->joints[j]); limit++) {
            if (!isfinite(bound_of(&model->joints[j], limit)) &&
                !(limit == TORQUE && model->joints[j].mimic != TQ_NONE)) {
                tqa_writer_object(to, NULL);
                tqa_writer_string(to, "joint", call->robot->joint_names[j]);
                tqa_writer_string(to, "limit", names[limit]);
                tqa_writer_end(to);
            }
        }
    }
    tqa_writer_end(to);
    tqa_writer_end(to);
}
