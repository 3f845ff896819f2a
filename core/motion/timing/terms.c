/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/timing/terms.c - derivatives of a path and the terms of its torque, at the nodes. */
#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/terms.h"
#include "core/elementary/elementary.h"
#include "core/motion/timing/optimal_private.h"

static const double pi = 3.14159265358979323846;
/* rad/s, m/s: "just moving", for the sign of friction */
static const double creep = 1e-9;

/* Grid points closer towards both ends, where sdot is 0: about equal in time. Each knot takes the
 * place of the grid point nearest to it. */
static void place_grid(tq_stretch *p, const tq_geometric_path *path, double begin, double end)
{
    const size_t n = p->n_grid;
    for (size_t i = 0; i <= n; i++) {
        const double part = 0.5 * (1.0 - tq_cos(pi * (double)i / (double)n));
        p->grid[i] = begin + (end - begin) * part;
    }
    p->grid[n] = end;
    size_t i = 1;
    size_t taken = 0;
    for (size_t k = 0; k < path->n_knot; k++) {
        const double s = path->knot[k];
        while (i + 1 < n && fabs(p->grid[i + 1] - s) < fabs(p->grid[i] - s)) {
            i++;
        }
        if (s > begin && s < end && i < n && i != taken && s > p->grid[i - 1] &&
            s < p->grid[i + 1]) {
            p->grid[i] = s;
            taken = i;
        }
    }
}

double tq_stretch_s(const tq_stretch *p, size_t node)
{
    const size_t i = node / TQ_PATH_PARTS;
    const size_t k = node % TQ_PATH_PARTS;
    return k == 0 ? p->grid[i]
                  : p->grid[i] + (p->grid[i + 1] - p->grid[i]) * (double)k / TQ_PATH_PARTS;
}

/* q, q' and q'' of a block of nodes, into both layouts */
static void derivatives(tq_stretch *p, const tq_geometric_path *path, size_t first, size_t n,
                        double *q, double *slope, double *bend, double *row)
{
    const size_t nv = p->nv;
    const size_t stride = TQ_BLOCK_STRIDE;
    for (size_t m = 0; m < n; m++) {
        double s = tq_stretch_s(p, first + m);
        if (first + m + 1 == p->n_node) { /* a kink: the derivatives of this side */
            s = nextafter(s, -(double)INFINITY);
        }
        double *q1 = p->slope + (first + m) * p->n_row;
        double *q2 = p->bend + (first + m) * p->n_row;
        tq_reference_at(path->reference, s, row, q1, q2);
        for (size_t j = 0; j < nv; j++) {
            q[j * stride + m] = row[j];
            slope[j * stride + m] = q1[j];
            bend[j * stride + m] = q2[j];
        }
    }
    tq_block_pad(q, nv, stride, n);
    tq_block_pad(slope, nv, stride, n);
    tq_block_pad(bend, nv, stride, n);
}

static void put_rows(const tq_stretch *p, size_t first, size_t n, const double *block, double *ret)
{
    p->kernels->transpose((long)p->nv, (long)n, block, TQ_BLOCK_STRIDE, ret + first * p->n_row,
                          (long)p->n_row);
}

/* rows beyond the joints, as tq_path_interval has them */
static void pad(tq_stretch *p)
{
    for (size_t m = 0; m < p->n_node; m++) {
        for (size_t j = m * p->n_row + p->nv; j < (m + 1) * p->n_row; j++) {
            p->slope[j] = p->a[j] = 1.0;
            p->bend[j] = p->b[j] = p->c[j] = 0.0;
            p->force[j] = p->least[j] = p->most[j] = p->per[j] = 0.0;
        }
    }
}

tq_path_interval tq_stretch_interval(const tq_stretch *p, size_t i)
{
    const size_t at = TQ_PATH_PARTS * i * p->n_row;
    return (tq_path_interval){.n_row = (long)p->n_row,
                              .step = p->grid[i + 1] - p->grid[i],
                              .slope = p->slope + at,
                              .bend = p->bend + at,
                              .a = p->a + at,
                              .b = p->b + at,
                              .c = p->c + at,
                              .force = p->force + at,
                              .least = p->least + at,
                              .most = p->most + at,
                              .per = p->per + at,
                              .velocity = p->velocity,
                              .acceleration = p->has_acceleration ? p->acceleration : NULL,
                              .effort = p->has_effort ? p->effort : NULL,
                              .margin = p->margin + i * TQ_MARGINS * p->n_row,
                              .last = {p->last[i], p->last[i + 1]},
                              .x = {p->x[i], p->x[i + 1]},
                              .u = p->u[i]};
}

/* a = M q', b = M q'' + C(q, q') q', c = tau at rest */
static tq_status torque_terms(tq_stretch *p, size_t first, tq_inverse_input *in,
                              const double *slope, const double *bend, double *tau,
                              tq_scratch *scratch, tq_error *reterr)
{
    const unsigned bare = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_GRAVITY;
    in->without = TQ_WITHOUT_FRICTION;
    tq_status status = tq_inverse_dynamics(p->mechanism, in, scratch, tau, reterr);
    if (status == TQ_OK) {
        put_rows(p, first, in->n_sample, tau, p->c);
        in->without = bare;
        in->qdd = slope;
        status = tq_inverse_dynamics(p->mechanism, in, scratch, tau, reterr);
    }
    if (status == TQ_OK) {
        put_rows(p, first, in->n_sample, tau, p->a);
        in->qd = slope;
        in->qdd = bend;
        status = tq_inverse_dynamics(p->mechanism, in, scratch, tau, reterr);
    }
    if (status == TQ_OK) {
        put_rows(p, first, in->n_sample, tau, p->b);
    }
    return status;
}

size_t tq_stretch_terms_scratch_size(const tq_mechanism *mechanism)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    return 4 * tq_scratch_cost(nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(double)) + tq_inverse_scratch_size(mechanism, 0);
}

/* where friction of either sign is possible: at rest, and where q' is 0 or changes its sign */
static void mark_both(tq_stretch *p)
{
    const size_t n = p->n_row;
    memset(p->both, 0, p->n_node * n);
    for (size_t m = 0; m < p->n_node; m++) {
        for (size_t j = 0; j < p->nv; j++) {
            const double here = p->slope[m * n + j];
            const double next = m + 1 < p->n_node ? p->slope[(m + 1) * n + j] : here;
            if (here * next < 0.0) {
                p->both[m * n + j] = p->both[(m + 1) * n + j] = 1;
            }
        }
    }
}

tq_status tq_stretch_terms(tq_stretch *p, const tq_geometric_path *path, double begin, double end,
                           tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t block = p->nv * TQ_BLOCK_STRIDE;
    double *q = tq_scratch_take(scratch, block, sizeof *q);
    double *slope = tq_scratch_take(scratch, block, sizeof *slope);
    double *bend = tq_scratch_take(scratch, block, sizeof *bend);
    double *tau = tq_scratch_take(scratch, block, sizeof *tau);
    double *row = tq_scratch_take(scratch, p->nv, sizeof *row);
    if (q == NULL || slope == NULL || bend == NULL || tau == NULL || row == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    place_grid(p, path, begin, end);
    pad(p);
    tq_status status = TQ_OK;
    for (size_t first = 0; status == TQ_OK && first < p->n_node; first += TQ_BLOCK) {
        const size_t left = p->n_node - first;
        tq_inverse_input in = {
            .n_sample = left < TQ_BLOCK ? left : TQ_BLOCK, .stride = TQ_BLOCK_STRIDE, .q = q};
        derivatives(p, path, first, in.n_sample, q, slope, bend, row);
        status = tq_scratch_work(scratch, 1000.0 * (double)(in.n_sample * p->nv), reterr);
        if (status == TQ_OK && p->has_effort) {
            status = torque_terms(p, first, &in, slope, bend, tau, scratch, reterr);
        }
    }
    if (status == TQ_OK && p->has_effort) {
        mark_both(p);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Friction
 */

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

/* friction of one joint at a node: value, slope over x, and the interval that it may lie in */
static void friction_of(tq_stretch *p, const tq_joint *joint, speed v, size_t m, int is_rest,
                        double x)
{
    const size_t at = m * p->n_row + v.row;
    const double path_speed = v.multiplier * p->slope[at];
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
    const size_t first = TQ_PATH_PARTS * i;
    const size_t n = TQ_PATH_NODES * p->n_row;
    memset(p->force + first * p->n_row, 0, n * sizeof(double));
    memset(p->least + first * p->n_row, 0, n * sizeof(double));
    memset(p->most + first * p->n_row, 0, n * sizeof(double));
    memset(p->per + first * p->n_row, 0, n * sizeof(double));
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!has_friction(joint)) {
            continue;
        }
        const speed v = speed_of(model, j);
        for (size_t k = 0; k < TQ_PATH_NODES; k++) {
            const size_t m = first + k;
            const double part = (double)k / TQ_PATH_PARTS;
            const double x = p->last[i] + (p->last[i + 1] - p->last[i]) * part;
            friction_of(p, joint, v, m, m == 0 || m + 1 == p->n_node, fmax(x, 0.0));
        }
    }
}
