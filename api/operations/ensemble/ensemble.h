/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/ensemble.h - the request and the state of an ensemble. */
#ifndef TQA_OPERATIONS_ENSEMBLE_ENSEMBLE_H
#define TQA_OPERATIONS_ENSEMBLE_ENSEMBLE_H

#include "api/host.h"
#include "api/operations/simulate/simulate.h"
#include "core/ensemble/ensemble.h"
#include "core/ensemble/variation.h"

enum { TQA_DRAWS_MAX = 10000000, TQA_VALUES_MAX = 100000 };
enum { TQA_VARIATIONS_MAX = 64, TQA_QUANTILES_MAX = 32, TQA_MEMBERS_MAX_COUNT = 1 << 24 };

typedef struct tqa_ensemble {
    tqa_simulation *simulation; /* shared by all members */
    tq_variations vary;
    size_t n_point;      /* points of the product of lists */
    size_t n_member;     /* that run */
    tq_offsets offsets;  /* of torque, in the order of the variations */
    size_t first_offset; /* row of the first one among the auxiliary states */
    bool own_mechanisms; /* members have different models */
    bool varied_rows;    /* they do so side by side */
    bool own_effects;    /* members differ in gains or disturbances */
    size_t n_event;      /* that the request defines */
    bool in_lanes;       /* by tq_ensemble_run; else each by a tq_run */
    size_t n_level;
    double levels[TQA_QUANTILES_MAX]; /* of quantiles */
    size_t n_returned;
    size_t *returned; /* (n_returned) indices of the members whose motion is returned */
    bool end_states;

    /* records of blocks: rows (n_output x n_row x per), when each member ended (per), why (per);
     * with events see ensemble_block.h */
    size_t per; /* members of a block: 1 when each has a mechanism or steps of its own */
    size_t n_row, n_block, record; /* numbers of a record */
    double *times;                 /* (n_output) */
    double *records;               /* (n_block x record) */
    tq_status *status;             /* (n_block) */
    tq_error *errors;              /* (n_block) */
} tqa_ensemble;

/* Reads the request. False: the problem is set. */
bool tqa_ensemble_read(tqa_ensemble *e);
/* `vary`, once the plant is known. */
bool tqa_ensemble_read_variations(tqa_ensemble *e, const tqa_value *root);

/* Runs block b in a scratch of that size; its status stays in e->status[b]. */
void tqa_ensemble_run_block(tqa_ensemble *e, size_t b, void *memory, size_t size);
size_t tqa_ensemble_scratch_size(const tqa_ensemble *e);

/* Number c (0 .. n_row: q, then qd) of a member at output k, NAN once it has ended; and when. */
double tqa_ensemble_number(const tqa_ensemble *e, size_t member, size_t k, size_t c);
double tqa_ensemble_ended(const tqa_ensemble *e, size_t member);
tq_run_end tqa_ensemble_end(const tqa_ensemble *e, size_t member);

/* With events, or NULL: the last state of a member (n_row); how often it met each event (n_event);
 * which one stopped it, when tqa_ensemble_end is TQ_RUN_EVENT. */
const double *tqa_ensemble_last(const tqa_ensemble *e, size_t member);
const double *tqa_ensemble_events(const tqa_ensemble *e, size_t member);
size_t tqa_ensemble_stopped_by(const tqa_ensemble *e, size_t member);

/* Runs n blocks from `first` on, by all workers; `own`: scratch of this thread. Not DONE: the
 * problem is set. */
tqa_part_end tqa_ensemble_run_blocks(tqa_ensemble *e, size_t first, size_t n, void *own);
/* About how many steps a member takes. */
double tqa_ensemble_member_steps(const tqa_ensemble *e);

/* parts.c: whether the request is large enough for parts, and the host computes such; all of them.
 * False: the problem is set. */
bool tqa_ensemble_has_parts(const tqa_ensemble *e);
bool tqa_ensemble_run_parts(tqa_ensemble *e);

/* Statistics and the answer, once all blocks are done. False: the problem is set. */
bool tqa_ensemble_put(tqa_ensemble *e);

#endif
