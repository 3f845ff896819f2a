/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_sundials.h - parts common to both integrators of SUNDIALS: context, vectors,
 * matrix. Private to this folder. */
#ifndef TQ_INTEGRATE_ODE_SUNDIALS_H
#define TQ_INTEGRATE_ODE_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <stddef.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "core/integrate/ode_private.h"

/* Objects of the library for one integrator: an adapter's own struct begins with it. The user data
 * pointer is this struct, which is stored in memory of the library: a vector of doubles, large
 * enough.
 *
 * SUNDIALS 6 writes to the result of N_VClone and SUNMatClone before it checks for NULL. Our clone
 * functions therefore never return NULL: out of memory they return a spare object, allocated at the
 * start, and set is_short, which invalidates all results. */
typedef struct tq_sundials {
    tq_ode *ode;
    SUNContext context;
    N_Vector home; /* holds this struct */
    N_Vector y, atol;
    N_Vector spare, spare_empty;
    SUNMatrix matrix, spare_matrix; /* of an implicit method */
    SUNLinearSolver solver;
    int is_short;
    int gave_up; /* the rate or the projection failed unrecoverably */
} tq_sundials;

/* The part of tq_ode_prepare for ARKODE. */
int tq_arkode_prepare(void);

/* `size` bytes, beginning with the tq_sundials, zero after it. NULL: out of memory. */
void *tq_sundials_open(tq_ode *ode, size_t size, int is_implicit);
void tq_sundials_close(tq_sundials *s);

/* The right-hand side, with the type that both libraries require; data is a tq_sundials. */
int tq_sundials_rate(sunrealtype t, N_Vector y, N_Vector ydot, void *data);
/* Nothing below the daemon prints: until version 6 each integrator has an error handler of its own,
 * since version 7 the context has it. */
#if SUNDIALS_VERSION_MAJOR < 7
void tq_sundials_silent(int code, const char *module, const char *function, char *message,
                        void *data);
#define TQ_SUNDIALS_SILENCE(library, memory)                                                       \
    (library##SetErrHandlerFn((memory), tq_sundials_silent, NULL) == 0)
#else
#define TQ_SUNDIALS_SILENCE(library, memory) 1
#endif

#endif
