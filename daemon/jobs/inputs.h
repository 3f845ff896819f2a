/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/inputs.h - the names of the data that a request reads, stored with its job. */
#ifndef TQD_JOBS_INPUTS_H
#define TQD_JOBS_INPUTS_H

#include "api/operation.h"

/* The names in a complete request, in the form of tqd_job_submit.inputs, malloc'ed; NULL: none.
 * False: out of memory. */
bool tqd_job_inputs(const tqa_call *call, char **ret_names);

#endif
