/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/compute.c - computes the requested names, by kernels or sample by sample. */
#include <assert.h>
#include <string.h>

#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "core/base/finite.h"
#include "core/drives/decoupling.h"
#include "core/dynamics/checks.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/state_derivatives.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix_state.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/reactions.h"

/* rows of one name from a kernel, before they are reordered as requested */
static size_t reorder_size(const tqa_call *call)
{
    size_t most = 0;
    for (const tqa_include *row = tqa_includes; (row = tqa_include_next(call, row)) != NULL;
         row++) {
        most = call->request.reordered && row->block != NULL
                   ? tq_larger(most, tqa_include_size(call, row))
                   : most;
    }
    return tq_scratch_cost(most * call->request.motion[TQA_MOTION_Q].stride, sizeof(double));
}

size_t tqa_include_scratch_size(const tqa_call *call)
{
    const tq_model *model = call->model;
    const size_t nv = model->nv;
    size_t size = (call->request.include & TQA_INCLUDE_REACTIONS) != 0
                      ? tq_reactions_scratch_size(call->mechanism)
                      : 0;
    if (!tqa_include_wants_terms(call)) {
        return size;
    }
    const size_t block =
        tqa_block_scratch_size(call->mechanism, call->request.include) + reorder_size(call);
    if (tqa_include_is_by_kernels(call)) {
        return tq_larger(size, block);
    }
    const size_t of_terms[] = {
        tq_ledger_scratch_size(model),
        tq_derivatives_scratch_size(model),
        tq_mass_matrix_flat_scratch_size(call->mechanism),
        tq_mass_matrix_state_scratch_size(call->mechanism),
        tq_skew_scratch_size(call->mechanism),
        tq_state_derivatives_scratch_size(call->mechanism),
        tq_operational_at_scratch_size(call->mechanism),
        tq_decoupling_scratch_size(call->mechanism),
        tq_scratch_cost(6 * nv, sizeof(double)), /* link_jacobian_rates */
        tq_checks_scratch_size(call->mechanism, call->request.wrenches.n),
        tqa_constraints_terms_size(call),
        block,
    };
    size_t inner = 0;
    for (size_t k = 0; k < sizeof of_terms / sizeof of_terms[0]; k++) {
        inner = tq_larger(inner, of_terms[k]);
    }
    const size_t terms = tq_configuration_scratch_size(model) + inner +
                         tq_scratch_cost(model->nq, sizeof(double)) +
                         tq_scratch_cost(call->multipliers.n_row, sizeof(double)) +
                         4 * tq_scratch_cost(nv, sizeof(double)) +
                         tq_scratch_cost((TQ_LEDGER_COUNT + 1) * nv, sizeof(double)) +
                         tq_scratch_cost(call->request.wrenches.n, sizeof(tq_point_wrench)) +
                         tq_scratch_cost(tqa_include_size_all(call), sizeof(double));
    return tq_larger(size, terms);
}

/* One sample out of a block, flat; zeros when there is none. */
static double *flat(const double *rows, size_t n_row, size_t stride, size_t i, double *ret)
{
    for (size_t r = 0; r < n_row; r++) {
        ret[r] = rows != NULL ? rows[r * stride + i] : 0.0;
    }
    return ret;
}

static void flat_wrenches(const tq_inverse_input *in, size_t i, tq_point_wrench *ret)
{
    for (size_t w = 0; w < in->n_wrench; w++) {
        const tq_external_wrench *from = &in->wrenches[w];
        ret[w] = (tq_point_wrench){.link = from->link, .expressed_in = from->expressed_in};
        memcpy(ret[w].at, from->at, sizeof ret[w].at);
        for (size_t k = 0; k < 6; k++) {
            ret[w].value[k] = from->rows[k * from->row_stride + i * from->sample_step];
        }
    }
}

/* Number k of a member as the user orders it, in the robot's order. */
static size_t robot_index(const tqa_call *call, const tqa_member *member, size_t k)
{
    if (!call->request.reordered) {
        return k;
    }
    size_t index = 0, step = 1;
    for (size_t e = tqa_member_rank(member); e-- > 0;) {
        const size_t extent = tqa_member_extent(call, member->extents[e]);
        const size_t at = k % extent;
        k /= extent;
        index += step * (member->extents[e] == TQA_EXTENT_V ? call->request.v_map[at] : at);
        step *= extent;
    }
    return index;
}

static tq_status compute_row(const tqa_term_input *moment, const tqa_include *row, double *values,
                             double *to, size_t stride, tq_error *error)
{
    const tqa_call *call = moment->call;
    const tq_status status = row->compute(moment, values, error);
    if (status != TQ_OK) {
        return status;
    }
    const size_t n = tqa_include_size(call, row);
    if (tq_find_not_finite(values, n) < n) {
        return tq_fail(error, TQ_ERR_OVERFLOW, row->name, 0, 0.0);
    }
    for (size_t m = 0; m < tqa_member_count(row); m++) {
        const size_t size = tqa_member_size(call, &row->members[m]);
        for (size_t k = 0; k < size; k++) {
            to[k * stride] = values[robot_index(call, &row->members[m], k)];
        }
        values += size;
        to += size * stride;
    }
    return TQ_OK;
}

typedef struct room {
    double *q, *qd, *qdd, *qd_ref, *qdd_ref, *multipliers, *values;
    tq_point_wrench *wrenches;
} room;

static void take(const tqa_call *call, tq_scratch *scratch, room *r)
{
    const size_t nv = call->model->nv;
    r->q = tq_scratch_take(scratch, call->model->nq, sizeof(double));
    r->qd = tq_scratch_take(scratch, nv, sizeof(double));
    r->qdd = tq_scratch_take(scratch, nv, sizeof(double));
    r->qd_ref = tq_scratch_take(scratch, nv, sizeof(double));
    r->qdd_ref = tq_scratch_take(scratch, nv, sizeof(double));
    r->multipliers = tq_scratch_take(scratch, call->multipliers.n_row, sizeof(double));
    r->values = tq_scratch_take(scratch, tqa_include_size_all(call), sizeof(double));
    r->wrenches = tq_scratch_take(scratch, call->request.wrenches.n, sizeof(tq_point_wrench));
    assert(r->values != NULL && "tqa_include_scratch_size counts all of it");
}

static const double *reference(const tqa_call *call, tqa_motion motion, size_t b, size_t i,
                               double *ret)
{
    if ((call->request.include & TQA_INCLUDE_PASSIVITY) == 0) {
        return NULL;
    }
    const tqa_blocks *blocks = &call->request.motion[motion];
    return flat(tqa_blocks_block(blocks, b), blocks->n_row, blocks->stride, i, ret);
}

/* Kernels take no wrenches here. */
static bool by_block(const tqa_include *row, const tq_inverse_input *in)
{
    return row->block != NULL && in->n_wrench == 0;
}

/* One name by its kernel, which writes in the robot's order. */
static tq_status compute_block(const tqa_call *call, const tqa_include *row,
                               const tq_inverse_input *in, tq_scratch *scratch, double *to,
                               tq_error *error)
{
    if (!call->request.reordered) {
        return row->block(call, in, scratch, to, error);
    }
    const size_t mark = tq_scratch_mark(scratch), stride = in->stride;
    double *rows = tq_scratch_take(scratch, tqa_include_size(call, row) * stride, sizeof *rows);
    assert(rows != NULL && "tqa_include_scratch_size counts it");
    const double *from = rows;
    const tq_status status = row->block(call, in, scratch, rows, error);
    for (size_t m = 0; status == TQ_OK && m < tqa_member_count(row); m++) {
        const size_t size = tqa_member_size(call, &row->members[m]);
        for (size_t k = 0; k < size; k++) {
            memcpy(to + k * stride, from + robot_index(call, &row->members[m], k) * stride,
                   in->n_sample * sizeof *to);
        }
        from += size * stride;
        to += size * stride;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* All names that kernels give. `ret_left` says whether others are left. */
static tq_status compute_blocks(const tqa_call *call, size_t b, const tq_inverse_input *in,
                                tq_scratch *scratch, bool *ret_left, tq_error *error)
{
    tq_status status = TQ_OK;
    double *to = tqa_blocks_block(&call->terms, b);
    assert(in->stride == call->terms.stride);
    *ret_left = false;
    for (const tqa_include *row = tqa_includes;
         status == TQ_OK && (row = tqa_include_next(call, row)) != NULL; row++) {
        if (by_block(row, in)) {
            status = compute_block(call, row, in, scratch, to, error);
        } else {
            *ret_left = true;
        }
        to += tqa_include_size(call, row) * call->terms.stride;
    }
    return status;
}

static tq_status compute_sample(const tqa_call *call, size_t b, size_t i,
                                const tq_inverse_input *in, const room *r, tq_scratch *scratch,
                                tq_error *error)
{
    const tq_model *model = call->model;
    flat_wrenches(in, i, r->wrenches);
    tqa_term_input moment = {
        .call = call,
        .model = model,
        .sample = {.q = flat(in->q, model->nq, in->stride, i, r->q),
                   .qd = flat(in->qd, model->nv, in->stride, i, r->qd),
                   .qdd = flat(in->qdd, model->nv, in->stride, i, r->qdd),
                   .gravity = in->gravity != NULL ? in->gravity : model->gravity,
                   .wrenches = r->wrenches,
                   .n_wrench = in->n_wrench,
                   .without = in->without},
        .qd_ref = reference(call, TQA_MOTION_QD_REF, b, i, r->qd_ref),
        .qdd_ref = reference(call, TQA_MOTION_QDD_REF, b, i, r->qdd_ref),
        .multipliers = flat(tqa_constraints_block(call, b), call->multipliers.n_row,
                            call->multipliers.stride, i, r->multipliers),
        .scratch = scratch,
    };
    tq_status status = tq_configuration_compute(model, moment.sample.q, moment.sample.qd, scratch,
                                                &moment.posture, error);
    double *to = tqa_blocks_block(&call->terms, b) + i;
    for (const tqa_include *row = tqa_includes;
         status == TQ_OK && (row = tqa_include_next(call, row)) != NULL; row++) {
        if (!by_block(row, in)) {
            status = compute_row(&moment, row, r->values, to, call->terms.stride, error);
        }
        to += tqa_include_size(call, row) * call->terms.stride;
    }
    return status;
}

/* Names the sample; of terms that are named themselves, in their value. */
static void place_fault(tq_status status, size_t i, tq_error *error)
{
    if (status == TQ_OK || error == NULL) {
        return;
    }
    if (tqa_names_a_thing(error)) {
        error->value = (double)i;
    } else {
        error->index = i;
    }
}

tq_status tqa_include_block(tqa_call *call, size_t b, const tq_inverse_input *in,
                            tq_scratch *scratch, tq_error *error)
{
    tq_status status = TQ_OK;
    const size_t mark = tq_scratch_mark(scratch);
    if ((call->request.include & TQA_INCLUDE_REACTIONS) != 0) {
        status = tq_reactions(call->mechanism, in, scratch, tqa_blocks_block(&call->reactions, b),
                              error);
    }
    bool left = false;
    if (status == TQ_OK && tqa_include_wants_terms(call)) {
        status = compute_blocks(call, b, in, scratch, &left, error);
    }
    if (status == TQ_OK && left) {
        room r;
        take(call, scratch, &r);
        const size_t inner = tq_scratch_mark(scratch);
        for (size_t i = 0; status == TQ_OK && i < in->n_sample; i++) {
            status = compute_sample(call, b, i, in, &r, scratch, error);
            tq_scratch_rewind(scratch, inner);
            place_fault(status, i, error);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
