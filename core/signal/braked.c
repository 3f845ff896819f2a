/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/braked.c - where a log's robot rests without torque although gravity pulls:
 * brakes hold it, or its drives are off, and torque tells nothing. */
#include <math.h>
#include <string.h>

#include "api/recordings/parts.h"
#include "core/dynamics/inverse.h"

enum { STILLS_MAX = 4096, SAMPLES = 16 }; /* of a log; of rows that are judged together */

static const double least_s = 0.25; /* of a rest: a torque that crosses 0 is no brake */
static const double dead = 0.05;    /* rms over that of motion: noise of a current that is off */
static const double pulls = 0.2;    /* gravity's torque over that of motion */
static const double edge_s = 0.2;   /* the survey's rests begin and end so much too late or early */
static const double wider = 5.0;    /* rms of a rest: its noise does not exceed it */
static const double alike = 4.0;    /* squares of torque of one rest */
static const double rounding = 1e-9;

bool tqa_standstills_begin(tqa_recording *log)
{
    tqa_standstills *s = &log->stills;
    const tqa_order *order = log->request->order;
    tqa_tree *control = log->request->control;
    *s = (tqa_standstills){0};
    if (!log->request->finds_brakes || log->column[TQA_RECORDING_TAU] == NULL) {
        return true;
    }
    s->moving = tqa_tree_take(control, order->nv, sizeof *s->moving);
    s->group = tqa_tree_take(control, order->nq + order->nv, sizeof *s->group);
    s->list = tqa_tree_take(control, STILLS_MAX, sizeof *s->list);
    return s->moving != NULL && s->group != NULL && s->list != NULL;
}

void tqa_standstills_add(tqa_recording *log, const tqa_recording_rows *rows, size_t at, size_t end)
{
    tqa_standstills *s = &log->stills;
    const size_t nq = log->request->order->nq;
    const size_t nv = log->request->order->nv;
    const size_t every = 1 + (end - at) / SAMPLES;
    if (s->list == NULL) {
        return;
    }
    for (size_t r = 0; r < nq; r++) {
        const double *q = rows->run + (log->first_channel[TQA_RECORDING_Q] + r) * TQA_RECORDING_RUN;
        for (size_t i = at; i < end; i += every) {
            s->group[r] += q[i];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        const double *tau =
            rows->run + (log->first_channel[TQA_RECORDING_TAU] + r) * TQA_RECORDING_RUN;
        for (size_t i = at; i < end; i += every) {
            s->group[nq + r] += tau[i] * tau[i];
        }
    }
    s->n_group += (end - at + every - 1) / every;
}

static double square_of(const double *tau_square, size_t nv, size_t n)
{
    double sum = 0.0;
    for (size_t r = 0; r < nv; r++) {
        sum += tau_square[r] / (double)n;
    }
    return sum;
}

/* Rests go on while their torque stays: brakes come some time after the arm, and go before it. */
static bool goes_on(const tqa_standstills *s, size_t nq, size_t nv)
{
    if (!s->rests) {
        return false;
    }
    const tqa_standstill *still = &s->list[s->n - 1];
    const double before = square_of(still->sums + nq, nv, still->n);
    const double now = square_of(s->group + nq, nv, s->n_group);
    return now <= alike * before && before <= alike * now;
}

bool tqa_standstills_close(tqa_recording *log, uint64_t first, uint64_t last, bool moves)
{
    tqa_standstills *s = &log->stills;
    const size_t nq = log->request->order->nq;
    const size_t nv = log->request->order->nv;
    if (s->list == NULL || s->n_group == 0) {
        return true;
    }
    double *to = moves ? s->moving : NULL;
    const double *from = s->group + (moves ? nq : 0);
    bool rests = !moves;
    if (rests && !goes_on(s, nq, nv)) {
        tqa_standstill *new = s->n < STILLS_MAX ? &s->list[s->n++] : NULL;
        rests = new != NULL; /* of more pauses nothing is asked */
        if (new != NULL) {
            new->first = first;
            new->sums = tqa_tree_take(log->request->control, nq + nv, sizeof *new->sums);
        }
    }
    if (rests) {
        tqa_standstill *still = &s->list[s->n - 1];
        to = still->sums;
        still->last = last;
        still->n += s->n_group;
    }
    for (size_t k = 0; to != NULL && k < (moves ? nv : nq + nv); k++) {
        to[k] += from[k];
    }
    s->n_moving += moves ? s->n_group : 0;
    s->rests = rests;
    s->n_group = 0;
    memset(s->group, 0, (nq + nv) * sizeof *s->group);
    return !rests || to != NULL;
}

/* Every torque is next to none, and the robot's model says that some should not be. The squares in
 * the rest's sums become what is none there. */
static bool is_braked(const tqa_recording *log, tqa_standstill *still, const double *usual,
                      double *room, tq_scratch *scratch)
{
    const tq_mechanism *mechanism = log->request->control->robot->mechanism;
    const size_t nq = log->request->order->nq;
    const size_t nv = log->request->order->nv;
    double *tau = still->sums + nq; /* squares, then what is none */
    if ((double)(still->last - still->first + 1) * log->period < least_s) {
        return false;
    }
    for (size_t r = 0; r < nv; r++) {
        tau[r] = sqrt(tau[r] / (double)still->n);
        if (!(tau[r] <= dead * usual[r])) {
            return false;
        }
        tau[r] = wider * tau[r] + rounding * usual[r];
    }
    for (size_t r = 0; r < nq; r++) {
        room[r * TQ_BLOCK_PAD] = still->sums[r] / (double)still->n;
    }
    const tq_inverse_input in = {
        .n_sample = 1,
        .stride = TQ_BLOCK_PAD,
        .q = room,
        .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR, /* springs may carry the arm */
    };
    double *holds = room + nq * TQ_BLOCK_PAD;
    bool is_pulled = false;
    if (tq_inverse_dynamics(mechanism, &in, scratch, holds, NULL) == TQ_OK) {
        for (size_t r = 0; r < nv; r++) {
            is_pulled = is_pulled || fabs(holds[r * TQ_BLOCK_PAD]) > pulls * usual[r];
        }
    }
    return is_pulled;
}

bool tqa_recording_find_braked(const tqa_recording_request *request, tqa_recording *logs, size_t n,
                               size_t n_all)
{
    const size_t nq = request->order->nq;
    const size_t nv = request->order->nv;
    const tq_mechanism *mechanism = request->control->robot->mechanism;
    double *usual = tqa_tree_take(request->control, nv + 1, sizeof *usual);
    tq_scratch room;
    tq_scratch scratch;
    const size_t size = tq_scratch_cost((nq + nv) * TQ_BLOCK_PAD, sizeof(double));
    if (usual == NULL || !tqa_tree_scratch(request->control, size, &room) ||
        !tqa_tree_scratch(request->control, tq_inverse_scratch_size(mechanism, 0), &scratch)) {
        return false;
    }
    double *rows = tq_scratch_take(&room, (nq + nv) * TQ_BLOCK_PAD, sizeof *rows);
    size_t n_moving = 0;
    for (size_t i = 0; i < n; i++) {
        n_moving += logs[i].stills.n_moving;
        for (size_t r = 0; r < nv && logs[i].stills.n_moving > 0; r++) {
            usual[r] += logs[i].stills.moving[r];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        usual[r] = n_moving > 0 ? sqrt(usual[r] / (double)n_moving) : 0.0;
    }
    for (size_t i = 0; i < n_all && n_moving > 0 && rows != NULL; i++) {
        tqa_standstills *s = &logs[i].stills;
        for (size_t k = 0; k < s->n; k++) {
            if (is_braked(&logs[i], &s->list[k], usual, rows, &scratch)) {
                s->list[s->n_braked++] = s->list[k];
            }
        }
    }
    return true;
}

/* rows around a rest that may be of it */
static uint64_t edge_of(const tqa_recording *log)
{
    return (uint64_t)ceil(fmin(edge_s / log->period, 1e9));
}

size_t tqa_recording_before_brake(const tqa_recording *log, size_t brake,
                                  const tqa_recording_rows *rows, size_t n)
{
    if (brake >= log->stills.n_braked) {
        return n;
    }
    const uint64_t first = log->stills.list[brake].first;
    const uint64_t edge = edge_of(log);
    while (n > 0 && rows->run_row[rows->at + n - 1] + edge >= first) {
        n--;
    }
    return n;
}

bool tqa_recording_is_braked(const tqa_recording *log, size_t *inout_brake,
                             const tqa_recording_rows *rows, size_t i)
{
    const tqa_standstills *s = &log->stills;
    const uint64_t row = rows->run_row[i];
    const uint64_t edge = edge_of(log);
    while (*inout_brake < s->n_braked && row > s->list[*inout_brake].last + edge) {
        ++*inout_brake;
    }
    if (*inout_brake == s->n_braked || row + edge < s->list[*inout_brake].first) {
        return false;
    }
    const tqa_standstill *brake = &s->list[*inout_brake];
    bool is_dead = true;
    for (size_t r = 0; r < log->request->order->nv; r++) {
        const size_t c = log->first_channel[TQA_RECORDING_TAU] + r;
        const double none = brake->sums[log->request->order->nq + r];
        is_dead = is_dead && fabs(rows->run[c * TQA_RECORDING_RUN + i]) <= none;
    }
    return is_dead || (row >= brake->first && row <= brake->last);
}
