/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/contacts_compliant.c - `contacts` whose law is "compliant": stiffness and
 * dissipation, forces over time, and their part of the energy. */
#include <math.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/simulate.h"

static const double default_slip_speed = 1e-3; /* m/s */
static const double most_exponent = 3.0;

bool tqa_contacts_read_law(const tqa_value *part, bool *ret_is_compliant)
{
    static const char *const words[] = {TQA_WORDS_SIMULATE_CONTACTS_LAW, NULL};
    const tqa_value law = tqa_value_field(part, "law");
    unsigned word = 0;
    if (law.value != NULL && !tqa_value_choice(&law, words, &word)) {
        return false;
    }
    *ret_is_compliant = word == 1;
    return true;
}

/* Fields of the other law. */
static bool refuse_others(const tqa_value *part, bool is_compliant)
{
    static const char *const others[2][5] = {
        {"stiffness", "exponent", "dissipation", "slip_speed", NULL}, {"restitution", NULL}};
    for (unsigned k = 0; others[is_compliant][k] != NULL; k++) {
        const tqa_value field = tqa_value_field(part, others[is_compliant][k]);
        if (field.value != NULL) {
            return tqa_value_refuse(
                &field, "invalid-value",
                is_compliant ? "write \"dissipation\": 2/3 of it, times the speed of approach, is "
                               "what restitution lacks to 1"
                             : "add \"law\": \"compliant\"",
                is_compliant ? "restitution of a compliant contact follows from its dissipation"
                             : "rigid contacts have no \"%s\"",
                others[is_compliant][k]);
        }
    }
    return true;
}

bool tqa_contacts_read_compliance(const tqa_value *part, bool is_compliant, bool is_common,
                                  tq_compliance *ret)
{
    const tqa_value stiffness = tqa_value_field(part, "stiffness");
    const tqa_value dissipation = tqa_value_field(part, "dissipation");
    const tqa_value exponent = tqa_value_field(part, "exponent");
    const tqa_value slip = tqa_value_field(part, "slip_speed");
    if (!refuse_others(part, is_compliant) || !is_compliant) {
        return !is_compliant && refuse_others(part, is_compliant);
    }
    if (is_common) {
        *ret = (tq_compliance){.exponent = 1.0, .slip_speed = default_slip_speed};
        if (!tqa_value_need(&stiffness, "add \"stiffness\": N/m, such as 1e5: a body of mass m "
                                        "rests m g / stiffness deep")) {
            return false;
        }
    }
    return (stiffness.value == NULL || tqa_value_positive(&stiffness, &ret->stiffness)) &&
           (dissipation.value == NULL ||
            tqa_value_within(&dissipation, 0.0, HUGE_VAL, &ret->dissipation)) &&
           (exponent.value == NULL ||
            tqa_value_within(&exponent, 1.0, most_exponent, &ret->exponent)) &&
           (slip.value == NULL || tqa_value_positive(&slip, &ret->slip_speed));
}

/* ------------------------------------------------------------------------------------------------
 * Columns
 */

/* Forces and stored energy of the present state, once for each row. */
static bool update(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    tq_error error = {0};
    for (size_t k = 0; k < s->order.nq; k++) {
        c->q[k] = s->run->state->q[k * TQ_BLOCK_PAD];
    }
    for (size_t k = 0; k < s->order.nv; k++) {
        c->qd[k] = s->run->state->qd[k * TQ_BLOCK_PAD];
    }
    const tq_status status =
        tq_compliant_at(&c->compliant, c->q, c->qd, &c->scratch, c->force, &c->stored, &error);
    if (status != TQ_OK) {
        s->ended = tq_status_text(status);
    }
    return status == TQ_OK;
}

static bool fill_force(tqa_simulation *s, double *to)
{
    const bool good = update(s);
    memcpy(to, s->contacts.force, 3 * s->contacts.set.n_pair * sizeof *to);
    return good;
}

static bool fill_impulse(tqa_simulation *s, double *to)
{
    const size_t z = tq_compliant_z(&s->plant) + TQ_COMPLIANT_SUMS;
    for (size_t k = 0; k < 3 * s->contacts.set.n_pair; k++) {
        to[k] = s->run->state->z[(z + k) * TQ_BLOCK_PAD];
    }
    return true;
}

bool tqa_contacts_compliant_columns(tqa_simulation *s)
{
    const size_t n = 3 * s->contacts.set.n_pair;
    const tqa_column force = {.name = "contact_force", .n = n, .fill = fill_force};
    const tqa_column impulse = {.name = "contact_impulse", .n = n, .fill = fill_impulse};
    return tqa_simulation_add_column(s, &force) && tqa_simulation_add_column(s, &impulse);
}

/* ------------------------------------------------------------------------------------------------
 * The effect
 */

/* Links with solids that take part in a pair, each once. */
static void list_links(tqa_contacts *c)
{
    for (size_t k = 0; k < 2 * c->set.n_pair; k++) {
        const tq_contact_pair *pair = &c->pairs[k / 2];
        const uint32_t link = c->geoms.geoms[k % 2 == 0 ? pair->a : pair->b].link;
        size_t at = 0;
        while (at < c->compliant.n_link && c->links[at] != link) {
            at++;
        }
        if (link != TQ_NONE && at == c->compliant.n_link) {
            c->links[c->compliant.n_link++] = link;
        }
    }
}

bool tqa_contacts_open_compliant(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    const tq_model *model = tq_mechanism_model(s->mechanism);
    c->links = tqa_tree_take(s->tree, 2 * c->set.n_pair, sizeof *c->links);
    c->qd = tqa_tree_take(s->tree, s->order.nv + 1, sizeof *c->qd);
    c->force = tqa_tree_take(s->tree, 3 * c->set.n_pair, sizeof *c->force);
    if (c->links == NULL || c->qd == NULL || c->force == NULL ||
        !tqa_tree_scratch(s->tree, tq_compliant_scratch_size(model), &c->scratch)) {
        return false;
    }
    c->compliant = (tq_compliant_contacts){
        .model = model, .contacts = &c->set, .laws = c->laws, .links = c->links};
    list_links(c);
    tq_error error = {0};
    for (size_t k = 0; k < s->order.nv; k++) {
        c->qd[k] = s->qd[k];
    }
    const tq_status status = tq_compliant_at(&c->compliant, s->q, c->qd, &c->scratch, c->force,
                                             &c->stored_start, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, "/initial/q", status, &error);
    }
    const tq_effect effect = tq_compliant_effect(&c->compliant);
    return tqa_simulation_add_effect(s, &effect);
}

bool tqa_contacts_add_wrenches(tqa_simulation *s)
{
    tqa_contacts *c = &s->contacts;
    const size_t n = s->plant.n_wrench + c->compliant.n_link;
    tq_external_wrench *all = NULL;
    if (c->compliant.n_link == 0) {
        return true;
    }
    all = tqa_tree_take(s->tree, n, sizeof *all);
    if (all == NULL) {
        return false;
    }
    if (s->plant.n_wrench > 0) {
        memcpy(all, s->plant.wrenches, s->plant.n_wrench * sizeof *all);
    }
    c->compliant.first_wrench = s->plant.n_wrench;
    for (size_t k = 0; k < c->compliant.n_link; k++) {
        all[s->plant.n_wrench + k] =
            (tq_external_wrench){.link = c->links[k], .expressed_in = TQ_FRAME_WORLD};
    }
    s->plant.wrenches = all;
    s->plant.n_wrench = n;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Energy
 */

tqa_contact_energy tqa_simulation_contact_energy(const tqa_simulation *s)
{
    const tqa_contacts *c = &s->contacts;
    if (!c->is_compliant) {
        return (tqa_contact_energy){.stored = 0.0};
    }
    const double *z = s->run->state->z + tq_compliant_z(&s->plant) * TQ_BLOCK_PAD;
    return (tqa_contact_energy){
        .stored = c->stored - c->stored_start,
        .damped = z[(size_t)TQ_COMPLIANT_DAMPED * TQ_BLOCK_PAD],
        .slid = z[(size_t)TQ_COMPLIANT_SLID * TQ_BLOCK_PAD],
    };
}
