/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/another.c - another method on the triangles of a fit; a fit with
 * instruments beside one without. */
#include "core/identify/regression/another.h"

#include <math.h>
#include <string.h>

#include "core/identify/regression/method.h"

/* ------------------------------------------------------------------------------------------------
 * Another method
 */

size_t tq_fit_another_size(const tq_fit *fit)
{
    tq_fit most = *fit;
    most.options.method = tq_fit_has_instruments(fit) ? TQ_FIT_FEASIBLE_IV : TQ_FIT_FEASIBLE;
    return tq_scratch_cost(2 * fit->set_size, sizeof(double)) + tq_fit_found_size(fit) +
           2 * tq_scratch_cost(fit->n_column, sizeof(double)) + tq_fit_method_size(&most);
}

/* of the columns scaled to one length */
static tq_status find_condition(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                                double *ret, tq_error *reterr)
{
    const size_t n = fit->n_column;
    const size_t mark = tq_scratch_mark(scratch);
    double *by = tq_scratch_take(scratch, n, sizeof *by);
    double *s = tq_scratch_take(scratch, n, sizeof *s);
    if (by == NULL || s == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_another_size(fit));
    }
    for (size_t c = 0; c < n; c++) {
        double square = 0.0;
        for (size_t i = 0; i <= c; i++) {
            square += found->triangle[i * (n + 1) + c] * found->triangle[i * (n + 1) + c];
        }
        by[c] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    }
    const tq_reduced data = {n, found->triangle, fit->nominal};
    const tq_status status = tq_reduced_svd(&data, by, scratch, s, NULL, reterr);
    *ret = status == TQ_OK && s[n - 1] > 0.0 ? s[0] / s[n - 1] : (double)INFINITY;
    tq_scratch_rewind(scratch, mark);
    return status;
}

static tq_status find(const tq_fit *as, size_t without, tq_scratch *scratch, tq_fit_opinion *inout,
                      tq_error *reterr)
{
    tq_fit_found found;
    double *set = tq_scratch_take(scratch, 2 * as->set_size, sizeof *set);
    if (set == NULL || !tq_fit_found_take(as, scratch, &found)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_another_size(as));
    }
    const tq_fit_choice choice = {without, TQ_FIT_ALL, without != TQ_FIT_ALL};
    found.feasible = (tq_feasible_report){0};
    inout->n_sample = tq_fit_sum_sets(as, choice, set + as->set_size, set);
    if (inout->n_sample * as->n_row < as->n_column || inout->n_sample == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "n_sample", 0, (double)inout->n_sample);
    }
    tq_status status = tq_fit_find(as, set, inout->n_sample, false, scratch, &found, reterr);
    if (status == TQ_OK) {
        status = find_condition(as, &found, scratch, &inout->condition, reterr);
    }
    if (status == TQ_OK) {
        memcpy(inout->value, found.value, as->n_column * sizeof *found.value);
        memcpy(inout->full, found.full, as->n_parameter * sizeof *found.full);
        inout->objective = found.objective;
        inout->unconstrained = found.unconstrained;
        inout->n_iteration = found.feasible.n_iteration;
    }
    return status;
}

tq_status tq_fit_find_another(const tq_fit *fit, const tq_fit *fast, tq_fit_another what,
                              size_t without, tq_scratch *scratch, tq_fit_opinion *inout,
                              tq_error *reterr)
{
    tq_fit as = *fit;
    as.options.method = what.method;
    as.options.entropy = what.entropy;
    if (tq_fit_has_instruments(&as) && !tq_fit_has_instruments(fit)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "instruments", 0, 0.0);
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = find(&as, without, scratch, inout, reterr);
    if (status == TQ_OK) {
        tq_fit_find_fast(fast != NULL ? fast : fit, without, inout->value + fit->n_column);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Instruments beside a fit without
 */

static size_t instrumental_set(const tq_fit *of)
{
    size_t n = 0;
    for (size_t r = 0; r < of->n_row; r++) {
        const size_t width = 2 * of->rows[r].n + 1;
        n += width * width;
    }
    return n;
}

size_t tq_fit_instrumental_size(const tq_fit *of, size_t n_segment)
{
    const size_t n = of->n_experiment;
    return tq_scratch_cost(1, sizeof(tq_fit)) + tq_scratch_cost(of->n_row, sizeof(tq_fit_row)) +
           tq_scratch_cost(n, sizeof(tq_fit_experiment)) +
           tq_scratch_cost(n * n_segment * instrumental_set(of), sizeof(double)) +
           n * tq_scratch_cost(of->n_row, sizeof(tq_high_frequency_inertia_sums));
}

tq_status tq_fit_instrumental(const tq_fit *of, size_t lag, size_t n_segment, tq_scratch *memory,
                              tq_fit **ret_fit, tq_error *reterr)
{
    const size_t n_set = n_segment * instrumental_set(of);
    tq_fit *fit = tq_scratch_take(memory, 1, sizeof *fit);
    tq_fit_row *rows = tq_scratch_take(memory, of->n_row, sizeof *rows);
    tq_fit_experiment *each = tq_scratch_take(memory, of->n_experiment, sizeof *each);
    double *sets = tq_scratch_take(memory, of->n_experiment * n_set, sizeof *sets);
    bool good = fit != NULL && rows != NULL && each != NULL && sets != NULL;
    for (size_t e = 0; good && e < of->n_experiment; e++) {
        each[e] = (tq_fit_experiment){
            .sets = sets + e * n_set,
            .row_is_used = of->experiments[e].row_is_used,
            .fast = tq_scratch_take(memory, of->n_row, sizeof(tq_high_frequency_inertia_sums))};
        good = each[e].fast != NULL;
    }
    if (!good) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0,
                       (double)tq_fit_instrumental_size(of, n_segment));
    }
    *fit = *of;
    fit->options.method = n_segment > 1 ? TQ_FIT_FEASIBLE_IV : TQ_FIT_IV;
    fit->options.lag = lag > 0 ? lag : 1;
    fit->rows = rows;
    fit->experiments = each;
    fit->segment_max = n_segment;
    fit->searches = n_segment == 1; /* one segment an experiment */
    fit->weighs = false;
    fit->set_size = 0;
    for (size_t r = 0; r < of->n_row; r++) {
        rows[r] = of->rows[r];
        rows[r].first = rows[r].n;
        rows[r].width = 2 * rows[r].n + 1;
        rows[r].triangle = fit->set_size;
        fit->set_size += rows[r].width * rows[r].width;
    }
    *ret_fit = fit;
    return TQ_OK;
}

void tq_fit_take_fast(tq_fit *fit, const tq_fit *of)
{
    for (size_t e = 0; e < fit->n_experiment; e++) {
        memcpy(fit->experiments[e].fast, of->experiments[e].fast,
               fit->n_row * sizeof *fit->experiments[e].fast);
    }
}
