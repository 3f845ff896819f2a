/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/triples.h - the loop over triples of dofs on one branch by which second
 * derivatives are summed; private to them. */
#ifndef TQ_DYNAMICS_DERIVATIVES_TRIPLES_H
#define TQ_DYNAMICS_DERIVATIVES_TRIPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/dynamics/derivatives/second_arrays.h"
#include "core/dynamics/kinematics/configuration.h"

/* Points that move by all of three dofs are those beyond the deepest of them, so only triples of
 * one branch count. Dofs of a joint whose axes move together (spherical, floating) are mates; the
 * dofs of a planar joint follow one another as those of three joints would.
 *
 * With d the deepest dof of a triple and e above it, or a mate of it, or d itself:
 * - of the torque of d, by e and a third dof i between both (or a mate of e): linear in S_i and
 *   P_i, with the vectors `own_...`;
 * - of the torque of a dof f above d, by d and e: S_f times a wrench `of_...`. Where f is above e
 *   too, e turns what the torque's own axis does not follow: `of_above_...`.
 * Names: dq_dq; dqd_dqd; dqd_dq; and dqdd_dq, which is dM/dq. */
typedef struct tq_pair {
    double own_dq_dq_s[6], own_dq_dq_p[6];       /* by q_i and q_e */
    double own_dqd_dqd[6], own_mates_dqd_dqd[6]; /* by qd_i and qd_e; of mates i and e */
    double own_dqd_dq[6];                        /* by qd_i and q_e */
    double own_dq_dqd_s[6], own_dq_dqd_p[6];     /* by q_i and qd_e, e above i */
    double own_dqdd_dq[6];                       /* of M between d and e, by q_i; e above i */
    double of_dq_dq[6], of_above_dq_dq[6];       /* by q_d and q_e */
    double of_dqd_dqd[6];
    double of_dqd_dq[6], of_above_dqd_dq[6]; /* by qd_d and q_e */
    double of_dq_dqd[6];                     /* by q_d and qd_e, e above d */
    double of_dqdd_dq[6];                    /* of M between f and e, by q_d; e above d */
} tq_pair;

/* What the triples are summed from. */
typedef struct tq_triples_of {
    const void *context;
    /* (step numbers apart) P of each dof */
    const double *p;
    size_t step;
    void *room;                                               /* of `begin` and `fill` */
    void (*begin)(const void *context, void *room, size_t d); /* of all pairs with d */
    void (*fill)(const void *context, const void *room, size_t d, size_t e, bool mates,
                 tq_pair *ret);
} tq_triples_of;

/* Dofs from one to the base. */
typedef struct tq_branches {
    const tq_configuration *at;
    uint32_t *stage; /* (n_freedom) the first dof among its mates: smaller is farther up a branch */
    uint32_t *above; /* (n_freedom) those of the branch at hand, from the deepest up */
} tq_branches;

/* Takes tq_branches_scratch_size(model) bytes of `scratch`, which the caller rewinds. False: too
 * small. */
bool tq_branches_take(const tq_configuration *posture, tq_scratch *scratch, tq_branches *ret);
size_t tq_branches_scratch_size(const tq_model *model);

/* The mates of d and all dofs above it, into branches->above; returns how many. *ret_mates: the
 * first ones are mates. */
size_t tq_branches_climb(const tq_branches *branches, size_t d, size_t *ret_mates);

/* Add the triples of all dofs to ret. Members of ret that are NULL are left out. O(n depth^2) and
 * one `fill` for each pair. */
void tq_triples_add(const tq_branches *branches, const tq_triples_of *of,
                    const tq_second_derivatives *ret);

#endif
