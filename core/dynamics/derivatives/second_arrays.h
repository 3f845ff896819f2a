/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/second_arrays.h - where second partial derivatives of torque are
 * written. */
#ifndef TQ_DYNAMICS_DERIVATIVES_SECOND_ARRAYS_H
#define TQ_DYNAMICS_DERIVATIVES_SECOND_ARRAYS_H

#include <stddef.h>

/* Entry [(i nv + j) nv + k] of each is the derivative by coordinate k of entry (i, j) of a first
 * derivative of torque: of row i, by coordinate j. Those by qdd and qd, and twice by qdd, are 0. */
typedef struct tq_second_derivatives {
    double *dq_dq;   /* of dtau/dq, by q */
    double *dqd_dqd; /* of dtau/dqd, by qd: symmetric in j and k */
    double *dqd_dq;  /* of dtau/dqd, by q; exchange j and k for that of dtau/dq, by qd */
    double *dqdd_dq; /* of dtau/dqdd = M, by q */
} tq_second_derivatives;

/* The four arrays one after another, from `all` (4 nv^3) on. */
static inline tq_second_derivatives tq_second_arrays(double *all, size_t nv)
{
    const size_t n = nv * nv * nv;
    tq_second_derivatives ret;
    ret.dq_dq = all;
    ret.dqd_dqd = all + n;
    ret.dqd_dq = all + 2 * n;
    ret.dqdd_dq = all + 3 * n;
    return ret;
}

#endif
