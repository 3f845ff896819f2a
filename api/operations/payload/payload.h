/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/payload/payload.h - a payload from recordings: its request, its result. */
#ifndef TQA_OPERATIONS_PAYLOAD_PAYLOAD_H
#define TQA_OPERATIONS_PAYLOAD_PAYLOAD_H

#include "api/recordings/logs.h"
#include "core/identify/payload/payload.h"

enum { TQA_PAYLOAD_LOGS_MAX = 200 };

/* Everything lives in the tree's memory. */
typedef struct tqa_payload_search {
    tqa_tree *tree;
    tqa_order order;
    tqa_recording_request request;
    tqa_recording *logs;
    size_t n_log, n_loaded; /* logs from n_loaded on are without payload */
    tq_payload_plan plan;
    tq_payload *sums;
    tq_payload_result found;
    char *document, *urdf; /* malloc'ed document of the robot with the payload; NULL: none */
    size_t n_document, n_urdf;
} tqa_payload_search;

/* Prints the robot with the payload. False: the problem is set. */
bool tqa_payload_robot(tqa_payload_search *search);
/* False: the problem is set. */
bool tqa_payload_answer(tqa_payload_search *search);

#endif
