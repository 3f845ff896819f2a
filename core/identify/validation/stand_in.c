/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/stand_in.c - the friction law of a robot document, fitted to the torque
 * without the rigid-body part. */
#include "core/identify/validation/stand_in.h"

#include <math.h>
#include <string.h>

#include "core/identify/regression/fit_private.h"
#include "core/identify/sweep.h"

enum {
    SAMPLES = 3000,
    VISCOUS = 0,
    COULOMB,
    OFFSET,
    STRIBECK,
    LEFT,
    WIDTH,
    GRAM = WIDTH * WIDTH,
};
static const double dependent = 1e-6; /* of a column's square: the part that is independent of the
                                         others */

typedef struct row_sums {
    double n, of_fit;
    double gram[GRAM];
} row_sums;

struct tq_stand_in {
    const tq_fit *fit;
    size_t n_recording, every, n_seen, n_filled;
    tq_fit_run run;
    double *raw, *predicted; /* (nv x TQ_FOLD_RUN) */
    double *bodies;          /* (n_column) values without friction */
    row_sums *sums;          /* (nv) */
    tq_stand_in_row *rows;   /* (nv) */
};

size_t tq_stand_in_size(const tq_fit *fit)
{
    const size_t nv = fit->n_row;
    return tq_scratch_cost(1, sizeof(tq_stand_in)) + tq_fit_run_size(fit) +
           2 * tq_scratch_cost(nv * TQ_FOLD_RUN, sizeof(double)) +
           tq_scratch_cost(fit->n_column, sizeof(double)) + tq_scratch_cost(nv, sizeof(row_sums)) +
           tq_scratch_cost(nv, sizeof(tq_stand_in_row));
}

tq_status tq_stand_in_begin(const tq_fit *fit, size_t n_recording, tq_scratch *memory,
                            tq_stand_in **ret, tq_error *reterr)
{
    const size_t nv = fit->n_row;
    tq_stand_in *s = tq_scratch_take(memory, 1, sizeof *s);
    double *raw = tq_scratch_take(memory, nv * TQ_FOLD_RUN, sizeof(double));
    double *predicted = tq_scratch_take(memory, nv * TQ_FOLD_RUN, sizeof(double));
    double *bodies = tq_scratch_take(memory, fit->n_column, sizeof(double));
    row_sums *sums = tq_scratch_take(memory, nv, sizeof *sums);
    tq_stand_in_row *rows = tq_scratch_take(memory, nv, sizeof *rows);
    if (s == NULL || raw == NULL || predicted == NULL || bodies == NULL || sums == NULL ||
        rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)tq_stand_in_size(fit));
    }
    *s = (tq_stand_in){.fit = fit,
                       .n_recording = n_recording,
                       .raw = raw,
                       .predicted = predicted,
                       .bodies = bodies,
                       .sums = sums,
                       .rows = rows};
    memset(sums, 0, nv * sizeof *sums);
    memset(rows, 0, nv * sizeof *rows);
    *ret = s;
    return tq_fit_run_take(fit, memory, &s->run, reterr);
}

void tq_stand_in_next(tq_stand_in *s, size_t n_sample)
{
    const size_t share = SAMPLES / s->n_recording + 1;
    s->every = n_sample > share ? n_sample / share : 1;
    s->n_seen = s->n_filled = 0;
}

static bool is_friction(const tq_column *column)
{
    return column->kind == TQ_COLUMN_STRIBECK || column->kind == TQ_COLUMN_LOAD ||
           (column->kind == TQ_COLUMN_PARAMETER &&
            (column->parameter.kind == TQ_PARAMETER_VISCOUS ||
             column->parameter.kind == TQ_PARAMETER_COULOMB ||
             column->parameter.kind == TQ_PARAMETER_OFFSET));
}

/* Adds sample i of row r: its friction columns, summed by kind, and the torque to be explained. */
static void add_sample(tq_stand_in *s, size_t r, size_t i, double bodies)
{
    const tq_fit_row *row = &s->fit->rows[r];
    row_sums *sums = &s->sums[r];
    double x[WIDTH] = {0};
    for (size_t c = 0; c < row->n; c++) {
        const tq_column *column = &s->fit->columns[row->column[c]];
        const double value = s->run.values[row->offset[c] + (int64_t)i];
        if (column->kind == TQ_COLUMN_STRIBECK) {
            x[STRIBECK] += value;
        } else if (column->kind == TQ_COLUMN_PARAMETER && is_friction(column)) {
            x[column->parameter.kind == TQ_PARAMETER_VISCOUS   ? VISCOUS
              : column->parameter.kind == TQ_PARAMETER_COULOMB ? COULOMB
                                                               : OFFSET] += value;
        }
    }
    x[LEFT] = s->raw[r * TQ_FOLD_RUN + i] - bodies;
    const double of_fit = s->raw[r * TQ_FOLD_RUN + i] - s->predicted[r * TQ_FOLD_RUN + i];
    sums->n += 1.0;
    sums->of_fit += of_fit * of_fit;
    for (unsigned a = 0; a < WIDTH; a++) {
        for (unsigned b = 0; b < WIDTH; b++) {
            sums->gram[a * WIDTH + b] += x[a] * x[b];
        }
    }
}

static tq_status flush(tq_stand_in *s, const double *value, tq_error *reterr)
{
    const size_t n = s->n_filled;
    double torque[TQ_FOLD_RUN];
    s->n_filled = 0;
    if (n == 0) {
        return TQ_OK;
    }
    tq_fit_run_rate_signs(s->fit, &s->run, n);
    const tq_status status = tq_fit_run_compute(s->fit, &s->run, n, value, reterr);
    for (size_t c = 0; c < s->fit->n_column; c++) {
        s->bodies[c] = is_friction(&s->fit->columns[c]) ? 0.0 : value[c];
    }
    for (size_t r = 0; status == TQ_OK && r < s->fit->n_row; r++) {
        tq_fit_run_torque(s->fit, &s->run, r, TQ_FIT_OF_ALL, s->bodies, torque);
        for (size_t i = 0; i < n; i++) {
            add_sample(s, r, i, torque[i]);
        }
    }
    return status;
}

tq_status tq_stand_in_push(tq_stand_in *s, const tq_experiment_block *block, const double *value,
                           const double *predicted, tq_error *reterr)
{
    const double *raw = block->tau_raw != NULL ? block->tau_raw : block->tau;
    tq_status status = TQ_OK;
    for (size_t i = 0; i < block->n_sample && status == TQ_OK; i++) {
        if (s->n_seen++ % s->every != 0) {
            continue;
        }
        tq_fit_run_copy(s->fit, &s->run, s->n_filled, block, i, 1);
        for (size_t r = 0; r < s->fit->n_row; r++) {
            s->raw[r * TQ_FOLD_RUN + s->n_filled] = raw[r * block->stride + i];
            s->predicted[r * TQ_FOLD_RUN + s->n_filled] = predicted[r * block->stride + i];
        }
        if (++s->n_filled == TQ_FOLD_RUN) {
            status = flush(s, value, reterr);
        }
    }
    return status == TQ_OK ? flush(s, value, reterr) : status;
}

/* Sweeps the columns of a bit mask; returns the mask of values that are negative but must not be.
 */
static unsigned solve(const double *gram, unsigned mask, double *a)
{
    unsigned negative = 0;
    memcpy(a, gram, GRAM * sizeof *a);
    static const unsigned order[] = {COULOMB, VISCOUS, OFFSET, STRIBECK};
    for (unsigned k = 0; k < sizeof order / sizeof order[0]; k++) {
        const unsigned c = order[k];
        if ((mask >> c & 1u) != 0 && a[(WIDTH + 1) * c] > dependent * gram[(WIDTH + 1) * c]) {
            tq_sweep(WIDTH, a, c);
        }
    }
    for (unsigned c = VISCOUS; c <= COULOMB; c++) {
        if (a[(WIDTH + 1) * c] < 0.0 && a[c * WIDTH + LEFT] < 0.0) {
            negative |= 1u << c;
        }
    }
    return negative;
}

const tq_stand_in_row *tq_stand_in_rows(tq_stand_in *s)
{
    for (size_t r = 0; r < s->fit->n_row; r++) {
        const row_sums *sums = &s->sums[r];
        tq_stand_in_row *row = &s->rows[r];
        double a[GRAM], x[LEFT];
        unsigned mask = (1u << LEFT) - 1u;
        unsigned negative = solve(sums->gram, mask, a);
        while (negative != 0) {
            mask &= ~negative;
            negative = solve(sums->gram, mask, a);
        }
        for (unsigned c = 0; c < LEFT; c++) {
            x[c] = a[(WIDTH + 1) * c] < 0.0 ? a[c * WIDTH + LEFT] : 0.0;
        }
        *row =
            (tq_stand_in_row){.is_there = sums->n > 0.0 && sums->gram[(WIDTH + 1) * COULOMB] > 0.0,
                              .viscous = x[VISCOUS],
                              .coulomb = x[COULOMB],
                              .offset = x[OFFSET],
                              .stribeck = x[STRIBECK],
                              .rmse_fit = sqrt(sums->of_fit / fmax(sums->n, 1.0)),
                              .rmse = sqrt(fmax(a[GRAM - 1], 0.0) / fmax(sums->n, 1.0))};
    }
    return s->rows;
}

void tq_stand_in_archive(tq_stand_in *s, tq_archive *archive)
{
    tq_archive_bytes(archive, s->sums, s->fit->n_row * sizeof *s->sums);
}
