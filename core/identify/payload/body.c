/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/body.c - the body of positive density nearest to an estimate. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/feasible/block4.h"
#include "core/identify/feasible/feasible.h"
#include "core/identify/payload/payload_private.h"
#include "core/identify/regression/bodies.h"
#include "core/model/inertia.h"

enum { TEN = TQ_PAYLOAD_TEN };
static const double density = 2000.0;     /* kg/m^3, of a compact payload */
static const double floor_of_body = 1e-6; /* relative to the prior: minimum eigenvalue */
static const double entropy = 1e-5;       /* weight of the prior, relative to the objective */
static const double gap_wanted = 1e-9;
static const double least_objective = 1e-12; /* of the squared torque */

static void ten_of_body(const tq_inertia *body, double ret[TEN])
{
    ret[0] = body->mass;
    for (unsigned k = 0; k < 3; k++) {
        ret[1 + k] = body->mass * body->com[k];
    }
    tq_inertia_about_origin(body, ret + 4);
}

static tq_inertia compact(double mass, const double com[3])
{
    const double radius = tq_exp(tq_log(3.0 * mass / (4.0 * M_PI * density)) / 3.0);
    const double own = 0.4 * mass * radius * radius;
    return (tq_inertia){
        .mass = mass, .com = {com[0], com[1], com[2]}, .about_com = {own, 0, 0, own, 0, own}};
}

/* Columns of the problem in units of the prior P = L X L^T, and its right-hand side, from the
 * Cholesky factor R of the payload's normal matrix: |R p - b|^2. */
static void put_problem(const double *r, const double *right, const tq_block4 l, double *a,
                        double *b)
{
    for (size_t i = 0; i < TEN; i++) { /* R^T b = right */
        double sum = right[i];
        for (size_t k = 0; k < i; k++) {
            sum -= r[k * TEN + i] * b[k];
        }
        b[i] = sum / r[i * TEN + i];
    }
    for (size_t u = 0; u < TEN; u++) {
        double unit[TEN] = {0}, ten[TEN];
        tq_block4 e, half, p;
        unit[u] = 1.0;
        tq_smat4(unit, e);
        tq_mul4(l, e, half);
        tq_mult4(half, l, p);
        tq_ten_of_pseudo(p, ten);
        for (size_t i = 0; i < TEN; i++) {
            a[u * TEN + i] = 0.0;
            for (size_t c = i; c < TEN; c++) {
                a[u * TEN + i] += r[i * TEN + c] * ten[c];
            }
        }
    }
}

/* upper Cholesky factor of a matrix that may be singular: 1e-12 of each diagonal entry is added */
static void factor(double *a)
{
    double most = 0.0;
    for (size_t i = 0; i < TEN; i++) {
        most = fmax(most, a[(TEN + 1) * i]);
    }
    for (size_t i = 0; i < TEN; i++) {
        double d = a[(TEN + 1) * i] + 1e-12 * fmax(a[(TEN + 1) * i], 1e-12 * most);
        for (size_t k = 0; k < i; k++) {
            d -= a[k * TEN + i] * a[k * TEN + i];
        }
        d = sqrt(fmax(d, 1e-15 * (a[(TEN + 1) * i] + 1e-12 * most)));
        a[(TEN + 1) * i] = d;
        for (size_t j = i + 1; j < TEN; j++) {
            for (size_t k = 0; k < i; k++) {
                a[i * TEN + j] -= a[k * TEN + i] * a[k * TEN + j];
            }
            a[i * TEN + j] /= d;
        }
    }
}

static tq_status feasible_body(tq_payload *p, tq_payload_result *ret, tq_error *reterr)
{
    double r[TEN * TEN], right[TEN], b[TEN], a[TEN * TEN], x[TEN], ten[TEN], left = 0.0;
    double com[3], square = 0.0;
    tq_block4 prior, l, inner, half, pseudo;
    for (unsigned k = 0; k < 3; k++) {
        com[k] = isfinite(ret->com[k].value) ? ret->com[k].value : 0.0;
    }
    const tq_inertia ball = compact(ret->mass.value, com);
    ten_of_body(&ball, ten);
    tq_pseudo_of_ten(ten, prior);
    tq_payload_equations(p, r, right, &left);
    factor(r);
    if (!tq_cholesky4(prior, l)) {
        return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "feasible", 0, ret->mass.value);
    }
    put_problem(r, right, l, a, b);
    for (size_t i = 0; i < TEN; i++) {
        square += b[i] * b[i];
    }
    const tq_feasible problem = {.n_body = 1,
                                 .m = TEN,
                                 .a = a,
                                 .b = b,
                                 .floor = floor_of_body,
                                 .entropy = entropy * (left + least_objective * square),
                                 .tolerance = gap_wanted};
    tq_feasible_report report;
    const tq_status status = tq_feasible_solve(&problem, p->memory, x, &report, reterr);
    if (status != TQ_OK) {
        return status;
    }
    tq_smat4(x, inner);
    tq_mul4(l, inner, half);
    tq_mult4(half, l, pseudo);
    tq_ten_of_pseudo(pseudo, ten);
    double derived[TQ_PAYLOAD_DERIVED];
    tq_payload_derive(ten, derived);
    ret->body.mass = derived[0];
    memcpy(ret->body.com, derived + 1, sizeof ret->body.com);
    memcpy(ret->body.about_com, derived + 4, sizeof ret->body.about_com);
    return TQ_OK;
}

/* Replaces the value by that of the body; the interval is cut at the values that a body of positive
 * density can have. */
static void adopt(tq_payload_number *n, double value, double least)
{
    if (isfinite(n->value)) {
        n->value = value;
        n->low = fmin(fmax(n->low, least), value);
        n->high = fmax(n->high, value);
    }
}

tq_status tq_payload_adopt_body(tq_payload *p, tq_payload_result *ret, tq_error *reterr)
{
    static const bool is_moment[6] = {true, false, false, true, false, true};
    double ten[TEN];
    tq_block4 pseudo, l;
    bool whole = true;
    for (size_t i = 0; i < TEN; i++) {
        ten[i] = ret->ten[i].value;
        whole = whole && isfinite(ten[i]);
    }
    ret->is_whole = whole;
    tq_status status = TQ_OK;
    if (whole) {
        tq_pseudo_of_ten(ten, pseudo);
    }
    if (whole && tq_cholesky4(pseudo, l)) {
        double derived[TQ_PAYLOAD_DERIVED];
        tq_payload_derive(ten, derived);
        ret->body.mass = derived[0];
        memcpy(ret->body.com, derived + 1, sizeof ret->body.com);
        memcpy(ret->body.about_com, derived + 4, sizeof ret->body.about_com);
    } else if (ret->from_poses) {
        double com[3];
        for (unsigned k = 0; k < 3; k++) {
            com[k] = isfinite(ret->com[k].value) ? ret->com[k].value : 0.0;
        }
        ret->body = compact(ret->mass.value, com);
    } else {
        status = feasible_body(p, ret, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    adopt(&ret->mass, ret->body.mass, 0.0);
    for (unsigned k = 0; k < 3; k++) {
        adopt(&ret->com[k], ret->body.com[k], -(double)INFINITY);
    }
    for (unsigned k = 0; k < 6; k++) {
        adopt(&ret->inertia[k], ret->body.about_com[k], is_moment[k] ? 0.0 : -(double)INFINITY);
    }
    return TQ_OK;
}
