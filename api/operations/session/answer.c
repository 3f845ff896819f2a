/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/session/answer.c - a session and its state as JSON or CBOR, and the hash. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/floating.h"
#include "api/codec/writer.h"
#include "api/operations/session/session.h"

static void put_row(tqa_session *s, tqa_writer *answer, const char *key, const uint32_t *order,
                    size_t n, const double *row, size_t stride)
{
    for (size_t r = 0; r < n; r++) {
        s->line[r] = row[order[r] * stride];
    }
    tqa_writer_vector(answer, key, s->line, n);
}

static unsigned char *add_bits(unsigned char *to, const void *bits, size_t n)
{
    memcpy(to, bits, n);
    return to + n;
}

static unsigned char *add_rows(unsigned char *to, const double *rows, size_t n, size_t stride)
{
    for (size_t k = 0; k < n; k++) {
        to = add_bits(to, &rows[k * stride], sizeof *rows);
    }
    return to;
}

/* step, t, q, qd; states of drives, modes of joints, torques under way */
static void put_hash(tqa_session *s, tqa_writer *answer)
{
    const tq_trajectories *state = s->sim.run->state;
    const tq_model *model = s->robot->model;
    const size_t nv = model->nv;
    char text[TQA_REQUEST_DIGEST_TEXT];
    tqa_digest digest;
    unsigned char *to = add_bits(s->state, &s->lock.step, sizeof s->lock.step);
    to = add_bits(to, &s->sim.run->t, sizeof s->sim.run->t);
    to = add_rows(to, state->q, model->nq, state->stride);
    to = add_rows(to, state->qd, nv, state->stride);
    to = add_rows(to, state->z, s->n_z, state->stride);
    if (state->mode != NULL) {
        to = add_bits(to, state->mode, model->n_joint);
    }
    for (uint32_t ago = 0; ago < s->options.actuator_delay; ago++) {
        tq_lock_step_pending(&s->lock, ago, s->line);
        to = add_bits(to, s->line, nv * sizeof *s->line);
    }
    tqa_digest_init(&digest);
    tqa_digest_whole(&digest, (const char *)s->state, (size_t)(to - s->state));
    tqa_digest_text(&digest, text);
    tqa_writer_string(answer, "hash", text);
}

static void put_sensors(tqa_session *s, tqa_writer *answer)
{
    static const char *const names[TQ_SENSORS] = {"q", "qd", "tau"};
    const tqa_order *order = &s->sim.order;
    double *reading = s->line + order->nq + order->nv;
    bool any = false;
    for (unsigned k = 0; k < TQ_SENSORS; k++) {
        if (!s->has[k]) {
            continue;
        }
        if (!any) {
            tqa_writer_object(answer, "sensors");
            any = true;
        }
        tq_lock_step_read(&s->lock, (tq_sensor_kind)k, reading);
        const bool is_q = k == TQ_SENSOR_Q;
        put_row(s, answer, names[k], is_q ? order->q : order->v, is_q ? order->nq : order->nv,
                reading, 1);
    }
    if (any) {
        tqa_writer_end(answer);
    }
}

static void put_qdd(tqa_session *s, tqa_writer *answer)
{
    tq_error error = {0};
    if (s->with_qdd && s->ended == NULL &&
        tq_run_rates(s->sim.run, &s->sim.rates, &error) == TQ_OK) {
        put_row(s, answer, "qdd", s->sim.order.v, s->sim.order.nv, s->sim.rates.qd, TQ_BLOCK_PAD);
    }
}

static void put_events(tqa_session *s, tqa_writer *answer)
{
    if (s->n_event == 0) {
        return;
    }
    tqa_writer *own = s->tree->answer;
    tqa_events_watch watch = s->sim.watch;
    const bool many = s->n_event > TQA_SESSION_EVENTS_MAX;
    watch.recorded = s->events;
    watch.n_event = many ? (uint64_t)TQA_SESSION_EVENTS_MAX : s->n_event;
    s->tree->answer = answer;
    tqa_writer_events(s->tree, &watch);
    s->tree->answer = own;
    if (many) {
        tqa_writer_count(answer, "events_omitted", s->n_event - TQA_SESSION_EVENTS_MAX);
    }
}

/* torque of the last request on a floating joint, which no motor gives */
static void put_warnings(const tqa_session *s, tqa_writer *answer)
{
    const tqa_robot *robot = s->robot;
    const uint32_t j = tqa_floating_undriven(robot, 0);
    double most = 0.0;
    for (uint32_t r = 0; j != TQ_NONE && r < robot->model->joints[j].nv; r++) {
        most = fmax(most, fabs(s->request.tau[robot->model->joints[j].v_index + r]));
    }
    if (most > 0.0) {
        char text[TQA_PROBLEM_TEXT];
        tqa_floating_text(robot, j, most, text);
        tqa_writer_list(answer, "warnings");
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint", robot->joint_names[j]);
        tqa_writer_count(answer, "sample", 0);
        tqa_writer_string(answer, "text", text);
        tqa_writer_end(answer);
        tqa_writer_end(answer);
    }
}

/* the members of SessionState */
static void put_state(tqa_session *s, tqa_writer *answer)
{
    const tqa_order *order = &s->sim.order;
    const tq_trajectories *state = s->sim.run->state;
    tqa_writer_count(answer, "step", s->lock.step);
    tqa_writer_number(answer, "t", s->sim.run->t);
    put_row(s, answer, "q", order->q, order->nq, state->q, state->stride);
    put_row(s, answer, "qd", order->v, order->nv, state->qd, state->stride);
    put_qdd(s, answer);
    put_row(s, answer, "tau", order->v, order->nv, tq_lock_step_torque(&s->lock), 1);
    put_sensors(s, answer);
    put_hash(s, answer);
    put_events(s, answer);
    put_warnings(s, answer);
    if (s->ended != NULL) {
        tqa_writer_string(answer, "ended", s->ended);
        if (s->ended_at != TQ_NONE) {
            tqa_writer_string(answer, "ended_joint", s->robot->joint_names[s->ended_at]);
        }
    }
}

static void put_session(tqa_session *s, const tqa_session_about *about, tqa_writer *answer)
{
    const tqa_order *order = &s->sim.order;
    tqa_writer_string(answer, "id", about->id);
    tqa_writer_string(answer, "robot", s->robot_name);
    tqa_writer_string(answer, "robot_digest", s->robot->digest);
    tqa_writer_list(answer, "joints");
    for (size_t k = 0; k < order->n_joint; k++) {
        tqa_writer_string(answer, NULL, s->robot->joint_names[order->joints[k]]);
    }
    tqa_writer_end(answer);
    tqa_writer_number(answer, "step_s", s->step_s);
    tqa_writer_object(answer, "solver");
    tqa_writer_string(answer, "method", tqa_simulation_method(s->sim.options.method));
    tqa_writer_number(answer, "step_s", s->step_s / s->substeps);
    tqa_writer_end(answer);
    tqa_writer_count(answer, "oldest_step", tq_lock_step_least(&s->lock));
    tqa_writer_count(answer, "bytes", s->bytes);
    tqa_writer_integer(answer, "expires_in_s", about->expires_in_s);
    tqa_writer_object(answer, "state");
    put_state(s, answer);
    tqa_writer_end(answer);
}

char *tqa_session_answer(tqa_session *session, const tqa_session_about *about, tqa_media accept,
                         size_t *ret_n, tqa_problem *reterr)
{
    tqa_writer answer = {.cbor = accept == TQA_MEDIA_CBOR};
    tqa_writer_object(&answer, NULL);
    if (about != NULL) {
        put_session(session, about, &answer);
    } else {
        put_state(session, &answer);
    }
    tqa_writer_end(&answer);
    tqa_writer_finish(&answer);
    const bool not_finite = answer.not_finite;
    char *text = tqa_writer_take(&answer, ret_n);
    if (text == NULL || not_finite) {
        free(text);
        (void)tqa_problem_set(reterr, not_finite ? "overflow" : "busy",
                              not_finite ? "a result is too large for a number"
                                         : "there is no memory for the answer now");
        return NULL;
    }
    return text;
}

const char *tqa_session_robot(const tqa_session *session)
{
    return session->robot_name;
}

const char *tqa_session_robot_digest(const tqa_session *session)
{
    return session->robot->digest;
}
