/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/csdp.h - CSDP, the independent solver of feasible fits. */
#ifndef TQT_CSDP_H
#define TQT_CSDP_H

#include <stdbool.h>

#include "core/identify/feasible/feasible.h"

/* Solves the problem without entropy by the program `csdp` (Debian: coinor-csdp), in a new folder
 * under build/. ret_x as in tq_feasible_solve. False if the program is not installed or fails. */
bool tqt_csdp(const tq_feasible *problem, double *ret_x);

#endif
