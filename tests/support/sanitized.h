/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/sanitized.h - whether a sanitizer watches this build, which then repeats less. */
#ifndef TQT_SANITIZED_H
#define TQT_SANITIZED_H

#include <stdbool.h>

/* A sanitizer reports what one pass over the code does; statistics of hundreds of experiments are
 * those of the release build, bit for bit. */
#ifdef TQD_SANITIZED
enum { TQT_SANITIZED = true };
#else
enum { TQT_SANITIZED = false };
#endif

#endif
