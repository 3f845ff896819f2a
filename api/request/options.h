/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/options.h - small fields of a request: a word, a point, a box of q, a payload. */
#ifndef TQA_REQUEST_OPTIONS_H
#define TQA_REQUEST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/request/inertia_fields.h"
#include "api/request/robot_fields.h"

typedef struct tqa_options {
    unsigned form;   /* tq_coriolis_form */
    unsigned axes;   /* bit k: x y z rx ry rz of a point; 0: all */
    tqa_point frame; /* its link TQ_NONE: none */
    bool has_box, has_payload;
    bool box_in_order; /* of the robot, whatever `joints` says */
    double *box;       /* lower q (nq), upper q (nq); the request's arena */
    tqa_payload payload;
} tqa_options;

/* Bytes of arena that a box takes, a multiple of 64. */
static inline size_t tqa_options_box_bytes(size_t nq)
{
    return (4 * nq * sizeof(double) + 63) / 64 * 64;
}

#endif
