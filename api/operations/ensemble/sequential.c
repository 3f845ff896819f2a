/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/sequential.c - members one by one: run by any method, with events. */
#include <math.h>
#include <string.h>

#include "api/operations/ensemble/block.h"

/* receives the events of a run */
typedef struct listener {
    const tqa_ensemble *e;
    double *events; /* of the record */
} listener;

static int tick(void *ctx, double t)
{
    (void)t;
    return tqa_ensemble_cancelled(((const listener *)ctx)->e->simulation->tree);
}

static void on_event(void *ctx, const tq_event *event)
{
    const listener *l = ctx;
    const tqa_events_watch *watch = &l->e->simulation->watch;
    if (event->rule == TQ_NONE || l->e->n_event == 0) { /* dry friction */
        return;
    }
    const uint32_t asked = watch->asked[event->rule];
    l->events[1 + asked] += 1.0;
    if (watch->rules[event->rule].action == TQ_EVENT_STOP) {
        l->events[0] = (double)asked;
    }
}

static void put_state(const tqa_ensemble *e, const tq_run *run, double *row)
{
    const size_t nq = e->simulation->order.nq;
    for (size_t r = 0; r < e->n_row; r++) {
        row[r] = r < nq ? run->state->q[r * TQ_BLOCK_PAD] : run->state->qd[(r - nq) * TQ_BLOCK_PAD];
    }
}

/* from output to output */
static void follow(const tqa_ensemble_block *b, tq_run *run, tq_status status)
{
    const tqa_ensemble *e = b->e;
    double *ended = tqa_record_ended(e, b->record), *end = tqa_record_end(e, b->record);
    *ended = (double)INFINITY;
    *end = (double)TQ_RUN_GOES_ON;
    for (size_t k = 0; k < e->simulation->n_output; k++) {
        double *row = b->record + k * e->n_row;
        if (isinf(*ended) && (status != TQ_OK || !tq_run_to(run, e->times[k], 0))) {
            *ended = run->t;
            *end = (double)(run->end != TQ_RUN_GOES_ON ? run->end : TQ_RUN_REFUSED);
        }
        put_state(e, run, row);
        for (size_t r = 0; r < e->n_row && !isinf(*ended); r++) {
            row[r] = (double)NAN;
        }
    }
    if (e->n_event > 0) {
        put_state(e, run, tqa_record_last(e, b->record));
    }
}

/* rows of lanes brought together in place: row r is first read at 8 r >= r */
static void gather(double *rows, size_t n, size_t stride)
{
    for (size_t r = 0; r < n; r++) {
        rows[r] = rows[r * stride];
    }
}

tq_status tqa_member_run(const tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr)
{
    const tqa_simulation *s = b->e->simulation;
    const size_t n_z = tq_plant_n_z(&b->plant);
    listener ears = {.e = b->e, .events = tqa_record_events(b->e, b->record)};
    tq_run_options options = s->options;
    options.tick = tick;
    options.on_event = on_event;
    options.ctx = &ears;
    for (size_t k = 0; k < b->e->n_event; k++) {
        ears.events[1 + k] = 0.0;
    }
    if (b->e->n_event > 0) {
        ears.events[0] = -1.0;
    }
    tq_run *run = NULL;
    /* a start that cannot be brought onto the constraints ends there */
    const tq_trajectories at = {.n_sample = 1, .stride = b->stride, .q = b->q, .qd = b->qd};
    const tq_status projected = tq_plant_project(&b->plant, &at, scratch, reterr);
    tq_status status = tq_run_open(&b->plant, &options, scratch, &run, reterr);
    if (status != TQ_OK) {
        return status;
    }
    gather(b->q, s->order.nq, b->stride);
    gather(b->qd, s->order.nv, b->stride);
    gather(b->z, n_z, b->stride);
    status = tq_run_start(run, b->e->times[0], b->q, b->qd, n_z > 0 ? b->z : NULL);
    follow(b, run, projected != TQ_OK ? projected : status);
    status = run->end == TQ_RUN_STOPPED || tq_scratch_is_stopped(scratch)
                 ? tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0)
             : run->status == TQ_ERR_MEMORY
                 ? tq_fail(reterr, TQ_ERR_MEMORY, "integrator", 0, (double)s->order.nv)
                 : TQ_OK;
    tq_run_close(run);
    return status;
}
