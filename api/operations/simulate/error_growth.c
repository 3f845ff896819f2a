/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/error_growth.c - the answer of how errors of a simulation grow, and how
 * long it can be trusted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/operations/simulate/simulate.h"
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

/* a plant whose controller is not sampled, and the room of its effects and controllers */
typedef struct twin {
    tq_plant plant;
    tq_effect *effects;
    tq_controller controller;
    tq_operational_controller in_space;
} twin;

/* False: its memory is short, and the problem is set, or a controller is none without samples. */
static bool make_twin(tqa_simulation *s, twin *t)
{
    t->plant = watched_plant(s);
    t->effects = tqa_tree_take(s->tree, t->plant.n_effect + 1, sizeof *t->effects);
    if (t->effects == NULL) {
        return false;
    }
    memcpy(t->effects, s->plant.effects, t->plant.n_effect * sizeof *t->effects);
    t->plant.effects = t->effects;
    if (!s->has_controller || !(tqa_controller_sample_time(&s->controller) > 0.0)) {
        return true;
    }
    t->controller = s->controller.core;
    t->controller.sample_time = 0.0;
    t->in_space = s->controller.operational;
    t->in_space.sample_time = 0.0;
    for (size_t k = 0; k < t->plant.n_effect; k++) {
        if (t->effects[k].ctx == &s->controller.operational) {
            return tq_operational_controller_effect(&t->in_space, &t->effects[k], NULL) == TQ_OK;
        }
        if (t->effects[k].ctx == &s->controller.core) {
            return tq_controller_effect(&t->controller, &t->effects[k], NULL) == TQ_OK;
        }
    }
    return true;
}

static double step_error(const tqa_simulation *s)
{
    return tq_run_is_adaptive(s->options.method) ? s->options.rtol + s->options.atol : 0.0;
}

static tq_error_run run_of(const tqa_simulation *s, const twin *t)
{
    return (tq_error_run){.plant = &t->plant,
                          .is_closed = is_closed(s),
                          .sample_time = tqa_controller_sample_time(&s->controller),
                          .n = s->judge.points.n,
                          .points = s->judge.points.rows,
                          .width = s->judge.points.width,
                          .is_adaptive = tq_run_is_adaptive(s->options.method),
                          .duration = s->duration,
                          .table = s->torque.points.n_point > 0 ? &s->torque : NULL,
                          .uncertainty = s->judge.uncertainty,
                          .step_error = step_error(s),
                          .tolerated = s->judge.tolerated};
}

bool tqa_run_verdict_wants_points(const struct tqa_simulation *s)
{
    return why_not(s) == NULL;
}

bool tqa_run_verdict_growth(struct tqa_simulation *s)
{
    tqa_error_growth *g = &s->judge.grown;
    twin t;
    tq_scratch scratch;
    tq_error error = {0};
    g->is_closed = is_closed(s);
    g->why_not = why_not(s);
    if (g->why_not != NULL) {
        return true;
    }
    if (!make_twin(s, &t) ||
        !tqa_tree_scratch(s->tree, tq_error_growth_scratch_size(&t.plant), &scratch)) {
        return s->tree->problem->status == 0;
    }
    const tq_error_run run = run_of(s, &t);
    const tq_status status = tq_error_growth_compute(&run, &scratch, &g->found, &error);
    if (status == TQ_ERR_STOPPED) {
        s->stopped = true;
        return false;
    }
    g->why_not = g->found.is_known ? NULL : "the equations have no unique solution at the start";
    return status == TQ_OK || tqa_tree_fail(s->tree, "", status, &error);
}

void tqa_run_verdict_begin(struct tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    twin t;
    tq_scratch scratch;
    tq_fastest_growth growth;
    tq_error error = {0};
    if (why_not(s) != NULL || host == NULL || host->progress == NULL || s->judge.points.n != 1 ||
        !make_twin(s, &t) ||
        !tqa_tree_scratch(s->tree, tq_error_growth_scratch_size(&t.plant), &scratch)) {
        return; /* a resumed run has reported it */
    }
    const tq_error_run run = run_of(s, &t);
    if (tq_error_growth_at(&run, 0, &scratch, &growth, &error) == TQ_OK) {
        char text[STEP_TEXT];
        (void)snprintf(text, sizeof text, "simulate: errors %s by %.3g /s at the start",
                       growth.rate > TQ_ERROR_GROWTH_SLOW ? "grow" : "do not grow",
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
    const tq_error_growth *g = &s->judge.grown.found;
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
    const tq_error_growth *g = &s->judge.grown.found;
    if (!g->is_known) {
        tqa_writer_none(answer, "growth_rate_per_s", s->judge.grown.why_not);
        return;
    }
    const bool there[TQ_ERROR_SOURCES] = {step_error(s) > 0.0, s->torque.points.n_point > 0,
                                          s->judge.uncertainty > 0.0};
    tqa_writer_string(answer, "loop", s->judge.grown.is_closed ? "closed" : "open");
    tqa_writer_number(answer, "growth_rate_per_s", g->start.rate);
    if (g->start.rate > TQ_ERROR_GROWTH_SLOW) {
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
    if (g->is_coarse || g->is_lost) {
        tqa_writer_none(answer, "amplification",
                        g->is_coarse ? coarse : "an error at the start is all that is left");
    } else {
        tqa_writer_number(answer, "amplification", g->gain);
    }
    tqa_writer_object(answer, "expected_error");
    for (unsigned k = 0; k < TQ_ERROR_SOURCES; k++) {
        if (there[k] && isfinite(g->error[k]) && !g->is_coarse) {
            tqa_writer_number(answer, names[k], g->error[k]);
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
