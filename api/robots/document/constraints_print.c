/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/constraints_print.c - constraints as a robot document has them. */
#include <string.h>

#include "api/codec/json/text.h"
#include "api/robots/constraint.h"
#include "api/robots/document/parts.h"

typedef struct printer {
    tqa_json_text *text;
    const tqa_robot *robot;
    const char *const *texts; /* of the expressions that follow */
} printer;

static void raw(const printer *p, const char *s)
{
    tqa_json_text_raw(p->text, s);
}

/* key: {"link": ..., "position": ... without the closing bracket */
static void open_point(const printer *p, const char *key, const tq_link_frame *frame)
{
    raw(p, key);
    raw(p, "{\"link\": ");
    tqa_json_text_string(p->text, p->robot->link_names[frame->link]);
    raw(p, ", \"position\": ");
    tqa_json_text_numbers(p->text, frame->pose.p, 3);
}

static void put_point(const printer *p, const char *key, const tq_link_frame *frame)
{
    open_point(p, key, frame);
    raw(p, "}");
}

static void put_frame(const printer *p, const char *key, const tq_link_frame *frame)
{
    open_point(p, key, frame);
    raw(p, ", \"rotation\": [");
    for (size_t i = 0; i < 3; i++) {
        raw(p, i > 0 ? ", " : "");
        tqa_json_text_numbers(p->text, frame->pose.r + 3 * i, 3);
    }
    raw(p, "]}");
}

static void put_direction(const printer *p, const char *key, const tq_link_frame *frame)
{
    const double *r = frame->pose.r;
    const double z[3] = {r[2], r[5], r[8]};
    raw(p, key);
    tqa_json_text_numbers(p->text, z, 3);
}

static void put_number(const printer *p, const char *key, double x)
{
    raw(p, key);
    tqa_json_text_number(p->text, x);
}

static void put_plane(const printer *p, const tq_link_frame *frame)
{
    open_point(p, ", \"plane\": ", frame);
    put_direction(p, ", \"normal\": ", frame);
    raw(p, "}");
}

static void put_axes(const printer *p, unsigned axes)
{
    bool first = true;
    raw(p, ", \"axes\": [");
    for (unsigned k = 0; k < 6; k++) {
        if ((axes >> k & 1u) != 0) {
            raw(p, first ? "\"" : ", \"");
            raw(p, tqa_direction_names[k]);
            raw(p, "\"");
            first = false;
        }
    }
    raw(p, "]");
}

static void put_rolling(const printer *p, const tq_constraint *c)
{
    open_point(p, ", \"body\": ", &c->b);
    put_number(p, ", \"radius\": ", c->radius);
    if (c->disk) {
        put_direction(p, ", \"axis\": ", &c->b);
    }
    raw(p, "}");
    if (c->surface == 0.0) {
        put_plane(p, &c->a);
    } else {
        open_point(p, ", \"sphere\": ", &c->a);
        put_number(p, ", \"radius\": ", c->surface);
        raw(p, c->inside ? ", \"inside\": true}" : ", \"inside\": false}");
    }
    raw(p, c->slips ? ", \"slips\": true" : ", \"slips\": false");
    raw(p, c->no_spin ? ", \"spins\": false" : ", \"spins\": true");
}

/* the name of the joint of a row of qd */
static void put_joint_of(const printer *p, uint32_t v_index)
{
    const tq_model *model = p->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv > 0 && model->joints[j].v_index == v_index) {
            tqa_json_text_string(p->text, p->robot->joint_names[j]);
            return;
        }
    }
}

static void put_coupling(const printer *p, const tq_constraint *c)
{
    raw(p, ", \"coefficients\": {");
    for (size_t k = 0; k < c->n_coupling; k++) {
        raw(p, k > 0 ? ", " : "");
        put_joint_of(p, c->coupling[k].v_index);
        put_number(p, ": ", c->coupling[k].factor);
    }
    put_number(p, "}, \"offset\": ", c->offset);
}

/* an entry that was written as a number has no text */
static void put_expression(const printer *p, const tq_expression *expression, const char *text)
{
    if (text != NULL) {
        tqa_json_text_string(p->text, text);
    } else {
        tqa_json_text_number(p->text, expression->code[0].number);
    }
}

static void put_pfaffian(const printer *p, const tq_constraint *c)
{
    raw(p, ", \"rows\": [{");
    uint32_t row = 0;
    bool first = true;
    for (size_t k = 0; k < c->n_pfaffian; k++) {
        for (; row < c->pfaffian[k].row; row++) {
            raw(p, "}, {");
            first = true;
        }
        raw(p, first ? "" : ", ");
        put_joint_of(p, c->pfaffian[k].v_index);
        raw(p, ": ");
        put_expression(p, &c->pfaffian[k].expression, p->texts[k]);
        first = false;
    }
    for (; row + 1 < c->n_equation; row++) {
        raw(p, "}, {");
    }
    raw(p, "}], \"equals\": ");
    tqa_json_text_numbers(p->text, c->equals, c->n_equation);
}

static void put_kind(const printer *p, const tq_constraint *c)
{
    switch (c->kind) {
    case TQ_CONSTRAINT_LOOP:
        put_frame(p, ", \"a\": ", &c->a);
        put_frame(p, ", \"b\": ", &c->b);
        put_axes(p, c->axes);
        break;
    case TQ_CONSTRAINT_DISTANCE:
        put_point(p, ", \"a\": ", &c->a);
        put_point(p, ", \"b\": ", &c->b);
        put_number(p, ", \"length\": ", c->length);
        break;
    case TQ_CONSTRAINT_POINT_ON_PLANE:
        put_plane(p, &c->a);
        put_point(p, ", \"point\": ", &c->b);
        break;
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
        open_point(p, ", \"sphere\": ", &c->a);
        put_number(p, ", \"radius\": ", c->length);
        put_point(p, "}, \"point\": ", &c->b);
        break;
    case TQ_CONSTRAINT_ROLLING:
        put_rolling(p, c);
        break;
    case TQ_CONSTRAINT_COUPLING:
        put_coupling(p, c);
        break;
    case TQ_CONSTRAINT_PFAFFIAN:
        put_pfaffian(p, c);
        break;
    case TQ_CONSTRAINT_EQUATION:
        raw(p, ", \"expression\": ");
        put_expression(p, &c->equation, p->texts[0]);
        break;
    }
}

static void put_actuated(const printer *p, const bool *actuated)
{
    const tq_model *model = p->robot->model;
    bool first = true;
    raw(p, ",\n \"actuated\": [");
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv > 0 && actuated[model->joints[j].v_index]) {
            raw(p, first ? "" : ", ");
            tqa_json_text_string(p->text, p->robot->joint_names[j]);
            first = false;
        }
    }
    raw(p, "]");
}

void tqa_document_print_constraints(tqa_json_text *text, const tqa_robot *robot)
{
    printer p = {.text = text, .robot = robot};
    const tq_constraints *set = robot->constraints;
    if (set == NULL) {
        return;
    }
    if (set->actuated != NULL) {
        put_actuated(&p, set->actuated);
    }
    if (set->n_constraint == 0) {
        return;
    }
    raw(&p, ",\n \"constraints\": [");
    for (uint32_t i = 0; i < set->n_constraint; i++) {
        const tq_constraint *c = &set->items[i];
        raw(&p, i > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
        tqa_json_text_string(text, robot->constraint_notes[i].name);
        raw(&p, ", \"kind\": \"");
        raw(&p, tqa_constraint_kind_name(c->kind));
        raw(&p, "\"");
        p.texts = robot->constraint_notes[i].texts;
        put_kind(&p, c);
        raw(&p, "}");
    }
    raw(&p, "],\n \"dof\": ");
    tqa_json_text_count(text, robot->n_free);
    raw(&p, ", \"assembled\": ");
    tqa_json_text_numbers(text, robot->assembled, robot->model->nq);
}
