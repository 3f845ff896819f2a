/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/call.h - the state of a call, read and written by every operation. */
#ifndef TQA_CALL_CALL_H
#define TQA_CALL_CALL_H

#include <stdatomic.h>

#include "api/call/overlap.h"
#include "api/codec/writer.h"
#include "api/openapi/generated/operations.h"
#include "api/operation.h"
#include "api/request/body.h"
#include "api/request/far.h"
#include "api/request/request.h"
#include "api/request/value.h"
#include "api/response/digest.h"
#include "api/response/result.h"
#include "core/dynamics/inverse.h"

/* The functions of one operation; call.c does the rest. */
typedef struct tqa_operation_methods {
    tqa_schema schema;
    /* The request is complete: is there all that it needs? False: the problem is set. NULL: yes. */
    bool (*check)(tqa_call *call);
    double (*cost_us)(const tqa_call *call);
    size_t (*scratch_size)(const tqa_call *call);
    /* False: the call's problem is set. Leaves arrays in call->result. */
    bool (*run)(tqa_call *call, const tqa_host *host, void *scratch, size_t scratch_size);
    /* Computes a full block of call->ahead, while the call is fed. NULL: it cannot. */
    tq_status (*ahead)(struct tqa_call *call, size_t b, void *memory, size_t size, tq_error *error);
    /* Not NULL: the request is a small tree of fields, and all above is empty. */
    const tqa_tree_methods *tree;
} tqa_operation_methods;

struct tqa_call {
    const tqa_operation *operation;
    const tqa_robot *robot;
    tqa_media accept;   /* JSON, CBOR, NPY or NPZ */
    bool is_borrowed;   /* its memory is the caller's */
    bool is_read_whole; /* the request has been read as a whole, without `body` */
    uint64_t n_fed;
    uint64_t n_body; /* announced bytes; UINT64_MAX: unknown */
    tqa_budget budget;
    tqa_blocks tau;       /* primary result; nv rows unless the operation says otherwise */
    tqa_blocks reactions; /* with that `include` */
    char *text;           /* malloc'ed, with `tree`: the whole answer */
    tqa_writer answer;    /* with `tree` only */
    tqa_tree *tree;       /* NULL, or the request as a tree; then only head, digest, problem and
                             body are used beside it */
    size_t n_text, n_put;
    tqa_blocks multipliers;      /* of constraints, with an `include` that needs them */
    tqa_blocks missing;          /* of tau, with joints that are not driven; no rows: nothing */
    tqa_blocks terms;            /* of the other names of `include` */
    struct tqa_archive *archive; /* of an answer as NPZ, once it has run; else NULL */
    atomic_bool is_far;          /* a sample is far beyond the limits of q */
    /* bits of the largest torque seen on a floating joint that nothing drives: floating.h */
    atomic_uint_least64_t base_tau;
    tqa_writer notes; /* members after the arrays; only when n_note > 0 */
    size_t n_note;
    char **kept; /* (n_kept) malloc'ed texts of result arrays */
    size_t n_kept;
    const tqa_host *host;          /* while it runs; NULL: none */
    const tq_mechanism *mechanism; /* the robot's, or with a payload the call's own */
    const tq_model *model;         /* inside the mechanism */
    void *own_mechanism;           /* malloc'ed, or NULL */
    tqa_overlap ahead;
    tqa_request request;
    tqa_result result;
    tqa_digest digest;   /* of the request's bytes so far */
    tqa_problem problem; /* status 0: none; the rest is then not initialised */
    tqa_body body;
};

/* Cost of writing one number of an answer: shortest digits, or eight bytes. */
static inline double tqa_call_number_us(const tqa_call *call)
{
    return call->accept == TQA_MEDIA_JSON ? 0.026 : 0.0007;
}

/* The motion of block b as core takes it, its wrenches out of `scratch`. Arrays that are not in the
 * request are NULL: zeros. */
tq_inverse_input tqa_call_motion(const tqa_call *call, size_t b, tq_scratch *scratch);

/* Notes whether the block's q is far beyond its limits, for the answer's warnings. */
static inline void tqa_call_watch(tqa_call *call, const tq_inverse_input *in)
{
    if (tqa_far_any(call->robot, in->q, in->stride, in->n_sample)) {
        atomic_store_explicit(&call->is_far, true, memory_order_relaxed);
    }
}

/* Runs body(arg, b - first) for each block b >= first of the request's samples: in parallel when
 * there are several and the host has parallel_for, else one after another in `scratch`. */
void tqa_call_each_block(const tqa_call *call, const tqa_host *host, size_t first, void *scratch,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg);

/* Computes block b into the call's results with `size` bytes of scratch. error->index is a sample
 * of the block. */
typedef tq_status tqa_block_compute(tqa_call *call, size_t b, void *memory, size_t size,
                                    tq_error *error);

/* error->index is a joint, a constraint or a row of one; the sample is the value then. */
bool tqa_names_a_thing(const tq_error *error);

/* Runs `compute` for every block. False: the problem of the first sample that fails is set. */
bool tqa_call_compute(tqa_call *call, const tqa_host *host, void *scratch, size_t size,
                      tqa_block_compute *compute);

/* Keeps a malloc'ed text until the call is closed. False when text is NULL or memory is short. */
bool tqa_call_keep_text(tqa_call *call, char *text);

#define DECLARE(name, methods, ...) extern const tqa_operation_methods methods;
TQA_OPERATION_LIST(DECLARE)
#undef DECLARE

/* The library that factors matrices of this call that are beyond our own loops, and whose bits
 * differ between processors; NULL: there are none. */
const char *tqa_linear_algebra_of(const tqa_call *call);

#endif
