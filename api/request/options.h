/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/options.h - small fields of a request: a word, a point, a box of q, a payload. */
#ifndef TQA_REQUEST_OPTIONS_H
#define TQA_REQUEST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of a payload, in the order of the contract. */
typedef enum tqa_payload_part {
    TQA_PAYLOAD_LINK,
    TQA_PAYLOAD_MASS,
    TQA_PAYLOAD_COM,
    TQA_PAYLOAD_INERTIA,
    TQA_PAYLOAD_PART_COUNT,
} tqa_payload_part;

/* A body fixed to a link, along the axes of the link. */
typedef struct tqa_payload {
    uint32_t link;
    double mass, com[3]; /* centre of mass in the link frame */
    double inertia[9];   /* about that centre of mass, row by row; 0: a point */
} tqa_payload;

typedef struct tqa_options {
    unsigned form;  /* tq_coriolis_form */
    unsigned axes;  /* bit k: x y z rx ry rz of a point; 0: all */
    uint32_t frame; /* link, or TQ_NONE */
    double at[3];   /* in the link frame */
    bool at_com;    /* else at[] */
    bool has_box, has_payload;
    bool box_in_order; /* of the robot, whatever `joints` says */
    double *box;       /* lower q (nq), upper q (nq); the request's arena */
    tqa_payload payload;
    /* while an object is read */
    unsigned part, seen; /* bit p: part p came */
    bool in_part;
} tqa_options;

/* Bytes of arena that a box takes, a multiple of 64. */
static inline size_t tqa_options_box_bytes(size_t nq)
{
    return (4 * nq * sizeof(double) + 63) / 64 * 64;
}

#endif
