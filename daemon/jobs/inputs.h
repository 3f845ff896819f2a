/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/inputs.h - the names of the data that a request reads, stored with its job. */
#ifndef TQD_JOBS_INPUTS_H
#define TQD_JOBS_INPUTS_H

#include "api/operation.h"
#include "daemon/store/types.h"

/* What the store calls an input of a client's job, of a name in its request: "job:{id}" as it is, a
 * dataset by its key. False: the name can have none. */
enum { TQD_JOB_INPUT_TEXT = TQD_NAME_TEXT + TQD_DIGEST_TEXT };
bool tqd_job_input_key(const char *client, const char *name, char ret[TQD_JOB_INPUT_TEXT]);

/* The inputs in a complete request of this client, in the form of tqd_job_submit.inputs, malloc'ed;
 * NULL: none. False: out of memory. */
bool tqd_job_inputs(const tqa_call *call, const char *client, char **ret_names);

#endif
