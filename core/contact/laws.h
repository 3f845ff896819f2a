/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/laws.h - impulses that satisfy the laws of contact and friction. */
#ifndef TQ_CONTACT_LAWS_H
#define TQ_CONTACT_LAWS_H

#include "core/contact/newton.h"
#include "core/contact/problem.h"

/* Doubles of `work`. */
static inline size_t tq_contact_laws_work(size_t n)
{
    return tq_contact_newton_work(n) + 3 * n;
}

/**
 * Solve u = W p + b for n contacts, each with (normal, two tangents):
 *
 *     0 <= p_n  _|_  u_n >= 0,   |p_t| <= mu p_n,   |u_t| p_t = -mu p_n u_t
 *
 * by Gauss-Seidel over the contacts in their order, each solved by its own 3 x 3 block, and where
 * this converges slowly by Newton steps from there; where that comes to no end, from sweeps of
 * single projections. Where W is singular (four corners of one body)
 * p is not unique; the same input has the same bits. Then velocities of more points than a body
 * has freedoms may contradict each other, by gaps that count as closed: by up to 1e-8 of the
 * largest |b| this is left, beyond it impulses change until a point opens.
 *
 * Shapes   work (tq_contact_laws_work(n)); p (3n) in: the first guess, out.
 * Returns  the largest violation, m/s: of the last sweep, |change of p| times the block's
 *          diagonal.
 * Cost     9 n^2 products a sweep, tq_contact_newton_products a Newton step; at most 20,000 sweeps,
 *          40 times 60 steps, and 2e7 products of either, 2e9 from TQ_CONTACT_MANY contacts on.
 * Source   M. Jean, CMAME 177, 1999, 4.3 (nonlinear Gauss-Seidel); V. Acary, M. Bremond, O. Huber,
 *          On solving contact problems with Coulomb friction, 2018, 5.2.
 * Checked  tests/property/core/contact/test_laws.c
 */
double tq_contact_laws(const tq_contact_problem *of, double *work, double *p);

#endif
