/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/robot_document.h - robots as JSON documents: our own format, read and printed. */
#ifndef TQA_FORMATS_ROBOT_DOCUMENT_H
#define TQA_FORMATS_ROBOT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "api/formats/draft.h"

/**
 * Read a robot document: `links` and `joints` (or both inside `tree`) and `gravity`, as
 * tqa_robot_document prints them, so that what was got can be put again and is the same robot.
 * What a document says of itself beyond that (digest, nq, nv, slices, findings) is computed anew
 * and listed as ignored; a field that nobody knows is a fault.
 *
 * Returns  false when the bytes are no robot: draft->problem then holds every fault found, each
 *          with a JSON pointer. tqa_draft_check is the caller's.
 * Memory   At most 64 levels and a million values; text that claims more is refused unread.
 * Checked  tests/unit/api/formats/test_robot_document.c
 */
bool tqa_robot_document_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
