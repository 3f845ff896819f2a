/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/files.h - bytes of requests and answers from and to files. */
#ifndef TORQUECTL_FILES_H
#define TORQUECTL_FILES_H

#include "clients/torquectl/request.h"

/* Sends, and writes the body into a file that gets its name when it is complete; "-" and NULL are
 * standard output. Returns a status. */
int ctl_fetch(ctl *c, ctl_request *request, const char *name, bool is_private);
/* Sends and prints the answer. Returns a status. */
int ctl_exchange(ctl *c, const ctl_request *request);
/* "-" is standard input; NULL, with the fault said: it cannot be opened. */
FILE *ctl_open_input(const char *name);

#endif
