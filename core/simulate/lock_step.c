/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/lock_step.c - periods of held torque, a ring of states, sensors that read it. */
#include "core/simulate/lock_step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/plant/noise.h"
#include "core/plant/state.h"

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    (void)scratch;
    (void)reterr;
    const tq_held_torque *held = ctx;
    for (size_t r = 0; r < held->nv; r++) {
        for (size_t i = 0; i < at->n_sample; i++) {
            to->tau[r * at->stride + i] += held->tau[r];
        }
    }
    return TQ_OK;
}

tq_effect tq_held_torque_effect(tq_held_torque *held)
{
    return (tq_effect){.ctx = held, .act = act, .timeless = 1};
}

/* ---------------------------------------------------------------------------------- records */

/* q, qd, command and torque, then the saved run */
static size_t row_bytes(const tq_model *model)
{
    return ((size_t)model->nq + 3u * (size_t)model->nv) * sizeof(double);
}

static size_t record_size(const tq_run *run, const tq_model *model)
{
    return (row_bytes(model) + tq_run_save_size(run) + 7) / 8 * 8;
}

/* maximum delay of sensors and actuators, steps */
static uint32_t reach_of(const tq_lock_step_options *options)
{
    uint32_t most = options->actuator_delay;
    for (unsigned k = 0; k < TQ_SENSORS; k++) {
        most = options->sensors[k].delay > most ? options->sensors[k].delay : most;
    }
    return most;
}

/* number of records: history, delays before it, and the present state */
static size_t ring_length(const tq_lock_step_options *options)
{
    return options->history + reach_of(options) + 1;
}

size_t tq_lock_step_size(const tq_run *run, const tq_model *model,
                         const tq_lock_step_options *options)
{
    return record_size(run, model) * (ring_length(options) + 1);
}

static unsigned char *record_of(const tq_lock_step *of, uint64_t step)
{
    return step == 0 ? of->beginning : of->ring + (size_t)(step % of->n_record) * of->record_size;
}

static double *q_of(unsigned char *record)
{
    return (double *)(void *)record;
}

static double *qd_of(const tq_lock_step *of, unsigned char *record)
{
    return q_of(record) + of->model->nq;
}

static double *command_of(const tq_lock_step *of, unsigned char *record)
{
    return qd_of(of, record) + of->model->nv;
}

static double *torque_of(const tq_lock_step *of, unsigned char *record)
{
    return command_of(of, record) + of->model->nv;
}

/* writes the present state into its record */
static void save(tq_lock_step *of)
{
    unsigned char *record = record_of(of, of->step);
    const tq_trajectories *state = of->run->state;
    for (size_t k = 0; k < of->model->nq; k++) {
        q_of(record)[k] = state->q[k * state->stride];
    }
    for (size_t k = 0; k < of->model->nv; k++) {
        qd_of(of, record)[k] = state->qd[k * state->stride];
    }
    tq_run_save(of->run, record + row_bytes(of->model));
}

void tq_lock_step_open(tq_run *run, tq_held_torque *held, const tq_model *model,
                       const tq_lock_step_options *options, void *memory, tq_lock_step *ret)
{
    assert(run->t == 0.0 && held->nv == model->nv);
    *ret = (tq_lock_step){.run = run,
                          .held = held,
                          .model = model,
                          .options = *options,
                          .n_saved = tq_run_save_size(run),
                          .record_size = record_size(run, model),
                          .n_record = ring_length(options),
                          .beginning = memory};
    ret->ring = ret->beginning + ret->record_size;
    memset(ret->beginning, 0, ret->record_size);
    save(ret);
}

/* -------------------------------------------------------------------------------------- steps */

/* torque of the period that ends at `step`: the command `delay` periods earlier, within the limits
 */
static void set_torque(tq_lock_step *of, uint64_t step)
{
    const uint32_t delay = of->options.actuator_delay;
    unsigned char *record = record_of(of, step);
    const double *command = step > delay ? command_of(of, record_of(of, step - delay)) : NULL;
    for (size_t k = 0; k < of->model->nv; k++) {
        const double limit = of->options.limit != NULL ? of->options.limit[k] : (double)INFINITY;
        const double tau = command != NULL ? command[k] : 0.0;
        of->held->tau[k] = fmax(-limit, fmin(limit, tau));
        torque_of(of, record)[k] = of->held->tau[k];
    }
}

/* Step 0 starts the run again: which joints stick there depends on the first torque. */
static int restart(tq_lock_step *of)
{
    unsigned char *record = of->beginning;
    return tq_run_start(of->run, 0.0, q_of(record), qd_of(of, record), NULL) == TQ_OK;
}

int tq_lock_step_advance(tq_lock_step *of, const double *tau)
{
    const uint64_t next = of->step + 1;
    memcpy(command_of(of, record_of(of, next)), tau, of->model->nv * sizeof *tau);
    set_torque(of, next);
    const int going =
        (of->step > 0 || restart(of)) && tq_run_to(of->run, (double)next * of->options.period, 1);
    of->step = next;
    if (next - of->oldest >= of->n_record) {
        of->oldest = next - of->n_record + 1;
    }
    save(of);
    return going;
}

uint64_t tq_lock_step_least(const tq_lock_step *of)
{
    const uint64_t back = of->options.history;
    const uint64_t first = of->step > back ? of->step - back : 0;
    /* after a rewind the ring holds fewer steps before the present */
    const uint64_t kept = of->oldest > 0 ? of->oldest + reach_of(&of->options) : 0;
    return first > kept ? first : kept;
}

static int has(const tq_lock_step *of, uint64_t step)
{
    return step <= of->step && (step == 0 || step >= tq_lock_step_least(of));
}

static int load(tq_lock_step *of, uint64_t step)
{
    unsigned char *record = record_of(of, step);
    if (!tq_run_load(of->run, record + row_bytes(of->model), of->n_saved)) {
        return 0;
    }
    memcpy(of->held->tau, torque_of(of, record), of->model->nv * sizeof *of->held->tau);
    of->step = step;
    return 1;
}

int tq_lock_step_rewind(tq_lock_step *of, uint64_t step)
{
    if (!has(of, step)) {
        return 0;
    }
    if (step == 0) {
        of->oldest = 0;
    }
    return load(of, step);
}

int tq_lock_step_copy(tq_lock_step *to, const tq_lock_step *from, uint64_t step)
{
    if (!has(from, step) || to->record_size != from->record_size ||
        to->n_record != from->n_record || to->n_saved != from->n_saved) {
        return 0;
    }
    const size_t size = to->record_size;
    memcpy(to->beginning, from->beginning, size);
    for (uint64_t k = from->oldest > 0 ? from->oldest : 1; k <= step; k++) {
        memcpy(record_of(to, k), record_of(from, k), size);
    }
    to->oldest = step == 0 ? 0 : from->oldest;
    return load(to, step);
}

/* ------------------------------------------------------------------------------------ sensors */

const double *tq_lock_step_torque(const tq_lock_step *of)
{
    return torque_of(of, record_of(of, of->step));
}

void tq_lock_step_pending(const tq_lock_step *of, uint32_t ago, double *ret_tau)
{
    const size_t n = of->model->nv * sizeof *ret_tau;
    if (of->step > ago) {
        memcpy(ret_tau, command_of(of, record_of(of, of->step - ago)), n);
    } else {
        memset(ret_tau, 0, n);
    }
}

static double at(const double *rows, size_t k)
{
    return rows != NULL ? rows[k] : 0.0;
}

static double round_to(double x, double resolution)
{
    return resolution > 0.0 ? resolution * floor(x / resolution + 0.5) : x;
}

/* adds noise to a joint's coordinates, along its velocities, from row `row` of the random stream on
 */
static void add_to_joint(const tq_lock_step *of, const tq_sensor *sensor, const tq_joint *joint,
                         double *q)
{
    double moved[7];
    for (unsigned k = 0; k < joint->nv; k++) {
        const size_t row = joint->v_index + k;
        const double noise = at(sensor->noise, row);
        if (noise > 0.0) {
            tq_state_integrate(joint, q, k,
                               noise * tq_noise_normal(of->options.seed, row, of->step), moved);
            memcpy(q, moved, joint->nq * sizeof *q);
        }
        if (joint->nq == joint->nv) {
            q[k] = round_to(q[k], at(sensor->resolution, row));
        }
    }
}

void tq_lock_step_read(const tq_lock_step *of, tq_sensor_kind kind, double *ret)
{
    const tq_sensor *sensor = &of->options.sensors[kind];
    const tq_model *model = of->model;
    unsigned char *record = record_of(of, of->step > sensor->delay ? of->step - sensor->delay : 0);
    if (kind == TQ_SENSOR_Q) {
        memcpy(ret, q_of(record), model->nq * sizeof *ret);
        for (uint32_t j = 0; j < model->n_joint; j++) {
            add_to_joint(of, sensor, &model->joints[j], ret + model->joints[j].q_index);
        }
        return;
    }
    const double *from = kind == TQ_SENSOR_QD ? qd_of(of, record) : torque_of(of, record);
    for (size_t k = 0; k < model->nv; k++) {
        const uint64_t stream = (uint64_t)kind << 32 | k;
        const double noise = at(sensor->noise, k);
        const double x = noise > 0.0
                             ? from[k] + noise * tq_noise_normal(of->options.seed, stream, of->step)
                             : from[k];
        ret[k] = round_to(x, at(sensor->resolution, k));
    }
}
