/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/drive_fields.h - the words of a drive: one table for documents, requests
 * and print.
 */
#ifndef TQA_ROBOTS_DOCUMENT_DRIVE_FIELDS_H
#define TQA_ROBOTS_DOCUMENT_DRIVE_FIELDS_H

#include <stddef.h>

#include "api/codec/writer.h"
#include "core/drives/drive.h"

/* One number of a drive: its place in the document, and in tq_drive. */
typedef struct tqa_drive_field {
    const char *group, *name;
    const char *what; /* as tq_drive_check names it */
    size_t offset;    /* of the double */
    double example;   /* not 0: required whenever its group is there; `motor` must be */
    const char *hint; /* what it is, and its bounds */
} tqa_drive_field;

extern const tqa_drive_field tqa_drive_fields[];
extern const size_t tqa_drive_n_field;

/* Ends with NULL: "motor", "gear" ... */
extern const char *const tqa_drive_groups[];
/* "pwm", "linear": the amplifier's "kind"; ends with NULL. */
extern const char *const tqa_amplifier_words[];

enum { TQA_DRIVE_GROUP_FIELDS = 8 };

/* The names in a group, `kind` of the amplifier included; ends with NULL. */
void tqa_drive_group_names(const char *group, const char *ret[TQA_DRIVE_GROUP_FIELDS]);

/* The number of a field. */
double *tqa_drive_number(tq_drive *drive, const tqa_drive_field *field);
double tqa_drive_value(const tq_drive *drive, const tqa_drive_field *field);

/* The field that tq_drive_check has named. */
const tqa_drive_field *tqa_drive_field_find(const char *what);

/* A peak stated once holds in both directions. */
void tqa_drive_complete(tq_drive *drive);

/* ", "drive": {...}" of a robot document: what differs from its default. NULL: nothing. */
void tqa_document_put_motor(tqa_writer *to, const tq_drive *drive);

#endif
