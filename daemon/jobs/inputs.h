/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/inputs.h - the names of data that a request will read, for its job to keep. */
#ifndef TQD_JOBS_INPUTS_H
#define TQD_JOBS_INPUTS_H

#include "api/operation.h"

/* Those of a complete request as tqd_job_submit.inputs takes them, malloc'ed; NULL when there are
 * none. False: no memory. */
bool tqd_job_inputs(const tqa_call *call, char **ret_names);

#endif
