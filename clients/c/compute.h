/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/compute.h - a POST with arrays in and out, at any address. */
#ifndef TQC_COMPUTE_H
#define TQC_COMPUTE_H

#include <stdbool.h>

#include "clients/c/tqc.h"

/* tqc_compute at a path; `fields` is not NULL. `is_repeatable`: twice is as once. */
tqc_code tqci_compute(tqc_client *client, const char *path, bool is_repeatable, const char *fields,
                      const tqc_array *arrays, size_t n_array, tqc_result *results, size_t n_result,
                      tqc_answer *answer, tqc_error *error);

#endif
