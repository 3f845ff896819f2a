/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/friction_rows.h - the friction regressors of a fit as parallel rows of a pass. */
#ifndef TQ_IDENTIFY_FRICTION_ROWS_H
#define TQ_IDENTIFY_FRICTION_ROWS_H

#include "core/identify/regression/fit.h"
#include "core/signal/parallel_rows.h"

/* Refers to the fit, whose law of friction must not change during a pass. */
tq_parallel_rows tq_friction_rows(const tq_fit *fit);

#endif
