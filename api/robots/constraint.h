/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/constraint.h - the constraints of a robot, from a file to rows of q and qd.
 */
#ifndef TQA_ROBOTS_CONSTRAINT_H
#define TQA_ROBOTS_CONSTRAINT_H

#include <stdbool.h>

#include "api/robots/draft.h"
#include "core/model/mechanism.h"

/* The word for a kind in a robot document, and back; false: no such word. */
const char *tqa_constraint_kind_name(tq_constraint_kind kind);
bool tqa_constraint_kind_find(const char *name, tq_constraint_kind *ret);

/* The words of the six directions of a loop: x, y, z, rx, ry, rz. */
extern const char *const tqa_direction_names[6];

/* Room for n constraints in the draft. False: a fault was added. */
bool tqa_constraints_begin(tqa_draft *draft, size_t n);

/* A name with a number for a constraint without one: "loop-2". */
const char *tqa_constraint_default_name(tqa_draft *draft, tq_constraint_kind kind, size_t i);

/* The model is finished: turns numbers of joints into rows of q and qd, which only joints of one
 * freedom and rows of their own have, checks everything and names the rows. False: faults were
 * added. */
bool tqa_constraints_resolve(tqa_draft *draft);

/* Searches coordinates that satisfy all constraints, and counts the degrees of freedom that are
 * left. False: none were found, and a fault was added. */
bool tqa_constraints_assemble(tqa_draft *draft, const tq_mechanism *mechanism);

#endif
