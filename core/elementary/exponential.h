/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/exponential.h - exp of a double-double number. */
#ifndef TQ_ELEMENTARY_EXPONENTIAL_H
#define TQ_ELEMENTARY_EXPONENTIAL_H

#include "core/elementary/twofold.h"

/* exp(hi + lo); 0 and infinity beyond the range of a double. hi is no NaN. */
double tq_exp_of_twofold(twofold x);

#endif
