/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/machine.h - requirements on the machine; the build compiles this file before any other.
 */
#ifndef TQ_BASE_MACHINE_H
#define TQ_BASE_MACHINE_H

/* Sizes of files and counts of samples are size_t, and products of them __int128. */
#if __SIZEOF_POINTER__ < 8 || !defined __SIZEOF_INT128__
#error "torqued needs a 64-bit machine"
#endif

#endif
