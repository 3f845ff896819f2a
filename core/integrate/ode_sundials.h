/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_sundials.h - what both integrators of SUNDIALS stand on: a context, vectors,
 * a matrix. Private to this folder. */
#ifndef TQ_INTEGRATE_ODE_SUNDIALS_H
#define TQ_INTEGRATE_ODE_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <stddef.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "core/integrate/ode_private.h"

/* What the library holds for one integrator: an adapter's own struct begins with it. Its vector of
 * user data is this struct, which lives in the library's own memory: one vector of doubles, large
 * enough.
 *
 * SUNDIALS 6 writes into what N_VClone and SUNMatClone give before it looks whether they gave
 * anything. Clones of ours are therefore never NULL: where memory is short they are a spare one,
 * made at the start, and is_short tells that what was computed with it is void. */
typedef struct tq_sundials {
    tq_ode *ode;
    SUNContext context;
    N_Vector home; /* holds this struct */
    N_Vector y, atol;
    N_Vector spare, spare_empty;
    SUNMatrix matrix, spare_matrix; /* of an implicit method */
    SUNLinearSolver solver;
    int is_short;
    int gave_up; /* the rate or the settling said so */
} tq_sundials;

/* The part of tq_ode_prepare that is ARKODE's. */
int tq_arkode_prepare(void);

/* `size` bytes, cleared behind the tq_sundials that they begin with. NULL: memory is short. */
void *tq_sundials_open(tq_ode *ode, size_t size, int is_implicit);
void tq_sundials_close(tq_sundials *s);

/* The right-hand side, of the type that both libraries ask for; data is a tq_sundials. */
int tq_sundials_rate(sunrealtype t, N_Vector y, N_Vector ydot, void *data);
/* Nothing below the daemon prints: until version 6 each integrator has an error handler of its own,
 * from 7 on the context has it. */
#if SUNDIALS_VERSION_MAJOR < 7
void tq_sundials_silent(int code, const char *module, const char *function, char *message,
                        void *data);
#define TQ_SUNDIALS_SILENCE(library, memory)                                                       \
    (library##SetErrHandlerFn((memory), tq_sundials_silent, NULL) == 0)
#else
#define TQ_SUNDIALS_SILENCE(library, memory) 1
#endif

#endif
