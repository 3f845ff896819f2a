/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/fit_archive.c - the state of a fit and of its solution as bytes. */
#include <string.h>

#include "core/identify/regression/fit_private.h"

/* Triangles are zero below the diagonal. */
static void archive_set(const tq_fit *fit, double *set, tq_archive *archive)
{
    if (archive->mode == TQ_ARCHIVE_READ) {
        memset(set, 0, fit->set_size * sizeof *set);
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        const size_t n = fit->rows[r].width;
        for (size_t i = 0; i < n; i++) {
            tq_archive_doubles(archive, set + fit->rows[r].triangle + i * n + i, n - i);
        }
    }
}

static void archive_experiment(const tq_fit *fit, tq_fit_experiment *e, tq_archive *archive)
{
    tq_archive_bytes(archive, &e->n_sample, sizeof e->n_sample);
    tq_archive_bytes(archive, &e->n_segment, sizeof e->n_segment);
    tq_archive_bytes(archive, &e->length, sizeof e->length);
    tq_archive_bytes(archive, e->fast, fit->n_row * sizeof *e->fast);
    for (size_t s = 0; s < e->n_segment && s < fit->segment_max; s++) {
        archive_set(fit, e->sets + s * fit->set_size, archive);
    }
}

void tq_fit_archive(tq_fit *fit, size_t n_experiment, tq_archive *archive)
{
    const size_t n = fit->n_column;
    tq_archive_doubles(archive, &fit->options.model.smoothing, 1);
    tq_archive_doubles(archive, &fit->options.model.presliding, 1);
    tq_archive_doubles(archive, &fit->options.model.relaxation, 1);
    tq_archive_doubles(archive, fit->nominal, n);
    tq_archive_doubles(archive, fit->weight, fit->n_row);
    /* speed, best, best_left */
    tq_archive_doubles(archive, fit->speed, 3 * (size_t)fit->mechanism->model.n_joint);
    tq_archive_bytes(archive, &fit->n_speed, sizeof fit->n_speed);
    tq_archive_bytes(archive, &fit->n_pass, sizeof fit->n_pass);
    tq_archive_bytes(archive, &fit->is_last, sizeof fit->is_last);
    tq_archive_bytes(archive, &fit->searches, sizeof fit->searches);
    tq_archive_bytes(archive, &fit->has_load, sizeof fit->has_load);
    tq_archive_bytes(archive, &fit->weighs, sizeof fit->weighs);
    tq_archive_doubles(archive, fit->load, fit->has_load ? n : 0);
    tq_archive_doubles(archive, fit->huber, fit->weighs ? n : 0);
    for (size_t e = 0; e < n_experiment; e++) {
        archive_experiment(fit, &fit->experiments[e], archive);
    }
}

static void archive_numbers(tq_fit_solution *s, tq_archive *archive)
{
    double *const numbers[] = {
        &s->condition, &s->condition_scaled, &s->objective, &s->objective_unconstrained,
        &s->gap,       &s->least_eigenvalue, &s->freedom,   &s->objective_unbounded};
    size_t *const counts[] = {&s->structural_rank, &s->rank,        &s->n_iteration,
                              &s->n_unidentified,  &s->n_invisible, &s->n_sample,
                              &s->n_active};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        tq_archive_doubles(archive, numbers[k], 1);
    }
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        tq_archive_bytes(archive, counts[k], sizeof *counts[k]);
    }
    tq_archive_bytes(archive, &s->again, sizeof s->again);
}

bool tq_fit_solution_archive(const tq_fit *fit, tq_scratch *memory, tq_fit_solution *inout,
                             tq_archive *archive)
{
    const size_t n = fit->n_column;
    if (archive->mode == TQ_ARCHIVE_READ && !tq_fit_solution_take(fit, memory, inout)) {
        return false;
    }
    archive_numbers(inout, archive);
    tq_archive_bytes(archive, inout->estimate, n * sizeof *inout->estimate);
    tq_archive_doubles(archive, inout->value, tq_fit_value_count(fit));
    tq_archive_doubles(archive, inout->full, fit->n_parameter);
    tq_archive_doubles(archive, inout->sigma, fit->n_row);
    tq_archive_doubles(archive, inout->mean_load, fit->n_row);
    tq_archive_doubles(archive, inout->covariance, n * n);
    if (inout->n_active <= TQ_LINK_ENDS * fit->options.n_bound) {
        tq_archive_bytes(archive, inout->active, inout->n_active * sizeof *inout->active);
    }
    for (size_t k = 0; k < inout->n_unidentified + inout->n_invisible && k < n; k++) {
        tq_archive_doubles(archive, inout->unidentified[k].direction, n);
        tq_archive_doubles(archive, &inout->unidentified[k].deviation, 1);
        tq_archive_doubles(archive, &inout->unidentified[k].visible, 1);
    }
    return true;
}
