/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/sanitized.h - true in builds with a sanitizer, which repeat less. */
#ifndef TQT_SANITIZED_H
#define TQT_SANITIZED_H

#include <stdbool.h>

/* A sanitizer needs one pass over the code; statistics of hundreds of experiments run in the
 * release build, with the same bits. */
#ifdef TQD_SANITIZED
enum { TQT_SANITIZED = true };
#else
enum { TQT_SANITIZED = false };
#endif

#endif
