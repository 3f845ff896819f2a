/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/problem.h - velocities and impulses of several contacts; private to this folder. */
#ifndef TQ_CONTACT_PROBLEM_H
#define TQ_CONTACT_PROBLEM_H

#include <stddef.h>

/* u = W p + b, of each contact (normal, two tangents) */
/* From this number of contacts on Newton steps solve for m velocities where this is less than 3n,
 * and g is needed. */
enum { TQ_CONTACT_MANY = 34 };

typedef struct tq_contact_problem {
    size_t n;            /* contacts */
    const double *w, *b; /* (3n x 3n) symmetric positive semidefinite; (3n) m/s */
    const double *mu;    /* (n) */
    const double *start; /* (3n) of impulses that are not unique those near to these are taken */
    size_t m;
    const double *g; /* (3n x m) W = g g^T; NULL: not known, m is 0 */
} tq_contact_problem;

#endif
