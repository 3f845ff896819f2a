/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/base_set.h - the base parameters of a model, with memory for them. */
#ifndef TQT_BASE_SET_H
#define TQT_BASE_SET_H

#include "core/identify/regression/base.h"

/* Finds the base set of columns `with`, with arrays in `scratch`. Returns the values of all
 * parameters, there as well; NULL: it was not found, or the search has not released its memory. */
double *tqt_base_set(const tq_model *model, unsigned with, const tq_base_options *options,
                     tq_scratch *scratch, tq_base_set *ret);

#endif
