/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/constrained.c - random constraints for random robots. */
#include "tests/support/constrained.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_KIND = 11 };

static tq_link_frame random_frame(tqt_random *r, uint32_t link)
{
    tq_link_frame frame = {.link = link};
    double q[4], sum = 0.0;
    for (int k = 0; k < 4; k++) {
        q[k] = tqt_random_uniform(r, -1.0, 1.0);
        sum += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) {
        q[k] /= sqrt(sum);
    }
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(frame.pose.r, m, sizeof m);
    for (int k = 0; k < 3; k++) {
        frame.pose.p[k] = tqt_random_uniform(r, -0.5, 0.5);
    }
    return frame;
}

/* a one-dof joint with rows of its own; if there is none, the first joint's rows, and no expression
 * may be used */
static const tq_joint *some_single(tqt_random *r, const tq_model *model)
{
    for (int i = 0; i < 64; i++) {
        const tq_joint *joint = &model->joints[tqt_random_below(r, model->n_joint)];
        if (joint->nv == 1) {
            return joint;
        }
    }
    return NULL;
}

/* a + sin(b q) q' ^ 2 / exp(q), a sum that contains every operator */
static tq_expression some_expression(tqt_random *r, const tq_joint *one, const tq_joint *two,
                                     tq_instruction *code)
{
    const tq_instruction made[] = {
        {.op = TQ_OPERATOR_COORDINATE, .q_index = one->q_index, .v_index = one->v_index},
        {.op = TQ_OPERATOR_NUMBER, .number = tqt_random_uniform(r, 0.5, 2.0)},
        {.op = TQ_OPERATOR_MULTIPLY},
        {.op = TQ_OPERATOR_SIN},
        {.op = TQ_OPERATOR_COORDINATE, .q_index = two->q_index, .v_index = two->v_index},
        {.op = TQ_OPERATOR_COS},
        {.op = TQ_OPERATOR_SUBTRACT},
        {.op = TQ_OPERATOR_NUMBER, .number = 2.0},
        {.op = TQ_OPERATOR_POWER},
        {.op = TQ_OPERATOR_NUMBER, .number = 0.25},
        {.op = TQ_OPERATOR_ADD},
        {.op = TQ_OPERATOR_SQRT},
    };
    memcpy(code, made, sizeof made);
    return (tq_expression){.n = sizeof made / sizeof made[0], .code = code};
}

static void set_numbers(tqt_random *r, const tq_model *model, unsigned kind, uint32_t i,
                        tqt_constrained *ret, tq_constraint *c)
{
    const tq_joint *one = some_single(r, model), *two = some_single(r, model);
    if (one == NULL || two == NULL) {
        *c = (tq_constraint){.kind = TQ_CONSTRAINT_DISTANCE,
                             .a = random_frame(r, 0),
                             .b = random_frame(r, 1),
                             .length = 0.7};
        return;
    }
    if (kind == 8) {
        c->kind = TQ_CONSTRAINT_COUPLING;
        ret->coupling[i][0] = (tq_coupling_term){one->q_index, one->v_index, 1.5};
        ret->coupling[i][1] = (tq_coupling_term){two->q_index, two->v_index, -0.7};
        c->coupling = ret->coupling[i];
        c->n_coupling = 2;
        c->offset = 0.2;
    } else if (kind == 9) {
        c->kind = TQ_CONSTRAINT_PFAFFIAN;
        for (int k = 0; k < 2; k++) {
            ret->pfaffian[i][k] =
                (tq_pfaffian_term){.v_index = k == 0 ? one->v_index : two->v_index,
                                   .expression = some_expression(r, two, one, ret->code[i][k])};
        }
        c->pfaffian = ret->pfaffian[i];
        c->n_pfaffian = 2;
        c->n_equation = 1;
        ret->equals[i] = 0.3;
        c->equals = &ret->equals[i];
    } else {
        c->kind = TQ_CONSTRAINT_EQUATION;
        c->equation = some_expression(r, one, two, ret->code[i][0]);
    }
}

static void set_links(tqt_random *r, const tq_model *model, unsigned kind, tq_constraint *c)
{
    const uint32_t a = tqt_random_below(r, model->n_link);
    const uint32_t b = (a + 1 + tqt_random_below(r, model->n_link - 1)) % model->n_link;
    *c = (tq_constraint){.a = random_frame(r, a), .b = random_frame(r, b)};
    c->length = tqt_random_uniform(r, 0.5, 1.5);
    c->radius = tqt_random_uniform(r, 0.1, 0.3);
    switch (kind) {
    case 0:
        c->kind = TQ_CONSTRAINT_LOOP;
        c->axes = 1u + tqt_random_below(r, 63);
        break;
    case 1:
        c->kind = TQ_CONSTRAINT_DISTANCE;
        break;
    case 2:
        c->kind = TQ_CONSTRAINT_POINT_ON_PLANE;
        break;
    case 3:
        c->kind = TQ_CONSTRAINT_POINT_ON_SPHERE;
        break;
    default:
        c->kind = TQ_CONSTRAINT_ROLLING;
        c->disk = kind == 5;
        c->inside = kind == 7;
        c->surface = kind >= 6 ? 0.8 : 0.0;
        c->slips = tqt_random_below(r, 2) == 0;
        c->no_spin = tqt_random_below(r, 2) == 0;
        break;
    }
}

void tqt_random_constraints(uint64_t seed, const tq_model *model, unsigned first, uint32_t n,
                            tqt_constrained *ret)
{
    tqt_random r = tqt_random_seed(seed);
    tq_error error = {0};
    *ret = (tqt_constrained){.set = {.n_constraint = n}};
    ret->set.items = ret->items;
    for (uint32_t i = 0; i < n; i++) {
        const unsigned kind = (first + i) % N_KIND;
        if (kind >= 8) {
            set_numbers(&r, model, kind, i, ret, &ret->items[i]);
        } else {
            set_links(&r, model, kind, &ret->items[i]);
        }
    }
    if (tq_constraints_finish(model, &ret->set, &error) != TQ_OK) {
        fprintf(stderr, "random constraints: %s of %zu\n", error.what, error.index);
        abort();
    }
}
