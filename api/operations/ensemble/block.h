/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/block.h - a block of members while it runs: private to ensembles. */
#ifndef TQA_OPERATIONS_ENSEMBLE_BLOCK_H
#define TQA_OPERATIONS_ENSEMBLE_BLOCK_H

#include "api/operations/ensemble/ensemble.h"

typedef struct tqa_ensemble_block {
    const tqa_ensemble *e;
    size_t first, n, stride; /* members; lanes of the states */
    double *q, *qd, *z, *held;
    double *varied; /* with e->varied_rows */
    double *record; /* where its rows begin, then what else e->record holds */
    tq_plant plant;
} tqa_ensemble_block;

/* The first member by a run of its own: any method, events, joints that stick. Rows as a block of
 * one has them. */
tq_status tqa_member_run(const tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr);

/* Whether the job is to stop; of a tqa_tree. */
int tqa_ensemble_cancelled(void *tree);

/* Offsets in a record of e->record numbers: when members ended, why, and, with events, the last
 * state of one member, the event that stopped it (-1: none), and how often it met each. */
static inline double *tqa_record_ended(const tqa_ensemble *e, double *record)
{
    return record + e->simulation->n_output * e->n_row * e->per;
}
static inline double *tqa_record_end(const tqa_ensemble *e, double *record)
{
    return tqa_record_ended(e, record) + e->per;
}
static inline double *tqa_record_last(const tqa_ensemble *e, double *record)
{
    return tqa_record_end(e, record) + e->per;
}
static inline double *tqa_record_events(const tqa_ensemble *e, double *record)
{
    return tqa_record_last(e, record) + e->n_row;
}

#endif
