/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/constrained.h - random constraints for random robots. */
#ifndef TQT_CONSTRAINED_H
#define TQT_CONSTRAINED_H

#include "core/constraints/constraints.h"

#include <stdint.h>

enum { TQT_CONSTRAINTS = 12 };

/* Constraints with their arrays: contains pointers into itself, do not move it. */
typedef struct tqt_constrained {
    tq_constraints set;
    tq_constraint items[TQT_CONSTRAINTS];
    tq_coupling_term coupling[TQT_CONSTRAINTS][2];
    tq_pfaffian_term pfaffian[TQT_CONSTRAINTS][2];
    tq_instruction code[TQT_CONSTRAINTS][2][12];
    double equals[TQT_CONSTRAINTS];
} tqt_constrained;

/* `n` constraints of all kinds in turn, starting with kind number `first`, between random links and
 * rows of a model with at least two links and one freedom; finished. */
void tqt_random_constraints(uint64_t seed, const tq_model *model, unsigned first, uint32_t n,
                            tqt_constrained *ret);

#endif
