/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/controller.h - the controller of step sizes of ARKODE's methods, in every
 * version of
 * it alike. Private to this folder. */
#ifndef TQ_INTEGRATE_CONTROLLER_H
#define TQ_INTEGRATE_CONTROLLER_H

#include "core/integrate/ode_sundials.h"

/* h' = h e_n^(-k1/p) e_(n-1)^(k2/p) e_(n-2)^(-k3/p), e the estimated error over what is allowed,
 * times `bias`; p the order of the estimate (Soederlind, ACM TOMS 29, 2003). The library then
 * multiplies by `safety` and holds h'/h below `growth`. */
typedef struct tq_ode_adapt {
    double k[3];
    double bias, safety, growth;
    double past[2]; /* e_(n-1), e_(n-2), where the library does not keep them */
} tq_ode_adapt;

/* A PI and a PID controller. */
extern const tq_ode_adapt tq_ode_adapt_explicit, tq_ode_adapt_implicit;

/* The next step's length after one of h; the newest error first, each times the bias. */
double tq_ode_adapt_step(const tq_ode_adapt *a, double h, const double errors[3], int p);

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_adaptcontroller.h>
/* The same as an object of the library; a outlives it. NULL: memory is short. */
SUNAdaptController tq_ode_adapt_controller(tq_ode_adapt *a, SUNContext context);
#endif

#endif
