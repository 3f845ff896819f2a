/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/provenance.h - inputs and versions of a computation. */
#ifndef TQA_RESPONSE_PROVENANCE_H
#define TQA_RESPONSE_PROVENANCE_H

#include "api/codec/writer.h"

/* NULL: left out. */
typedef struct tqa_provenance {
    const char *robot_digest;
    const char *request_digest;
    const char *linear_algebra; /* the library that factors large matrices */
    const char *integrator;
} tqa_provenance;

/* Members of `provenance`, the engine and its version among them. */
size_t tqa_provenance_count(const tqa_provenance *provenance);
void tqa_provenance_put(tqa_writer *answer, const tqa_provenance *provenance);

#endif
