/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/term_input.h - input of one term of `include`, and the functions that
   compute the terms. */
#ifndef TQA_OPERATIONS_TERMS_TERM_INPUT_H
#define TQA_OPERATIONS_TERMS_TERM_INPUT_H

#include "api/call/call.h"
#include "api/openapi/generated/terms.h"
#include "core/dynamics/sample.h"

/* One sample, with the inputs of the terms. */
typedef struct tqa_term_input {
    const tqa_call *call;
    const tq_model *model;
    tq_sample sample; /* qd and qdd are never NULL */
    const double *qd_ref, *qdd_ref;
    const double *multipliers; /* and their derivatives; NULL: not requested */
    tq_configuration posture;  /* at the sample's velocity */
    tq_scratch *scratch;
} tqa_term_input;

/* Each term: writes its members one after another. */
#define DECLARE(text, bit, function, ...)                                                          \
    tq_status tqa_term_##function(const tqa_term_input *moment, double *ret, tq_error *error);
TQA_TERM_LIST(DECLARE)
#undef DECLARE

#endif
