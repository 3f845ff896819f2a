/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/from.h - `from`: the samples of a computation out of a log; `residual`: what is
 * left of its torque. */
#ifndef TQA_RECORDINGS_FROM_H
#define TQA_RECORDINGS_FROM_H

#include <stdbool.h>

#include "api/host.h"

struct tqa_request;
struct tqa_receiver;
struct tqa_call;

/* The description of a log inside a request, and what was read of it. */
typedef struct tqa_from tqa_from;

extern const struct tqa_receiver tqa_from_receiver;
void tqa_from_free(tqa_from *from); /* accepts NULL */
/* The tree {"from": ...}. */
const struct json_t *tqa_from_root(const tqa_from *from);
/* The JSON pointer of the value being read, once the log's object is open. */
void tqa_from_place(const struct tqa_request *request, char *pointer);

/* When the document is complete: is it a log. */
bool tqa_from_check(struct tqa_request *request);
/* Reads the log into the request's motion. */
bool tqa_from_read(struct tqa_request *request, const tqa_host *host);
/* After the torques are computed: `log`, and with logged torque `tau_measured` and `residual`. */
bool tqa_from_add(struct tqa_call *call);

#endif
