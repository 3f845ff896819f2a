/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/payload/answer.c - a payload as members of an answer, and the robot with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/payload/payload.h"
#include "api/response/document.h"
#include "api/response/robot_writer.h"
#include "core/model/inertia.h"

static const char *const verdicts[] = {TQA_WORDS_PAYLOAD_RESULT_VERDICT, NULL};
enum { OPEN_TEXT = 160 };

typedef struct named {
    const char *name, *unit;
    const tq_payload_number *number;
} named;

static const char *why_open(const tqa_payload_search *p, bool is_inertia)
{
    return p->found.state != TQ_PAYLOAD_FOUND && p->found.state != TQ_PAYLOAD_OPEN
               ? "no payload was found"
           : p->found.from_poses && is_inertia ? "data at rest do not identify inertia"
                                               : "the data do not identify it";
}

static void put_estimate(tqa_writer *answer, const named *of, const char *why_not)
{
    tqa_writer_object(answer, NULL);
    tqa_writer_string(answer, "name", of->name);
    tqa_writer_string(answer, "unit", of->unit);
    if (isfinite(of->number->value)) {
        const double interval[2] = {of->number->low, of->number->high};
        tqa_writer_number(answer, "value", of->number->value);
        tqa_writer_number(answer, "standard_deviation", of->number->deviation);
        tqa_writer_vector(answer, "interval", interval, 2);
    } else {
        tqa_writer_none(answer, "value", why_not);
    }
    tqa_writer_end(answer);
}

static void put_estimates(const tqa_payload_search *p)
{
    static const char *const ten[] = {"m",   "mx",  "my",  "mz",  "Ixx",
                                      "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
    static const char *const coms[] = {"com_x", "com_y", "com_z"};
    tqa_writer *answer = p->tree->answer;
    const tq_payload_result *found = &p->found;
    tqa_writer_list(answer, "estimates");
    put_estimate(answer, &(named){"mass", "kg", &found->mass}, "the data do not identify it");
    for (unsigned k = 0; k < 3; k++) {
        put_estimate(answer, &(named){coms[k], "m", &found->com[k]}, why_open(p, false));
    }
    for (unsigned k = 0; k < 6; k++) {
        put_estimate(answer, &(named){ten[4 + k], "kg m^2", &found->inertia[k]}, why_open(p, true));
    }
    tqa_writer_end(answer);
    tqa_writer_list(answer, "parameters");
    for (unsigned k = 0; k < TQ_PAYLOAD_TEN; k++) {
        const char *unit = k == 0 ? "kg" : k < 4 ? "kg m" : "kg m^2";
        put_estimate(answer, &(named){ten[k], unit, &found->ten[k]},
                     found->from_poses && k > 3 ? "data at rest do not identify inertia"
                                                : "the data do not identify it");
    }
    tqa_writer_end(answer);
}

static void put_text(const tqa_payload_search *p)
{
    const tq_payload_number *m = &p->found.mass;
    const char *link = p->tree->robot->link_names[p->plan.link];
    char text[TQA_PROBLEM_TEXT];
    const double half = 0.5 * (m->high - m->low);
    switch (p->found.state) {
    case TQ_PAYLOAD_FOUND:
        (void)snprintf(text, sizeof text, "\"%.60s\" carries %.4g kg (%.4g to %.4g kg)", link,
                       m->value, m->low, m->high);
        break;
    case TQ_PAYLOAD_NONE:
        (void)snprintf(text, sizeof text,
                       "\"%.60s\" carries no significant payload: %.2g kg, plus or minus %.2g kg",
                       link, m->value, half);
        break;
    case TQ_PAYLOAD_LESS:
        (void)snprintf(text, sizeof text,
                       "\"%.60s\" carries %.4g kg less than the robot's model has (%.4g to %.4g "
                       "kg): was it calibrated with a tool?",
                       link, -m->value, -m->high, -m->low);
        break;
    case TQ_PAYLOAD_OPEN:
        (void)snprintf(
            text, sizeof text,
            "these data do not identify the payload's mass on \"%.60s\": move joints whose "
            "axes are not all parallel to gravity, or use more different poses",
            link);
        break;
    }
    tqa_writer_string(p->tree->answer, "text", text);
}

/* names of the payload's members that the data do not identify */
static void open_of(const tqa_payload_search *p, char ret[OPEN_TEXT])
{
    static const char *const names[] = {"com x", "com y", "com z", "Ixx", "Ixy",
                                        "Ixz",   "Iyy",   "Iyz",   "Izz"};
    size_t n = 0;
    ret[0] = '\0';
    for (unsigned k = 0; k < 9; k++) {
        const tq_payload_number *x = k < 3 ? &p->found.com[k] : &p->found.inertia[k - 3];
        if (!isfinite(x->value)) {
            const int m = snprintf(ret + n, OPEN_TEXT - n, "%s%s", n > 0 ? ", " : "", names[k]);
            n += m > 0 ? (size_t)m : 0;
        }
    }
}

static void put_payload(const tqa_payload_search *p)
{
    tqa_writer *answer = p->tree->answer;
    const tq_inertia *body = &p->found.body;
    char open[OPEN_TEXT], note[OPEN_TEXT + 128];
    if (p->found.state != TQ_PAYLOAD_FOUND) {
        tqa_writer_none(answer, "payload",
                        p->found.state == TQ_PAYLOAD_NONE
                            ? "0 kg lies within the interval of its mass"
                        : p->found.state == TQ_PAYLOAD_LESS ? "no body has a negative mass"
                                                            : "the data do not identify its mass");
        return;
    }
    tqa_writer_object(answer, "payload");
    tqa_writer_string(answer, "link", p->tree->robot->link_names[p->plan.link]);
    tqa_writer_number(answer, "mass", body->mass);
    tqa_writer_vector(answer, "com", body->com, 3);
    tqa_writer_symmetric(answer, "inertia", body->about_com);
    tqa_writer_end(answer);
    open_of(p, open);
    if (open[0] != '\0') {
        (void)snprintf(
            note, sizeof note,
            "the data do not identify %s: their values are those of a compact body of 2000 "
            "kg/m^3 that agrees with the rest",
            open);
        tqa_writer_string(answer, "payload_note", note);
    }
}

static void put_joints(const tqa_payload_search *p)
{
    static const char *const changes[] = {"viscous_change", "coulomb_change", "offset_change"};
    tqa_writer *answer = p->tree->answer;
    const tqa_robot *robot = p->tree->robot;
    tqa_writer_list(answer, "by_joint");
    for (size_t i = 0; i < p->order.n_joint; i++) {
        const tq_joint *joint = &robot->model->joints[p->order.joints[i]];
        const size_t r = joint->v_index;
        const double *friction = p->found.friction + r * TQ_PAYLOAD_FRICTIONS;
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "joint", robot->joint_names[p->order.joints[i]]);
        tqa_writer_finite(answer, "rmse_without", p->found.without[r],
                          "it does not carry the link, or did not move");
        tqa_writer_finite(answer, "rmse_with", p->found.with[r],
                          "it does not carry the link, or did not move");
        for (unsigned k = 0; k < TQ_PAYLOAD_FRICTIONS; k++) {
            tqa_writer_finite(answer, changes[k], friction[k], "not fitted");
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

bool tqa_payload_robot(tqa_payload_search *p)
{
    const tqa_robot *robot = p->tree->robot;
    tqa_problem why = {0}; /* a robot that URDF cannot express is returned as a document only */
    const tqa_host *host = p->tree->host;
    if (p->found.state != TQ_PAYLOAD_FOUND) {
        return true;
    }
    tq_link *links = tqa_tree_take(p->tree, robot->model->n_link, sizeof *links);
    if (links == NULL) {
        return false;
    }
    memcpy(links, robot->model->links, robot->model->n_link * sizeof *links);
    tq_inertia *carrier = &links[p->plan.link].inertia;
    *carrier = tq_inertia_add(carrier, &p->found.body);
    tq_model model = *robot->model;
    model.links = links;
    tqa_robot with = *robot;
    with.model = &model;
    p->document = tqa_robot_document(&with, robot->name, &p->n_document);
    p->urdf = tqa_robot_urdf(&with, robot->name, &p->n_urdf, &why);
    bool good = p->document != NULL && (p->urdf != NULL || why.status != 503);
    if (good && p->urdf != NULL && host != NULL && host->attach != NULL) {
        good = host->attach(host->ctx, "robot.urdf", "application/xml", p->urdf, p->n_urdf) == 0;
    }
    return good ||
           tqa_problem_set(p->tree->problem, "busy", "there is no memory for the new robot now");
}

static bool put_robot(const tqa_payload_search *p)
{
    tqa_writer *answer = p->tree->answer;
    if (p->document == NULL) {
        tqa_writer_none(answer, "robot", "there is no payload to weld on");
        return true;
    }
    tqa_json_scan *scan = tqa_tree_take(p->tree, 1, sizeof *scan);
    if (scan != NULL) { /* the digest is that of the original robot */
        tqa_writer_document(answer, "robot", "digest", scan, p->document, p->n_document);
    }
    return scan != NULL;
}

bool tqa_payload_answer(tqa_payload_search *p)
{
    static const char *const froms[] = {TQA_WORDS_PAYLOAD_RESULT_FROM, NULL};
    tqa_writer *answer = p->tree->answer;
    tqa_writer_string(answer, "verdict", verdicts[p->found.state]);
    put_text(p);
    tqa_writer_string(answer, "link", p->tree->robot->link_names[p->plan.link]);
    tqa_writer_string(answer, "from", froms[p->found.from_poses]);
    tqa_writer_joints(answer, p->tree->robot, &p->order);
    tqa_writer_count(answer, "samples", p->found.n_sample);
    if (p->found.from_poses) {
        tqa_writer_count(answer, "poses", p->found.n_pose);
    } else {
        tqa_writer_count(answer, "segments", p->found.n_segment);
    }
    tqa_writer_number(answer, "confidence", p->plan.confidence);
    tqa_writer_number(answer, "degrees_of_freedom", p->found.freedom);
    put_estimates(p);
    put_payload(p);
    put_joints(p);
    tqa_recording_report_all(answer, &p->request, p->logs, p->n_loaded, "payload", p->n_log,
                             "reference");
    return put_robot(p);
}
