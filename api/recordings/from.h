/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/from.h - `from`: the samples of a computation out of a recording; `residual`: its
 * torque less the computed one. */
#ifndef TQA_RECORDINGS_FROM_H
#define TQA_RECORDINGS_FROM_H

#include <stdbool.h>

#include "api/host.h"
#include "api/recordings/recording.h"
#include "api/request/request.h"

/* The description of a recording inside a request, and its samples. */
typedef struct tqa_from {
    tqa_tree *tree; /* the request's, in which "from" is one field */
    tqa_order order;
    tqa_recording_request request;
    tqa_recording recording;
    tqa_blocks t, measured, residual;
    tqa_blocks law;               /* of core/dynamics/log_law.h: the rows that it adds, 2 nv */
    double *law_state, *law_rows; /* (2 nv), (2 nv x TQ_BLOCK) */
    size_t n;
    bool has_tau, has_law;
} tqa_from;

extern const tqa_receiver tqa_from_receiver;
void tqa_from_free(tqa_from *from); /* accepts NULL */
/* The object that has "from". */
const struct json_t *tqa_from_root(const tqa_from *from);

/* Reads the recording into the request's motion. */
bool tqa_from_read(tqa_request *request, const tqa_host *host);
#endif
