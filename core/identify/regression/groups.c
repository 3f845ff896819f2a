/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/groups.c - Gram matrices of experiments or segments, and normal
 * equations of some. */
#include "core/identify/regression/groups.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"

enum { EXPERIMENTS_ENOUGH = 4 };  /* minimum number of experiments that are groups by themselves */
static const double hold = 1e-12; /* regularisation of a scaled Gram matrix, so that it can be
                                     factored */

size_t tq_groups_size(const tq_fit *fit)
{
    const size_t n = fit->n_column;
    return 2 * tq_scratch_cost(n * n, sizeof(double)) + 5 * tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost(2 * fit->set_size, sizeof(double)) + tq_invert_scratch_size(n);
}

bool tq_groups_take(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch, tq_groups *j)
{
    const size_t n = fit->n_column;
    *j = (tq_groups){.fit = fit, .found = found, .n = n, .scratch = scratch};
    j->whole = tq_scratch_take(scratch, n * n, sizeof(double));
    j->part = tq_scratch_take(scratch, n * n, sizeof(double));
    j->right = tq_scratch_take(scratch, n, sizeof(double));
    j->part_right = tq_scratch_take(scratch, n, sizeof(double));
    j->mean = tq_scratch_take(scratch, n, sizeof(double));
    j->square = tq_scratch_take(scratch, n, sizeof(double));
    j->room = tq_scratch_take(scratch, n, sizeof(double));
    j->set = tq_scratch_take(scratch, 2 * j->fit->set_size, sizeof(double));
    return j->whole != NULL && j->part != NULL && j->right != NULL && j->part_right != NULL &&
           j->mean != NULL && j->square != NULL && j->room != NULL && j->set != NULL;
}

bool tq_groups_are_experiments(const tq_fit *fit)
{
    bool is_whole = true; /* leaving an experiment out takes a row whose torque only it has */
    for (size_t e = 0; e < fit->n_experiment; e++) {
        is_whole = is_whole && fit->experiments[e].row_is_used == NULL;
    }
    return is_whole && fit->n_experiment >= EXPERIMENTS_ENOUGH;
}

size_t tq_groups_count(const tq_fit *fit)
{
    size_t n = 0;
    for (size_t e = 0; e < fit->n_experiment; e++) {
        n += tq_groups_are_experiments(fit) ? 1 : fit->experiments[e].n_segment;
    }
    return n;
}

size_t tq_groups_most(const tq_fit *fit)
{
    return fit->n_experiment * (tq_groups_are_experiments(fit) ? 1 : fit->segment_max);
}

tq_fit_choice tq_groups_choice(const tq_fit *fit, size_t k)
{
    size_t e = 0;
    if (tq_groups_are_experiments(fit)) {
        return (tq_fit_choice){k, TQ_FIT_ALL, false};
    }
    while (k >= fit->experiments[e].n_segment) {
        k -= fit->experiments[e++].n_segment;
    }
    return (tq_fit_choice){e, k, false};
}

void tq_groups_add(const tq_groups *j, tq_fit_choice choice, double *gram, double *right)
{
    const double *set = j->set;
    if (choice.segment != TQ_FIT_ALL) {
        set = j->fit->experiments[choice.experiment].sets + choice.segment * j->fit->set_size;
    } else {
        (void)tq_fit_sum_sets(j->fit, choice, j->set + j->fit->set_size, j->set);
    }
    tq_groups_add_set(j, set, gram, right);
}

/* with instruments: gram += Z^T X (not symmetric), right += Z^T residual */
static void add_cross(const tq_groups *j, const double *set, double *gram, double *right)
{
    const tq_fit *fit = j->fit;
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const double weight = j->found->weight[r];
        for (size_t i = 0; i < row->n; i++) {
            const double *t = set + row->triangle + i * row->width;
            double residual = t[row->width - 1];
            for (size_t c = 0; c < row->n; c++) {
                residual -= t[row->first + c] * j->found->value[row->column[c]];
                j->room[c] = weight * t[row->first + c] * fit->nominal[row->column[c]];
            }
            for (size_t z = i; z < row->n; z++) {
                const uint32_t to = row->column[z];
                const double own = weight * t[z] * fit->nominal[to];
                right[to] += own * weight * residual;
                for (size_t c = 0; c < row->n; c++) {
                    gram[row->column[c] * j->n + to] += own * j->room[c];
                }
            }
        }
    }
}

/* gram += products of the rows of a weighted set, in nominal sizes; the right-hand side is the
 * products with the residual at the estimate, so that differences do not cancel */
void tq_groups_add_set(const tq_groups *j, const double *set, double *gram, double *right)
{
    const tq_fit *fit = j->fit;
    if (tq_fit_has_instruments(fit)) {
        add_cross(j, set, gram, right);
        return;
    }
    for (size_t r = 0; r < fit->n_row; r++) {
        const tq_fit_row *row = &fit->rows[r];
        const size_t m = row->n + 1;
        const double *t = set + row->triangle;
        const double weight = j->found->weight[r];
        for (size_t i = 0; i < m; i++) {
            double residual = t[i * m + row->n];
            for (size_t c = i; c < row->n; c++) {
                residual -= t[i * m + c] * j->found->value[row->column[c]];
                j->room[c] = weight * t[i * m + c] * fit->nominal[row->column[c]];
            }
            residual *= weight;
            for (size_t c = i; c < row->n; c++) {
                double *column = gram + row->column[c] * j->n;
                right[row->column[c]] += j->room[c] * residual;
                for (size_t d = c; d < row->n; d++) {
                    column[row->column[d]] += j->room[c] * j->room[d];
                }
            }
        }
    }
}

tq_status tq_groups_factor(const tq_groups *j, double *gram, tq_error *reterr)
{
    for (size_t c = 0; c < j->n; c++) {
        /* an unexcited column gets an unbounded deviation, not an error */
        gram[c * j->n + c] += hold * j->whole[c * j->n + c] + DBL_MIN / DBL_EPSILON;
    }
    return tq_cholesky_factor(j->n, gram, j->n, reterr);
}

/* part_right := part^-1 part_right; part is destroyed */
tq_status tq_groups_solve(const tq_groups *j, tq_error *reterr)
{
    const size_t n = j->n;
    const double order = (double)n;
    const tq_status wanted = tq_scratch_work(j->scratch, order * order * order / 3.0, reterr);
    if (wanted != TQ_OK) {
        return wanted;
    }
    if (!tq_fit_has_instruments(j->fit)) {
        const tq_status status = tq_groups_factor(j, j->part, reterr);
        return status == TQ_OK ? tq_cholesky_solve(n, 1, j->part, n, j->part_right, n, reterr)
                               : status;
    }
    for (size_t c = 0; c < n; c++) {
        j->part[c * n + c] += hold * fabs(j->whole[c * n + c]) + DBL_MIN / DBL_EPSILON;
    }
    const tq_status status = tq_invert(n, j->part, n, j->scratch, reterr);
    memcpy(j->room, j->part_right, n * sizeof *j->room);
    memset(j->part_right, 0, n * sizeof *j->part_right);
    for (size_t d = 0; status == TQ_OK && d < n; d++) {
        for (size_t c = 0; c < n; c++) {
            j->part_right[c] += j->part[d * n + c] * j->room[d];
        }
    }
    return status;
}
