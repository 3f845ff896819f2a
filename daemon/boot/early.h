/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/early.h - what must be right before any library starts. */
#ifndef TQD_BOOT_EARLY_H
#define TQD_BOOT_EARLY_H

/* Whether the process may go on: NULL, or one line that says which limit is too low. Called before
 * the libraries' own starts, when the C library has no environment yet.
 *
 * OpenBLAS starts a thread per core before main, and where it gets no memory for them it asks for
 * ever. So OPENBLAS_NUM_THREADS=1 is put into the environment, by an exec of the same program: the
 * threads here are the daemon's workers, and each computes by itself. */
const char *tqd_early(char **argv, char **envp);

#endif
