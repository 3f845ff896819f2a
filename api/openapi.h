/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi.h - the contract as bytes to serve. */
#ifndef TQA_OPENAPI_H
#define TQA_OPENAPI_H

#include <stddef.h>

/* api/openapi/openapi.yaml as JSON text; lives as long as the process. */
const char *tqa_openapi_json(size_t *ret_n);

/* The same for generators of clients: one media type for each body and answer, JSON or text where
 * it can be, else application/octet-stream. Writes to `to` unless it is NULL, and returns how many
 * bytes. */
size_t tqa_openapi_clients_json(char *to);

#endif
