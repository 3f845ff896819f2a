/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/newton.h - Newton steps for the laws of contact and friction; private here. */
#ifndef TQ_CONTACT_NEWTON_H
#define TQ_CONTACT_NEWTON_H

#include <stdbool.h>

#include "core/contact/problem.h"

enum { TQ_CONTACT_NEWTON_STEPS = 60 }; /* at most */

/* Whether a step solves for the m velocities g^T p in place of 3n impulses. */
static inline bool tq_contact_is_reduced(const tq_contact_problem *of)
{
    return of->n >= TQ_CONTACT_MANY && of->g != NULL && of->m < 3 * of->n;
}

/* Products of a step. */
static inline size_t tq_contact_newton_products(const tq_contact_problem *of)
{
    const size_t n = of->n, m = of->m;
    return tq_contact_is_reduced(of) ? m * m * m / 3 + 9 * n * n : 9 * n * n * n;
}

/* Doubles of `work`. */
static inline size_t tq_contact_newton_work(size_t n)
{
    return 9 * n * n + 21 * n;
}

/* Improves impulses p that nearly satisfy the laws of tq_contact_laws, by semismooth Newton steps:
 *
 *     p_n = max(0, p_n - u_n / W_nn),   p_t = projection of p_t - u_t / W_tt onto |p_t| <= mu p_n
 *
 * (P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like
 * solution methods, CMAME 92, 1991). W may be singular: u + r W_ii (p - p_k) is in place of u, with
 * p_0 = `start` and p_k+1 the solution (proximal points; R. T. Rockafellar, SIAM J. Control 14,
 * 1976), until u itself has no violation above `agreed`, m/s, or every p none above `accuracy`.
 * Returns the violation, m/s.
 *
 * With s = g^T dp a step is A_i g_i s + B_i dp_i = f_i for each contact, 3 x 3 blocks A and B: of
 * many contacts of few bodies it is solved as (1 + sum g_i^T B_i^-1 A_i g_i) s =
 * sum g_i^T B_i^-1 f_i. */
double tq_contact_newton(const tq_contact_problem *of, double accuracy, double agreed, double *work,
                         double *p);

#endif
