/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/read.c - the request: number of members, returned values. */
#include <math.h>
#include <string.h>

#include "api/operations/ensemble/ensemble.h"
#include "core/dynamics/ball_terms.h"
#include "core/plant/stiction.h"

enum {
    BLOCK_MEMBERS = 64,     /* side by side: enough for the lanes, few enough for the caches */
    NUMBERS_MAX = 20 << 20, /* of all records: 160 MiB */
};

static bool read_only(tqa_ensemble *e, const tqa_value *root, size_t n_all)
{
    const tqa_value only = tqa_value_field(root, "only");
    size_t n = 0;
    e->n_member = n_all;
    if (only.value == NULL) {
        return true;
    }
    if (!tqa_value_array(&only, 1, TQA_VALUES_MAX, &n)) {
        return false;
    }
    uint64_t *ids = tqa_tree_take(root->tree, n, sizeof *ids);
    for (size_t k = 0; ids != NULL && k < n; k++) {
        const tqa_value item = tqa_value_item(&only, k);
        size_t id = 0;
        if (!tqa_value_count(&item, 0, n_all - 1, &id)) {
            return false;
        }
        ids[k] = id;
    }
    e->vary.ids = ids;
    e->n_member = n;
    return ids != NULL;
}

static bool read_counts(tqa_ensemble *e, const tqa_value *root)
{
    const tqa_value members = tqa_value_field(root, "members");
    const tqa_value seed = tqa_value_field(root, "seed");
    bool drawn = false;
    size_t number = 0;
    for (size_t v = 0; v < e->vary.n; v++) {
        drawn = drawn || e->vary.items[v].spread != TQ_SPREAD_LIST;
    }
    e->vary.n_draw = 1;
    if (drawn && !tqa_value_need(&members, "add \"members\": 1000 (for each point of lists and "
                                           "grids, where there are any)")) {
        return false;
    }
    if (!drawn && members.value != NULL) {
        return tqa_value_refuse(
            &members, "invalid-value", "leave it out",
            "nothing is drawn: lists and grids determine the number of members");
    }
    if ((drawn && !tqa_value_count(&members, 1, TQA_DRAWS_MAX, &e->vary.n_draw)) ||
        (seed.value != NULL && !tqa_value_count(&seed, 0, (size_t)1 << 53, &number))) {
        return false;
    }
    e->vary.seed = number;
    if (e->vary.n_draw * e->n_point > TQA_DRAWS_MAX) {
        return tqa_value_refuse(&members, "too-large", "fewer members, or shorter lists",
                                "%zu members are more than %d", e->vary.n_draw * e->n_point,
                                TQA_DRAWS_MAX);
    }
    return read_only(e, root, e->vary.n_draw * e->n_point);
}

static bool read_returned(tqa_ensemble *e, const tqa_value *root)
{
    const tqa_value levels = tqa_value_field(root, "quantiles");
    const tqa_value returned = tqa_value_field(root, "return_members");
    const tqa_value ends = tqa_value_field(root, "end_states");
    if (levels.value != NULL && (!tqa_value_array(&levels, 0, TQA_QUANTILES_MAX, &e->n_level) ||
                                 !tqa_value_numbers(&levels, e->n_level, e->levels))) {
        return false;
    }
    for (size_t k = 0; k < e->n_level; k++) {
        if (!(e->levels[k] >= 0.0 && e->levels[k] <= 1.0)) {
            const tqa_value item = tqa_value_item(&levels, k);
            return tqa_value_refuse(&item, "range", "0.5 is the median", "a quantile of %g",
                                    e->levels[k]);
        }
    }
    if (ends.value != NULL && !tqa_value_flag(&ends, &e->end_states)) {
        return false;
    }
    if (returned.value == NULL) {
        return true;
    }
    if (!tqa_value_array(&returned, 0, TQA_VALUES_MAX, &e->n_returned)) {
        return false;
    }
    e->returned = tqa_tree_take(root->tree, e->n_returned, sizeof *e->returned);
    for (size_t k = 0; e->returned != NULL && k < e->n_returned; k++) {
        const tqa_value item = tqa_value_item(&returned, k);
        if (!tqa_value_count(&item, 0, e->n_member - 1, &e->returned[k])) {
            return false;
        }
    }
    return e->returned != NULL;
}

/* explicit methods; events and joints that stick are found within steps, one member at a time */
static bool runs_in_lanes(const tqa_ensemble *e)
{
    const tqa_simulation *s = e->simulation;
    const tq_model *model = tq_mechanism_model(s->mechanism);
    const tq_run_method method = s->options.method;
    bool sticks = false;
    for (uint32_t j = 0; j < model->n_joint && (s->plant.without & TQ_WITHOUT_FRICTION) == 0; j++) {
        sticks = sticks || tq_can_stick(&model->joints[j]);
    }
    for (uint32_t t = 0; t < model->n_tendon && (s->plant.without & TQ_WITHOUT_FRICTION) == 0;
         t++) {
        sticks = sticks || tq_tendon_can_stick(model, t);
    }
    return e->n_event == 0 && !sticks && method != TQ_RUN_SDIRK && method != TQ_RUN_BDF &&
           method != TQ_RUN_MIDPOINT;
}

/* Joints that follow others, and inertias of spherical and floating joints, are solved for by the
 * mass matrix, which holds one robot only. */
static bool needs_matrix(const tq_mechanism *mechanism)
{
    const tq_model *model = tq_mechanism_model(mechanism);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->mimic != TQ_NONE || tq_ball_inertia(joint) != 0.0) {
            return true;
        }
    }
    return false;
}

static bool make_room(tqa_ensemble *e, const tqa_value *root)
{
    const tqa_simulation *s = e->simulation;
    const tqa_value output = tqa_value_field(root, "output");
    e->in_lanes = runs_in_lanes(e);
    e->varied_rows = e->own_mechanisms && e->in_lanes && !e->own_effects &&
                     s->plant.constraints == NULL && !needs_matrix(s->mechanism) &&
                     tq_model_n_compensated(tq_mechanism_model(s->mechanism)) == 0;
    e->per = e->in_lanes && (!e->own_mechanisms || e->varied_rows) && !e->own_effects
                 ? (size_t)BLOCK_MEMBERS
                 : 1;
    e->n_row = s->order.nq + s->order.nv;
    e->n_block = (e->n_member + e->per - 1) / e->per;
    e->record =
        (s->n_output * e->n_row + 2) * e->per + (e->n_event > 0 ? e->n_row + 1 + e->n_event : 0);
    if ((double)e->n_block * (double)e->record > (double)NUMBERS_MAX) {
        return tqa_value_refuse(
            &output, "too-large", "fewer outputs or members: their product is what counts",
            "%zu members of %zu outputs of %zu numbers are more than %d numbers", e->n_member,
            s->n_output, e->n_row, NUMBERS_MAX);
    }
    const double n_number =
        (double)s->n_output * (double)e->n_row *
            (4.0 + (double)e->n_level + (double)e->n_returned) +
        (e->end_states ? (double)e->n_member * (double)(e->n_row + e->vary.n + e->n_event + 2)
                       : 0.0);
    if (n_number > (double)TQA_TREE_ANSWER_MAX) {
        return tqa_value_refuse(
            &output, "too-large", "fewer outputs, quantiles or return_members, or no end states",
            "the answer would have %.9g numbers, %d at most", n_number, TQA_TREE_ANSWER_MAX);
    }
    e->times = tqa_tree_take(root->tree, s->n_output, sizeof *e->times);
    e->records = tqa_tree_take(root->tree, e->n_block * e->record, sizeof *e->records);
    e->status = tqa_tree_take(root->tree, e->n_block, sizeof *e->status);
    e->errors = tqa_tree_take(root->tree, e->n_block, sizeof *e->errors);
    if (e->times == NULL || e->records == NULL || e->status == NULL || e->errors == NULL) {
        return false;
    }
    for (size_t k = 0; k < s->n_output; k++) {
        e->times[k] = tqa_simulation_time(s, k);
    }
    return true;
}

bool tqa_ensemble_read(tqa_ensemble *e)
{
    tqa_simulation *s = e->simulation;
    const tqa_value root = tqa_value_root(s->tree);
    if (!tqa_simulation_read_plant(s) || !tqa_ensemble_read_variations(e, &root) ||
        !read_counts(e, &root) || !read_returned(e, &root)) {
        return false;
    }
    const tqa_value events = tqa_value_field(&root, "events");
    e->n_event = json_array_size(events.value);
    s->drives.driven.flows = NULL; /* of a single trajectory */
    e->first_offset = tq_plant_n_z(&s->plant);
    if (e->offsets.n > 0) {
        const tq_effect effect = tq_offsets_effect(&e->offsets);
        if (!tqa_simulation_add_effect(s, &effect)) {
            return false;
        }
    }
    for (uint32_t j = tqa_simulation_undriven(s, 0); s->has_controller && j != TQ_NONE;
         j = tqa_simulation_undriven(s, j + 1)) {
        tqa_simulation_remark_undriven(s, j, 0.0);
    }
    return make_room(e, &root);
}
