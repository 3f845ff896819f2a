/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/operation.h - requests out of words and files, for commands of resources. */
#ifndef TORQUECTL_OPERATION_H
#define TORQUECTL_OPERATION_H

#include "clients/torquectl/ctl.h"

/* Files are inputs of the request, in their order. False, with the fault said: too many. */
bool ctl_add_inputs(ctl *c, int n, char **files);
/* Fields of the command's operation out of its inputs, then out of its words. False, with the fault
 * said. */
bool ctl_gather(const ctl *c, json_t *fields);
/* The same out of its words alone. */
bool ctl_take_fields(const ctl *c, json_t *fields);

#endif
