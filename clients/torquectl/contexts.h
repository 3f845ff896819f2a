/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/contexts.h - named servers in a file of the user's. */
#ifndef TORQUECTL_CONTEXTS_H
#define TORQUECTL_CONTEXTS_H

#include "clients/torquectl/ctl.h"

/* Server and token file of the command line, else of $TORQUED_URL, else of the context. False, with
 * the fault said: there is no such context. */
bool ctl_context_apply(ctl *c);

ctl_run ctl_contexts_list, ctl_contexts_use, ctl_contexts_set, ctl_contexts_delete;

#endif
