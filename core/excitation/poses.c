/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/poses.c - static poses by exchange among random candidates. */
#include "core/excitation/poses.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/excitation/excitation_private.h"
#include "core/excitation/poses_private.h"
#include "core/linalg/dense.h"
#include "core/plant/noise.h"

/* Of the demand, as if known beforehand: so small that it decides only among the first poses. */
static const double prior = 1e-8;
/* a smaller gain of the criterion is none */
static const double least_gain = 1e-9;

static size_t column_count(const tq_poses_task *task)
{
    return task->motion.base->n_base + (task->load != NULL ? task->motion.model->nv : 0);
}

static size_t row_count(const tq_poses_task *task)
{
    return (task->load != NULL ? 2 : 1) * task->motion.model->nv;
}

static size_t row_length(const tq_poses_task *task)
{
    return row_count(task) * column_count(task);
}

/* A search of motions whose memory serves for rows, noise and scores. */
static tq_excitation_task motion_task(const tq_poses_task *task)
{
    tq_excitation_task motion = task->motion;
    motion.n_harmonic = 2;
    motion.frequency = 1.0;
    motion.n_recorded = 0;
    return motion;
}

size_t tq_poses_scratch_size(const tq_poses_task *task)
{
    const tq_excitation_task motion = motion_task(task);
    const size_t nv = motion.model->nv, n = column_count(task), n_row = row_count(task);
    return tq_excitation_scratch_size(&motion) +
           tq_scratch_cost(task->n_candidate, row_length(task) * sizeof(double)) +
           2 * tq_scratch_cost(task->n_candidate, nv * sizeof(double)) +
           2 * tq_scratch_cost(task->n_pose, nv * sizeof(double)) +
           tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(task->n_pose, sizeof(tq_pose_leg)) +
           3 * tq_scratch_cost(task->n_pose, sizeof(size_t)) +
           tq_scratch_cost(task->n_candidate, sizeof(bool)) +
           5 * tq_scratch_cost(n * n, sizeof(double)) +
           2 * tq_scratch_cost(n_row * n, sizeof(double)) +
           2 * tq_scratch_cost(n_row * n_row, sizeof(double)) +
           tq_scratch_cost(task->n_pose * task->n_pose, sizeof(double)) +
           tq_poses_graph_size(task) + TQ_SCRATCH_ALIGN;
}

static bool take_room(tq_pose_search *s, tq_scratch *scratch)
{
    const size_t nv = s->nv, n = s->n, n_row = s->n_row, n_pose = s->task->n_pose;
    s->rows = tq_scratch_take(scratch, s->task->n_candidate, row_length(s->task) * sizeof(double));
    s->q = tq_scratch_take(scratch, s->task->n_candidate, nv * sizeof(double));
    s->tau = tq_scratch_take(scratch, s->task->n_candidate, nv * sizeof(double));
    s->ret->q = tq_scratch_take(scratch, n_pose, nv * sizeof(double));
    s->ret->tau = tq_scratch_take(scratch, n_pose, nv * sizeof(double));
    double *gain_error = tq_scratch_take(scratch, nv, sizeof(double));
    s->ret->gain_error = s->task->load != NULL ? gain_error : NULL;
    s->ret->legs = tq_scratch_take(scratch, n_pose, sizeof *s->ret->legs);
    s->chosen = tq_scratch_take(scratch, n_pose, sizeof *s->chosen);
    s->tour = tq_scratch_take(scratch, n_pose, sizeof *s->tour);
    s->spare = tq_scratch_take(scratch, n_pose, sizeof *s->spare);
    s->is_chosen = tq_scratch_take(scratch, s->task->n_candidate, sizeof *s->is_chosen);
    s->normal = tq_scratch_take(scratch, n * n, sizeof(double));
    s->inverse = tq_scratch_take(scratch, n * n, sizeof(double));
    s->effect = tq_scratch_take(scratch, n * n, sizeof(double));
    s->demand = tq_scratch_take(scratch, n * n, sizeof(double));
    s->left = tq_scratch_take(scratch, n * n, sizeof(double));
    s->moved = tq_scratch_take(scratch, n_row * n, sizeof(double));
    s->moved_effect = tq_scratch_take(scratch, n_row * n, sizeof(double));
    s->small = tq_scratch_take(scratch, n_row * n_row, sizeof(double));
    s->small_effect = tq_scratch_take(scratch, n_row * n_row, sizeof(double));
    s->cost = tq_scratch_take(scratch, n_pose * n_pose, sizeof(double));
    /* the size is tq_poses_scratch_size: all or the last one fails */
    return s->cost != NULL && tq_poses_graph_take(s, scratch);
}

/* ------------------------------------------------------------------------------------------------
 * Candidates
 */

/* Rows over noise of the pose in the room: of the base parameters, and of gains, without the load
 * and with it. */
static void put_rows(const tq_pose_search *s, double *row)
{
    const struct tq_excitation_room *room = s->search.room;
    const tq_base_set *base = s->search.task.base;
    const double *load = s->task->load;
    const int n_state = load != NULL ? 2 : 1; /* without it, and with it */
    memset(row, 0, s->n_row * s->n * sizeof *row);
    for (int is_loaded = 0; is_loaded < n_state; is_loaded++) {
        for (size_t v = 0; v < s->nv; v++, row += s->n) {
            const double *y = room->y + v * base->n_parameter;
            for (size_t c = 0; c < s->n_base; c++) {
                row[c] = y[base->independent[c]] / room->noise[v];
            }
            if (load == NULL) {
                continue;
            }
            double tau = room->tau[v];
            for (size_t p = 0; is_loaded && p < base->n_parameter; p++) {
                tau += y[p] * load[p];
            }
            row[s->n_base + v] = -tau / room->noise[v];
        }
    }
}

/* Rows over noise of candidates that keep the limits. */
static tq_status draw_candidates(tq_pose_search *s, tq_error *reterr)
{
    const tq_excitation_task *task = &s->search.task;
    struct tq_excitation_room *room = s->search.room;
    memset(room->qd, 0, s->nv * sizeof *room->qd);
    memset(room->qdd, 0, s->nv * sizeof *room->qdd);
    for (size_t i = 0; i < s->task->n_candidate; i++) {
        for (size_t v = 0; v < s->nv; v++) {
            const double u = (double)(tq_noise_bits(task->seed, i, v) >> 11) * 0x1p-53;
            room->q[v] = task->lower[v] + u * (task->upper[v] - task->lower[v]);
        }
        double distance = HUGE_VAL, excess = -1.0;
        tq_status status = tq_excitation_rows(&s->search, reterr);
        for (size_t v = 0; v < s->nv; v++) {
            excess = fmax(excess, fabs(room->tau[v]) / task->effort[v] - 1.0);
        }
        if (status == TQ_OK && task->clearance != NULL) {
            status = tq_clearance_at(&s->search, room->q, 0.0, 0.0, &distance, NULL, NULL, reterr);
        }
        if (status != TQ_OK) {
            return status;
        }
        if (excess > 0.0 || (task->clearance != NULL && distance < task->clearance->least)) {
            continue;
        }
        put_rows(s, s->rows + s->n_candidate * s->n_row * s->n);
        memcpy(s->q + s->n_candidate * s->nv, room->q, s->nv * sizeof *room->q);
        memcpy(s->tau + s->n_candidate * s->nv, room->tau, s->nv * sizeof *room->tau);
        s->n_candidate++;
    }
    return TQ_OK;
}

static const double *rows_of(const tq_pose_search *s, size_t candidate)
{
    return s->rows + candidate * s->n_row * s->n;
}

/* normal += factor Y^T Y, lower triangle */
static void add_pose(const tq_pose_search *s, size_t candidate, double factor, double *normal)
{
    const double *y = rows_of(s, candidate);
    for (size_t v = 0; v < s->n_row; v++, y += s->n) {
        for (size_t c = 0; c < s->n; c++) {
            const double x = factor * y[c];
            for (size_t d = 0; x != 0.0 && d <= c; d++) {
                normal[c * s->n + d] += x * y[d];
            }
        }
    }
}

/* demand = mean over candidates and joints of y^T y: the torque at rest over the whole range, and
 * what gains are off by of it, as apart from each other. Scores are of base parameters alone. */
static void find_demand(tq_pose_search *s)
{
    double *of_base = s->search.room->demand;
    const bool is_asked = s->task->motion.n_wanted > 0;
    memset(s->demand, 0, s->n * s->n * sizeof *s->demand);
    for (size_t i = 0; i < s->n_candidate; i++) {
        add_pose(s, i, 1.0 / (double)(s->n_candidate * s->n_row), s->demand);
    }
    for (size_t c = 0; c < s->n; c++) {
        for (size_t d = 0; d <= c; d++) {
            double *entry = &s->demand[c * s->n + d];
            if (c >= s->n_base) { /* gains */
                *entry *= c == d ? 1.0 : 0.0;
            } else if (is_asked) {
                *entry = of_base[c * s->n_base + d];
            } else {
                of_base[c * s->n_base + d] = *entry;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Exchange
 */

/* inverse = (normal + prior demand)^-1, effect = inverse demand inverse, both triangles. */
static tq_status invert(tq_pose_search *s, tq_error *reterr)
{
    const size_t n = s->n;
    const double *demand = s->demand;
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d <= c; d++) {
            const double entry = s->normal[c * n + d] + prior * demand[c * n + d];
            s->inverse[c * n + d] = s->inverse[d * n + c] = entry;
        }
        s->inverse[c * n + c] += c >= s->n_base ? prior : 0.0; /* a gain that nothing loads */
    }
    tq_status status = tq_cholesky_factor(n, s->inverse, n, reterr);
    s->log_determinant = s->error = 0.0;
    for (size_t c = 0; c < n; c++) {
        s->log_determinant += 2.0 * tq_log(s->inverse[c * n + c]);
    }
    status = status == TQ_OK ? tq_cholesky_invert(n, s->inverse, n, reterr) : status;
    if (status != TQ_OK) {
        return status;
    }
    double *left = s->left;
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += s->inverse[c * n + k] * (k >= d ? demand[k * n + d] : demand[d * n + k]);
            }
            left[c * n + d] = sum;
        }
        s->error += left[c * n + c];
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t d = 0; d < n; d++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum += left[c * n + k] * s->inverse[k * n + d];
            }
            s->effect[c * n + d] = sum;
        }
    }
    return TQ_OK;
}

/* ret (n_row x n_row) = Y matrix Y^T */
static void sandwich(const tq_pose_search *s, const double *y, const double *matrix, double *moved,
                     double *ret)
{
    const size_t n = s->n;
    for (size_t v = 0; v < s->n_row; v++) {
        for (size_t c = 0; c < n; c++) {
            double sum = 0.0;
            for (size_t d = 0; d < n; d++) {
                sum += y[v * n + d] * matrix[d * n + c];
            }
            moved[v * n + c] = sum;
        }
        for (size_t w = 0; w < s->n_row; w++) {
            double sum = 0.0;
            for (size_t c = 0; c < n; c++) {
                sum += moved[v * n + c] * y[w * n + c];
            }
            ret[v * s->n_row + w] = sum;
        }
    }
}

/* What a pose adds, with G = I + Y N^-1 Y^T:
 *
 *     determinant:  log det G
 *     torque error: tr(D N^-1) - tr(D (N + Y^T Y)^-1) = tr(G^-1 Y N^-1 D N^-1 Y^T) */
static double gain_of(const tq_pose_search *s, size_t candidate)
{
    const double *y = rows_of(s, candidate);
    double *g = s->small;
    sandwich(s, y, s->inverse, s->moved, g);
    for (size_t v = 0; v < s->n_row; v++) {
        g[v * s->n_row + v] += 1.0;
    }
    if (tq_cholesky_factor(s->n_row, g, s->n_row, NULL) != TQ_OK) {
        return 0.0;
    }
    double sum = 0.0;
    if (s->task->motion.criterion != TQ_EXCITATION_TORQUE_ERROR) {
        double product = 1.0;
        for (size_t v = 0; v < s->n_row; v++) {
            product *= g[v * s->n_row + v];
        }
        return product;
    }
    sandwich(s, y, s->effect, s->moved_effect, s->small_effect);
    if (tq_cholesky_solve(s->n_row, s->n_row, g, s->n_row, s->small_effect, s->n_row, NULL) !=
        TQ_OK) {
        return 0.0;
    }
    for (size_t v = 0; v < s->n_row; v++) {
        sum += s->small_effect[v * s->n_row + v];
    }
    return sum;
}

/* The candidate that adds most to `normal`; one that is chosen already only as *at itself. */
static size_t find_most(const tq_pose_search *s, size_t at, double *ret_gain)
{
    size_t best = at;
    double most = at < s->n_candidate ? gain_of(s, at) * (1.0 + least_gain) : -1.0;
    for (size_t i = 0; i < s->n_candidate; i++) {
        const double gain = s->is_chosen[i] ? -1.0 : gain_of(s, i);
        if (gain > most) {
            most = gain;
            best = i;
        }
    }
    *ret_gain = most;
    return best;
}

static tq_status choose(tq_pose_search *s, tq_error *reterr)
{
    double gain = 0.0;
    memset(s->normal, 0, s->n * s->n * sizeof *s->normal);
    memset(s->is_chosen, 0, s->task->n_candidate * sizeof *s->is_chosen);
    bool changed = true;
    for (unsigned round = 0; round <= TQ_POSES_ROUNDS_MAX && changed; round++) {
        changed = round == 0;
        for (size_t k = 0; k < s->task->n_pose; k++) {
            size_t at = SIZE_MAX;
            if (round > 0) {
                at = s->chosen[k];
                s->is_chosen[at] = false;
                add_pose(s, at, -1.0, s->normal);
            }
            const tq_status status = invert(s, reterr);
            if (status != TQ_OK) {
                return status;
            }
            s->chosen[k] = find_most(s, at, &gain);
            s->is_chosen[s->chosen[k]] = true;
            add_pose(s, s->chosen[k], 1.0, s->normal);
            changed = changed || s->chosen[k] != at;
            if (s->stop != NULL && s->stop(s->stop_ctx)) {
                return tq_fail(reterr, TQ_ERR_NO_CONVERGENCE, "stop", 0, 0.0);
            }
        }
        const tq_status status = invert(s, reterr);
        if (status != TQ_OK) {
            return status;
        }
        const bool by_error = s->task->motion.criterion == TQ_EXCITATION_TORQUE_ERROR;
        s->ret->rounds[s->ret->n_round++] = by_error ? s->error : -s->log_determinant;
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The result
 */

/* Scores of n_pose candidates; `pose` NULL: of the first ones. */
static tq_status score(tq_pose_search *s, const size_t *pose, tq_excitation_score *ret,
                       tq_error *reterr)
{
    struct tq_excitation_room *room = s->search.room;
    const tq_excitation_task *task = &s->search.task;
    *ret = (tq_excitation_score){HUGE_VAL, -HUGE_VAL, HUGE_VAL, -1.0, HUGE_VAL};
    for (unsigned over_noise = 0; over_noise < 2; over_noise++) {
        memset(room->normal, 0, s->n_base * s->n_base * sizeof *room->normal);
        for (size_t k = 0; k < s->task->n_pose; k++) {
            const size_t i = pose != NULL ? pose[k] : k;
            memcpy(room->q, s->q + i * s->nv, s->nv * sizeof *room->q);
            const tq_status status = tq_excitation_rows(&s->search, reterr);
            if (status != TQ_OK) {
                return status;
            }
            tq_excitation_add_rows(&s->search, over_noise == 1, 1.0, room->normal);
            for (size_t v = 0; v < s->nv; v++) {
                ret->excess = fmax(ret->excess, fabs(room->tau[v]) / task->effort[v] - 1.0);
            }
        }
        const tq_status status = tq_excitation_judge(&s->search, over_noise == 1, ret, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    return TQ_OK;
}

static tq_status put_result(tq_pose_search *s, tq_error *reterr)
{
    tq_poses *ret = s->ret;
    ret->n_pose = s->task->n_pose;
    ret->n_candidate = s->n_candidate;
    for (size_t v = 0; ret->gain_error != NULL && v < s->nv; v++) { /* of the last inversion */
        ret->gain_error[v] = sqrt(s->inverse[(s->n_base + v) * (s->n + 1)]);
    }
    for (size_t k = 0; k < ret->n_pose; k++) {
        memcpy(ret->q + k * s->nv, s->q + s->tour[k] * s->nv, s->nv * sizeof *ret->q);
        memcpy(ret->tau + k * s->nv, s->tau + s->tour[k] * s->nv, s->nv * sizeof *ret->tau);
    }
    const tq_status status = score(s, s->tour, &ret->score, reterr);
    return status == TQ_OK ? score(s, NULL, &ret->first, reterr) : status;
}

tq_status tq_poses_find(const tq_poses_task *task, bool (*stop)(void *ctx), void *stop_ctx,
                        tq_scratch *scratch, tq_poses *ret, tq_error *reterr)
{
    const tq_excitation_task motion = motion_task(task);
    tq_pose_search s = {.task = task,
                        .ret = ret,
                        .nv = motion.model->nv,
                        .n_base = motion.base->n_base,
                        .n = column_count(task),
                        .n_row = row_count(task),
                        .stop = stop,
                        .stop_ctx = stop_ctx};
    const size_t needs = tq_poses_scratch_size(task);
    if (scratch->size - scratch->used < needs) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needs);
    }
    tq_status status = tq_excitation_open(&motion, scratch, &s.search, reterr);
    if (status != TQ_OK) {
        return status;
    }
    if (!take_room(&s, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needs);
    }
    status = draw_candidates(&s, reterr);
    if (status == TQ_OK && s.n_candidate < task->n_pose) {
        return tq_fail(reterr, TQ_ERR_RANGE, "candidates", 0, (double)s.n_candidate);
    }
    ret->n_round = 0;
    if (status == TQ_OK) {
        find_demand(&s);
        status = choose(&s, reterr);
    }
    status = status == TQ_OK ? tq_poses_tour(&s, reterr) : status;
    return status == TQ_OK ? put_result(&s, reterr) : status;
}
