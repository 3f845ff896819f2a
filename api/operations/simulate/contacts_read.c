/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/contacts_read.c - `contacts` of a simulation: read and checked; forces,
 * impulses and gaps over time. */
#include "api/operations/simulate/contacts.h"

#include <stdio.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/simulate/simulate.h"
#include "core/plant/stiction.h"

static const char *const fields[] = {TQA_FIELDS_SIMULATE_CONTACTS, NULL};
static const char *const pair_fields[] = {TQA_FIELDS_SIMULATE_CONTACTS_PAIRS, NULL};
static const double deepest = 1e-6; /* m: a start that is deeper is a mistake */

/* ------------------------------------------------------------------------------------------------
 * Columns
 */

static bool fill_pairs(const tqa_simulation *s, size_t first, size_t n, double *to)
{
    const size_t z = tq_contact_z(&s->plant) + TQ_CONTACT_SUMS;
    for (size_t k = 0; k < s->contacts.set.n_pair; k++) {
        for (size_t i = 0; i < n; i++) {
            *to++ = s->run->state->z[(z + TQ_CONTACT_OF_PAIR * k + first + i) * TQ_BLOCK_PAD];
        }
    }
    return true;
}

static bool fill_force(tqa_simulation *s, double *to)
{
    return fill_pairs(s, TQ_CONTACT_FORCE, 3, to);
}

static bool fill_impulse(tqa_simulation *s, double *to)
{
    return fill_pairs(s, TQ_CONTACT_IMPULSE, 3, to);
}

static bool fill_gap(tqa_simulation *s, double *to)
{
    tqa_contacts *c = &s->contacts;
    tq_error error = {0};
    for (size_t k = 0; k < s->order.nq; k++) {
        c->q[k] = s->run->state->q[k * TQ_BLOCK_PAD];
    }
    const tq_status status =
        tq_contact_gaps(&c->set, tq_mechanism_model(s->mechanism), c->q, &c->scratch, to, &error);
    if (status != TQ_OK) {
        s->ended = tq_status_text(status);
    }
    return status == TQ_OK;
}

static bool add_columns(tqa_simulation *s)
{
    const size_t n = s->contacts.set.n_pair;
    const tqa_column gap = {.name = "contact_gap", .n = n, .fill = fill_gap};
    if (s->contacts.is_compliant) {
        return tqa_contacts_compliant_columns(s) && tqa_simulation_add_column(s, &gap);
    }
    const tqa_column force = {.name = "contact_force", .n = 3 * n, .fill = fill_force};
    const tqa_column impulse = {.name = "contact_impulse", .n = 3 * n, .fill = fill_impulse};
    return tqa_simulation_add_column(s, &force) && tqa_simulation_add_column(s, &impulse) &&
           tqa_simulation_add_column(s, &gap);
}

/* ------------------------------------------------------------------------------------------------
 * The request
 */

static bool read_coefficients(const tqa_value *part, tq_contact_pair *ret)
{
    const tqa_value friction = tqa_value_field(part, "friction");
    const tqa_value restitution = tqa_value_field(part, "restitution");
    if (friction.value != NULL && !tqa_value_number(&friction, &ret->friction)) {
        return false;
    }
    if (!(ret->friction >= 0.0)) {
        return tqa_value_refuse(&friction, "range", "0 is without friction, rubber has about 1",
                                "a coefficient of friction of %g", ret->friction);
    }
    return restitution.value == NULL || tqa_value_within(&restitution, 0.0, 1.0, &ret->restitution);
}

/* every pair that can touch, with the coefficients of all */
static bool list_pairs(tqa_simulation *s, const tqa_value *part, const bool *marks,
                       bool with_adjacent, const tq_contact_pair *common, const tq_compliance *law)
{
    tqa_contacts *c = &s->contacts;
    const size_t n = c->geoms.n;
    for (size_t i = 0; i < n * n; i++) {
        tq_contact_pair pair = *common;
        pair.a = (uint32_t)(i / n);
        pair.b = (uint32_t)(i % n);
        if (pair.a >= pair.b || tqa_geom_pair(s->tree->robot, &c->geoms, marks, with_adjacent,
                                              pair.a, pair.b) != TQA_PAIR_FREE) {
            continue;
        }
        if (c->set.n_pair == TQ_CONTACT_PAIRS_MAX) {
            return tqa_value_refuse(part, "too-large", "exclude pairs that never meet",
                                    "more than %d pairs that may touch", TQ_CONTACT_PAIRS_MAX);
        }
        c->pair_names[2 * c->set.n_pair] = c->geoms.names[pair.a];
        c->pair_names[2 * c->set.n_pair + 1] = c->geoms.names[pair.b];
        c->laws[c->set.n_pair] = *law;
        c->pairs[c->set.n_pair++] = pair;
    }
    return c->set.n_pair > 0 ||
           tqa_value_refuse(part, "invalid-value", "for the ground add {\"shape\": \"half-space\"}",
                            "no two of the shapes can touch");
}

static bool read_name(const tqa_value *part, const tqa_geoms *geoms, uint32_t *ret)
{
    const char *text = NULL;
    if (!tqa_value_need(part, "add \"a\" and \"b\": names of shapes") ||
        !tqa_value_text(part, "the name of a shape", &text)) {
        return false;
    }
    for (uint32_t k = 0; k < geoms->n; k++) {
        if (strcmp(geoms->names[k], text) == 0) {
            *ret = k;
            return true;
        }
    }
    return tqa_value_refuse(part, "unknown-name", "one of the \"name\"s of \"shapes\"",
                            "there is no shape \"%.64s\"", text);
}

/* pairs with coefficients of their own */
static bool read_pairs(const tqa_value *part, tqa_contacts *c)
{
    size_t n = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_array(part, 1, TQ_CONTACT_PAIRS_MAX, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(part, k);
        uint32_t a = 0;
        uint32_t b = 0;
        if (!tqa_value_object(&item, pair_fields)) {
            return false;
        }
        const tqa_value name_a = tqa_value_field(&item, "a");
        const tqa_value name_b = tqa_value_field(&item, "b");
        if (!read_name(&name_a, &c->geoms, &a) || !read_name(&name_b, &c->geoms, &b)) {
            return false;
        }
        size_t at = 0;
        while (at < c->set.n_pair && !(c->pairs[at].a == a && c->pairs[at].b == b) &&
               !(c->pairs[at].a == b && c->pairs[at].b == a)) {
            at++;
        }
        if (at == c->set.n_pair) {
            return tqa_value_refuse(&item, "invalid-value", "leave it out, or set \"adjacent\"",
                                    "\"%.60s\" and \"%.60s\" cannot touch", c->geoms.names[a],
                                    c->geoms.names[b]);
        }
        if (!read_coefficients(&item, &c->pairs[at]) ||
            !tqa_contacts_read_compliance(&item, c->is_compliant, false, &c->laws[at])) {
            return false;
        }
    }
    return true;
}

/* features that the time stepping does not support */
static bool check_robot(const tqa_simulation *s, const tqa_value *part)
{
    const tqa_robot *robot = s->tree->robot;
    const tqa_value root = tqa_value_root(s->tree);
    if (s->contacts.is_compliant) {
        return s->order.nv > 0 ||
               tqa_value_refuse(part, "invalid-value", "leave \"contacts\" out", "nothing moves");
    }
    if (s->plant.constraints != NULL) {
        return tqa_value_refuse(part, "invalid-value", "leave \"contacts\" out",
                                "a robot with constraints of its own has no contacts here");
    }
    if (s->order.nv == 0 || s->order.nv > TQ_LOCKED_MAX) {
        return tqa_value_refuse(part, "invalid-value", "leave \"contacts\" out",
                                "contacts are of robots with 1 to %d degrees of freedom",
                                TQ_LOCKED_MAX);
    }
    for (uint32_t j = 0; (s->plant.without & TQ_WITHOUT_FRICTION) == 0 && j < robot->model->n_joint;
         j++) {
        if (tq_can_stick(&robot->model->joints[j])) {
            return tqa_value_refuse(part, "invalid-value",
                                    "\"without\": [\"friction\"], or \"smoothing\" in the joint's "
                                    "friction",
                                    "dry friction of joint %s sticks, which contacts do not "
                                    "combine with",
                                    robot->joint_names[j]);
        }
    }
    const tqa_value include = tqa_value_field(&root, "include");
    size_t n_include = 0;
    if (include.value != NULL && !tqa_value_list(&include, "an array of names", &n_include)) {
        return false;
    }
    for (size_t k = 0; k < n_include; k++) {
        static const char *const others[] = {"qdd", "momentum", "base_reaction"};
        static const char *const words[] = {TQA_WORDS_SIMULATE_REQUEST_INCLUDE, NULL};
        const tqa_value item = tqa_value_item(&include, k);
        unsigned word = 0;
        if (!tqa_value_choice(&item, words, &word)) {
            return false;
        }
        const char *name = words[word];
        for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
            if (strcmp(name, others[i]) == 0) {
                return tqa_value_refuse(&item, "invalid-value",
                                        "leave it out: \"contact_force\" and \"qd\" are there",
                                        "with contacts velocities jump: there is no \"%s\" at a "
                                        "time",
                                        name);
            }
        }
    }
    return true;
}

/* no solid begins inside of another */
static bool check_start(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    tq_error error = {0};
    const tq_status status = tq_contact_gaps(&c->set, tq_mechanism_model(s->mechanism), s->q,
                                             &c->scratch, c->gap, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, "/initial/q", status, &error);
    }
    for (size_t k = 0; k < c->set.n_pair && !c->is_compliant; k++) {
        if (c->gap[k] < -deepest) {
            const tqa_value root = tqa_value_root(s->tree);
            const tqa_value initial = tqa_value_field(&root, "initial");
            const tqa_value q = tqa_value_field(&initial, "q");
            char hint[TQA_PROBLEM_TEXT];
            (void)snprintf(hint, sizeof hint,
                           "start apart, or touching to 1e-6 m: lift one of them by %.9g m",
                           -c->gap[k]);
            return tqa_value_refuse(
                &q, "range", hint, "\"%.60s\" and \"%.60s\" overlap by %.6g m at the start",
                c->geoms.names[c->pairs[k].a], c->geoms.names[c->pairs[k].b], -c->gap[k]);
        }
    }
    return true;
}

static bool open_memory(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    const size_t all = c->geoms.n * (c->geoms.n - 1) / 2 + 1;
    const size_t n = all < TQ_CONTACT_PAIRS_MAX ? all : TQ_CONTACT_PAIRS_MAX;
    c->pairs = tqa_tree_take(s->tree, n, sizeof *c->pairs);
    c->laws = tqa_tree_take(s->tree, n, sizeof *c->laws);
    c->pair_names = tqa_tree_take(s->tree, n, sizeof(const char *[2]));
    c->gap = tqa_tree_take(s->tree, n, sizeof *c->gap);
    c->q = tqa_tree_take(s->tree, s->order.nq + 1, sizeof *c->q);
    c->set.geoms = c->geoms.geoms;
    c->set.pairs = c->pairs;
    return c->pairs != NULL && c->laws != NULL && c->pair_names != NULL && c->gap != NULL &&
           c->q != NULL &&
           tqa_tree_scratch(s->tree, tq_contact_gap_scratch_size(tq_mechanism_model(s->mechanism)),
                            &c->scratch);
}

bool tqa_simulation_read_contacts(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value part = tqa_value_field(&root, "contacts");
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, fields)) {
        return false;
    }
    const tqa_value shapes = tqa_value_field(&part, "shapes");
    const tqa_value exclude = tqa_value_field(&part, "exclude");
    const tqa_value adjacent = tqa_value_field(&part, "adjacent");
    const tqa_value friction = tqa_value_field(&part, "friction");
    const tqa_value pairs = tqa_value_field(&part, "pairs");
    tq_contact_pair common = {0};
    tq_compliance law = {0};
    bool with_adjacent = false;
    if (!tqa_value_geoms(&shapes, &c->geoms) || !tqa_contacts_read_law(&part, &c->is_compliant) ||
        !tqa_value_need(&friction, "add \"friction\": Coulomb's coefficient, such as 0.6") ||
        !read_coefficients(&part, &common) ||
        !tqa_contacts_read_compliance(&part, c->is_compliant, true, &law) ||
        (adjacent.value != NULL && !tqa_value_flag(&adjacent, &with_adjacent)) || !open_memory(s)) {
        return false;
    }
    bool *marks = tqa_tree_take(s->tree, c->geoms.n * c->geoms.n, sizeof *marks);
    if (marks == NULL || !tqa_value_excluded(&exclude, &c->geoms, marks) ||
        !list_pairs(s, &shapes, marks, with_adjacent, &common, &law) || !read_pairs(&pairs, c) ||
        !check_robot(s, &part) || !check_start(s)) {
        return false;
    }
    if (c->is_compliant) {
        return tqa_contacts_open_compliant(s) && add_columns(s);
    }
    const tq_effect effect = tq_contact_effect(&c->set);
    s->plant.contacts = &c->set;
    return tqa_simulation_add_effect(s, &effect) && add_columns(s);
}

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

static double sum_of(const tqa_simulation *s, size_t k)
{
    return s->run->state->z[(tq_contact_z(&s->plant) + k) * TQ_BLOCK_PAD];
}

void tqa_simulation_put_contacts(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    const tqa_contacts *c = &s->contacts;
    if (c->set.n_pair == 0) {
        return;
    }
    tqa_writer_object(answer, "contacts");
    tqa_writer_string(answer, "law", c->is_compliant ? "compliant" : "rigid");
    tqa_writer_list(answer, "pairs");
    for (size_t k = 0; k < c->set.n_pair; k++) {
        const tq_contact_pair *pair = &c->pairs[k];
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "a", c->pair_names[2 * k]);
        tqa_writer_string(answer, "b", c->pair_names[2 * k + 1]);
        tqa_writer_number(answer, "friction", pair->friction);
        if (c->is_compliant) {
            tqa_writer_number(answer, "stiffness", c->laws[k].stiffness);
            tqa_writer_number(answer, "exponent", c->laws[k].exponent);
            tqa_writer_number(answer, "dissipation", c->laws[k].dissipation);
            tqa_writer_number(answer, "slip_speed", c->laws[k].slip_speed);
        } else {
            tqa_writer_number(answer, "restitution", pair->restitution);
            tqa_writer_count(
                answer, "touches",
                (size_t)sum_of(s, TQ_CONTACT_SUMS + TQ_CONTACT_OF_PAIR * k + TQ_CONTACT_TOUCHES));
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    if (c->is_compliant) {
        tqa_writer_end(answer);
        return;
    }
    tqa_writer_count(answer, "impacts", (size_t)sum_of(s, TQ_CONTACT_IMPACTS));
    tqa_writer_number(answer, "violation", sum_of(s, TQ_CONTACT_RESIDUAL));
    tqa_writer_end(answer);
}

void tqa_simulation_put_contact_losses(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    if (s->contacts.is_compliant) {
        const tqa_contact_energy e = tqa_simulation_contact_energy(s);
        tqa_writer_number(answer, "contact_friction", e.slid);
        tqa_writer_number(answer, "contact_damping", e.damped);
        tqa_writer_number(answer, "contact_stored", e.stored);
    } else if (s->plant.contacts != NULL) {
        tqa_writer_number(answer, "contact_friction", sum_of(s, TQ_CONTACT_FRICTION_LOSS));
        tqa_writer_number(answer, "contact_impacts", sum_of(s, TQ_CONTACT_IMPACT_LOSS));
    }
}
