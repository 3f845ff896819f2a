/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/run_open.c - memory of a run, and its integrator. */
#include <assert.h>
#include <string.h>

#include "core/contact/contact.h"
#include "core/dynamics/energy.h"
#include "core/integrate/fixed_step.h"
#include "core/integrate/midpoint.h"
#include "core/plant/stiction.h"
#include "core/simulate/run_private.h"

static void set_tolerances(const tq_run_private *p)
{
    for (size_t k = 0; k < p->n; k++) {
        p->atol[k] = p->options.atol;
    }
    double *z = p->atol + p->n - p->n_z;
    for (size_t e = 0; e < p->plant->n_effect; e++) {
        const tq_effect *effect = &p->plant->effects[e];
        for (size_t k = 0; k < effect->n_z; k++, z++) {
            *z = effect->z_abs != NULL ? effect->z_abs[k] : *z;
        }
    }
}

static int take_block(const tq_run_private *p, tq_scratch *scratch, tq_run_block *ret)
{
    const size_t nq = p->model->nq * TQ_RUN_LANE;
    const size_t nv = p->model->nv * TQ_RUN_LANE;
    const size_t nz = p->n_z * TQ_RUN_LANE;
    double *q = tq_scratch_take(scratch, 2 * nq, sizeof *q);
    double *qd = tq_scratch_take(scratch, 2 * nv, sizeof *qd);
    double *z = tq_scratch_take(scratch, 2 * nz, sizeof *z);
    double *held = tq_scratch_take(scratch, p->n_held * TQ_RUN_LANE, sizeof *held);
    if (q == NULL || qd == NULL || z == NULL || held == NULL) {
        return 0;
    }
    memset(held, 0, p->n_held * TQ_RUN_LANE * sizeof *held);
    ret->as = (tq_trajectories){
        .n_sample = 1, .stride = TQ_RUN_LANE, .q = q, .qd = qd, .z = z, .held = held};
    ret->rates = (tq_rates){.q = q + nq, .qd = qd + nv, .z = z + nz};
    return 1;
}

int tq_run_sticks(const tq_plant *plant, uint32_t which)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    if ((plant->without & TQ_WITHOUT_FRICTION) != 0) {
        return 0;
    }
    return which < model->n_joint ? tq_can_stick(&model->joints[which])
                                  : plant->constraints == NULL && plant->contacts == NULL &&
                                        tq_tendon_can_stick(model, which - model->n_joint);
}

/* true if joints may stick, or rest on limits */
static int has_modes(const tq_plant *plant, const tq_run_options *options)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    int modes = 0;
    for (size_t k = 0; k < options->n_rule; k++) {
        modes |= options->rules[k].action == TQ_EVENT_BOUNCE;
    }
    for (uint32_t j = 0; j < tq_run_stickers(model); j++) {
        modes |= tq_run_sticks(plant, j);
    }
    return modes && model->nv <= TQ_LOCKED_MAX;
}

static size_t numbers_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return model->nq + model->nv + tq_plant_n_z(plant);
}

static size_t watch_scratch(const tq_plant *plant, const tq_run_options *options)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t n_sticker = tq_run_stickers(model), n = options->n_rule + n_sticker;
    return 2 * tq_scratch_cost(n_sticker, 1) + tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost(7 * n, sizeof(double)) +
           tq_scratch_cost(2 * numbers_of(plant), sizeof(double)) +
           2 * tq_scratch_cost(model->nv * TQ_RUN_LANE, sizeof(double)) +
           tq_energy_scratch_size(plant->mechanism);
}

size_t tq_run_scratch_size(const tq_plant *plant, const tq_run_options *options)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t n = numbers_of(plant);
    const size_t lane = TQ_RUN_LANE;
    const size_t blocks = 2 * (tq_scratch_cost(2 * model->nq * lane, sizeof(double)) +
                               tq_scratch_cost(2 * model->nv * lane, sizeof(double)) +
                               tq_scratch_cost(2 * tq_plant_n_z(plant) * lane, sizeof(double)) +
                               tq_scratch_cost(tq_plant_n_held(plant) * lane, sizeof(double)));
    const size_t work = options->method == TQ_RUN_MIDPOINT ? tq_midpoint_scratch_size(plant)
                        : options->method == TQ_RUN_MOREAU
                            ? tq_contact_step_scratch_size(plant)
                            : tq_fixed_step_scratch_size(plant, lane);
    return tq_scratch_cost(1, sizeof(tq_run_private)) + 3 * tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost(plant->n_effect, sizeof(uint64_t)) + blocks +
           watch_scratch(plant, options) + tq_ode_scratch_size(n) + work;
}

static tq_status open_ode(tq_run_private *p, tq_scratch *scratch, tq_error *reterr)
{
    static const tq_ode_method method[] = {TQ_ODE_DOPRI87, TQ_ODE_DOPRI45, TQ_ODE_SDIRK,
                                           TQ_ODE_BDF};
    set_tolerances(p);
    const int projects = p->model->nq != p->model->nv || p->plant->constraints != NULL;
    const tq_ode_problem problem = {.n = p->n,
                                    .rate = tq_run_ode_rate,
                                    .project = projects ? tq_run_project : NULL,
                                    .ctx = p,
                                    .rtol = p->options.rtol,
                                    .atol = p->atol,
                                    .max_step = p->options.max_step};
    return tq_ode_open(&problem, method[p->options.method], scratch, &p->ode, reterr);
}

static int open_watch(tq_run_private *p, tq_scratch *scratch)
{
    const size_t n_sticker = tq_run_stickers(p->model), n = p->options.n_rule + n_sticker;
    const int modes = has_modes(p->plant, &p->options);
    if (!modes && p->options.n_rule == 0) {
        return 1;
    }
    p->n_watch = n;
    signed char *mode = tq_scratch_take(scratch, n_sticker, 1);
    p->fresh_stuck = tq_scratch_take(scratch, n_sticker, 1);
    p->side = tq_scratch_take(scratch, n, sizeof(double));
    p->gauge = tq_scratch_take(scratch, 7 * n, sizeof(double));
    p->spare = tq_scratch_take(scratch, 2 * p->n, sizeof(double));
    p->tau = tq_scratch_take(scratch, p->model->nv * TQ_RUN_LANE, sizeof(double));
    p->hold = tq_scratch_take(scratch, ((size_t)p->model->nv + p->model->n_tendon) * TQ_RUN_LANE,
                              sizeof(double));
    if (mode == NULL || p->fresh_stuck == NULL || p->side == NULL || p->gauge == NULL ||
        p->spare == NULL || p->tau == NULL || p->hold == NULL) {
        return 0;
    }
    memset(mode, TQ_MODE_FREE, n_sticker);
    memset(p->fresh_stuck, 0, n_sticker);
    if (modes) {
        p->mode = mode;
        p->now.as.mode = mode;
        p->inner.as.mode = mode;
    }
    return 1;
}

static tq_status open_room(tq_run_private *p, tq_scratch *scratch, tq_error *reterr)
{
    p->y = tq_scratch_take(scratch, p->n, sizeof(double));
    p->atol = tq_scratch_take(scratch, p->n, sizeof(double));
    p->ahead = tq_scratch_take(scratch, p->n, sizeof(double));
    p->due = tq_scratch_take(scratch, p->plant->n_effect, sizeof *p->due);
    if (p->y == NULL || p->atol == NULL || p->ahead == NULL || p->due == NULL ||
        !take_block(p, scratch, &p->now) || !take_block(p, scratch, &p->inner)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_run_scratch_size(p->plant, &p->options));
    }
    p->inner.as.held = p->now.as.held;
    if (!open_watch(p, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_run_scratch_size(p->plant, &p->options));
    }
    return tq_run_is_adaptive(p->options.method) ? open_ode(p, scratch, reterr) : TQ_OK;
}

tq_status tq_run_open(const tq_plant *plant, const tq_run_options *options, tq_scratch *scratch,
                      tq_run **ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    assert(options->method < TQ_RUN_METHODS);
    assert((options->method == TQ_RUN_MOREAU) == (plant->contacts != NULL));
    if (options->method == TQ_RUN_MIDPOINT) {
        for (uint32_t j = 0; j < model->n_joint; j++) {
            if (model->joints[j].nq != model->joints[j].nv) {
                return tq_fail(reterr, TQ_ERR_SHAPE, "joint", j, 0.0);
            }
        }
    }
    for (size_t k = 0; k < options->n_rule; k++) {
        if (options->rules[k].action == TQ_EVENT_BOUNCE &&
            (plant->constraints != NULL || model->nv > TQ_LOCKED_MAX)) {
            return tq_fail(reterr, TQ_ERR_SHAPE, "bounce", k, 0.0);
        }
    }
    const size_t mark = tq_scratch_mark(scratch);
    tq_run_private *p = tq_scratch_take(scratch, 1, sizeof *p);
    if (p == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_run_scratch_size(plant, options));
    }
    *p = (tq_run_private){.plant = plant,
                          .model = model,
                          .options = *options,
                          .scratch = scratch,
                          .n = numbers_of(plant),
                          .n_z = tq_plant_n_z(plant),
                          .n_held = tq_plant_n_held(plant)};
    const tq_status status = open_room(p, scratch, reterr);
    if (status != TQ_OK) {
        tq_scratch_rewind(scratch, mark);
        return status;
    }
    p->run.state = &p->now.as;
    p->run.joint = TQ_NONE;
    p->run.own = p;
    *ret = &p->run;
    return TQ_OK;
}

void tq_run_close(tq_run *run)
{
    if (run != NULL) {
        tq_ode_close(run->own->ode);
    }
}
