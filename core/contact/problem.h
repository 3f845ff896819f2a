/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/problem.h - velocities and impulses of several contacts; private to this folder. */
#ifndef TQ_CONTACT_PROBLEM_H
#define TQ_CONTACT_PROBLEM_H

#include <stddef.h>

/* u = W p + b, of each contact (normal, two tangents) */
typedef struct tq_contact_problem {
    size_t n;            /* contacts */
    const double *w, *b; /* (3n x 3n) symmetric positive semidefinite; (3n) m/s */
    const double *mu;    /* (n) */
    const double *start; /* (3n) of impulses that are not unique those near to these are taken */
} tq_contact_problem;

#endif
