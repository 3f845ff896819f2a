/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/constraints.c - constraints and actuated joints of a robot document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/robots/constraint.h"
#include "api/robots/document/parts.h"
#include "api/robots/expression.h"
#include "core/spatial/frame.h"

static const char *const nothing[] = {NULL};

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

static void read_link(const tqa_json_at *at, tq_link_frame *ret)
{
    const tqa_json_at link = tqa_json_field(at, "link");
    ret->link = tqa_document_resolve(&link, &at->draft->links, "the name of a link");
}

/* a link with a pose */
static void read_frame(const tqa_json_at *constraint, const char *key, tq_link_frame *ret)
{
    static const char *const known[] = {TQA_FIELDS_LINK_FRAME, NULL};
    const tqa_json_at at = tqa_json_field(constraint, key);
    if (tqa_json_is_object(&at)) {
        tqa_json_fields(&at, known, nothing);
        read_link(&at, ret);
        tqa_document_place(&at, &ret->pose, NULL);
    }
}

/* a direction as axis z of a frame */
static void read_direction(const tqa_json_at *at, const char *key, double r[9])
{
    const tqa_json_at field = tqa_json_field(at, key);
    double n[3];
    if (!tqa_json_numbers(&field, 3, n)) {
        return;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 1e-9) || !isfinite(length)) {
        tqa_draft_fault(at->draft, "range", field.pointer, "write a direction, such as [0, 0, 1]",
                        "this is no direction");
        return;
    }
    /* a vector of length 1 to rounding is unchanged, so that it reads back to the bit */
    for (int k = 0; k < 3 && fabs(length - 1.0) > 1e-15; k++) {
        n[k] /= length;
    }
    tq_mat_third_column(n, r);
}

/* a point of a link, with the further fields of `known` */
static bool read_point(const tqa_json_at *constraint, const char *key, const char *const *known,
                       tq_link_frame *ret, tqa_json_at *ret_at)
{
    *ret_at = tqa_json_field(constraint, key);
    if (!tqa_json_is_object(ret_at)) {
        return false;
    }
    tqa_json_fields(ret_at, known, nothing);
    read_link(ret_at, ret);
    memcpy(ret->pose.r, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof ret->pose.r);
    const tqa_json_at position = tqa_json_field(ret_at, "position");
    if (position.value != NULL) {
        (void)tqa_json_numbers(&position, 3, ret->pose.p);
    }
    return true;
}

static void read_plane(const tqa_json_at *constraint, tq_link_frame *ret)
{
    static const char *const known[] = {TQA_FIELDS_LINK_PLANE, NULL};
    tqa_json_at at;
    if (read_point(constraint, "plane", known, ret, &at)) {
        read_direction(&at, "normal", ret->pose.r);
    }
}

static void need_number(const tqa_json_at *object, const char *key, double *ret)
{
    const tqa_json_at at = tqa_json_field(object, key);
    (void)tqa_json_number(&at, ret);
}

static void read_flag(const tqa_json_at *object, const char *key, bool *ret)
{
    const tqa_json_at at = tqa_json_field(object, key);
    if (json_is_boolean(at.value)) {
        *ret = json_boolean_value(at.value) != 0;
    } else if (at.value != NULL) {
        tqa_draft_fault(at.draft, "wrong-type", at.pointer, "write true or false, without quotes",
                        "this must be: true or false");
    }
}

/* ------------------------------------------------------------------------------------------------
 * Kinds
 */

static void read_axes(const tqa_json_at *at, unsigned *ret)
{
    *ret = 0;
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const tqa_json_at item = tqa_json_item(at, i);
        const char *word = json_string_value(item.value);
        unsigned k = 0;
        while (k < 6 && (word == NULL || strcmp(word, tqa_direction_names[k]) != 0)) {
            k++;
        }
        if (k == 6) {
            tqa_draft_fault(at->draft, "unknown-name", item.pointer,
                            "axes are x, y, z, rx, ry, rz of the frame of \"a\"",
                            "there is no axis of this name");
            return;
        }
        *ret |= 1u << k;
    }
}

static void read_loop(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_LOOP_CONSTRAINT, NULL};
    tqa_json_fields(at, known, nothing);
    read_frame(at, "a", &ret->a);
    read_frame(at, "b", &ret->b);
    const tqa_json_at axes = tqa_json_field(at, "axes");
    ret->axes = 63;
    if (axes.value != NULL && tqa_json_is_array(&axes)) {
        read_axes(&axes, &ret->axes);
    }
}

static void read_distance(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_DISTANCE_CONSTRAINT, NULL};
    static const char *const point[] = {TQA_FIELDS_LINK_POINT, NULL};
    tqa_json_at part;
    tqa_json_fields(at, known, nothing);
    (void)read_point(at, "a", point, &ret->a, &part);
    (void)read_point(at, "b", point, &ret->b, &part);
    need_number(at, "length", &ret->length);
}

static void read_on_plane(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_POINT_ON_PLANE_CONSTRAINT, NULL};
    static const char *const point[] = {TQA_FIELDS_LINK_POINT, NULL};
    tqa_json_at part;
    tqa_json_fields(at, known, nothing);
    read_plane(at, &ret->a);
    (void)read_point(at, "point", point, &ret->b, &part);
}

static void read_on_sphere(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_POINT_ON_SPHERE_CONSTRAINT, NULL};
    static const char *const sphere[] = {TQA_FIELDS_LINK_SPHERE, NULL};
    static const char *const point[] = {TQA_FIELDS_LINK_POINT, NULL};
    tqa_json_at part;
    tqa_json_fields(at, known, nothing);
    if (read_point(at, "sphere", sphere, &ret->a, &part)) {
        need_number(&part, "radius", &ret->length);
    }
    (void)read_point(at, "point", point, &ret->b, &part);
}

static void read_rolling(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_ROLLING_CONSTRAINT, NULL};
    static const char *const body[] = {TQA_FIELDS_ROLLING_CONSTRAINT_BODY, NULL};
    static const char *const sphere[] = {TQA_FIELDS_ROLLING_CONSTRAINT_SPHERE, NULL};
    tqa_json_at part;
    bool spins = true;
    tqa_json_fields(at, known, nothing);
    if (read_point(at, "body", body, &ret->b, &part)) {
        need_number(&part, "radius", &ret->radius);
        ret->disk = json_object_get(part.value, "axis") != NULL;
        if (ret->disk) {
            read_direction(&part, "axis", ret->b.pose.r);
        }
    }
    const tqa_json_at on_plane = tqa_json_field(at, "plane");
    const tqa_json_at on_sphere = tqa_json_field(at, "sphere");
    if ((on_plane.value == NULL) == (on_sphere.value == NULL)) {
        tqa_draft_fault(at->draft, on_plane.value == NULL ? "missing-field" : "invalid-value",
                        on_plane.pointer, "it rolls on a \"plane\" or on a \"sphere\"",
                        "one of the two surfaces must be given");
    } else if (on_plane.value != NULL) {
        read_plane(at, &ret->a);
    } else if (read_point(at, "sphere", sphere, &ret->a, &part)) {
        need_number(&part, "radius", &ret->surface);
        read_flag(&part, "inside", &ret->inside);
        if (ret->surface == 0.0) {
            ret->surface = -1.0; /* no sphere; 0 would mean a plane */
        }
    }
    read_flag(at, "slips", &ret->slips);
    read_flag(at, "spins", &spins);
    ret->no_spin = !spins;
}

static uint32_t find_joint(const void *ctx, const char *name, size_t n)
{
    return tqa_names_find(ctx, name, n);
}

static uint32_t joint_of_key(const tqa_json_at *at, const char *key)
{
    const uint32_t number = tqa_names_find(&at->draft->joints, key, strlen(key));
    if (number == UINT32_MAX) {
        tqa_draft_fault(at->draft, "unknown-name", at->pointer, "the name of a joint",
                        "there is no joint of name %.80s", key);
    }
    return number;
}

static void read_coupling(const tqa_json_at *at, tq_constraint *ret)
{
    static const char *const known[] = {TQA_FIELDS_COUPLING_CONSTRAINT, NULL};
    tqa_json_fields(at, known, nothing);
    const tqa_json_at factors = tqa_json_field(at, "coefficients");
    tqa_json_optional(at, "offset", &ret->offset);
    if (!tqa_json_is_object(&factors)) {
        return;
    }
    const size_t n = json_object_size(factors.value);
    tq_coupling_term *terms = tqa_arena_take(at->draft->arena, n, sizeof *terms, 16);
    if (tqa_draft_is_spent(at->draft)) {
        return;
    }
    const char *key = NULL;
    json_t *value = NULL;
    size_t k = 0;
    json_object_foreach(factors.value, key, value)
    {
        const tqa_json_at item = tqa_json_field(&factors, key);
        const uint32_t joint = joint_of_key(&item, key);
        terms[k] = (tq_coupling_term){.q_index = joint, .v_index = joint};
        if (joint == UINT32_MAX || !tqa_json_number(&item, &terms[k].factor)) {
            return;
        }
        k++;
    }
    if (n == 0) {
        tqa_draft_fault(at->draft, "invalid-value", factors.pointer,
                        "write {\"joint1\": 1, \"joint2\": -2}", "there is no joint here");
    }
    ret->coupling = terms;
    ret->n_coupling = n;
}

/* An expression, or a number; its text for printing. False: a fault was added. */
static bool read_expression(const tqa_json_at *at, tq_expression *ret, const char **ret_text)
{
    tqa_draft *draft = at->draft;
    tq_instruction room[TQ_EXPRESSION_LENGTH];
    size_t n = 0;
    if (json_is_number(at->value)) {
        room[0] =
            (tq_instruction){.op = TQ_OPERATOR_NUMBER, .number = json_number_value(at->value)};
        n = 1;
        *ret_text = NULL;
    } else if (json_is_string(at->value)) {
        tqa_expression_fault fault = {.at = 0};
        const char *text = json_string_value(at->value);
        n = tqa_expression_read(text, json_string_length(at->value), find_joint, &draft->joints,
                                room, &fault);
        if (n == 0) {
            tqa_draft_fault(draft, "invalid-value", at->pointer, fault.hint,
                            "at character %zu of the expression: %s", fault.at + 1, fault.detail);
            return false;
        }
        *ret_text = tqa_arena_text(draft->arena, text, json_string_length(at->value));
    } else {
        tqa_draft_fault(draft, at->value == NULL ? "missing-field" : "wrong-type", at->pointer,
                        "write an expression such as \"-0.3*cos(theta)\"",
                        "this must be: an expression or a number");
        return false;
    }
    tq_instruction *code = tqa_arena_take(draft->arena, n, sizeof *code, 16);
    if (tqa_draft_is_spent(at->draft)) {
        return false;
    }
    memcpy(code, room, n * sizeof *code);
    *ret = (tq_expression){.n = n, .code = code};
    return true;
}

/* the entries of all rows, in order */
static bool read_entries(const tqa_json_at *rows, tq_pfaffian_term *terms, const char **texts)
{
    size_t k = 0;
    for (size_t r = 0; r < json_array_size(rows->value); r++) {
        const tqa_json_at row = tqa_json_item(rows, r);
        const char *key = NULL;
        json_t *value = NULL;
        json_object_foreach(row.value, key, value)
        {
            const tqa_json_at item = tqa_json_field(&row, key);
            const uint32_t joint = joint_of_key(&item, key);
            terms[k] = (tq_pfaffian_term){.row = (uint32_t)r, .v_index = joint};
            if (joint == UINT32_MAX || !read_expression(&item, &terms[k].expression, &texts[k])) {
                return false;
            }
            k++;
        }
    }
    return true;
}

static void read_pfaffian(const tqa_json_at *at, tq_constraint *ret, tqa_constraint *note)
{
    static const char *const known[] = {TQA_FIELDS_PFAFFIAN_CONSTRAINT, NULL};
    tqa_json_fields(at, known, nothing);
    const tqa_json_at rows = tqa_json_field(at, "rows");
    const tqa_json_at equals = tqa_json_field(at, "equals");
    if (!tqa_json_is_array(&rows)) {
        return;
    }
    const size_t n_row = json_array_size(rows.value);
    size_t n = 0;
    for (size_t r = 0; r < n_row; r++) {
        const tqa_json_at row = tqa_json_item(&rows, r);
        if (!tqa_json_is_object(&row)) {
            return;
        }
        n += json_object_size(row.value);
    }
    if (n == 0 || n_row > TQ_CONSTRAINT_ROW_MAX) {
        tqa_draft_fault(at->draft, "invalid-value", rows.pointer,
                        "write [{\"x\": 1, \"phi\": \"-0.3*cos(theta)\"}]",
                        "there are %zu rows with %zu entries", n_row, n);
        return;
    }
    tq_pfaffian_term *terms = tqa_arena_take(at->draft->arena, n, sizeof *terms, 16);
    const char **texts = tqa_arena_take(at->draft->arena, n, sizeof *texts, 16);
    double *right = tqa_arena_take(at->draft->arena, n_row, sizeof *right, 16);
    if (tqa_draft_is_spent(at->draft) || !read_entries(&rows, terms, texts) ||
        (equals.value != NULL && !tqa_json_numbers(&equals, n_row, right))) {
        return;
    }
    ret->pfaffian = terms;
    ret->n_pfaffian = n;
    ret->n_equation = (uint32_t)n_row;
    ret->equals = right;
    note->texts = texts;
}

static void read_equation(const tqa_json_at *at, tq_constraint *ret, tqa_constraint *note)
{
    static const char *const known[] = {TQA_FIELDS_EQUATION_CONSTRAINT, NULL};
    tqa_json_fields(at, known, nothing);
    const tqa_json_at expression = tqa_json_field(at, "expression");
    const char **texts = tqa_arena_take(at->draft->arena, 1, sizeof *texts, 16);
    if (!tqa_draft_is_spent(at->draft) && read_expression(&expression, &ret->equation, texts)) {
        note->texts = texts;
    }
}

static void read_kind(const tqa_json_at *at, tq_constraint *ret, tqa_constraint *note)
{
    switch (ret->kind) {
    case TQ_CONSTRAINT_LOOP:
        read_loop(at, ret);
        break;
    case TQ_CONSTRAINT_DISTANCE:
        read_distance(at, ret);
        break;
    case TQ_CONSTRAINT_POINT_ON_PLANE:
        read_on_plane(at, ret);
        break;
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
        read_on_sphere(at, ret);
        break;
    case TQ_CONSTRAINT_ROLLING:
        read_rolling(at, ret);
        break;
    case TQ_CONSTRAINT_COUPLING:
        read_coupling(at, ret);
        break;
    case TQ_CONSTRAINT_PFAFFIAN:
        read_pfaffian(at, ret, note);
        break;
    case TQ_CONSTRAINT_EQUATION:
        read_equation(at, ret, note);
        break;
    }
}

static void read_constraint(const tqa_json_at *at, size_t i, tq_constraint *ret,
                            tqa_constraint *note)
{
    tqa_draft *draft = at->draft;
    if (!tqa_json_is_object(at)) {
        return;
    }
    static const char *const deciding[] = {"kind", NULL};
    tqa_json_words(at, deciding);
    const tqa_json_at kind = tqa_json_field(at, "kind");
    const tqa_json_at name = tqa_json_field(at, "name");
    const char *word = json_string_value(kind.value);
    if (word == NULL || !tqa_constraint_kind_find(word, &ret->kind)) {
        tqa_draft_fault(draft, kind.value == NULL ? "missing-field" : "invalid-value", kind.pointer,
                        "kind is one of: loop, distance, point-on-plane, point-on-sphere, rolling, "
                        "coupling, pfaffian, equation",
                        "unknown kind of constraint %.40s", word != NULL ? word : "");
        return;
    }
    note->place = tqa_arena_format(draft->arena, "%s", at->pointer);
    note->name = tqa_constraint_default_name(draft, ret->kind, i);
    if (name.value != NULL) {
        (void)tqa_json_name(&name, &note->name);
    }
    read_kind(at, ret, note);
}

static void read_actuated(const tqa_json_at *at)
{
    tqa_draft *draft = at->draft;
    if (!tqa_json_is_array(at)) {
        return;
    }
    bool *driven =
        tqa_arena_take(draft->arena, (size_t)draft->model.n_joint + 1, sizeof *driven, 1);
    if (tqa_draft_is_spent(at->draft)) {
        return;
    }
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const tqa_json_at item = tqa_json_item(at, i);
        const uint32_t joint = tqa_document_resolve(&item, &draft->joints, "the name of a joint");
        if (joint == TQ_NONE) {
            return;
        }
        if (draft->model.joints[joint].mimic != TQ_NONE) {
            tqa_draft_fault(draft, "invalid-value", item.pointer, "name the joint that it follows",
                            "joint \"%.80s\" follows another", draft->joint_names[joint]);
            return;
        }
        if (driven[joint]) {
            tqa_draft_fault(draft, "invalid-value", item.pointer, "name each joint once",
                            "joint \"%.80s\" is named twice", draft->joint_names[joint]);
            return;
        }
        driven[joint] = true;
    }
    draft->actuated = driven;
}

void tqa_document_constraints(const tqa_json_at *root)
{
    tqa_draft *draft = root->draft;
    const tqa_json_at array = tqa_json_field(root, "constraints");
    const tqa_json_at actuated = tqa_json_field(root, "actuated");
    if (actuated.value != NULL) {
        read_actuated(&actuated);
    }
    if (array.value == NULL || !tqa_json_is_array(&array) ||
        !tqa_constraints_begin(draft, json_array_size(array.value))) {
        return;
    }
    for (uint32_t i = 0; i < draft->constraints.n_constraint; i++) {
        const tqa_json_at at = tqa_json_item(&array, i);
        read_constraint(&at, i, &draft->constraints.items[i], &draft->constraint_notes[i]);
    }
}
