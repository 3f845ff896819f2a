/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/term_input.h - what one term of `include` is computed from, and bits of
 * names. */
#ifndef TQA_OPERATIONS_TERMS_TERM_INPUT_H
#define TQA_OPERATIONS_TERMS_TERM_INPUT_H

#include "api/call/call.h"
#include "core/dynamics/sample.h"

/* Names that have their own treatment somewhere; the table has them all. */
enum {
    TQA_INCLUDE_REACTIONS = 1u << 0,
    TQA_INCLUDE_BOUNDS = 1u << 1,
    TQA_INCLUDE_OPERATIONAL = 1u << 2,
    TQA_INCLUDE_PASSIVITY = 1u << 3,
    TQA_INCLUDE_CORIOLIS = 1u << 4,
    TQA_INCLUDE_JACOBIANS = 1u << 5,
    TQA_INCLUDE_FIRST_FREE = 1u << 6,
    TQA_INCLUDE_MULTIPLIERS = 1u << 21,
    TQA_INCLUDE_CONSTRAINT_POWER = 1u << 22,
    TQA_INCLUDE_ACTUATION = 1u << 23,
    TQA_INCLUDE_CONSTRAINTS = 1u << 24,
    TQA_INCLUDE_PROJECTORS = 1u << 25,
    TQA_INCLUDE_INTEGRABILITY = 1u << 26,
    TQA_INCLUDE_DECOUPLING = 1u << 29,
    TQA_INCLUDE_DRIVE = 1u << 30,
};

/* One sample, with what the terms are computed from. */
typedef struct tqa_term_input {
    const tqa_call *call;
    const tq_model *model;
    tq_sample sample; /* qd and qdd are never NULL */
    const double *qd_ref, *qdd_ref;
    const double *multipliers; /* and what follows them; NULL: nobody asked */
    tq_configuration posture;  /* at the sample's velocity */
    tq_scratch *scratch;
    double *m, *c; /* (nv x nv), room for whoever computes */
} tqa_term_input;

#endif
