/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/friction.c - friction along a path, and the interval that it may lie in. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/dynamics/terms.h"
#include "core/motion/timing/optimal_private.h"

/* rad/s, m/s: "just moving", for the sign of friction */
static const double creep = 1e-9;
/* of q' at the next node: 0 to rounding */
static const double reversal = 1e-9;

double tq_stretch_slope(const tq_stretch *p, size_t i, size_t k, size_t j)
{
    const double *at = p->slope + (TQ_PATH_PARTS * i + k) * p->n_row + j;
    const double here = *at;
    if (k > 0 && k < TQ_PATH_PARTS) {
        return here;
    }
    const double inner = k == 0 ? at[p->n_row] : at[-(ptrdiff_t)p->n_row];
    return fabs(here) < reversal * fabs(inner) ? reversal * inner : here;
}

/* where friction of either sign is possible: beside a change of the sign of q' */
static void mark_both(tq_stretch *p)
{
    const size_t n = p->n_row;
    memset(p->both, 0, p->n_grid * TQ_PATH_NODES * n);
    for (size_t i = 0; i < p->n_grid; i++) {
        unsigned char *both = p->both + i * TQ_PATH_NODES * n;
        for (size_t k = 0; k < TQ_PATH_PARTS; k++, both += n) {
            for (size_t j = 0; j < p->nv; j++) {
                if (tq_stretch_slope(p, i, k, j) * tq_stretch_slope(p, i, k + 1, j) < 0.0) {
                    both[j] = both[n + j] = 1;
                }
            }
        }
    }
}

typedef struct speed {
    uint32_t row;
    double multiplier; /* of its master, for a mimic joint */
} speed;

static speed speed_of(const tq_model *model, uint32_t j)
{
    const tq_joint *joint = &model->joints[j];
    return (speed){.row = joint->v_index,
                   .multiplier = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0};
}

static int has_friction(const tq_joint *joint)
{
    const tq_friction *f = &joint->friction;
    return (joint->nv == 1 || joint->mimic != TQ_NONE) &&
           (f->viscous != 0.0 || f->coulomb != 0.0 || f->breakaway != 0.0 || f->offset != 0.0);
}

void tq_stretch_friction_at(const tq_stretch *p, const double *slope, double x, double *ret)
{
    const tq_model *model = tq_mechanism_model(p->mechanism);
    const double rate = sqrt(x);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (has_friction(joint)) {
            const speed v = speed_of(model, j);
            const double path_speed = v.multiplier * slope[v.row];
            ret[v.row] +=
                v.multiplier * tq_friction_effort(&joint->friction, path_speed * fmax(rate, creep));
        }
    }
}

/* the begin or the end of the stretch */
static int is_end(const tq_stretch *p, size_t i, size_t k)
{
    return (i == 0 && k == 0) || (i + 1 == p->n_grid && k == TQ_PATH_PARTS);
}

/* friction of one joint at a node: value, slope over x, and the interval that it may lie in */
static void friction_of(tq_stretch *p, const tq_joint *joint, speed v, size_t i, size_t k, double x)
{
    const size_t at = (TQ_PATH_NODES * i + k) * p->n_row + v.row;
    const int is_rest = is_end(p, i, k);
    const double path_speed = v.multiplier * tq_stretch_slope(p, i, k, v.row);
    const double rate = fmax(sqrt(x), creep);
    const double force = v.multiplier * tq_friction_effort(&joint->friction, path_speed * rate);
    p->force[at] += force;
    if (p->is_speed_dependent && rate > creep) {
        p->per[at] += v.multiplier * tq_friction_slope(&joint->friction, path_speed * rate) *
                      path_speed / (2.0 * rate);
    }
    double least = force;
    double most = force;
    if (is_rest || path_speed == 0.0) { /* s(0) = 0 */
        const double rest = v.multiplier * tq_friction_effort(&joint->friction, 0.0);
        least = fmin(force, rest);
        most = fmax(force, rest);
    } else if (p->both[at]) {
        const double other =
            v.multiplier * tq_friction_effort(&joint->friction, -path_speed * rate);
        least = fmin(force, other);
        most = fmax(force, other);
    }
    p->least[at] += least - force;
    p->most[at] += most - force;
}

void tq_stretch_friction(tq_stretch *p, size_t i)
{
    const tq_model *model = tq_mechanism_model(p->mechanism);
    const size_t n = TQ_PATH_NODES * p->n_row;
    memset(p->force + i * n, 0, n * sizeof(double));
    memset(p->least + i * n, 0, n * sizeof(double));
    memset(p->most + i * n, 0, n * sizeof(double));
    memset(p->per + i * n, 0, n * sizeof(double));
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!has_friction(joint)) {
            continue;
        }
        const speed v = speed_of(model, j);
        for (size_t k = 0; k < TQ_PATH_NODES; k++) {
            const double part = (double)k / (double)TQ_PATH_PARTS;
            const double x = p->last[i] + (p->last[i + 1] - p->last[i]) * part;
            friction_of(p, joint, v, i, k, fmax(x, 0.0));
        }
    }
}

/* What a row's friction is for q' above 0, below 0, and 0. */
typedef struct dry_friction {
    double *plus, *minus, *rest; /* (n_row) */
} dry_friction;

static void put_dry(tq_stretch *p, const dry_friction *of, size_t i, size_t k)
{
    const int is_rest = is_end(p, i, k);
    const size_t first = (TQ_PATH_NODES * i + k) * p->n_row;
    for (size_t j = 0; j < p->nv; j++) {
        const size_t at = first + j;
        const double v = tq_stretch_slope(p, i, k, j);
        const double still = of->rest[j];
        const double here = v > 0.0 ? of->plus[j] : v < 0.0 ? of->minus[j] : still;
        const double there = v > 0.0 ? of->minus[j] : of->plus[j];
        const double other = is_rest || v == 0.0 ? still : p->both[at] ? there : here;
        const double apart = other - here;
        p->force[at] = here;
        p->least[at] = apart < 0.0 ? apart : 0.0;
        p->most[at] = apart > 0.0 ? apart : 0.0;
        p->per[at] = 0.0;
    }
    for (size_t j = first + p->nv; j < first + p->n_row; j++) {
        p->force[j] = p->least[j] = p->most[j] = p->per[j] = 0.0;
    }
}

/* friction that depends on the sign of the speed alone */
static void dry(tq_stretch *p)
{
    const tq_model *model = tq_mechanism_model(p->mechanism);
    const size_t n = p->n_row;
    const dry_friction at = {.plus = p->work, .minus = p->work + n, .rest = p->work + 2 * n};
    memset(p->work, 0, 3 * n * sizeof *p->work);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (has_friction(joint)) {
            const speed v = speed_of(model, j);
            const double one = copysign(creep, v.multiplier);
            at.plus[v.row] += v.multiplier * tq_friction_effort(&joint->friction, one);
            at.minus[v.row] += v.multiplier * tq_friction_effort(&joint->friction, -one);
            at.rest[v.row] += v.multiplier * tq_friction_effort(&joint->friction, 0.0);
        }
    }
    for (size_t i = 0; i < p->n_grid; i++) {
        for (size_t k = 0; k < TQ_PATH_NODES; k++) {
            put_dry(p, &at, i, k);
        }
    }
}

void tq_stretch_friction_begin(tq_stretch *p)
{
    mark_both(p);
    if (!p->is_speed_dependent) {
        dry(p);
        return;
    }
    for (size_t i = 0; i < p->n_grid; i++) {
        tq_stretch_friction(p, i);
    }
}
