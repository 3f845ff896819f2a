/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/braked.c - standstills of a recording, and those with zero torque although gravity
 * acts: brakes hold the robot, or its drives are off. */
#include "core/signal/braked.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/inverse.h"

enum {
    STILLS_MAX = 4096, /* standstills of a recording */
    SAMPLES = 16,      /* samples used of a group of rows, about */
    SPARE = 32,        /* number of standstills for which memory is requested at a time */
};

static const double least_s = 0.25; /* shortest standstill: a torque that crosses 0 is not a
                                       brake */
static const double dead = 0.05;    /* rms torque relative to motion: noise of a current that is
                                       off */
static const double pulls = 0.2;    /* gravity torque relative to the rms torque in motion */
static const double edge_s = 0.2;   /* error of the start and end of a standstill by the survey */
static const double wider = 5.0;    /* times the rms of a standstill: upper bound of its noise */
static const double alike = 4.0;    /* ratio of mean square torques within one standstill */
static const double rounding = 1e-9;

static bool has_standstills(const tq_recording *recording)
{
    return recording->options->finds_brakes && recording->channels.has[TQ_QUANTITY_TAU];
}

size_t tq_standstills_size(const tq_recording *recording)
{
    const tq_model *model = recording->options->model;
    return !has_standstills(recording)
               ? 0
               : tq_scratch_cost(model->nv, sizeof(double)) +
                     tq_scratch_cost(model->nq + model->nv, sizeof(double)) +
                     tq_scratch_cost(STILLS_MAX, sizeof(tq_standstill));
}

bool tq_standstills_begin(tq_recording *recording, tq_scratch *memory)
{
    tq_standstills *s = &recording->standstills;
    const tq_model *model = recording->options->model;
    *s = (tq_standstills){0};
    if (!has_standstills(recording)) {
        return true;
    }
    s->moving = tq_scratch_take(memory, model->nv, sizeof *s->moving);
    s->group = tq_scratch_take(memory, model->nq + model->nv, sizeof *s->group);
    s->list = tq_scratch_take(memory, STILLS_MAX, sizeof *s->list);
    if (s->moving == NULL || s->group == NULL || s->list == NULL) {
        return false;
    }
    memset(s->moving, 0, model->nv * sizeof *s->moving);
    memset(s->group, 0, (model->nq + model->nv) * sizeof *s->group);
    return true;
}

size_t tq_standstills_wants(const tq_recording *recording)
{
    const tq_standstills *s = &recording->standstills;
    const tq_model *model = recording->options->model;
    return s->list == NULL || s->n_spare > 0 || s->n == STILLS_MAX
               ? 0
               : (size_t)SPARE * (model->nq + model->nv) * sizeof *s->spare;
}

void tq_standstills_give(tq_recording *recording, void *memory)
{
    recording->standstills.spare = memory;
    recording->standstills.n_spare = SPARE;
}

void tq_standstills_add(tq_recording *recording, const tq_raw_rows *rows, size_t at, size_t end)
{
    tq_standstills *s = &recording->standstills;
    const tq_channels *channels = &recording->channels;
    const size_t nq = recording->options->model->nq;
    const size_t nv = recording->options->model->nv;
    const size_t every = 1 + (end - at) / SAMPLES;
    if (s->list == NULL) {
        return;
    }
    for (size_t r = 0; r < nq; r++) {
        const double *q = rows->values + (channels->first[TQ_QUANTITY_Q] + r) * TQ_RAW_ROWS;
        for (size_t i = at; i < end; i += every) {
            s->group[r] += q[i];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        const double *tau = rows->values + (channels->first[TQ_QUANTITY_TAU] + r) * TQ_RAW_ROWS;
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

/* A standstill continues while its torque is similar: brakes engage some time after the arm has
 * stopped, and release before it moves. */
static bool goes_on(const tq_standstills *s, size_t nq, size_t nv)
{
    if (!s->rests) {
        return false;
    }
    const tq_standstill *still = &s->list[s->n - 1];
    const double before = square_of(still->sums + nq, nv, still->n);
    const double now = square_of(s->group + nq, nv, s->n_group);
    return now <= alike * before && before <= alike * now;
}

/* Sums of the next standstill, cleared; NULL: no memory is left. */
static double *take_sums(tq_standstills *s, size_t n)
{
    if (s->n_spare == 0) {
        return NULL;
    }
    double *sums = s->spare;
    s->spare += n;
    s->n_spare--;
    memset(sums, 0, n * sizeof *sums);
    return sums;
}

tq_status tq_standstills_close(tq_recording *recording, uint64_t first, uint64_t last, bool moves,
                               tq_error *reterr)
{
    tq_standstills *s = &recording->standstills;
    const size_t nq = recording->options->model->nq;
    const size_t nv = recording->options->model->nv;
    if (s->list == NULL || s->n_group == 0) {
        return TQ_OK;
    }
    double *to = moves ? s->moving : NULL;
    const double *from = s->group + (moves ? nq : 0);
    bool rests = !moves;
    if (rests && !goes_on(s, nq, nv)) {
        rests = s->n < STILLS_MAX; /* later standstills are not listed */
        if (rests) {
            s->list[s->n++] = (tq_standstill){.first = first, .sums = take_sums(s, nq + nv)};
        }
    }
    if (rests) {
        tq_standstill *still = &s->list[s->n - 1];
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
    return !rests || to != NULL ? TQ_OK : tq_fail(reterr, TQ_ERR_SCRATCH, "standstill", s->n, 0.0);
}

/* True if every rms torque is below `dead` times that in motion, although gravity acts by the
 * model. Sums of tau^2 become thresholds of |tau|. */
static bool is_braked(const tq_recording *recording, tq_standstill *still, const double *usual,
                      double *room, tq_scratch *scratch)
{
    const tq_mechanism *mechanism = recording->options->mechanism;
    const size_t nq = recording->options->model->nq;
    const size_t nv = recording->options->model->nv;
    double *tau = still->sums + nq; /* sums of squares, then thresholds */
    if ((double)(still->last - still->first + 1) * recording->period < least_s) {
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
        .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_ROTOR, /* springs may balance gravity */
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

size_t tq_recording_braked_size(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    return tq_scratch_cost(model->nv + 1, sizeof(double)) +
           tq_scratch_cost((size_t)(model->nq + model->nv) * TQ_BLOCK_PAD, sizeof(double)) +
           tq_inverse_scratch_size(mechanism, 0);
}

tq_status tq_recording_find_braked(tq_recording *const *recordings, size_t n, size_t n_all,
                                   tq_scratch *scratch, tq_error *reterr)
{
    if (n == 0) {
        return TQ_OK;
    }
    const tq_mechanism *mechanism = recordings[0]->options->mechanism;
    const size_t nq = recordings[0]->options->model->nq;
    const size_t nv = recordings[0]->options->model->nv;
    double *usual = tq_scratch_take(scratch, nv + 1, sizeof *usual);
    double *rows = tq_scratch_take(scratch, (nq + nv) * TQ_BLOCK_PAD, sizeof *rows);
    if (usual == NULL || rows == NULL) {
        const double size = (double)tq_recording_braked_size(mechanism);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, size);
    }
    memset(usual, 0, (nv + 1) * sizeof *usual);
    memset(rows, 0, (nq + nv) * TQ_BLOCK_PAD * sizeof *rows); /* lanes without a sample */
    size_t n_moving = 0;
    for (size_t i = 0; i < n; i++) {
        n_moving += recordings[i]->standstills.n_moving;
        for (size_t r = 0; r < nv && recordings[i]->standstills.n_moving > 0; r++) {
            usual[r] += recordings[i]->standstills.moving[r];
        }
    }
    for (size_t r = 0; r < nv; r++) {
        usual[r] = n_moving > 0 ? sqrt(usual[r] / (double)n_moving) : 0.0;
    }
    for (size_t i = 0; i < n_all && n_moving > 0; i++) {
        tq_standstills *s = &recordings[i]->standstills;
        for (size_t k = 0; k < s->n; k++) {
            if (is_braked(recordings[i], &s->list[k], usual, rows, scratch)) {
                s->list[s->n_braked++] = s->list[k];
            }
        }
    }
    return TQ_OK;
}

/* number of rows next to a standstill that may belong to it */
static uint64_t edge_of(const tq_recording *recording)
{
    return (uint64_t)ceil(fmin(edge_s / recording->period, 1e9));
}

size_t tq_recording_before_brake(const tq_recording *recording, size_t brake,
                                 const tq_raw_rows *rows, size_t at, size_t n)
{
    if (brake >= recording->standstills.n_braked) {
        return n;
    }
    const uint64_t first = recording->standstills.list[brake].first;
    const uint64_t edge = edge_of(recording);
    while (n > 0 && rows->row[at + n - 1] + edge >= first) {
        n--;
    }
    return n;
}

bool tq_recording_is_braked(const tq_recording *recording, size_t *inout_brake,
                            const tq_raw_rows *rows, size_t i)
{
    const tq_standstills *s = &recording->standstills;
    const size_t nq = recording->options->model->nq;
    const uint64_t row = rows->row[i];
    const uint64_t edge = edge_of(recording);
    while (*inout_brake < s->n_braked && row > s->list[*inout_brake].last + edge) {
        ++*inout_brake;
    }
    if (*inout_brake == s->n_braked || row + edge < s->list[*inout_brake].first) {
        return false;
    }
    const tq_standstill *brake = &s->list[*inout_brake];
    bool is_dead = true;
    for (size_t r = 0; r < recording->options->model->nv; r++) {
        const size_t c = recording->channels.first[TQ_QUANTITY_TAU] + r;
        is_dead = is_dead && fabs(rows->values[c * TQ_RAW_ROWS + i]) <= brake->sums[nq + r];
    }
    return is_dead || (row >= brake->first && row <= brake->last);
}
