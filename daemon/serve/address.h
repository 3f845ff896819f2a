/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/address.h - an unknown path: suggests the one that was probably meant. */
#ifndef TQD_SERVE_ADDRESS_H
#define TQD_SERVE_ADDRESS_H

#include "api/problem.h"
#include "daemon/serve/server.h"

/* 404, with a similar address as a suggestion: by its last segment, else by the first after /v1. */
void tqd_refuse_path(const tqd_server_options *options, const char *path, tqa_problem *problem);

#endif
