/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/early.h - checks and settings before any library's constructor. */
#ifndef TQD_BOOT_EARLY_H
#define TQD_BOOT_EARLY_H

/* NULL if the limits are sufficient, else one line about the limit that is too low. Called before
 * the libraries' constructors, when the C library has no environment yet.
 *
 * OpenBLAS starts a thread per core before main, and retries for ever if it gets no memory for
 * them. So OPENBLAS_NUM_THREADS=1 is put into the environment by an exec of the same program:
 * parallelism is the daemon's workers, each with a sequential BLAS. */
const char *tqd_early(char **argv, char **envp);

#endif
