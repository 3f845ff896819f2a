/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/drive_fields.c - a drive in a request of nested fields. */
#include "api/request/drive_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/document/drive_fields.h"

static bool read_group(const tqa_value *part, const char *group, tq_drive *ret)
{
    const char *known[TQA_DRIVE_GROUP_FIELDS];
    tqa_needed needed[TQA_DRIVE_GROUP_FIELDS + 1] = {{NULL, NULL}};
    char hints[TQA_DRIVE_GROUP_FIELDS][TQA_PROBLEM_TEXT];
    size_t n = 0;
    tqa_drive_group_names(group, known);
    for (size_t k = 0; k < tqa_drive_n_field; k++) {
        const tqa_drive_field *field = &tqa_drive_fields[k];
        if (strcmp(field->group, group) == 0 && field->example != 0.0) {
            (void)snprintf(hints[n], TQA_PROBLEM_TEXT, "add \"%s\": %g (%s)", field->name,
                           field->example, field->hint);
            needed[n] = (tqa_needed){field->name, hints[n]};
            n++;
        }
    }
    if (!tqa_value_fields(part, known, needed)) {
        return false;
    }
    for (size_t k = 0; k < tqa_drive_n_field; k++) {
        const tqa_drive_field *field = &tqa_drive_fields[k];
        if (strcmp(field->group, group) != 0) {
            continue;
        }
        const tqa_value number = tqa_value_field(part, field->name);
        if (number.value != NULL && !tqa_value_number(&number, tqa_drive_number(ret, field))) {
            return false;
        }
    }
    const tqa_value kind = tqa_value_field(part, "kind");
    unsigned word = 0;
    if (kind.value != NULL) {
        if (!tqa_value_choice(&kind, tqa_amplifier_words, &word)) {
            return false;
        }
        ret->amplifier.kind = (tq_amplifier_kind)word;
    }
    return true;
}

bool tqa_value_drive(const tqa_value *part, tq_drive *ret)
{
    tq_drive_init(ret);
    if (!tqa_value_need(
            part, "add \"drive\": {\"motor\": {\"constant_nm_a\": 0.05, \"resistance\": 0.6}}") ||
        !tqa_value_object(part, tqa_drive_groups)) {
        return false;
    }
    for (const char *const *group = tqa_drive_groups; *group != NULL; group++) {
        const tqa_value inner = tqa_value_field(part, *group);
        const bool required = group == tqa_drive_groups;
        if (required && !tqa_value_need(&inner, "add \"motor\": {\"constant_nm_a\": 0.05, "
                                                "\"resistance\": 0.6}, in N m/A and ohm")) {
            return false;
        }
        if (inner.value != NULL && !read_group(&inner, *group, ret)) {
            return false;
        }
    }
    tqa_drive_complete(ret);
    tq_error error = {0};
    if (tq_drive_check(ret, &error) != TQ_OK) {
        const tqa_drive_field *field = tqa_drive_field_find(error.what);
        const tqa_value inner = tqa_value_field(part, field->group);
        const tqa_value number = tqa_value_field(&inner, field->name);
        return tqa_value_refuse(&number, "range", field->hint, "%s %s cannot be %g", field->group,
                                field->name, error.value);
    }
    return true;
}
