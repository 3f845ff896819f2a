/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/call.c - services of a call for its operation: motion by block, parallel blocks, texts.
   */
#include "api/call/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg/dense.h"
#include "core/linalg/setup.h"

bool tqa_call_keep_text(tqa_call *call, char *text)
{
    char **kept = text != NULL ? realloc(call->kept, (call->n_kept + 1) * sizeof *kept) : NULL;
    if (kept == NULL) {
        free(text);
        return false;
    }
    call->kept = kept;
    call->kept[call->n_kept++] = text;
    return true;
}

/* The largest matrices of a robot: M, and of its constraints their rows over dof, over rows, and
   over pairs of dof. */
static bool may_need_library(const tqa_robot *robot)
{
    const size_t nv = robot->model->nv, n_pair = nv > 2 ? nv * (nv - 1) / 2 : 1;
    const size_t n_row = robot->constraints != NULL ? robot->constraints->n_row : 0;
    return !tq_dense_is_own(nv, nv) || !tq_dense_is_own(nv, n_row) ||
           !tq_dense_is_own(n_row, n_row) || !tq_dense_is_own(n_pair, n_row);
}

const char *tqa_linear_algebra_of(const tqa_call *call)
{
    const char *name = call->operation->name;
    const bool fits = strcmp(name, "calibrate") == 0 || strcmp(name, "excitation") == 0 ||
                      strcmp(name, "payload") == 0 || strcmp(name, "calibrate-kinematics") == 0;
    return fits || (call->robot != NULL && may_need_library(call->robot)) ? tq_linalg_name() : NULL;
}

/* NULL, for zeros, if the request lacks the array. */
static const double *motion_block(const tqa_request *request, tqa_motion motion, size_t b)
{
    return request->rows[motion].shape == TQA_SHAPE_NONE
               ? NULL
               : tqa_blocks_block(&request->motion[motion], b);
}

tq_inverse_input tqa_call_motion(const tqa_call *call, size_t b, tq_scratch *scratch)
{
    const tqa_request *request = &call->request;
    tq_external_wrench *wrenches =
        tq_scratch_take(scratch, request->wrenches.n, sizeof(tq_external_wrench));
    assert(wrenches != NULL || request->wrenches.n == 0);
    tqa_wrenches_block(&request->wrenches, b, wrenches);
    return (tq_inverse_input){
        .n_sample = tq_block_samples(request->n_sample, b),
        .stride = request->motion[TQA_MOTION_Q].stride,
        .q = tqa_blocks_block(&request->motion[TQA_MOTION_Q], b),
        .qd = motion_block(request, TQA_MOTION_QD, b),
        .qdd = motion_block(request, TQA_MOTION_QDD, b),
        .wrenches = wrenches,
        .n_wrench = request->wrenches.n,
        .gravity = request->has_gravity ? request->gravity : NULL,
        .without = request->without,
    };
}

void tqa_call_each_block(const tqa_call *call, const tqa_host *host, size_t first, void *scratch,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    const size_t n = tq_block_count(call->request.n_sample) - first;
    if (n > 1 && host != NULL && host->parallel_for != NULL) {
        host->parallel_for(host->ctx, n, tqa_call_scratch_size(call), body, arg);
        return;
    }
    for (size_t b = 0; b < n; b++) {
        body(arg, b, scratch);
    }
}
