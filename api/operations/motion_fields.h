/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/motion_fields.h - fields that operations on samples of motion share, in the order
 * of the bits of a schema. */
#ifndef TQA_OPERATIONS_MOTION_FIELDS_H
#define TQA_OPERATIONS_MOTION_FIELDS_H

#include "api/request/request.h"

#define TQA_FIELD(text, of)                                                                        \
    {                                                                                              \
        .name = (text), .receiver = &tqa_##of##_receiver                                           \
    }
#define TQA_MOTION_FIELD(text, of)                                                                 \
    {                                                                                              \
        .name = (text), .receiver = &tqa_motion_receiver, .motion = (of)                           \
    }

/* q, qd and a third array; then how they are read and what is computed. */
#define TQA_MOTION_FIELDS(third, of)                                                               \
    TQA_MOTION_FIELD("q", TQA_MOTION_Q), TQA_MOTION_FIELD("qd", TQA_MOTION_QD),                    \
        TQA_MOTION_FIELD(third, of), TQA_FIELD("joints", joints),                                  \
        TQA_FIELD("external_wrenches", wrench), TQA_FIELD("gravity", gravity),                     \
        TQA_FIELD("without", without), TQA_FIELD("include", include),                              \
        TQA_FIELD("payload", payload), TQA_FIELD("coriolis_form", form),                           \
        TQA_FIELD("frame", frame), TQA_FIELD("axes", axes), TQA_FIELD("box", box)

#define TQA_REFERENCE_FIELDS                                                                       \
    TQA_MOTION_FIELD("qd_ref", TQA_MOTION_QD_REF), TQA_MOTION_FIELD("qdd_ref", TQA_MOTION_QDD_REF)

/* Of an answer of `trajectory` or `excitation`, which is a request too: 15 fields. */
#define TQA_ANSWER_FIELDS                                                                          \
    TQA_FIELD("t", unused), TQA_FIELD("violations", unused), TQA_FIELD("duration_s", unused),      \
        TQA_FIELD("binding", unused), TQA_FIELD("tau", unused), TQA_FIELD("provenance", unused),   \
        TQA_FIELD("warnings", unused), TQA_FIELD("read_as", unused), TQA_FIELD("fourier", unused), \
        TQA_FIELD("score", unused), TQA_FIELD("first_random", unused), TQA_FIELD("tries", unused), \
        TQA_FIELD("improvements", unused), TQA_FIELD("samples_judged", unused),                    \
        TQA_FIELD("base_parameters", unused)

#endif
