/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/constraints_print.c - constraints as a robot document has them. */
#include "api/codec/writer.h"
#include "api/robots/constraint.h"
#include "api/robots/document/parts.h"

/* columns of the lines of the root, and of the constraints */
enum { ROOT = 1, MEMBER = 4 };

typedef struct printer {
    tqa_writer *to;
    const tqa_robot *robot;
    const char *const *texts; /* of the expressions that follow */
} printer;

/* an object with the frame's link and position, still open */
static void open_point(const printer *p, const char *key, const tq_link_frame *frame)
{
    tqa_writer_object(p->to, key);
    tqa_writer_string(p->to, "link", p->robot->link_names[frame->link]);
    tqa_writer_vector(p->to, "position", frame->pose.p, 3);
}

static void put_point(const printer *p, const char *key, const tq_link_frame *frame)
{
    open_point(p, key, frame);
    tqa_writer_end(p->to);
}

static void put_frame(const printer *p, const char *key, const tq_link_frame *frame)
{
    open_point(p, key, frame);
    tqa_writer_matrix(p->to, "rotation", frame->pose.r, 3, 3);
    tqa_writer_end(p->to);
}

static void put_direction(const printer *p, const char *key, const tq_link_frame *frame)
{
    const double *r = frame->pose.r;
    const double z[3] = {r[2], r[5], r[8]};
    tqa_writer_vector(p->to, key, z, 3);
}

static void put_plane(const printer *p, const tq_link_frame *frame)
{
    open_point(p, "plane", frame);
    put_direction(p, "normal", frame);
    tqa_writer_end(p->to);
}

static void put_axes(const printer *p, unsigned axes)
{
    tqa_writer_list(p->to, "axes");
    for (unsigned k = 0; k < 6; k++) {
        if ((axes >> k & 1u) != 0) {
            tqa_writer_string(p->to, NULL, tqa_direction_names[k]);
        }
    }
    tqa_writer_end(p->to);
}

static void put_rolling(const printer *p, const tq_constraint *c)
{
    open_point(p, "body", &c->b);
    tqa_writer_number(p->to, "radius", c->radius);
    if (c->disk) {
        put_direction(p, "axis", &c->b);
    }
    tqa_writer_end(p->to);
    if (c->surface == 0.0) {
        put_plane(p, &c->a);
    } else {
        open_point(p, "sphere", &c->a);
        tqa_writer_number(p->to, "radius", c->surface);
        tqa_writer_flag(p->to, "inside", c->inside);
        tqa_writer_end(p->to);
    }
    tqa_writer_flag(p->to, "slips", c->slips);
    tqa_writer_flag(p->to, "spins", !c->no_spin);
}

/* the joint of a row of qd */
static const char *joint_of(const printer *p, uint32_t v_index)
{
    const tq_model *model = p->robot->model;
    uint32_t j = 0;
    while (j + 1 < model->n_joint &&
           !(model->joints[j].nv > 0 && model->joints[j].v_index == v_index)) {
        j++;
    }
    return p->robot->joint_names[j];
}

static void put_coupling(const printer *p, const tq_constraint *c)
{
    tqa_writer_object(p->to, "coefficients");
    for (size_t k = 0; k < c->n_coupling; k++) {
        tqa_writer_number(p->to, joint_of(p, c->coupling[k].v_index), c->coupling[k].factor);
    }
    tqa_writer_end(p->to);
    tqa_writer_number(p->to, "offset", c->offset);
}

/* an entry that was written as a number has no text */
static void put_expression(const printer *p, const char *key, const tq_expression *expression,
                           const char *text)
{
    if (text != NULL) {
        tqa_writer_string(p->to, key, text);
    } else {
        tqa_writer_number(p->to, key, expression->code[0].number);
    }
}

static void put_pfaffian(const printer *p, const tq_constraint *c)
{
    size_t k = 0;
    tqa_writer_list(p->to, "rows");
    for (uint32_t row = 0; row < c->n_equation; row++) {
        tqa_writer_object(p->to, NULL);
        for (; k < c->n_pfaffian && c->pfaffian[k].row == row; k++) {
            put_expression(p, joint_of(p, c->pfaffian[k].v_index), &c->pfaffian[k].expression,
                           p->texts[k]);
        }
        tqa_writer_end(p->to);
    }
    tqa_writer_end(p->to);
    tqa_writer_vector(p->to, "equals", c->equals, c->n_equation);
}

static void put_kind(const printer *p, const tq_constraint *c)
{
    switch (c->kind) {
    case TQ_CONSTRAINT_LOOP:
        put_frame(p, "a", &c->a);
        put_frame(p, "b", &c->b);
        put_axes(p, c->axes);
        break;
    case TQ_CONSTRAINT_DISTANCE:
        put_point(p, "a", &c->a);
        put_point(p, "b", &c->b);
        tqa_writer_number(p->to, "length", c->length);
        break;
    case TQ_CONSTRAINT_POINT_ON_PLANE:
        put_plane(p, &c->a);
        put_point(p, "point", &c->b);
        break;
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
        open_point(p, "sphere", &c->a);
        tqa_writer_number(p->to, "radius", c->length);
        tqa_writer_end(p->to);
        put_point(p, "point", &c->b);
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
        put_expression(p, "expression", &c->equation, p->texts[0]);
        break;
    }
}

static void put_actuated(const printer *p, const bool *actuated)
{
    const tq_model *model = p->robot->model;
    tqa_writer_line(p->to, ROOT);
    tqa_writer_list(p->to, "actuated");
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv > 0 && actuated[model->joints[j].v_index]) {
            tqa_writer_string(p->to, NULL, p->robot->joint_names[j]);
        }
    }
    tqa_writer_end(p->to);
}

void tqa_document_print_constraints(tqa_writer *to, const tqa_robot *robot)
{
    printer p = {.to = to, .robot = robot};
    const tq_constraints *set = robot->constraints;
    if (robot->actuated != NULL) {
        put_actuated(&p, robot->actuated);
    }
    if (set == NULL) {
        return;
    }
    tqa_writer_line(to, ROOT);
    tqa_writer_list(to, "constraints");
    for (uint32_t i = 0; i < set->n_constraint; i++) {
        const tq_constraint *c = &set->items[i];
        tqa_writer_line(to, MEMBER);
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "name", robot->constraint_notes[i].name);
        tqa_writer_string(to, "kind", tqa_constraint_kind_name(c->kind));
        p.texts = robot->constraint_notes[i].texts;
        put_kind(&p, c);
        tqa_writer_end(to);
    }
    tqa_writer_end(to);
    tqa_writer_line(to, ROOT);
    tqa_writer_count(to, "dof", robot->n_free);
    tqa_writer_vector(to, "assembled", robot->assembled, robot->model->nq);
}
