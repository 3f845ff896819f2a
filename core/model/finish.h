/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/finish.h - the part of tq_model_finish that has a file of its own; private to it. */
#ifndef TQ_MODEL_FINISH_H
#define TQ_MODEL_FINISH_H

#include "core/base/status.h"

struct tq_model; /* model.h includes nothing of this folder, and this is included by its source */

/* Checks tendons, shares and points as tq_model_finish documents, and sets where the carriers of
 * successive points meet. Links must be those of a tree, and know their joints. O(points depth)
 * (tendons.c). */
tq_status tq_tendons_check(struct tq_model *model, tq_error *reterr);

#endif
