/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/islands.c - points, rows and couplings at one state; impulses island by island. */
#include <math.h>
#include <string.h>

#include "core/contact/laws.h"
#include "core/contact/step_private.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"

tq_status tq_contact_mass(tq_contact_work *w, const double *q)
{
    const tq_status status =
        tq_mass_matrix_flat(w->plant->mechanism, q, w->plant->without, w->scratch, w->m, w->error);
    if (status != TQ_OK) {
        return status;
    }
    const size_t row = tq_mass_matrix_factor(w->nv, w->m);
    return row == w->nv ? TQ_OK : tq_fail(w->error, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
}

static tq_status crowded(const tq_contact_work *w, size_t most, size_t n)
{
    return tq_fail(w->error, TQ_ERR_RANGE, TQ_CONTACT_CROWDED, most, (double)n);
}

/* Points at a configuration; those that are closed are listed, if wanted, with their rows. */
static tq_status find_at(tq_contact_work *w, const tq_configuration *at, bool closed)
{
    w->n_point = tq_contact_find(w->contacts, at, w->room, w->now.points);
    if (w->n_point > w->room) {
        return crowded(w, TQ_CONTACT_NEAR_MAX, w->n_point - w->contacts->n_pair);
    }
    if (!closed) {
        return TQ_OK;
    }
    for (size_t i = 0; i < w->n_point; i++) {
        w->is_closed[i] = w->now.points[i].gap <= TQ_CONTACT_CLOSED_GAP;
    }
    const tq_status status = tq_contact_list(w, w->is_closed);
    for (size_t k = 0; status == TQ_OK && k < w->n_listed; k++) {
        tq_contact_rows(w->contacts, at, &w->now.points[w->listed[k]], w->jacobian,
                        w->now.rows + 3 * k * w->nv);
    }
    return status;
}

static tq_status compute_at(tq_contact_work *w, const double *q, bool closed)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    tq_status status = tq_configuration_compute(w->model, q, NULL, w->scratch, &at, w->error);
    if (status == TQ_OK) {
        status = find_at(w, &at, closed);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

tq_status tq_contact_at(tq_contact_work *w, const double *q)
{
    return compute_at(w, q, false);
}

tq_status tq_contact_at_closed(tq_contact_work *w, const double *q)
{
    return compute_at(w, q, true);
}

tq_status tq_contact_at_listed(tq_contact_work *w, const double *q, tq_contact_rows_at *to)
{
    const size_t mark = tq_scratch_mark(w->scratch);
    tq_configuration at;
    const tq_status status = tq_configuration_compute(w->model, q, NULL, w->scratch, &at, w->error);
    for (size_t k = 0; status == TQ_OK && k < w->n_listed; k++) {
        tq_contact_point *point = &to->points[w->listed[k]];
        tq_contact_follow(w->contacts, &at, &w->now.points[w->listed[k]], point);
        tq_contact_rows(w->contacts, &at, point, w->jacobian, to->rows + 3 * k * w->nv);
    }
    tq_scratch_rewind(w->scratch, mark);
    return status;
}

tq_status tq_contact_list(tq_contact_work *w, const unsigned char *flags)
{
    size_t n = 0;
    for (uint32_t i = 0; i < w->n_point; i++) {
        if (flags[i] != 0 && n++ < w->room_active) {
            w->mu[n - 1] = w->contacts->pairs[w->now.points[i].pair].friction;
            w->listed[n - 1] = i;
        }
    }
    w->n_listed = n < w->room_active ? n : w->room_active;
    return n <= w->room_active ? TQ_OK : crowded(w, w->room_active, n);
}

/* ------------------------------------------------------------------------------------------------
 * Islands
 */

static uint32_t root_of(uint32_t *tied, uint32_t k)
{
    while (tied[k] != k) {
        tied[k] = tied[tied[k]];
        k = tied[k];
    }
    return k;
}

/* the lesser of two roots stays one: the result does not depend on the order */
static uint32_t tie(uint32_t *tied, uint32_t a, uint32_t b)
{
    const uint32_t i = root_of(tied, a), k = root_of(tied, b);
    tied[i < k ? k : i] = i < k ? i : k;
    return i < k ? i : k;
}

/* Coordinates are tied by entries of M, and by points whose velocity depends on both. */
static void find_islands(tq_contact_work *w, const tq_contact_rows_at *at)
{
    const uint32_t nv = (uint32_t)w->nv, none = UINT32_MAX;
    for (uint32_t r = 0; r < nv; r++) {
        w->tied[r] = r;
        for (uint32_t c = 0; c < r; c++) {
            if (w->m[r * w->nv + c] != 0.0) {
                (void)tie(w->tied, r, c);
            }
        }
    }
    for (size_t k = 0; k < w->n_listed; k++) {
        uint32_t first = none;
        for (size_t i = 0; i < 3 * w->nv; i++) {
            const uint32_t c = (uint32_t)(i % w->nv);
            if (at->rows[3 * k * w->nv + i] != 0.0) {
                first = first == none ? root_of(w->tied, c) : tie(w->tied, first, c);
            }
        }
        w->island[k] = first;
    }
    /* numbers of roots, of a point that moves nothing its own */
    w->n_island = 0;
    for (size_t k = 0; k < w->n_listed; k++) {
        const uint32_t root = w->island[k] == none ? none : root_of(w->tied, w->island[k]);
        uint32_t number = none;
        for (size_t i = 0; root != none && i < k && number == none; i++) {
            number = w->own.member[i] == root ? w->island[i] : none;
        }
        w->own.member[k] = root;
        w->island[k] = number == none ? (uint32_t)w->n_island++ : number;
    }
    for (uint32_t c = 0; c < nv; c++) {
        const uint32_t root = root_of(w->tied, c);
        w->of_coordinate[c] = none;
        for (size_t k = 0; k < w->n_listed && w->of_coordinate[c] == none; k++) {
            w->of_coordinate[c] = w->own.member[k] == root ? w->island[k] : none;
        }
    }
}

void tq_contact_couple(tq_contact_work *w, const tq_contact_rows_at *at)
{
    const size_t n = 3 * w->n_listed;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < w->nv; c++) {
            w->x[c * n + r] = at->rows[r * w->nv + c];
        }
    }
    tq_mass_matrix_solve(w->nv, w->m, n, w->x);
    find_islands(w, at);
}

/* Rows of g by x = M^-1 J^T and M = L^T D L:  g^T = D^(1/2) L x. */
static void halve(tq_contact_work *w)
{
    tq_contact_island *own = &w->own;
    const size_t nv = w->nv, all = 3 * w->n_listed, n = 3 * own->n;
    const uint32_t label = w->island[own->member[0]];
    own->m = 0;
    for (uint32_t k = 0; k < nv; k++) {
        own->m += w->of_coordinate[k] == label;
    }
    memset(own->g, 0, n * own->m * sizeof *own->g);
    size_t column = 0;
    for (size_t k = 0; k < nv; k++) {
        if (w->of_coordinate[k] != label) {
            continue;
        }
        for (size_t i = 0; i <= k; i++) {
            const double root = sqrt(w->m[k * nv + k]);
            const double l = root * (i < k ? w->m[k * nv + i] : 1.0);
            for (size_t r = 0; l != 0.0 && r < n; r++) {
                own->g[r * own->m + column] += l * w->x[i * all + 3 * own->member[r / 3] + r % 3];
            }
        }
        column++;
    }
}

void tq_contact_open_island(tq_contact_work *w, const tq_contact_rows_at *at, size_t k)
{
    tq_contact_island *own = &w->own;
    own->n = 0;
    for (uint32_t i = 0; i < w->n_listed; i++) {
        if (w->island[i] == k) {
            own->member[own->n++] = i;
        }
    }
    const size_t n = 3 * own->n, all = 3 * w->n_listed;
    for (size_t r = 0; r < n; r++) {
        const double *row = at->rows + (3 * own->member[r / 3] + r % 3) * w->nv;
        double *to = own->w + r * n;
        memset(to + r, 0, (n - r) * sizeof *to);
        for (size_t i = 0; i < w->nv; i++) {
            for (size_t c = r; row[i] != 0.0 && c < n; c++) {
                to[c] += row[i] * w->x[i * all + 3 * own->member[c / 3] + c % 3];
            }
        }
        for (size_t c = r; c < n; c++) {
            own->w[c * n + r] = to[c];
        }
    }
    if (own->n >= TQ_CONTACT_MANY) {
        halve(w);
    }
}

double tq_contact_solve_island(tq_contact_work *w)
{
    const tq_contact_island *own = &w->own;
    const bool many = own->n >= TQ_CONTACT_MANY;
    const tq_contact_problem of = {.n = own->n,
                                   .w = own->w,
                                   .b = own->b,
                                   .mu = own->mu,
                                   .start = own->start,
                                   .m = many ? own->m : 0,
                                   .g = many ? own->g : NULL};
    return tq_contact_laws(&of, w->newton, own->p);
}

double tq_contact_solve(tq_contact_work *w, const tq_contact_rows_at *at)
{
    const tq_contact_island *own = &w->own;
    double worst = 0.0;
    for (size_t k = 0; k < w->n_island; k++) {
        tq_contact_open_island(w, at, k);
        for (size_t r = 0; r < 3 * own->n; r++) {
            const size_t from = 3 * own->member[r / 3] + r % 3;
            own->b[r] = w->b[from];
            own->p[r] = w->p[from];
            own->start[r] = w->start[from];
            own->mu[r / 3] = w->mu[from / 3];
        }
        worst = fmax(worst, tq_contact_solve_island(w));
        for (size_t r = 0; r < 3 * own->n; r++) {
            w->p[3 * own->member[r / 3] + r % 3] = own->p[r];
        }
    }
    return worst;
}

void tq_contact_velocity(const tq_contact_work *w, const tq_contact_rows_at *at, const double *v,
                         double *ret)
{
    for (size_t r = 0; r < 3 * w->n_listed; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < w->nv; c++) {
            sum += at->rows[r * w->nv + c] * v[c];
        }
        ret[r] = sum;
    }
}

void tq_contact_push(const tq_contact_work *w, double *v)
{
    const size_t n = 3 * w->n_listed;
    for (size_t c = 0; c < w->nv; c++) {
        for (size_t r = 0; r < n; r++) {
            v[c] += w->x[c * n + r] * w->p[r];
        }
    }
}
