/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/limits.c - violations of limits of position, velocity and torque: amount and
 * place. */
#include "api/operations/terms/limits.h"

#include <math.h>
#include <stdlib.h>

#include "api/call/notes.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/terms.h"
#include "api/request/refuse.h"

static const char *const names[] = {TQA_WORDS_TERM_PROPERTIES_LIMITS_EXCEEDED_LIMIT, NULL};

/* The bound of a joint; infinite where it has none: velocities and torques of 0 are those of files
 * that do not state them. */
static double bound_of(const tq_joint *joint, tqa_limit limit)
{
    const tq_limits *limits = &joint->limits;
    const bool turns_on = joint->kind == TQ_JOINT_CONTINUOUS;
    switch (limit) {
    case TQA_LIMIT_LOWER:
        return turns_on ? -(double)INFINITY : limits->lower;
    case TQA_LIMIT_UPPER:
        return turns_on ? (double)INFINITY : limits->upper;
    case TQA_LIMIT_VELOCITY:
        return limits->velocity > 0.0 ? limits->velocity : (double)INFINITY;
    case TQA_LIMIT_TORQUE:
    case TQA_LIMITS:
        break;
    }
    return limits->effort > 0.0 && joint->mimic == TQ_NONE ? limits->effort : (double)INFINITY;
}

static bool has_limits(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE || (joint->nq == 1 && joint->nv == 1);
}

size_t tqa_watched_joints(const tq_model *model, tqa_watched *ret)
{
    size_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const bool follows = joint->mimic != TQ_NONE;
        for (tqa_limit limit = TQA_LIMIT_LOWER; limit < TQA_LIMITS && has_limits(joint); limit++) {
            const bool of_q = limit <= TQA_LIMIT_UPPER;
            const tqa_watched one = {
                .joint = j,
                .limit = limit,
                .row = of_q ? joint->q_index : joint->v_index,
                .factor = follows ? joint->mimic_multiplier : 1.0,
                .offset = follows && of_q ? joint->mimic_offset : 0.0,
                .bound = bound_of(joint, limit),
                .slack = tqa_limit_slack(bound_of(joint, limit)),
            };
            if (isfinite(one.bound)) {
                ret[n++] = one;
            }
        }
    }
    return n;
}

const char *tqa_watched_name(const tqa_watched *watched)
{
    return names[watched->limit];
}

void tqa_watched_put(const tqa_watched *watched, const char *joint, double unit, const double *t,
                     tqa_writer *to)
{
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "joint", joint);
    tqa_writer_string(to, "limit", names[watched->limit]);
    tqa_writer_number(to, "bound", watched->bound / unit);
    tqa_writer_number(to, "worst", watched->worst / unit);
    tqa_writer_number(to, "by", watched->by / unit);
    tqa_writer_count(to, "sample", watched->at);
    if (t != NULL) {
        tqa_writer_number(to, "t", *t);
    }
    tqa_writer_count(to, "samples", watched->n);
    tqa_writer_end(to);
}

/* One coordinate over the samples. */
typedef struct series {
    const tqa_blocks *blocks;
    size_t row;
} series;

/* Row by row: with "include", and limits are one, no answer is transposed (tqa_transpose_is_on). */
static double value_at(const series *s, size_t i)
{
    return tqa_blocks_sample(s->blocks, i)[s->row * s->blocks->stride];
}

/* The series that a limit bounds; false: it is zero, and exceeds no limit. */
static bool find_series(const tqa_call *call, const tqa_watched *watched, series *ret)
{
    const tqa_request *request = &call->request;
    const tqa_limit limit = watched->limit;
    const tqa_motion motion = limit <= TQA_LIMIT_UPPER      ? TQA_MOTION_Q
                              : limit == TQA_LIMIT_VELOCITY ? TQA_MOTION_QD
                                                            : TQA_MOTION_TAU;
    const bool is_answer = limit == TQA_LIMIT_TORQUE &&
                           request->rows[TQA_MOTION_TAU].shape == TQA_SHAPE_NONE &&
                           call->operation->methods == &tqa_inverse_dynamics_methods;
    *ret = (series){
        .blocks = is_answer ? &call->tau : &request->motion[motion],
        .row = watched->row,
    };
    return is_answer || request->rows[motion].shape != TQA_SHAPE_NONE;
}

/* Writes the worst sample beyond a bound, if there is one. */
static void put_exceeded(tqa_call *call, tqa_writer *to, tqa_watched *watched)
{
    series s;
    const tq_joint *joint = &call->model->joints[watched->joint];
    if (!find_series(call, watched, &s)) {
        return;
    }
    for (size_t i = 0; i < call->request.n_sample; i++) {
        tqa_watched_note(watched, value_at(&s, i), i);
    }
    if (watched->n > 0) {
        const bool turns = joint->kind != TQ_JOINT_PRISMATIC && watched->limit != TQA_LIMIT_TORQUE;
        const double unit = turns && call->request.in_degrees ? tqa_radians_of_degree : 1.0;
        tqa_watched_put(watched, call->robot->joint_names[watched->joint], unit, NULL, to);
    }
}

static void put_unlimited(const tqa_call *call, tqa_writer *to)
{
    const tq_model *model = call->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (tqa_limit limit = TQA_LIMIT_LOWER; limit < TQA_LIMITS && has_limits(joint); limit++) {
            if (!isfinite(bound_of(joint, limit)) &&
                !(limit == TQA_LIMIT_TORQUE && joint->mimic != TQ_NONE)) {
                tqa_writer_object(to, NULL);
                tqa_writer_string(to, "joint", call->robot->joint_names[j]);
                tqa_writer_string(to, "limit", names[limit]);
                tqa_writer_end(to);
            }
        }
    }
}

bool tqa_limits_add(tqa_call *call)
{
    const tq_model *model = call->robot->model;
    if ((call->request.include & TQA_INCLUDE_LIMITS) == 0 || !tqa_notes_fit(call)) {
        return true;
    }
    tqa_watched *watched = malloc((TQA_LIMITS * (size_t)model->n_joint + 1) * sizeof *watched);
    if (watched == NULL) {
        return tqa_refuse_rows(&call->request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    const size_t n = tqa_watched_joints(model, watched);
    tqa_writer *to = tqa_notes_next(call);
    tqa_writer_object(to, "limits");
    tqa_writer_list(to, "exceeded");
    for (size_t k = 0; k < n; k++) {
        put_exceeded(call, to, &watched[k]);
    }
    free(watched);
    tqa_writer_end(to);
    tqa_writer_list(to, "unlimited");
    put_unlimited(call, to);
    tqa_writer_end(to);
    tqa_writer_end(to);
    return true;
}
