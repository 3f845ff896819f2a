/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/constraints.h - terms of constraints in an answer, by name. */
#ifndef TQA_OPERATIONS_TERMS_CONSTRAINTS_H
#define TQA_OPERATIONS_TERMS_CONSTRAINTS_H

#include "api/operations/terms/term_input.h"
#include "core/constraints/dynamics.h"

/* Forces of constraints are kept beside the operation's first result while it is computed: the
 * multipliers, then the results of tq_actuation. */
enum { TQA_ACTUATION_ROWS = 4 };

/* Is there all that the names need? False: the problem is set. */
bool tqa_constraints_check(tqa_call *call);

/* Room for the forces of all samples, if the names need them. False: no memory. */
bool tqa_constraints_reserve(tqa_call *call);

/* Multipliers of block b, or NULL when they are not requested; their rows are
 * call->multipliers.stride apart. */
double *tqa_constraints_block(const tqa_call *call, size_t b);

/* Bytes of scratch of the constrained computation, and of the names; us of a sample. 0 where the
 * robot has no constraints. */
size_t tqa_constraints_scratch_size(const tqa_call *call);
size_t tqa_constraints_terms_size(const tqa_call *call);
double tqa_constraints_cost_us(const tqa_call *call);

#endif
