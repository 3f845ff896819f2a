/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/base_set.c - the base parameters of a model, with memory for them. */
#include "tests/support/base_set.h"

#include "core/dynamics/regressor/regressor.h"

double *tqt_base_set(const tq_model *model, unsigned with, const tq_base_options *options,
                     tq_scratch *scratch, tq_base_set *ret)
{
    const size_t n = tq_parameter_count(model, with);
    *ret = (tq_base_set){.independent = tq_scratch_take(scratch, n, sizeof(uint32_t)),
                         .dependent = tq_scratch_take(scratch, n, sizeof(uint32_t)),
                         .without = tq_scratch_take(scratch, n, sizeof(uint32_t)),
                         .k = tq_scratch_take(scratch, n * n, sizeof(double))};
    double *values = tq_scratch_take(scratch, n, sizeof *values);
    tq_parameter_values(model, with, values);
    const size_t used = scratch->used;
    const tq_status status = tq_base_find(model, with, options, scratch, ret, NULL);
    return status == TQ_OK && scratch->used == used ? values : NULL;
}
