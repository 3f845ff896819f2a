/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/hypothesis.c - fit of the sums under the assumption of a fault: weighted
 * least squares from Gram matrices, with one noise variance for each row of torque. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/diagnosis/diagnosis_private.h"
#include "core/linalg/dense.h"

enum { ROUNDS = 25 };
static const double converged = 0.01; /* relative change of every deviation */
/* regularisation of a scaled Gram matrix, for its Cholesky factor */
static const double hold = 1e-9;
/* nominal sizes: weak prior that bounds parameters with little effect */
static const double vast = 10.0;
static const double far = 30.0;      /* times the row's torque: first deviation of a doubtful row */
static const double smallest = 1e-4; /* of a row's torque: least deviation */
/* nats per unit of |log| of the rigid-body torque over the model's: breaks ties */
static const double unlikely = 0.05;

static size_t size_of(const tq_extra *x)
{
    return x->n;
}

size_t tq_extra_column(const tq_diagnosis *d, const tq_hypothesis *h, size_t extra)
{
    size_t at = d->fit->n_column;
    for (size_t k = 0; k < extra; k++) {
        at += size_of(&h->extra[k]);
    }
    return at;
}

/* Columns of row r in recording e under a hypothesis: their numbers in the row and in theta. */
static size_t list_columns(const tq_diagnosis *d, const tq_hypothesis *h, size_t e, size_t r,
                           uint32_t *ret_local, uint32_t *ret_global)
{
    const tq_fit_row *row = &d->fit->rows[r];
    size_t n = 0;
    for (; n < row->n; n++) {
        ret_local[n] = (uint32_t)n;
        ret_global[n] = row->column[n];
    }
    size_t at = d->fit->n_column;
    for (size_t k = 0; k < h->n_extra; k++) {
        const tq_extra *x = &h->extra[k];
        for (unsigned c = 0; c < x->n; c++, at++) {
            if ((x->row == SIZE_MAX || x->row == r) && tq_is_in(x->runs, e)) {
                ret_local[n] = (uint32_t)(row->n + d->nv + x->kind + c);
                ret_global[n++] = (uint32_t)at;
            }
        }
    }
    return n;
}

/* column lists use the memory of d->x, which only tq_diagnosis_add needs */
static void split_room(const tq_diagnosis *d, uint32_t **ret_local, uint32_t **ret_global)
{
    *ret_local = (uint32_t *)(void *)d->x;
    *ret_global = *ret_local + d->fit->n_column + TQ_EXTRA_COLUMNS;
}

static void assemble(tq_diagnosis *d, const tq_hypothesis *h, size_t p)
{
    uint32_t *local, *global;
    split_room(d, &local, &global);
    memset(d->h, 0, p * p * sizeof *d->h);
    memset(d->right, 0, p * sizeof *d->right);
    for (size_t g = 0; g < d->n_group; g++) {
        const double *set = d->groups[g].set;
        const size_t e = d->groups[g].run;
        for (size_t r = 0; r < d->nv; r++) {
            const double k = d->gain[e * d->nv + r];
            const double w = 1.0 / (d->sigma[r] * d->sigma[r]);
            const size_t tau = d->fit->rows[r].n + d->response[e * d->nv + r];
            const size_t n = list_columns(d, h, e, r, local, global);
            for (size_t a = 0; a < n; a++) {
                for (size_t b = 0; b <= a; b++) {
                    const size_t i = global[a] > global[b] ? global[a] : global[b];
                    const size_t j = global[a] > global[b] ? global[b] : global[a];
                    d->h[j * p + i] += w * k * k * tq_diagnosis_gram(d, set, r, local[a], local[b]);
                }
                d->right[global[a]] += w * k * tq_diagnosis_gram(d, set, r, local[a], tau);
            }
        }
    }
}

static bool solve(tq_diagnosis *d, size_t p)
{
    for (size_t c = 0; c < d->fit->n_column; c++) {
        const double size = vast * d->fit->nominal[c];
        d->h[c * p + c] += 1.0 / (size * size);
    }
    for (size_t c = 0; c < p; c++) {
        const double x = d->h[c * p + c];
        d->room[c] = x > 0.0 ? 1.0 / sqrt(x) : 0.0;
    }
    for (size_t j = 0; j < p; j++) {
        for (size_t i = j; i < p; i++) {
            d->h[j * p + i] *= d->room[i] * d->room[j];
        }
        d->h[j * p + j] = (d->room[j] > 0.0 ? 1.0 : 0.0) + hold;
        d->h[j * p + j] = d->room[j] > 0.0 ? d->h[j * p + j] : 1.0;
        d->theta[j] = d->right[j] * d->room[j];
    }
    if (tq_cholesky_factor(p, d->h, p, NULL) != TQ_OK ||
        tq_cholesky_solve(p, 1, d->h, p, d->theta, p, NULL) != TQ_OK) {
        return false;
    }
    for (size_t c = 0; c < p; c++) {
        d->theta[c] *= d->room[c];
    }
    return true;
}

/* squared residual of row r in a group of recordings */
static double residual(const tq_diagnosis *d, const tq_hypothesis *h, const tq_run_group *group,
                       size_t r)
{
    const double *set = group->set;
    const size_t e = group->run;
    uint32_t *local, *global;
    split_room(d, &local, &global);
    const double k = d->gain[e * d->nv + r];
    const size_t tau = d->fit->rows[r].n + d->response[e * d->nv + r];
    const size_t n = list_columns(d, h, e, r, local, global);
    double sum = tq_diagnosis_gram(d, set, r, tau, tau);
    for (size_t a = 0; a < n; a++) {
        const double x = k * d->theta[global[a]];
        double line = k * d->theta[global[a]] * tq_diagnosis_gram(d, set, r, local[a], local[a]) -
                      2.0 * tq_diagnosis_gram(d, set, r, local[a], tau);
        for (size_t b = 0; b < a; b++) {
            line +=
                2.0 * k * d->theta[global[b]] * tq_diagnosis_gram(d, set, r, local[a], local[b]);
        }
        sum += x * line;
    }
    return fmax(sum, 0.0);
}

/* Mean square friction torque of a row whose friction would add energy (power < 0), else 0. */
static double driving(const tq_diagnosis *d, size_t r)
{
    const tq_fit_row *row = &d->fit->rows[r];
    size_t at[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t c = 0; c < row->n; c++) {
        const tq_column *column = &d->fit->columns[row->column[c]];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.link == TQ_NONE) {
            at[0] = column->parameter.kind == TQ_PARAMETER_VISCOUS ? c : at[0];
            at[1] = column->parameter.kind == TQ_PARAMETER_COULOMB ? c : at[1];
        }
    }
    double power = 0.0, square = 0.0;
    for (size_t part = 0; part < tq_diagnosis_part_count(d); part++) {
        const double *set = tq_diagnosis_part(d, part);
        for (unsigned a = 0; a < 2; a++) {
            if (at[a] == SIZE_MAX) {
                continue;
            }
            const double x = d->theta[row->column[at[a]]];
            power += x * tq_diagnosis_gram(d, set, r, at[a], row->n + d->nv + TQ_EXTRA_RATE);
            for (unsigned b = 0; b < 2; b++) {
                square += at[b] == SIZE_MAX ? 0.0
                                            : x * d->theta[row->column[at[b]]] *
                                                  tq_diagnosis_gram(d, set, r, at[a], at[b]);
            }
        }
    }
    return power < 0.0 ? square : 0.0;
}

/* |log| of the fitted rigid-body torque over the torque by the robot's model */
static double unlikeliness(const tq_diagnosis *d)
{
    double both = 0.0, square = 0.0;
    for (size_t part = 0; part < tq_diagnosis_part_count(d); part++) {
        const double *set = tq_diagnosis_part(d, part);
        for (size_t r = 0; r < d->nv; r++) {
            const tq_fit_row *row = &d->fit->rows[r];
            const size_t bodies = row->n + d->nv + TQ_EXTRA_BODIES;
            const double w = 1.0 / (d->usual[r] * d->usual[r]);
            square += w * tq_diagnosis_gram(d, set, r, bodies, bodies);
            for (size_t c = 0; c < row->n; c++) {
                const tq_column *column = &d->fit->columns[row->column[c]];
                if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.link != TQ_NONE) {
                    both += w * d->theta[row->column[c]] * tq_diagnosis_gram(d, set, r, c, bodies);
                }
            }
        }
    }
    const double ratio = square > 0.0 ? both / square : 1.0;
    return ratio > 1e-6 ? fmin(fabs(tq_log(ratio)), 7.0) : 7.0;
}

double tq_hypothesis_fit_beside(tq_diagnosis *d, const tq_hypothesis *h, size_t doubtful)
{
    const size_t p = tq_extra_column(d, h, h->n_extra);
    double n = 0.0;
    for (size_t e = 0; e < d->n_run; e++) {
        n += tq_is_in(h->runs, e) ? d->count[e] : 0.0;
    }
    for (size_t r = 0; r < d->nv; r++) {
        d->sigma[r] = r == doubtful ? far * d->usual[r] : d->usual[r];
    }
    tq_diagnosis_group(d, h);
    for (unsigned round = 0; round < ROUNDS; round++) {
        assemble(d, h, p);
        if (!(n > 0.0) || !solve(d, p)) {
            return (double)INFINITY;
        }
        double change = 0.0;
        for (size_t r = 0; r < d->nv; r++) {
            double square = 0.0;
            for (size_t g = 0; g < d->n_group; g++) {
                square += residual(d, h, &d->groups[g], r);
            }
            const double least = smallest * d->usual[r];
            const double now = sqrt(square / n + least * least);
            change = fmax(change, fabs(tq_log(now / d->sigma[r])));
            d->sigma[r] = now;
        }
        if (change < converged) {
            break;
        }
    }
    double sum = unlikely * unlikeliness(d);
    /* friction that drives is a residual where it exceeds the noise, by which its sign is known */
    for (size_t r = 0; r < d->nv; r++) {
        sum += 0.5 * tq_log(fmax(d->sigma[r] * d->sigma[r], driving(d, r) / n));
    }
    return sum;
}

double tq_hypothesis_fit(tq_diagnosis *d, const tq_hypothesis *h)
{
    return tq_hypothesis_fit_beside(d, h, SIZE_MAX);
}

double tq_extra_effect(const tq_diagnosis *d, const tq_hypothesis *h, size_t extra, size_t row)
{
    const tq_extra *x = &h->extra[extra];
    const double *theta = d->theta + tq_extra_column(d, h, extra);
    const size_t first = d->fit->rows[row].n + d->nv + x->kind;
    double sum = 0.0, n = 0.0;
    for (size_t e = 0; e < d->n_run; e++) {
        if (!tq_is_in(x->runs, e) || !(x->row == SIZE_MAX || x->row == row)) {
            continue;
        }
        const double *set = d->sets + e * d->set_size;
        n += d->count[e];
        for (unsigned a = 0; a < x->n; a++) {
            for (unsigned b = 0; b < x->n; b++) {
                sum += theta[a] * theta[b] * tq_diagnosis_gram(d, set, row, first + a, first + b);
            }
        }
    }
    return n > 0.0 ? sqrt(fmax(sum, 0.0) / n) : 0.0;
}
