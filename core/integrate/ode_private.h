/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_private.h - functions that an adapter of a library provides: private to this
 * folder. */
#ifndef TQ_INTEGRATE_ODE_PRIVATE_H
#define TQ_INTEGRATE_ODE_PRIVATE_H

#include "core/integrate/ode.h"

/* One library's integrator as functions; `own` is the result of open. Statuses as in ode.h. */
typedef struct tq_ode_library {
    void *(*open)(tq_ode *ode);
    void (*close)(void *own);
    int (*start)(void *own, double t, const double *y, double h);
    int (*step)(void *own, double stop, double *ret_t, double *ret_y, double *ret_next);
    int (*at)(void *own, double t, double *ret_y);
    void (*count)(void *own, tq_ode_stats *ret);
} tq_ode_library;

/* Results of start and step. */
enum { TQ_ODE_DONE = 0, TQ_ODE_TOO_SMALL = 1, TQ_ODE_GAVE_UP = 2, TQ_ODE_NO_MEMORY = 3 };

struct tq_ode {
    tq_ode_problem problem;
    tq_ode_method method;
    const tq_ode_library *library;
    void *own;
    double t;    /* end of the last step */
    double next; /* size of the next step */
    double *y;   /* (n) memory of the library's state vector */
    double *atol;
    tq_ode_stats before; /* counts before the last start */
};

extern const tq_ode_library tq_ode_arkode;
extern const tq_ode_library tq_ode_cvode;

#endif
