/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/commanded/integral.h - the integral of a controller's error over the rows of a
 * recording, with anti-windup. */
#ifndef TQ_SIGNAL_COMMANDED_INTEGRAL_H
#define TQ_SIGNAL_COMMANDED_INTEGRAL_H

#include <stdbool.h>
#include <stddef.h>

/* s of each joint, s' = e, 0 at the first row; between rows by the trapezoidal rule:
 *
 *     s_k = s_(k-1) + (t_k - t_(k-1)) (e_(k-1) + e_k) / 2
 *
 * As in core/plant/controller.h it does not grow into saturation (conditional integration; K.
 * Astrom, L. Rundqwist, Integrator windup and how to avoid it, ACC 1989). The arrays are the
 * caller's, all zero at the start. */
typedef struct tq_error_integral {
    size_t nv;
    double *sum;    /* (nv) s, rad s or m s */
    double *slope;  /* (nv) e of the last row, 0 where it drove into saturation */
    double *end;    /* (nv) part of s that e of the last row made */
    double t;       /* of the last row, s */
    double longest; /* step between two rows, s */
    bool has_begun;
} tq_error_integral;

/* The next row, at time t; `error` of the joints is `pitch` numbers apart. */
void tq_error_integral_advance(tq_error_integral *integral, double t, const double *error,
                               size_t pitch);
/* Joint r's torque by its law at the last row: above `limit` an error of its sign is not summed. */
void tq_error_integral_limit(tq_error_integral *integral, size_t r, double wanted, double limit);

#endif
