/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/inertia_fields.h - mass distributions in nested requests and answers. */
#ifndef TQA_REQUEST_INERTIA_FIELDS_H
#define TQA_REQUEST_INERTIA_FIELDS_H

#include "api/request/value.h"
#include "core/model/model.h"

/* {mass, com?, inertia, inertia_about} or {mass, shape, size}, in the axes of the body's frame. */
bool tqa_value_inertia(const tqa_value *object, tq_inertia *ret);
/* A body fixed to a link, along the axes of the link. */
typedef struct tqa_payload {
    uint32_t link;
    tq_inertia body; /* in the link frame */
} tqa_payload;

/* {link, mass, com, inertia?}: without inertia it is a point. */
bool tqa_value_payload(const tqa_value *object, tqa_payload *ret);

/* A mechanism of the robot as its document says, with every mass and inertia times `scale` and a
 * payload {link, mass, com, inertia?} (NULL or absent: none), in the call's memory. */
bool tqa_value_mechanism(tqa_tree *tree, const tqa_value *payload, double scale,
                         const tq_mechanism **ret);

#endif
