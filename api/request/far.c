/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/far.c - joints that are far beyond their limits, and the texts about them. */
#include "api/request/far.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/block.h"

/* Signs of q - least and most - q, two numbers at a time: comparisons would cost a batch in NPY a
 * tenth of its time. */
typedef double vector __attribute__((vector_size(16)));
typedef int64_t signs __attribute__((vector_size(16)));
enum { LANES = 2 };
_Static_assert(TQ_BLOCK_PAD % (2 * LANES) == 0, "rows are padded to whole vectors");

static inline vector load(const double *from)
{
    vector x;
    memcpy(&x, from, sizeof x);
    return x;
}

bool tqa_far_any(const tqa_robot *robot, const double *q, size_t stride, size_t n)
{
    const size_t nq = robot->model->nq;
    if (n == 1) {
        return tqa_far_one(robot, q, stride);
    }
    signs far = {0};
    for (size_t r = 0; r < nq; r++) {
        const double *row = q + r * stride, least = robot->far_q[r], most = robot->far_q[nq + r];
        const vector low = {least, least}, high = {most, most};
        for (size_t i = 0; i < n; i += 2 * LANES) {
            const vector x = load(row + i), y = load(row + i + LANES);
            far |= ((signs)(x - low) | (signs)(high - x)) | ((signs)(y - low) | (signs)(high - y));
        }
    }
    return (far[0] | far[1]) < 0;
}

static double beyond(const tq_joint *joint, double q)
{
    return fmax(joint->limits.lower - q, q - joint->limits.upper);
}

void tqa_far_note(const tqa_robot *robot, const double *q, size_t stride, size_t sample,
                  tqa_far *found, size_t *n)
{
    const tq_model *model = robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double *far = robot->far_q + joint->q_index;
        const double x = joint->nq == 1 ? q[joint->q_index * stride] : 0.0;
        if (joint->nq != 1 || !(x < far[0] || x > far[model->nq])) {
            continue;
        }
        size_t k = 0;
        while (k < *n && found[k].joint != j) {
            k++;
        }
        if (k == *n && *n < TQA_FAR_MAX) {
            found[(*n)++] = (tqa_far){.joint = j, .sample = sample, .q = x};
        } else if (k < *n && beyond(joint, x) > beyond(joint, found[k].q)) {
            found[k] = (tqa_far){.joint = j, .sample = sample, .q = x};
        }
    }
}

void tqa_far_text(const tqa_robot *robot, const tqa_far *far, bool in_degrees,
                  char text[TQA_PROBLEM_TEXT])
{
    const tq_joint *joint = &robot->model->joints[far->joint];
    const bool turns = joint->kind != TQ_JOINT_PRISMATIC;
    const double unit = turns && in_degrees ? 57.295779513082323 : 1.0;
    const char *name = !turns ? "m" : in_degrees ? "degrees" : "rad";
    const char *ask = !turns       ? "are these mm? q is in m"
                      : in_degrees ? "are these more than degrees?"
                                   : "are these degrees? say \"angles\": \"deg\"";
    (void)snprintf(text, TQA_PROBLEM_TEXT,
                   "%.6g %s lies far beyond the limits %.6g to %.6g of joint \"%.64s\": %s",
                   unit * far->q, name, unit * joint->limits.lower, unit * joint->limits.upper,
                   robot->joint_names[far->joint], ask);
}
