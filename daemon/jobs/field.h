/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/field.h - one array of a stored result, in another format, on its way to a client. */
#ifndef TQD_JOBS_FIELD_H
#define TQD_JOBS_FIELD_H

#include "api/tables/field.h"
#include "daemon/jobs/body.h"

/* Zero-initialised; part of an exchange, as is its body reader. */
typedef struct tqd_field_reader {
    tqa_field *field;
    tqd_body_reader *body;
    uint64_t at;      /* of the body */
    const char *text; /* of the field, not yet sent */
    size_t n_text, text_at;
    uint64_t made, first, end; /* bytes generated; range to send, end 0: to the last byte */
    bool failed;
} tqd_field_reader;

/* Reads the whole body once to find the array's dimensions: workers only. */
bool tqd_field_open(tqd_field_reader *reader, tqd_body_reader *body, const char *name,
                    tqa_field_format format, tqa_problem *reterr);

/* As tqd_body_read and tqd_body_fill. */
size_t tqd_field_read(tqd_field_reader *reader, char *out, size_t size);
void tqd_field_fill(tqd_field_reader *reader);

void tqd_field_close(tqd_field_reader *reader);

#endif
