/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/solve.c - a payload from the sums of motion. */
#include <math.h>
#include <string.h>

#include "core/identify/nominal.h"
#include "core/identify/payload/payload_private.h"
#include "core/identify/validation/student.h"
#include "core/model/inertia.h"

enum {
    TEN = TQ_PAYLOAD_TEN,
    WIDTH = TQ_PAYLOAD_WIDTH,
    LEFT = TQ_PAYLOAD_LEFT,
    ALL = 2 * TEN + 1, /* columns: payload, model error at the carrier, residual torque */
    PASSES = 6,        /* of iterative reweighting */
};
static const double dependent = 1e-9; /* of a column's square: the part that is independent of other
                                         columns */
static const double mixed = 1e-4;     /* coefficient of a dependent column in another one, scaled:
                                         more makes the other undetermined */
static const double moves_enough = 0.05;

/* Normal equations in the unknowns [payload, model error] and the residual torque, in unit columns.
 */
typedef struct equations {
    double a[ALL * ALL];
    double scale[ALL];
    bool is_swept[ALL];
    unsigned order[2 * TEN], n_order; /* order of pivots */
} equations;

/* ret (WIDTH^2): Gram matrix of a row over recordings that carry the payload or not, without
 * segment `but`, its friction columns eliminated. Returns the number of samples. */
static double row_sums(const tq_payload *p, size_t k, bool carries, size_t but, double *ret)
{
    double n = 0.0;
    memcpy(ret, p->total + ((carries ? p->n_row : 0) + k) * TQ_PAYLOAD_GRAM,
           TQ_PAYLOAD_GRAM * sizeof *ret);
    for (size_t s = 0; s < p->n_segment; s++) {
        n += s != but && p->carries[s] == carries ? p->count[s * p->n_row + k] : 0.0;
    }
    if (but != SIZE_MAX && p->carries[but] == carries) {
        const double *gram = p->grams + (but * p->n_row + k) * TQ_PAYLOAD_GRAM;
        for (size_t e = 0; e < TQ_PAYLOAD_GRAM; e++) {
            ret[e] -= gram[e];
        }
    }
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t j = 0; j < i; j++) {
            ret[i * WIDTH + j] = ret[j * WIDTH + i];
        }
    }
    double own[TQ_PAYLOAD_FRICTIONS];
    for (unsigned f = 0; f < TQ_PAYLOAD_FRICTIONS; f++) {
        own[f] = ret[(WIDTH + 1) * (TQ_PAYLOAD_FRICTION + f)];
    }
    for (unsigned f = 0; f < TQ_PAYLOAD_FRICTIONS; f++) {
        const size_t at = TQ_PAYLOAD_FRICTION + f;
        if ((p->plan.friction >> f & 1u) != 0 && ret[(WIDTH + 1) * at] > dependent * own[f]) {
            tq_sweep(WIDTH, ret, at);
        }
    }
    return n;
}

static size_t place(size_t c, size_t base)
{
    return c < TEN ? base + c : 2 * TEN;
}

/* Adds a row's Gram matrix at the columns of the error, and with payload also at those of the
 * payload. */
static void add_row(const double *gram, double weight, bool carries, equations *e)
{
    for (size_t i = 0; i <= TEN; i++) {
        for (size_t j = 0; j <= TEN; j++) {
            const double x = weight * gram[(i < TEN ? i : LEFT) * WIDTH + (j < TEN ? j : LEFT)];
            e->a[place(i, TEN) * ALL + place(j, TEN)] += x;
            if (!carries || (i == TEN && j == TEN)) {
                continue;
            }
            e->a[place(i, 0) * ALL + place(j, 0)] += x;
            if (i < TEN && j < TEN) {
                e->a[i * ALL + TEN + j] += x;
                e->a[(TEN + i) * ALL + j] += x;
            }
        }
    }
}

static void gather(const tq_payload *p, size_t but, equations *e)
{
    double gram[TQ_PAYLOAD_GRAM];
    memset(e->a, 0, sizeof e->a);
    for (size_t k = 0; k < p->n_row; k++) {
        for (unsigned carries = 0; carries < 2; carries++) {
            if (row_sums(p, k, carries, but, gram) > 0.0) {
                add_row(gram, 1.0 / (p->sigma[k] * p->sigma[k]), carries, e);
            }
        }
    }
}

static bool has_reference(const tq_payload *p)
{
    return memchr(p->carries, 0, p->n_segment) != NULL;
}

static void scale_columns(equations *e)
{
    for (size_t i = 0; i < ALL; i++) {
        for (size_t j = 0; j < ALL; j++) {
            e->a[i * ALL + j] *= e->scale[i] * e->scale[j];
        }
    }
}

/* Sweeps the columns of the error, if it is fitted, then those of the payload; the largest pivot
 * first. */
static void choose_pivots(equations *e, bool has_error)
{
    for (size_t i = 0; i < 2 * TEN; i++) {
        const double d = e->a[(ALL + 1) * i];
        e->scale[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
        e->is_swept[i] = false;
    }
    e->scale[2 * TEN] = 1.0;
    e->n_order = 0;
    scale_columns(e);
    for (unsigned part = has_error ? 0 : 1; part < 2; part++) {
        const size_t first = part == 0 ? TEN : 0;
        for (;;) {
            size_t best = SIZE_MAX;
            for (size_t i = first; i < first + TEN; i++) {
                if (!e->is_swept[i] && e->a[(ALL + 1) * i] > dependent &&
                    (best == SIZE_MAX || e->a[(ALL + 1) * i] > e->a[(ALL + 1) * best])) {
                    best = i;
                }
            }
            if (best == SIZE_MAX) {
                break;
            }
            tq_sweep(ALL, e->a, best);
            e->is_swept[best] = true;
            e->order[e->n_order++] = (unsigned)best;
        }
    }
}

/* The same pivots and scales for other sums. */
static void sweep_again(equations *e, const equations *like)
{
    memcpy(e->scale, like->scale, sizeof e->scale);
    scale_columns(e);
    for (unsigned k = 0; k < like->n_order; k++) {
        if (e->a[(ALL + 1) * like->order[k]] > 0.0) {
            tq_sweep(ALL, e->a, like->order[k]);
        }
    }
}

static double value_of(const equations *e, const equations *pivots, size_t i)
{
    return pivots->is_swept[i] ? e->a[i * ALL + 2 * TEN] * e->scale[i] : 0.0;
}

/* True if no dropped column contributes to parameter i. */
static bool is_determined(const equations *e, size_t i)
{
    for (size_t j = 0; j < TEN; j++) {
        if (!e->is_swept[j] && e->scale[j] > 0.0 && fabs(e->a[i * ALL + j]) > mixed) {
            return false;
        }
    }
    return e->is_swept[i];
}

/* Squared residual of a row at the estimate; ret_friction: its friction. */
static double left_of(const tq_payload *p, const equations *e, size_t k, bool carries,
                      double *ret_n, double *ret_friction)
{
    double gram[TQ_PAYLOAD_GRAM];
    double x[WIDTH] = {0};
    *ret_n = row_sums(p, k, carries, SIZE_MAX, gram);
    for (size_t i = 0; i < TEN; i++) {
        x[i] = value_of(e, e, TEN + i) + (carries ? value_of(e, e, i) : 0.0);
    }
    x[LEFT] = -1.0;
    double sum = 0.0;
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t j = 0; j < WIDTH; j++) {
            sum += x[i] * x[j] * gram[i * WIDTH + j];
        }
    }
    for (unsigned f = 0; ret_friction != NULL && f < TQ_PAYLOAD_FRICTIONS; f++) {
        const size_t at = TQ_PAYLOAD_FRICTION + f;
        const bool is_swept = gram[(WIDTH + 1) * at] < 0.0;
        ret_friction[f] = is_swept ? gram[at * WIDTH + LEFT] : (double)NAN;
        for (size_t i = 0; is_swept && i < TEN; i++) {
            ret_friction[f] -= gram[at * WIDTH + i] * x[i];
        }
    }
    return fmax(sum, 0.0);
}

static void sum_segments(tq_payload *p)
{
    memset(p->total, 0, 2 * p->n_row * TQ_PAYLOAD_GRAM * sizeof *p->total);
    for (size_t s = 0; s < p->n_segment; s++) {
        double *to = p->total + (p->carries[s] ? p->n_row : 0) * TQ_PAYLOAD_GRAM;
        const double *from = p->grams + s * p->n_row * TQ_PAYLOAD_GRAM;
        for (size_t i = 0; i < p->n_row * TQ_PAYLOAD_GRAM; i++) {
            to[i] += from[i];
        }
    }
}

/* Iteratively reweighted least squares: weights 1 / sigma^2 of the rows by their residuals. */
static bool weigh(tq_payload *p, equations *e)
{
    double most = 0.0;
    for (size_t k = 0; k < p->n_row; k++) {
        double n = 0.0, square = 0.0;
        for (unsigned c = 0; c < 2; c++) {
            double gram[TQ_PAYLOAD_GRAM];
            n += row_sums(p, k, c, SIZE_MAX, gram);
            square += gram[(WIDTH + 1) * LEFT];
        }
        p->sigma[k] = n > 0.0 ? sqrt(fmax(square, 0.0) / n) : 0.0;
        most = fmax(most, p->sigma[k]);
    }
    const double least = most > 0.0 ? 1e-9 * most : 1e-9;
    for (size_t k = 0; k < p->n_row; k++) {
        p->sigma[k] = fmax(p->sigma[k], least);
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        gather(p, SIZE_MAX, e);
        choose_pivots(e, has_reference(p));
        for (size_t k = 0; k < p->n_row && pass + 1 < PASSES; k++) {
            double n[2];
            const double square =
                left_of(p, e, k, false, &n[0], NULL) + left_of(p, e, k, true, &n[1], NULL);
            p->sigma[k] = fmax(n[0] + n[1] > 0.0 ? sqrt(square / (n[0] + n[1])) : 0.0, least);
        }
    }
    return e->n_order > 0;
}

/* mass, centre, tensor about it, of ten parameters; the mass is not 0 */
void tq_payload_derive(const double ten[TEN], double ret[TQ_PAYLOAD_DERIVED])
{
    double com[3];
    tq_inertia body;
    for (unsigned k = 0; k < 3; k++) {
        com[k] = ten[1 + k] / ten[0];
    }
    tq_inertia_from_origin(ten[0], com, ten + 4, &body);
    ret[0] = ten[0];
    memcpy(ret + 1, com, sizeof com);
    memcpy(ret + 4, body.about_com, sizeof body.about_com);
}

/* Bit mask of the ten parameters that each derived number depends on. */
static const uint16_t needs[TQ_PAYLOAD_DERIVED] = {
    0x001, 0x003, 0x005, 0x009, 0x01d, 0x027, 0x04b, 0x08b, 0x10d, 0x207,
};

static void set_number(tq_payload_number *ret, double value, double deviation, double quantile,
                       double most)
{
    *ret = (tq_payload_number){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (isfinite(value) && isfinite(deviation) && quantile * deviation < most) {
        *ret = (tq_payload_number){value, deviation, value - quantile * deviation,
                                   value + quantile * deviation};
    }
}

/* The jackknife over segments: variances of the ten parameters and of the numbers derived from
   them. */
static void jackknife(const tq_payload *p, const equations *e, double ret_ten[TEN],
                      double ret_derived[TQ_PAYLOAD_DERIVED], double *ret_n)
{
    double sum[TEN + TQ_PAYLOAD_DERIVED] = {0}, square[TEN + TQ_PAYLOAD_DERIVED] = {0}, n = 0.0;
    double whole[TEN + TQ_PAYLOAD_DERIVED];
    for (size_t i = 0; i < TEN; i++) {
        whole[i] = value_of(e, e, i);
    }
    tq_payload_derive(whole, whole + TEN); /* not finite for a mass of 0, and then unused */
    for (size_t s = 0; s < p->n_segment; s++) {
        double count = 0.0;
        for (size_t k = 0; k < p->n_row; k++) {
            count += p->count[s * p->n_row + k];
        }
        if (!(count > 0.0)) {
            continue;
        }
        equations but;
        double x[TEN + TQ_PAYLOAD_DERIVED];
        gather(p, s, &but);
        sweep_again(&but, e);
        for (size_t i = 0; i < TEN; i++) {
            x[i] = value_of(&but, e, i);
        }
        tq_payload_derive(x, x + TEN);
        for (size_t i = 0; i < TEN + TQ_PAYLOAD_DERIVED;
             /* deviations from the estimate of all segments, to avoid cancellation */
             i++) {
            sum[i] += x[i] - whole[i];
            square[i] += (x[i] - whole[i]) * (x[i] - whole[i]);
        }
        n += 1.0;
    }
    for (size_t i = 0; i < TEN + TQ_PAYLOAD_DERIVED; i++) {
        const double variance = (n - 1.0) / n * (square[i] - sum[i] * sum[i] / n);
        double *to = i < TEN ? ret_ten + i : ret_derived + (i - TEN);
        *to = sqrt(fmax(variance, 0.0));
    }
    *ret_n = n;
}

/* The payload's normal equations, with the error eliminated; ret_left: objective of the estimate.
 */
void tq_payload_equations(const tq_payload *p, double *ret_a, double *ret_right, double *ret_left)
{
    equations e, whole;
    gather(p, SIZE_MAX, &e);
    whole = e;
    choose_pivots(&whole, has_reference(p));
    *ret_left = fmax(whole.a[ALL * ALL - 1], 0.0);
    memcpy(e.scale, whole.scale, sizeof e.scale);
    scale_columns(&e);
    for (unsigned k = 0; k < whole.n_order; k++) {
        if (whole.order[k] >= TEN) {
            tq_sweep(ALL, e.a, whole.order[k]);
        }
    }
    for (size_t i = 0; i < TEN; i++) {
        const double si = e.scale[i] > 0.0 ? e.scale[i] : 1.0;
        for (size_t j = 0; j < TEN; j++) {
            const double sj = e.scale[j] > 0.0 ? e.scale[j] : 1.0;
            ret_a[i * TEN + j] = e.a[i * ALL + j] / (si * sj);
        }
        ret_right[i] = e.a[i * ALL + 2 * TEN] / si;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Solution
 */

/* Upper bounds of an interval: a wider one counts as not identified. They are the robot's mass, and
 * its products with reach and reach^2. */
static void widest(const tq_payload *p, double ret[TEN])
{
    double mass = 0.0, reach = 0.0;
    tq_nominal_link(&p->fit->mechanism->model, p->fit->mechanism->model.root, &mass, &reach);
    for (size_t i = 0; i < TEN; i++) {
        ret[i] = i == 0 ? mass : i < 4 ? mass * reach : mass * reach * reach;
    }
}

tq_payload_state tq_payload_state_of(const tq_payload_number *mass)
{
    return !isfinite(mass->value) ? TQ_PAYLOAD_OPEN
           : mass->low > 0.0      ? TQ_PAYLOAD_FOUND
           : mass->high < 0.0     ? TQ_PAYLOAD_LESS
                                  : TQ_PAYLOAD_NONE;
}

static void put_rows(tq_payload *p, const equations *e, tq_payload_result *ret)
{
    for (size_t k = 0; k < p->n_row; k++) {
        double n = 0.0, gram[TQ_PAYLOAD_GRAM];
        double *friction = p->friction + (size_t)TQ_PAYLOAD_FRICTIONS * p->row[k];
        const double square = left_of(p, e, k, true, &n, friction);
        const unsigned fitted = p->plan.friction;
        p->plan.friction = 0;
        (void)row_sums(p, k, true, SIZE_MAX, gram);
        p->plan.friction = fitted;
        if (n > 0.0) {
            ret->without[p->row[k]] = sqrt(fmax(gram[(WIDTH + 1) * LEFT], 0.0) / n);
            ret->with[p->row[k]] = sqrt(square / n);
        }
    }
}

static tq_status of_motion(tq_payload *p, tq_payload_result *ret, tq_error *reterr)
{
    equations e;
    double ten[TEN], derived[TQ_PAYLOAD_DERIVED], deviation[TEN], spread[TQ_PAYLOAD_DERIVED],
        most[TEN];
    double n = 0.0;
    bool open[TEN];
    sum_segments(p);
    if (!weigh(p, &e)) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "samples", 0, (double)p->n_moving);
    }
    jackknife(p, &e, deviation, spread, &n);
    ret->n_segment = (size_t)n;
    ret->freedom = n - 1.0;
    const double quantile = tq_student_quantile(p->plan.confidence, fmax(n - 1.0, 1.0));
    widest(p, most);
    uint16_t known = 0;
    for (size_t i = 0; i < TEN; i++) {
        open[i] = !is_determined(&e, i);
        ten[i] = value_of(&e, &e, i);
        set_number(&ret->ten[i], open[i] ? (double)NAN : ten[i], deviation[i], quantile, most[i]);
        known |= (uint16_t)(isfinite(ret->ten[i].value) ? 1u << i : 0u);
    }
    put_rows(p, &e, ret);
    ret->mass = ret->ten[0];
    ret->state = tq_payload_state_of(&ret->mass);
    if (ret->state != TQ_PAYLOAD_FOUND) {
        return TQ_OK;
    }
    tq_payload_derive(ten, derived);
    for (size_t i = 1; i < TQ_PAYLOAD_DERIVED; i++) {
        const bool is_known = (known & needs[i]) == needs[i];
        tq_payload_number *to = i < 4 ? &ret->com[i - 1] : &ret->inertia[i - 4];
        set_number(to, is_known ? derived[i] : (double)NAN, spread[i], quantile,
                   i < 4 ? most[i] / most[0] : most[i]);
    }
    return tq_payload_adopt_body(p, ret, reterr);
}

tq_status tq_payload_solve(tq_payload *p, tq_payload_result *ret, tq_error *reterr)
{
    static const tq_payload_number none = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    const size_t nv = p->fit->n_row;
    *ret = (tq_payload_result){.n_sample = p->n_sample,
                               .without = p->rms,
                               .with = p->rms + nv,
                               .friction = p->friction,
                               .mass = none};
    for (size_t i = 0; i < TEN; i++) {
        ret->ten[i] = none;
    }
    for (unsigned k = 0; k < 3; k++) {
        ret->com[k] = none;
        ret->inertia[k] = ret->inertia[3 + k] = none;
    }
    for (size_t i = 0; i < 2 * nv; i++) {
        p->rms[i] = (double)NAN;
    }
    for (size_t i = 0; i < nv * TQ_PAYLOAD_FRICTIONS; i++) {
        p->friction[i] = (double)NAN;
    }
    const bool moves = (double)p->n_moving >= moves_enough * (double)p->n_sample;
    const tq_payload_source source = p->plan.source;
    const tq_status status =
        tq_scratch_work(p->memory, (double)(p->n_segment * p->n_row) * 2e4, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (source == TQ_PAYLOAD_POSES || (source == TQ_PAYLOAD_AUTO && !moves)) {
        return tq_payload_of_poses(p, ret, reterr);
    }
    return of_motion(p, ret, reterr);
}
