/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/hold.c - stiction with constraints: a quadratic programme with bounds (active
 * set). */
#include "core/constraints/hold.h"

#include <math.h>
#include <string.h>

#include "core/linalg/dense.h"

/* relative singular value below which rows depend on others */
static const double rcond = 1e-12;
/* a row whose inverse inertia relative to the unconstrained one is below this cannot move */
static const double immobile = 1e-14;
/* accelerations relative to the free ones below this are rounding */
static const double rounding = 1e-11;
/* A row at a dead centre (a rocker) cannot be moved by its own force but still reverses: it does so
 * if it accelerates by this fraction of the fastest row. */
static const double turning = 1e-9;
/* accelerations of held rows relative to the free ones above this are not rounding: rows that are
 * dependent within rcond differ by 1e-6 at most */
static const double rest = 1e-5;
/* ratio to the acceleration of the fastest slipping row, below which a row does not slip with it */
static const double together = 1e-7;
enum { STEPS_PER_ROW = 50 };

/* Coupling of rows, scaled to unit inverse inertia: g = d + w u, u = hold / scale, g = acceleration
 * * scale. */
typedef struct programme {
    size_t n;
    double *w;       /* (n x n) */
    double *scale;   /* (n); 0: the row cannot move */
    double *d, *u;   /* (n) */
    double *loose;   /* (n) accelerations without holds, not scaled */
    double fastest;  /* largest acceleration of any row of qdd without holds */
    double *g, *box; /* (n) */
    double *m, *p;   /* working matrix (n x n) and right-hand side (n) */
    signed char *at; /* (n) -1, 1: at that bound; 0: within */
    uint32_t *inner; /* (n) rows within their bounds */
} programme;

size_t tq_hold_scratch_size(size_t nv, size_t n_row)
{
    const size_t columns =
        2 * tq_scratch_cost(nv * nv, sizeof(double)) + 2 * tq_scratch_cost(nv, sizeof(double));
    const size_t own = 2 * tq_scratch_cost(nv * nv, sizeof(double)) +
                       7 * tq_scratch_cost(nv, sizeof(double)) + tq_scratch_cost(nv, 1) +
                       tq_scratch_cost(nv, sizeof(uint32_t)) + tq_lstsq_scratch_size(nv, nv);
    /* scratch of tq_constrained_nearest */
    const size_t k = (nv < n_row ? nv : n_row) + 1;
    const size_t nearest = 5 * tq_scratch_cost(nv + n_row + 1, sizeof(double)) +
                           tq_scratch_cost(k * (n_row + 1), sizeof(double)) +
                           tq_lstsq_scratch_size(k, n_row + 1);
    return columns + own + nearest;
}

static bool take(size_t n, tq_scratch *scratch, programme *p)
{
    *p = (programme){.n = n};
    double **const rows[] = {&p->scale, &p->d, &p->u, &p->g, &p->box, &p->p, &p->loose};
    p->w = tq_scratch_take(scratch, n * n, sizeof(double));
    p->m = tq_scratch_take(scratch, n * n, sizeof(double));
    p->at = tq_scratch_take(scratch, n, 1);
    p->inner = tq_scratch_take(scratch, n, sizeof *p->inner);
    bool all = p->w != NULL && p->m != NULL && p->at != NULL && p->inner != NULL;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, n, sizeof(double));
        all = all && *rows[k] != NULL;
    }
    return all;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* w and scale from the columns (1 - Q Q^T) L^-1 e of the rows */
static tq_status couple(const tq_constrained *s, const tq_holds *holds, tq_scratch *scratch,
                        programme *p, tq_error *reterr)
{
    const size_t nv = s->nv, n = holds->n;
    const size_t mark = tq_scratch_mark(scratch);
    double *free = tq_scratch_take(scratch, nv * n, sizeof *free);
    double *bound = tq_scratch_take(scratch, nv * n, sizeof *bound);
    if (free == NULL || bound == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_hold_scratch_size(nv, s->n_row));
    }
    memset(free, 0, nv * n * sizeof *free);
    for (size_t k = 0; k < n; k++) {
        free[k * nv + holds->rows[k]] = 1.0;
    }
    memcpy(bound, free, nv * n * sizeof *bound);
    tq_status status = tq_cholesky_half_solve(nv, s->l, nv, 0, n, free, nv, reterr);
    if (status == TQ_OK) {
        status = tq_constrained_unload(s, n, bound, reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < n; k++) {
        const double alone = dot(free + k * nv, free + k * nv, nv);
        const double left = dot(bound + k * nv, bound + k * nv, nv);
        p->scale[k] = left > immobile * alone ? 1.0 / sqrt(left) : 0.0;
    }
    for (size_t a = 0; status == TQ_OK && a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            p->w[a * n + b] = p->scale[a] * p->scale[b] * dot(bound + a * nv, bound + b * nv, nv);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* the programme of a state: d is the acceleration of its rows without holds */
static tq_status set_up(const tq_constrained *s, const tq_holds *holds, const double *target,
                        const double *v, tq_scratch *scratch, programme *p, tq_error *reterr)
{
    if (!take(holds->n, scratch, p)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_hold_scratch_size(s->nv, s->n_row));
    }
    tq_status status = couple(s, holds, scratch, p, reterr);
    const size_t mark = tq_scratch_mark(scratch);
    double *loose = tq_scratch_take(scratch, s->nv, sizeof *loose);
    if (loose == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_hold_scratch_size(s->nv, s->n_row));
    }
    memcpy(loose, v, s->nv * sizeof *loose);
    if (status == TQ_OK) {
        status = tq_constrained_nearest(s, target, TQ_CONTRADICTION_REFUSE, scratch, loose, NULL,
                                        reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < s->nv; k++) {
        p->fastest = fmax(p->fastest, fabs(loose[k]));
    }
    for (size_t k = 0; status == TQ_OK && k < p->n; k++) {
        p->loose[k] = loose[holds->rows[k]];
        p->d[k] = p->scale[k] * p->loose[k];
        p->box[k] = p->scale[k] > 0.0 ? holds->largest[k] / p->scale[k] : 0.0;
        p->u[k] = 0.0;
        p->at[k] = 0;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* minimum-norm step of the inner rows to zero acceleration, into p->p */
static tq_status step_inner(programme *p, size_t n_inner, tq_scratch *scratch, tq_error *reterr)
{
    size_t rank = 0;
    for (size_t a = 0; a < n_inner; a++) {
        for (size_t b = 0; b < n_inner; b++) {
            p->m[b * n_inner + a] = p->w[p->inner[a] * p->n + p->inner[b]];
        }
        p->p[a] = -p->g[p->inner[a]];
    }
    return tq_lstsq(n_inner, n_inner, p->m, p->p, rcond, scratch, &rank, reterr);
}

static void accelerate(programme *p)
{
    for (size_t a = 0; a < p->n; a++) {
        p->g[a] = p->d[a] + dot(p->w + a * p->n, p->u, p->n);
    }
}

static size_t find_inner(programme *p)
{
    size_t n = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->at[k] == 0 && p->scale[k] > 0.0) {
            p->inner[n++] = k;
        }
    }
    return n;
}

/* moves u along p->p to the first bound; true if a bound was reached */
static bool walk(programme *p, size_t n_inner)
{
    double far = 1.0;
    uint32_t wall = 0;
    bool stopped = false;
    for (size_t a = 0; a < n_inner; a++) {
        const uint32_t k = p->inner[a];
        const double next = p->u[k] + p->p[a];
        if (fabs(next) <= p->box[k]) {
            continue;
        }
        const double way = (copysign(p->box[k], p->p[a]) - p->u[k]) / p->p[a];
        if (!stopped || way < far) {
            far = fmax(way, 0.0);
            wall = k;
            stopped = true;
        }
    }
    for (size_t a = 0; a < n_inner; a++) {
        const uint32_t k = p->inner[a];
        if (stopped && k == wall) {
            p->at[k] = p->p[a] > 0.0 ? 1 : -1;
            p->u[k] = p->at[k] * p->box[k];
        } else {
            p->u[k] += far * p->p[a];
        }
    }
    return stopped;
}

/* releases the row at a bound with the largest acceleration away from it above `least`; false: none
 */
static bool leave_wall(programme *p, double least)
{
    size_t best = p->n;
    for (size_t k = 0; k < p->n; k++) {
        const double off = p->at[k] * p->g[k];
        if (p->at[k] != 0 && p->box[k] > 0.0 && off > least) {
            least = off;
            best = k;
        }
    }
    if (best < p->n) {
        p->at[best] = 0;
    }
    return best < p->n;
}

/* Inner rows that their own holds cannot stop, because they are dependent and driven apart: a step
 * along the remaining acceleration, beyond any bound. False: no remainder. */
static bool step_rest(programme *p, size_t n_inner, double least)
{
    double most = 0.0, room = 0.0;
    for (size_t a = 0; a < n_inner; a++) {
        most = fmax(most, fabs(p->g[p->inner[a]]));
        room = fmax(room, p->box[p->inner[a]]);
    }
    for (size_t a = 0; a < n_inner; a++) {
        p->p[a] = most > least ? -4.0 * room * p->g[p->inner[a]] / most : 0.0;
    }
    return most > least && room > 0.0;
}

static tq_status minimise(programme *p, tq_scratch *scratch, tq_error *reterr)
{
    double size = 0.0;
    for (size_t k = 0; k < p->n; k++) {
        size = fmax(size, fabs(p->d[k]));
    }
    tq_status status = TQ_OK;
    for (size_t step = 0; status == TQ_OK && step < STEPS_PER_ROW * (p->n + 1); step++) {
        accelerate(p);
        const size_t n_inner = find_inner(p);
        bool stopped = false;
        if (n_inner > 0) {
            status = step_inner(p, n_inner, scratch, reterr);
            stopped = status == TQ_OK && walk(p, n_inner);
        }
        if (!stopped && status == TQ_OK) {
            accelerate(p);
            if (n_inner > 0 && step_rest(p, n_inner, rest * size) && walk(p, n_inner)) {
                continue;
            }
            if (!leave_wall(p, rounding * size)) {
                break;
            }
        }
    }
    accelerate(p);
    return status;
}

tq_status tq_constrained_stick(const tq_constrained *state, const tq_holds *holds,
                               const double *target, tq_scratch *scratch, const double *v,
                               double *ret_hold, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    programme p;
    tq_status status = set_up(state, holds, target, v, scratch, &p, reterr);
    if (status == TQ_OK) {
        status = minimise(&p, scratch, reterr);
    }
    double fastest = 0.0;
    bool slips = false;
    for (size_t k = 0; status == TQ_OK && k < p.n; k++) {
        const double beyond = fmax(-p.at[k] * p.g[k], 0.0); /* 0 within the bounds */
        fastest = fmax(fastest, beyond);
        slips = slips || beyond > TQ_HOLD_SLACK * p.box[k];
    }
    for (size_t k = 0; status == TQ_OK && k < p.n; k++) {
        double beyond = fmax(-p.at[k] * p.g[k], 0.0);
        if (slips && beyond > together * fastest) {
            beyond = fmax(beyond, 2.0 * TQ_HOLD_SLACK * p.box[k]);
        }
        ret_hold[k] = (p.u[k] + p.at[k] * beyond) * p.scale[k];
        if (p.scale[k] == 0.0 && fabs(p.loose[k]) > turning * p.fastest) {
            ret_hold[k] = -copysign(2.0 * holds->largest[k], p.loose[k]);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_constrained_hold(const tq_constrained *state, const tq_holds *holds,
                              const double *target, tq_scratch *scratch, double *v,
                              double *ret_multipliers, tq_error *reterr)
{
    const size_t nv = state->nv;
    const size_t mark = tq_scratch_mark(scratch);
    programme p;
    tq_status status = set_up(state, holds, target, v, scratch, &p, reterr);
    double *force = tq_scratch_take(scratch, nv, sizeof *force);
    if (force == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_hold_scratch_size(nv, state->n_row));
    }
    if (status == TQ_OK) {
        accelerate(&p);
        const size_t n_inner = find_inner(&p);
        memset(force, 0, nv * sizeof *force);
        status = n_inner > 0 ? step_inner(&p, n_inner, scratch, reterr) : TQ_OK;
        for (size_t a = 0; status == TQ_OK && a < n_inner; a++) {
            force[holds->rows[p.inner[a]]] = p.scale[p.inner[a]] * p.p[a];
        }
    }
    if (status == TQ_OK) {
        status = tq_cholesky_solve(nv, 1, state->l, nv, force, nv, reterr);
    }
    for (size_t r = 0; status == TQ_OK && r < nv; r++) {
        v[r] += force[r];
    }
    if (status == TQ_OK) {
        status = tq_constrained_nearest(state, target, TQ_CONTRADICTION_REFUSE, scratch, v,
                                        ret_multipliers, reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < holds->n; k++) {
        v[holds->rows[k]] = 0.0;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
