/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble_member.c - one member's numbers, drawn by its number; blocks of members
 * run. */
#include <math.h>
#include <string.h>

#include "api/operations/ensemble.h"
#include "core/model/inertia.h"
#include "core/simulate/noise.h"

uint64_t tqa_ensemble_id(const tqa_ensemble *e, size_t member)
{
    return e->ids != NULL ? e->ids[member] : (uint64_t)member;
}

double tqa_ensemble_value(const tqa_ensemble *e, size_t v, uint64_t id)
{
    const tqa_variation *x = &e->variations[v];
    switch (x->spread) {
    case TQA_SPREAD_UNIFORM: {
        /* 53 bits: every double of the grid of 2^-53 in [0, 1) is as likely */
        const double u = (double)(tq_noise_bits(e->seed, v, id) >> 11) * 0x1p-53;
        return x->low + (x->high - x->low) * u;
    }
    case TQA_SPREAD_NORMAL:
        return x->mean + x->deviation * tq_noise_normal(e->seed, v, id);
    case TQA_SPREAD_LIST:
        return x->values[id / e->n_draw / x->repeat % x->n_value];
    }
    return 0.0;
}

/* ------------------------------------------------------------------------------------------------
 * A member that is made differently
 */

static void change(tq_model *model, const tqa_variation *x, double value)
{
    if (x->varied == TQA_VARIED_MASS) {
        tq_inertia *inertia = &model->links[x->row].inertia;
        inertia->mass *= value;
        for (unsigned k = 0; k < 6; k++) {
            inertia->about_com[k] *= value;
        }
    } else if (x->varied == TQA_VARIED_PAYLOAD) {
        tq_inertia body = {.mass = value};
        memcpy(body.com, x->at, sizeof body.com);
        tq_inertia *inertia = &model->links[x->row].inertia;
        *inertia = tq_inertia_add(inertia, &body);
    } else if (x->varied == TQA_VARIED_VISCOUS) {
        model->joints[x->row].friction.viscous *= value;
    } else if (x->varied == TQA_VARIED_COULOMB) {
        model->joints[x->row].friction.coulomb *= value;
        model->joints[x->row].friction.breakaway *= value;
    }
}

static size_t mechanism_cost(const tqa_ensemble *e)
{
    const tq_model *model = tq_mechanism_model(e->simulation->mechanism);
    return tq_scratch_cost(model->n_link, sizeof(tq_link)) +
           tq_scratch_cost(model->n_joint, sizeof(tq_joint)) +
           tq_scratch_cost(tq_mechanism_size(model), 1);
}

/* the mechanism of one member, in scratch */
static tq_status build(const tqa_ensemble *e, uint64_t id, tq_scratch *scratch,
                       const tq_mechanism **ret, tq_error *reterr)
{
    tq_model model = *tq_mechanism_model(e->simulation->mechanism);
    tq_link *links = tq_scratch_take(scratch, model.n_link, sizeof *links);
    tq_joint *joints = tq_scratch_take(scratch, model.n_joint, sizeof *joints);
    const size_t size = tq_mechanism_size(&model);
    void *home = tq_scratch_take(scratch, size, 1);
    if (links == NULL || joints == NULL || home == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)mechanism_cost(e));
    }
    memcpy(links, model.links, model.n_link * sizeof *links);
    memcpy(joints, model.joints, model.n_joint * sizeof *joints);
    model.links = links;
    model.joints = joints;
    for (size_t v = 0; v < e->n_variation; v++) {
        if (e->variations[v].varied >= TQA_VARIED_MASS) {
            change(&model, &e->variations[v], tqa_ensemble_value(e, v, id));
        }
    }
    return tq_mechanism_build(&model, home, size, ret, reterr);
}

/* ------------------------------------------------------------------------------------------------
 * A block
 */

typedef struct block {
    const tqa_ensemble *e;
    size_t first, n, stride;
    double *q, *qd, *z, *held;
    double *rows, *ended, *end;
    tq_plant plant;
} block;

static size_t members_of(const tqa_ensemble *e, size_t b)
{
    const size_t left = e->n_member - b * e->per;
    return left < e->per ? left : e->per;
}

static int is_cancelled(void *ctx)
{
    const tqa_world *world = ((const tqa_control *)ctx)->world;
    return world != NULL && world->cancelled != NULL && world->cancelled(world->ctx);
}

static int tick(void *ctx, double t)
{
    (void)t;
    return is_cancelled(ctx);
}

static const tq_pair *pair_of(tq_run_method method)
{
    return method == TQ_RUN_DOPRI87   ? &tq_pair_dopri87
           : method == TQ_RUN_DOPRI45 ? &tq_pair_dopri45
                                      : NULL;
}

static tq_ensemble core_of(const block *b)
{
    const tqa_simulation *s = b->e->simulation;
    return (tq_ensemble){.plant = &b->plant,
                         .pair = pair_of(s->options.method),
                         .rtol = s->options.rtol,
                         .atol = s->options.atol,
                         .max_step = s->options.max_step,
                         .max_evaluations = s->options.max_evaluations,
                         .method = s->options.method == TQ_RUN_RK4 ? TQ_FIXED_RK4
                                                                   : TQ_FIXED_SEMI_IMPLICIT,
                         .step = s->options.step,
                         .n_output = s->n_output,
                         .times = b->e->times,
                         .stopped = is_cancelled,
                         .ctx = s->control};
}

/* lanes of a block's states */
static size_t stride_of(const tqa_ensemble *e)
{
    return e->per == 1 ? (size_t)TQ_BLOCK_PAD : e->per;
}

/* a block of one gets its rows here, and gives the first lane of them away */
static size_t rows_cost(const tqa_ensemble *e)
{
    return e->per == 1 && e->in_lanes
               ? tq_scratch_cost(e->simulation->n_output * e->n_row * TQ_BLOCK_PAD, sizeof(double))
               : 0;
}

static size_t states_cost(const tqa_ensemble *e)
{
    const tqa_simulation *s = e->simulation;
    const size_t n =
        s->order.nq + s->order.nv + tq_plant_n_z(&s->plant) + tq_plant_n_held(&s->plant);
    return tq_scratch_cost(n * stride_of(e), sizeof(double)) + rows_cost(e);
}

size_t tqa_ensemble_scratch_size(const tqa_ensemble *e)
{
    const block b = {.e = e, .plant = e->simulation->plant};
    tq_run_options options = e->simulation->options;
    size_t inner = 0;
    if (e->in_lanes) {
        const tq_ensemble core = core_of(&b);
        inner = tq_ensemble_scratch_size(&core, stride_of(e));
    } else {
        inner = tq_run_scratch_size(&b.plant, &options);
    }
    const size_t settle = tq_plant_scratch_size(&b.plant, stride_of(e));
    inner = settle > inner ? settle : inner;
    return states_cost(e) + (e->own_mechanisms ? mechanism_cost(e) : 0) + inner + TQ_SCRATCH_ALIGN;
}

/* the starts of all members, and of the padding behind them */
static void start(block *b)
{
    const tqa_ensemble *e = b->e;
    const tqa_simulation *s = e->simulation;
    for (size_t i = 0; i < b->stride; i++) {
        const size_t member = b->first + (i < b->n ? i : b->n - 1);
        const uint64_t id = tqa_ensemble_id(e, member);
        for (size_t r = 0; r < s->order.nq; r++) {
            b->q[r * b->stride + i] = s->q[r];
        }
        for (size_t r = 0; r < s->order.nv; r++) {
            b->qd[r * b->stride + i] = s->qd[r];
        }
        size_t offset = e->first_offset;
        for (size_t v = 0; v < e->n_variation; v++) {
            const tqa_variation *x = &e->variations[v];
            if (x->varied >= TQA_VARIED_MASS) {
                continue;
            }
            const double value = tqa_ensemble_value(e, v, id);
            if (x->varied == TQA_VARIED_Q) {
                b->q[x->row * b->stride + i] += value;
            } else if (x->varied == TQA_VARIED_QD) {
                b->qd[x->row * b->stride + i] += value;
            } else {
                b->z[offset++ * b->stride + i] = value;
            }
        }
    }
}

/* one member by an adaptive method: rows as a block of one would have them */
static tq_status run_alone(block *b, tq_scratch *scratch, tq_error *reterr)
{
    const tqa_simulation *s = b->e->simulation;
    const size_t nq = s->order.nq, nv = s->order.nv, n_z = tq_plant_n_z(&b->plant);
    tq_run_options options = s->options;
    options.tick = tick;
    options.ctx = s->control;
    tq_run *run = NULL;
    tq_status status = tq_run_open(&b->plant, &options, scratch, &run, reterr);
    if (status != TQ_OK) {
        return status;
    }
    /* the starts lie in lanes: brought together in place, row r first read at 8 r >= r */
    for (size_t r = 0; r < nq; r++) {
        b->q[r] = b->q[r * b->stride];
    }
    for (size_t r = 0; r < nv; r++) {
        b->qd[r] = b->qd[r * b->stride];
    }
    for (size_t r = 0; r < n_z; r++) {
        b->z[r] = b->z[r * b->stride];
    }
    b->ended[0] = (double)INFINITY;
    b->end[0] = (double)TQ_RUN_GOES_ON;
    status = tq_run_start(run, b->e->times[0], b->q, b->qd, n_z > 0 ? b->z : NULL);
    for (size_t k = 0; k < s->n_output; k++) {
        if (isinf(b->ended[0]) && (status != TQ_OK || !tq_run_to(run, b->e->times[k], 0))) {
            b->ended[0] = run->t;
            b->end[0] = (double)(run->end != TQ_RUN_GOES_ON ? run->end : TQ_RUN_REFUSED);
        }
        double *row = b->rows + k * (nq + nv);
        for (size_t r = 0; r < nq + nv; r++) {
            const double *from = r < nq ? run->state->q + r * TQ_BLOCK_PAD
                                        : run->state->qd + (r - nq) * TQ_BLOCK_PAD;
            row[r] = isinf(b->ended[0]) ? *from : (double)NAN;
        }
    }
    status = run->end == TQ_RUN_STOPPED ? tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0)
                                        : TQ_OK;
    tq_run_close(run);
    return status;
}

static tq_status run_lanes(block *b, tq_scratch *scratch, tq_error *reterr)
{
    const tq_ensemble core = core_of(b);
    const size_t n_number = core.n_output * b->e->n_row;
    tq_members members = {.n_member = b->n,
                          .stride = b->stride,
                          .q = b->q,
                          .qd = b->qd,
                          .z = b->z,
                          .held = b->held,
                          .ret_rows = b->rows,
                          .ret_ended = b->ended,
                          .ret_end = b->end};
    if (b->e->per == 1) {
        double *room = tq_scratch_take(scratch, n_number * b->stride, sizeof *room);
        if (room == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)rows_cost(b->e));
        }
        members.ret_rows = room;
    }
    const tq_status status = tq_ensemble_run(&core, &members, scratch, reterr);
    for (size_t k = 0; k < n_number && b->e->per == 1; k++) {
        b->rows[k] = members.ret_rows[k * b->stride];
    }
    return status;
}

void tqa_ensemble_block(tqa_ensemble *e, size_t b, void *memory, size_t size)
{
    const tqa_simulation *s = e->simulation;
    const size_t n_z = tq_plant_n_z(&s->plant), n_held = tq_plant_n_held(&s->plant);
    if (memory == NULL) {
        e->status[b] = tq_fail(&e->errors[b], TQ_ERR_SCRATCH, "memory", 0, (double)size);
        return;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    const size_t n = s->order.nq + s->order.nv + n_z + n_held, stride = stride_of(e);
    double *x = tq_scratch_take(&scratch, n * stride, sizeof *x);
    tq_error *error = &e->errors[b];
    if (is_cancelled(s->control)) {
        e->status[b] = tq_fail(error, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0);
        return;
    }
    if (x == NULL) {
        e->status[b] = tq_fail(error, TQ_ERR_SCRATCH, "scratch", 0, (double)size);
        return;
    }
    memset(x, 0, n * stride * sizeof *x);
    block work = {.e = e,
                  .first = b * e->per,
                  .n = members_of(e, b),
                  .stride = stride,
                  .q = x,
                  .qd = x + s->order.nq * stride,
                  .rows = e->records + b * e->record,
                  .ended = e->records + (b + 1) * e->record - 2 * e->per,
                  .end = e->records + (b + 1) * e->record - e->per,
                  .plant = s->plant};
    work.z = work.qd + s->order.nv * stride;
    work.held = work.z + n_z * stride;
    start(&work);
    tq_status status = TQ_OK;
    if (e->own_mechanisms) {
        status = build(e, tqa_ensemble_id(e, work.first), &scratch, &work.plant.mechanism, error);
    }
    if (status == TQ_OK) {
        status =
            e->in_lanes ? run_lanes(&work, &scratch, error) : run_alone(&work, &scratch, error);
    }
    e->status[b] = status;
}

double tqa_ensemble_number(const tqa_ensemble *e, size_t member, size_t k, size_t c)
{
    return e->records[member / e->per * e->record + (k * e->n_row + c) * e->per + member % e->per];
}

double tqa_ensemble_ended(const tqa_ensemble *e, size_t member)
{
    return e->records[(member / e->per + 1) * e->record - 2 * e->per + member % e->per];
}

tq_run_end tqa_ensemble_end(const tqa_ensemble *e, size_t member)
{
    return (tq_run_end)e->records[(member / e->per + 1) * e->record - e->per + member % e->per];
}
