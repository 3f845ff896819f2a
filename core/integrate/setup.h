/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/setup.h - start and name of the ODE library (SUNDIALS). */
#ifndef TQ_INTEGRATE_SETUP_H
#define TQ_INTEGRATE_SETUP_H

/* Called once before any thread starts: allocates what the library cannot allocate safely when
 * memory is short. Returns 0 if out of memory. Without this call the allocation happens on first
 * use. */
int tq_ode_prepare(void);

/* Version and architecture of the library, e.g. "sundials 6.4.1 x86_64". Its build may contract
 * multiply-adds, so both determine the last bits of a run. */
const char *tq_ode_library_name(void);

#endif
