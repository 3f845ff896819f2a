/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/laws.h - impulses that satisfy the laws of contact and friction. */
#ifndef TQ_CONTACT_LAWS_H
#define TQ_CONTACT_LAWS_H

#include <stddef.h>

/**
 * Solve u = W p + b for n contacts, each with (normal, two tangents):
 *
 *     0 <= p_n  _|_  u_n >= 0,   |p_t| <= mu p_n,   |u_t| p_t = -mu p_n u_t
 *
 * by Gauss-Seidel over the contacts in their order, each solved by its own 3 x 3 block. Where W is
 * singular (four corners of one body) p is not unique, u is; the same input has the same bits.
 *
 * Shapes   w (3n x 3n) symmetric positive semidefinite, b (3n), mu (n); p (3n) in: the start, out.
 * Returns  the largest violation, m/s: of the last sweep, |change of p| times the block's
 *          diagonal.
 * Cost     9 n^2 products a sweep; at most 20,000 sweeps and 2e7 products.
 * Source   M. Jean, CMAME 177, 1999, 4.3 (nonlinear Gauss-Seidel); V. Acary, M. Bremond, O. Huber,
 *          On solving contact problems with Coulomb friction, 2018, 5.2.
 * Checked  tests/property/core/contact/test_laws.c
 */
double tq_contact_laws(size_t n, const double *w, const double *b, const double *mu, double *p);

#endif
