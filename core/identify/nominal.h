/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/nominal.h - nominal sizes of the parameters of a robot of this size: private. */
#ifndef TQ_IDENTIFY_NOMINAL_H
#define TQ_IDENTIFY_NOMINAL_H

#include "core/model/model.h"

/* Mass of a link and its descendants, kg, and its reach, m. */
void tq_nominal_link(const tq_model *model, uint32_t link, double *ret_mass, double *ret_reach);

#endif
