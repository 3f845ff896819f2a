/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/setup.h - makes the BLAS library safe to call from several threads. */
#ifndef TQ_LINALG_SETUP_H
#define TQ_LINALG_SETUP_H

#include "core/base/status.h"

/**
 * End the threads of the BLAS library. Call once at start, before any worker exists.
 *
 * Returns  TQ_OK
 *          TQ_ERR_LAPACK      "openblas": the library is the serial build, which gives wrong
 *                             answers when several threads of ours call it at once
 */
tq_status tq_linalg_setup(tq_error *reterr);

/* BLAS library and kernel set that factor the larger matrices; they determine the last bits:
 * "openblas 0.3.21 Haswell". Static; "" before the setup. */
const char *tq_linalg_name(void);

#endif
