/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/nominal.h - how large parameters of a robot of this size are: private. */
#ifndef TQ_IDENTIFY_NOMINAL_H
#define TQ_IDENTIFY_NOMINAL_H

#include "core/model/model.h"

/* Mass beyond a link, itself included, and how far it reaches, m. */
void tq_nominal_link(const tq_model *model, uint32_t link, double *ret_mass, double *ret_reach);

#endif
