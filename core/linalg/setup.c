/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/setup.c - BLAS made safe for many threads of ours. */
#include "core/linalg/setup.h"

#include <cblas.h>

tq_status tq_linalg_setup(tq_error *reterr)
{
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
        return tq_fail(reterr, TQ_ERR_LAPACK, "openblas", 0, 0.0);
    }
    openblas_set_num_threads(1);
    return TQ_OK;
}
