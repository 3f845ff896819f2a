/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/nested.h - repeated derivatives of a point by dofs that turn each
 * other's axes. */
#ifndef TQ_DYNAMICS_DERIVATIVES_NESTED_H
#define TQ_DYNAMICS_DERIVATIVES_NESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spatial/screw.h"

/* A dof that moves the point x. */
typedef struct tq_nested {
    int32_t stage;       /* smaller is nearer the base; mates have the same */
    const double *screw; /* (v, w) */
    const double *moved; /* (3) D x = v + w x x */
} tq_nested;

/* D_2 D_1 D_0 x = w_a x (w_b x D_c x), a b c being the three from the base outward, of mates the
 * one that is differentiated last first: it turns the axes of the others. */
static inline void tq_nested_third(const tq_nested dofs[3], double ret[3])
{
    unsigned order[3] = {2, 1, 0};
    double inner[3];
    for (unsigned k = 1; k < 3; k++) {
        for (unsigned m = k; m > 0 && dofs[order[m]].stage < dofs[order[m - 1]].stage; m--) {
            const unsigned other = order[m];
            order[m] = order[m - 1];
            order[m - 1] = other;
        }
    }
    tq_vec_cross(dofs[order[1]].screw + 3, dofs[order[2]].moved, inner);
    tq_vec_cross(dofs[order[0]].screw + 3, inner, ret);
}

/* D_1 D_0 x, in the same way */
static inline void tq_nested_second(const tq_nested *first, const tq_nested *last, double ret[3])
{
    const bool outer = last->stage <= first->stage;
    tq_vec_cross((outer ? last : first)->screw + 3, (outer ? first : last)->moved, ret);
}

#endif
