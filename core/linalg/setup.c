/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/setup.c - BLAS made safe for many threads of ours. */
#include "core/linalg/setup.h"

#include <cblas.h>

/* What the library itself calls before a fork; it starts its threads again should it ever need
 * them. In no header: NULL when a build has none. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

tq_status tq_linalg_setup(tq_error *reterr)
{
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
        return tq_fail(reterr, TQ_ERR_LAPACK, "openblas", 0, 0.0);
    }
    openblas_set_num_threads(1);
    /* asleep, each would keep 68 KiB: the library has 60 KiB of variables a thread */
    if (blas_thread_shutdown_ != NULL) {
        (void)blas_thread_shutdown_();
    }
    return TQ_OK;
}
