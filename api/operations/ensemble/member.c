/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/member.c - blocks of members: memory, starts, runs, and what their
 * records hold. */
#include <string.h>

#include "api/operations/ensemble/block.h"
#include "core/dynamics/varied.h"
#include "core/ensemble/member.h"

/* ------------------------------------------------------------------------------------------------
 * A block
 */

static size_t members_of(const tqa_ensemble *e, size_t b)
{
    const size_t left = e->n_member - b * e->per;
    return left < e->per ? left : e->per;
}

int tqa_ensemble_cancelled(void *tree)
{
    const tqa_host *host = ((const tqa_tree *)tree)->host;
    return host != NULL && host->cancelled != NULL && host->cancelled(host->ctx);
}

static const tq_pair *pair_of(tq_run_method method)
{
    return method == TQ_RUN_DOPRI87   ? &tq_pair_dopri87
           : method == TQ_RUN_DOPRI45 ? &tq_pair_dopri45
                                      : NULL;
}

static tq_ensemble core_of(const tqa_ensemble_block *b)
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
                         .stopped = tqa_ensemble_cancelled,
                         .ctx = s->tree};
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

static size_t n_varied(const tqa_ensemble *e)
{
    return e->varied_rows ? tq_varied_rows(e->simulation->mechanism) : 0;
}

static size_t states_cost(const tqa_ensemble *e)
{
    const tqa_simulation *s = e->simulation;
    const size_t n = s->order.nq + s->order.nv + tq_plant_n_z(&s->plant) +
                     tq_plant_n_held(&s->plant) + n_varied(e);
    return tq_scratch_cost(n * stride_of(e), sizeof(double)) + rows_cost(e);
}

static size_t make_size(const tqa_ensemble *e)
{
    return (e->own_mechanisms ? tq_member_mechanism_size(e->simulation->mechanism) : 0) +
           (e->own_effects ? tq_member_effects_size(&e->vary, &e->simulation->plant) : 0);
}

size_t tqa_ensemble_scratch_size(const tqa_ensemble *e)
{
    const tqa_ensemble_block b = {.e = e, .plant = e->simulation->plant};
    tq_run_options options = e->simulation->options;
    size_t inner = 0;
    if (e->in_lanes) {
        const tq_ensemble core = core_of(&b);
        inner = tq_ensemble_scratch_size(&core, stride_of(e));
    } else {
        inner = tq_run_scratch_size(&b.plant, &options);
    }
    const size_t projection = tq_plant_scratch_size(&b.plant, stride_of(e));
    inner = projection > inner ? projection : inner;
    return states_cost(e) + make_size(e) + inner + TQ_SCRATCH_ALIGN;
}

static void start(tqa_ensemble_block *b)
{
    const tqa_simulation *s = b->e->simulation;
    const tq_member_starts starts = {.n = b->n,
                                     .stride = b->stride,
                                     .q0 = s->q,
                                     .qd0 = s->qd,
                                     .nq = s->order.nq,
                                     .nv = s->order.nv,
                                     .q = b->q,
                                     .qd = b->qd,
                                     .z = b->z,
                                     .z_offset = b->e->first_offset};
    tq_members_initial(&b->e->vary, b->first, &starts);
}

/* robots, controllers and disturbances of the members' own; those of a block of one, or rows of
 * parameters side by side */
static tq_status make(tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr)
{
    const tqa_ensemble *e = b->e;
    const tqa_simulation *s = e->simulation;
    const uint64_t id = tq_variations_id(&e->vary, b->first);
    if (e->varied_rows) {
        return tq_members_vary(&e->vary, s->mechanism, b->first, b->n, b->stride, scratch,
                               b->varied, reterr);
    }
    tq_status status = TQ_OK;
    if (e->own_mechanisms) {
        status =
            tq_member_mechanism(&e->vary, s->mechanism, id, scratch, &b->plant.mechanism, reterr);
    }
    if (status == TQ_OK && e->own_effects) {
        status = tq_member_effects(&e->vary, &s->plant, &s->controller.core, id, scratch,
                                   &b->plant.effects, reterr);
    }
    return status;
}

static tq_status run_lanes(tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr)
{
    const tq_ensemble core = core_of(b);
    const size_t n_number = core.n_output * b->e->n_row;
    tq_members members = {.n_member = b->n,
                          .stride = b->stride,
                          .q = b->q,
                          .qd = b->qd,
                          .z = b->z,
                          .held = b->held,
                          .varied = b->varied,
                          .ret_rows = b->record,
                          .ret_ended = tqa_record_ended(b->e, b->record),
                          .ret_end = tqa_record_end(b->e, b->record)};
    if (b->e->per == 1) {
        double *room = tq_scratch_take(scratch, n_number * b->stride, sizeof *room);
        if (room == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)rows_cost(b->e));
        }
        members.ret_rows = room;
    }
    const tq_status status = tq_ensemble_run(&core, &members, scratch, reterr);
    for (size_t k = 0; k < n_number && b->e->per == 1; k++) {
        b->record[k] = members.ret_rows[k * b->stride];
    }
    return status;
}

void tqa_ensemble_run_block(tqa_ensemble *e, size_t b, void *memory, size_t size)
{
    const tqa_simulation *s = e->simulation;
    const size_t n_z = tq_plant_n_z(&s->plant), n_held = tq_plant_n_held(&s->plant);
    if (memory == NULL) {
        e->status[b] = tq_fail(&e->errors[b], TQ_ERR_SCRATCH, "memory", 0, (double)size);
        return;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    tqa_tree_set_stop(s->tree, &scratch);
    const size_t n = s->order.nq + s->order.nv + n_z + n_held + n_varied(e);
    const size_t stride = stride_of(e);
    double *x = tq_scratch_take(&scratch, n * stride, sizeof *x);
    tq_error *error = &e->errors[b];
    if (tqa_ensemble_cancelled(s->tree)) {
        e->status[b] = tq_fail(error, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0);
        return;
    }
    if (x == NULL) {
        e->status[b] = tq_fail(error, TQ_ERR_SCRATCH, "scratch", 0, (double)size);
        return;
    }
    memset(x, 0, n * stride * sizeof *x);
    tqa_ensemble_block work = {.e = e,
                               .first = b * e->per,
                               .n = members_of(e, b),
                               .stride = stride,
                               .q = x,
                               .qd = x + s->order.nq * stride,
                               .record = e->records + b * e->record,
                               .plant = s->plant};
    work.z = work.qd + s->order.nv * stride;
    work.held = work.z + n_z * stride;
    work.varied = e->varied_rows ? work.held + n_held * stride : NULL;
    start(&work);
    tq_status status = make(&work, &scratch, error);
    if (status == TQ_OK) {
        status = e->in_lanes ? run_lanes(&work, &scratch, error)
                             : tqa_member_run(&work, &scratch, error);
    }
    e->status[b] = status;
}

static double *record_of(const tqa_ensemble *e, size_t member)
{
    return e->records + member / e->per * e->record;
}

double tqa_ensemble_number(const tqa_ensemble *e, size_t member, size_t k, size_t c)
{
    return record_of(e, member)[(k * e->n_row + c) * e->per + member % e->per];
}

double tqa_ensemble_ended(const tqa_ensemble *e, size_t member)
{
    return tqa_record_ended(e, record_of(e, member))[member % e->per];
}

tq_run_end tqa_ensemble_end(const tqa_ensemble *e, size_t member)
{
    return (tq_run_end)tqa_record_end(e, record_of(e, member))[member % e->per];
}

const double *tqa_ensemble_last(const tqa_ensemble *e, size_t member)
{
    return e->n_event > 0 ? tqa_record_last(e, record_of(e, member)) : NULL;
}

const double *tqa_ensemble_events(const tqa_ensemble *e, size_t member)
{
    return e->n_event > 0 ? tqa_record_events(e, record_of(e, member)) + 1 : NULL;
}

size_t tqa_ensemble_stopped_by(const tqa_ensemble *e, size_t member)
{
    return (size_t)tqa_record_events(e, record_of(e, member))[0];
}
