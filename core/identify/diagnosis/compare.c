/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/compare.c - faults found by comparison: torques with the robot's model,
 * positions of one joint with another's, a recording with all others. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/diagnosis/search.h"

/* squared correlation of measured and model torque: the row follows the model */
static const double alike = 0.5;
static const double beyond = 1.386;   /* |log factor|: a factor of 4 */
static const double price_swap = 0.3; /* nats, price of an exchange of positions */
static const double steepest = 0.8;   /* rad, largest tilt of gravity */
static const double price_run = 0.7;
static const double gross_ratio = 2.0; /* of a recording's residuals */

static double entry(const tq_diagnosis *d, size_t e, size_t r, size_t a, size_t b)
{
    return tq_diagnosis_gram(d, d->sets + e * d->set_size, r, a, b);
}

/* Factor k of the rigid-body torque in row r, tau = k tau_model + offset by least squares, and the
 * squared correlation of both; means are removed by the row's offset column. */
static double factor_of(const tq_diagnosis *d, size_t r, double *ret_alike)
{
    const tq_fit_row *row = &d->fit->rows[r];
    const size_t tau = row->n + r, bodies = row->n + d->nv + TQ_EXTRA_BODIES;
    size_t one = SIZE_MAX;
    for (size_t c = 0; c < row->n; c++) {
        const tq_column *column = &d->fit->columns[row->column[c]];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_OFFSET) {
            one = c;
        }
    }
    double tt = 0.0, tb = 0.0, bb = 0.0, t1 = 0.0, b1 = 0.0, n = 0.0;
    for (size_t e = 0; e < d->n_run; e++) {
        const double turned = d->gain[e * d->nv + r] < 0.0 ? -1.0 : 1.0;
        tt += entry(d, e, r, tau, tau);
        tb += turned * entry(d, e, r, tau, bodies);
        bb += entry(d, e, r, bodies, bodies);
        n += d->count[e];
        t1 += one != SIZE_MAX ? turned * entry(d, e, r, tau, one) : 0.0;
        b1 += one != SIZE_MAX ? entry(d, e, r, bodies, one) : 0.0;
    }
    tt -= t1 * t1 / n;
    tb -= t1 * b1 / n;
    bb -= b1 * b1 / n;
    *ret_alike = tt > 0.0 && bb > 0.0 ? tb * tb / (tt * bb) : 0.0;
    return bb > 0.0 ? tb / bb : 0.0;
}

/* mean of log k over the rows that follow the model (factor_of) */
bool tq_search_units(tq_diagnosis *d, tq_finding *ret)
{
    double sum = 0.0, least = (double)INFINITY, most = -(double)INFINITY;
    size_t n = 0;
    for (size_t r = 0; r < d->nv; r++) {
        double likeness = 0.0;
        const double factor = factor_of(d, r, &likeness);
        if (likeness > alike && factor > 0.0) {
            sum += tq_log(factor);
            least = fmin(least, tq_log(factor));
            most = fmax(most, tq_log(factor));
            n++;
        }
    }
    if (n == 0 || n < (d->nv > 1 ? 2u : 1u) || !(least > beyond || most < -beyond)) {
        return false;
    }
    *ret = (tq_finding){
        TQ_FINDING_TORQUE_SCALE, TQ_NONE,         TQ_NONE, 0, .size = tq_exp(sum / (double)n),
        .explained = fabs(sum),  .is_gross = true};
    return true;
}

static uint32_t joint_at(const tq_diagnosis *d, size_t r)
{
    const tq_model *model = &d->fit->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nq == 1 && model->joints[j].nv == 1 &&
            model->joints[j].mimic == TQ_NONE && model->joints[j].v_index == r) {
            return j;
        }
    }
    return TQ_NONE;
}

bool tq_is_moved(const tq_diagnosis *d, size_t r)
{
    static const double moving = 0.02; /* rad/s or m/s */
    const size_t rate = d->fit->rows[r].n + d->nv + TQ_EXTRA_RATE;
    double square = 0.0, n = 0.0;
    for (size_t e = 0; e < d->n_run; e++) {
        square += entry(d, e, r, rate, rate);
        n += d->count[e];
    }
    return square > n * moving * moving;
}

size_t tq_moved_count(const tq_diagnosis *d)
{
    size_t n = 0;
    for (size_t r = 0; r < d->nv; r++) {
        n += tq_is_moved(d, r);
    }
    return n;
}

static size_t exchanged(size_t r, size_t a, size_t b)
{
    return r == a ? b : r == b ? a : r;
}

/* Sums of the samples kept, with the motion of two joints exchanged, into those of `one`. */
static tq_status sum_kept(const tq_diagnosis *d, tq_diagnosis *one, uint32_t a, uint32_t b,
                          tq_error *reterr)
{
    const tq_model *model = &d->fit->mechanism->model;
    const size_t nq = model->nq, nv = d->nv, wide = nq + 3 * nv;
    const size_t qa = model->joints[a].q_index, qb = model->joints[b].q_index;
    const size_t va = model->joints[a].v_index, vb = model->joints[b].v_index;
    tq_status status = TQ_OK;
    memset(one->sets, 0, d->set_size * sizeof(double));
    one->count[0] = 0.0;
    for (size_t first = 0; first < d->n_kept && status == TQ_OK; first += TQ_FOLD_RUN) {
        const size_t left = d->n_kept - first;
        const size_t n = left < TQ_FOLD_RUN ? left : (size_t)TQ_FOLD_RUN;
        for (size_t i = 0; i < n; i++) {
            const double *x = d->kept + (first + i) * wide;
            for (size_t r = 0; r < nq; r++) {
                one->run.q[r * TQ_FOLD_RUN + i] = x[exchanged(r, qa, qb)];
            }
            for (size_t r = 0; r < nv; r++) {
                const size_t from = exchanged(r, va, vb);
                one->run.qd[r * TQ_FOLD_RUN + i] = x[nq + from];
                one->run.qdd[r * TQ_FOLD_RUN + i] = x[nq + nv + from];
                one->run.tau[r * TQ_FOLD_RUN + i] = x[nq + 2 * nv + r];
            }
            one->t[i] = 0.0;
        }
        tq_diagnosis_signs(one, n);
        status = tq_diagnosis_add(one, 0, n, reterr);
    }
    return status;
}

/* S of the samples kept, with the motion of two joints exchanged; INFINITY: no fit */
static double of_kept(const tq_diagnosis *d, tq_diagnosis *one, uint32_t a, uint32_t b,
                      tq_error *reterr, tq_status *ret_status)
{
    const tq_hypothesis h = {.runs = ~(uint64_t)0};
    *ret_status = sum_kept(d, one, a, b, reterr);
    return *ret_status == TQ_OK ? tq_hypothesis_fit(one, &h) : (double)INFINITY;
}

/* The samples kept as one recording, in the memory of `d`. */
static tq_diagnosis kept_of(const tq_diagnosis *d, double *count)
{
    tq_diagnosis one = *d;
    one.n_run = 1;
    one.n_wide = 0;
    one.sets = d->spare;
    one.count = count;
    return one;
}

/* Inertial parameters from the values of a fit: dependent parameters keep their values. */
static void put_full(tq_diagnosis *d, const double *theta)
{
    const tq_base_set *base = &d->fit->base;
    for (size_t b = 0; b < base->n_base; b++) {
        double others = 0.0;
        for (size_t k = 0; k < base->n_dependent; k++) {
            others += base->k[b * base->n_dependent + k] * d->full[base->dependent[k]];
        }
        d->full[base->independent[b]] = theta[b] - others;
    }
}

tq_status tq_search_tilt(tq_diagnosis *d, tq_finding *inout, tq_error *reterr)
{
    enum { STEPS = 4 };
    const double *g = d->fit->mechanism->model.gravity;
    const tq_hypothesis h = {.runs = ~(uint64_t)0,
                             .n_extra = 1,
                             .extra = {{TQ_EXTRA_GRAVITY, 2, SIZE_MAX, ~(uint64_t)0}}};
    const tq_finding before = *inout;
    double count = 0.0;
    const uint32_t first = joint_at(d, 0);
    tq_status status = TQ_OK;
    if (first == TQ_NONE || d->n_kept * d->nv < 2 * d->fit->n_column) {
        return TQ_OK;
    }
    tq_diagnosis one = kept_of(d, &count);
    for (unsigned step = 0; step < STEPS && status == TQ_OK; step++) {
        double norm = 0.0;
        status = sum_kept(d, &one, first, first, reterr);
        if (status != TQ_OK || !isfinite(tq_hypothesis_fit(&one, &h))) {
            break;
        }
        const double *theta = one.theta + d->fit->n_column;
        for (unsigned k = 0; k < 3; k++) {
            inout->vector[k] = g[k] + theta[0] * d->across[0][k] + theta[1] * d->across[1][k];
            norm += inout->vector[k] * inout->vector[k];
        }
        for (unsigned k = 0; k < 3; k++) {
            inout->vector[k] /= sqrt(norm);
        }
        inout->size = tq_atan2(sqrt(theta[0] * theta[0] + theta[1] * theta[1]), 1.0);
        put_full(d, one.theta);
    }
    /* a planar arm: a tilt and a shift of mass centres have nearly the same effect */
    if (inout->size > steepest) {
        *inout = before;
    }
    return status;
}

tq_status tq_search_positions(tq_search *s, tq_error *reterr)
{
    tq_diagnosis *d = s->d;
    double count = 0.0;
    tq_diagnosis one = kept_of(d, &count);
    tq_status status = TQ_OK;
    const uint32_t first = joint_at(d, 0);
    if (first == TQ_NONE || d->n_kept * d->nv < 2 * d->fit->n_column) {
        return TQ_OK;
    }
    const double plain = of_kept(d, &one, first, first, reterr, &status);
    for (size_t a = 0; a < d->nv && status == TQ_OK; a++) {
        for (size_t b = a + 1; b < d->nv && status == TQ_OK; b++) {
            const uint32_t x = joint_at(d, a), y = joint_at(d, b);
            if (x == TQ_NONE || y == TQ_NONE || !tq_is_moved(d, a) || !tq_is_moved(d, b)) {
                continue;
            }
            const double gain = plain - of_kept(d, &one, x, y, reterr, &status);
            const double price = price_swap + s->price_kept;
            if (status == TQ_OK && gain - price > s->best) {
                s->best = gain - price;
                s->finding = (tq_finding){TQ_FINDING_POSITION_SWAP, x, y, 0, .explained = gain,
                                          .is_gross = true};
            }
        }
    }
    return status;
}

/* S of one fit of all recordings less S of two fits, one of recording e alone and one of all
 * others; the recording with the largest difference. */
bool tq_search_runs(tq_search *s, tq_finding *ret)
{
    tq_diagnosis *d = s->d;
    const size_t n = d->n_run;
    double best = 0.0, sum = 0.0;
    size_t at = 0;
    if (n < 2 || n > TQ_FINDING_RUNS || d->nv > 64) {
        return false;
    }
    for (size_t e = 0; e < n; e++) {
        sum += d->count[e];
    }
    double common[64] = {0}, square[64] = {0};
    const double left = tq_hypothesis_fit(d, &s->h);
    if (!isfinite(left)) {
        return false;
    }
    for (size_t r = 0; r < d->nv; r++) {
        common[r] = d->sigma[r];
    }
    tq_hypothesis h = s->h;
    for (size_t e = 0; e < n; e++) {
        if (d->count[e] * (double)d->nv < 3.0 * (double)d->fit->n_column) {
            continue;
        }
        h.runs = (uint64_t)1 << e;
        if (!isfinite(tq_hypothesis_fit(d, &h))) {
            continue;
        }
        for (size_t r = 0; r < d->nv; r++) {
            square[r] = d->count[e] * d->sigma[r] * d->sigma[r];
        }
        h.runs = ~((uint64_t)1 << e);
        if (!isfinite(tq_hypothesis_fit(d, &h))) {
            continue;
        }
        double gain = 0.0;
        for (size_t r = 0; r < d->nv; r++) {
            square[r] += (sum - d->count[e]) * d->sigma[r] * d->sigma[r];
            gain += tq_log(common[r]) - 0.5 * tq_log(square[r] / sum);
        }
        at = gain > best ? e : at;
        best = fmax(gain, best);
    }
    const double ratio = tq_exp(best / (double)d->nv);
    if (best < price_run) {
        return false;
    }
    *ret = (tq_finding){TQ_FINDING_RUN,
                        TQ_NONE,
                        TQ_NONE,
                        n > 2 ? (uint64_t)1 << at : 3,
                        .size = ratio,
                        .explained = best,
                        .is_gross = ratio > gross_ratio};
    return true;
}
