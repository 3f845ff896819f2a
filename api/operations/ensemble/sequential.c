/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/sequential.c - members one by one: made differently, run by any method,
 * with
 * events. */
#include <math.h>
#include <string.h>

#include "api/operations/ensemble/block.h"
#include "core/dynamics/varied.h"
#include "core/model/inertia.h"

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

/* the mechanism of one member */
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
        if (e->variations[v].varied >= TQA_VARIED_MASS && e->variations[v].varied < TQA_VARIED_KP) {
            change(&model, &e->variations[v], tqa_ensemble_value(e, v, id));
        }
    }
    return tq_mechanism_build(&model, home, size, ret, reterr);
}

tq_status tqa_members_vary(const tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (size_t i = 0; i < b->n && status == TQ_OK; i++) {
        const size_t mark = tq_scratch_mark(scratch);
        const tq_mechanism *own = NULL;
        status = build(b->e, tqa_ensemble_id(b->e, b->first + i), scratch, &own, reterr);
        if (status == TQ_OK) {
            tq_varied_put(own, b->stride, i, b->varied);
        }
        tq_scratch_rewind(scratch, mark);
    }
    tq_block_pad(b->varied, tq_varied_rows(b->plant.mechanism), b->stride, b->n);
    return status;
}

static const tq_disturbance *disturbance_of(const tqa_ensemble *e, size_t v)
{
    return e->simulation->plant.effects[e->variations[v].row].ctx;
}

static size_t rows_of(const tqa_ensemble *e, const tq_disturbance *d)
{
    return d->is_wrench ? 6 : e->simulation->order.nv;
}

size_t tqa_member_make_size(const tqa_ensemble *e)
{
    const tqa_simulation *s = e->simulation;
    size_t n = e->own_mechanisms ? mechanism_cost(e) : 0;
    if (!e->own_effects) {
        return n;
    }
    n += tq_scratch_cost(s->plant.n_effect, sizeof(tq_effect)) +
         tq_scratch_cost(1, sizeof(tq_controller)) +
         tq_scratch_cost(TQA_GAINS * s->order.nv, sizeof(double));
    for (size_t v = 0; v < e->n_variation; v++) {
        if (e->variations[v].varied >= TQA_VARIED_SEED) {
            n += tq_scratch_cost(1, sizeof(tq_disturbance)) +
                 tq_scratch_cost(rows_of(e, disturbance_of(e, v)), sizeof(double));
        }
    }
    return n;
}

/* a controller of other gains */
static int tune(const tqa_ensemble *e, uint64_t id, tq_scratch *scratch, tq_effect *effects)
{
    const tqa_simulation *s = e->simulation;
    const size_t nv = s->order.nv;
    tq_controller *core = tq_scratch_take(scratch, 1, sizeof *core);
    double *gains = tq_scratch_take(scratch, TQA_GAINS * nv, sizeof *gains);
    if (core == NULL || gains == NULL) {
        return 0;
    }
    *core = s->controller.core;
    const double **to[TQA_GAINS] = {&core->kp, &core->kd, &core->ki, &core->lambda};
    for (unsigned g = 0; g < TQA_GAINS; g++) {
        if (*to[g] != NULL) {
            memcpy(gains + g * nv, *to[g], nv * sizeof *gains);
            *to[g] = gains + g * nv;
        }
    }
    for (size_t v = 0; v < e->n_variation; v++) {
        const tqa_variation *x = &e->variations[v];
        if (x->varied < TQA_VARIED_KP || x->varied > TQA_VARIED_LAMBDA) {
            continue;
        }
        double *row = gains + (size_t)(x->varied - TQA_VARIED_KP) * nv;
        const double factor = tqa_ensemble_value(e, v, id);
        for (size_t r = 0; r < nv; r++) {
            row[r] *= x->row == TQ_NONE || x->row == r ? factor : 1.0;
        }
    }
    for (size_t k = 0; k < s->plant.n_effect; k++) {
        effects[k].ctx = effects[k].ctx == &s->controller.core ? core : effects[k].ctx;
    }
    return 1;
}

/* a disturbance of another size, or other noise */
static int disturb(const tqa_ensemble *e, size_t v, uint64_t id, tq_scratch *scratch,
                   tq_effect *effect)
{
    const tq_disturbance *was = effect->ctx; /* an earlier variation may have changed it */
    const size_t n = rows_of(e, was);
    tq_disturbance *d = tq_scratch_take(scratch, 1, sizeof *d);
    double *size = tq_scratch_take(scratch, n, sizeof *size);
    if (d == NULL || size == NULL) {
        return 0;
    }
    const double value = tqa_ensemble_value(e, v, id);
    *d = *was;
    effect->ctx = d;
    if (e->variations[v].varied == TQA_VARIED_SEED) {
        d->seed = (uint64_t)value;
        return 1;
    }
    for (size_t r = 0; r < n; r++) {
        size[r] = was->size[r] * value;
    }
    d->size = size;
    return 1;
}

static tq_status change_effects(tqa_ensemble_block *b, uint64_t id, tq_scratch *scratch,
                                tq_error *reterr)
{
    const tqa_ensemble *e = b->e;
    const size_t n = b->plant.n_effect;
    tq_effect *effects = tq_scratch_take(scratch, n, sizeof *effects);
    int made = effects != NULL;
    if (made) {
        memcpy(effects, b->plant.effects, n * sizeof *effects);
        made = tune(e, id, scratch, effects);
    }
    for (size_t v = 0; v < e->n_variation && made; v++) {
        if (e->variations[v].varied >= TQA_VARIED_SEED) {
            made = disturb(e, v, id, scratch, &effects[e->variations[v].row]);
        }
    }
    b->plant.effects = effects;
    return made ? TQ_OK
                : tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tqa_member_make_size(e));
}

tq_status tqa_member_make(tqa_ensemble_block *b, tq_scratch *scratch, tq_error *reterr)
{
    const uint64_t id = tqa_ensemble_id(b->e, b->first);
    tq_status status = TQ_OK;
    if (b->e->own_mechanisms && !b->e->varied_rows) {
        status = build(b->e, id, scratch, &b->plant.mechanism, reterr);
    }
    return status == TQ_OK && b->e->own_effects ? change_effects(b, id, scratch, reterr) : status;
}

/* ------------------------------------------------------------------------------------------------
 * A run
 */

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
