/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/controller.h - step-size controllers of ARKODE's methods, equal in all versions of
 * the library. Private to this folder. */
#ifndef TQ_INTEGRATE_CONTROLLER_H
#define TQ_INTEGRATE_CONTROLLER_H

#include "core/integrate/ode_sundials.h"

/* h' = h e_n^(-k1/p) e_(n-1)^(k2/p) e_(n-2)^(-k3/p), e = bias * estimated error / tolerance, p the
 * order of the estimate (Soederlind, Digital filters in adaptive time-stepping, ACM TOMS 29, 2003).
 * The library then multiplies by `safety` and limits h'/h to `growth`. */
typedef struct tq_ode_adapt {
    double k[3];
    double bias, safety, growth;
    double past[2]; /* e_(n-1), e_(n-2), for library versions that do not store them */
} tq_ode_adapt;

/* A PI and a PID controller. */
extern const tq_ode_adapt tq_ode_adapt_explicit, tq_ode_adapt_implicit;

/* Length of the next step after a step of h; newest error first, each times the bias. */
double tq_ode_adapt_step(const tq_ode_adapt *a, double h, const double errors[3], int p);

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_adaptcontroller.h>
/* The same as an object of the library; `a` must outlive it. NULL: out of memory. */
SUNAdaptController tq_ode_adapt_controller(tq_ode_adapt *a, SUNContext context);
#endif

#endif
