/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/constraints.c - checks of constraints, and the numbering of their rows. */
#include "core/constraints/constraints.h"

#include <assert.h>
#include <math.h>

static bool has_links(tq_constraint_kind kind)
{
    return kind <= TQ_CONSTRAINT_ROLLING;
}

static const char *check_links(const tq_model *model, const tq_constraint *c)
{
    if (c->a.link >= model->n_link || c->b.link >= model->n_link || c->a.link == c->b.link) {
        return "link";
    }
    switch ((int)c->kind) {
    case TQ_CONSTRAINT_LOOP:
        return c->axes == 0 || c->axes >= 64 ? "axes" : NULL;
    case TQ_CONSTRAINT_DISTANCE:
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
        return c->length > 0.0 && isfinite(c->length) ? NULL : "length";
    case TQ_CONSTRAINT_ROLLING:
        if (!(c->radius > 0.0 && isfinite(c->radius))) {
            return "radius";
        }
        if (!(c->surface >= 0.0 && isfinite(c->surface)) || (c->disk && c->surface > 0.0) ||
            (c->inside && !(c->surface > c->radius))) {
            return "surface";
        }
        return NULL;
    default:
        return NULL;
    }
}

static const char *check_numbers(const tq_model *model, const tq_constraint *c)
{
    for (size_t k = 0; k < c->n_coupling; k++) {
        const tq_coupling_term *term = &c->coupling[k];
        if (term->q_index >= model->nq || term->v_index >= model->nv) {
            return "joint";
        }
    }
    for (size_t k = 0; k < c->n_pfaffian; k++) {
        const tq_pfaffian_term *term = &c->pfaffian[k];
        if (term->v_index >= model->nv || term->row >= c->n_equation) {
            return "joint";
        }
        if (!tq_expression_is_sound(&term->expression, model->nq, model->nv)) {
            return "expression";
        }
    }
    if (c->kind == TQ_CONSTRAINT_EQUATION &&
        !tq_expression_is_sound(&c->equation, model->nq, model->nv)) {
        return "expression";
    }
    return NULL;
}

static uint32_t row_count(const tq_constraint *c)
{
    switch (c->kind) {
    case TQ_CONSTRAINT_LOOP:
        return (uint32_t)__builtin_popcount(c->axes);
    case TQ_CONSTRAINT_ROLLING:
        return (c->slips ? 1u : 3u) + (c->no_spin ? 1u : 0u);
    case TQ_CONSTRAINT_PFAFFIAN:
        return c->n_equation;
    case TQ_CONSTRAINT_DISTANCE:
    case TQ_CONSTRAINT_POINT_ON_PLANE:
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
    case TQ_CONSTRAINT_COUPLING:
    case TQ_CONSTRAINT_EQUATION:
        break;
    }
    return 1;
}

tq_status tq_constraints_finish(const tq_model *model, tq_constraints *constraints,
                                tq_error *reterr)
{
    assert(model != NULL && constraints != NULL);
    if (constraints->n_constraint > TQ_CONSTRAINT_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "constraints", 0, (double)constraints->n_constraint);
    }
    uint32_t n_row = 0;
    for (uint32_t i = 0; i < constraints->n_constraint; i++) {
        tq_constraint *c = &constraints->items[i];
        const char *wrong = has_links(c->kind) ? check_links(model, c) : check_numbers(model, c);
        if (wrong != NULL) {
            return tq_fail(reterr, TQ_ERR_RANGE, wrong, i, 0.0);
        }
        c->first_row = n_row;
        c->n_row = row_count(c);
        n_row += c->n_row;
        if (n_row > TQ_CONSTRAINT_ROW_MAX) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "constraints", i, (double)n_row);
        }
    }
    constraints->n_row = n_row;
    return TQ_OK;
}

bool tq_constraint_is_holonomic(const tq_constraint *constraint, uint32_t r)
{
    if (constraint->kind == TQ_CONSTRAINT_ROLLING) {
        return r == 0;
    }
    return constraint->kind != TQ_CONSTRAINT_PFAFFIAN;
}
