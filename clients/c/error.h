/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/error.h - faults of this library, and problem documents, as tqc_error. */
#ifndef TQC_ERROR_H
#define TQC_ERROR_H

#include "clients/c/tqc.h"

/* Sets code and detail, clears the rest; `error` may be NULL. Returns `code`. */
tqc_code tqci_fail(tqc_error *error, tqc_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An answer of the service other than 2xx: by its problem document, if it is one. */
tqc_code tqci_refused(tqc_error *error, int status, const char *body, size_t n);

#endif
