/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/residual/answer.c - findings, thresholds and trends as members of an answer. */
#include <math.h>
#include <stdio.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/residual/residual.h"
#include "api/response/robot_writer.h"

static const char *const terms[] = {TQA_WORDS_RESIDUAL_FINDING_TERM, NULL};
static const double day = 86400.0;

static const tq_joint *joint_of(const tqa_residual *p, size_t row, const char **ret_name)
{
    const tqa_robot *robot = p->tree->robot;
    for (uint32_t j = 0; j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        if (row >= joint->v_index && row < (size_t)joint->v_index + joint->nv) {
            *ret_name = robot->joint_names[j];
            return joint;
        }
    }
    *ret_name = "";
    return NULL;
}

/* viscous, Coulomb or offset friction of the model */
static double of_model(const tq_joint *joint, unsigned term)
{
    const double values[] = {joint->friction.viscous, joint->friction.coulomb,
                             joint->friction.offset};
    return values[term];
}

static void put_event(const tqa_residual *p, const tq_watch_event *event)
{
    tqa_writer *answer = p->tree->answer;
    const tqa_recording *log = &p->logs[event->recording];
    const char *name = "";
    char text[TQA_PROBLEM_TEXT];
    const tq_joint *joint = joint_of(p, event->row, &name);
    const char *unit = joint != NULL && joint->kind == TQ_JOINT_PRISMATIC ? "N" : "N m";
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "kind", event->is_persistent ? "persistent" : "contact");
    (void)snprintf(
        text, sizeof text,
        event->is_persistent
            ? "joint \"%.60s\" in \"%.60s\" has %.3g %s that the model does not explain, from "
              "%.3f s on for %.3g s: a payload, an offset, other friction"
            : "joint \"%.60s\" in \"%.60s\" had a contact of %.3g %s, at %.3f s for %.3g s",
        name, log->name, event->torque, unit, event->t, event->duration);
    tqa_writer_string(answer, "text", text);
    tqa_writer_string(answer, "joint", name);
    tqa_writer_string(answer, "dataset", log->name);
    tqa_writer_number(answer, "from_s", event->t);
    tqa_writer_number(answer, "duration_s", event->duration);
    tqa_writer_number(answer, "torque", event->torque);
    tqa_writer_end(answer);
}

static void put_drift(const tqa_residual *p, size_t row, unsigned term, const tq_watch_trend *trend)
{
    tqa_writer *answer = p->tree->answer;
    const char *name = "";
    char text[TQA_PROBLEM_TEXT];
    const tq_joint *joint = joint_of(p, row, &name);
    const double start = (joint != NULL ? of_model(joint, term) : 0.0) + trend->start;
    const double interval[2] = {trend->low, trend->high};
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "kind", "drift");
    (void)snprintf(text, sizeof text, "%s friction of \"%.60s\" %s by %.3g in %.4g s",
                   term == 2 ? "the offset in" : terms[term], name,
                   trend->change > 0.0 ? "rose" : "fell", fabs(trend->change),
                   tq_watch_time(p->watch));
    tqa_writer_string(answer, "text", text);
    tqa_writer_string(answer, "joint", name);
    tqa_writer_string(answer, "term", terms[term]);
    tqa_writer_number(answer, "change", trend->change);
    tqa_writer_number(answer, "standard_deviation", trend->deviation);
    tqa_writer_vector(answer, "interval", interval, 2);
    tqa_writer_finite(answer, "relative",
                      start > 0.0 && term < 2 ? (start + trend->change) / start : (double)NAN,
                      "it began at none");
    tqa_writer_end(answer);
}

static size_t put_findings(const tqa_residual *p, size_t *ret_drift)
{
    tqa_writer *answer = p->tree->answer;
    const tq_watch_row *rows = tq_watch_rows(p->watch);
    size_t n = 0;
    const tq_watch_event *events = tq_watch_events(p->watch, &n);
    tqa_writer_list(answer, "findings");
    for (size_t r = 0; r < p->order.nv; r++) {
        const size_t row = p->order.v[r];
        for (unsigned term = 0; term < TQ_WATCH_FRICTIONS; term++) {
            if (rows[row].trends[term].is_significant) {
                put_drift(p, row, term, &rows[row].trends[term]);
                (*ret_drift)++;
            }
        }
    }
    for (size_t k = 0; k < n && k < TQ_WATCH_EVENTS_MAX; k++) {
        put_event(p, &events[k]);
    }
    tqa_writer_end(answer);
    return n;
}

static void put_trends(tqa_writer *answer, const tq_watch_row *row)
{
    tqa_writer_list(answer, "drift");
    for (unsigned term = 0; term < TQ_WATCH_FRICTIONS; term++) {
        const tq_watch_trend *trend = &row->trends[term];
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "term", terms[term]);
        tqa_writer_finite(answer, "change", trend->change,
                          "the joint moved in fewer than six windows of 10 s");
        if (isfinite(trend->change)) {
            tqa_writer_number(answer, "standard_deviation", trend->deviation);
            tqa_writer_flag(answer, "significant", trend->is_significant);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static double put_joints(const tqa_residual *p)
{
    tqa_writer *answer = p->tree->answer;
    const tq_watch_row *rows = tq_watch_rows(p->watch);
    double alarms = 0.0;
    tqa_writer_list(answer, "by_joint");
    for (size_t r = 0; r < p->order.nv; r++) {
        const tq_watch_row *row = &rows[p->order.v[r]];
        const char *name = "";
        (void)joint_of(p, p->order.v[r], &name);
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint", name);
        tqa_writer_number(answer, "sigma", row->sigma);
        tqa_writer_number(answer, "correlation", row->correlation);
        tqa_writer_number(answer, "threshold", row->threshold);
        tqa_writer_number(answer, "false_alarms_per_day", row->false_alarms);
        tqa_writer_number(answer, "worst", row->worst);
        put_trends(answer, row);
        tqa_writer_end(answer);
        alarms += row->false_alarms;
    }
    tqa_writer_end(answer);
    return alarms;
}

void tqa_residual_answer(const tqa_residual *p)
{
    static const char *const noises[] = {TQA_WORDS_RESIDUAL_RESULT_NOISE_FROM, NULL};
    tqa_writer *answer = p->tree->answer;
    size_t n_drift = 0;
    const size_t n_event = put_findings(p, &n_drift);
    tqa_writer_string(answer, "verdict", n_event > 0 ? "contact" : n_drift > 0 ? "drift" : "quiet");
    tqa_writer_count(answer, "contacts", n_event);
    tqa_writer_joints(answer, p->tree->robot, &p->order);
    tqa_writer_number(answer, "gain_hz", p->gain);
    tqa_writer_string(answer, "noise_from", noises[p->plan.noise]);
    tqa_writer_number(answer, "watched_s", tq_watch_time(p->watch));
    const double alarms = put_joints(p);
    tqa_writer_number(answer, "false_alarms_expected", alarms * tq_watch_time(p->watch) / day);
    tqa_recording_report_all(answer, &p->request, p->logs, p->n_watched, "watch", p->n_log,
                             "noise");
}
