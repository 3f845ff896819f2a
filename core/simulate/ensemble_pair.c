/* SPDX-License-Identifier: Apache-2.0 */
/* core/simulate/ensemble_pair.c - members side by side, each by adaptive steps of its own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/varied.h"
#include "core/simulate/ensemble_private.h"

enum { ASK_STEPS = 32, LANE = TQ_BLOCK_PAD };

static const double safety = 0.95;
static const double shrink_most = 0.2, grow_most = 6.0;
static const double after_refusal = 0.125;

/* One member on its way, in lane i of all rows. */
typedef struct lane {
    size_t member;
    size_t output; /* the next one */
    double next;   /* s, the step that it would take */
    double limit;  /* s: next sample or break */
    double way;    /* s, of the step that is tried */
    double to;     /* s, its end */
    uint64_t n_eval;
    int cut;         /* the step is shorter than `next` */
    int turned_down; /* the last try was: no longer step now */
    int refused;     /* the rates of a try are not there */
} lane;

typedef struct work {
    const tq_ensemble *ensemble;
    const tq_members *members;
    const tq_model *model;
    tq_scratch *scratch;
    size_t stride, n_q, n_v, n_z, n_held, n;
    size_t n_lane;                /* members on their way: lanes 0 .. n_lane - 1 */
    double *y, *ahead;            /* (n x stride) */
    double *held;                 /* (n_held x stride) */
    double *t, *h, *stop, *error; /* (stride) */
    double *atol;                 /* (n) */
    lane *lanes;                  /* (stride) */
    uint64_t *n_sample;           /* (stride x n_effect) samples taken */
    size_t n_varied;              /* rows of members->varied, in lanes too */
    double *one;                  /* a member alone: (n + n_held), n, 5 and n_varied rows of LANE */
    uint64_t n_try;
} work;

static size_t rows_of(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return (size_t)model->nq + model->nv + tq_plant_n_z(plant);
}

size_t tq_ensemble_pair_scratch_size(const tq_ensemble *ensemble, size_t stride)
{
    const tq_plant *plant = ensemble->plant;
    const size_t n = rows_of(plant), held = tq_plant_n_held(plant);
    const size_t step = tq_pair_scratch_size(plant, ensemble->pair, stride);
    const size_t start = tq_members_start_scratch_size(plant);
    return tq_scratch_cost((2 * n + held + 4) * stride + n, sizeof(double)) +
           tq_scratch_cost(stride, sizeof(lane)) +
           tq_scratch_cost(plant->n_effect * stride, sizeof(uint64_t)) +
           tq_scratch_cost((2 * n + held + 5 + tq_varied_rows(plant->mechanism)) * LANE,
                           sizeof(double)) +
           (step > start ? step : start);
}

static int take(work *w)
{
    const tq_plant *plant = w->ensemble->plant;
    w->stride = w->members->stride;
    w->n_q = w->model->nq;
    w->n_v = w->model->nv;
    w->n_z = tq_plant_n_z(plant);
    w->n_held = tq_plant_n_held(plant);
    w->n_varied = w->members->varied != NULL ? tq_varied_rows(plant->mechanism) : 0;
    w->n = w->n_q + w->n_v + w->n_z;
    const size_t rows = w->n * w->stride;
    double *x =
        tq_scratch_take(w->scratch, (2 * w->n + w->n_held + 4) * w->stride + w->n, sizeof *x);
    w->lanes = tq_scratch_take(w->scratch, w->stride, sizeof *w->lanes);
    w->n_sample = tq_scratch_take(w->scratch, plant->n_effect * w->stride, sizeof *w->n_sample);
    w->one =
        tq_scratch_take(w->scratch, (2 * w->n + w->n_held + 5 + w->n_varied) * LANE, sizeof *x);
    if (x == NULL || w->lanes == NULL || w->n_sample == NULL || w->one == NULL) {
        return 0;
    }
    w->y = x;
    w->ahead = w->y + rows;
    w->held = w->ahead + rows;
    w->t = w->held + w->n_held * w->stride;
    w->h = w->t + w->stride;
    w->stop = w->h + w->stride;
    w->error = w->stop + w->stride;
    w->atol = w->error + w->stride;
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * A lane
 */

static void put_row(const work *w, size_t i, size_t output, int ended)
{
    const tq_members *m = w->members;
    const size_t n = w->n_q + w->n_v;
    double *row = m->ret_rows + output * n * m->stride + w->lanes[i].member;
    for (size_t r = 0; r < n; r++) {
        row[r * m->stride] = ended ? (double)NAN : w->y[r * w->stride + i];
    }
}

static void move_column(double *rows, size_t n, size_t stride, size_t to, size_t from)
{
    for (size_t r = 0; r < n; r++) {
        rows[r * stride + to] = rows[r * stride + from];
    }
}

/* takes the member of lane i out: the last lane moves there */
static void leave(work *w, size_t i)
{
    const size_t last = --w->n_lane;
    w->lanes[i] = w->lanes[last];
    move_column(w->y, w->n, w->stride, i, last);
    move_column(w->held, w->n_held, w->stride, i, last);
    move_column(w->members->varied, w->n_varied, w->stride, i, last);
    w->t[i] = w->t[last];
    const size_t n_effect = w->ensemble->plant->n_effect;
    for (size_t k = 0; k < n_effect; k++) {
        w->n_sample[i * n_effect + k] = w->n_sample[last * n_effect + k];
    }
}

static void end(work *w, size_t i, tq_run_end why)
{
    const lane *l = &w->lanes[i];
    w->members->ret_ended[l->member] = w->t[i];
    w->members->ret_end[l->member] = (double)why;
    for (size_t k = l->output; k < w->ensemble->n_output; k++) {
        put_row(w, i, k, 1);
    }
    leave(w, i);
}

/* column i of rows as a block of one, padded */
static void bring(size_t n, double *to, const double *from, size_t stride, size_t i)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < LANE; k++) {
            to[r * LANE + k] = from[r * stride + i];
        }
    }
}

/* samples that are due at lane i's time, and where it has to stop next */
static tq_status take_samples(work *w, size_t i, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    double *y = w->one, *held = w->one + w->n * LANE;
    uint64_t *taken = w->n_sample + i * e->plant->n_effect;
    int brought = 0;
    for (size_t k = 0; k < e->plant->n_effect; k++) {
        const tq_effect *effect = &e->plant->effects[k];
        if (!(tq_member_sample_due(effect, taken[k]) <= w->t[i])) {
            continue;
        }
        if (!brought) {
            bring(w->n, y, w->y, w->stride, i);
            bring(w->n_held, held, w->held, w->stride, i);
            brought = 1;
        }
        const tq_trajectories at = {.n_sample = 1,
                                    .stride = LANE,
                                    .q = y,
                                    .qd = y + w->n_q * LANE,
                                    .z = y + (w->n_q + w->n_v) * LANE,
                                    .held = held};
        const tq_status status = tq_plant_sample(e->plant, k, w->t[i], &at, w->scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
        while (tq_member_sample_due(effect, taken[k]) <= w->t[i]) {
            taken[k]++;
        }
    }
    for (size_t r = 0; r < w->n_held && brought; r++) {
        w->held[r * w->stride + i] = held[r * LANE];
    }
    w->lanes[i].limit = tq_member_next_stop(e, w->t[i], e->pair->order, taken);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * A try of all lanes
 */

/* how far each wants to go: 0 for a lane whose last try had no rates at its very start */
static void choose(work *w)
{
    const tq_ensemble *e = w->ensemble;
    for (size_t i = 0; i < w->n_lane; i++) {
        lane *l = &w->lanes[i];
        const double stop = fmin(e->times[l->output], l->limit);
        const double way = stop - w->t[i];
        double h = e->max_step > 0.0 ? fmin(l->next, e->max_step) : l->next;
        l->to = stop;
        l->cut = h < l->next;
        if (h >= way * (1.0 - 1e-9)) {
            l->cut = 1;
            h = way;
        } else {
            if (2.0 * h > way) { /* two like ones rather than a long and a short one */
                l->cut = 1;
                h = 0.5 * way;
            }
            l->to = w->t[i] + h;
        }
        l->way = h;
        l->refused = 0;
        w->h[i] = h;
        w->stop[i] = l->limit;
    }
}

static void pad(const work *w)
{
    tq_block_pad(w->y, w->n, w->stride, w->n_lane);
    tq_block_pad(w->held, w->n_held, w->stride, w->n_lane);
    tq_block_pad(w->members->varied, w->n_varied, w->stride, w->n_lane);
    tq_block_pad(w->t, 1, w->stride, w->n_lane);
    tq_block_pad(w->h, 1, w->stride, w->n_lane);
    tq_block_pad(w->stop, 1, w->stride, w->n_lane);
}

static tq_pair_step step_of(const work *w)
{
    return (tq_pair_step){.n_sample = w->n_lane,
                          .stride = w->stride,
                          .y = w->y,
                          .held = w->held,
                          .varied = w->members->varied,
                          .t = w->t,
                          .h = w->h,
                          .stop = w->stop,
                          .rtol = w->ensemble->rtol,
                          .atol = w->atol,
                          .ret_y = w->ahead,
                          .ret_error = w->error};
}

/* the same for lane i alone, out of the others' way */
static tq_pair_step step_alone(const work *w, size_t i)
{
    double *at = w->one + (2 * w->n + w->n_held) * LANE;
    tq_pair_step step = step_of(w);
    bring(w->n, w->one, w->y, w->stride, i);
    bring(w->n_held, w->one + w->n * LANE, w->held, w->stride, i);
    bring(w->n_varied, at + 5 * LANE, w->members->varied, w->stride, i);
    bring(1, at, w->t, w->stride, i);
    bring(1, at + LANE, w->h, w->stride, i);
    bring(1, at + 2 * LANE, w->stop, w->stride, i);
    step.n_sample = 1;
    step.stride = LANE;
    step.y = w->one;
    step.held = w->one + w->n * LANE;
    step.varied = w->n_varied > 0 ? at + 5 * LANE : NULL;
    step.t = at;
    step.h = at + LANE;
    step.stop = at + 2 * LANE;
    step.ret_y = w->one + (w->n + w->n_held) * LANE;
    step.ret_error = at + 3 * LANE;
    return step;
}

static int fails_alone(const work *w, size_t i)
{
    const tq_pair_step step = step_alone(w, i);
    return tq_pair_try(w->ensemble->plant, w->ensemble->pair, &step, w->scratch, NULL) != TQ_OK;
}

/* The lane that a failed try is about; n_lane: it is not about one of them. */
static size_t find_fault(const work *w, tq_status status, const tq_error *error)
{
    size_t i = tq_member_at_fault(status, error, w->n_lane);
    if (i < w->n_lane || status == TQ_ERR_SCRATCH || status == TQ_ERR_SHAPE) {
        return i;
    }
    for (i = 0; i < w->n_lane && !fails_alone(w, i); i++) {
    }
    return i;
}

/* Tries all lanes. One without rates stays where it is, and then the others are as if it were not
 * there; one without rates even where it is ends. */
static tq_status try_all(work *w, tq_error *reterr)
{
    for (;;) {
        if (w->n_lane == 0) {
            return TQ_OK;
        }
        pad(w);
        const tq_pair_step step = step_of(w);
        tq_error error = {0};
        const tq_status status =
            tq_pair_try(w->ensemble->plant, w->ensemble->pair, &step, w->scratch, &error);
        if (status == TQ_OK) {
            return TQ_OK;
        }
        const size_t i = find_fault(w, status, &error);
        if (i >= w->n_lane) {
            return tq_fail(reterr, status, error.what, error.index, error.value);
        }
        if (w->lanes[i].refused) {
            const size_t last = w->n_lane - 1;
            end(w, i, TQ_RUN_REFUSED);
            w->h[i] = w->h[last];
            w->stop[i] = w->stop[last];
        } else {
            w->lanes[i].refused = 1;
            w->h[i] = 0.0;
        }
    }
}

/* factor of the next step, by roots that every machine rounds alike */
static double growth(const tq_pair *pair, double error, int accepted)
{
    if (!(error > 0.0)) {
        return grow_most;
    }
    double root = sqrt(sqrt(error));
    /* order 5: gently on the way up, by its own order nearly on the way down */
    root = pair->order > 5 || accepted ? sqrt(root) : root;
    return fmin(grow_most, fmax(shrink_most, safety / root));
}

static int runs_away(const work *w, size_t i)
{
    int sound = 1;
    for (size_t r = w->n_q; r < w->n_q + w->n_v; r++) {
        sound &= fabs(w->y[r * w->stride + i]) < TQ_MEMBER_RUNAWAY;
    }
    return !sound;
}

/* a lane that came to its step's end; 0: it is gone */
static int arrive(work *w, size_t i)
{
    const tq_ensemble *e = w->ensemble;
    lane *l = &w->lanes[i];
    if (runs_away(w, i)) {
        end(w, i, TQ_RUN_RUNAWAY);
        return 0;
    }
    if (w->t[i] >= e->times[l->output]) {
        put_row(w, i, l->output++, 0);
        if (l->output == e->n_output) {
            leave(w, i);
            return 0;
        }
    }
    if (w->t[i] >= l->limit && take_samples(w, i, NULL) != TQ_OK) {
        end(w, i, TQ_RUN_REFUSED);
        return 0;
    }
    return 1;
}

/* 0: the lane is gone */
static int judge(work *w, size_t i)
{
    const tq_ensemble *e = w->ensemble;
    lane *l = &w->lanes[i];
    const double error = w->error[i];
    l->n_eval += e->pair->n_stage;
    if (l->refused || !isfinite(error) || error > 1.0) {
        const int nothing = l->refused || !isfinite(error);
        l->next = l->way * (nothing ? after_refusal : growth(e->pair, error, 0));
        l->turned_down = 1;
        const double whole = fabs(e->times[e->n_output - 1] - e->times[0]);
        if (l->next < 64.0 * DBL_EPSILON * fmax(fabs(w->t[i]), whole)) {
            end(w, i, nothing ? TQ_RUN_REFUSED : TQ_RUN_TOO_SMALL);
            return 0;
        }
    } else {
        const double factor = growth(e->pair, error, 1);
        const double next = l->way * (l->turned_down ? fmin(1.0, factor) : factor);
        l->next = l->cut ? fmax(next, l->next) : next;
        l->turned_down = 0;
        for (size_t r = 0; r < w->n; r++) {
            w->y[r * w->stride + i] = w->ahead[r * w->stride + i];
        }
        w->t[i] = l->to;
        if (!arrive(w, i)) {
            return 0;
        }
    }
    if (e->max_evaluations > 0 && l->n_eval > e->max_evaluations) {
        end(w, i, TQ_RUN_TOO_MUCH);
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * A block
 */

static void set_tolerances(const work *w)
{
    const tq_plant *plant = w->ensemble->plant;
    for (size_t r = 0; r < w->n; r++) {
        w->atol[r] = w->ensemble->atol;
    }
    double *z = w->atol + w->n_q + w->n_v;
    for (size_t k = 0; k < plant->n_effect; k++) {
        const tq_effect *effect = &plant->effects[k];
        for (size_t r = 0; r < effect->n_z; r++, z++) {
            *z = effect->z_abs != NULL ? effect->z_abs[r] : *z;
        }
    }
}

/* all members stand at the first output */
static void fill(work *w)
{
    const tq_members *m = w->members;
    const size_t size = w->stride * sizeof(double);
    memcpy(w->y, m->q, w->n_q * size);
    memcpy(w->y + w->n_q * w->stride, m->qd, w->n_v * size);
    if (w->n_z > 0) {
        memcpy(w->y + (w->n_q + w->n_v) * w->stride, m->z, w->n_z * size);
    }
    if (w->n_held > 0) {
        memcpy(w->held, m->held, w->n_held * size);
    }
    memset(w->n_sample, 0, w->ensemble->plant->n_effect * w->stride * sizeof *w->n_sample);
    w->n_lane = m->n_member;
    for (size_t i = 0; i < m->n_member; i++) {
        w->lanes[i] = (lane){.member = i, .output = 1};
        w->t[i] = w->ensemble->times[0];
        w->h[i] = 0.0;
        put_row(w, i, 0, m->ret_end[i] != (double)TQ_RUN_GOES_ON);
    }
}

/* what is not known is found by trying */
static double usable(tq_status status, double h)
{
    return status == TQ_OK && isfinite(h) && h > 0.0 ? h : 1e-6;
}

static void find_first_steps(work *w)
{
    const tq_plant *plant = w->ensemble->plant;
    const tq_pair *pair = w->ensemble->pair;
    const tq_pair_step all = step_of(w);
    const tq_status status = tq_pair_first(plant, pair, &all, w->scratch, w->error, NULL);
    for (size_t i = 0; i < w->n_lane; i++) {
        w->lanes[i].next = usable(status, w->error[i]);
        if (status != TQ_OK) { /* one of them cannot be told so: each by itself */
            const tq_pair_step one = step_alone(w, i);
            double *h = one.ret_error;
            w->lanes[i].next = usable(tq_pair_first(plant, pair, &one, w->scratch, h, NULL), *h);
        }
    }
}

/* samples at the start, and first steps; members whose start has no rates end there */
static tq_status set_out(work *w, tq_error *reterr)
{
    for (size_t i = 0; i < w->n_lane;) {
        if (w->ensemble->n_output == 1) {
            leave(w, i);
        } else if (w->members->ret_end[w->lanes[i].member] != (double)TQ_RUN_GOES_ON ||
                   take_samples(w, i, reterr) != TQ_OK) {
            end(w, i, TQ_RUN_REFUSED);
        } else {
            i++;
        }
    }
    /* a step of no length says which of them have rates */
    for (size_t i = 0; i < w->n_lane; i++) {
        w->lanes[i].refused = 1;
        w->h[i] = 0.0;
        w->stop[i] = w->lanes[i].limit;
    }
    tq_status status = try_all(w, reterr);
    if (status != TQ_OK || w->n_lane == 0) {
        return status;
    }
    find_first_steps(w);
    return TQ_OK;
}

static tq_status run(work *w, tq_error *reterr)
{
    const tq_ensemble *e = w->ensemble;
    if (!take(w)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_ensemble_pair_scratch_size(e, w->members->stride));
    }
    tq_status status = tq_members_start(e, w->members, w->scratch, reterr);
    if (status != TQ_OK) {
        return status;
    }
    set_tolerances(w);
    fill(w);
    status = set_out(w, reterr);
    while (w->n_lane > 0 && status == TQ_OK) {
        choose(w);
        status = try_all(w, reterr);
        for (size_t i = 0; i < w->n_lane && status == TQ_OK;) {
            const size_t last = w->n_lane - 1;
            if (judge(w, i)) {
                i++;
            } else { /* another member stands here now */
                move_column(w->ahead, w->n, w->stride, i, last);
                w->error[i] = w->error[last];
            }
        }
        if (status == TQ_OK && ++w->n_try % ASK_STEPS == 0 && e->stopped != NULL &&
            e->stopped(e->ctx) != 0) {
            return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stopped", 0, 0.0);
        }
    }
    return status;
}

tq_status tq_ensemble_run_pair(const tq_ensemble *ensemble, const tq_members *members,
                               tq_scratch *scratch, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    work w = {.ensemble = ensemble,
              .members = members,
              .model = tq_mechanism_model(ensemble->plant->mechanism),
              .scratch = scratch};
    const tq_status status = run(&w, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
