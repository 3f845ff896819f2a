/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/feasible.c - interior-point iteration: scaling, predictor, corrector,
 * step. */
#include "core/identify/feasible/feasible.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/feasible/block4.h"
#include "core/identify/feasible/edges.h"
#include "core/linalg/dense.h"

enum { ITERATION_MAX = 120, TEN = TQ_SVEC4 };
static const double step_back = 0.98; /* fraction of the step to the boundary */
static const double short_step = 0.1; /* below this step length pure centring is tried */
static const double raise = 100.0;    /* increase of the complementarity when centring stalls too */
static const double boost_first = 1e-15; /* relative diagonal regularisation after rounding
                                            errors */
static const double boost_last = 1e-7;
static const double exact = 1e-16; /* of |b|^2: an objective below this is rounding error */
/* of |b|^2: gap that is accepted when rounding errors end the iteration */
static const double drowned = 1e-11;
static const double drowned_edges = 10.0; /* likewise within bounds, of the tolerance */

/* One body: slack P - floor = s, its dual z, and the Nesterov-Todd scaling f in which both are the
 * diagonal lambda. */
typedef struct body {
    tq_block4 s, z, f;
    tq_block4 d, ds, dz; /* right-hand side and steps, in the scaling */
    tq_block4 correction;
    double lambda[4];
    double v[TEN * TEN]; /* column k: unit matrix of entry k in the scaling */
} body;

/* One non-negative entry: the same in one dimension. */
typedef struct entry {
    size_t at; /* in x */
    double s, z, lambda, w, ds, dz;
} entry;

typedef struct solver {
    const tq_feasible *p;
    size_t n, n_entry, nu;
    body *bodies;
    entry *entries;
    tq_edge *edges; /* (p->n_bound) */
    double *x, *h, *m, *g, *dual, *dx, *r;
    double objective, gap, residual;
    double mu, mu_edges; /* complementarity of the cones, and of the bounds: it tends to 0, and to
                            `entropy` in the cones */
} solver;

size_t tq_feasible_size(size_t n_body, size_t n_other, size_t m, size_t n_bound)
{
    const size_t n = TEN * n_body + n_other;
    return tq_scratch_cost(n_body, sizeof(body)) + tq_scratch_cost(n_other, sizeof(entry)) +
           tq_scratch_cost(n_bound, sizeof(tq_edge)) + 3 * tq_scratch_cost(n * n, sizeof(double)) +
           4 * tq_scratch_cost(n, sizeof(double)) + tq_scratch_cost(m, sizeof(double));
}

static void compute_residual(solver *w)
{
    const tq_feasible *p = w->p;
    memcpy(w->r, p->b, p->m * sizeof *w->r);
    for (size_t c = 0; c < w->n; c++) {
        const double *column = p->a + c * p->m;
        const double x = w->x[c];
        for (size_t i = 0; i < p->m && x != 0.0; i++) {
            w->r[i] -= column[i] * x;
        }
    }
    w->objective = 0.0;
    for (size_t i = 0; i < p->m; i++) {
        w->objective += w->r[i] * w->r[i];
    }
}

/* g = -gradient, without the barrier */
static void compute_gradient(solver *w)
{
    const tq_feasible *p = w->p;
    for (size_t c = 0; c < w->n; c++) {
        const double *column = p->a + c * p->m;
        double sum = 0.0;
        for (size_t i = 0; i < p->m; i++) {
            sum += column[i] * w->r[i];
        }
        w->g[c] = 2.0 * sum;
    }
    for (size_t b = 0; b < p->n_body; b++) {
        for (unsigned i = 0; i < TEN; i++) {
            const bool diagonal = i == 0 || i == 4 || i == 7 || i == 9;
            w->g[TEN * b + i] -= diagonal ? p->entropy : 0.0;
        }
    }
    for (size_t k = 0; k < p->n_other; k++) {
        const size_t at = TEN * p->n_body + k;
        w->g[at] -= p->positive[k] ? p->entropy : 2.0 * p->entropy * w->x[at];
    }
}

static void set_slacks(solver *w)
{
    for (size_t b = 0; b < w->p->n_body; b++) {
        tq_smat4(w->x + TEN * b, w->bodies[b].s);
        for (unsigned i = 0; i < 4; i++) {
            w->bodies[b].s[5 * i] -= w->p->floor;
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        w->entries[k].s = w->x[w->entries[k].at];
    }
}

/* P = 1 and x = 1, with duals that balance them; false if a bound excludes it */
static bool start(solver *w)
{
    const tq_feasible *p = w->p;
    memset(w->x, 0, w->n * sizeof *w->x);
    for (size_t b = 0; b < p->n_body; b++) {
        w->x[TEN * b] = w->x[TEN * b + 4] = w->x[TEN * b + 7] = w->x[TEN * b + 9] = 1.0;
    }
    w->n_entry = 0;
    for (size_t k = 0; k < p->n_other; k++) {
        if (p->positive[k]) {
            w->x[TEN * p->n_body + k] = 1.0;
            w->entries[w->n_entry++] = (entry){.at = TEN * p->n_body + k};
        }
    }
    w->nu = 4 * p->n_body + w->n_entry;
    set_slacks(w);
    compute_residual(w);
    const size_t n_cone = w->nu + p->n_bound;
    const double mu = fmax(w->objective / (double)(n_cone > 0 ? n_cone : 1), DBL_MIN / DBL_EPSILON);
    for (size_t b = 0; b < p->n_body; b++) {
        memset(w->bodies[b].z, 0, sizeof w->bodies[b].z);
        for (unsigned i = 0; i < 4; i++) {
            w->bodies[b].z[5 * i] = mu / (1.0 - p->floor);
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        w->entries[k].z = mu / w->entries[k].s;
    }
    tq_gram(p->m, w->n, 2.0, p->a, p->m, w->h);
    for (size_t k = 0; k < p->n_other; k++) {
        const size_t at = TEN * p->n_body + k;
        w->h[at * w->n + at] += p->positive[k] ? 0.0 : 2.0 * p->entropy;
    }
    for (size_t k = 0; k < p->n_bound; k++) {
        w->edges[k] = (tq_edge){.of = &p->bounds[k]};
    }
    return tq_edges_start(w->edges, p->n_bound, w->x, mu);
}

/* contribution to the gap of a product of slack and dual that differs from `entropy` */
static double gap_of(const solver *w, double product)
{
    if (w->p->entropy <= 0.0) {
        return product;
    }
    const double ratio = product / w->p->entropy;
    return w->p->entropy * (ratio - 1.0 - tq_log(ratio));
}

/* f with f s f^T = f^-T z f^-1 = diag(lambda); false if s or z is not positive definite */
static bool scale_body(body *b)
{
    tq_block4 l;
    tq_block4 c;
    tq_block4 t;
    tq_block4 u;
    tq_block4 v;
    if (!tq_cholesky4(b->s, l) || !tq_cholesky4(b->z, c)) {
        return false;
    }
    tq_tmul4(c, l, t);
    tq_svd4(t, u, b->lambda, v);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            double sum = 0.0;
            for (unsigned k = 0; k < 4; k++) {
                sum += u[4 * k + i] * c[4 * j + k];
            }
            b->f[4 * i + j] = sum / sqrt(b->lambda[i]);
        }
    }
    for (unsigned k = 0; k < TEN; k++) {
        double unit[TEN] = {0};
        tq_block4 e;
        tq_block4 fe;
        tq_block4 fef;
        unit[k] = 1.0;
        tq_smat4(unit, e);
        tq_mul4(b->f, e, fe);
        tq_mult4(fe, b->f, fef);
        tq_svec4(fef, b->v + TEN * (size_t)k);
    }
    return isfinite(b->lambda[0] + b->lambda[1] + b->lambda[2] + b->lambda[3]);
}

/* m = h + cone Hessians; dual = cone gradients; gap */
static bool assemble(solver *w)
{
    const size_t n = w->n;
    memcpy(w->m, w->h, n * n * sizeof *w->m);
    memset(w->dual, 0, n * sizeof *w->dual);
    double complementarity = 0.0;
    w->gap = 0.0;
    for (size_t k = 0; k < w->p->n_body; k++) {
        body *b = &w->bodies[k];
        if (!scale_body(b)) {
            return false;
        }
        static const unsigned diagonal[4] = {0, 4, 7, 9};
        for (unsigned i = 0; i < 4; i++) {
            const double product = b->lambda[i] * b->lambda[i];
            complementarity += product;
            w->gap += gap_of(w, product);
        }
        for (unsigned i = 0; i < TEN; i++) {
            for (unsigned d = 0; d < 4; d++) {
                w->dual[TEN * k + i] += b->v[TEN * i + diagonal[d]] * b->lambda[d];
            }
            for (unsigned j = 0; j <= i; j++) {
                double sum = 0.0;
                for (unsigned e = 0; e < TEN; e++) {
                    sum += b->v[TEN * i + e] * b->v[TEN * j + e];
                }
                w->m[(TEN * k + j) * n + TEN * k + i] += sum;
            }
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        entry *e = &w->entries[k];
        if (!(e->s > 0.0 && e->z > 0.0)) {
            return false;
        }
        e->lambda = sqrt(e->s * e->z);
        e->w = sqrt(e->z / e->s);
        complementarity += e->s * e->z;
        w->gap += gap_of(w, e->s * e->z);
        w->dual[e->at] += e->z;
        w->m[e->at * n + e->at] += e->z / e->s;
    }
    w->mu = complementarity / (double)(w->nu > 0 ? w->nu : 1);
    if (!tq_edges_assemble(w->edges, w->p->n_bound, n, w->m, w->dual, &complementarity)) {
        return false;
    }
    w->gap += complementarity;
    w->mu_edges = complementarity / (double)(w->p->n_bound > 0 ? w->p->n_bound : 1);
    return true;
}

/* stationarity residual, as an equivalent part of the objective */
static void compute_balance(solver *w)
{
    double worst = 0.0;
    for (size_t i = 0; i < w->n; i++) {
        const double off = w->g[i] + w->dual[i];
        worst = fmax(worst, off * off / w->m[i * w->n + i]);
    }
    w->residual = worst * (double)w->n;
}

static bool factor(solver *w, double *spare)
{
    const size_t n = w->n;
    memcpy(spare, w->m, n * n * sizeof *spare);
    double boost = boost_first;
    while (boost < boost_last) {
        if (tq_cholesky_factor(n, w->m, n, NULL) == TQ_OK) {
            return true;
        }
        memcpy(w->m, spare, n * n * sizeof *spare);
        for (size_t i = 0; i < n; i++) {
            w->m[i * n + i] *= 1.0 + boost;
        }
        boost *= 100.0;
    }
    return false;
}

typedef enum phase { PREDICTOR, CORRECTOR, CENTRING, RAISING } phase;

static void right_side(solver *w, double target, double of_edges, phase at)
{
    memcpy(w->dx, w->g, w->n * sizeof *w->dx);
    for (size_t k = 0; k < w->p->n_body; k++) {
        body *b = &w->bodies[k];
        tq_block4 e;
        double packed[TEN];
        for (unsigned i = 0; i < 16; i++) {
            const double li = b->lambda[i / 4];
            const double lj = b->lambda[i % 4];
            double value = i % 5 == 0 ? target - li * lj : 0.0;
            value -= at == CORRECTOR ? b->correction[i] : 0.0;
            b->d[i] = 2.0 * value / (li + lj);
            e[i] = b->d[i] + (i % 5 == 0 ? li : 0.0);
        }
        tq_svec4(e, packed);
        for (unsigned i = 0; i < TEN; i++) {
            for (unsigned j = 0; j < TEN; j++) {
                w->dx[TEN * k + i] += b->v[TEN * i + j] * packed[j];
            }
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        entry *e = &w->entries[k];
        const double correction = at == CORRECTOR ? e->ds * e->dz : 0.0;
        e->dz = (target - e->s * e->z - correction) / e->lambda;
        w->dx[e->at] += e->w * (e->dz + e->lambda);
    }
    tq_edges_right_side(w->edges, w->p->n_bound, of_edges, at == CORRECTOR, w->dx);
}

/* steps of slacks and duals in the scaling; returns 1 / (the longest feasible step) */
static double slack_steps(solver *w)
{
    double inverse = DBL_MIN;
    for (size_t k = 0; k < w->p->n_body; k++) {
        body *b = &w->bodies[k];
        double packed[TEN] = {0};
        for (unsigned i = 0; i < TEN; i++) {
            for (unsigned j = 0; j < TEN; j++) {
                packed[j] += b->v[TEN * i + j] * w->dx[TEN * k + i];
            }
        }
        tq_smat4(packed, b->ds);
        tq_block4 e;
        tq_block4 g;
        for (unsigned i = 0; i < 16; i++) {
            const double size = sqrt(b->lambda[i / 4] * b->lambda[i % 4]);
            b->dz[i] = b->d[i] - b->ds[i];
            e[i] = b->ds[i] / size;
            g[i] = b->dz[i] / size;
        }
        inverse = fmax(inverse, fmax(-tq_least_eigen4(e), -tq_least_eigen4(g)));
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        entry *e = &w->entries[k];
        e->ds = e->w * w->dx[e->at];
        e->dz -= e->ds;
        inverse = fmax(inverse, fmax(-e->ds, -e->dz) / e->lambda);
    }
    return tq_edges_steps(w->edges, w->p->n_bound, w->dx, inverse);
}

/* complementarity after the predictor step, and its second-order terms */
static double look_ahead(solver *w, double step)
{
    double sum = 0.0;
    for (size_t k = 0; k < w->p->n_body; k++) {
        body *b = &w->bodies[k];
        for (unsigned i = 0; i < 16; i++) {
            const double lambda = i % 5 == 0 ? b->lambda[i / 5] : 0.0;
            sum += (lambda + step * b->ds[i]) * (lambda + step * b->dz[i]);
        }
        tq_block4 sz;
        tq_mul4(b->ds, b->dz, sz);
        for (unsigned i = 0; i < 16; i++) {
            b->correction[i] = 0.5 * (sz[i] + sz[4 * (i % 4) + i / 4]);
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        const entry *e = &w->entries[k];
        sum += (e->lambda + step * e->ds) * (e->lambda + step * e->dz);
    }
    return sum;
}

/* target of the complementarity: mu times the cube of what a predictor step leaves of it */
static double target_of(double mu, double left, size_t n)
{
    const double ratio = fmin(1.0, fmax(left, 0.0) / (mu * (double)n));
    return ratio * ratio * ratio * mu;
}

/* the direction into dx, and the step length */
static double choose_step(solver *w)
{
    const double least = w->p->entropy;
    const size_t n_edge = w->p->n_bound;
    double target = least;
    double of_edges = 0.0;
    double step = 1.0;
    for (phase at = PREDICTOR; at <= RAISING; at++) {
        if (at >= CENTRING) {
            if (step >= short_step) {
                break;
            }
            target = fmax(w->mu * (at == RAISING ? raise : 1.0), least);
            of_edges = w->mu_edges * (at == RAISING ? raise : 1.0);
        }
        right_side(w, target, of_edges, at);
        (void)tq_cholesky_solve(w->n, 1, w->m, w->n, w->dx, w->n, NULL);
        step = fmin(1.0, (at == PREDICTOR ? 1.0 : step_back) / slack_steps(w));
        if (at == PREDICTOR) {
            target = fmax(target_of(w->mu, look_ahead(w, step), w->nu), least);
            of_edges = n_edge > 0 ? target_of(w->mu_edges,
                                              tq_edges_look_ahead(w->edges, n_edge, step), n_edge)
                                  : 0.0;
        }
    }
    return step;
}

static void advance(solver *w, double step)
{
    for (size_t i = 0; i < w->n; i++) {
        w->x[i] += step * w->dx[i];
    }
    for (size_t k = 0; k < w->p->n_body; k++) {
        body *b = &w->bodies[k];
        tq_block4 inside;
        tq_block4 half;
        for (unsigned i = 0; i < 16; i++) {
            inside[i] = (i % 5 == 0 ? b->lambda[i / 5] : 0.0) + step * b->dz[i];
        }
        tq_mul4(inside, b->f, half);
        tq_tmul4(b->f, half, b->z);
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned j = 0; j < i; j++) {
                b->z[4 * j + i] = b->z[4 * i + j];
            }
        }
    }
    for (size_t k = 0; k < w->n_entry; k++) {
        w->entries[k].z += step * w->entries[k].w * w->entries[k].dz;
    }
    tq_edges_advance(w->edges, w->p->n_bound, step);
    set_slacks(w);
}

static void report(const solver *w, size_t n_iteration, tq_feasible_report *ret)
{
    double least = DBL_MAX;
    for (size_t k = 0; k < w->p->n_body; k++) {
        tq_block4 p;
        tq_smat4(w->x + TEN * k, p);
        least = fmin(least, tq_least_eigen4(p));
    }
    for (size_t k = 0; k < w->p->n_bound; k++) {
        w->p->bounds[k].multiplier = w->edges[k].z;
    }
    *ret = (tq_feasible_report){.objective = w->objective,
                                .gap = w->gap + w->residual,
                                .least_eigen = least,
                                .n_iteration = n_iteration};
}

static tq_status solve(solver *w, double *spare, tq_feasible_report *ret_report, tq_error *reterr)
{
    double b_square = 0.0;
    double wanted = 0.0;
    for (size_t i = 0; i < w->p->m; i++) {
        b_square += w->p->b[i] * w->p->b[i];
    }
    if (!start(w)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "bound", 0, 0.0);
    }
    for (size_t k = 0; k < ITERATION_MAX; k++) {
        if (!assemble(w)) {
            wanted = 0.0;
            break;
        }
        compute_residual(w);
        compute_gradient(w);
        compute_balance(w);
        wanted =
            w->p->tolerance * (w->objective + w->p->entropy * (double)w->nu + exact * b_square);
        if (w->gap + w->residual <= wanted) {
            report(w, k, ret_report);
            return TQ_OK;
        }
        if (!factor(w, spare)) {
            break;
        }
        advance(w, choose_step(w));
    }
    const double enough =
        fmax(drowned * b_square, w->p->n_bound > 0 ? drowned_edges * wanted : 0.0);
    if (isfinite(w->gap) && w->gap + w->residual <= enough) {
        report(w, ITERATION_MAX, ret_report);
        return TQ_OK;
    }
    return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "feasible", 0,
                   (w->gap + w->residual) / (w->objective + exact * b_square));
}

tq_status tq_feasible_solve(const tq_feasible *problem, tq_scratch *scratch,
                            double *ret_x, /* NOLINT(readability-non-const-parameter) */
                            tq_feasible_report *ret_report, tq_error *reterr)
{
    const size_t n = TEN * problem->n_body + problem->n_other;
    const size_t mark = tq_scratch_mark(scratch);
    solver w = {.p = problem, .n = n, .x = ret_x};
    w.bodies = tq_scratch_take(scratch, problem->n_body, sizeof *w.bodies);
    w.entries = tq_scratch_take(scratch, problem->n_other, sizeof *w.entries);
    w.edges = tq_scratch_take(scratch, problem->n_bound, sizeof *w.edges);
    w.h = tq_scratch_take(scratch, n * n, sizeof(double));
    w.m = tq_scratch_take(scratch, n * n, sizeof(double));
    w.g = tq_scratch_take(scratch, n, sizeof(double));
    w.dual = tq_scratch_take(scratch, n, sizeof(double));
    w.dx = tq_scratch_take(scratch, n, sizeof(double));
    w.r = tq_scratch_take(scratch, problem->m, sizeof(double));
    double *spare = tq_scratch_take(scratch, n * n, sizeof(double));
    tq_status status = TQ_OK;
    if (w.bodies == NULL || w.entries == NULL || w.edges == NULL || w.h == NULL || w.m == NULL ||
        w.g == NULL || w.dual == NULL || w.dx == NULL || w.r == NULL || spare == NULL) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_feasible_size(problem->n_body, problem->n_other, problem->m,
                                                  problem->n_bound));
    } else {
        status = solve(&w, spare, ret_report, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
