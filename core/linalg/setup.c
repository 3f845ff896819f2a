/* SPDX-License-Identifier: Apache-2.0 */
/* core/linalg/setup.c - makes the BLAS library safe to call from several threads. */
#include "core/linalg/setup.h"

#include <cblas.h>

/* OpenBLAS's own handler before a fork; the library restarts its threads if it needs them. Not
 * declared in any header; NULL in builds without threads. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

static char name[64];

/* appends a word, which ends at a space or at the end; returns the new length */
static size_t add_word(size_t at, const char *word)
{
    while (at + 1 < sizeof name && *word != '\0' && *word != ' ') {
        name[at++] = *word++;
    }
    name[at] = '\0';
    return at;
}

static size_t add_space(size_t at)
{
    if (at + 2 < sizeof name) {
        name[at++] = ' ';
    }
    return at;
}

/* "OpenBLAS 0.3.21 DYNAMIC_ARCH ..." has the version as its second word */
static void keep_name(void)
{
    const char *config = openblas_get_config();
    while (*config != '\0' && *config++ != ' ') {
    }
    size_t at = add_word(0, "openblas");
    at = add_word(add_space(at), config);
    (void)add_word(add_space(at), openblas_get_corename());
}

const char *tq_linalg_name(void)
{
    return name;
}

tq_status tq_linalg_setup(tq_error *reterr)
{
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL) {
        return tq_fail(reterr, TQ_ERR_LAPACK, "openblas", 0, 0.0);
    }
    openblas_set_num_threads(1);
    keep_name();
    /* each idle thread would keep 68 KiB: the library has 60 KiB of variables per thread */
    if (blas_thread_shutdown_ != NULL) {
        (void)blas_thread_shutdown_();
    }
    return TQ_OK;
}
