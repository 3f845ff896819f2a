/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/error_growth.c - how errors of a simulation grow, and how long it can be
 * trusted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/operations/simulate/error_growth.h"
#include "core/elementary/elementary.h"

enum { NV_MAX = 40, STEP_TEXT = 96 };
/* The plant as it is linearised: no audit. */
static tq_plant watched_plant(tqa_simulation *s)
{
    tq_plant plant = s->plant;
    plant.n_effect = s->plant.n_effect - 1;
    return plant;
}

static bool is_closed(const tqa_simulation *s)
{
    return s->has_controller && tqa_controller_is_closed(&s->controller);
}

/* Why the answer has no growth; NULL: it has. */
static const char *why_not(const tqa_simulation *s)
{
    return s->order.nv == 0               ? "nothing moves"
           : s->order.nv > NV_MAX         ? "the robot has too many degrees of freedom for it"
           : s->contacts.set.n_pair > 0   ? "the laws of contact are not smooth"
           : s->plant.constraints == NULL ? NULL
           : s->order.nq != s->order.nv   ? "the constraints are on joints with quaternions"
           : tqa_controller_sample_time(&s->controller) > 0.0
               ? "constraints and a sampled controller at once"
               : NULL;
}

static bool open_room(tqa_simulation *s, tqa_error_propagation_room *r)
{
    const size_t nv = s->order.nv;
    tqa_tree *tree = s->tree;
    const tq_plant plant = watched_plant(s);
    const size_t of_line = tq_linearise_scratch_size(&s->plant);
    const size_t of_growth = tq_fastest_growth_scratch_size(2 * nv);
    const size_t of_trust = tq_error_propagation_scratch_size(nv);
    const size_t of_torque =
        tq_inverse_scratch_size(s->mechanism, 0) +
        4 * tq_scratch_cost((s->order.nq + nv + 1) * TQ_BLOCK_PAD, sizeof(double));
    r->a = tqa_tree_take(tree, tq_error_propagation_matrix(nv), sizeof(double));
    r->copy = tqa_tree_take(tree, tq_error_propagation_matrix(nv), sizeof(double));
    r->inverse = tqa_tree_take(tree, nv * nv, sizeof(double));
    r->push = tqa_tree_take(tree, 2 * nv, sizeof(double));
    r->tau = tqa_tree_take(tree, 2 * nv, sizeof(double));
    r->zeros = tqa_tree_take(tree, tq_plant_n_z(&s->plant) + tq_plant_n_held(&s->plant) + 1,
                             sizeof(double));
    r->effects = tqa_tree_take(tree, plant.n_effect + 1, sizeof *r->effects);
    const size_t of_samples = tq_fastest_growth_sampled_scratch_size(2 * nv);
    const size_t of_bound =
        s->plant.constraints != NULL ? tq_linearise_constrained_scratch_size(&s->plant) : 0;
    const size_t sizes[] = {of_line, of_growth, of_samples, of_trust, of_torque, of_bound};
    size_t most = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        most = sizes[k] > most ? sizes[k] : most;
    }
    return r->a != NULL && r->copy != NULL && r->inverse != NULL && r->push != NULL &&
           r->tau != NULL && r->zeros != NULL && r->effects != NULL &&
           tqa_tree_scratch(tree, most, &r->scratch);
}

/* the plant with a controller that is not sampled, in r->effects */
static bool twin_plant(tqa_simulation *s, tqa_error_propagation_room *r, tq_plant *ret)
{
    *ret = watched_plant(s);
    memcpy(r->effects, s->plant.effects, ret->n_effect * sizeof *r->effects);
    ret->effects = r->effects;
    if (!s->has_controller || !(tqa_controller_sample_time(&s->controller) > 0.0)) {
        return true;
    }
    r->twin = s->controller.core;
    r->twin.sample_time = 0.0;
    r->twin_in_space = s->controller.operational;
    r->twin_in_space.sample_time = 0.0;
    for (size_t k = 0; k < ret->n_effect; k++) {
        if (r->effects[k].ctx == &s->controller.operational) {
            return tq_operational_controller_effect(&r->twin_in_space, &r->effects[k], NULL) ==
                   TQ_OK;
        }
        if (r->effects[k].ctx == &s->controller.core) {
            return tq_controller_effect(&r->twin, &r->effects[k], NULL) == TQ_OK;
        }
    }
    return true;
}

static tq_status grow_at(tqa_simulation *s, const tq_plant *plant, tqa_error_propagation_room *r,
                         const tq_run_point *at, tq_fastest_growth *ret, tq_error *reterr)
{
    const double h = is_closed(s) ? tqa_controller_sample_time(&s->controller) : 0.0;
    size_t n = 2 * s->order.nv;
    tq_status status = TQ_OK;
    if (plant->constraints != NULL) {
        status = tq_linearise_constrained(plant, at, &r->scratch, r->copy, &n, reterr);
        return status == TQ_OK ? tq_fastest_growth_of(n, r->copy, &r->scratch, ret, reterr)
                               : status;
    }
    if (h > 0.0) { /* between samples the loop is open */
        status = tq_linearise(plant, at, false, &r->scratch, r->copy, r->inverse, reterr);
    }
    if (status == TQ_OK) {
        status = tq_linearise(plant, at, is_closed(s), &r->scratch, r->a, r->inverse, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    if (h > 0.0) {
        return tq_fastest_growth_sampled(n, r->copy, r->a, h, &r->scratch, ret, reterr);
    }
    memcpy(r->copy, r->a, tq_error_propagation_matrix(s->order.nv) * sizeof(double));
    return tq_fastest_growth_of(n, r->copy, &r->scratch, ret, reterr);
}

/* M^-1 times torque */
static void accelerate(size_t nv, const double *inverse, const double *tau, double *ret)
{
    for (size_t i = 0; i < nv; i++) {
        ret[i] = 0.0;
        for (size_t k = 0; k < nv; k++) {
            ret[i] += inverse[i * nv + k] * tau[k];
        }
    }
}

/* torque of the inertial parameters at a point: its relative error is that of a wrong model */
static bool model_torque(tqa_simulation *s, tqa_error_propagation_room *r, const tq_run_point *at,
                         double *ret)
{
    const size_t mark = tq_scratch_mark(&r->scratch);
    const double *from[3] = {at->q, at->qd, at->qdd};
    double *rows[4];
    for (unsigned p = 0; p < 4; p++) {
        const size_t n = p == 0 ? s->order.nq : s->order.nv;
        rows[p] = tq_scratch_take(&r->scratch, (n + 1) * TQ_BLOCK_PAD, sizeof(double));
        for (size_t k = 0; p < 3 && k < n * TQ_BLOCK_PAD; k++) {
            rows[p][k] = from[p][k / TQ_BLOCK_PAD];
        }
    }
    const tq_inverse_input in = {.n_sample = 1,
                                 .stride = TQ_BLOCK_PAD,
                                 .q = rows[0],
                                 .qd = rows[1],
                                 .qdd = rows[2],
                                 .gravity = s->gravity,
                                 .without = s->plant.without | TQ_WITHOUT_FRICTION |
                                            TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR};
    const tq_status status = tq_inverse_dynamics(s->mechanism, &in, &r->scratch, rows[3], NULL);
    for (size_t k = 0; status == TQ_OK && k < s->order.nv; k++) {
        ret[k] = rows[3][k * TQ_BLOCK_PAD];
    }
    tq_scratch_rewind(&r->scratch, mark);
    return status == TQ_OK;
}

/* accelerations that input and model miss at a point */
static void find_push(tqa_simulation *s, tqa_error_propagation_room *r, const tq_run_point *at)
{
    const size_t nv = s->order.nv;
    memset(r->push, 0, 2 * nv * sizeof(double));
    if (s->torque.points.n_point > 0) {
        tq_table_error_at(&s->torque, at->t, r->tau);
        accelerate(nv, r->inverse, r->tau, r->push);
    }
    if (s->judge.uncertainty > 0.0 && model_torque(s, r, at, r->tau)) {
        for (size_t k = 0; k < nv; k++) {
            r->tau[k] *= s->judge.uncertainty;
        }
        accelerate(nv, r->inverse, r->tau, r->push + nv);
    }
}

double tqa_error_propagation_tolerance(const tqa_simulation *s)
{
    return tq_run_is_adaptive(s->options.method) ? s->options.rtol + s->options.atol : 0.0;
}

static tq_run_point point_of(const tqa_simulation *s, const tqa_error_propagation_room *r, size_t k)
{
    const double *row = s->judge.points.rows + k * s->judge.points.width;
    const double *q = row + 1, *qd = q + s->order.nq, *qdd = qd + s->order.nv;
    return (tq_run_point){.t = row[0],
                          .q = q,
                          .qd = qd,
                          .qdd = qdd,
                          .z = r->zeros,
                          .held = r->zeros,
                          .wrench = qdd + s->order.nv};
}

tq_status tqa_error_propagation_at(tqa_simulation *s, const tq_plant *plant,
                                   tqa_error_propagation_room *r, size_t k, tq_fastest_growth *ret,
                                   tq_error *reterr)
{
    const tq_run_point at = point_of(s, r, k);
    return grow_at(s, plant, r, &at, ret, reterr);
}

tq_status tqa_error_propagation_linearise(tqa_simulation *s, const tq_plant *plant,
                                          tqa_error_propagation_room *r, size_t k,
                                          double *ret_matrix, double *ret_push, tq_error *reterr)
{
    const tq_run_point at = point_of(s, r, k);
    const tq_status status =
        tq_linearise(plant, &at, is_closed(s), &r->scratch, ret_matrix, r->inverse, reterr);
    if (status == TQ_OK) {
        find_push(s, r, &at);
        memcpy(ret_push, r->push, 2 * s->order.nv * sizeof *ret_push);
    }
    return status;
}

bool tqa_run_verdict_wants_points(const struct tqa_simulation *s)
{
    return why_not(s) == NULL;
}

bool tqa_run_verdict_growth(struct tqa_simulation *s)
{
    tqa_error_growth *g = &s->judge.grown;
    const size_t nv = s->order.nv;
    tqa_error_propagation_room r;
    tq_plant plant;
    g->is_closed = is_closed(s);
    g->why_not = why_not(s);
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        g->horizon[k] = (double)INFINITY;
    }
    if (g->why_not != NULL) {
        return true;
    }
    g->trust = (tq_error_propagation){
        .n_v = nv,
        .carried = tqa_tree_take(s->tree, tq_error_propagation_carried(nv), sizeof(double))};
    if (g->trust.carried == NULL || !open_room(s, &r)) {
        return false;
    }
    return !twin_plant(s, &r, &plant) || tqa_error_propagation_carry(s, &plant, &r);
}

void tqa_run_verdict_begin(struct tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    tqa_error_propagation_room r;
    tq_plant plant;
    tq_fastest_growth growth;
    tq_error error = {0};
    if (why_not(s) != NULL || host == NULL || host->progress == NULL || s->judge.points.n != 1 ||
        !open_room(s, &r) || !twin_plant(s, &r, &plant)) {
        return; /* a resumed run has reported it */
    }
    const tq_run_point at = point_of(s, &r, 0);
    if (grow_at(s, &plant, &r, &at, &growth, &error) == TQ_OK) {
        char text[STEP_TEXT];
        (void)snprintf(text, sizeof text, "simulate: errors %s by %.3g /s at the start",
                       growth.rate > TQA_ERROR_PROPAGATION_SLOW ? "grow" : "do not grow",
                       fmax(growth.rate, 0.0));
        host->progress(host->ctx, 0.0, text);
    }
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static const char coarse[] = "too many steps to propagate errors over: try a shorter run";

static void put_horizon(const tqa_simulation *s, const char *key, unsigned source, bool is_there,
                        const char *none)
{
    tqa_writer *answer = s->tree->answer;
    const tqa_error_growth *g = &s->judge.grown;
    const double t = g->horizon[source];
    if (is_there && isfinite(t)) {
        tqa_writer_number(answer, key, t);
    } else {
        tqa_writer_none(answer, key,
                        !is_there      ? none
                        : g->is_coarse ? coarse
                                       : "such errors do not grow so far");
    }
}

void tqa_run_verdict_put_growth(const struct tqa_simulation *s)
{
    static const char *const names[TQ_ERROR_SOURCES] = {"integrator", "input", "model"};
    static const char *const times[TQ_ERROR_SOURCES] = {"integrator_s", "input_s", "model_s"};
    static const char *const nones[TQ_ERROR_SOURCES] = {
        "steps of one size have no tolerance: compare with a run of half the step",
        "the input is no table", "give \"verdict\": {\"model_uncertainty\": 0.01}"};
    tqa_writer *answer = s->tree->answer;
    const tqa_error_growth *g = &s->judge.grown;
    if (!g->is_known) {
        tqa_writer_none(answer, "growth_rate_per_s", g->why_not);
        return;
    }
    const bool there[TQ_ERROR_SOURCES] = {tqa_error_propagation_tolerance(s) > 0.0,
                                          s->torque.points.n_point > 0, s->judge.uncertainty > 0.0};
    tqa_writer_string(answer, "loop", g->is_closed ? "closed" : "open");
    tqa_writer_number(answer, "growth_rate_per_s", g->start.rate);
    if (g->start.rate > TQA_ERROR_PROPAGATION_SLOW) {
        tqa_writer_number(answer, "doubling_time_s", tq_log(2.0) / g->start.rate);
    } else {
        tqa_writer_none(answer, "doubling_time_s", "errors do not grow at the start");
    }
    tqa_writer_object(answer, "fastest_growth");
    tqa_writer_number(answer, "rate_per_s", g->fastest.rate);
    tqa_writer_number(answer, "frequency_rad_s", g->fastest.frequency);
    tqa_writer_number(answer, "t", g->fastest_at);
    tqa_writer_end(answer);
    if (s->plant.constraints != NULL) {
        return;
    }
    if (g->is_coarse || g->trust.is_lost) {
        tqa_writer_none(answer, "amplification",
                        g->is_coarse ? coarse : "an error at the start is all that is left");
    } else {
        tqa_writer_number(answer, "amplification", g->trust.gain);
    }
    tqa_writer_object(answer, "expected_error");
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        if (there[k] && isfinite(g->trust.error[k]) && !g->is_coarse) {
            tqa_writer_number(answer, names[k], g->trust.error[k]);
        } else {
            tqa_writer_none(answer, names[k],
                            !there[k]      ? nones[k]
                            : g->is_coarse ? coarse
                                           : "beyond all bounds");
        }
    }
    tqa_writer_end(answer);
    tqa_writer_object(answer, "horizon");
    tqa_writer_number(answer, "tolerated_error", s->judge.tolerated);
    double first = (double)INFINITY;
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        put_horizon(s, times[k], k, there[k], nones[k]);
        first = there[k] ? fmin(first, g->horizon[k]) : first;
    }
    if (isfinite(first)) {
        tqa_writer_number(answer, "t", first);
    } else {
        tqa_writer_none(answer, "t", "no error that is known grows so far");
    }
    tqa_writer_end(answer);
}
