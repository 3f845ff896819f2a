/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/bodies.c - bodies as 4x4 pseudo-inertias relative to their prior. */
#include "core/identify/regression/bodies.h"

#include <math.h>
#include <string.h>

#include "core/identify/feasible/block4.h"
#include "core/identify/nominal.h"

enum { TEN = TQ_PARAMETERS_OF_LINK };
static const double floor_of_bodies = 1e-6; /* of the prior: minimum eigenvalue */
static const double gap_wanted = 1e-9;      /* of the objective; the documented bound is 1e-8 */
static const double noise_least = 1e-12;    /* of |tau|^2: scale of the entropy term for
                                               noise-free data */
static const double rounding = 1e-9;        /* of a combination's coefficients */
static const double fat = 0.05; /* of a prior's size: smaller eigenvalues are raised to it */

void tq_pseudo_of_ten(const double t[TEN], double ret[16])
{
    const double half = 0.5 * (t[4] + t[7] + t[9]);
    const double p[16] = {half - t[4], -t[5], -t[6],       t[1], -t[5], half - t[7], -t[8], t[2],
                          -t[6],       -t[8], half - t[9], t[3], t[1],  t[2],        t[3],  t[0]};
    memcpy(ret, p, sizeof p);
}

void tq_ten_of_pseudo(const double p[16], double ret[TEN])
{
    ret[0] = p[15];
    ret[1] = p[3];
    ret[2] = p[7];
    ret[3] = p[11];
    ret[4] = p[5] + p[10];
    ret[5] = -p[1];
    ret[6] = -p[2];
    ret[7] = p[0] + p[10];
    ret[8] = -p[6];
    ret[9] = p[0] + p[5];
}

/* friction, rotors, stiffness */
static bool is_positive(const tq_column *column)
{
    if (column->kind == TQ_COLUMN_PARAMETER) {
        return column->parameter.kind == TQ_PARAMETER_ROTOR ||
               column->parameter.kind == TQ_PARAMETER_VISCOUS ||
               column->parameter.kind == TQ_PARAMETER_COULOMB ||
               column->parameter.kind == TQ_PARAMETER_STIFFNESS;
    }
    return column->kind == TQ_COLUMN_INERTIA || column->kind == TQ_COLUMN_LOAD;
}

/* mass, or a moment of inertia */
static bool is_of_bodies(const tq_fit *fit, size_t parameter)
{
    const size_t k = parameter % TEN;
    return parameter < fit->n_link_column && (k == 0 || k == 4 || k == 7 || k == 9);
}

bool tq_fit_is_positive(const tq_fit *fit, size_t column)
{
    const tq_base_set *base = &fit->base;
    bool positive = is_positive(&fit->columns[column]);
    for (size_t d = 0; column < base->n_base && d < base->n_dependent; d++) {
        const bool takes_off = base->k[column * base->n_dependent + d] < -rounding;
        positive = positive && !(takes_off && is_of_bodies(fit, base->dependent[d]));
    }
    return positive;
}

void tq_fit_combine(const tq_fit *fit, const double *full, double *ret_value)
{
    tq_base_values(&fit->base, full, ret_value);
}

/* Cholesky factor L of the prior pseudo-inertia, regularised to be strictly positive definite; a
 * nominal body of the link's size if the robot has none. bounds: that it is strictly within, NULL:
 * none. */
static void prior_factor(const tq_fit *fit, uint32_t link, const double *prior,
                         const tq_link_bounds *bounds, tq_block4 ret_l)
{
    double mass = 0.0;
    double reach = 0.0;
    tq_nominal_link(&fit->mechanism->model, link, &mass, &reach);
    tq_block4 p;
    tq_pseudo_of_ten(prior, p);
    const double own = p[15] > 0.0 ? p[15] : 0.0;
    /* size of the body by its second moments, or by the robot's reach */
    const double trace = (p[0] + p[5] + p[10]) / 3.0;
    double length = own > 0.0 && trace > 0.0 ? sqrt(trace / own) : 0.25 * reach;
    length = fmax(length, 0.02 * reach);
    const double m = own > 0.0 ? own : 0.25 * mass;
    tq_block4 sum;
    double raise = fat;
    do {
        for (unsigned i = 0; i < 16; i++) {
            sum[i] = own > 0.0 ? p[i] : 0.0;
            if (i % 5 == 0) {
                sum[i] += (own > 0.0 ? raise : 1.0) * m * (i == 15 ? 1.0 : length * length);
            }
        }
        raise *= 4.0;
    } while (!tq_cholesky4(sum, ret_l));
    if (bounds != NULL) {
        tq_link_bounds_enter(bounds, sum);
        (void)tq_cholesky4(sum, ret_l);
    }
}

typedef struct bodies {
    const tq_fit *fit;
    size_t n_body, n_other, n, m;
    uint32_t *body;    /* (n_body) index of the link among the columns of links */
    double *factor;    /* (16 n_body) */
    double *ag;        /* (m x n_parameter) triangle times combination */
    double *a, *b;     /* of the problem */
    double *centre;    /* (n_other) value at x = 0 */
    double *unit;      /* (n_other) */
    uint8_t *positive; /* (n_other) */
    size_t *column;    /* (n_other) column of the triangle */
    double *x;         /* (n) */
    bool is_bounded;
    size_t n_bound;
    tq_feasible_bound *bound; /* (TQ_LINK_ENDS options.n_bound) */
    uint32_t *end;            /* of each: TQ_LINK_ENDS (index of the link's bounds) + which */
} bodies;

static size_t count_bodies(const tq_model *model)
{
    size_t n = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        n += model->joints[model->order[k]].kind != TQ_JOINT_FIXED;
    }
    return n;
}

size_t tq_fit_bodies_size(const tq_fit *fit)
{
    const size_t n_body = count_bodies(&fit->mechanism->model);
    const size_t m = fit->n_column + 1;
    const size_t n_other = fit->n_parameter + m;
    const size_t n = TEN * n_body + n_other;
    const size_t n_bound = TQ_LINK_ENDS * fit->options.n_bound;
    return tq_scratch_cost(n_body, sizeof(uint32_t)) +
           tq_scratch_cost(16 * n_body, sizeof(double)) +
           tq_scratch_cost(m * fit->n_parameter, sizeof(double)) +
           tq_scratch_cost(m * n, sizeof(double)) + tq_scratch_cost(m, sizeof(double)) +
           2 * tq_scratch_cost(n_other, sizeof(double)) + tq_scratch_cost(n_other, 1) +
           tq_scratch_cost(n_other, sizeof(size_t)) + tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost(n_bound, sizeof(tq_feasible_bound)) +
           tq_scratch_cost(n_bound, sizeof(uint32_t)) +
           tq_feasible_size(n_body, fit->n_column, m, n_bound);
}

static bool take(bodies *w, tq_scratch *scratch)
{
    const tq_fit *fit = w->fit;
    const size_t others = fit->n_parameter + fit->n_column;
    w->n_body = count_bodies(&fit->mechanism->model);
    w->m = fit->n_column + 1;
    const size_t n = TEN * w->n_body + others;
    w->body = tq_scratch_take(scratch, w->n_body, sizeof *w->body);
    w->factor = tq_scratch_take(scratch, 16 * w->n_body, sizeof(double));
    w->ag = tq_scratch_take(scratch, w->m * fit->n_parameter, sizeof(double));
    w->a = tq_scratch_take(scratch, w->m * n, sizeof(double));
    w->b = tq_scratch_take(scratch, w->m, sizeof(double));
    w->centre = tq_scratch_take(scratch, others, sizeof(double));
    w->unit = tq_scratch_take(scratch, others, sizeof(double));
    w->positive = tq_scratch_take(scratch, others, 1);
    w->column = tq_scratch_take(scratch, others, sizeof *w->column);
    w->x = tq_scratch_take(scratch, n, sizeof(double));
    w->bound = tq_scratch_take(scratch, TQ_LINK_ENDS * fit->options.n_bound, sizeof *w->bound);
    w->end = tq_scratch_take(scratch, TQ_LINK_ENDS * fit->options.n_bound, sizeof *w->end);
    return w->body != NULL && w->factor != NULL && w->ag != NULL && w->a != NULL && w->b != NULL &&
           w->centre != NULL && w->unit != NULL && w->positive != NULL && w->column != NULL &&
           w->x != NULL && w->bound != NULL && w->end != NULL;
}

/* ret (m) += factor * column c of the triangle */
static void add_column(const bodies *w, const double *triangle, size_t c, double factor,
                       double *ret)
{
    for (size_t i = 0; i <= c; i++) {
        ret[i] += factor * triangle[i * w->m + c];
    }
}

/* triangle times the combination of each link parameter */
static void combine_columns(bodies *w, const double *triangle)
{
    const tq_base_set *base = &w->fit->base;
    memset(w->ag, 0, w->m * w->fit->n_parameter * sizeof *w->ag);
    for (size_t b = 0; b < base->n_base; b++) {
        add_column(w, triangle, b, 1.0, w->ag + w->m * base->independent[b]);
        for (size_t d = 0; d < base->n_dependent; d++) {
            const double k = base->k[b * base->n_dependent + d];
            if (k != 0.0) {
                add_column(w, triangle, b, k, w->ag + w->m * base->dependent[d]);
            }
        }
    }
}

/* columns of a body in units of its prior; its bounds */
static void describe_body(bodies *w, uint32_t k, size_t next)
{
    const tq_fit *fit = w->fit;
    const tq_model *model = &fit->mechanism->model;
    const uint32_t link = model->joints[model->order[k]].child;
    const double *own = w->ag + w->m * TEN * k;
    const tq_link_bounds *bounds =
        w->is_bounded ? tq_link_bounds_find(fit->options.bounds, fit->options.n_bound, link) : NULL;
    double *l = w->factor + 16 * next;
    double unit[TEN * TEN]; /* ten of each entry of x */
    prior_factor(fit, link, fit->options.prior + (size_t)TEN * k, bounds, l);
    w->body[next] = k;
    for (unsigned u = 0; u < TEN; u++) {
        double one[TEN] = {0};
        double *ten = unit + (size_t)TEN * u;
        tq_block4 e;
        tq_block4 half;
        tq_block4 p;
        one[u] = 1.0;
        tq_smat4(one, e);
        tq_mul4(l, e, half);
        tq_mult4(half, l, p);
        tq_ten_of_pseudo(p, ten);
        double *column = w->a + w->m * (TEN * next + u);
        memset(column, 0, w->m * sizeof *column);
        for (unsigned c = 0; c < TEN; c++) {
            for (size_t i = 0; i < w->m; i++) {
                column[i] += ten[c] * own[w->m * c + i];
            }
        }
    }
    if (bounds != NULL) {
        const uint32_t first = TQ_LINK_ENDS * (uint32_t)(bounds - fit->options.bounds);
        const size_t n =
            tq_link_bounds_describe(bounds, next, unit, w->bound + w->n_bound, w->end + w->n_bound);
        for (size_t i = 0; i < n; i++) {
            w->end[w->n_bound++] += first;
        }
    }
}

/* fixed links go to the right-hand side */
static void describe_bodies(bodies *w, const double *triangle)
{
    const tq_fit *fit = w->fit;
    const tq_model *model = &fit->mechanism->model;
    const double *prior = fit->options.prior;
    for (size_t i = 0; i < w->m; i++) {
        w->b[i] = triangle[i * w->m + w->m - 1];
    }
    size_t next = 0;
    w->n_bound = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const double *own = w->ag + w->m * TEN * k;
        if (model->joints[model->order[k]].kind == TQ_JOINT_FIXED) {
            for (size_t e = 0; e < w->m * TEN; e++) {
                w->b[e % w->m] -= own[e] * prior[(size_t)TEN * k + e / w->m];
            }
            continue;
        }
        describe_body(w, k, next++);
    }
}

/* adds one more unknown: a joint parameter, or an extra column */
static void describe_other(bodies *w, const double *triangle, size_t column, double prior)
{
    const size_t k = w->n_other++;
    const double nominal = w->fit->nominal[column];
    w->positive[k] = is_positive(&w->fit->columns[column]);
    w->column[k] = column;
    w->unit[k] = w->positive[k] && prior > 0.01 * nominal ? prior : nominal;
    w->centre[k] = w->positive[k] ? 0.0 : prior;
    double *a = w->a + w->m * (TEN * w->n_body + k);
    memset(a, 0, w->m * sizeof *a);
    add_column(w, triangle, column, w->unit[k], a);
    for (size_t i = 0; i <= column; i++) {
        w->b[i] -= w->centre[k] * triangle[i * w->m + column];
    }
}

/* joint parameters are independent columns of the base set: the search tries them first */
static void describe_others(bodies *w, const double *triangle)
{
    const tq_fit *fit = w->fit;
    w->n_other = 0;
    for (size_t c = 0; c < fit->n_column; c++) {
        const bool of_link = c < fit->base.n_base && fit->columns[c].parameter.link != TQ_NONE;
        if (!of_link) {
            describe_other(w, triangle, c,
                           c < fit->base.n_base ? fit->options.prior[fit->base.independent[c]]
                                                : 0.0);
        }
    }
}

/* mimic joints: their friction is part of their master's column, and keeps its prior */
static void hold_dependent(bodies *w)
{
    const tq_fit *fit = w->fit;
    for (size_t d = 0; d < fit->base.n_dependent; d++) {
        const size_t p = fit->base.dependent[d];
        for (size_t i = 0; p >= fit->n_link_column && i < w->m; i++) {
            w->b[i] -= w->ag[w->m * p + i] * fit->options.prior[p];
        }
    }
}

static void write_back(bodies *w, double *ret_full, double *ret_value)
{
    const tq_fit *fit = w->fit;
    memcpy(ret_full, fit->options.prior, fit->n_parameter * sizeof *ret_full);
    for (size_t k = 0; k < w->n_body; k++) {
        tq_block4 inner;
        tq_block4 half;
        tq_block4 p;
        tq_smat4(w->x + TEN * k, inner);
        tq_mul4(w->factor + 16 * k, inner, half);
        tq_mult4(half, w->factor + 16 * k, p);
        tq_ten_of_pseudo(p, ret_full + (size_t)TEN * w->body[k]);
    }
    for (size_t k = 0; k < w->n_other; k++) {
        const double value = w->centre[k] + w->unit[k] * w->x[TEN * w->n_body + k];
        if (w->column[k] < fit->base.n_base) {
            ret_full[fit->base.independent[w->column[k]]] = value;
        }
        ret_value[w->column[k]] = value;
    }
    tq_fit_combine(fit, ret_full, ret_value);
}

static void read_multipliers(const bodies *w, double *ret)
{
    for (size_t k = 0; k < TQ_LINK_ENDS * w->fit->options.n_bound; k++) {
        ret[k] = 0.0;
    }
    for (size_t k = 0; k < w->n_bound; k++) {
        ret[w->end[k]] = w->bound[k].multiplier;
    }
}

tq_status tq_fit_bodies(const tq_fit *fit, const double *triangle, double objective,
                        tq_scratch *scratch, tq_fit_bodies_found *inout, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    bodies w = {.fit = fit, .is_bounded = inout->multiplier != NULL};
    if (!take(&w, scratch)) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_bodies_size(fit));
    }
    combine_columns(&w, triangle);
    describe_bodies(&w, triangle);
    describe_others(&w, triangle);
    hold_dependent(&w);
    double square = 0.0;
    for (size_t i = 0; i < w.m; i++) {
        square += w.b[i] * w.b[i];
    }
    const tq_feasible problem = {.n_body = w.n_body,
                                 .n_other = w.n_other,
                                 .m = w.m,
                                 .positive = w.positive,
                                 .a = w.a,
                                 .b = w.b,
                                 .floor = floor_of_bodies,
                                 .entropy =
                                     fit->options.entropy * (objective + noise_least * square),
                                 .tolerance = gap_wanted,
                                 .n_bound = w.n_bound,
                                 .bounds = w.bound};
    const tq_status status = tq_feasible_solve(&problem, scratch, w.x, &inout->report, reterr);
    if (status == TQ_OK) {
        write_back(&w, inout->full, inout->value);
    }
    if (status == TQ_OK && w.is_bounded) {
        read_multipliers(&w, inout->multiplier);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

bool tq_fit_polish(const tq_fit *fit, const double *exact, double *full, double *value)
{
    const tq_model *model = &fit->mechanism->model;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        double ten[TEN];
        tq_block4 p;
        tq_block4 l;
        memcpy(ten, full + (size_t)TEN * k, sizeof ten);
        for (size_t b = 0; b < fit->base.n_base; b++) {
            const size_t own = fit->base.independent[b];
            if (own / TEN == k && own < fit->n_link_column) {
                ten[own % TEN] += exact[b] - value[b];
            }
        }
        tq_pseudo_of_ten(ten, p);
        const bool fixed = model->joints[model->order[k]].kind == TQ_JOINT_FIXED;
        if (!fixed && !tq_cholesky4(p, l)) {
            return false;
        }
    }
    for (size_t c = 0; c < fit->n_column; c++) {
        const double wanted = tq_fit_is_positive(fit, c) ? fmax(exact[c], 0.0) : exact[c];
        if (c < fit->base.n_base) {
            full[fit->base.independent[c]] += wanted - value[c];
        }
        value[c] = wanted;
    }
    return true;
}
