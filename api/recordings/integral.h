/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/integral.h - the integral of a controller's error over the rows of a recording. */
#ifndef TQA_RECORDINGS_INTEGRAL_H
#define TQA_RECORDINGS_INTEGRAL_H

#include <stdbool.h>
#include <stddef.h>

/* s of each joint, s' = e, 0 at the first row; between rows by the trapezoidal rule. As in
 * core/plant/controller.h it does not grow into saturation (conditional integration). */
typedef struct tqa_integral {
    size_t nv;
    double *sum;    /* (nv) */
    double *slope;  /* (nv) e of the last row, 0 where it drove into saturation */
    double *end;    /* (nv) part of the sum that e of the last row made */
    double t;       /* of the last row */
    double longest; /* step between two rows, s */
    bool has_begun;
} tqa_integral;

/* False: memory is short. Free it either way. */
bool tqa_integral_allocate(tqa_integral *integral, size_t nv);
void tqa_integral_free(tqa_integral *integral);

/* The next row, at time t; `error` of the joints is `pitch` numbers apart. */
void tqa_integral_advance(tqa_integral *integral, double t, const double *error, size_t pitch);
/* Joint r's torque by its law at the last row: above `limit` an error of its sign is not summed. */
void tqa_integral_limit(tqa_integral *integral, size_t r, double wanted, double limit);

#endif
