/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/csdp.h - CSDP, the independent solver of feasible fits. */
#ifndef TQT_CSDP_H
#define TQT_CSDP_H

#include <stdbool.h>

#include "core/identify/feasible/feasible.h"

/* Solves the problem without entropy by the program `csdp` (Debian: coinor-csdp), in a folder of
 * its own under build/. ret_x as of tq_feasible_solve. False when there is no such program or it
 * fails. */
bool tqt_csdp(const tq_feasible *problem, double *ret_x);

#endif
