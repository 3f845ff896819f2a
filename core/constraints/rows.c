/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/rows.c - rows of constraints at one state, with rates and residuals. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/constraints/constraints.h"
#include "core/spatial/screw.h"

/* a vector and its time derivative, in world axes */
typedef struct moving {
    double x[3], rate[3];
} moving;

typedef struct writer {
    const tq_constraint_rows *to;
    const tq_configuration *posture;
    const double *q, *qd;
    size_t nv;
    uint32_t row; /* the next one */
    /* twist of b relative to a at the world origin, and its rate: (6 x nv) */
    double *twist, *twist_rate;
    double *unit; /* (nv) a unit direction of velocities, zero between uses */
} writer;

size_t tq_constraint_rows_scratch_size(const tq_model *model)
{
    return 4 * tq_scratch_cost(6 * (size_t)model->nv, sizeof(double)) +
           tq_scratch_cost(model->nv, sizeof(double));
}

static double *row_of(double *rows, const writer *w)
{
    return rows != NULL ? rows + (size_t)w->row * w->nv : NULL;
}

static void put_position(const writer *w, double h)
{
    if (w->to->position != NULL) {
        w->to->position[w->row] = h;
    }
}

/* velocity residual A qd - equals; advances to the next row */
static void finish_row(writer *w, double equals)
{
    if (w->to->velocity != NULL) {
        double sum = -equals;
        const double *a = row_of(w->to->a, w);
        for (size_t c = 0; w->qd != NULL && c < w->nv; c++) {
            sum += a[c] * w->qd[c];
        }
        w->to->velocity[w->row] = sum;
    }
    w->row++;
}

/* ------------------------------------------------------------------------------------------------
 * Geometry
 */

static void angular_velocity(const writer *w, uint32_t link, double ret[3])
{
    memcpy(ret, w->posture->twist + 6 * (size_t)link + 3, 3 * sizeof(double));
}

/* a point of a link */
static moving point_of(const writer *w, const tq_link_frame *frame)
{
    moving ret;
    const tq_pose *pose = &w->posture->pose[frame->link];
    const double *twist = w->posture->twist + 6 * (size_t)frame->link;
    double turning[3];
    tq_mat_vec(pose->r, frame->pose.p, ret.x);
    for (unsigned k = 0; k < 3; k++) {
        ret.x[k] += pose->p[k];
    }
    tq_vec_cross(twist + 3, ret.x, turning);
    for (unsigned k = 0; k < 3; k++) {
        ret.rate[k] = twist[k] + turning[k];
    }
    return ret;
}

/* axis k of a frame of a link */
static moving axis_of(const writer *w, const tq_link_frame *frame, unsigned k)
{
    moving ret;
    const double column[3] = {frame->pose.r[k], frame->pose.r[3 + k], frame->pose.r[6 + k]};
    double omega[3];
    tq_mat_vec(w->posture->pose[frame->link].r, column, ret.x);
    angular_velocity(w, frame->link, omega);
    tq_vec_cross(omega, ret.x, ret.rate);
    return ret;
}

static moving minus(const moving *a, const moving *b)
{
    moving ret;
    for (unsigned k = 0; k < 3; k++) {
        ret.x[k] = a->x[k] - b->x[k];
        ret.rate[k] = a->rate[k] - b->rate[k];
    }
    return ret;
}

/* a + s b */
static moving along(const moving *a, double s, const moving *b)
{
    moving ret;
    for (unsigned k = 0; k < 3; k++) {
        ret.x[k] = a->x[k] + s * b->x[k];
        ret.rate[k] = a->rate[k] + s * b->rate[k];
    }
    return ret;
}

static moving cross(const moving *a, const moving *b)
{
    moving ret;
    double more[3];
    tq_vec_cross(a->x, b->x, ret.x);
    tq_vec_cross(a->rate, b->x, ret.rate);
    tq_vec_cross(a->x, b->rate, more);
    for (unsigned k = 0; k < 3; k++) {
        ret.rate[k] += more[k];
    }
    return ret;
}

/* a / |a|, and |a| */
static moving direction(const moving *a, double *ret_length)
{
    moving ret;
    const double length = sqrt(tq_dot3(a->x, a->x));
    const double growth = tq_dot3(a->x, a->rate) / (length * length);
    for (unsigned k = 0; k < 3; k++) {
        ret.x[k] = a->x[k] / length;
        ret.rate[k] = (a->rate[k] - growth * a->x[k]) / length;
    }
    *ret_length = length;
    return ret;
}

/* component of a normal to the unit vector n: a - (a . n) n */
static moving across(const moving *a, const moving *n)
{
    const double part = tq_dot3(a->x, n->x);
    const double growth = tq_dot3(a->rate, n->x) + tq_dot3(a->x, n->rate);
    moving ret = along(a, -part, n);
    for (unsigned k = 0; k < 3; k++) {
        ret.rate[k] -= growth * n->x[k];
    }
    return ret;
}

/* relative twist: b's minus a's */
static void relate(writer *w, const tq_constraint *c)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const size_t n = 6 * w->nv;
    double *other = w->twist_rate + n;
    tq_configuration_jacobian(w->posture, c->b.link, origin, TQ_JACOBIAN_WORLD, w->twist,
                              w->twist_rate);
    tq_configuration_jacobian(w->posture, c->a.link, origin, TQ_JACOBIAN_WORLD, other, other + n);
    for (size_t k = 0; k < n; k++) {
        w->twist[k] -= other[k];
        w->twist_rate[k] -= other[n + k];
    }
}

/* row: velocity of b's point at `at` along e, relative to a */
static void put_point(writer *w, const moving *e, const moving *at, double h)
{
    const size_t nv = w->nv;
    double *a = row_of(w->to->a, w);
    double *rate = row_of(w->to->rate, w);
    /* e . (v + omega x p) = e . v + (p x e) . omega */
    const moving arm = cross(at, e);
    for (size_t c = 0; c < nv; c++) {
        double sum = 0.0, growth = 0.0;
        for (unsigned k = 0; k < 3; k++) {
            const double v = w->twist[k * nv + c], omega = w->twist[(3 + k) * nv + c];
            sum += e->x[k] * v + arm.x[k] * omega;
            growth += e->rate[k] * v + arm.rate[k] * omega + e->x[k] * w->twist_rate[k * nv + c] +
                      arm.x[k] * w->twist_rate[(3 + k) * nv + c];
        }
        a[c] = sum;
        if (rate != NULL) {
            rate[c] = growth;
        }
    }
    put_position(w, h);
    finish_row(w, 0.0);
}

/* row: angular velocity of b along e, relative to a */
static void put_turn(writer *w, const moving *e, double h)
{
    const size_t nv = w->nv;
    double *a = row_of(w->to->a, w);
    double *rate = row_of(w->to->rate, w);
    for (size_t c = 0; c < nv; c++) {
        double sum = 0.0, growth = 0.0;
        for (unsigned k = 0; k < 3; k++) {
            sum += e->x[k] * w->twist[(3 + k) * nv + c];
            growth +=
                e->rate[k] * w->twist[(3 + k) * nv + c] + e->x[k] * w->twist_rate[(3 + k) * nv + c];
        }
        a[c] = sum;
        if (rate != NULL) {
            rate[c] = growth;
        }
    }
    put_position(w, h);
    finish_row(w, 0.0);
}

/* ------------------------------------------------------------------------------------------------
 * Kinds
 */

static void put_loop(writer *w, const tq_constraint *c, unsigned axes)
{
    const moving p = point_of(w, &c->b), o = point_of(w, &c->a);
    const moving d = minus(&p, &o);
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> k & 1u) != 0) {
            const moving e = axis_of(w, &c->a, k);
            put_point(w, &e, &p, tq_dot3(e.x, d.x));
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> (3 + k) & 1u) != 0) {
            /* a's axis k + 1 stays normal to b's axis k + 2; a rotation about k would violate it */
            const moving fixed = axis_of(w, &c->a, (k + 1) % 3);
            const moving seen = axis_of(w, &c->b, (k + 2) % 3);
            const moving e = cross(&fixed, &seen);
            put_turn(w, &e, -tq_dot3(fixed.x, seen.x));
        }
    }
}

/* h = (|d|^2 - l^2) / (2 l): smooth everywhere, |d| - l to first order */
static void put_distance(writer *w, const tq_constraint *c)
{
    const moving p = point_of(w, &c->b), o = point_of(w, &c->a);
    moving d = minus(&p, &o);
    const double l = c->length;
    const double h = (tq_dot3(d.x, d.x) - l * l) / (2.0 * l);
    for (unsigned k = 0; k < 3; k++) {
        d.x[k] /= l;
        d.rate[k] /= l;
    }
    put_point(w, &d, &p, h);
}

/* Contact of a rolling body: outward normal of the surface, contact point, gap. */
static bool find_contact(const writer *w, const tq_constraint *c, moving *n, moving *at,
                         double *ret_gap)
{
    static const double least = 1e-9; /* of the radius: below it the normal is undefined */
    const moving center = point_of(w, &c->b), o = point_of(w, &c->a);
    const moving away = minus(&center, &o);
    double length = 0.0;
    if (c->surface > 0.0) {
        const double side = c->inside ? -1.0 : 1.0;
        *n = direction(&away, &length);
        *at = along(&center, -side * c->radius, n);
        *ret_gap = length - (c->surface + side * c->radius);
        return length > least * c->surface;
    }
    *n = axis_of(w, &c->a, 2);
    if (!c->disk) {
        *at = along(&center, -c->radius, n);
        *ret_gap = tq_dot3(n->x, away.x) - c->radius;
        return true;
    }
    const moving axis = axis_of(w, &c->b, 2);
    const moving up = across(n, &axis); /* in the plane of the disk; short if it lies flat */
    const moving steepest = direction(&up, &length);
    *at = along(&center, -c->radius, &steepest);
    *ret_gap = tq_dot3(n->x, away.x) - c->radius * length;
    return length > least;
}

/* Two tangents of the surface: a's axes on a plane; on a sphere from the axis of a that is farthest
 * from the normal. */
static void find_tangents(const writer *w, const tq_constraint *c, const moving *n, moving ret[2])
{
    if (c->surface == 0.0) {
        ret[0] = axis_of(w, &c->a, 0);
        ret[1] = axis_of(w, &c->a, 1);
        return;
    }
    moving best = axis_of(w, &c->a, 0);
    for (unsigned k = 1; k < 3; k++) {
        const moving other = axis_of(w, &c->a, k);
        if (fabs(tq_dot3(other.x, n->x)) < fabs(tq_dot3(best.x, n->x))) {
            best = other;
        }
    }
    double length = 0.0;
    const moving flat = across(&best, n);
    ret[0] = direction(&flat, &length);
    ret[1] = cross(n, &ret[0]);
}

static bool put_rolling(writer *w, const tq_constraint *c)
{
    moving n, at, tangent[2];
    double gap = 0.0;
    if (!find_contact(w, c, &n, &at, &gap)) {
        return false;
    }
    put_point(w, &n, &at, gap);
    if (!c->slips) {
        find_tangents(w, c, &n, tangent);
        put_point(w, &tangent[0], &at, 0.0);
        put_point(w, &tangent[1], &at, 0.0);
    }
    if (c->no_spin) {
        put_turn(w, &n, 0.0);
    }
    return true;
}

static void put_coupling(writer *w, const tq_constraint *c)
{
    double *a = row_of(w->to->a, w);
    double *rate = row_of(w->to->rate, w);
    double h = -c->offset;
    memset(a, 0, w->nv * sizeof *a);
    if (rate != NULL) {
        memset(rate, 0, w->nv * sizeof *rate);
    }
    for (size_t k = 0; k < c->n_coupling; k++) {
        const tq_coupling_term *term = &c->coupling[k];
        h += term->factor * w->q[term->q_index];
        a[term->v_index] += term->factor;
    }
    put_position(w, h);
    finish_row(w, 0.0);
}

static void put_pfaffian(writer *w, const tq_constraint *c)
{
    for (uint32_t r = 0; r < c->n_equation; r++) {
        double *a = row_of(w->to->a, w);
        double *rate = row_of(w->to->rate, w);
        memset(a, 0, w->nv * sizeof *a);
        if (rate != NULL) {
            memset(rate, 0, w->nv * sizeof *rate);
        }
        for (size_t k = 0; k < c->n_pfaffian; k++) {
            const tq_pfaffian_term *term = &c->pfaffian[k];
            if (term->row != r) {
                continue;
            }
            const tq_jet jet = tq_expression_at(&term->expression, w->q, w->qd, NULL);
            a[term->v_index] += jet.value;
            if (rate != NULL) {
                rate[term->v_index] += jet.u;
            }
        }
        put_position(w, 0.0);
        finish_row(w, c->equals[r]);
    }
}

/* whether the expression contains a coordinate with rate row v */
static bool depends_on(const tq_expression *expression, size_t v)
{
    for (size_t i = 0; i < expression->n; i++) {
        const tq_instruction *at = &expression->code[i];
        if (at->op == TQ_OPERATOR_COORDINATE && at->v_index == v) {
            return true;
        }
    }
    return false;
}

static void put_equation(writer *w, const tq_constraint *c)
{
    double *a = row_of(w->to->a, w);
    double *rate = row_of(w->to->rate, w);
    for (size_t v = 0; v < w->nv; v++) {
        tq_jet jet = {0};
        if (depends_on(&c->equation, v)) {
            w->unit[v] = 1.0;
            jet = tq_expression_at(&c->equation, w->q, w->qd, w->unit);
            w->unit[v] = 0.0;
        }
        a[v] = jet.v;
        if (rate != NULL) {
            rate[v] = jet.uv;
        }
    }
    put_position(w, tq_expression_at(&c->equation, w->q, NULL, NULL).value);
    finish_row(w, 0.0);
}

static bool put_constraint(writer *w, const tq_constraint *c)
{
    if (c->kind <= TQ_CONSTRAINT_ROLLING) {
        relate(w, c);
    }
    switch (c->kind) {
    case TQ_CONSTRAINT_LOOP:
        put_loop(w, c, c->axes);
        return true;
    case TQ_CONSTRAINT_POINT_ON_PLANE:
        put_loop(w, c, 1u << 2);
        return true;
    case TQ_CONSTRAINT_DISTANCE:
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
        put_distance(w, c);
        return true;
    case TQ_CONSTRAINT_ROLLING:
        return put_rolling(w, c);
    case TQ_CONSTRAINT_COUPLING:
        put_coupling(w, c);
        return true;
    case TQ_CONSTRAINT_PFAFFIAN:
        put_pfaffian(w, c);
        return true;
    case TQ_CONSTRAINT_EQUATION:
        put_equation(w, c);
        return true;
    }
    return true;
}

/* expressions may be undefined here */
static bool is_finite(const writer *w, const tq_constraint *c)
{
    for (uint32_t r = c->first_row; r < c->first_row + c->n_row; r++) {
        bool finite = w->to->position == NULL || isfinite(w->to->position[r]);
        for (size_t k = 0; k < w->nv; k++) {
            finite = finite && isfinite(w->to->a[r * w->nv + k]) &&
                     (w->to->rate == NULL || isfinite(w->to->rate[r * w->nv + k]));
        }
        if (!finite) {
            return false;
        }
    }
    return true;
}

tq_status tq_constraint_rows_compute(const tq_constraints *constraints,
                                     const tq_configuration *posture, const double *q,
                                     const double *qd, tq_scratch *scratch,
                                     const tq_constraint_rows *ret, tq_error *reterr)
{
    assert(ret->a != NULL);
    const size_t nv = posture->model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *twist = tq_scratch_take(scratch, 24 * nv, sizeof *twist);
    double *unit = tq_scratch_take(scratch, nv, sizeof *unit);
    if (twist == NULL || unit == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_constraint_rows_scratch_size(posture->model));
    }
    memset(unit, 0, nv * sizeof *unit);
    writer w = {.to = ret,
                .posture = posture,
                .q = q,
                .qd = qd,
                .nv = nv,
                .twist = twist,
                .twist_rate = twist + 6 * nv,
                .unit = unit};
    tq_status status = TQ_OK;
    for (uint32_t i = 0; i < constraints->n_constraint && status == TQ_OK; i++) {
        const tq_constraint *c = &constraints->items[i];
        assert(w.row == c->first_row);
        if (!put_constraint(&w, c) || !is_finite(&w, c)) {
            status = tq_fail(reterr, TQ_ERR_SINGULAR, "constraint", i, 0.0);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
