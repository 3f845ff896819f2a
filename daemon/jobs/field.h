/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/field.h - one array of a stored result on its way to a client, in another format. */
#ifndef TQD_JOBS_FIELD_H
#define TQD_JOBS_FIELD_H

#include "api/tables/field.h"
#include "daemon/jobs/body.h"

/* Zero-initialised; part of an exchange, as the body that it reads. */
typedef struct tqd_field_reader {
    tqa_field *field;
    tqd_body_reader *body;
    uint64_t at;      /* of the body */
    const char *text; /* the field's, not yet read */
    size_t n_text, text_at;
    uint64_t made, first, end; /* bytes made so far; which of them go out; end 0: to the last */
    bool failed;
} tqd_field_reader;

/* Reads the whole body once, to know the array's shape: workers only. */
bool tqd_field_open(tqd_field_reader *reader, tqd_body_reader *body, const char *name,
                    tqa_field_format format, tqa_problem *reterr);

/* As tqd_body_read and tqd_body_fill. */
size_t tqd_field_read(tqd_field_reader *reader, char *out, size_t size);
void tqd_field_fill(tqd_field_reader *reader);

void tqd_field_close(tqd_field_reader *reader);

#endif
