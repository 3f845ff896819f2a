/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml_print.c - attributes, texts, and the parts of a robot that an XML format may lack.
   */
#include "api/robots/xml_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/log_law.h"

bool tqa_xml_put_text(tqa_json_text *text, const char *s)
{
    char one[16];
    bool good = true;
    for (const char *p = s; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;
        const bool noncharacter = c == 0xEF && (unsigned char)p[1] == 0xBF &&
                                  (unsigned char)p[2] >= 0xBE; /* U+FFFE, U+FFFF */
        good = good && (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') && !noncharacter;
        if (c < 0x20 || c == '&' || c == '<' || c == '>' || c == '"') {
            (void)snprintf(one, sizeof one, "&#%u;", c);
        } else {
            (void)snprintf(one, sizeof one, "%c", (char)c);
        }
        tqa_json_text_raw(text, one);
    }
    return good;
}

static void open_attribute(tqa_json_text *text, const char *key)
{
    tqa_json_text_raw(text, " ");
    tqa_json_text_raw(text, key);
    tqa_json_text_raw(text, "=\"");
}

void tqa_xml_put_string(tqa_json_text *text, const char *key, const char *s)
{
    open_attribute(text, key);
    (void)tqa_xml_put_text(text, s);
    tqa_json_text_raw(text, "\"");
}

void tqa_xml_put_numbers(tqa_json_text *text, const char *key, const double *x, size_t n)
{
    open_attribute(text, key);
    for (size_t k = 0; k < n; k++) {
        tqa_json_text_raw(text, k > 0 ? " " : "");
        tqa_json_text_number(text, x[k]);
    }
    tqa_json_text_raw(text, "\"");
}

void tqa_xml_put_number(tqa_json_text *text, const char *key, double x)
{
    tqa_xml_put_numbers(text, key, &x, 1);
}

void tqa_xml_put_log_law(tqa_json_text *text, const char *indent, tq_log_law law)
{
    double *numbers[TQA_LOG_LAW_NUMBERS];
    if (!law.is_there) {
        return;
    }
    tqa_log_law_numbers(&law, numbers);
    tqa_json_text_raw(text, indent);
    tqa_json_text_raw(text, "<torqued:" TQA_LOG_LAW);
    for (size_t k = 0; k < TQA_LOG_LAW_NUMBERS; k++) {
        tqa_xml_put_number(text, tqa_log_law_names[k], *numbers[k]);
    }
    tqa_json_text_raw(text, "/>\n");
}

bool tqa_xml_has_friction(const tq_friction *f)
{
    return f->breakaway != 0.0 || f->stribeck_velocity != 0.0 || f->smoothing != 0.0 ||
           f->offset != 0.0;
}

bool tqa_xml_has_spring(const tq_joint *joint)
{
    return joint->spring.stiffness != 0.0 || joint->spring.rest != 0.0;
}

bool tqa_xml_has_rotor(const tq_joint *joint)
{
    return joint->rotor.inertia != 0.0 || joint->rotor.ratio != 1.0;
}

bool tqa_xml_has_turn_limits(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_CONTINUOUS &&
           (isfinite(joint->limits.lower) || isfinite(joint->limits.upper));
}

void tqa_xml_count(const tqa_robot *robot, tqa_xml_counts *ret)
{
    const tq_model *model = robot->model;
    const double *g = model->gravity;
    *ret = (tqa_xml_counts){.other_gravity = g[0] != 0.0 || g[1] != 0.0 || g[2] != -9.81};
    for (uint32_t l = 0; l < model->n_link; l++) {
        const double share = model->links[l].gravity_compensation;
        ret->carried += share != 0.0;
        ret->weightless += share == 1.0;
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        const tq_joint *joint = &model->joints[i];
        const bool one = tq_joint_kind_nv(joint->kind) == 1;
        ret->springs += one && tqa_xml_has_spring(joint);
        ret->frictions += one && tqa_xml_has_friction(&joint->friction);
        ret->rotors += one && tqa_xml_has_rotor(joint);
        ret->turns += tqa_xml_has_turn_limits(joint);
        ret->drives += tqa_robot_drive(robot, i) != NULL;
        ret->velocities += one && isfinite(joint->limits.velocity);
    }
}

bool tqa_xml_rests_elsewhere(const tq_joint *joint)
{
    const double *pose = joint->spring.pose;
    bool other = false;
    for (int k = 0; k < 7; k++) {
        other = other || (k != 3 && pose[k] != 0.0);
    }
    return joint->spring.stiffness != 0.0 && other;
}

/* the name of a spherical or floating joint with a damper, a spring or an inertia, or NULL */
static const char *ball_term(const tqa_robot *robot)
{
    for (uint32_t i = 0; i < robot->model->n_joint; i++) {
        const tq_joint *joint = &robot->model->joints[i];
        if (joint->nv > 1 && (joint->friction.viscous != 0.0 || joint->spring.stiffness != 0.0 ||
                              joint->rotor.inertia != 0.0)) {
            return robot->joint_names[i];
        }
    }
    return NULL;
}

bool tqa_xml_refuse(tqa_problem *reterr, const char *obstacle, const char *why)
{
    return !tqa_problem_set(reterr, "not-acceptable", "\"%.80s\" %s: ask for application/json",
                            obstacle, why);
}

bool tqa_xml_has_no_words(const tqa_robot *robot, const char *name, const char *format,
                          tqa_problem *reterr)
{
    const struct {
        const char *obstacle, *what;
    } parts[] = {
        {robot->constraints != NULL ? name : NULL, "has constraints"},
        {ball_term(robot), "has a damper, a spring or an inertia in all directions"},
        {robot->model->n_tendon > 0 ? name : NULL, "has tendons"},
        {tqa_robot_dragged(robot), "is dragged by a medium"},
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        if (parts[k].obstacle != NULL) {
            return !tqa_problem_set(
                reterr, "not-acceptable",
                "\"%.80s\" %s, for which %s has no words: ask for application/json",
                parts[k].obstacle, parts[k].what, format);
        }
    }
    return false;
}

const char *tqa_xml_bad_name(const tqa_robot *robot, const char *name)
{
    tqa_json_text sink = {0};
    const tq_model *model = robot->model;
    const char *bad = tqa_xml_put_text(&sink, name) ? NULL : name;
    for (uint32_t l = 0; l < model->n_link && bad == NULL; l++) {
        bad = tqa_xml_put_text(&sink, robot->link_names[l]) ? NULL : robot->link_names[l];
    }
    for (uint32_t i = 0; i < model->n_joint && bad == NULL; i++) {
        bad = tqa_xml_put_text(&sink, robot->joint_names[i]) ? NULL : robot->joint_names[i];
    }
    for (uint32_t t = 0; t < model->n_tendon && bad == NULL; t++) {
        bad = tqa_xml_put_text(&sink, robot->tendon_names[t]) ? NULL : robot->tendon_names[t];
    }
    free(tqa_json_text_take(&sink, &(size_t){0}));
    return bad;
}

bool tqa_xml_root_is_world(const tqa_robot *robot)
{
    const tq_inertia *inertia = &robot->model->links[robot->model->root].inertia;
    bool massless = inertia->mass == 0.0;
    for (int k = 0; k < 6; k++) {
        massless = massless && inertia->about_com[k] == 0.0;
    }
    return massless && strcmp(robot->link_names[robot->model->root], "world") == 0;
}

void tqa_xml_free_link_name(const tqa_robot *robot, const char *base, const char *ending, char *ret,
                            size_t room)
{
    const int kept = (int)(room - strlen(ending) - 12);
    for (unsigned k = 1; k < TQ_LINK_MAX; k++) {
        if (k == 1) {
            (void)snprintf(ret, room, "%.*s%s", kept, base, ending);
        } else {
            (void)snprintf(ret, room, "%.*s%s%u", kept, base, ending, k);
        }
        if (tqa_robot_link(robot, ret, strlen(ret)) == TQ_NONE) {
            return;
        }
    }
}

const char *const tqa_xml_planar_endings[3] = {"_x", "_y", ""};

bool tqa_xml_planar_is_free(const tqa_robot *robot, uint32_t i)
{
    char name[TQA_NAME_MAX + 8];
    bool all = true;
    for (int k = 0; k < 2; k++) {
        (void)snprintf(name, sizeof name, "%s%s", robot->joint_names[i], tqa_xml_planar_endings[k]);
        all = all && strlen(name) < TQA_NAME_MAX &&
              tqa_robot_joint(robot, name, strlen(name)) == TQ_NONE &&
              tqa_robot_link(robot, name, strlen(name)) == TQ_NONE;
    }
    return all;
}

bool tqa_xml_floats_in_world(const tqa_robot *robot, uint32_t i)
{
    const tq_joint *joint = &robot->model->joints[i];
    bool there = joint->kind == TQ_JOINT_FLOATING && joint->parent == robot->model->root;
    for (int k = 0; k < 9; k++) {
        there = there && joint->origin.r[k] == tq_pose_identity.r[k];
    }
    for (int k = 0; k < 3; k++) {
        there = there && joint->origin.p[k] == 0.0;
    }
    return there;
}

void tqa_xml_put_parts(tqa_json_text *text, const char *head, const tqa_xml_part *parts,
                       size_t n_part)
{
    bool any = false;
    for (size_t k = 0; k < n_part; k++) {
        const tqa_xml_part *part = &parts[k];
        char number[16] = "";
        if (part->n == 0) {
            continue;
        }
        if (part->after != NULL) {
            (void)snprintf(number, sizeof number, " %u ", part->n);
        }
        tqa_json_text_raw(text, any ? ",\n     " : "\n     ");
        tqa_json_text_raw(text, any ? "" : head);
        tqa_json_text_raw(text, part->before);
        tqa_json_text_raw(text, number);
        tqa_json_text_raw(text, part->after != NULL ? part->after : "");
        any = true;
    }
    tqa_json_text_raw(text, any ? "." : "");
}

bool tqa_xml_has_undriven(const tqa_robot *robot)
{
    return robot->actuated != NULL;
}
