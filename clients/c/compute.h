/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/compute.h - a POST with arrays in and out, at any address. */
#ifndef TQC_COMPUTE_H
#define TQC_COMPUTE_H

#include <stdbool.h>

#include "clients/c/cbor.h"
#include "clients/c/tqc.h"

/* What is taken of an answer. */
typedef struct tqci_wanted {
    tqc_result *results;
    size_t n_result;
    const tqci_text *texts; /* one that is not there is "" */
    size_t n_text;
} tqci_wanted;

/* tqc_compute at a path; `fields` is not NULL. `is_repeatable`: twice is as once. */
tqc_code tqci_compute(tqc_client *client, const char *path, bool is_repeatable, const char *fields,
                      const tqc_array *arrays, size_t n_array, const tqci_wanted *wanted,
                      tqc_answer *answer, tqc_error *error);

#endif
