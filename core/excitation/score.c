/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/score.c - condition, determinant and expected torque error of a motion. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/excitation/excitation_private.h"
#include "core/linalg/dense.h"
#include "core/plant/noise.h"

enum {
    SCORE_POINTS = 20, /* per period of the highest harmonic, where torque is evaluated */
    STATES = 400,      /* at which the torque error is expected */
};

/* of the limit of effort, or of the rms torque where there is none */
static const double noise_share = 0.01;

size_t tq_excitation_samples(const tq_excitation_task *task)
{
    return SCORE_POINTS * task->n_harmonic;
}

/* lower triangle of `normal` += factor row^T row */
static void add_row(size_t n, const double *row, double factor, double *normal)
{
    for (size_t c = 0; c < n; c++) {
        const double x = factor * row[c];
        for (size_t d = 0; x != 0.0 && d <= c; d++) {
            normal[c * n + d] += x * row[d];
        }
    }
}

/* Regressor of the room's q, qd, qdd, and the torque of the expected parameters. */
tq_status tq_excitation_rows(tq_excitation *search, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t n_full = task->base->n_parameter;
    const tq_regressor_input in = {
        .q = room->q, .qd = room->qd, .qdd = room->qdd, .gravity = task->gravity};
    tq_scratch_init(&room->scratch, room->rest, room->n_rest);
    const tq_status status =
        tq_regressor(task->model, task->with, &in, &room->scratch, room->y, reterr);
    for (size_t v = 0; status == TQ_OK && v < task->model->nv; v++) {
        room->tau[v] = 0.0;
        for (size_t c = 0; c < n_full; c++) {
            room->tau[v] += room->y[v * n_full + c] * task->values[c];
        }
    }
    return status;
}

void tq_excitation_add_rows(const tq_excitation *search, bool over_noise, double factor,
                            double *normal)
{
    const tq_excitation_task *task = &search->task;
    const struct tq_excitation_room *room = search->room;
    const size_t n = task->base->n_base;
    for (size_t v = 0; v < task->model->nv; v++) {
        const double *y = room->y + v * task->base->n_parameter;
        const double weight = over_noise ? 1.0 / (room->noise[v] * room->noise[v]) : 1.0;
        for (size_t c = 0; c < n; c++) {
            room->row[c] = y[task->base->independent[c]];
        }
        add_row(n, room->row, factor * weight, normal);
    }
}

/* normal += rows of the samples of a motion, of weight `factor`; excess: the largest torque over
 * its limit, minus 1; NULL: not asked for. */
static tq_status add_motion(tq_excitation *search, const tq_fourier *motion, bool over_noise,
                            double factor, double *normal, double *excess, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t n_sample = SCORE_POINTS * motion->n_harmonic;
    for (size_t i = 0; i < n_sample; i++) {
        const double t = (double)i / (double)n_sample / motion->frequency;
        tq_fourier_at(motion, t, room->q, room->qd, room->qdd);
        const tq_status status = tq_excitation_rows(search, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t v = 0; excess != NULL && v < task->model->nv; v++) {
            *excess = fmax(*excess, fabs(room->tau[v]) / task->effort[v] - 1.0);
        }
        tq_excitation_add_rows(search, over_noise, factor, normal);
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * What the whole search needs
 */

static double uniform(uint64_t seed, uint64_t stream, uint64_t k)
{
    return (double)(tq_noise_bits(seed, stream, k) >> 11) * 0x1p-53;
}

/* State `i`: uniform within the limits; where there is no limit, rates of a motion over the whole
 * range at the highest harmonic. */
static void draw_state(tq_excitation *search, size_t i)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const double w = 2.0 * M_PI * task->frequency * (double)task->n_harmonic;
    for (size_t v = 0; v < task->model->nv; v++) {
        const double range = task->upper[v] - task->lower[v];
        const double velocity = isfinite(task->velocity[v]) ? task->velocity[v] : 0.5 * range * w;
        const double acceleration =
            isfinite(task->acceleration[v]) ? task->acceleration[v] : velocity * w;
        const uint64_t stream = UINT64_MAX - i; /* tries count from 0 */
        room->q[v] = task->lower[v] + range * uniform(task->seed, stream, 3 * v);
        room->qd[v] = velocity * (2.0 * uniform(task->seed, stream, 3 * v + 1) - 1.0);
        room->qdd[v] = acceleration * (2.0 * uniform(task->seed, stream, 3 * v + 2) - 1.0);
    }
}

static tq_status find_noise(tq_excitation *search, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    double *noise = search->room->noise;
    const double *tau = search->room->tau;
    const size_t nv = task->model->nv;
    if (task->noise != NULL) {
        memcpy(noise, task->noise, nv * sizeof *noise);
        return TQ_OK;
    }
    memset(noise, 0, nv * sizeof *noise);
    for (size_t i = 0; i < STATES; i++) {
        draw_state(search, i);
        const tq_status status = tq_excitation_rows(search, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t v = 0; v < nv; v++) {
            noise[v] += tau[v] * tau[v] / (double)STATES;
        }
    }
    for (size_t v = 0; v < nv; v++) {
        const double size = isfinite(task->effort[v]) ? task->effort[v] : sqrt(noise[v]);
        noise[v] = size > 0.0 ? noise_share * size : 1.0;
    }
    return TQ_OK;
}

/* demand = mean over states and joints of y^T y / noise^2 */
static tq_status find_demand(tq_excitation *search, tq_error *reterr)
{
    const size_t nv = search->task.model->nv, n = search->task.base->n_base;
    struct tq_excitation_room *room = search->room;
    const size_t n_wanted = search->task.n_wanted, n_state = n_wanted > 0 ? n_wanted : STATES;
    memset(room->demand, 0, n * n * sizeof *room->demand);
    for (size_t i = 0; i < n_state; i++) {
        if (n_wanted > 0) {
            const double *state = search->task.wanted + 3 * nv * i;
            memcpy(room->q, state, nv * sizeof *room->q);
            memcpy(room->qd, state + nv, nv * sizeof *room->qd);
            memcpy(room->qdd, state + 2 * nv, nv * sizeof *room->qdd);
        } else {
            draw_state(search, i);
        }
        const tq_status status = tq_excitation_rows(search, reterr);
        if (status != TQ_OK) {
            return status;
        }
        tq_excitation_add_rows(search, true, 1.0 / ((double)n_state * (double)nv), room->demand);
    }
    return TQ_OK;
}

tq_status tq_excitation_prepare(tq_excitation *search, tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t n = task->base->n_base;
    tq_status status = find_noise(search, reterr);
    status = status == TQ_OK ? find_demand(search, reterr) : status;
    for (unsigned k = 0; k < 2 && task->n_recorded > 0; k++) {
        memset(room->recorded[k], 0, n * n * sizeof(double));
        for (size_t m = 0; m < task->n_recorded && status == TQ_OK; m++) {
            /* all are sampled at one rate: the weight of a sample is the time that it is for */
            const tq_fourier *motion = &task->recorded[m];
            const double each = 1.0 / motion->frequency / (double)motion->n_harmonic;
            const double own = 1.0 / task->frequency / (double)task->n_harmonic;
            status =
                add_motion(search, motion, k == 1, each / own, room->recorded[k], NULL, reterr);
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * One motion
 */

bool tq_excitation_scale(size_t n, const double *normal, double *scaled)
{
    for (size_t c = 0; c < n; c++) {
        if (!(normal[c * n + c] > 0.0)) {
            return false;
        }
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            const double entry = c >= d ? normal[c * n + d] : normal[d * n + c];
            scaled[c * n + d] = entry / sqrt(normal[c * n + c]) / sqrt(normal[d * n + d]);
        }
    }
    return true;
}

/* Condition number and information, of rows as they are. */
static tq_status find_condition(tq_excitation *search, tq_excitation_score *ret, tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    const size_t n = search->task.base->n_base;
    ret->condition = HUGE_VAL;
    ret->information = -HUGE_VAL;
    if (!tq_excitation_scale(n, room->normal, room->scaled)) {
        return TQ_OK;
    }
    tq_scratch_init(&room->scratch, room->rest, room->n_rest);
    const tq_status status =
        tq_eigenvalues_symmetric(n, room->scaled, n, &room->scratch, room->eigenvalues, reterr);
    const double *values = room->eigenvalues;
    /* the normal matrix has the squared condition number: below its rounding the rank is
     * unknown */
    if (status != TQ_OK || !(values[0] > (double)n * DBL_EPSILON * values[n - 1])) {
        return status;
    }
    ret->condition = sqrt(values[n - 1] / values[0]);
    ret->information = 0.0;
    for (size_t c = 0; c < n; c++) {
        ret->information += tq_log(room->normal[c * n + c]);
    }
    for (size_t c = 0; c < n; c++) {
        ret->information += tq_log(values[c]);
    }
    return TQ_OK;
}

/* sqrt(tr(demand N^-1)), N of rows over the noise: an I-optimal design's criterion. */
static void find_torque_error(tq_excitation *search, tq_excitation_score *ret)
{
    struct tq_excitation_room *room = search->room;
    const size_t n = search->task.base->n_base;
    ret->torque_error = HUGE_VAL;
    if (!tq_excitation_scale(n, room->normal, room->scaled) ||
        tq_cholesky_factor(n, room->scaled, n, NULL) != TQ_OK) {
        return;
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            const double entry = c >= d ? room->demand[c * n + d] : room->demand[d * n + c];
            room->solved[c * n + d] =
                entry / sqrt(room->normal[c * n + c]) / sqrt(room->normal[d * n + d]);
        }
    }
    if (tq_cholesky_solve(n, n, room->scaled, n, room->solved, n, NULL) != TQ_OK) {
        return;
    }
    double trace = 0.0;
    for (size_t c = 0; c < n; c++) {
        trace += room->solved[c * n + c];
    }
    ret->torque_error = trace >= 0.0 ? sqrt(trace) : HUGE_VAL;
}

tq_status tq_excitation_judge(tq_excitation *search, bool over_noise, tq_excitation_score *ret,
                              tq_error *reterr)
{
    if (!over_noise) {
        return find_condition(search, ret, reterr);
    }
    find_torque_error(search, ret);
    return TQ_OK;
}

tq_fourier tq_excitation_tested(const tq_excitation *search)
{
    tq_fourier motion = search->motion;
    motion.offset = search->room->offset, motion.a = search->room->a, motion.b = search->room->b;
    return motion;
}

tq_status tq_excitation_measure(tq_excitation *search, bool complete, tq_excitation_score *ret,
                                tq_error *reterr)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t n = task->base->n_base;
    const tq_fourier motion = tq_excitation_tested(search);
    *ret = (tq_excitation_score){HUGE_VAL, -HUGE_VAL, HUGE_VAL, -1.0, HUGE_VAL};
    for (unsigned k = 0; k < 2; k++) {
        const bool over_noise = k == 1;
        if (!complete && over_noise != (task->criterion == TQ_EXCITATION_TORQUE_ERROR)) {
            continue;
        }
        if (task->n_recorded > 0) {
            memcpy(room->normal, room->recorded[k], n * n * sizeof *room->normal);
        } else {
            memset(room->normal, 0, n * n * sizeof *room->normal);
        }
        tq_status status =
            add_motion(search, &motion, over_noise, 1.0, room->normal, &ret->excess, reterr);
        if (status == TQ_OK && (!over_noise || isfinite(complete ? ret->condition : 0.0))) {
            status = tq_excitation_judge(search, over_noise, ret, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
    }
    return task->clearance == NULL ? TQ_OK
                                   : tq_clearance_of(search, &motion, &ret->distance, reterr);
}
