/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi.h - the contract as bytes to serve. */
#ifndef TQA_OPENAPI_H
#define TQA_OPENAPI_H

#include <stddef.h>

/* api/openapi/openapi.yaml as JSON text; lives as long as the process. */
const char *tqa_openapi_json(size_t *ret_n);

#endif
