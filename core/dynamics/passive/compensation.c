/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/compensation.c - forces that carry a share of the weight of links. */
#include "core/dynamics/passive/compensation.h"

#include <string.h>

#include "core/dynamics/derivatives/carries.h"
#include "core/dynamics/regressor/regressor.h"
#include "core/model/layout.h"
#include "core/spatial/screw.h"

/* ------------------------------------------------------------------------------------------------
 * As external wrenches
 */

double tq_compensated_mass(const tq_model *model)
{
    double sum = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        sum += model->links[l].carried_mass;
    }
    return sum;
}

void tq_compensation_wrench(const tq_model *model, uint32_t link, const double gravity[3],
                            double ret_wrench[6])
{
    for (unsigned k = 0; k < 3; k++) {
        ret_wrench[k] = -model->links[link].carried_mass * gravity[k];
        ret_wrench[3 + k] = 0.0;
    }
}

size_t tq_loads_scratch_size(const tq_mechanism *mechanism, size_t n_wrench)
{
    const size_t n = mechanism->n_compensated;
    return n == 0 ? 0
                  : tq_scratch_cost(n + n_wrench, sizeof(tq_external_wrench)) +
                        tq_scratch_cost(n, 6 * sizeof(double));
}

bool tq_loads_take(const tq_mechanism *mechanism, const double *gravity, tq_scratch *scratch,
                   tq_loads *loads)
{
    const tq_model *model = &mechanism->model;
    const double *g = gravity != NULL ? gravity : model->gravity;
    const tq_loads given = *loads;
    const size_t n = given.n + mechanism->n_compensated;
    tq_external_wrench *list = tq_scratch_take(scratch, n, sizeof *list);
    double *values = tq_scratch_take(scratch, mechanism->n_compensated, 6 * sizeof *values);
    if (list == NULL || values == NULL) {
        return false;
    }
    if (given.n > 0) {
        memcpy(list, given.wrenches, given.n * sizeof *list);
    }
    tq_external_wrench *next = list + given.n;
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (model->links[l].gravity_compensation != 0.0) {
            *next = (tq_external_wrench){.link = l,
                                         .expressed_in = TQ_FRAME_WORLD,
                                         .rows = values,
                                         .row_stride = 1,
                                         .sample_step = 0};
            memcpy(next->at, model->links[l].carried_at, sizeof next->at);
            tq_compensation_wrench(model, l, g, values);
            next++;
            values += 6;
        }
    }
    *loads = (tq_loads){list, n};
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Posture by posture
 */

typedef struct room {
    double *q;    /* (nq) of one sample */
    double *sums; /* (n_link x 4) carried mass of the subtree, times its centre: H, then W */
} room;

size_t tq_compensation_scratch_size(const tq_model *model)
{
    return tq_model_n_compensated(model) == 0
               ? 0
               : tq_configuration_scratch_size(model) + tq_scratch_cost(model->nq, sizeof(double)) +
                     tq_scratch_cost(model->n_link, 4 * sizeof(double));
}

static tq_status take(const tq_model *model, tq_scratch *scratch, room *ret, tq_error *reterr)
{
    ret->q = tq_scratch_take(scratch, model->nq, sizeof(double));
    ret->sums = tq_scratch_take(scratch, model->n_link, 4 * sizeof(double));
    return (ret->q != NULL || model->nq == 0) && ret->sums != NULL
               ? TQ_OK
               : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                         (double)tq_compensation_scratch_size(model));
}

typedef struct source {
    const tq_compensation_samples *in;
    size_t n_column; /* of a regressor */
} source;
/* Adds to sample i, where `ret` begins. */
typedef void (*add_sample)(const source *from, const tq_configuration *p, const room *w,
                           double *ret);

/* Calls `add` with the posture of each sample. */
static tq_status each_sample(const tq_model *model, const source *from, add_sample add,
                             tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    room w;
    tq_status status = take(model, scratch, &w, reterr);
    for (size_t i = 0; i < from->in->n_sample && status == TQ_OK; i++) {
        const size_t one = tq_scratch_mark(scratch);
        tq_configuration p;
        for (size_t r = 0; r < model->nq; r++) {
            w.q[r] = from->in->q[r * from->in->stride + i];
        }
        status = tq_configuration_compute(model, w.q, NULL, scratch, &p, reterr);
        if (status == TQ_OK) {
            add(from, &p, &w, ret + i);
        }
        tq_scratch_rewind(scratch, one);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

void tq_compensation_moment(const tq_configuration *posture, uint32_t link, double ret[4])
{
    const tq_link *carried = &posture->model->links[link];
    const tq_pose *pose = &posture->pose[link];
    double at[3];
    tq_mat_vec(pose->r, carried->carried_at, at);
    for (unsigned k = 0; k < 3; k++) {
        ret[k] = carried->carried_mass * (at[k] + pose->p[k]);
    }
    ret[3] = carried->carried_mass;
}

static void add_potential(const source *from, const tq_configuration *p, const room *w, double *ret)
{
    (void)w;
    for (uint32_t l = 0; l < p->model->n_link; l++) {
        double sum[4];
        tq_compensation_moment(p, l, sum);
        *ret += tq_dot3(from->in->gravity, sum);
    }
}

tq_status tq_compensation_add_potential(const tq_model *model, const tq_compensation_samples *in,
                                        tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const source from = {.in = in};
    return each_sample(model, &from, add_potential, scratch, ret, reterr);
}

/* With U = g . H the slope of the torque dU/dq of dof `in` by dof `top`, which moves its axis:
 * g . (w_top x (W v_in + w_in x H)), W and H of the subtree of `in` */
static double slope_of(const double gravity[3], const double sum[4], const tq_freedom *top,
                       const tq_freedom *in)
{
    double moved[3], turned[3];
    tq_vec_cross(in->screw + 3, sum, moved);
    for (unsigned k = 0; k < 3; k++) {
        moved[k] += sum[3] * in->screw[k];
    }
    tq_vec_cross(top->screw + 3, moved, turned);
    return top->factor * in->factor * tq_dot3(gravity, turned);
}

static void add_pairs(const tq_configuration *p, const double gravity[3], const double sum[4],
                      size_t f, size_t stride, double *dq)
{
    const tq_model *model = p->model;
    const size_t nv = model->nv;
    const tq_freedom *deep = &p->freedom[f];
    const tq_joint *joint = &model->joints[deep->joint];
    const uint32_t own = (uint32_t)(f - p->first[deep->joint]);
    for (uint32_t k = 0; k < p->count[deep->joint]; k++) {
        const tq_freedom *by = &p->freedom[p->first[deep->joint] + k];
        const bool turns = tq_freedom_carries(joint, k, own);
        dq[(deep->row * nv + by->row) * stride] +=
            slope_of(gravity, sum, turns ? by : deep, turns ? deep : by);
    }
    for (uint32_t n = model->links[joint->parent].joint; n != TQ_NONE;
         n = model->links[model->joints[n].parent].joint) {
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const tq_freedom *up = &p->freedom[p->first[n] + k];
            const double slope = slope_of(gravity, sum, up, deep);
            dq[(deep->row * nv + up->row) * stride] += slope;
            dq[(up->row * nv + deep->row) * stride] += slope;
        }
    }
}

static void add_slopes(const tq_configuration *p, const double gravity[3], double *sums,
                       size_t stride, double *dq)
{
    const tq_model *model = p->model;
    for (uint32_t l = 0; l < model->n_link; l++) {
        tq_compensation_moment(p, l, sums + 4 * (size_t)l);
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const uint32_t number = model->order[k];
        const tq_joint *joint = &model->joints[number];
        const double *sum = sums + 4 * (size_t)joint->child;
        for (unsigned e = 0; e < 4; e++) {
            sums[4 * (size_t)joint->parent + e] += sum[e];
        }
        for (uint32_t c = 0; c < p->count[number]; c++) {
            add_pairs(p, gravity, sum, p->first[number] + c, stride, dq);
        }
    }
}

tq_status tq_compensation_add_slopes(const tq_configuration *posture, const double gravity[3],
                                     tq_scratch *scratch, double *dq, tq_error *reterr)
{
    const tq_model *model = posture->model;
    const size_t mark = tq_scratch_mark(scratch);
    if (tq_model_n_compensated(model) == 0) {
        return TQ_OK;
    }
    double *sums = tq_scratch_take(scratch, model->n_link, 4 * sizeof *sums);
    if (sums == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_compensation_scratch_size(model));
    }
    add_slopes(posture, gravity, sums, 1, dq);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static void add_derivatives(const source *from, const tq_configuration *p, const room *w,
                            double *ret)
{
    add_slopes(p, from->in->gravity, w->sums, from->in->stride, ret);
}

tq_status tq_compensation_add_derivatives(const tq_model *model, const tq_compensation_samples *in,
                                          tq_scratch *scratch, double *dq, tq_error *reterr)
{
    const source from = {.in = in};
    return each_sample(model, &from, add_derivatives, scratch, dq, reterr);
}

/* The columns of one link, number `at` of the list. With O the origin of its frame and R its axes,
 * the torque of mass m and first moments h is c g . (m (v + w x O) + w x R h). */
static void add_columns(const tq_configuration *p, const double gravity[3], uint32_t link,
                        size_t at, size_t n_column, size_t stride, double *y)
{
    const tq_model *model = p->model;
    const tq_pose *pose = &p->pose[link];
    const double share = model->links[link].gravity_compensation;
    for (uint32_t n = model->links[link].joint; n != TQ_NONE;
         n = model->links[model->joints[n].parent].joint) {
        for (uint32_t k = 0; k < p->count[n]; k++) {
            const tq_freedom *f = &p->freedom[p->first[n] + k];
            double *row = y + (f->row * n_column + TQ_PARAMETERS_OF_LINK * at) * stride;
            double turned[3], by_axes[3];
            tq_vec_cross(gravity, f->screw + 3, turned); /* g . (w x O) = (g x w) . O */
            tq_mat_tvec(pose->r, turned, by_axes);
            row[0] += share * f->factor * (tq_dot3(gravity, f->screw) + tq_dot3(turned, pose->p));
            for (unsigned c = 0; c < 3; c++) {
                row[(1 + c) * stride] += share * f->factor * by_axes[c];
            }
        }
    }
}

static void add_all_columns(const source *from, const tq_configuration *p, const room *w,
                            double *ret)
{
    const tq_model *model = p->model;
    (void)w;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t link = model->joints[model->order[k]].child;
        if (model->links[link].gravity_compensation != 0.0) {
            add_columns(p, from->in->gravity, link, k, from->n_column, from->in->stride, ret);
        }
    }
}

tq_status tq_compensation_add_columns(const tq_model *model, const tq_compensation_samples *in,
                                      size_t n_column, tq_scratch *scratch, double *y,
                                      tq_error *reterr)
{
    const source from = {.in = in, .n_column = n_column};
    return each_sample(model, &from, add_all_columns, scratch, y, reterr);
}
