/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/vary.c - `vary`: quantities that differ between members, and how. */
#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/ensemble/ensemble.h"

static const char *const varied_words[] = {TQA_WORDS_VARIATION_OF, NULL};

/* the coordinate, velocity or joint that a variation of a joint changes */
static bool read_joint(const tqa_value *item, tq_variation *x)
{
    const tqa_tree *tree = item->tree;
    const tq_model *model = tree->robot->model;
    const tqa_value name = tqa_value_field(item, "joint");
    const tqa_value link = tqa_value_field(item, "link");
    if (link.value != NULL) {
        return tqa_value_refuse(&link, "invalid-value", "name a \"joint\"",
                                "%s is of a joint, not of a link", varied_words[x->varied]);
    }
    if (!tqa_value_need(&name, "add \"joint\": its name")) {
        return false;
    }
    const char *text = json_string_value(name.value);
    const uint32_t j =
        text != NULL ? tqa_robot_joint(tree->robot, text, json_string_length(name.value)) : TQ_NONE;
    if (j == TQ_NONE) {
        return tqa_value_refuse(&name, "unknown-name", "the name of a joint of this robot",
                                "there is no such joint");
    }
    const tq_joint *joint = &model->joints[j];
    if (joint->nv != 1) {
        return tqa_value_refuse(&name, "range", "a joint of one freedom that follows no other",
                                "joint \"%s\" has %u degrees of freedom of its own", text,
                                joint->nv);
    }
    const bool of_velocity =
        x->varied == TQ_VARIED_QD || x->varied == TQ_VARIED_TORQUE || x->varied >= TQ_VARIED_KP;
    x->row = x->varied == TQ_VARIED_Q ? joint->q_index : of_velocity ? joint->v_index : j;
    return true;
}

static bool read_link(const tqa_value *item, tq_variation *x)
{
    const tqa_value name = tqa_value_field(item, "link");
    const tqa_value joint = tqa_value_field(item, "joint");
    const tqa_value at = tqa_value_field(item, "at");
    if (joint.value != NULL) {
        return tqa_value_refuse(&joint, "invalid-value", "name a \"link\"",
                                "%s is of a link, not of a joint", varied_words[x->varied]);
    }
    if (name.value == NULL && x->varied == TQ_VARIED_PAYLOAD) {
        if (!tqa_value_end_link(&name, &x->row)) {
            return false;
        }
    } else if (!tqa_value_need(&name, "add \"link\": its name") ||
               !tqa_value_link(&name, &x->row)) {
        return false;
    }
    if (at.value != NULL && x->varied != TQ_VARIED_PAYLOAD) {
        return tqa_value_refuse(&at, "invalid-value", "leave it out", "only a payload has a point");
    }
    return at.value == NULL || tqa_value_at(&at, x->row, x->at);
}

/* a gain that the controller has, of one joint or of all */
static bool read_gain(const tqa_ensemble *e, const tqa_value *item, tq_variation *x)
{
    const tqa_simulation *s = e->simulation;
    const tqa_value of = tqa_value_field(item, "of");
    const tqa_value joint = tqa_value_field(item, "joint");
    const tqa_value link = tqa_value_field(item, "link");
    const tqa_value at = tqa_value_field(item, "at");
    const tq_controller *c = &s->controller.core;
    const double *gains[TQ_VARIED_GAINS] = {c->kp, c->kd, c->ki, c->lambda};
    if (!s->has_controller) {
        return tqa_value_refuse(&of, "invalid-value",
                                "give \"input\": {\"kind\": \"pd-gravity\", \"kp\", \"kd\" ...}",
                                "there is no controller whose gains could vary");
    }
    if (gains[x->varied - TQ_VARIED_KP] == NULL) {
        return tqa_value_refuse(&of, "invalid-value", "vary a gain that \"input\" gives",
                                "this controller has no such gain");
    }
    if (link.value != NULL || at.value != NULL) {
        return tqa_value_refuse(link.value != NULL ? &link : &at, "invalid-value",
                                "name a \"joint\", or none for all",
                                "gains are of joints, not of links");
    }
    x->row = TQ_NONE;
    return joint.value == NULL || read_joint(item, x);
}

/* one of the request's list of disturbances, which are the plant's last effects but for external
 * wrenches */
static bool read_disturbed(const tqa_ensemble *e, const tqa_value *item, tq_variation *x)
{
    const tqa_simulation *s = e->simulation;
    const tqa_value root = tqa_value_root(item->tree);
    const tqa_value list = tqa_value_field(&root, "disturbance");
    const tqa_value external = tqa_value_field(&root, "external_wrenches");
    const tqa_value which = tqa_value_field(item, "disturbance");
    const tqa_value of = tqa_value_field(item, "of");
    const size_t n = json_array_size(list.value);
    size_t k = 0;
    if (n == 0) {
        return tqa_value_refuse(&of, "invalid-value",
                                "give \"disturbance\": [{\"kind\": \"noise\" ...}]",
                                "there is no disturbance that could vary");
    }
    if (which.value == NULL && n > 1) {
        return tqa_value_need(&which, "add \"disturbance\": its place in the list, from 0");
    }
    if (which.value != NULL && !tqa_value_count(&which, 0, n - 1, &k)) {
        return false;
    }
    x->row = (uint32_t)(s->plant.n_effect - json_array_size(external.value) - n + k);
    const tq_disturbance *d = s->plant.effects[x->row].ctx;
    if (x->varied == TQ_VARIED_SEED && d->signal != TQ_SIGNAL_NOISE) {
        return tqa_value_refuse(&of, "invalid-value", "name one of kind \"noise\"",
                                "disturbance %zu has no seed", k);
    }
    return d->size != NULL ||
           tqa_value_refuse(&of, "invalid-value", "name a pulse, a sine or noise",
                            "disturbance %zu is a table, which has no amplitude", k);
}

static bool read_values(const tqa_value *list, tq_variation *x)
{
    if (!tqa_value_array(list, 1, TQA_VALUES_MAX, &x->n_value)) {
        return false;
    }
    x->values = tqa_tree_take(list->tree, x->n_value, sizeof *x->values);
    return x->values != NULL && tqa_value_numbers(list, x->n_value, x->values);
}

static bool read_grid(const tqa_value *grid, tq_variation *x)
{
    static const char *const known[] = {TQA_FIELDS_VARIATION_GRID, NULL};
    static const tqa_needed needed[] = {{"from", "add \"from\": the first value"},
                                        {"to", "add \"to\": the last one"},
                                        {"count", "add \"count\": 5 (values, both ends included)"},
                                        {NULL, NULL}};
    double from = 0.0, to = 0.0;
    if (!tqa_value_fields(grid, known, needed)) {
        return false;
    }
    const tqa_value first = tqa_value_field(grid, "from");
    const tqa_value last = tqa_value_field(grid, "to");
    const tqa_value count = tqa_value_field(grid, "count");
    if (!tqa_value_number(&first, &from) || !tqa_value_number(&last, &to) ||
        !tqa_value_count(&count, 2, TQA_VALUES_MAX, &x->n_value)) {
        return false;
    }
    x->values = tqa_tree_take(grid->tree, x->n_value, sizeof *x->values);
    for (size_t k = 0; x->values != NULL && k < x->n_value; k++) {
        const double part = (double)k / (double)(x->n_value - 1);
        x->values[k] = from * (1.0 - part) + to * part;
    }
    return x->values != NULL;
}

static bool read_normal(const tqa_value *normal, tq_variation *x)
{
    static const char *const known[] = {TQA_FIELDS_VARIATION_NORMAL, NULL};
    if (!tqa_value_object(normal, known)) {
        return false;
    }
    const tqa_value mean = tqa_value_field(normal, "mean");
    const tqa_value deviation = tqa_value_field(normal, "deviation");
    x->spread = TQ_SPREAD_NORMAL;
    const bool of_factor = x->varied >= TQ_VARIED_MASS && x->varied != TQ_VARIED_PAYLOAD &&
                           x->varied != TQ_VARIED_SEED;
    x->mean = of_factor ? 1.0 : 0.0;
    return (mean.value == NULL || tqa_value_number(&mean, &x->mean)) &&
           tqa_value_need(&deviation, "add \"deviation\": 0.1 (the standard deviation)") &&
           tqa_value_positive(&deviation, &x->deviation);
}

static bool read_spread(const tqa_value *item, tq_variation *x)
{
    static const char *const ways[] = {"uniform", "normal", "list", "grid"};
    size_t way = 4;
    for (size_t k = 0; k < 4; k++) {
        const tqa_value part = tqa_value_field(item, ways[k]);
        if (part.value != NULL && way < 4) {
            return tqa_value_refuse(&part, "invalid-value", "keep one of the two",
                                    "\"%s\" and \"%s\" exclude each other", ways[way], ways[k]);
        }
        way = part.value != NULL ? k : way;
    }
    const tqa_value part = tqa_value_field(item, ways[way < 4 ? way : 0]);
    if (way == 4) {
        return tqa_value_need(&part,
                              "add \"uniform\": [-0.1, 0.1]; or \"normal\": {\"deviation\": "
                              "0.1}, \"list\": [...], \"grid\": {\"from\", \"to\", \"count\"}");
    }
    x->spread = TQ_SPREAD_LIST;
    if (way == 0) {
        double bounds[2];
        x->spread = TQ_SPREAD_UNIFORM;
        if (!tqa_value_numbers(&part, 2, bounds)) {
            return false;
        }
        x->low = bounds[0];
        x->high = bounds[1];
        return bounds[0] <= bounds[1] || tqa_value_refuse(&part, "range", "the smaller one first",
                                                          "%g is above %g", bounds[0], bounds[1]);
    }
    return way == 1   ? read_normal(&part, x)
           : way == 2 ? read_values(&part, x)
                      : read_grid(&part, x);
}

/* masses and friction are cut at 0; seeds are whole numbers */
static bool check_factor(const tqa_value *item, const tq_variation *x)
{
    double least = x->spread == TQ_SPREAD_UNIFORM ? x->low : 0.0;
    double most = x->spread == TQ_SPREAD_UNIFORM ? x->high : 0.0;
    for (size_t k = 0; k < x->n_value; k++) {
        least = fmin(least, x->values[k]);
        most = fmax(most, x->values[k]);
    }
    if (x->varied == TQ_VARIED_SEED && most > TQ_VARIED_SEED_MAX) {
        return tqa_value_refuse(item, "range", "up to 9007199254740992 (2^53)", "noise_seed of %g",
                                most);
    }
    return x->varied < TQ_VARIED_MASS || x->varied == TQ_VARIED_DISTURBANCE || least >= 0.0 ||
           tqa_value_refuse(item, "range", "0 or more", "%s of %g", varied_words[x->varied], least);
}

/* additions to angles and rates in the unit of the request, converted to rad; always true */
static bool to_radians(const tqa_tree *tree, tq_variation *x)
{
    const bool of_q = x->varied == TQ_VARIED_Q;
    const bool *angle = tree->robot->is_angle + (of_q ? 0 : tree->robot->model->nq);
    if (!tree->in_degrees || !(of_q || x->varied == TQ_VARIED_QD) || !angle[x->row]) {
        return true;
    }
    double *const numbers[] = {&x->low, &x->high, &x->mean, &x->deviation};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        *numbers[k] *= tqa_radians_of_degree;
    }
    for (size_t k = 0; k < x->n_value; k++) {
        x->values[k] *= tqa_radians_of_degree;
    }
    return true;
}

static bool read_variation(tqa_ensemble *e, const tqa_value *item, tq_variation *x)
{
    static const char *const known[] = {TQA_FIELDS_VARIATION, NULL};
    unsigned varied = 0;
    if (!tqa_value_object(item, known)) {
        return false;
    }
    const tqa_value of = tqa_value_field(item, "of");
    if (!tqa_value_need(&of, "add \"of\": \"q\"; or qd, torque, mass_factor, viscous_factor, "
                             "coulomb_factor, payload_mass, kp_factor, kd_factor, ki_factor, "
                             "lambda_factor, noise_seed, disturbance_factor") ||
        !tqa_value_choice(&of, varied_words, &varied)) {
        return false;
    }
    x->varied = (tq_varied)varied;
    const bool of_link = x->varied == TQ_VARIED_MASS || x->varied == TQ_VARIED_PAYLOAD;
    const bool of_gain = x->varied >= TQ_VARIED_KP && x->varied <= TQ_VARIED_LAMBDA;
    const bool of_disturbance = x->varied >= TQ_VARIED_SEED;
    const tqa_value disturbance = tqa_value_field(item, "disturbance");
    e->own_mechanisms = e->own_mechanisms || tq_varied_is_of_model(x->varied);
    e->own_effects = e->own_effects || tq_varied_is_of_effects(x->varied);
    if (disturbance.value != NULL && !of_disturbance) {
        return tqa_value_refuse(&disturbance, "invalid-value", "leave it out",
                                "%s is not of a disturbance", varied_words[x->varied]);
    }
    return (of_disturbance ? read_disturbed(e, item, x)
            : of_gain      ? read_gain(e, item, x)
            : of_link      ? read_link(item, x)
                           : read_joint(item, x)) &&
           read_spread(item, x) && to_radians(item->tree, x) && check_factor(item, x);
}

bool tqa_ensemble_read_variations(tqa_ensemble *e, const tqa_value *root)
{
    const tqa_value vary = tqa_value_field(root, "vary");
    tqa_tree *tree = root->tree;
    if (json_is_object(vary.value) && json_object_get(vary.value, "of") == NULL) {
        return tqa_value_refuse(
            &vary, "wrong-type",
            "write a list: [{\"of\": \"payload_mass\", \"link\": its name, \"list\": "
            "[0, 1, 2]}]",
            "expected an array, got an object");
    }
    if (!tqa_value_some(&vary, 1, TQA_VARIATIONS_MAX, &e->vary.n)) {
        return false;
    }
    e->vary.items = tqa_tree_take(tree, e->vary.n, sizeof *e->vary.items);
    uint32_t *rows = tqa_tree_take(tree, e->vary.n, sizeof *rows);
    if (e->vary.items == NULL || rows == NULL) {
        return false;
    }
    e->n_point = 1;
    for (size_t v = 0; v < e->vary.n; v++) {
        const tqa_value item = tqa_value_item(&vary, v);
        tq_variation *x = &e->vary.items[v];
        if (!read_variation(e, &item, x)) {
            return false;
        }
        if (x->varied == TQ_VARIED_TORQUE) {
            rows[e->offsets.n++] = x->row;
        }
        if (x->spread == TQ_SPREAD_LIST) {
            x->repeat = e->n_point;
            e->n_point *= x->n_value;
            if (e->n_point > TQA_DRAWS_MAX) {
                return tqa_value_refuse(&item, "too-large", "fewer values",
                                        "the product of the lists has more than %d points",
                                        TQA_DRAWS_MAX);
            }
        }
    }
    e->offsets.rows = rows;
    return true;
}
