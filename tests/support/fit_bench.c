/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fit_bench.c - the steps of a fit, each checked. */
#include "tests/support/fit_bench.h"

#include <criterion/criterion.h>

#include <stdlib.h>

enum { BYTES = 192 << 20 };

static tq_scratch fresh(void)
{
    tq_scratch s;
    tq_scratch_init(&s, aligned_alloc(64, BYTES), BYTES);
    return s;
}

tqt_fit_bench tqt_fit_open(tq_model *model)
{
    return (tqt_fit_bench){.model = model,
                           .subject = tqt_subject_new(model, 0),
                           .memory = fresh(),
                           .scratch = fresh()};
}

void tqt_fit_close(tqt_fit_bench *b)
{
    free(b->memory.memory), free(b->scratch.memory);
    tqt_subject_free(b->subject);
    tqt_model_free(b->model);
}

void tqt_fit_build(tqt_fit_bench *b, const tq_fit_options *options, size_t n_experiment)
{
    tq_error error = {0};
    const size_t before = b->memory.used;
    const tq_status status =
        tq_fit_build(b->subject->mechanism, options, n_experiment, &b->memory, &b->fit, &error);
    cr_assert(status == TQ_OK, "%s: %s", tq_status_text(status), error.what);
    cr_assert(b->memory.used - before <= tq_fit_size(b->subject->mechanism, options, n_experiment));
    cr_assert(b->memory.used - before <= tq_fit_size_like(b->fit, n_experiment));
}

void tqt_fit_solve(tqt_fit_bench *b)
{
    tq_error error = {0};
    const size_t used = b->scratch.used;
    b->scratch.peak = used;
    const tq_status status = tq_fit_solve(b->fit, &b->memory, &b->scratch, &b->solution, &error);
    cr_assert(status == TQ_OK, "%s: %s %g", tq_status_text(status), error.what, error.value);
    cr_assert(b->scratch.used == used, "scratch released");
    cr_assert(b->scratch.peak - used <= tq_fit_solve_size(b->fit), "no more than it says");
}

size_t tqt_fit_column(const tqt_fit_bench *b, tq_column_kind kind, tq_parameter_kind parameter,
                      uint32_t joint, uint32_t other)
{
    size_t n = 0;
    const tq_column *columns = tq_fit_columns(b->fit, &n);
    for (size_t c = 0; c < n; c++) {
        if (columns[c].kind == kind &&
            (kind == TQ_COLUMN_PARAMETER
                 ? columns[c].parameter.kind == parameter && columns[c].parameter.joint == joint
                 : columns[c].joint == joint && columns[c].other == other)) {
            return c;
        }
    }
    cr_assert_fail("no such column");
    return 0;
}

tq_verdict_report tqt_fit_verdict(tqt_fit_bench *b, const tqt_excited *validation)
{
    tq_residuals judge;
    tq_error error = {0};
    const size_t mark = tq_scratch_mark(&b->scratch);
    if (validation != NULL) {
        double *memory = tqt_doubles(4 * validation->nv * TQ_BLOCK);
        tq_status status =
            tq_residuals_begin(b->fit, b->solution.value, .02, &b->scratch, &judge, &error);
        for (size_t k = 0; status == TQ_OK && k < tq_block_count(validation->n_sample); k++) {
            const tq_experiment_block block = tqt_excited_block(validation, k, memory);
            status = tq_residuals_push(&judge, &block, NULL, &error);
        }
        cr_assert(status == TQ_OK, "%s: %s", tq_status_text(status), error.what);
        free(memory);
    }
    tq_verdict_report report;
    const tq_status status = tq_verdict_compute(
        b->fit, &b->solution, validation != NULL ? &judge : NULL, &b->scratch, &report, &error);
    cr_assert(status == TQ_OK, "%s: %s", tq_status_text(status), error.what);
    tq_scratch_rewind(&b->scratch, mark);
    return report;
}
