/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/drive_fields.h - a drive in a request of nested fields. */
#ifndef TQA_REQUEST_DRIVE_FIELDS_H
#define TQA_REQUEST_DRIVE_FIELDS_H

#include "api/request/value.h"
#include "core/drives/drive.h"

/* Reads and checks a drive. False: the problem is set. */
bool tqa_value_drive(const tqa_value *part, tq_drive *ret);

#endif
