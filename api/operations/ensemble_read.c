/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble_read.c - the request of an ensemble: what varies, how, how often. */
#include <math.h>
#include <string.h>

#include "api/operations/ensemble.h"
#include "core/simulate/locked.h"

enum {
    DRAWS_MAX = 10000000,
    VALUES_MAX = 100000,
    BLOCK_MEMBERS = 64,     /* side by side: enough for the lanes, few enough for the caches */
    NUMBERS_MAX = 20 << 20, /* of all records: 160 MiB */
};

static const char *const varied_words[] = {
    "q", "qd", "torque", "mass_factor", "viscous_factor", "coulomb_factor", "payload_mass", NULL};

/* the coordinate, velocity or joint that a variation of a joint changes */
static bool read_joint(const tqa_part *item, tqa_variation *x)
{
    const tqa_control *control = item->control;
    const tq_model *model = control->robot->model;
    const tqa_part name = tqa_part_field(item, "joint");
    const tqa_part link = tqa_part_field(item, "link");
    if (link.value != NULL) {
        return tqa_part_refuse(&link, "invalid-value", "name a \"joint\"",
                               "%s is of a joint, not of a link", varied_words[x->varied]);
    }
    if (!tqa_part_need(&name, "add \"joint\": its name")) {
        return false;
    }
    const char *text = json_string_value(name.value);
    const uint32_t j = text != NULL
                           ? tqa_robot_joint(control->robot, text, json_string_length(name.value))
                           : TQ_NONE;
    if (j == TQ_NONE) {
        return tqa_part_refuse(&name, "unknown-name", "the name of a joint of this robot",
                               "there is no such joint");
    }
    const tq_joint *joint = &model->joints[j];
    if (joint->nv != 1) {
        return tqa_part_refuse(&name, "range", "a joint of one freedom that follows no other",
                               "joint \"%s\" has %u freedoms of its own", text, joint->nv);
    }
    x->row = x->varied == TQA_VARIED_Q                                      ? joint->q_index
             : x->varied == TQA_VARIED_QD || x->varied == TQA_VARIED_TORQUE ? joint->v_index
                                                                            : j;
    return true;
}

static bool read_link(const tqa_part *item, tqa_variation *x)
{
    const tqa_part name = tqa_part_field(item, "link");
    const tqa_part joint = tqa_part_field(item, "joint");
    const tqa_part at = tqa_part_field(item, "at");
    if (joint.value != NULL) {
        return tqa_part_refuse(&joint, "invalid-value", "name a \"link\"",
                               "%s is of a link, not of a joint", varied_words[x->varied]);
    }
    if (!tqa_part_need(&name, "add \"link\": its name") || !tqa_part_link(&name, &x->row)) {
        return false;
    }
    if (at.value != NULL && x->varied != TQA_VARIED_PAYLOAD) {
        return tqa_part_refuse(&at, "invalid-value", "leave it out",
                               "only a payload stands at a point");
    }
    return at.value == NULL || tqa_part_at(&at, x->row, x->at);
}

static bool read_values(const tqa_part *list, tqa_variation *x)
{
    if (!tqa_part_array(list, 1, VALUES_MAX, &x->n_value)) {
        return false;
    }
    x->values = tqa_control_take(list->control, x->n_value, sizeof *x->values);
    return x->values != NULL && tqa_part_numbers(list, x->n_value, x->values);
}

static bool read_grid(const tqa_part *grid, tqa_variation *x)
{
    static const char *const known[] = {"from", "to", "count", NULL};
    double from = 0.0, to = 0.0;
    if (!tqa_part_object(grid, known)) {
        return false;
    }
    const tqa_part first = tqa_part_field(grid, "from");
    const tqa_part last = tqa_part_field(grid, "to");
    const tqa_part count = tqa_part_field(grid, "count");
    if (!tqa_part_number(&first, &from) || !tqa_part_number(&last, &to) ||
        !tqa_part_count(&count, 2, VALUES_MAX, &x->n_value)) {
        return false;
    }
    x->values = tqa_control_take(grid->control, x->n_value, sizeof *x->values);
    for (size_t k = 0; x->values != NULL && k < x->n_value; k++) {
        const double part = (double)k / (double)(x->n_value - 1);
        x->values[k] = from * (1.0 - part) + to * part;
    }
    return x->values != NULL;
}

static bool read_normal(const tqa_part *normal, tqa_variation *x)
{
    static const char *const known[] = {"mean", "deviation", NULL};
    if (!tqa_part_object(normal, known)) {
        return false;
    }
    const tqa_part mean = tqa_part_field(normal, "mean");
    const tqa_part deviation = tqa_part_field(normal, "deviation");
    x->spread = TQA_SPREAD_NORMAL;
    x->mean = x->varied >= TQA_VARIED_MASS && x->varied != TQA_VARIED_PAYLOAD ? 1.0 : 0.0;
    return (mean.value == NULL || tqa_part_number(&mean, &x->mean)) &&
           tqa_part_need(&deviation, "add \"deviation\": 0.1 (the standard deviation)") &&
           tqa_part_positive(&deviation, &x->deviation);
}

static bool read_spread(const tqa_part *item, tqa_variation *x)
{
    static const char *const ways[] = {"uniform", "normal", "list", "grid"};
    size_t way = 4;
    for (size_t k = 0; k < 4; k++) {
        const tqa_part part = tqa_part_field(item, ways[k]);
        if (part.value != NULL && way < 4) {
            return tqa_part_refuse(&part, "invalid-value", "keep one of the two",
                                   "\"%s\" and \"%s\" exclude each other", ways[way], ways[k]);
        }
        way = part.value != NULL ? k : way;
    }
    const tqa_part part = tqa_part_field(item, ways[way < 4 ? way : 0]);
    if (way == 4) {
        return tqa_part_need(&part,
                             "add \"uniform\": [-0.1, 0.1]; or \"normal\": {\"deviation\": "
                             "0.1}, \"list\": [...], \"grid\": {\"from\", \"to\", \"count\"}");
    }
    x->spread = TQA_SPREAD_LIST;
    if (way == 0) {
        double bounds[2];
        x->spread = TQA_SPREAD_UNIFORM;
        if (!tqa_part_numbers(&part, 2, bounds)) {
            return false;
        }
        x->low = bounds[0];
        x->high = bounds[1];
        return bounds[0] <= bounds[1] || tqa_part_refuse(&part, "range", "the smaller one first",
                                                         "%g is above %g", bounds[0], bounds[1]);
    }
    return way == 1   ? read_normal(&part, x)
           : way == 2 ? read_values(&part, x)
                      : read_grid(&part, x);
}

/* masses and friction below 0 are those of nothing */
static bool check_factor(const tqa_part *item, const tqa_variation *x)
{
    double least = x->spread == TQA_SPREAD_UNIFORM ? x->low : 0.0;
    for (size_t k = 0; k < x->n_value; k++) {
        least = fmin(least, x->values[k]);
    }
    return x->varied < TQA_VARIED_MASS || least >= 0.0 ||
           tqa_part_refuse(item, "range", "0 or more", "%s of %g", varied_words[x->varied], least);
}

static bool read_variation(tqa_ensemble *e, const tqa_part *item, tqa_variation *x)
{
    static const char *const known[] = {"of",     "joint", "link", "at", "uniform",
                                        "normal", "list",  "grid", NULL};
    unsigned varied = 0;
    if (!tqa_part_object(item, known)) {
        return false;
    }
    const tqa_part of = tqa_part_field(item, "of");
    if (!tqa_part_need(&of, "add \"of\": \"q\"; or qd, torque, mass_factor, viscous_factor, "
                            "coulomb_factor, payload_mass") ||
        !tqa_part_choice(&of, varied_words, &varied)) {
        return false;
    }
    x->varied = (tqa_varied)varied;
    const bool of_link = x->varied == TQA_VARIED_MASS || x->varied == TQA_VARIED_PAYLOAD;
    e->own_mechanisms = e->own_mechanisms || x->varied >= TQA_VARIED_MASS;
    return (of_link ? read_link(item, x) : read_joint(item, x)) && read_spread(item, x) &&
           check_factor(item, x);
}

static bool read_variations(tqa_ensemble *e, const tqa_part *root)
{
    const tqa_part vary = tqa_part_field(root, "vary");
    tqa_control *control = root->control;
    if (!tqa_part_need(&vary, "add \"vary\": [{\"of\": \"q\", \"joint\": its name, \"uniform\": "
                              "[-0.1, 0.1]}]") ||
        !tqa_part_array(&vary, 1, TQA_VARIATIONS_MAX, &e->n_variation)) {
        return false;
    }
    e->variations = tqa_control_take(control, e->n_variation, sizeof *e->variations);
    uint32_t *rows = tqa_control_take(control, e->n_variation, sizeof *rows);
    if (e->variations == NULL || rows == NULL) {
        return false;
    }
    e->n_point = 1;
    for (size_t v = 0; v < e->n_variation; v++) {
        const tqa_part item = tqa_part_item(&vary, v);
        tqa_variation *x = &e->variations[v];
        if (!read_variation(e, &item, x)) {
            return false;
        }
        if (x->varied == TQA_VARIED_TORQUE) {
            rows[e->offsets.n++] = x->row;
        }
        if (x->spread == TQA_SPREAD_LIST) {
            x->repeat = e->n_point;
            e->n_point *= x->n_value;
            if (e->n_point > DRAWS_MAX) {
                return tqa_part_refuse(&item, "too-large", "fewer values",
                                       "the product of the lists has more than %d points",
                                       DRAWS_MAX);
            }
        }
    }
    e->offsets.rows = rows;
    return true;
}

static bool read_only(tqa_ensemble *e, const tqa_part *root, size_t n_all)
{
    const tqa_part only = tqa_part_field(root, "only");
    size_t n = 0;
    e->n_member = n_all;
    if (only.value == NULL) {
        return true;
    }
    if (!tqa_part_array(&only, 1, VALUES_MAX, &n)) {
        return false;
    }
    e->ids = tqa_control_take(root->control, n, sizeof *e->ids);
    for (size_t k = 0; e->ids != NULL && k < n; k++) {
        const tqa_part item = tqa_part_item(&only, k);
        size_t id = 0;
        if (!tqa_part_count(&item, 0, n_all - 1, &id)) {
            return false;
        }
        e->ids[k] = id;
    }
    e->n_member = n;
    return e->ids != NULL;
}

static bool read_counts(tqa_ensemble *e, const tqa_part *root)
{
    const tqa_part members = tqa_part_field(root, "members");
    const tqa_part seed = tqa_part_field(root, "seed");
    bool drawn = false;
    size_t number = 0;
    for (size_t v = 0; v < e->n_variation; v++) {
        drawn = drawn || e->variations[v].spread != TQA_SPREAD_LIST;
    }
    e->n_draw = 1;
    if (drawn && !tqa_part_need(&members, "add \"members\": 1000 (for each point of lists and "
                                          "grids, where there are any)")) {
        return false;
    }
    if (!drawn && members.value != NULL) {
        return tqa_part_refuse(&members, "invalid-value", "leave it out",
                               "nothing is drawn: lists and grids tell how many members there are");
    }
    if ((drawn && !tqa_part_count(&members, 1, DRAWS_MAX, &e->n_draw)) ||
        (seed.value != NULL && !tqa_part_count(&seed, 0, (size_t)1 << 53, &number))) {
        return false;
    }
    e->seed = number;
    if (e->n_draw * e->n_point > DRAWS_MAX) {
        return tqa_part_refuse(&members, "too-large", "fewer members, or shorter lists",
                               "%zu members are more than %d", e->n_draw * e->n_point, DRAWS_MAX);
    }
    return read_only(e, root, e->n_draw * e->n_point);
}

static bool read_told(tqa_ensemble *e, const tqa_part *root)
{
    const tqa_part levels = tqa_part_field(root, "quantiles");
    const tqa_part told = tqa_part_field(root, "tell");
    const tqa_part ends = tqa_part_field(root, "end_states");
    if (levels.value != NULL && (!tqa_part_array(&levels, 0, TQA_QUANTILES_MAX, &e->n_level) ||
                                 !tqa_part_numbers(&levels, e->n_level, e->levels))) {
        return false;
    }
    for (size_t k = 0; k < e->n_level; k++) {
        if (!(e->levels[k] >= 0.0 && e->levels[k] <= 1.0)) {
            const tqa_part item = tqa_part_item(&levels, k);
            return tqa_part_refuse(&item, "range", "0.5 is the median", "a quantile of %g",
                                   e->levels[k]);
        }
    }
    if (ends.value != NULL && !tqa_part_flag(&ends, &e->end_states)) {
        return false;
    }
    if (told.value == NULL) {
        return true;
    }
    if (!tqa_part_array(&told, 0, VALUES_MAX, &e->n_told)) {
        return false;
    }
    e->told = tqa_control_take(root->control, e->n_told, sizeof *e->told);
    for (size_t k = 0; e->told != NULL && k < e->n_told; k++) {
        const tqa_part item = tqa_part_item(&told, k);
        if (!tqa_part_count(&item, 0, e->n_member - 1, &e->told[k])) {
            return false;
        }
    }
    return e->told != NULL;
}

/* explicit methods; joints that stick and slip are followed one member at a time where steps adapt
 */
static bool runs_in_lanes(const tqa_simulation *s)
{
    const tq_model *model = tq_mechanism_model(s->mechanism);
    const tq_run_method method = s->options.method;
    bool sticks = false;
    for (uint32_t j = 0; j < model->n_joint && (s->plant.without & TQ_WITHOUT_FRICTION) == 0; j++) {
        sticks = sticks || tq_can_stick(&model->joints[j]);
    }
    return method == TQ_RUN_RK4 || method == TQ_RUN_SEMI_IMPLICIT ||
           ((method == TQ_RUN_DOPRI87 || method == TQ_RUN_DOPRI45) && !sticks);
}

static bool make_room(tqa_ensemble *e, const tqa_part *root)
{
    const tqa_simulation *s = e->simulation;
    const tqa_part output = tqa_part_field(root, "output");
    e->in_lanes = runs_in_lanes(s);
    e->per = e->in_lanes && !e->own_mechanisms ? (size_t)BLOCK_MEMBERS : 1;
    e->n_row = s->order.nq + s->order.nv;
    e->n_block = (e->n_member + e->per - 1) / e->per;
    e->record = (s->n_output * e->n_row + 2) * e->per;
    if ((double)e->n_block * (double)e->record > NUMBERS_MAX) {
        return tqa_part_refuse(&output, "too-large",
                               "fewer outputs or members: their product is what counts",
                               "%zu members of %zu outputs of %zu numbers are more than %d numbers",
                               e->n_member, s->n_output, e->n_row, NUMBERS_MAX);
    }
    const double told =
        (double)s->n_output * (double)e->n_row * (4.0 + (double)e->n_level + (double)e->n_told) +
        (e->end_states ? (double)e->n_member * (double)(e->n_row + e->n_variation) : 0.0);
    if (told > TQA_CONTROL_ANSWER_MAX) {
        return tqa_part_refuse(
            &output, "too-large", "fewer outputs, quantiles or told members, or no end states",
            "the answer would have %.9g numbers, %d at most", told, TQA_CONTROL_ANSWER_MAX);
    }
    e->times = tqa_control_take(root->control, s->n_output, sizeof *e->times);
    e->records = tqa_control_take(root->control, e->n_block * e->record, sizeof *e->records);
    e->status = tqa_control_take(root->control, e->n_block, sizeof *e->status);
    e->errors = tqa_control_take(root->control, e->n_block, sizeof *e->errors);
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
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part solver = tqa_part_field(&root, "solver");
    if (!tqa_simulation_read_plant(s) || !read_variations(e, &root) || !read_counts(e, &root) ||
        !read_told(e, &root)) {
        return false;
    }
    if (solver.value == NULL) {
        /* what runs side by side; a simulation by itself takes an adaptive method */
        s->options.method = TQ_RUN_RK4;
        s->options.step = s->interval > 0.0 ? fmin(1e-3, s->interval) : 1e-3;
    }
    s->drives.driven.flows = NULL; /* of a single trajectory */
    e->first_offset = tq_plant_n_z(&s->plant);
    if (e->offsets.n > 0) {
        const tq_effect effect = tq_offsets_effect(&e->offsets);
        if (!tqa_simulation_add_effect(s, &effect)) {
            return false;
        }
    }
    return make_room(e, &root);
}
