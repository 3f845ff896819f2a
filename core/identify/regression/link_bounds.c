/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/link_bounds.c - bounds of masses and centres of mass as linear
 * inequalities of ten parameters. */
#include "core/identify/regression/link_bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/regressor/regressor.h"

enum { TEN = TQ_PARAMETERS_OF_LINK };
static const double width_least = 1e-6; /* of a mass; m */
static const double margin = 0.1;       /* of a range, of a mass, of a body's radius of gyration */
static const double close_to = 1e-9;    /* of a mass; m */

static const double *range_of(const tq_link_bounds *b, unsigned of)
{
    return of == 0 ? b->mass : b->com[of - 1];
}

static bool is_moved(const tq_model *model, uint32_t link)
{
    return link < model->n_link && model->links[link].joint != TQ_NONE &&
           model->joints[model->links[link].joint].kind != TQ_JOINT_FIXED;
}

tq_status tq_link_bounds_check(const tq_model *model, const tq_link_bounds *bounds, size_t n,
                               tq_error *reterr)
{
    for (size_t k = 0; k < n; k++) {
        bool good = is_moved(model, bounds[k].link) && bounds[k].mass[1] > bounds[k].with[0] &&
                    bounds[k].mass[0] < (double)INFINITY &&
                    tq_link_bounds_find(bounds, k, bounds[k].link) == NULL;
        for (unsigned of = 0; of < TQ_LINK_BOUNDED; of++) {
            const double *range = range_of(&bounds[k], of);
            good = good && range[0] <= range[1];
        }
        if (!good) {
            return tq_fail(reterr, TQ_ERR_RANGE, "bounds", k, (double)bounds[k].link);
        }
    }
    return TQ_OK;
}

static void widen(double range[2], double least)
{
    if (range[1] - range[0] < least) {
        const double middle = 0.5 * (range[0] + range[1]);
        range[0] = middle - 0.5 * least;
        range[1] = middle + 0.5 * least;
    }
}

tq_link_bounds tq_link_bounds_widened(const tq_link_bounds *bounds)
{
    tq_link_bounds ret = *bounds;
    if (!(ret.mass[0] > ret.with[0])) { /* every body's is */
        ret.mass[0] = -(double)INFINITY;
    }
    widen(ret.mass, width_least * ret.mass[1]);
    for (unsigned k = 0; k < 3; k++) {
        widen(ret.com[k], width_least);
    }
    return ret;
}

const tq_link_bounds *tq_link_bounds_find(const tq_link_bounds *bounds, size_t n, uint32_t link)
{
    for (size_t k = 0; k < n; k++) {
        if (bounds[k].link == link) {
            return &bounds[k];
        }
    }
    return NULL;
}

/* x, or the nearest value a margin inside the range */
static double inside(const double range[2], double size, double x)
{
    const bool has_both = isfinite(range[0]) && isfinite(range[1]);
    const double off = margin * (has_both ? range[1] - range[0] : size);
    return fmax(fmin(x, range[1] - off), range[0] + off);
}

void tq_link_bounds_enter(const tq_link_bounds *b, double p[16])
{
    const double mass = p[15];
    const double range[2] = {b->mass[0] - b->with[0], b->mass[1] - b->with[0]}; /* of the link */
    const double end = isfinite(range[0]) ? range[0] : range[1];
    const double to_mass = inside(range, end, mass);
    bool same = to_mass == mass;
    double com[3];
    double to[3];
    double square = 0.0; /* of the radius of gyration */
    for (unsigned i = 0; i < 3; i++) {
        com[i] = p[4 * i + 3] / mass;
        square += (p[5 * i] / mass - com[i] * com[i]) / 3.0;
    }
    for (unsigned i = 0; i < 3; i++) {
        const double whole = to_mass + b->with[0];
        const double centre = (to_mass * com[i] + b->with[1 + i]) / whole;
        const double wanted = inside(b->com[i], sqrt(square), centre);
        to[i] = wanted == centre ? com[i] : (whole * wanted - b->with[1 + i]) / to_mass;
        same = same && to[i] == com[i];
    }
    if (same) {
        return;
    }
    /* S = m (C + c c^T): C, of the unit mass about its centre, stays */
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            p[4 * i + j] = to_mass * (p[4 * i + j] / mass - com[i] * com[j] + to[i] * to[j]);
        }
        p[4 * i + 3] = p[12 + i] = to_mass * to[i];
    }
    p[15] = to_mass;
}

/* An end as row . (m, h) + offset >= 0; false: there is none. */
static bool end_of(const tq_link_bounds *b, uint32_t end, double row[TQ_LINK_BOUNDED],
                   double *offset)
{
    const unsigned of = end / 2;
    const double sign = end % 2 == 0 ? 1.0 : -1.0;
    const double at = range_of(b, of)[end % 2];
    if (!isfinite(at)) {
        return false;
    }
    memset(row, 0, TQ_LINK_BOUNDED * sizeof *row);
    row[0] = of == 0 ? 0.0 : -sign * at;
    row[of] = sign;
    *offset = sign * b->with[of] - sign * at * (of == 0 ? 1.0 : b->with[0]);
    return true;
}

size_t tq_link_bounds_describe(const tq_link_bounds *b, size_t body, const double *unit,
                               tq_feasible_bound *ret_bound, uint32_t *ret_end)
{
    size_t n = 0;
    for (uint32_t end = 0; end < TQ_LINK_ENDS; end++) {
        double row[TQ_LINK_BOUNDED];
        tq_feasible_bound *bound = &ret_bound[n];
        double offset = 0.0;
        if (!end_of(b, end, row, &offset)) {
            continue;
        }
        *bound = (tq_feasible_bound){.body = body, .offset = offset};
        for (unsigned u = 0; u < TEN; u++) {
            for (unsigned c = 0; c < TQ_LINK_BOUNDED; c++) {
                bound->row[u] += row[c] * unit[TEN * u + c];
            }
        }
        ret_end[n++] = end;
    }
    return n;
}

/* kg or kg m within the end; infinite: there is none */
static double slack_of(const tq_link_bounds *b, uint32_t end, const double *ten)
{
    double row[TQ_LINK_BOUNDED];
    double sum = 0.0;
    if (!end_of(b, end, row, &sum)) {
        return (double)INFINITY;
    }
    for (unsigned c = 0; c < TQ_LINK_BOUNDED; c++) {
        sum += row[c] * ten[c];
    }
    return sum;
}

static bool is_beyond(const tq_link_bounds *b, uint32_t end, const double *ten)
{
    return slack_of(b, end, ten) < -close_to * fabs(ten[0] + b->with[0]);
}

bool tq_link_bounds_hold(const tq_link_bounds *b, const double *ten)
{
    for (uint32_t end = 0; end < TQ_LINK_ENDS; end++) {
        if (is_beyond(b, end, ten)) {
            return false;
        }
    }
    return true;
}

/* Slack and multiplier in units of the body and of the objective: of a pair whose product tends to
 * 0 the smaller one is the one that is 0. */
static bool is_reached(double slack, double multiplier, const double *ten, double objective,
                       bool is_mass)
{
    const double second = (ten[4] + ten[7] + ten[9]) / (2.0 * ten[0]);
    const double size = ten[0] * (is_mass ? 1.0 : sqrt(fmax(second, 0.0)));
    return slack / size < multiplier * size / fmax(objective, DBL_MIN);
}

static double value_of(const tq_link_bounds *b, const double *ten, unsigned of)
{
    const double mass = ten[0] + b->with[0];
    return of == 0 ? mass : (ten[of] + b->with[of]) / mass;
}

/* At the optimum of a quadratic objective J over linear bounds g >= 0 with multipliers z, J less
 * its minimum is half the sum of z (-g at the minimum): that is each bound's share. */
size_t tq_link_bounds_active(const tq_link_bounds *b, const double *with, const double *without,
                             const double *multiplier, double objective, tq_active_bound *ret)
{
    size_t n = 0;
    for (uint32_t end = 0; end < TQ_LINK_ENDS; end++) {
        const unsigned of = end / 2;
        const double slack = slack_of(b, end, with);
        if (isinf(slack) || !(is_beyond(b, end, without) ||
                              is_reached(slack, multiplier[end], with, objective, of == 0))) {
            continue;
        }
        ret[n++] =
            (tq_active_bound){.link = b->link,
                              .of = of,
                              .is_most = end % 2 == 1,
                              .end = range_of(b, of)[end % 2],
                              .value = value_of(b, with, of),
                              .without = value_of(b, without, of),
                              .share = fmax(-multiplier[end] * slack_of(b, end, without), 0.0)};
    }
    return n;
}
