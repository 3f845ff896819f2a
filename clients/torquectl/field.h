/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/field.h - a field of a request, as the contract has it. */
#ifndef TORQUECTL_FIELD_H
#define TORQUECTL_FIELD_H

#include <stdbool.h>

typedef enum ctl_kind {
    CTL_ANY,
    CTL_NUMBER,
    CTL_STRING,
    CTL_BOOLEAN,
    CTL_ARRAY,
    CTL_OBJECT
} ctl_kind;

typedef struct ctl_field {
    const char *operation;
    const char *path; /* names with dots between */
    ctl_kind kind;
    bool is_needed;
    const char *words; /* that it may be, with spaces between; "" for other values */
    const char *text;
} ctl_field;

#endif
