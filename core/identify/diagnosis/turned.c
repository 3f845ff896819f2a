/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/turned.c - recordings in which every torque counts against its position:
 * a fit of them alone is as good, with bodies of negative mass. */
#include <math.h>

#include "core/identify/diagnosis/search.h"

static const double alike = 0.5; /* squared correlation with which a row of torque has a say */
static const double drives =
    0.1;           /* of all power: gravity is the other way round, not the torques */
enum { SAYS = 2 }; /* rows that must agree, of several */

/* Sums over one recording. */
typedef struct products {
    double square, with_bodies, bodies, with_rate, rate, bodies_rate;
} products;

static double entry(const tq_diagnosis *d, size_t e, size_t r, size_t a, size_t b)
{
    return tq_diagnosis_gram(d, d->sets + e * d->set_size, r, a, b);
}

/* the column of ones of a row; SIZE_MAX: it has none */
static size_t find_ones(const tq_diagnosis *d, size_t r)
{
    const tq_fit_row *row = &d->fit->rows[r];
    for (size_t c = 0; c < row->n; c++) {
        const tq_column *column = &d->fit->columns[row->column[c]];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_OFFSET) {
            return c;
        }
    }
    return SIZE_MAX;
}

static products products_of(const tq_diagnosis *d, size_t e, size_t r)
{
    const size_t n = d->fit->rows[r].n;
    const size_t tau = n + r, rate = n + d->nv + TQ_EXTRA_RATE,
                 bodies = n + d->nv + TQ_EXTRA_BODIES;
    const size_t ones = find_ones(d, r);
    products p = {entry(d, e, r, tau, tau),       entry(d, e, r, tau, bodies),
                  entry(d, e, r, bodies, bodies), entry(d, e, r, tau, rate),
                  entry(d, e, r, rate, rate),     entry(d, e, r, bodies, rate)};
    if (ones != SIZE_MAX &&
        d->count[e] > 0.0) { /* without the means of all: paths are not closed */
        const double t = entry(d, e, r, tau, ones), b = entry(d, e, r, bodies, ones);
        const double v = entry(d, e, r, rate, ones);
        p.square -= t * t / d->count[e];
        p.with_bodies -= t * b / d->count[e];
        p.bodies -= b * b / d->count[e];
        p.with_rate -= t * v / d->count[e];
        p.rate -= v * v / d->count[e];
        p.bodies_rate -= b * v / d->count[e];
    }
    return p;
}

/* 1: torque follows what the robot's model says of its bodies, or drives as friction wants it; -1:
 * it does the reverse; 0: neither */
static int say_of(const products *p)
{
    const double bodies = p->square * p->bodies > 0.0
                              ? p->with_bodies * p->with_bodies / (p->square * p->bodies)
                              : 0.0;
    const double rate =
        p->square * p->rate > 0.0 ? p->with_rate * p->with_rate / (p->square * p->rate) : 0.0;
    const double way = bodies >= rate ? p->with_bodies : p->with_rate;
    return fmax(bodies, rate) <= alike ? 0 : way < 0.0 ? -1 : 1;
}

/* The power of a row beside that of its bodies, which a path that is not closed takes or gives: of
 * them as the robot's model has them, times a factor. */
static double power_of(const products *p)
{
    return p->with_rate - (p->bodies > 0.0 ? p->with_bodies / p->bodies * p->bodies_rate : 0.0);
}

static bool is_turned(const tq_diagnosis *d, size_t e)
{
    size_t against = 0;
    double power = 0.0, most = 0.0; /* of all motors */
    for (size_t r = 0; r < d->nv; r++) {
        const products p = products_of(d, e, r);
        const int say = say_of(&p);
        if (say > 0) {
            return false;
        }
        against += say < 0;
        power += power_of(&p);
        most += sqrt(fmax(p.square, 0.0) * p.rate);
    }
    return against >= (d->nv > 1 ? (size_t)SAYS : 1) && power < drives * most;
}

bool tq_search_turned(const tq_diagnosis *d, tq_finding *ret)
{
    uint64_t runs = 0;
    size_t n = 0;
    for (size_t e = 0; e < d->n_run; e++) {
        if (is_turned(d, e)) {
            runs |= e < TQ_FINDING_RUNS ? (uint64_t)1 << e : 0;
            n++;
        }
    }
    *ret = (tq_finding){TQ_FINDING_TORQUE_SIGN,   TQ_NONE,      TQ_NONE,
                        n == d->n_run ? 0 : runs, .size = -1.0, .is_gross = true};
    return n == d->n_run || runs != 0;
}
